/* SPDX-License-Identifier: Apache-2.0 */
/* Turns of a host: of its own URLs, and of guests. */
#include "host/host_guest.h"
#include "host/host_turn.h"
#include "lib/test.h"

enum { NOW_MS = 100000, GRACE_MS = HOST_GUEST_GRACE_MS };

static void a_guest_has_the_turn_when_the_moment_has_come(void **state)
{
    (void)state;
    struct host_record c = {0};
    assert_true(host_guest_ask(&c, NOW_MS, true, NOW_MS).may);
    assert_true(c.had_guest);
    assert_true(host_guest_ask(&c, 0, false, NOW_MS).may);
}

static void a_guest_that_comes_too_early_reserves_the_next_turn(void **state)
{
    (void)state;
    struct host_record c = {0};
    struct host_guest_answer a = host_guest_ask(&c, NOW_MS + 500, true, NOW_MS);
    assert_true(!a.may && a.when_ms == NOW_MS + 500 && a.hold_ms == NOW_MS + 500 + GRACE_MS);
    /* another guest holds nothing more, and is told the same moment */
    struct host_guest_answer b = host_guest_ask(&c, a.hold_ms, true, NOW_MS);
    assert_true(!b.may && b.when_ms == NOW_MS + 500 && b.hold_ms == 0);
    assert_true(host_guest_ask(&c, a.hold_ms, true, NOW_MS + 500).may);
    assert_int_equal(c.guest_ms, 0);
}

static void a_host_without_urls_of_its_own_is_not_held(void **state)
{
    (void)state;
    struct host_record c = {0};
    struct host_guest_answer a = host_guest_ask(&c, NOW_MS + 500, false, NOW_MS);
    assert_true(!a.may && a.when_ms == NOW_MS + 500 && a.hold_ms == 0);
}

static void after_a_guest_an_own_url_goes_first(void **state)
{
    (void)state;
    struct host_record c = {0};
    struct host_request r = {.record = &c, .path = STR("/")};
    assert_true(host_guest_ask(&c, 0, true, NOW_MS).may);
    assert_int_equal(host_guest_ask(&c, NOW_MS + 9, true, NOW_MS).hold_ms, 0);
    (void)host_turn_next(&r, 1, &(struct host_turn_settings){.ignore_robots = true}, NOW_MS, 0);
    assert_false(c.had_guest);
    assert_int_equal(host_guest_ask(&c, NOW_MS + 9, true, NOW_MS).hold_ms, NOW_MS + 9 + GRACE_MS);
    (void)host_turn_next(&r, 1, &(struct host_turn_settings){.ignore_robots = true}, NOW_MS, 0);
    assert_int_equal(c.guest_ms, 0); /* the guest did not come */
}

/* The former owner of a host may say a later one. */
static void a_later_moment_counts_for_a_guest_that_has_reserved(void **state)
{
    (void)state;
    struct host_record c = {0};
    (void)host_guest_ask(&c, NOW_MS + 500, true, NOW_MS);
    struct host_guest_answer a = host_guest_ask(&c, NOW_MS + 9000, true, NOW_MS + 500);
    assert_true(!a.may && a.when_ms == NOW_MS + 9000);
}

static void the_hosts_own_delay_follows_a_guest(void **state)
{
    (void)state;
    static const struct pace_settings pace = {.delay_ms = 1000, .delay_most_ms = 30000};
    struct host_record *c = host_record_open();
    struct robots *rules;
    assert_int_equal(host_guest_due_ms(c, &pace, 0, NOW_MS), NOW_MS); /* nothing was asked */
    assert_int_equal(host_guest_due_ms(c, &pace, 1, NOW_MS), NOW_MS + 1001);
    assert_rc(robots_parse(STR("User-agent: *\nCrawl-delay: 7\n"), STR("x"), &rules), RC_OK);
    assert_rc(host_record_set_robots(c, false, 0, rules, false, 1), RC_OK);
    assert_int_equal(host_guest_due_ms(c, &pace, 1000, NOW_MS), NOW_MS + 7001);
    assert_int_equal(host_guest_due_ms(c, &pace, 60000, NOW_MS), NOW_MS + 60001);
    host_record_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guest_has_the_turn_when_the_moment_has_come),
        cmocka_unit_test(a_guest_that_comes_too_early_reserves_the_next_turn),
        cmocka_unit_test(a_host_without_urls_of_its_own_is_not_held),
        cmocka_unit_test(after_a_guest_an_own_url_goes_first),
        cmocka_unit_test(a_later_moment_counts_for_a_guest_that_has_reserved),
        cmocka_unit_test(the_hosts_own_delay_follows_a_guest),
    };
    return cmocka_run_group_tests_name("host/host_guest", tests, NULL, NULL);
}
