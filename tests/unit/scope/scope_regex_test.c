/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/scope_regex.h"

#include "lib/test.h"

static struct regex_list *opened(const struct str *patterns, size_t count)
{
    struct regex_list *l = NULL;
    struct buf why = {.max = 1000};
    struct option_list list = {patterns, count};
    assert_rc(regex_list_open(&list, "include", &l, &why), RC_OK);
    assert_int_equal(why.n, 0);
    return l;
}

static enum regex_answer ask(const char *pattern, struct str subject)
{
    struct str p = str_c(pattern);
    struct regex_list *l = opened(&p, 1);
    enum regex_answer answer = regex_list_ask(l, subject);
    regex_list_close(l);
    return answer;
}

static const struct row {
    const char *name, *pattern, *subject;
    bool matches;
} rows[] = {
    {"a pattern may match anywhere", "/docs/", "https://a.test/docs/x", true},
    {"letters have their case", "/DOCS/", "https://a.test/docs/x", false},
    {"unless the pattern says otherwise", "(?i)/DOCS/", "https://a.test/docs/x", true},
    {"an anchor is the URL's start", "^https://a\\.test/", "https://a.test/", true},
    {"and not the start of a path", "^/docs", "https://a.test/docs", false},
    {"a dollar is the URL's end", "\\.(jpg|png)$", "https://a.test/a.png", true},
    {"and nothing before it", "\\.(jpg|png)$", "https://a.test/a.png?x", false},
    {"an alternative with a look behind", "(?<!www)\\.a\\.test", "https://x.a.test/", true},
    {"a reference back", "/(\\w+)/\\1/", "https://a.test/x/x/", true},
    {"an empty pattern matches everything", "", "https://a.test/", true},
    {"bytes, not characters", "caf..$", "https://a.test/caf\xc3\xa9", true},
};

static void rows_hold(void **state)
{
    (void)state;
    struct score score = {.set = "scope/regex"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum regex_answer expected = rows[i].matches ? REGEX_SOME : REGEX_NONE;
        score_row(&score, ask(rows[i].pattern, str_c(rows[i].subject)) == expected, "%s",
                  rows[i].name);
    }
    score_end(&score, sizeof rows / sizeof *rows);
}

static void one_of_several_is_enough(void **state)
{
    (void)state;
    struct str two[] = {STR("one"), STR("two")};
    struct regex_list *l = opened(two, 2);
    assert_false(regex_list_is_empty(l));
    assert_int_equal(regex_list_ask(l, STR("a two")), REGEX_SOME);
    assert_int_equal(regex_list_ask(l, STR("three")), REGEX_NONE);
    regex_list_close(l);
    l = opened(NULL, 0);
    assert_true(regex_list_is_empty(l));
    assert_int_equal(regex_list_ask(l, STR("a")), REGEX_NONE);
    regex_list_close(l);
    regex_list_close(NULL);
}

/* Each of these would take from seconds to the age of the universe, by the interpreter and as
 * machine code, for one URL of 4 KB. (*NO_JIT) makes sure of the first; the classes at their ends
 * keep PCRE2 from seeing at once that a letter is missing. */
static void work_has_an_end(void **state)
{
    (void)state;
    static const char *const patterns[] = {
        "(a+)+$",
        "(a|aa)+$",
        "(?:a*)*[!?]$",
        "a*a*a*a*a*a*[!?]",
        "[ab]*[ac]*[ad]*[ae]*[af]*[!?]",
        "(.*)*[!?]\\1[!?]",
        "^(?:.?){3000}[!?]",
        "(?=(a+))a*\\1[!?]",
        "(?:(?:a?){50}){50}[!?]",
        "(?:a(?1)?a)?([!?])",
        "(?>a*)[!?]|(?<=a{200})[!?]|a{0,4000}[!?]",
    };
    static char subject[4096];
    memset(subject, 'a', sizeof subject);
    subject[sizeof subject - 1] = '.';
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        char slow[128];
        struct buf b = buf_on(slow, sizeof slow);
        buf_printf(&b, "(*NO_JIT)%s", patterns[i]);
        assert_non_null(buf_c(&b));
        struct str s = str_make(subject, sizeof subject);
        assert_int_not_equal(ask(patterns[i], s), REGEX_SOME);
        assert_int_not_equal(ask(slow, s), REGEX_SOME);
    }
    assert_int_equal(ask("(a+)+$", str_make(subject, sizeof subject)), REGEX_GAVE_UP);
    assert_int_equal(ask("(*NO_JIT)(a+)+$", str_make(subject, sizeof subject)), REGEX_GAVE_UP);
    assert_int_equal(ask("a*a*a*a*a*a*[!?]", str_make(subject, sizeof subject)), REGEX_GAVE_UP);
}

static void a_match_behind_one_that_gave_up_counts(void **state)
{
    (void)state;
    static char subject[200];
    memset(subject, 'a', sizeof subject);
    subject[sizeof subject - 1] = '.';
    struct str two[] = {STR("(a+)+$"), STR("\\.$")};
    struct regex_list *l = opened(two, 2);
    assert_int_equal(regex_list_ask(l, str_make(subject, sizeof subject)), REGEX_SOME);
    regex_list_close(l);
}

/* What people write is far from the limit, also for long URLs. */
static void usual_patterns_never_give_up(void **state)
{
    (void)state;
    static const char *const patterns[] = {
        "^https?://([^/]+\\.)?example\\.com/.*\\.(html?|php)$",
        "[?&](sort|order|dir|filter)=",
        ".*/tag/.*page.*",
        "/(\\d{4})/(\\d{2})/(\\d{2})/",
        "^https?://([^/]|/[^/])+$",
        "^(.)*[!?]",
        "(?i)\\.(jpe?g|png|gif|webp|svg|css|js|woff2?)(\\?|$)",
    };
    static char subject[4096];
    for (size_t i = 0; i < sizeof subject; i++)
        subject[i] = "/tag/page-12?x=1&sort"[i % 21];
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        assert_int_not_equal(ask(patterns[i], str_make(subject, sizeof subject)), REGEX_GAVE_UP);
}

static void a_wrong_pattern_is_named(void **state)
{
    (void)state;
    struct regex_list *l = NULL;
    struct buf why = {.max = 1000};
    struct str patterns[] = {STR("fine"), STR("a(b")};
    struct option_list list = {patterns, 2};
    assert_rc(regex_list_open(&list, "exclude", &l, &why), RC_INVALID);
    assert_null(l);
    assert_str(buf_str(&why), STR("exclude: 'a(b': at byte 4: missing closing parenthesis"));
    buf_clear(&why);
    patterns[1] = STR("(*UTF)a");
    assert_rc(regex_list_open(&list, "exclude", &l, &why), RC_INVALID);
    buf_done(&why);
}

static enum rc open_and_ask(void *ctx)
{
    (void)ctx;
    struct regex_list *l = NULL;
    struct buf why = {.max = 1000};
    struct str patterns[] = {STR("(a|b)+c"), STR("(*NO_JIT)(x|y)*z")};
    struct option_list list = {patterns, 2};
    enum rc rc = regex_list_open(&list, "exclude", &l, &why);
    if (rc == RC_OK && regex_list_ask(l, STR("abyz")) == REGEX_GAVE_UP)
        rc = RC_NOMEM;
    regex_list_close(l);
    buf_done(&why);
    return rc;
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    test_each_allocation_fails(open_and_ask, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold),
        cmocka_unit_test(one_of_several_is_enough),
        cmocka_unit_test(work_has_an_end),
        cmocka_unit_test(a_match_behind_one_that_gave_up_counts),
        cmocka_unit_test(usual_patterns_never_give_up),
        cmocka_unit_test(a_wrong_pattern_is_named),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
