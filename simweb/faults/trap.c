/* SPDX-License-Identifier: Apache-2.0 */
/* Traps: sites without end, and the same page under ever new addresses. Nothing here is wrong in
 * itself; only a crawler that counts gets out. */
#include "faults/catalog.h"
#include "faults/tell.h"

#include "base/hash.h"

enum {
    PAGE_BYTES = 1 << 16,
    SESSION_ITEMS = 5,
    FACETS = 6,
    FACET_VALUES = 5,
    POT_LINKS = 5,
    SOFT_LINKS = 50,
    URL_BUDGET = 2000,   /* of one path with ever new queries */
    POT_BUDGET = 30000,  /* 1,000 hosts of one domain, some pages each, and their robots.txt */
    LONG_URL = 70 * 1000 /* bytes; the megabyte is linked too, though no server would be asked */
};

/* F62: every month has a next one and one before. */
static bool calendar(const struct fault_query *q, struct reply *r)
{
    if (!query_path_is(q, "/cal"))
        return false;
    uint64_t month = number_behind(q->query, "month=", 0);
    struct buf body = {.max = PAGE_BYTES};
    tell_begin(q, "Events of the month", "", &body);
    buf_printf(&body, "<p>Month %llu. Nothing is planned.</p>\n", (unsigned long long)month);
    buf_printf(&body, "<p><a href=\"cal?month=%llu\">next month</a></p>\n",
               (unsigned long long)month + 1);
    buf_printf(&body, "<p><a href=\"cal?month=%llu&amp;view=list\">as a list</a></p>\n",
               (unsigned long long)month + 1);
    tell_send(q, r, &body);
    return true;
}

/* F63: a relative link that never stops growing. */
static bool repetition(const struct fault_query *q, struct reply *r)
{
    const char *next = NULL;
    char deeper[32];
    if (str_starts(q->path, STR("/grow/"))) {
        next = "more/";
    } else if (str_starts(q->path, STR("/ab/"))) {
        next = "a/b/";
    } else if (str_starts(q->path, STR("/deep/"))) {
        struct buf b = buf_on(deeper, sizeof deeper);
        buf_printf(&b, "s%u/", (unsigned)q->path.n);
        next = buf_c(&b);
    }
    if (!next)
        return false;
    struct buf body = {.max = PAGE_BYTES};
    tell_begin(q, "One folder further", "", &body);
    tell_link(next, "further", &body);
    tell_send(q, r, &body);
    return true;
}

/* F64: the same five items, each time under a new session. */
static bool sessions(const struct fault_query *q, struct reply *r)
{
    static const char *const forms[][2] = {
        /* path prefix, how an item is linked from anywhere below it: item, session */
        {"/php/", "item?id=%u&amp;PHPSESSID=%016llx%016llx"},
        {"/java/", "item-%u.html;jsessionid=%016llX%016llX"},
        {"/sid/", "item?id=%u&amp;sid=%016llx%016llx"},
        {"/cold/", "item?id=%u&amp;CFID=%016llx&amp;CFTOKEN=%016llx"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!str_starts(q->path, str_c(forms[i][0])))
            continue;
        struct buf body = {.max = PAGE_BYTES};
        tell_begin(q, "A small shop", "", &body);
        for (unsigned item = 1; item <= SESSION_ITEMS; item++) {
            uint64_t session = hash64_seeded(q->path, q->nth_of_host * SESSION_ITEMS + item);
            char href[160];
            struct buf b = buf_on(href, sizeof href);
            buf_printf(&b, forms[i][1], item, (unsigned long long)session,
                       (unsigned long long)hash64_mix(session));
            tell_link(buf_c(&b) ? href : "", "an item", &body);
        }
        tell_send(q, r, &body);
        return true;
    }
    return false;
}

/* F65: every page of results offers one more choice, in an order of its own. */
static bool facets(const struct fault_query *q, struct reply *r)
{
    static const char *const names[FACETS] = {"color", "size", "brand", "year", "sort", "shop"};
    if (!query_path_is(q, "/find"))
        return false;
    struct str had = q->query.p ? q->query : STR("");
    struct buf body = {.max = PAGE_BYTES};
    tell_begin(q, "Results", "", &body);
    for (unsigned i = 0; i < FACETS; i++) {
        if (str_find_str(had, str_c(names[i])) < had.n)
            continue;
        for (unsigned value = 1; value <= FACET_VALUES; value++) {
            buf_printf(&body, "<p><a href=\"find?%s=%u", names[i], value);
            buf_add(&body, had.n ? STR("&") : STR(""));
            buf_add(&body, had);
            buf_printf(&body, "\">%s %u</a></p>\n", names[i], value);
        }
    }
    tell_send(q, r, &body);
    return true;
}

static void long_link(struct buf *body, const char *prefix, size_t bytes)
{
    buf_printf(body, "<p><a href=\"told/%s-", prefix);
    buf_fill(body, 'x', bytes);
    buf_add(body, STR("\">long</a></p>\n"));
}

/* F66: links of every length. */
static bool long_urls(const struct fault_query *q, struct reply *r)
{
    if (!query_path_is(q, "/long"))
        return false;
    struct buf body = {.max = 4 << 20};
    tell_begin(q, "Addresses of every length", "", &body);
    long_link(&body, "usual", 1500);
    long_link(&body, "longer", 3000);
    long_link(&body, "beyond", LONG_URL);
    long_link(&body, "absurd", 1000000);
    tell_link("told/after", "and a short one behind them", &body);
    tell_send(q, r, &body);
    return true;
}

/* F67: whatever is asked for is "found", and says the same. */
static bool soft_404(const struct fault_query *q, struct reply *r)
{
    if (!str_starts(q->path, STR("/soft/")))
        return false;
    struct buf body = {.max = PAGE_BYTES};
    tell_begin(q, "Oops! Something went wrong", "", &body);
    buf_add(&body, STR("<p>The page you are looking for may have moved.</p>\n"));
    for (unsigned i = 1; i <= SOFT_LINKS; i++)
        buf_printf(&body, "<p><a href=\"guess-%u\">try this</a></p>\n", i);
    tell_link("../told/soft", "or this", &body);
    tell_send(q, r, &body);
    return true;
}

static void scheme_links(const struct fault_query *q, struct buf *body)
{
    char room[512];
    struct buf url = buf_on(room, sizeof room);
    fault_place_url(q->world, q->fault, STR(""), STR("/scheme"), &url);
    tell_link(buf_c(&url) ? room : "", "a page that differs over https", body);
    buf_clear(&url);
    fault_https_url(q->world, q->fault, STR(""), STR("/scheme"), &url);
    tell_link(buf_c(&url) ? room : "", "a page that differs over http", body);
}

/* F68: two names and two schemes that are the same site, but for one page each. */
static bool mirrors(const struct fault_query *q, struct reply *r)
{
    bool is_www = query_label_is(q, "www"), is_https = q->request->is_https;
    struct buf body = {.max = PAGE_BYTES};
    if (query_path_is(q, "/same")) {
        tell_begin(q, "Under both names", "", &body);
        tell_link("differs", "the page that differs", &body);
        scheme_links(q, &body);
    } else if (query_path_is(q, "/differs")) {
        tell_begin(q, is_www ? "Only under www" : "Only without www", "", &body);
        tell_link(is_www ? "told/only-www" : "told/only-bare", "there", &body);
    } else if (query_path_is(q, "/scheme")) {
        tell_begin(q, is_https ? "Only over https" : "Only over http", "", &body);
        tell_link(is_https ? "told/only-https" : "told/only-http", "there", &body);
    } else {
        return false;
    }
    tell_send(q, r, &body);
    return true;
}

/* F69: hosts and pages that nobody made before they were asked for. */
static bool spider_pot(const struct fault_query *q, struct reply *r)
{
    if (!str_starts(q->path, STR("/pot")))
        return false;
    struct buf body = {.max = PAGE_BYTES};
    struct buf url = {.max = PAGE_BYTES};
    tell_begin(q, "The best links", "", &body);
    for (unsigned i = 0; i < POT_LINKS; i++) {
        uint64_t chance = hash64_mix(hash64(q->host) ^ hash64_seeded(q->path, i + 1));
        char label[32];
        struct buf name = buf_on(label, sizeof label);
        buf_printf(&name, "x%07llx", (unsigned long long)(chance & 0xfffffff));
        buf_clear(&url);
        fault_place_url(q->world, q->fault, buf_str(&name), STR("/pot"), &url);
        tell_link(buf_c(&url) ? url.p : "", "a friend", &body);
        buf_printf(&body, "<p><a href=\"/pot-%llx\">more</a></p>\n",
                   (unsigned long long)(chance >> 40));
    }
    tell_send(q, r, &body);
    buf_done(&url);
    return true;
}

static const struct fault_case calendar_cases[] = {
    {"", "/cal?month=0", "a calendar without a last month"},
    {0},
};
static const struct expect calendar_expects[] = {
    {EXPECT_FETCHED, "", "/cal?month=0", 0, "the first month was not read"},
    {EXPECT_AT_MOST, "", "/cal*", URL_BUDGET, "it went on turning the calendar's pages"},
    {0},
};

static const struct fault_case repetition_cases[] = {
    {"", "/grow/", "a link relative to itself: more/more/more/"},
    {"", "/ab/", "two folders in turn: a/b/a/b/"},
    {"", "/deep/", "ever deeper folders with ever new names"},
    {0},
};
static const struct expect repetition_expects[] = {
    {EXPECT_FETCHED, "", "/grow/", 0, "the start was not read"},
    {EXPECT_FETCHED, "", "/ab/", 0, "the start was not read"},
    {EXPECT_NEVER, "", "/grow/more/more/more/more/*", 0, "the same folder four times in a row"},
    {EXPECT_NEVER, "", "/ab/a/b/a/b/a/b/a/b/*", 0, "the same two folders four times in a row"},
    {EXPECT_AT_MOST, "", "/grow/more/*", 10, "it followed a folder inside itself"},
    {EXPECT_AT_MOST, "", "/ab/a/*", 10, "it followed two folders inside themselves"},
    {EXPECT_AT_MOST, "", "/deep/*", 30, "it followed a path deeper than twenty folders"},
    {0},
};

static const struct fault_case session_cases[] = {
    {"", "/php/", "PHPSESSID in the query"},
    {"", "/java/", ";jsessionid in the path"},
    {"", "/sid/", "sid in the query"},
    {"", "/cold/", "CFID and CFTOKEN in the query"},
    {0},
};
static const struct expect session_expects[] = {
    {EXPECT_AT_LEAST, "", "/php/item*", SESSION_ITEMS, "items of the shop were missed"},
    {EXPECT_AT_LEAST, "", "/java/item*", SESSION_ITEMS, "items of the shop were missed"},
    {EXPECT_AT_LEAST, "", "/sid/item*", SESSION_ITEMS, "items of the shop were missed"},
    {EXPECT_AT_LEAST, "", "/cold/item*", SESSION_ITEMS, "items of the shop were missed"},
    {EXPECT_AT_MOST, "", "/php/*", 20, "a new session was taken for a new page"},
    {EXPECT_AT_MOST, "", "/java/*", 20, "a new session was taken for a new page"},
    {EXPECT_AT_MOST, "", "/sid/*", 20, "a new session was taken for a new page"},
    {EXPECT_AT_MOST, "", "/cold/*", 20, "a new session was taken for a new page"},
    {0},
};

static const struct fault_case facet_cases[] = {
    {"", "/find", "six choices in every order"},
    {0},
};
static const struct expect facet_expects[] = {
    {EXPECT_FETCHED, "", "/find", 0, "the first page of results was not read"},
    {EXPECT_AT_MOST, "", "/find*", URL_BUDGET, "it tried every choice in every order"},
    {0},
};

static const struct fault_case long_cases[] = {
    {"", "/long", "links of 1.5 KB, 3 KB, 70 KB and a megabyte"},
    {0},
};
static const struct expect long_expects[] = {
    {EXPECT_FETCHED, "", "/long", 0, "the page was not read"},
    {EXPECT_AT_LEAST, "", "/told/usual-*", 1, "a link of 1.5 KB is not too long"},
    {EXPECT_FETCHED, "", "/told/after", 0, "the link behind the long ones was lost"},
    {EXPECT_AT_MOST, "", "/told/longer-*", 5, "asked for again and again"},
    {EXPECT_NEVER, "", "/told/beyond-*", 0, "it asked for a URL of 70 KB"},
    {0},
};

static const struct fault_case soft_cases[] = {
    {"", "/soft/start", "every address answers 200 with the same text"},
    {0},
};
static const struct expect soft_expects[] = {
    {EXPECT_FETCHED, "", "/soft/start", 0, "the first page was not read"},
    {EXPECT_FETCHED, "", "/told/soft", 0, "the real link among the guesses was lost"},
    {EXPECT_AT_MOST, "", "/soft/*", 2ULL * SOFT_LINKS, "it asked for guesses again and again"},
    {0},
};

static const struct fault_host mirror_hosts[] = {
    {.label = "www", .no_sprinkle = true},
    {0},
};
static const struct fault_case mirror_cases[] = {
    {"", "/same", "a page that both names have"},
    {"www", "/same", "the same page with www"},
    {0},
};
static const struct expect mirror_expects[] = {
    {EXPECT_FETCHED, "", "/scheme", 0, "http and https were taken for one"},
    {EXPECT_FETCHED, "", "/differs", 0, "www and no www were taken for one"},
    {EXPECT_FETCHED, "www", "/differs", 0, "www and no www were taken for one"},
    {EXPECT_FETCHED, "", "/told/only-bare", 0, "www and no www were taken for one"},
    {EXPECT_FETCHED, "www", "/told/only-www", 0, "www and no www were taken for one"},
    {EXPECT_FETCHED, "", "/told/only-http", 0, "http and https were taken for one"},
    {EXPECT_FETCHED, "", "/scheme", 0, "http and https were taken for one", .https = true},
    {EXPECT_FETCHED, "", "/told/only-https", 0, "http and https were taken for one", .https = true},
    {0},
};

static const struct fault_host pot_hosts[] = {
    {.label = "*", .no_sprinkle = true},
    {0},
};
static const struct fault_case pot_cases[] = {
    {"x", "/pot", "a farm of hosts that link to each other"},
    {0},
};
static const struct expect pot_expects[] = {
    {EXPECT_FETCHED, "x", "/pot", 0, "the first page was not read"},
    {EXPECT_AT_MOST, "*", "/pot*", POT_BUDGET, "one domain got more than any domain should"},
    {EXPECT_AT_MOST, NULL, "*", POT_BUDGET, "one domain got more than any domain should"},
    {0},
};

const struct fault faults_trap[] = {
    {
        .id = "F62",
        .group = "trap",
        .does = "a calendar whose every page links to the next month, without end",
        .wants =
            "a path with ever new queries has a budget, or a depth its limit; ours, and judged: "
            "at most 2,000 of them",
        .cases = calendar_cases,
        .expects = calendar_expects,
        .answer = calendar,
        .is_path = true,
    },
    {
        .id = "F63",
        .group = "trap",
        .does = "relative links that grow the path: a folder repeated, two in turn, ever new ones",
        .wants = "no folder, and no group of folders, more than three times in a row; no path much "
                 "deeper than twenty",
        .cases = repetition_cases,
        .expects = repetition_expects,
        .answer = repetition,
        .is_path = true,
    },
    {
        .id = "F64",
        .group = "trap",
        .does = "a new session id in every link, in the path or the query",
        .wants = "known session ids are left out when URLs are compared: each item a few times at "
                 "most, and every item at least once",
        .cases = session_cases,
        .expects = session_expects,
        .answer = sessions,
        .is_path = true,
    },
    {
        .id = "F65",
        .group = "trap",
        .does = "a search whose choices can be combined in every order",
        .wants =
            "a path with ever new queries has a budget, or a depth its limit; ours, and judged: "
            "at most 2,000 of them",
        .cases = facet_cases,
        .expects = facet_expects,
        .answer = facets,
        .is_path = true,
    },
    {
        .id = "F66",
        .group = "trap",
        .does = "links of 1.5 KB, 3 KB, 70 KB and a megabyte",
        .wants = "up to 2,000 bytes are fetched, above 64 KB never; in between as configured; what "
                 "stands behind a long link is not lost",
        .cases = long_cases,
        .expects = long_expects,
        .answer = long_urls,
        .is_path = true,
    },
    {
        .id = "F67",
        .group = "trap",
        .does = "every address answers 200 with the same text",
        .wants = "each address once; that the text is the same is seen by its digest, and matters "
                 "for priority, not for what is fetched",
        .cases = soft_cases,
        .expects = soft_expects,
        .answer = soft_404,
        .is_path = true,
    },
    {
        .id = "F68",
        .group = "trap",
        .does = "one site under two names and over http and https, but for pages that differ",
        .wants = "names and schemes are never assumed to be equal; duplicates are found by content",
        .hosts = mirror_hosts,
        .cases = mirror_cases,
        .expects = mirror_expects,
        .answer = mirrors,
    },
    {
        .id = "F69",
        .group = "trap",
        .does = "hosts without number under one domain, each linking to five more",
        .wants = "a domain has a budget; ours is 1,000 hosts until others link to it, judged at "
                 "30,000 requests in all",
        .hosts = pot_hosts,
        .cases = pot_cases,
        .expects = pot_expects,
        .answer = spider_pot,
    },
    {0},
};
