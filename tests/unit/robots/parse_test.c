/* SPDX-License-Identifier: Apache-2.0 */
/* Which groups, lines, delays and sitemaps of a file concern an agent. */
#include "robots/robots.h"

#include "lib/test.h"

struct row {
    const char *name, *body, *agent, *path;
    bool allowed;
    unsigned line; /* that decides */
};

static const struct row rows[] = {
    {"no file, no rule", "", "a", "/x", true, 0},
    {"a rule for all agents", "User-agent: *\nDisallow: /x", "a", "/x", false, 2},
    {"a group for the agent hides the one for all",
     "User-agent: *\nDisallow: /\nUser-agent: a\nDisallow: /y", "a", "/x", true, 0},
    {"an empty group of one's own hides it too", "User-agent: *\nDisallow: /\n\nUser-agent: a\n",
     "a", "/x", true, 0},
    {"groups of the same agent are merged",
     "User-agent: a\nDisallow: /x\nUser-agent: b\nDisallow: /\nUser-agent: a\nDisallow: /y", "a",
     "/y", false, 6},
    {"groups for all agents are merged",
     "User-agent: *\nDisallow: /x\nUser-agent: b\nDisallow: /\nUser-agent: *\nDisallow: /y", "a",
     "/y", false, 6},
    {"several agents share a group", "User-agent: b\nUser-agent: a\nDisallow: /x", "a", "/x", false,
     3},
    {"an empty line ends no group", "User-agent: a\n\nDisallow: /x", "a", "/x", false, 3},
    {"an unknown key ends no group", "User-agent: a\nFoo: bar\nUser-agent: b\nDisallow: /x", "a",
     "/x", false, 4},
    {"a sitemap ends no group", "User-agent: a\nSitemap: s\nDisallow: /x", "a", "/x", false, 3},
    {"rules before any agent concern no agent", "Disallow: /\nUser-agent: a\nDisallow: /x", "a",
     "/y", true, 0},
    {"even in a file without agents", "Disallow: /", "a", "/y", true, 0},
    {"agents in either case", "USER-AGENT: OrbWeaver\nDISALLOW: /", "orbweaver", "/", false, 2},
    {"a version behind the agent", "User-agent: a/1.0\nDisallow: /", "a", "/", false, 2},
    {"words behind the agent", "User-agent: a bot\nDisallow: /", "a", "/", false, 2},
    {"another agent that begins the same", "User-agent: ab\nDisallow: /", "a", "/", true, 0},
    {"the agent itself is not cut", "User-agent: a\nDisallow: /", "a bot", "/", true, 0},
    {"an agent with a digit in its name", "User-agent: a1\nDisallow: /", "a1", "/", false, 2},
    {"the star with something behind it", "User-agent: *<br>\nDisallow: /", "a", "/", false, 2},
    {"a star inside a name is no star", "User-agent: *a\nDisallow: /", "a", "/", true, 0},
    {"the agent * has no group of its own", "User-agent: b\nDisallow: /", "*", "/", true, 0},
    {"no agent at all", "User-agent: \nDisallow: /", "", "/", true, 0},
    {"a byte order mark", "\xef\xbb\xbfUser-agent: a\nDisallow: /", "a", "/", false, 2},
    {"half a byte order mark", "\xef\xbbUser-agent: a\nDisallow: /", "a", "/", false, 2},
    {"what is no byte order mark spoils its line", "\xef\xbfUser-agent: a\nDisallow: /", "a", "/",
     true, 0},
    {"CR alone", "User-agent: a\rDisallow: /", "a", "/", false, 2},
    {"CR LF", "User-agent: a\r\nDisallow: /\r\n", "a", "/", false, 2},
    {"LF CR counts as two", "User-agent: a\n\rDisallow: /", "a", "/", false, 3},
    {"white space everywhere", " \t User-agent \t : \t a \t \n\t Disallow\t:/x y ", "a", "/x%20y",
     false, 2},
    {"a comment behind a rule", "User-agent: a # me\nDisallow: /x#y", "a", "/x", false, 2},
    {"a comment in front of a rule", "User-agent: a\n#Disallow: /x", "a", "/x", true, 0},
    {"two words without a colon", "User-agent a\nDisallow /x", "a", "/x", false, 2},
    {"three words without a colon are none", "User-agent: a\nDisallow /x y", "a", "/x", true, 0},
    {"useragent", "Useragent: a\nDisallow: /", "a", "/", false, 2},
    {"user agent", "User Agent: a\nDisallow: /", "a", "/", false, 2},
    {"dissallow", "User-agent: a\nDissallow: /", "a", "/", false, 2},
    {"dissalow", "User-agent: a\nDissalow: /", "a", "/", false, 2},
    {"disalow", "User-agent: a\nDisalow: /", "a", "/", false, 2},
    {"diasllow", "User-agent: a\nDiasllow: /", "a", "/", false, 2},
    {"disallaw", "User-agent: a\nDisallaw: /", "a", "/", false, 2},
    {"an empty disallow forbids nothing", "User-agent: a\nDisallow:", "a", "/", true, 0},
    {"an empty allow is no rule either", "User-agent: a\nDisallow: /\nAllow:", "a", "/x", false, 2},
    {"an empty disallow still closes the agents",
     "User-agent: a\nDisallow:\nUser-agent: b\n"
     "Disallow: /",
     "a", "/", true, 0},
    {"host and clean-param are passed over",
     "User-agent: a\nHost: x\nClean-param: y /\nDisallow: /", "a", "/", false, 4},
    {"a page of HTML forbids nothing", "<html><body>Disallow everything: /</body></html>", "a", "/",
     true, 0},
};

static void test_groups_and_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct robots *r;
        assert_rc(robots_parse(str_c(rows[i].body), str_c(rows[i].agent), &r), RC_OK);
        struct robots_verdict v = robots_check(r, str_c(rows[i].path));
        if (v.allowed != rows[i].allowed || v.line != rows[i].line)
            fail_msg("%s: allowed %d by line %u", rows[i].name, v.allowed, v.line);
        robots_free(r);
    }
}

static struct robots_verdict check(struct str body, struct str path)
{
    struct robots *r;
    assert_rc(robots_parse(body, STR("a"), &r), RC_OK);
    struct robots_verdict v = robots_check(r, path);
    v.rule = STR_NONE;
    robots_free(r);
    return v;
}

static void test_nul_ends_its_line(void **state)
{
    (void)state;
    struct str body = STR("User-agent: a\0b\nDisallow: /x\0yz\nDisallow: /w");
    assert_int_equal(check(body, STR("/x")).line, 2);
    assert_int_equal(check(body, STR("/w")).line, 3);
    assert_true(check(STR("\0\0\0"), STR("/")).allowed);
}

/* A file that its limit cuts inside "Disallow: /private" must not come to forbid "/". */
static void test_line_cut_by_the_limit_is_left_out(void **state)
{
    (void)state;
    struct buf body;
    buf_init(&body, 1 << 20);
    buf_add(&body, STR("User-agent: a\nDisallow: /x\n"));
    struct str last = STR("Disallow: /");
    while (body.n < ROBOTS_BODY_MAX - last.n)
        buf_byte(&body, body.n % 100 == 99 || body.n + 1 == ROBOTS_BODY_MAX - last.n ? '\n' : '#');
    buf_add(&body, last);
    assert_int_equal(body.n, ROBOTS_BODY_MAX);
    assert_false(check(buf_str(&body), STR("/y")).allowed);
    buf_add(&body, STR("private\nDisallow: /z\n"));
    assert_true(check(buf_str(&body), STR("/y")).allowed);
    assert_true(check(buf_str(&body), STR("/z")).allowed);
    assert_false(check(buf_str(&body), STR("/x")).allowed);
    buf_done(&body);
}

static void test_long_line_is_cut(void **state)
{
    (void)state;
    struct buf body, path;
    buf_init(&body, 1 << 20);
    buf_init(&path, 1 << 20);
    buf_add(&body, STR("User-agent: a\nDisallow: /"));
    buf_fill(&body, 'x', 20000);
    buf_add(&body, STR("\nDisallow: /after"));
    buf_byte(&path, '/');
    buf_fill(&path, 'x', ROBOTS_LINE_MAX);
    assert_int_equal(check(buf_str(&body), buf_str(&path)).line, 2);
    assert_true(check(buf_str(&body), str_first(buf_str(&path), 15000)).allowed);
    assert_int_equal(check(buf_str(&body), STR("/after")).line, 3);
    buf_done(&body);
    buf_done(&path);
}

struct delay_row {
    const char *name, *body;
    int ms; /* -1: none */
};

static const struct delay_row delay_rows[] = {
    {"seconds", "User-agent: a\nCrawl-delay: 10", 10000},
    {"a fraction", "User-agent: a\nCrawl-delay: 0.25", 250},
    {"a fraction with a comma", "User-agent: a\nCrawl-delay: 1,5", 1500},
    {"a fraction without seconds", "User-agent: a\nCrawl-delay: .5", 500},
    {"finer than a millisecond", "User-agent: a\nCrawl-delay: 0.00019", 0},
    {"a unit behind it", "User-agent: a\nCrawl-delay: 5s", 5000},
    {"zero is given", "User-agent: a\nCrawl-delay: 0", 0},
    {"a word is none", "User-agent: a\nCrawl-delay: soon", -1},
    {"nothing is none", "User-agent: a\nCrawl-delay:", -1},
    {"below zero is none", "User-agent: a\nCrawl-delay: -1", -1},
    {"no more than a day", "User-agent: a\nCrawl-delay: 99999999999999999999999", 86400000},
    {"the longest of several", "User-agent: a\nCrawl-delay: 2\nCrawl-delay: 9\nCrawl-delay: 3",
     9000},
    {"another agent's", "User-agent: b\nCrawl-delay: 2", -1},
    {"that of all agents, if none is named", "User-agent: *\nCrawl-delay: 2", 2000},
    {"not that of all agents if the agent has a group",
     "User-agent: *\nCrawl-delay: 2\nUser-agent: a\nDisallow: /x", -1},
    {"behind the rules", "User-agent: a\nDisallow: /x\nCrawl-delay: 2", 2000},
    {"a delay closes a run of agents", "User-agent: b\nCrawl-delay: 2\nUser-agent: a\nDisallow: /",
     -1},
    {"but holds for the run before it", "User-agent: a\nUser-agent: b\nCrawl-delay: 2", 2000},
    {"in a file without agents it is for all", "Crawl-delay: 7", 7000},
    {"in front of the first agent it is for none", "Crawl-delay: 7\nUser-agent: a\nDisallow: /x",
     -1},
};

static void test_delays(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof delay_rows / sizeof delay_rows[0]; i++) {
        struct robots *r;
        assert_rc(robots_parse(str_c(delay_rows[i].body), STR("a"), &r), RC_OK);
        uint32_t ms = 0;
        int got = robots_delay_ms(r, &ms) ? (int)ms : -1;
        if (got != delay_rows[i].ms)
            fail_msg("%s: %d", delay_rows[i].name, got);
        robots_free(r);
    }
}

static void test_sitemaps_of_all_groups(void **state)
{
    (void)state;
    struct robots *r;
    struct str url;
    assert_rc(robots_parse(STR("Sitemap: http://x/1\nUser-agent: b\nSITE-MAP: /2 \nSitemap:\n"
                               "Disallow: /\nsitemap /3#f"),
                           STR("a"), &r),
              RC_OK);
    assert_true(robots_sitemap(r, 0, &url));
    assert_str(url, STR("http://x/1"));
    assert_true(robots_sitemap(r, 1, &url));
    assert_str(url, STR("/2"));
    assert_true(robots_sitemap(r, 2, &url));
    assert_str(url, STR("/3"));
    assert_false(robots_sitemap(r, 3, &url));
    assert_false(robots_is_named(r));
    robots_free(r);
}

static void test_memory_is_small(void **state)
{
    (void)state;
    struct robots *r;
    assert_rc(robots_parse(STR("User-agent: *\nDisallow: /admin/\nDisallow: /search\nAllow: /\n"
                               "User-agent: b\nDisallow: /a-very-long-path-of-another-agent\n"),
                           STR("a"), &r),
              RC_OK);
    assert_true(robots_bytes(r) < 160);
    robots_free(r);
}

static enum rc parse_some(void *ctx)
{
    (void)ctx;
    struct robots *r;
    enum rc rc = robots_parse(STR("Sitemap: s\nUser-agent: a\nDisallow: /x\nAllow: /index.html\n"),
                              STR("a"), &r);
    if (rc == RC_OK)
        robots_free(r);
    return rc;
}

static void test_allocations(void **state)
{
    (void)state;
    test_each_allocation_fails(parse_some, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_and_lines),
        cmocka_unit_test(test_nul_ends_its_line),
        cmocka_unit_test(test_line_cut_by_the_limit_is_left_out),
        cmocka_unit_test(test_long_line_is_cut),
        cmocka_unit_test(test_delays),
        cmocka_unit_test(test_sitemaps_of_all_groups),
        cmocka_unit_test(test_memory_is_small),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
