/* SPDX-License-Identifier: Apache-2.0 */
/* Redirects that lead nowhere, elsewhere, or round and round. What a hop cap leaves is judged
 * generously: 25 requests, where the table's own range of caps ends at 20. */
#include "faults/catalog.h"
#include "faults/tell.h"

enum {
    HOPS = 25,         /* that any cap, with a few tries again, stays below */
    SHORT_CHAIN = 4,   /* redirects that every crawler follows to their end */
    REFRESH_CAP = 1000 /* a refresh may be followed as any link is, within a host's budget */
};

static void url_at(const struct fault_query *q, const char *label, const char *path,
                   struct buf *out)
{
    fault_url(q, label, str_c(path), out);
}

static void redirect_to(const struct fault_query *q, struct reply *r, uint16_t status,
                        const char *label, const char *path)
{
    char room[1024];
    struct buf url = buf_on(room, sizeof room);
    url_at(q, label, path, &url);
    tell_redirect(q, r, status, buf_str(&url));
}

/* To `path`?n=N of the same host. */
static void redirect_to_nth(const struct fault_query *q, struct reply *r, const char *path,
                            uint64_t n)
{
    char room[64];
    struct buf to = buf_on(room, sizeof room);
    buf_printf(&to, "%s?n=%llu", path, (unsigned long long)n);
    tell_redirect_path(q, r, 302, buf_str(&to));
}

/* F38 --------------------------------------------------------------------------------------- */

struct hop {
    const char *path;
    uint16_t status;
    const char *to; /* below the mount */
};

static const struct hop loops[] = {
    {"/self/301", 301, "/self/301"}, {"/self/302", 302, "/self/302"},
    {"/self/303", 303, "/self/303"}, {"/self/307", 307, "/self/307"},
    {"/self/308", 308, "/self/308"}, {"/self/fragment", 302, "/self/fragment#again"},
    {"/two/a", 302, "/two/b"},       {"/two/b", 302, "/two/a"},
    {"/three/a", 301, "/three/b"},   {"/three/b", 307, "/three/c"},
    {"/three/c", 308, "/three/a"},
};

static bool answer_loop(const struct fault_query *q, struct reply *r)
{
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        if (query_path_is(q, loops[i].path)) {
            tell_redirect_path(q, r, loops[i].status, str_c(loops[i].to));
            return true;
        }
    return false;
}

static const struct fault_case f38_cases[] = {
    {"", "/self/301", "301 to itself"},
    {"", "/self/302", "302 to itself"},
    {"", "/self/303", "303 to itself"},
    {"", "/self/307", "307 to itself"},
    {"", "/self/308", "308 to itself"},
    {"", "/self/fragment", "302 to itself, with a fragment"},
    {"", "/two/a", "a leads to b, b leads to a"},
    {"", "/three/a", "a to b to c to a"},
    {0},
};

static const struct expect f38_expects[] = {
    {EXPECT_FETCHED, "", "/self/301", 0, "never asked"},
    {EXPECT_FETCHED, "", "/two/b", 0, "did not follow a redirect"},
    {EXPECT_FETCHED, "", "/three/b", 0, "did not follow a redirect"},
    {EXPECT_FETCHED, "", "/three/c", 0, "did not follow two redirects"},
    {EXPECT_AT_MOST, "", "/self/301", HOPS, "goes round in circles"},
    {EXPECT_AT_MOST, "", "/self/302", HOPS, "goes round in circles"},
    {EXPECT_AT_MOST, "", "/self/303", HOPS, "goes round in circles"},
    {EXPECT_AT_MOST, "", "/self/307", HOPS, "goes round in circles"},
    {EXPECT_AT_MOST, "", "/self/308", HOPS, "goes round in circles"},
    {EXPECT_AT_MOST, "", "/self/fragment", HOPS, "takes a fragment for another page"},
    {EXPECT_AT_MOST, "", "/two/*", HOPS, "goes round in circles"},
    {EXPECT_AT_MOST, "", "/three/*", HOPS, "goes round in circles"},
    {0},
};

/* F39 --------------------------------------------------------------------------------------- */

static bool answer_chain(const struct fault_query *q, struct reply *r)
{
    uint64_t n = number_behind(q->query, "n=", 0);
    if (query_path_is(q, "/endless")) {
        redirect_to_nth(q, r, "/endless", n + 1);
    } else if (str_starts(q->path, STR("/deeper/"))) {
        char room[2048];
        struct buf to = buf_on(room, sizeof room);
        buf_add(&to, q->path);
        buf_add(&to, STR("more/"));
        tell_redirect_path(q, r, 301, buf_rc(&to) == RC_OK ? buf_str(&to) : STR("/deeper/"));
    } else if (!query_path_is(q, "/short")) {
        return false;
    } else if (n < SHORT_CHAIN) {
        redirect_to_nth(q, r, "/short", n + 1);
    } else {
        tell_page(q, r, "The end of a short chain", "/told/short/good");
    }
    return true;
}

static const struct fault_case f39_cases[] = {
    {"", "/endless?n=1", "n leads to n + 1, for ever"},
    {"", "/deeper/", "each hop makes the path longer"},
    {"", "/short?n=0", "four hops and then a page"},
    {0},
};

static const struct expect f39_expects[] = {
    {EXPECT_FETCHED, "", "/endless?n=2", 0, "did not follow a redirect"},
    {EXPECT_FETCHED, "", "/short?n=1", 0, "did not follow a redirect"},
    {EXPECT_FETCHED, "", "/short?n=2", 0, "gave up before the third hop"},
    {EXPECT_FETCHED, "", "/short?n=3", 0, "gave up before the fourth hop"},
    {EXPECT_FETCHED, "", "/short?n=4", 0, "gave up before the fifth hop"},
    {EXPECT_FETCHED, "", "/told/short/good", 0, "did not read the page behind four redirects"},
    {EXPECT_AT_MOST, "", "/endless*", HOPS, "has no cap on hops"},
    {EXPECT_AT_MOST, "", "/deeper/*", HOPS, "has no cap on hops"},
    {0},
};

/* F40 --------------------------------------------------------------------------------------- */

static const char strict_robots[] = "User-agent: *\nDisallow: /private/\n";

static bool answer_other_host(const struct fault_query *q, struct reply *r)
{
    bool strict = query_label_is(q, "strict");
    if (query_path_is(q, "/to-host"))
        redirect_to(q, r, 301, "other", "/landed");
    else if (query_path_is(q, "/to-strict"))
        redirect_to(q, r, 302, "strict", "/landed");
    else if (query_path_is(q, "/to-forbidden"))
        redirect_to(q, r, 302, "strict", "/private/landed");
    else if (query_path_is(q, "/to-https"))
        redirect_to(q, r, 308, "secure", "/landed");
    else if (query_path_is(q, "/back") && query_label_is(q, "secure"))
        redirect_to(q, r, 307, "other", "/landed-from-https");
    else if (strict && query_path_is(q, "/robots.txt"))
        tell_robots(q, r, str_c(strict_robots));
    else if (strict && query_path_is(q, "/private/landed"))
        tell_page(q, r, "Forbidden by robots.txt", "/told/private/bad");
    else if (query_path_is(q, "/landed") && query_label_is(q, "secure"))
        tell_page(q, r, "Arrived over TLS", "/back");
    else if (query_path_is(q, "/landed") || query_path_is(q, "/landed-from-https"))
        tell_page(q, r, "Arrived", "/told/landed/good");
    else
        return false;
    return true;
}

/* Where it leads has to be a host of the fault's own, so nothing is left to sprinkle. */
static const struct fault_host f40_hosts[] = {
    {.label = "other", .no_sprinkle = true},
    {.label = "strict", .no_sprinkle = true},
    {.label = "secure", .https = true, .no_sprinkle = true},
    {0},
};

static const struct fault_case f40_cases[] = {
    {"", "/to-host", "to another host"},
    {"", "/to-strict", "to a host with rules, where the page is allowed"},
    {"", "/to-forbidden", "to a page that the other host's robots.txt forbids"},
    {"", "/to-https", "to https, and from there back to http"},
    {0},
};

static const struct expect f40_expects[] = {
    {EXPECT_FETCHED, "other", "/landed", 0, "did not follow a redirect to another host"},
    {EXPECT_FETCHED, "other", "/told/landed/good", 0, "did not read the page it was led to"},
    {EXPECT_FETCHED, "strict", "/robots.txt", 0,
     "asked a host it was led to without its robots.txt"},
    {EXPECT_FETCHED, "strict", "/landed", 0, "did not follow a redirect to another host"},
    {EXPECT_FETCHED, "strict", "/told/landed/good", 0, "did not read the page it was led to"},
    {EXPECT_NEVER, "strict", "/private/landed", 0, "robots.txt of the target's host forbids it"},
    {EXPECT_NEVER, "strict", "/told/private/bad", 0, "only a forbidden page links it"},
    {EXPECT_FETCHED, "secure", "/landed", 0, "did not follow from http to https"},
    {EXPECT_FETCHED, "secure", "/back", 0, "did not read the page it was led to"},
    {EXPECT_FETCHED, "other", "/landed-from-https", 0, "did not follow from https to http"},
    {0},
};

/* F41 --------------------------------------------------------------------------------------- */

/* The host at 127.0.0.1 is always the fault's own, also where this is sprinkled. */
static void trap_url(const struct fault_query *q, struct buf *out)
{
    fault_place_url(q->world, q->fault, STR("inside"), STR("/told/inside/bad"), out);
}

/* At a name of nobody's: whose link led there is seen by the mount. */
static void stray_url(const struct fault_query *q, const char *name, const char *path,
                      struct buf *out)
{
    buf_printf(out, "http://%s:%llu/f41%s", name,
               (unsigned long long)world_settings(q->world)->http_port, path);
}

static void schemes_location(const struct fault_query *q, struct buf *out)
{
    char room[1024];
    struct buf url = buf_on(room, sizeof room);
    if (query_path_is(q, "/to-file")) {
        buf_printf(out, "file://" STR_FMT "/told/file/bad", STR_ARG(q->mount));
    } else if (query_path_is(q, "/to-javascript")) {
        url_at(q, "", "/told/javascript/bad", &url);
        buf_printf(out, "javascript:location.href='" STR_FMT "'", STR_ARG(buf_str(&url)));
    } else if (query_path_is(q, "/to-data")) {
        url_at(q, "", "/told/data/bad", &url);
        buf_printf(out, "data:text/html,<a href='" STR_FMT "'>a</a>", STR_ARG(buf_str(&url)));
    } else if (query_path_is(q, "/to-ftp")) {
        buf_printf(out, "ftp://" STR_FMT STR_FMT "/told/ftp/bad", STR_ARG(q->host),
                   STR_ARG(q->mount));
    } else if (query_path_is(q, "/to-localhost")) {
        stray_url(q, "localhost", "/told/localhost/bad", out);
    } else if (query_path_is(q, "/to-number")) {
        stray_url(q, "127.0.0.1", "/told/number/bad", out);
    } else if (query_path_is(q, "/to-loopback")) {
        trap_url(q, out);
    } else if (query_path_is(q, "/to-metadata")) {
        buf_add(out, STR("http://169.254.169.254/latest/meta-data/"));
    }
}

static bool answer_scheme(const struct fault_query *q, struct reply *r)
{
    char room[2048];
    struct buf location = buf_on(room, sizeof room);
    schemes_location(q, &location);
    if (!location.n)
        return false;
    tell_redirect(q, r, 302, buf_str(&location));
    return true;
}

static const struct fault_host f41_hosts[] = {
    {.label = "inside", .mood = {.dns = DNS_LOOPBACK}, .is_dead = true, .no_sprinkle = true},
    {0},
};

static const struct fault_case f41_cases[] = {
    {"", "/to-file", "to file:"},
    {"", "/to-javascript", "to javascript:"},
    {"", "/to-data", "to data: with a link in it"},
    {"", "/to-ftp", "to ftp:"},
    {"", "/to-localhost", "to http://localhost"},
    {"", "/to-number", "to http://127.0.0.1"},
    {"", "/to-loopback", "to a name whose address is 127.0.0.1"},
    {"", "/to-metadata", "to 169.254.169.254"},
    {0},
};

static const struct expect f41_expects[] = {
    {EXPECT_FETCHED, "", "/to-file", 0, "never asked"},
    {EXPECT_AT_MOST, "", "/to-file", 5, "tries a refused redirect again and again"},
    {EXPECT_AT_MOST, "", "/to-javascript", 5, "tries a refused redirect again and again"},
    {EXPECT_AT_MOST, "", "/to-data", 5, "tries a refused redirect again and again"},
    {EXPECT_AT_MOST, "", "/to-ftp", 5, "tries a refused redirect again and again"},
    {EXPECT_AT_MOST, "", "/to-localhost", 5, "tries a refused redirect again and again"},
    {EXPECT_AT_MOST, "", "/to-number", 5, "tries a refused redirect again and again"},
    {EXPECT_AT_MOST, "", "/to-loopback", 5, "tries a refused redirect again and again"},
    {EXPECT_AT_MOST, "", "/to-metadata", 5, "tries a refused redirect again and again"},
    {EXPECT_NEVER, "", "/told/file/bad", 0, "file: is no web address"},
    {EXPECT_NEVER, "", "/told/javascript/bad", 0, "javascript: is no web address"},
    {EXPECT_NEVER, "", "/told/data/bad", 0, "a redirect to data: is not followed"},
    {EXPECT_NEVER, "", "/told/ftp/bad", 0, "ftp: is not HTTP"},
    {EXPECT_NEVER, "inside", "/told/inside/bad", 0, "its address is 127.0.0.1"},
    {EXPECT_NOT_AT, NULL, "*", ADDRESS_TRAP, "was led to 127.0.0.1"},
    {0},
};

/* F42 --------------------------------------------------------------------------------------- */

struct location {
    const char *path;
    const char *value; /* NULL: no such header at all */
    bool is_rooted;    /* the mount comes before it */
};

static const struct location locations[] = {
    {"/at/relative", "next", false},
    {"/at/up", "../told/up/good", false},
    {"/at/dots", "/told/x/.././dots/./good", true},
    {"/at/query", "?page=2", false},
    {"/at/space", "/told/a space/good", true},
    {"/at/utf8", "/told/caf\xc3\xa9/good", true},
    {"/at/padded", "  ../told/padded/good  ", false},
    {"/at/backslash", "..\\told\\backslash\\good", false},
    {"/at/cr", "/told/c\rr", true},
    {"/at/empty", "", false},
    {"/at/no-host", "http:////", false},
    {"/at/open-bracket", "http://[::1/", false},
    {"/at/host-with-space", "http://exa mple.test/", false},
    {"/at/missing", NULL, false},
};

/* The same host behind four slashes: "http:////f42.test:8080/told/slashes". */
static void location_slashes(const struct fault_query *q, struct buf *out)
{
    char room[1024];
    struct buf url = buf_on(room, sizeof room);
    url_at(q, "", "/told/slashes", &url);
    struct str whole = buf_str(&url);
    struct str scheme = str_take_until(&whole, '/');
    buf_printf(out, STR_FMT "///" STR_FMT, STR_ARG(scheme), STR_ARG(whole));
}

static bool location_row(const struct fault_query *q, struct reply *r)
{
    for (size_t i = 0; i < sizeof locations / sizeof *locations; i++) {
        const struct location *row = &locations[i];
        if (!query_path_is(q, row->path))
            continue;
        if (!row->value)
            tell_page_as(q, r, 301, STR(""), "Moved, but nobody says where", "/told/missing/good");
        else if (row->is_rooted)
            tell_redirect_path(q, r, 302, str_c(row->value));
        else
            tell_redirect(q, r, 302, str_c(row->value));
        return true;
    }
    return false;
}

static bool answer_location(const struct fault_query *q, struct reply *r)
{
    char room[1024];
    struct buf location = buf_on(room, sizeof room);
    if (query_path_is(q, "/at/query") && q->query.n) {
        tell_page(q, r, "Page 2", "/told/query/good");
        return true;
    }
    if (query_path_is(q, "/at/next")) {
        tell_page(q, r, "Next", "/told/relative/good");
        return true;
    }
    if (query_path_is(q, "/at/slashes")) {
        location_slashes(q, &location);
        tell_redirect(q, r, 302, buf_str(&location));
        return true;
    }
    return location_row(q, r);
}

static const struct fault_case f42_cases[] = {
    {"", "/at/relative", "Location: next"},
    {"", "/at/up", "Location: ../…"},
    {"", "/at/dots", "Location with . and .. inside"},
    {"", "/at/query", "Location: ?page=2"},
    {"", "/at/space", "Location with a space"},
    {"", "/at/utf8", "Location in raw UTF-8"},
    {"", "/at/padded", "Location with blanks around it"},
    {"", "/at/backslash", "Location with backslashes"},
    {"", "/at/cr", "Location with a bare CR inside"},
    {"", "/at/slashes", "Location: http:////host/…"},
    {"", "/at/empty", "Location: and nothing behind it"},
    {"", "/at/no-host", "Location: http:////"},
    {"", "/at/open-bracket", "Location: http://[::1/"},
    {"", "/at/host-with-space", "Location with a space in the host"},
    {"", "/at/missing", "301 without a Location"},
    {0},
};

static const struct expect f42_expects[] = {
    {EXPECT_FETCHED, "", "/at/next", 0, "did not resolve a relative Location"},
    {EXPECT_FETCHED, "", "/at/query?page=2", 0, "did not resolve a Location that is only a query"},
    {EXPECT_FETCHED, "", "/told/relative/good", 0, "did not resolve a relative Location"},
    {EXPECT_FETCHED, "", "/told/up/good", 0, "did not resolve .. in a Location"},
    {EXPECT_FETCHED, "", "/told/dots/good", 0, "did not resolve dots in a Location"},
    {EXPECT_FETCHED, "", "/told/query/good", 0, "did not resolve a Location that is only a query"},
    {EXPECT_FETCHED, "", "/told/a%20space/good", 0, "did not encode a space in a Location"},
    {EXPECT_FETCHED, "", "/told/caf%C3%A9/good", 0, "did not encode UTF-8 in a Location"},
    {EXPECT_FETCHED, "", "/told/padded/good", 0, "took blanks around a Location for part of it"},
    {EXPECT_FETCHED, "", "/told/missing/good", 0, "did not read a 301 without Location"},
    {EXPECT_AT_MOST, "", "/at/empty", HOPS, "goes round in circles"},
    {EXPECT_AT_MOST, "", "/at/cr", 5, "tries a broken Location again and again"},
    {EXPECT_AT_MOST, "", "/at/no-host", 5, "tries a broken Location again and again"},
    {EXPECT_AT_MOST, "", "/at/open-bracket", 5, "tries a broken Location again and again"},
    {EXPECT_AT_MOST, "", "/at/host-with-space", 5, "tries a broken Location again and again"},
    {0},
};

/* F43 --------------------------------------------------------------------------------------- */

static bool answer_wall(const struct fault_query *q, struct reply *r)
{
    bool has_cookie = request_header(q->request, STR("Cookie")).n != 0;
    bool is_check = query_path_is(q, "/check");
    bool is_gate = query_path_is(q, "/gate");
    if (!is_check && !is_gate && !query_path_is(q, "/wall"))
        return false;
    if (has_cookie) {
        tell_page(q, r, "Behind the cookie wall", "/told/behind/may");
        return true;
    }
    char room[512];
    struct buf more = buf_on(room, sizeof room);
    buf_printf(&more, "Set-Cookie: seen=1; Path=/\r\nLocation: " STR_FMT, STR_ARG(q->mount));
    buf_add(&more, is_gate ? STR("/gate?try=") : is_check ? STR("/wall") : STR("/check"));
    if (is_gate)
        buf_u64(&more, number_behind(q->query, "try=", 0) + 1);
    buf_add(&more, STR("\r\n"));
    tell_page_as(q, r, 302, buf_str(&more), "Cookies, please", "");
    return true;
}

static const struct fault_case f43_cases[] = {
    {"", "/wall", "to /check and back until a cookie comes along"},
    {"", "/gate", "to another URL each time until a cookie comes along"},
    {0},
};

static const struct expect f43_expects[] = {
    {EXPECT_FETCHED, "", "/wall", 0, "never asked"},
    {EXPECT_AT_MOST, "", "/wall", HOPS, "goes round in circles before a cookie wall"},
    {EXPECT_AT_MOST, "", "/check", HOPS, "goes round in circles before a cookie wall"},
    {EXPECT_AT_MOST, "", "/gate*", HOPS, "has no cap on hops"},
    {0},
};

/* F44 --------------------------------------------------------------------------------------- */

struct refresh {
    const char *path;
    const char *content; /* of the meta element, relative to the page */
};

static const struct refresh refreshes[] = {
    {"/refresh/self", "0"},
    {"/refresh/self-url", "0; url=self-url"},
    {"/refresh/a", "0; url=b"},
    {"/refresh/b", "0;URL='a'"},
    {"/refresh/go", "0; url=../told/go/good"},
    {"/refresh/quoted", "5;URL='../told/quoted/good'"},
    {"/refresh/late", "  30 ;  url = ../told/late/good"},
};

static void plain_page(const struct fault_query *q, struct str body, struct reply *r)
{
    tell_answer(q, r, 200, TELL_HTML, STR(""), body);
}

static void refresh_page(const struct fault_query *q, const char *content, struct reply *r)
{
    char room[512];
    struct buf body = buf_on(room, sizeof room);
    buf_printf(&body,
               "<!DOCTYPE html>\n<title>On the way</title>\n"
               "<meta http-equiv=\"refresh\" content=\"%s\">\n<p>One moment.</p>\n",
               content);
    plain_page(q, buf_str(&body), r);
}

static void refresh_header(const struct fault_query *q, struct reply *r)
{
    char room[512];
    struct buf more = buf_on(room, sizeof room);
    buf_printf(&more, "Refresh: 0; url=" STR_FMT "/refresh/header\r\n", STR_ARG(q->mount));
    tell_page_as(q, r, 200, buf_str(&more), "Again, says the header", "");
}

static void script_page(const struct fault_query *q, struct reply *r)
{
    plain_page(q,
               STR("<!DOCTYPE html>\n<title>By script</title>\n"
                   "<script>location.replace('script');</script>\n"),
               r);
}

static bool answer_refresh(const struct fault_query *q, struct reply *r)
{
    char room[64];
    struct buf content = buf_on(room, sizeof room);
    if (query_path_is(q, "/refresh/endless")) {
        buf_add(&content, STR("0; url=endless?n="));
        buf_u64(&content, number_behind(q->query, "n=", 0) + 1);
        const char *text = buf_c(&content);
        refresh_page(q, text ? text : "0", r);
        return true;
    }
    if (query_path_is(q, "/refresh/header")) {
        refresh_header(q, r);
        return true;
    }
    if (query_path_is(q, "/refresh/script")) {
        script_page(q, r);
        return true;
    }
    for (size_t i = 0; i < sizeof refreshes / sizeof *refreshes; i++)
        if (query_path_is(q, refreshes[i].path)) {
            refresh_page(q, refreshes[i].content, r);
            return true;
        }
    return false;
}

static const struct fault_case f44_cases[] = {
    {"", "/refresh/self", "refreshes itself at once, without a URL"},
    {"", "/refresh/self-url", "refreshes itself at once, by URL"},
    {"", "/refresh/a", "a refreshes to b, b to a"},
    {"", "/refresh/endless?n=1", "n refreshes to n + 1, for ever"},
    {"", "/refresh/header", "refreshes itself by a header"},
    {"", "/refresh/script", "goes to itself by script"},
    {"", "/refresh/go", "refreshes to another page at once"},
    {"", "/refresh/quoted", "to another page after 5 s, the URL in quotes"},
    {"", "/refresh/late", "to another page after 30 s, with blanks everywhere"},
    {0},
};

static const struct expect f44_expects[] = {
    {EXPECT_FETCHED, "", "/told/go/good", 0, "does not know meta refresh"},
    {EXPECT_FETCHED, "", "/told/quoted/good", 0, "does not know a quoted URL in meta refresh"},
    {EXPECT_FETCHED, "", "/told/late/good", 0, "does not know a refresh with blanks and a delay"},
    {EXPECT_AT_MOST, "", "/refresh/self", HOPS, "refreshes for ever"},
    {EXPECT_AT_MOST, "", "/refresh/self-url", HOPS, "refreshes for ever"},
    {EXPECT_AT_MOST, "", "/refresh/a", HOPS, "refreshes for ever"},
    {EXPECT_AT_MOST, "", "/refresh/b", HOPS, "refreshes for ever"},
    {EXPECT_AT_MOST, "", "/refresh/header", HOPS, "refreshes for ever"},
    {EXPECT_AT_MOST, "", "/refresh/script", HOPS, "goes to itself by script for ever"},
    {EXPECT_AT_MOST, "", "/refresh/endless*", REFRESH_CAP, "follows refreshes without end"},
    {0},
};

const struct fault faults_redir[] = {
    {
        .id = "F38",
        .group = "redir",
        .does = "redirects a URL to itself (301, 302, 303, 307, 308, with a fragment) and in loops "
                "of two and of three",
        .wants = "a redirect is followed like a link, every hop is a fetch with its host's delay; "
                 "a URL already asked for is not asked again, so a loop ends by itself (a cap of "
                 "5 to 20 hops does as well)",
        .cases = f38_cases,
        .expects = f38_expects,
        .answer = answer_loop,
        .is_path = true,
    },
    {
        .id = "F39",
        .group = "redir",
        .does = "redirects to ever new URLs, by query and by a growing path; once over four hops "
                "to a page",
        .wants = "a cap on hops (5 to 20 in the field; judged at 25 requests), a chain of four "
                 "followed to its end; each hop passes scope, robots.txt and the seen test",
        .cases = f39_cases,
        .expects = f39_expects,
        .answer = answer_chain,
        .is_path = true,
    },
    {
        .id = "F40",
        .group = "redir",
        .does = "redirects to other hosts, to one whose robots.txt forbids the page, from http to "
                "https and back",
        .wants = "the target is treated as any link to that host: its scope, its robots.txt, its "
                 "delay, its owner",
        .hosts = f40_hosts,
        .cases = f40_cases,
        .expects = f40_expects,
        .answer = answer_other_host,
    },
    {
        .id = "F41",
        .group = "redir",
        .does = "redirects to file:, javascript:, data:, ftp:, localhost, 127.0.0.1, a name that "
                "resolves to it, and 169.254.169.254",
        .wants = "only http and https are followed, and no address that is private, link-local or "
                 "loopback, as a number or after DNS; the redirect is recorded and not tried again",
        .hosts = f41_hosts,
        .cases = f41_cases,
        .expects = f41_expects,
        .answer = answer_scheme,
        .is_path = true,
    },
    {
        .id = "F42",
        .group = "redir",
        .does = "sends a Location that is relative, only a query, with dots, blanks, raw UTF-8, "
                "backslashes, a CR, four slashes, empty, unreadable, or none with a 301",
        .wants = "resolved as WHATWG says against the URL asked; what cannot be resolved is "
                 "recorded and dropped; a 301 without Location is a page and is read. Ours: four "
                 "slashes and backslashes count as WHATWG says, an empty Location is the page "
                 "itself, an answer with a bare CR in a header is refused",
        .cases = f42_cases,
        .expects = f42_expects,
        .answer = answer_location,
        .is_path = true,
    },
    {
        .id = "F43",
        .group = "redir",
        .does = "redirects until a cookie it set comes back: between two URLs, and to a new URL "
                "each time",
        .wants = "the hop cap ends it; ours: no cookies are kept, so what is behind the wall stays "
                 "unread (a jar for one chain of hops is as good)",
        .cases = f43_cases,
        .expects = f43_expects,
        .answer = answer_wall,
        .is_path = true,
    },
    {
        .id = "F44",
        .group = "redir",
        .does = "refreshes by meta element to itself, in a loop, to ever new URLs, with quotes, "
                "blanks and delays; by a Refresh header; by location.replace()",
        .wants = "a meta refresh is a link, whatever its delay, and its hops are counted; one to "
                 "itself is nothing. Ours: scripts are not run and a Refresh header is followed "
                 "like the element",
        .cases = f44_cases,
        .expects = f44_expects,
        .answer = answer_refresh,
        .is_path = true,
    },
    {0},
};
