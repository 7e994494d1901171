/* SPDX-License-Identifier: Apache-2.0 */
/* What can be wrong with robots.txt. It speaks for its host, so every variant has a host of its
 * own: /page there is to be read, what stands below /private/ and the like is not. What the files
 * with 200 say stands in robots_body.c. */
#include "faults/catalog.h"
#include "faults/fact.h"
#include "faults/robots_body.h"
#include "faults/tell.h"

enum {
    TRIES = 20, /* for one robots.txt; a crawl of days asks a few times */
    HOPS = 25,
    RENEWALS = 200,  /* of one robots.txt that is taken for old after a second in some test */
    FIFTH_MS = 100,  /* of 200: a crawler may count from start to start, on a busy machine */
    CLAMPED_MS = 500 /* no crawler's longest delay is shorter */
};

static const char usual_rules[] = "User-agent: *\nDisallow: /private/\n";
static const char all_forbidden[] = "User-agent: *\nDisallow: /\n";
static const char all_allowed[] = "User-agent: *\nAllow: /\n";

/* Whatever a case of this host names is a page, as far as robots.txt lets anybody come. */
static bool answer_case(const struct fault_query *q, struct reply *r)
{
    char room[512];
    struct buf asked = buf_on(room, sizeof room);
    buf_add(&asked, q->path);
    if (q->query.p) {
        buf_byte(&asked, '?');
        buf_add(&asked, q->query);
    }
    for (const struct fault_case *c = q->fault->cases; c->path; c++)
        if (query_label_is(q, c->label) && str_eq(buf_str(&asked), str_c(c->path))) {
            tell_page(q, r, c->says, "/told/page/good");
            return true;
        }
    return false;
}

/* F52 --------------------------------------------------------------------------------------- */

/* The error's own text forbids everything; nobody should read it. */
static bool answer_without(const struct fault_query *q, struct reply *r)
{
    if (!q->label.n)
        return false;
    if (!query_path_is(q, "/robots.txt"))
        return answer_case(q, r);
    bool wants_name = query_label_is(q, "none401");
    uint16_t status = (uint16_t)number_behind(q->label, "none", 404);
    tell_answer(q, r, status, "text/plain",
                wants_name ? STR("WWW-Authenticate: Basic realm=\"rules\"\r\n") : STR(""),
                str_c(all_forbidden));
    return true;
}

/* On an ordinary host the rules would change and with them the truth: nothing here is sprinkled
 * but what closes the whole host (F53). */
static const struct fault_host f52_hosts[] = {
    {.label = "none404", .no_sprinkle = true},
    {.label = "none401", .no_sprinkle = true},
    {.label = "none403", .no_sprinkle = true},
    {.label = "none410", .no_sprinkle = true},
    {0},
};

static const struct fault_case f52_cases[] = {
    {"none404", "/page", "a page behind 404 for robots.txt"},
    {"none401", "/page", "a page behind 401 for robots.txt"},
    {"none403", "/page", "a page behind 403 for robots.txt"},
    {"none410", "/page", "a page behind 410 for robots.txt"},
    {0},
};

static const struct expect f52_expects[] = {
    {EXPECT_FETCHED, "none404", "/told/page/good", 0, "took 404 for a prohibition"},
    {EXPECT_FETCHED, "none401", "/told/page/good", 0, "took 401 for a prohibition"},
    {EXPECT_FETCHED, "none403", "/told/page/good", 0, "took 403 for a prohibition"},
    {EXPECT_FETCHED, "none410", "/told/page/good", 0, "took 410 for a prohibition"},
    {EXPECT_NO_FACT, "none401", "*", FACT_AUTHORIZATION, "sent credentials"},
    {0},
};

/* F53 --------------------------------------------------------------------------------------- */

static bool answer_failing(const struct fault_query *q, struct reply *r)
{
    if (!q->label.n) /* the site's own name is well */
        return false;
    if (!query_path_is(q, "/robots.txt"))
        return answer_case(q, r);
    if (query_label_is(q, "hold"))
        reply_hold(r);
    else if (query_label_is(q, "reset"))
        reply_reset(r);
    else if (query_label_is(q, "close"))
        reply_close(r);
    else if (query_label_is(q, "turned") && q->nth == 0)
        tell_robots(q, r, str_c(usual_rules));
    else
        tell_answer(q, r, (uint16_t)number_behind(q->label, "e", 503), "text/plain", STR(""),
                    str_c(all_allowed));
    return true;
}

static const struct fault_host f53_hosts[] = {
    {.label = "e500", .is_dead = true},
    {.label = "e503", .is_dead = true},
    {.label = "e429", .no_sprinkle = true},
    {.label = "hold", .is_dead = true},
    {.label = "reset", .is_dead = true},
    {.label = "close", .is_dead = true},
    {.label = "nodns", .mood = {.dns = DNS_SERVFAIL}, .is_dead = true, .no_sprinkle = true},
    {.label = "turned", .no_sprinkle = true},
    {0},
};

static const struct fault_case f53_cases[] = {
    {"e500", "/page", "a page behind 500 for robots.txt"},
    {"e503", "/page", "a page behind 503 for robots.txt"},
    {"e429", "/page", "a page behind 429 for robots.txt: fetched or not, both are right"},
    {"hold", "/page", "a page behind a robots.txt that never comes"},
    {"reset", "/page", "a page behind a reset"},
    {"close", "/page", "a page behind an empty answer"},
    {"nodns", "/page", "a page on a host whose name cannot be resolved"},
    {"turned", "/page", "a page on a host whose robots.txt came once and then fails"},
    {"turned", "/private/x", "a page that this robots.txt forbade when it came"},
    {0},
};

static const struct expect f53_expects[] = {
    {EXPECT_NEVER, "e500", "/*", 0, "robots.txt answers 500"},
    {EXPECT_NEVER, "e503", "/*", 0, "robots.txt answers 503"},
    {EXPECT_NEVER, "hold", "/*", 0, "robots.txt never comes"},
    {EXPECT_NEVER, "reset", "/*", 0, "robots.txt ends in a reset"},
    {EXPECT_NEVER, "close", "/*", 0, "robots.txt has an empty answer"},
    {EXPECT_NEVER, "nodns", "*", 0, "its name cannot be resolved"},
    {EXPECT_FETCHED, "turned", "/told/page/good", 0, "forgot the rules it knew"},
    {EXPECT_NEVER, "turned", "/private/x", 0, "the last good robots.txt forbids it"},
    {EXPECT_FETCHED, "e500", "/robots.txt", 0, "never asked for robots.txt"},
    {EXPECT_AT_MOST, "e500", "/robots.txt", TRIES, "asks for a failing robots.txt without end"},
    {EXPECT_AT_MOST, "e503", "/robots.txt", TRIES, "asks for a failing robots.txt without end"},
    {EXPECT_AT_MOST, "e429", "/robots.txt", TRIES, "asks for a failing robots.txt without end"},
    {EXPECT_AT_MOST, "e429", "/told/page/good", TRIES, "asks over and over"},
    {EXPECT_AT_MOST, "hold", "/robots.txt", TRIES, "asks for a failing robots.txt without end"},
    {EXPECT_AT_MOST, "reset", "/robots.txt", TRIES, "asks for a failing robots.txt without end"},
    {EXPECT_AT_MOST, "close", "/robots.txt", TRIES, "asks for a failing robots.txt without end"},
    {EXPECT_LEAVES, "hold", "/robots.txt", 0, "waits for ever for robots.txt"},
    {0},
};

/* F54 --------------------------------------------------------------------------------------- */

/* From hop n of `hops` to the next; the last is the file. */
static void chain_hop(const struct fault_query *q, struct reply *r, uint64_t n, uint64_t hops)
{
    char room[64];
    struct buf to = buf_on(room, sizeof room);
    buf_add(&to, STR("/hop/"));
    buf_u64(&to, n + 1);
    if (n < hops)
        tell_redirect_path(q, r, n % 2 ? 302 : 301, buf_str(&to));
    else
        tell_robots(q, r, str_c(usual_rules));
}

static void host_hop(const struct fault_query *q, struct reply *r, const char *label)
{
    char room[512];
    struct buf url = buf_on(room, sizeof room);
    fault_url(q, label, STR("/robots.txt"), &url);
    tell_redirect(q, r, 301, buf_str(&url));
}

static bool answer_moved(const struct fault_query *q, struct reply *r)
{
    bool is_hop = str_starts(q->path, STR("/hop/"));
    uint64_t n = is_hop ? number_behind(q->path, "/hop/", 0) : 0;
    if (!is_hop && !query_path_is(q, "/robots.txt"))
        return answer_case(q, r);
    if (query_label_is(q, "chain5"))
        chain_hop(q, r, n, 5);
    else if (query_label_is(q, "chain6"))
        chain_hop(q, r, n, 6);
    else if (query_label_is(q, "moved"))
        host_hop(q, r, "rules");
    else if (query_label_is(q, "gone"))
        host_hop(q, r, "lawless");
    else if (query_label_is(q, "loop"))
        tell_redirect_path(q, r, 302, is_hop ? STR("/robots.txt") : STR("/hop/1"));
    else if (query_label_is(q, "rules") && !is_hop)
        tell_robots(q, r, str_c(usual_rules));
    else
        return false;
    return true;
}

static const struct fault_host f54_hosts[] = {
    {.label = "moved", .no_sprinkle = true},  {.label = "rules", .no_sprinkle = true},
    {.label = "gone", .no_sprinkle = true},   {.label = "lawless", .no_sprinkle = true},
    {.label = "chain5", .no_sprinkle = true}, {.label = "chain6", .no_sprinkle = true},
    {.label = "loop", .no_sprinkle = true},   {0},
};

static const struct fault_case f54_cases[] = {
    {"moved", "/page", "a page whose rules stand on another host"},
    {"moved", "/private/x", "a page that those rules forbid"},
    {"rules", "/page", "a page on that other host"},
    {"rules", "/private/x", "a page that its rules forbid there as well"},
    {"gone", "/page", "a page whose rules should stand on another host and do not"},
    {"chain5", "/page", "a page whose rules are five hops away"},
    {"chain5", "/private/x", "a page that they forbid"},
    {"chain6", "/page", "a page whose rules are six hops away"},
    {"chain6", "/private/x", "a page that they would forbid"},
    {"loop", "/page", "a page whose rules are never reached"},
    {0},
};

static const struct expect f54_expects[] = {
    {EXPECT_FETCHED, "moved", "/told/page/good", 0, "lost a host over a redirect of robots.txt"},
    {EXPECT_NEVER, "moved", "/private/x", 0, "the robots.txt it redirects to forbids it"},
    {EXPECT_FETCHED, "rules", "/told/page/good", 0, "lost a host over its robots.txt"},
    {EXPECT_NEVER, "rules", "/private/x", 0, "robots.txt forbids it"},
    {EXPECT_FETCHED, "gone", "/told/page/good", 0, "took a missing target for a prohibition"},
    {EXPECT_FETCHED, "chain5", "/told/page/good", 0,
     "lost a host over five hops to its robots.txt"},
    {EXPECT_NEVER, "chain5", "/private/x", 0, "a robots.txt five hops away forbids it"},
    {EXPECT_FETCHED, "chain6", "/told/page/good", 0, "lost a host over six hops to its robots.txt"},
    {EXPECT_AT_MOST, "loop", "/robots.txt", HOPS, "goes round in circles"},
    {EXPECT_AT_MOST, "loop", "/hop/*", HOPS, "goes round in circles"},
    {EXPECT_AT_MOST, "chain6", "/hop/*", HOPS, "goes round in circles"},
    {EXPECT_AT_MOST, "chain5", "/hop/*", HOPS, "goes round in circles"},
    {EXPECT_AT_MOST, "lawless", "/robots.txt", TRIES, "asks over and over"},
    {0},
};

/* F55 to F61 ---------------------------------------------------------------------------------- */

static bool answer_body(const struct fault_query *q, struct reply *r)
{
    if (!query_path_is(q, "/robots.txt"))
        return answer_case(q, r);
    return robots_body_answer(q, r);
}

static const struct fault_host f55_hosts[] = {
    {.label = "k600", .no_sprinkle = true},
    {.label = "m50", .no_sprinkle = true},
    {.label = "endless", .no_sprinkle = true},
    {0},
};

static const struct fault_case f55_cases[] = {
    {"k600", "/page", "a page behind a robots.txt of 600 KB"},
    {"k600", "/early/x", "a page that its beginning forbids"},
    {"k600", "/some", "a page that half a line would forbid"},
    {"k600", "/late/x", "a page that its end forbids"},
    {"m50", "/page", "a page behind a robots.txt of 50 MB"},
    {"m50", "/early/x", "a page that its beginning forbids"},
    {"m50", "/some", "a page that half a line would forbid"},
    {"m50", "/late/x", "a page that its end forbids"},
    {"endless", "/page", "a page behind a robots.txt of no end"},
    {"endless", "/early/x", "a page that its beginning forbids"},
    {"endless", "/some", "a page that half a line would forbid"},
    {"endless", "/late/x", "a page that its end forbids"},
    {0},
};

static const struct expect f55_expects[] = {
    {EXPECT_FETCHED, "k600", "/told/page/good", 0, "lost a host over a long robots.txt"},
    {EXPECT_FETCHED, "k600", "/some", 0, "took a line that was cut for a whole one"},
    {EXPECT_NEVER, "k600", "/early/x", 0, "robots.txt forbids it in its first 500 KiB"},
    {EXPECT_FETCHED, "m50", "/told/page/good", 0, "lost a host over a long robots.txt"},
    {EXPECT_FETCHED, "m50", "/some", 0, "took a line that was cut for a whole one"},
    {EXPECT_NEVER, "m50", "/early/x", 0, "robots.txt forbids it in its first 500 KiB"},
    {EXPECT_FETCHED, "endless", "/told/page/good", 0, "lost a host over a long robots.txt"},
    {EXPECT_FETCHED, "endless", "/some", 0, "took a line that was cut for a whole one"},
    {EXPECT_NEVER, "endless", "/early/x", 0, "robots.txt forbids it in its first 500 KiB"},
    {EXPECT_BYTES, "endless", "/robots.txt", 0, "reads a robots.txt without end"},
    {EXPECT_AT_MOST, "endless", "/robots.txt", TRIES,
     "reads a robots.txt without end, again and again"},
    {0},
};

static const struct fault_host f56_hosts[] = {
    {.label = "html", .no_sprinkle = true},
    {.label = "image", .no_sprinkle = true},
    {0},
};

static const struct fault_case f56_cases[] = {
    {"html", "/page", "a page behind HTML where robots.txt should be"},
    {"image", "/page", "a page behind an image where robots.txt should be"},
    {0},
};

static const struct expect f56_expects[] = {
    {EXPECT_FETCHED, "html", "/told/page/good", 0, "took an HTML page for rules"},
    {EXPECT_FETCHED, "image", "/told/page/good", 0, "took an image for rules"},
    {0},
};

static const struct fault_host f57_hosts[] = {
    {.label = "bom", .no_sprinkle = true},
    {.label = "utf16", .no_sprinkle = true},
    {.label = "cr", .no_sprinkle = true},
    {.label = "crlf", .no_sprinkle = true},
    {.label = "nul", .no_sprinkle = true},
    {.label = "latin1", .no_sprinkle = true},
    {0},
};

static const struct fault_case f57_cases[] = {
    {"bom", "/page", "a page behind a robots.txt with a UTF-8 byte order mark"},
    {"bom", "/private/x", "a page that it forbids"},
    {"utf16", "/page", "a page behind a robots.txt with UTF-16"},
    {"utf16", "/private/x", "a page that it forbids"},
    {"cr", "/page", "a page behind a robots.txt with CR as line end"},
    {"cr", "/private/x", "a page that it forbids"},
    {"crlf", "/page", "a page behind a robots.txt with CR LF as line end"},
    {"crlf", "/private/x", "a page that it forbids"},
    {"nul", "/page", "a page behind a robots.txt with a NUL"},
    {"nul", "/private/x", "a page that it forbids"},
    {"latin1", "/page", "a page behind a robots.txt with Latin-1"},
    {"latin1", "/private/x", "a page that it forbids"},
    {0},
};

static const struct expect f57_expects[] = {
    {EXPECT_FETCHED, "bom", "/told/page/good", 0,
     "lost a host over a robots.txt with a UTF-8 byte order mark"},
    {EXPECT_NEVER, "bom", "/private/x", 0, "robots.txt forbids it"},
    {EXPECT_FETCHED, "utf16", "/told/page/good", 0, "lost a host over a robots.txt with UTF-16"},
    {EXPECT_FETCHED, "cr", "/told/page/good", 0,
     "lost a host over a robots.txt with CR as line end"},
    {EXPECT_NEVER, "cr", "/private/x", 0, "robots.txt forbids it"},
    {EXPECT_FETCHED, "crlf", "/told/page/good", 0,
     "lost a host over a robots.txt with CR LF as line end"},
    {EXPECT_NEVER, "crlf", "/private/x", 0, "robots.txt forbids it"},
    {EXPECT_FETCHED, "nul", "/told/page/good", 0, "lost a host over a robots.txt with a NUL"},
    {EXPECT_NEVER, "nul", "/private/x", 0, "robots.txt forbids it"},
    {EXPECT_FETCHED, "latin1", "/told/page/good", 0, "lost a host over a robots.txt with Latin-1"},
    {EXPECT_NEVER, "latin1", "/private/x", 0, "robots.txt forbids it"},
    {0},
};

static const struct fault_host f58_hosts[] = {
    {.label = "longline", .no_sprinkle = true},
    {.label = "rules", .no_sprinkle = true},
    {.label = "stars", .no_sprinkle = true},
    {.label = "dollar", .no_sprinkle = true},
    {0},
};

static const struct fault_case f58_cases[] = {
    {"longline", "/page", "a page behind a robots.txt with a line of 20,000 bytes"},
    {"longline", "/private/x", "a page that the line behind it forbids"},
    {"rules", "/page", "a page behind 100,000 rules"},
    {"rules", "/private/x", "a page that the first of them forbids"},
    {"rules", "/d/000099/x", "a page that the hundredth forbids"},
    {"rules", "/d/099999/x", "a page that the last forbids"},
    {"stars", "/page", "a page behind rules full of stars"},
    {"stars", "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "a page that takes a careless matcher years"},
    {"stars", "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "the same, and forbidden"},
    {"stars", "/private/x", "a page forbidden by stars that mean nothing"},
    {"dollar", "/mid", "a page that a dollar inside a rule does not forbid"},
    {"dollar", "/mid$dle", "a page that it may forbid"},
    {"dollar", "/x.cgi", "a page forbidden by its end"},
    {"dollar", "/x.cgi?y=1", "a page that ends otherwise"},
    {0},
};

static const struct expect f58_expects[] = {
    {EXPECT_FETCHED, "longline", "/told/page/good", 0, "lost a host over a long line"},
    {EXPECT_NEVER, "longline", "/private/x", 0, "robots.txt forbids it behind a long line"},
    {EXPECT_FETCHED, "rules", "/told/page/good", 0, "lost a host over many rules"},
    {EXPECT_NEVER, "rules", "/private/x", 0, "robots.txt forbids it"},
    {EXPECT_NEVER, "rules", "/d/000099/x", 0, "robots.txt forbids it"},
    {EXPECT_FETCHED, "stars", "/page", 0, "lost a host over many stars"},
    {EXPECT_FETCHED, "stars", "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0,
     "gave up on a pattern with many stars"},
    {EXPECT_NEVER, "stars", "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", 0,
     "robots.txt forbids it"},
    {EXPECT_FETCHED, "stars", "/told/page/good", 0, "did not read an allowed page"},
    {EXPECT_NEVER, "stars", "/private/x", 0, "robots.txt forbids it"},
    {EXPECT_FETCHED, "dollar", "/mid", 0, "took a dollar inside a rule for its end"},
    {EXPECT_FETCHED, "dollar", "/x.cgi?y=1", 0, "took a dollar at the end for nothing"},
    {EXPECT_FETCHED, "dollar", "/told/page/good", 0, "did not read an allowed page"},
    {EXPECT_NEVER, "dollar", "/x.cgi", 0, "robots.txt forbids it"},
    {0},
};

static const struct fault_host f59_hosts[] = {
    {.label = "typo", .no_sprinkle = true},    {.label = "nocolon", .no_sprinkle = true},
    {.label = "merged", .no_sprinkle = true},  {.label = "empty", .no_sprinkle = true},
    {.label = "longest", .no_sprinkle = true}, {0},
};

static const struct fault_case f59_cases[] = {
    {"typo", "/page", "a page behind a misspelt rule"},
    {"typo", "/typo/x", "a page that the misspelt rule names"},
    {"typo", "/private/x", "a page that the next rule forbids"},
    {"nocolon", "/page", "a page behind a rule without a colon"},
    {"nocolon", "/nocolon/x", "a page that this rule names"},
    {"nocolon", "/private/x", "a page that the next rule forbids"},
    {"merged", "/page", "a page forbidden to somebody else"},
    {"merged", "/one/x", "a page that the first group for all forbids"},
    {"merged", "/two/x", "a page that the second group for all forbids"},
    {"empty", "/page", "a page behind an empty Disallow"},
    {"longest", "/private/x", "a page forbidden in odd spelling"},
    {"longest", "/private/open", "a page that a longer rule allows"},
    {0},
};

static const struct expect f59_expects[] = {
    {EXPECT_FETCHED, "typo", "/told/page/good", 0, "lost a host over a misspelt rule"},
    {EXPECT_NEVER, "typo", "/private/x", 0, "robots.txt forbids it"},
    {EXPECT_FETCHED, "nocolon", "/told/page/good", 0, "lost a host over a rule without a colon"},
    {EXPECT_NEVER, "nocolon", "/private/x", 0, "robots.txt forbids it"},
    {EXPECT_FETCHED, "merged", "/told/page/good", 0, "obeys rules for somebody else"},
    {EXPECT_NEVER, "merged", "/one/x", 0, "the first group for all forbids it"},
    {EXPECT_NEVER, "merged", "/two/x", 0, "the second group for all forbids it"},
    {EXPECT_FETCHED, "empty", "/told/page/good", 0, "took an empty Disallow for a prohibition"},
    {EXPECT_FETCHED, "longest", "/private/open", 0, "does not let the longest rule win"},
    {EXPECT_FETCHED, "longest", "/told/page/good", 0, "did not read an allowed page"},
    {EXPECT_NEVER, "longest", "/private/x", 0, "robots.txt forbids it"},
    {0},
};

static const struct fault_host f60_hosts[] = {
    {.label = "fifth", .no_sprinkle = true},   {.label = "hour", .no_sprinkle = true},
    {.label = "decades", .no_sprinkle = true}, {.label = "negative", .no_sprinkle = true},
    {.label = "word", .no_sprinkle = true},    {0},
};

static const struct fault_case f60_cases[] = {
    {"fifth", "/page/1", "page 1 behind a Crawl-delay of 0.2"},
    {"fifth", "/page/2", "page 2 behind a Crawl-delay of 0.2"},
    {"fifth", "/page/3", "page 3 behind a Crawl-delay of 0.2"},
    {"hour", "/page/1", "page 1 behind a Crawl-delay of 3600"},
    {"hour", "/page/2", "page 2 behind a Crawl-delay of 3600"},
    {"hour", "/page/3", "page 3 behind a Crawl-delay of 3600"},
    {"decades", "/page/1", "page 1 behind a Crawl-delay of 1000000000"},
    {"decades", "/page/2", "page 2 behind a Crawl-delay of 1000000000"},
    {"decades", "/page/3", "page 3 behind a Crawl-delay of 1000000000"},
    {"negative", "/page/1", "page 1 behind a Crawl-delay of -1"},
    {"negative", "/page/2", "page 2 behind a Crawl-delay of -1"},
    {"negative", "/page/3", "page 3 behind a Crawl-delay of -1"},
    {"word", "/page/1", "page 1 behind a Crawl-delay of a word"},
    {"word", "/page/2", "page 2 behind a Crawl-delay of a word"},
    {"word", "/page/3", "page 3 behind a Crawl-delay of a word"},
    {0},
};

static const struct expect f60_expects[] = {
    {EXPECT_GAP, "fifth", "/page/*", FIFTH_MS,
     "asked again before a Crawl-delay of 0.2 s was over"},
    {EXPECT_GAP, "hour", "/page/*", CLAMPED_MS, "takes a long Crawl-delay for none"},
    {EXPECT_GAP, "decades", "/page/*", CLAMPED_MS, "takes a huge Crawl-delay for none"},
    {EXPECT_AT_MOST, "hour", "/told/page/good", 5, "asks over and over"},
    {EXPECT_AT_MOST, "decades", "/told/page/good", 5, "asks over and over"},
    {EXPECT_FETCHED, "fifth", "/told/page/good", 0, "did not read an allowed page"},
    {EXPECT_FETCHED, "negative", "/told/page/good", 0, "did not read an allowed page"},
    {EXPECT_FETCHED, "word", "/told/page/good", 0, "did not read an allowed page"},
    {EXPECT_FETCHED, "fifth", "/page/1", 0, "lost a host over a short Crawl-delay"},
    {EXPECT_FETCHED, "fifth", "/page/2", 0, "lost a host over a short Crawl-delay"},
    {EXPECT_FETCHED, "fifth", "/page/3", 0, "lost a host over a short Crawl-delay"},
    {EXPECT_FETCHED, "negative", "/page/1", 0, "lost a host over a negative Crawl-delay"},
    {EXPECT_FETCHED, "negative", "/page/2", 0, "lost a host over a negative Crawl-delay"},
    {EXPECT_FETCHED, "negative", "/page/3", 0, "lost a host over a negative Crawl-delay"},
    {EXPECT_FETCHED, "word", "/page/1", 0, "lost a host over a Crawl-delay that is no number"},
    {EXPECT_FETCHED, "word", "/page/2", 0, "lost a host over a Crawl-delay that is no number"},
    {EXPECT_FETCHED, "word", "/page/3", 0, "lost a host over a Crawl-delay that is no number"},
    {0},
};

static const struct fault_host f61_hosts[] = {
    {.label = "closing", .no_sprinkle = true},
    {.label = "opening", .no_sprinkle = true},
    {0},
};

static const struct fault_case f61_cases[] = {
    {"closing", "/page", "a page that is always allowed"},
    {"closing", "/queued/1", "a page that the second robots.txt forbids"},
    {"closing", "/queued/2", "a page that the second robots.txt forbids"},
    {"closing", "/queued/3", "a page that the second robots.txt forbids"},
    {"closing", "/queued/4", "a page that the second robots.txt forbids"},
    {"closing", "/queued/5", "a page that the second robots.txt forbids"},
    {"closing", "/queued/6", "a page that the second robots.txt forbids"},
    {"closing", "/closed/x", "a page that both forbid"},
    {"opening", "/page", "a page that is always allowed"},
    {"opening", "/later/x", "a page that only the first robots.txt forbids"},
    {"opening", "/closed/x", "a page that both forbid"},
    {0},
};

static const struct expect f61_expects[] = {
    {EXPECT_FETCHED, "closing", "/told/page/good", 0, "never asked"},
    {EXPECT_NEVER, "closing", "/closed/x", 0, "robots.txt forbids it"},
    {EXPECT_NEVER_AFTER, "closing", "/queued/*", 2, "went on by rules that no longer held"},
    {EXPECT_FETCHED, "opening", "/told/page/good", 0, "never asked"},
    {EXPECT_NEVER, "opening", "/closed/x", 0, "robots.txt forbids it"},
    {EXPECT_AT_MOST, "closing", "/robots.txt", RENEWALS, "asks for robots.txt without end"},
    {EXPECT_AT_MOST, "opening", "/robots.txt", RENEWALS, "asks for robots.txt without end"},
    {0},
};

const struct fault faults_robots[] = {
    {
        .id = "F52",
        .group = "robots",
        .does =
            "answers robots.txt with 404, 401, 403 or 410 and a text that would forbid everything",
        .wants = "there is no robots.txt and everything is allowed, also for 401 and 403; the text "
                 "of an error is not read, no credentials are sent",
        .hosts = f52_hosts,
        .cases = f52_cases,
        .expects = f52_expects,
        .answer = answer_without,
    },
    {
        .id = "F53",
        .group = "robots",
        .does =
            "answers robots.txt with 500, 503 or 429, never, with a reset, with nothing, or has "
            "no address; once well and then with 503 ever after",
        .wants =
            "nothing of the host is fetched, robots.txt is asked for again later; rules that "
            "were known go on to hold. Ours: after 30 days of failure it counts as missing; 429 "
            "is such a failure too, though it may be taken for one of F52",
        .hosts = f53_hosts,
        .cases = f53_cases,
        .expects = f53_expects,
        .answer = answer_failing,
    },
    {
        .id = "F54",
        .group = "robots",
        .does = "redirects robots.txt to another host, to one that has none, over five hops, over "
                "six, and in a loop",
        .wants = "five hops are followed, and what is found holds for the host first asked; what "
                 "is farther away may be followed or not. Ours: beyond five hops, and in a loop, "
                 "there is no robots.txt and everything is allowed",
        .hosts = f54_hosts,
        .cases = f54_cases,
        .expects = f54_expects,
        .answer = answer_moved,
    },
    {
        .id = "F55",
        .group = "robots",
        .does =
            "sends a robots.txt of 600 KB, of 50 MB (times --fault-scale) and without end: one "
            "rule stands at the start, one is cut by the limit of 500 KiB, one stands behind it",
        .wants = "at least 500 KiB are read and obeyed, a line that the limit cuts is left out; "
                 "ours: exactly 500 KiB, what is behind them is allowed",
        .hosts = f55_hosts,
        .cases = f55_cases,
        .expects = f55_expects,
        .answer = answer_body,
    },
    {
        .id = "F56",
        .group = "robots",
        .does = "sends an HTML page, or an image, as robots.txt, with 200",
        .wants = "no line is a rule, so everything is allowed",
        .hosts = f56_hosts,
        .cases = f56_cases,
        .expects = f56_expects,
        .answer = answer_body,
    },
    {
        .id = "F57",
        .group = "robots",
        .does = "writes robots.txt with a UTF-8 byte order mark, in UTF-16, with CR or CR LF as "
                "line end, with a NUL in a line, with Latin-1",
        .wants =
            "the mark is skipped, all three line ends count, a bad line is skipped alone. Ours: "
            "UTF-16 is not decoded, so no line of it is a rule and everything is allowed",
        .hosts = f57_hosts,
        .cases = f57_cases,
        .expects = f57_expects,
        .answer = answer_body,
    },
    {
        .id = "F58",
        .group = "robots",
        .does = "writes robots.txt with a line of 20,000 bytes and a comment of 100 KB, with "
                "100,000 rules (times --fault-scale), with 24 stars in a rule, with a dollar in "
                "the middle of one",
        .wants = "matched in linear time; a long line spoils nothing behind it; a dollar means the "
                 "end only at the end of a rule. Ours: a dollar elsewhere is a dollar",
        .hosts = f58_hosts,
        .cases = f58_cases,
        .expects = f58_expects,
        .answer = answer_body,
    },
    {
        .id = "F59",
        .group = "robots",
        .does = "writes robots.txt with Dissallow, with a rule without a colon, with two groups "
                "for all, with an empty Disallow, in odd spelling with an Allow inside a Disallow",
        .wants = "two groups for the same agent are one, an empty Disallow forbids nothing, keys "
                 "are read in any case, the longest rule wins. Ours: the usual typos are "
                 "understood, and a line of two words needs no colon",
        .hosts = f59_hosts,
        .cases = f59_cases,
        .expects = f59_expects,
        .answer = answer_body,
    },
    {
        .id = "F60",
        .group = "robots",
        .does = "asks for a Crawl-delay of 0.2, 3600, 1000000000, -1 and a word",
        .wants = "clamped between the crawler's least and longest delay, what is no number is "
                 "ignored; a huge value does not freeze the host in silence. Judged at 100 ms for "
                 "0.2 and at 500 ms for the long ones",
        .hosts = f60_hosts,
        .cases = f60_cases,
        .expects = f60_expects,
        .answer = answer_body,
    },
    {
        .id = "F61",
        .group = "robots",
        .does = "forbids more, or less, in robots.txt from the second time it is asked for",
        .wants = "asked for again when it is 24 h old; what it then forbids is not fetched, though "
                 "it was queued before",
        .hosts = f61_hosts,
        .cases = f61_cases,
        .expects = f61_expects,
        .answer = answer_body,
    },
    {0},
};
