/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_robots.h"
#include "lib/test.h"

#define DAY_MS (INT64_C(24) * 3600 * 1000)
#define WALL_MS (INT64_C(20000) * DAY_MS)

static const struct host_turn_settings usual = {.robots_fresh_ms = (uint64_t)DAY_MS,
                                                .robots_again_ms = 300000};

static struct host_request open_request(void)
{
    struct host_request r = {.record = host_record_open(), .path = STR("/a"), .port = 8080};
    assert_non_null(r.record);
    return r;
}

static void learn(const struct host_request *r, int status, const char *body, int64_t wall_ms)
{
    struct robots *rules = NULL;
    enum robots_status_meaning meaning = host_robots_meaning(r, status, false);
    if (meaning == ROBOTS_USE_BODY)
        assert_rc(robots_parse(str_c(body), STR("orbweaver"), &rules), RC_OK);
    assert_rc(host_robots_learn(r, meaning, rules, wall_ms), RC_OK);
}

#define FORBIDS_A "User-agent: *\nDisallow: /a\n"

static void rules_are_used_for_a_day(void **state)
{
    (void)state;
    struct host_request r = open_request();
    struct host_turn_settings ignoring = usual;
    ignoring.ignore_robots = true;
    assert_true(host_robots_is_due(&r, &usual, WALL_MS));
    assert_false(host_robots_is_due(&r, &ignoring, WALL_MS));
    learn(&r, 200, FORBIDS_A, WALL_MS);
    assert_false(host_robots_is_due(&r, &usual, WALL_MS));
    assert_false(host_robots_is_due(&r, &usual, WALL_MS + DAY_MS));
    assert_true(host_robots_is_due(&r, &usual, WALL_MS + DAY_MS + 1));
    assert_true(host_robots_is_due(&r, &usual, WALL_MS - 1)); /* the clock was set back */
    host_record_close(r.record);
}

static void a_robots_txt_that_fails_is_asked_for_again_soon(void **state)
{
    (void)state;
    struct host_request r = open_request();
    learn(&r, 503, NULL, WALL_MS); /* never had: at once, at the pace of the host */
    assert_true(host_robots_is_due(&r, &usual, WALL_MS));
    learn(&r, 200, FORBIDS_A, WALL_MS);
    learn(&r, 503, NULL, WALL_MS + 5);
    assert_false(host_robots_is_due(&r, &usual, WALL_MS + 5 + 300000));
    assert_true(host_robots_is_due(&r, &usual, WALL_MS + 5 + 300001));
    host_record_close(r.record);
}

static void the_rules_of_the_origin_decide(void **state)
{
    (void)state;
    struct host_request r = open_request(), other = r;
    other.is_https = true;
    assert_int_equal(host_robots_check(&r, STR("/b")), FETCH_NO_ROBOTS);
    learn(&r, 200, FORBIDS_A, WALL_MS);
    assert_int_equal(host_robots_check(&r, STR("/a?q")), FETCH_ROBOTS);
    assert_int_equal(host_robots_check(&r, STR("/b")), 0);
    assert_int_equal(host_robots_check(&other, STR("/b")), FETCH_NO_ROBOTS);
    learn(&other, 500, NULL, WALL_MS); /* known to fail: still no rules */
    assert_int_equal(host_robots_check(&other, STR("/b")), FETCH_NO_ROBOTS);
    host_record_close(r.record);
}

static const struct {
    const char *name;
    int status;
    bool is_had, is_allowed; /* /a, which was forbidden before */
} answers[] = {
    {"there is none", 404, true, true},
    {"a redirect that is not followed", 301, true, true},
    {"not modified", 304, true, false},
    {"a server that fails", 500, false, false},
    {"a server that is busy", 429, false, false},
    {"no answer", 0, false, false},
};

static void each_answer_has_its_meaning(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct host_request r = open_request();
        learn(&r, 200, FORBIDS_A, WALL_MS);
        learn(&r, answers[i].status, NULL, WALL_MS + 9);
        const struct host_robots *known = host_robots_of(r.record, false, 8080);
        bool is_had = known->had_wall_ms == WALL_MS + 9;
        if (known->asked_wall_ms != WALL_MS + 9 || is_had != answers[i].is_had ||
            known->is_failing == is_had ||
            (host_robots_check(&r, STR("/a")) == 0) != answers[i].is_allowed)
            fail_msg("%s", answers[i].name);
        host_record_close(r.record);
    }
}

static void a_304_without_rules_is_no_answer(void **state)
{
    (void)state;
    struct host_request r = open_request();
    assert_int_equal(host_robots_meaning(&r, 304, false), ROBOTS_RETRY);
    learn(&r, 500, NULL, WALL_MS);
    assert_int_equal(host_robots_meaning(&r, 304, false), ROBOTS_RETRY);
    learn(&r, 404, NULL, WALL_MS);
    assert_int_equal(host_robots_meaning(&r, 304, false), ROBOTS_UNCHANGED);
    host_record_close(r.record);
}

static void rules_hold_for_thirty_days_while_robots_txt_fails(void **state)
{
    (void)state;
    struct host_request r = open_request();
    learn(&r, 200, FORBIDS_A, WALL_MS);
    learn(&r, 500, NULL, WALL_MS + 30 * DAY_MS);
    assert_int_equal(host_robots_check(&r, STR("/a")), FETCH_ROBOTS);
    learn(&r, 500, NULL, WALL_MS + 30 * DAY_MS + 1);
    assert_int_equal(host_robots_check(&r, STR("/a")), 0);
    host_record_close(r.record);
    r = open_request(); /* what was never had is not given up so */
    learn(&r, 500, NULL, WALL_MS);
    learn(&r, 500, NULL, WALL_MS + 60 * DAY_MS);
    assert_int_equal(host_robots_check(&r, STR("/a")), FETCH_NO_ROBOTS);
    host_record_close(r.record);
}

static void five_redirects_are_followed_each_after_the_delay(void **state)
{
    (void)state;
    struct pace_settings s = {.delay_ms = 700, .delay_most_ms = 30000};
    struct host_record *record = host_record_open();
    assert_true(host_robots_follows(0) && host_robots_follows(4) && !host_robots_follows(5));
    assert_int_equal(host_robots_hop_ms(record, &s), 701);
    struct robots *rules = NULL;
    assert_rc(robots_parse(STR("User-agent: *\nCrawl-delay: 4\n"), STR("orbweaver"), &rules),
              RC_OK);
    assert_rc(host_record_set_robots(record, false, 0, rules, false, 1), RC_OK);
    assert_int_equal(host_robots_hop_ms(record, &s), 4001);
    host_record_close(record);
}

static enum rc learn_steps(void *ctx)
{
    (void)ctx;
    struct host_record *c = host_record_open();
    struct robots *rules = NULL;
    if (!c)
        return RC_NOMEM;
    struct host_request r = {.record = c};
    enum rc rc = robots_parse(STR(FORBIDS_A), STR("orbweaver"), &rules);
    if (rc == RC_OK)
        rc = host_robots_learn(&r, ROBOTS_USE_BODY, rules, WALL_MS);
    host_record_close(c);
    return rc;
}

static void without_memory_nothing_leaks(void **state)
{
    (void)state;
    test_each_allocation_fails(learn_steps, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_used_for_a_day),
        cmocka_unit_test(a_robots_txt_that_fails_is_asked_for_again_soon),
        cmocka_unit_test(the_rules_of_the_origin_decide),
        cmocka_unit_test(each_answer_has_its_meaning),
        cmocka_unit_test(a_304_without_rules_is_no_answer),
        cmocka_unit_test(rules_hold_for_thirty_days_while_robots_txt_fails),
        cmocka_unit_test(five_redirects_are_followed_each_after_the_delay),
        cmocka_unit_test(without_memory_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
