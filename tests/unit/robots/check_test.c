/* SPDX-License-Identifier: Apache-2.0 */
/* Which rule decides on a path, and what a status means. */
#include "robots/robots.h"

#include "lib/test.h"

#include <stdio.h>

struct row {
    const char *name, *rules, *path; /* rules: "-/x +/x/y" are disallow and allow */
    const char *rule;                /* that decides, with its sign; NULL: none */
};

static const struct row rows[] = {
    {"a start is enough", "-/x", "/xyz/a?b", "-/x"},
    {"another start is not", "-/x", "/y", NULL},
    {"case matters", "-/X", "/x", NULL},
    {"the longest decides", "-/x +/x/y -/x/y/z", "/x/y/a", "+/x/y"},
    {"the longest decides, whatever the order", "-/x/y/z +/x/y -/x", "/x/y/z", "-/x/y/z"},
    {"allow wins a tie", "-/x +/x", "/x", "+/x"},
    {"allow wins a tie between different rules", "-/x* +/xy", "/xyz", "+/xy"},
    {"a star counts for length", "+/ -/*", "/x", "-/*"},
    {"a shorter rule decides where the longer does not match", "+/a -/abc/*.gif$", "/abc/x.png",
     "+/a"},
    {"a star in the middle", "-/a*c", "/abbbc/d", "-/a*c"},
    {"a star for nothing", "-/a*c", "/ac", "-/a*c"},
    {"a star in front", "-*.gif", "/x/y.gif?z", "-*.gif"},
    {"two stars", "-/a*b*c", "/a1c2b3", NULL},
    {"two stars that match", "-/a*b*c", "/a1b2c3", "-/a*b*c"},
    {"stars side by side", "-/a**b", "/axb", "-/a**b"},
    {"a star at the end", "-/a*", "/a", "-/a*"},
    {"only a star", "-*", "/", "-*"},
    {"a dollar is the end", "-/a$", "/a", "-/a$"},
    {"a dollar is not before more", "-/a$", "/ab", NULL},
    {"a query is more", "-/a$", "/a?b", NULL},
    {"a star and the end", "-/*.gif$", "/x.gif.gif", "-/*.gif$"},
    {"a star and not the end", "-/*.gif$", "/x.gif.png", NULL},
    {"pieces must not overlap", "-/ab*ba$", "/aba", NULL},
    {"the end need not be the first occurrence", "-/*a$", "/xaxa", "-/*a$"},
    {"a star before the dollar", "-/a*$", "/abc", "-/a*$"},
    {"a dollar in the middle is a dollar", "-/a$b", "/a$bc", "-/a%24b"},
    {"a dollar in the middle is not the end", "-/a$b", "/a", NULL},
    {"an encoded star is a star in the path", "-/a%2A", "/a*", "-/a%2A"},
    {"an encoded star is none in the rule", "-/a%2Ac", "/abc", NULL},
    {"an encoded dollar is a dollar", "-/a%24", "/a$b", "-/a%24"},
    {"octets of a letter in either form", "-/\xe3\x83\x84", "/%E3%83%84", "-/%E3%83%84"},
    {"and the other way round", "-/%e3%83%84", "/\xe3\x83\x84", "-/%E3%83%84"},
    {"hexadecimal in either case", "-/%c3%A9", "/%C3%a9", "-/%C3%A9"},
    {"a letter need not be encoded", "-/%61b", "/a%62", "-/ab"},
    {"an encoded slash is not a slash", "-/a%2Fb", "/a/b", NULL},
    {"a slash is not an encoded slash", "-/a/b", "/a%2Fb", NULL},
    {"an encoded slash is itself", "-/a%2fb", "/a%2Fb", "-/a%2Fb"},
    {"an encoded question mark begins no query", "-/a?", "/a%3F", NULL},
    {"a broken encoding is a percent sign", "-/a%zz", "/a%25zz", "-/a%25zz"},
    {"a percent sign at the end", "-/a%", "/a%", "-/a%25"},
    {"what no URL may hold is encoded", "-/a<b", "/a%3Cb", "-/a%3Cb"},
    {"a fragment is no part of the path", "-/a$", "/a#b", "-/a$"},
    {"no path is the root", "-/$", "", "-/$"},
    {"a query without a path", "-/?a", "?a", "-/?a"},
    {"a rule without a slash matches nothing", "-a", "/a", NULL},
    {"an allowed index page opens its folder", "-/ +/x/index.html", "/x/", "+/x/$"},
    {"but nothing else in it", "-/ +/x/index.html", "/x/y", "-/"},
    {"a forbidden index page does not close it", "-/x/index.html", "/x/", NULL},
    {"robots.txt is always allowed", "-/", "/robots.txt", NULL},
    {"robots.txt elsewhere is not", "-/", "/x/robots.txt", "-/"},
    {"of nested prefixes the deepest", "-/a +/a/b -/a/b/c +/a/b/c/d", "/a/b/c/x", "-/a/b/c"},
    {"a neighbour in the order is no prefix", "-/a -/ab -/abc -/abd", "/abcx", "-/abc"},
    {"back up past a neighbour", "-/a -/ab -/abc", "/abd", "-/ab"},
};

/* Makes a file of "-/x +/y" and parses it. */
static struct robots *rules_of(struct str rules)
{
    struct buf body;
    struct robots *r;
    buf_init(&body, 1 << 20);
    buf_add(&body, STR("User-agent: a\n"));
    while (rules.p) {
        struct str rule = str_take_until(&rules, ' ');
        buf_add(&body, *rule.p == '+' ? STR("Allow: ") : STR("Disallow: "));
        buf_add(&body, str_from(rule, 1));
        buf_byte(&body, '\n');
    }
    assert_rc(robots_parse(buf_str(&body), STR("a"), &r), RC_OK);
    buf_done(&body);
    return r;
}

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct robots *r = rules_of(str_c(rows[i].rules));
        struct robots_verdict v = robots_check(r, str_c(rows[i].path));
        char sign = v.allowed ? '+' : '-';
        bool right = rows[i].rule ? v.line && sign == *rows[i].rule &&
                                        str_eq(v.rule, str_c(rows[i].rule + 1))
                                  : v.line == 0 && v.allowed && !v.rule.p;
        if (!right)
            fail_msg("%s: %c" STR_FMT, rows[i].name, sign, STR_ARG(v.rule));
        robots_free(r);
    }
}

static void test_answers_without_a_file(void **state)
{
    (void)state;
    assert_true(robots_check(robots_allow_all(), STR("/x")).allowed);
    assert_false(robots_check(robots_disallow_all(), STR("/x")).allowed);
    assert_int_equal(robots_check(robots_disallow_all(), STR("/x")).line, 0);
    assert_true(robots_check(robots_disallow_all(), STR("/robots.txt")).allowed);
    robots_free(robots_allow_all());
    robots_free(robots_disallow_all());
    robots_free(NULL);
}

/* Patterns that take exponential or cubic time with backtracking. The test only has to end. */
static void test_hostile_patterns_end(void **state)
{
    (void)state;
    struct buf rules, path;
    buf_init(&rules, 1 << 20);
    buf_init(&path, 1 << 20);
    buf_add(&rules, STR("-/"));
    for (int i = 0; i < 8000; i++)
        buf_add(&rules, STR("*a"));
    buf_add(&rules, STR("b$"));
    buf_byte(&path, '/');
    buf_fill(&path, 'a', 100000);
    struct robots *r = rules_of(buf_str(&rules));
    assert_true(robots_check(r, buf_str(&path)).allowed);
    robots_free(r);
    buf_done(&rules);
    buf_done(&path);
}

/* Many rules with stars times a long path: more than ROBOTS_WORK_MAX is refused, not computed. */
static void test_too_much_work_is_forbidden(void **state)
{
    (void)state;
    struct buf rules, path;
    buf_init(&rules, 1 << 20);
    buf_init(&path, 1 << 20);
    buf_add(&rules, STR("+/*abab"));
    for (int i = 1; i < 3000; i++)
        buf_add(&rules, STR(" +/*abab"));
    buf_byte(&path, '/');
    for (int i = 0; i < 10000; i++)
        buf_add(&path, STR("abxbay")); /* all neighbours of the rule, but not the rule */
    struct robots *r = rules_of(buf_str(&rules));
    assert_true(robots_check(r, str_first(buf_str(&path), 1000)).allowed);
    struct robots_verdict v = robots_check(r, buf_str(&path));
    assert_false(v.allowed);
    assert_int_equal(v.line, 0);
    assert_null(v.rule.p);
    robots_free(r);
    buf_done(&rules);
    buf_done(&path);
}

static void test_ten_thousand_rules(void **state)
{
    (void)state;
    struct buf rules;
    buf_init(&rules, 1 << 20);
    buf_add(&rules, STR("+/"));
    for (int i = 0; i < 10000; i++)
        buf_printf(&rules, " %c/folder%d/%s", i % 3 ? '-' : '+', i, i % 5 ? "" : "*.gif$");
    struct robots *r = rules_of(buf_str(&rules));
    for (unsigned i = 0; i < 10000; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "/folder%u/x.gif", i);
        struct robots_verdict v = robots_check(r, str_c(path));
        assert_int_equal(v.line, i + 3);
        assert_int_equal(v.allowed, i % 3 == 0);
        (void)snprintf(path, sizeof path, "/folder%u/x.png", i);
        assert_int_equal(robots_check(r, str_c(path)).line, i % 5 ? i + 3 : 2);
    }
    robots_free(r);
    buf_done(&rules);
}

static void test_long_path_that_needs_encoding(void **state)
{
    (void)state;
    struct buf path;
    buf_init(&path, 1 << 20);
    buf_add(&path, STR("/<"));
    buf_fill(&path, ' ', 100000);
    struct robots *r = rules_of(STR("-/%3C%20*%20"));
    assert_false(robots_check(r, buf_str(&path)).allowed);
    robots_free(r);
    buf_done(&path);
}

static void test_statuses(void **state)
{
    (void)state;
    static const struct {
        int from, to;
        enum robots_status_meaning meaning;
    } statuses[] = {
        {200, 299, ROBOTS_USE_BODY},  {300, 300, ROBOTS_ALLOW}, {301, 303, ROBOTS_REDIRECT},
        {304, 304, ROBOTS_UNCHANGED}, {305, 306, ROBOTS_ALLOW}, {307, 308, ROBOTS_REDIRECT},
        {309, 428, ROBOTS_ALLOW},     {429, 429, ROBOTS_RETRY}, {430, 499, ROBOTS_ALLOW},
        {500, 599, ROBOTS_RETRY},     {-5, 199, ROBOTS_RETRY},  {600, 999, ROBOTS_RETRY},
    };
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        for (int s = statuses[i].from; s <= statuses[i].to; s++)
            assert_int_equal(robots_status(s), statuses[i].meaning);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_answers_without_a_file),
        cmocka_unit_test(test_hostile_patterns_end),
        cmocka_unit_test(test_too_much_work_is_forbidden),
        cmocka_unit_test(test_ten_thousand_rules),
        cmocka_unit_test(test_long_path_that_needs_encoding),
        cmocka_unit_test(test_statuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
