/* SPDX-License-Identifier: Apache-2.0 */
#include "pool/lease.h"

#include "lib/test.h"

static const struct pool_timings timings = {
    .ping_ms = 1000, .fence_ms = 5000, .abort_ms = 6000, .dead_ms = 10000, .visit_ms = 60000};

/* Welcomed: the hello left at that moment. */
static struct pool_lease welcomed(uint64_t sent_ms)
{
    struct pool_lease l;
    pool_lease_init(&l);
    uint64_t number = pool_lease_send(&l, sent_ms);
    pool_lease_time(&l, &timings);
    assert_true(pool_lease_answer(&l, number));
    return l;
}

static void nothing_was_ever_answered(void **state)
{
    (void)state;
    struct pool_lease l;
    pool_lease_init(&l);
    assert_int_equal(pool_lease_look(&l, 0), POOL_NO_LEASE);
    assert_int_equal(pool_lease_changes_ms(&l, 0), UINT64_MAX);
    pool_lease_time(&l, &timings);
    assert_int_equal(pool_lease_send(&l, 100), 1);
    assert_int_equal(pool_lease_send(&l, 200), 2);
    assert_int_equal(pool_lease_look(&l, 200), POOL_NO_LEASE);
    assert_int_equal(pool_lease_changes_ms(&l, 200), UINT64_MAX);
}

static void a_lease_passes_fence_and_abort(void **state)
{
    (void)state;
    static const struct {
        uint64_t age_ms;
        enum pool_lease_state state;
        uint64_t changes_at; /* age */
    } rows[] = {
        {0, POOL_LEASE_GOOD, 5000}, {4999, POOL_LEASE_GOOD, 5000}, {5000, POOL_FENCED, 6000},
        {5999, POOL_FENCED, 6000},  {6000, POOL_NO_LEASE, 0},      {1000000, POOL_NO_LEASE, 0},
    };
    struct pool_lease l = welcomed(700);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t now_ms = 700 + rows[i].age_ms;
        uint64_t wanted = rows[i].changes_at ? 700 + rows[i].changes_at : UINT64_MAX;
        assert_int_equal(pool_lease_look(&l, now_ms), rows[i].state);
        assert_int_equal(pool_lease_changes_ms(&l, now_ms), wanted);
    }
    /* A clock that is behind makes no lease longer. */
    assert_int_equal(pool_lease_look(&l, 0), POOL_LEASE_GOOD);
    assert_int_equal(pool_lease_changes_ms(&l, 0), 5700);
}

static void the_age_counts_from_sending(void **state)
{
    (void)state;
    struct pool_lease l = welcomed(0);
    uint64_t ping = pool_lease_send(&l, 1000);
    /* The answer comes at 4900. */
    assert_true(pool_lease_answer(&l, ping));
    assert_int_equal(pool_lease_look(&l, 4900), POOL_LEASE_GOOD);
    assert_int_equal(pool_lease_changes_ms(&l, 4900), 6000);
    assert_int_equal(pool_lease_look(&l, 6000), POOL_FENCED);
    assert_int_equal(pool_lease_look(&l, 7000), POOL_NO_LEASE);
}

/* The answer was there while the process stood still: it proves no more than it did then. */
static void a_process_that_stood_still_has_no_lease(void **state)
{
    (void)state;
    struct pool_lease l = welcomed(0);
    uint64_t ping = pool_lease_send(&l, 1000);
    assert_int_equal(pool_lease_look(&l, 60000), POOL_NO_LEASE);
    assert_true(pool_lease_answer(&l, ping));
    assert_int_equal(pool_lease_look(&l, 60000), POOL_NO_LEASE);
    uint64_t next = pool_lease_send(&l, 60000);
    assert_true(pool_lease_answer(&l, next));
    assert_int_equal(pool_lease_look(&l, 60001), POOL_LEASE_GOOD);
}

static void answers_in_any_order_keep_the_newest(void **state)
{
    (void)state;
    struct pool_lease l = welcomed(0);
    uint64_t first = pool_lease_send(&l, 1000), second = pool_lease_send(&l, 2000);
    assert_true(pool_lease_answer(&l, second));
    assert_int_equal(pool_lease_changes_ms(&l, 2000), 7000);
    assert_true(pool_lease_answer(&l, first));
    assert_true(pool_lease_answer(&l, second));
    assert_int_equal(pool_lease_changes_ms(&l, 2000), 7000);
}

static void an_answer_to_what_is_not_remembered_changes_nothing(void **state)
{
    (void)state;
    struct pool_lease l = welcomed(0);
    uint64_t old = pool_lease_send(&l, 1000), kept = pool_lease_send(&l, 1100), last = kept;
    for (int i = 0; i < POOL_PINGS_OPEN - 1; i++)
        last = pool_lease_send(&l, 2000);
    assert_true(pool_lease_answer(&l, old));
    assert_int_equal(pool_lease_changes_ms(&l, 2000), 5000);
    assert_true(pool_lease_answer(&l, kept));
    assert_int_equal(pool_lease_changes_ms(&l, 2000), 6100);
    assert_true(pool_lease_answer(&l, last));
    assert_int_equal(pool_lease_changes_ms(&l, 2000), 7000);
}

static void an_answer_to_what_was_never_sent_is_told(void **state)
{
    (void)state;
    struct pool_lease l = welcomed(0);
    uint64_t changes_ms = pool_lease_changes_ms(&l, 0);
    assert_false(pool_lease_answer(&l, 0));
    assert_false(pool_lease_answer(&l, l.last + 1));
    assert_false(pool_lease_answer(&l, UINT64_MAX));
    assert_int_equal(pool_lease_changes_ms(&l, 0), changes_ms);
}

static void a_dropped_lease_comes_back_with_a_newer_answer_only(void **state)
{
    (void)state;
    struct pool_lease l = welcomed(0);
    uint64_t answered = pool_lease_send(&l, 1000), hello = pool_lease_send(&l, 2000);
    assert_true(pool_lease_answer(&l, answered));
    pool_lease_drop(&l);
    assert_int_equal(pool_lease_look(&l, 2000), POOL_NO_LEASE);
    assert_int_equal(pool_lease_changes_ms(&l, 2000), UINT64_MAX);
    assert_true(pool_lease_answer(&l, answered));
    assert_int_equal(pool_lease_look(&l, 2000), POOL_NO_LEASE);
    assert_true(pool_lease_answer(&l, hello));
    assert_int_equal(pool_lease_changes_ms(&l, 2000), 7000);
}

static void other_timings_hold_at_once(void **state)
{
    (void)state;
    struct pool_lease l = welcomed(0);
    struct pool_timings shorter = {100, 500, 600, 1000, 6000};
    assert_int_equal(pool_lease_look(&l, 1000), POOL_LEASE_GOOD);
    pool_lease_time(&l, &shorter);
    assert_int_equal(pool_lease_look(&l, 499), POOL_LEASE_GOOD);
    assert_int_equal(pool_lease_look(&l, 1000), POOL_NO_LEASE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_was_ever_answered),
        cmocka_unit_test(a_lease_passes_fence_and_abort),
        cmocka_unit_test(the_age_counts_from_sending),
        cmocka_unit_test(a_process_that_stood_still_has_no_lease),
        cmocka_unit_test(answers_in_any_order_keep_the_newest),
        cmocka_unit_test(an_answer_to_what_is_not_remembered_changes_nothing),
        cmocka_unit_test(an_answer_to_what_was_never_sent_is_told),
        cmocka_unit_test(a_dropped_lease_comes_back_with_a_newer_answer_only),
        cmocka_unit_test(other_timings_hold_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
