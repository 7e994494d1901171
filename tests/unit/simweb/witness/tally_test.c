/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "witness/tally.h"

#include <stdio.h>

#define MS UINT64_C(1000)

static struct tally fresh(void)
{
    return (struct tally){.least_start_gap_us = TALLY_NO_GAP,
                          .least_end_gap_us = TALLY_NO_GAP,
                          .certain = {.least_end_gap_us = TALLY_NO_GAP}};
}

static void one_request_has_no_gap(void **state)
{
    (void)state;
    struct tally t = fresh();
    tally_start(&t, 5 * MS, false);
    tally_end(&t, 6 * MS, 0);
    assert_int_equal(t.requests, 1);
    assert_int_equal(t.most_open, 1);
    assert_int_equal(t.open, 0);
    assert_true(t.least_start_gap_us == TALLY_NO_GAP);
    assert_true(t.least_end_gap_us == TALLY_NO_GAP);
}

static void gaps_are_from_the_last_start_and_from_the_last_end(void **state)
{
    (void)state;
    struct tally t = fresh();
    tally_start(&t, 0, false);
    tally_end(&t, 30 * MS, 0);
    tally_start(&t, 100 * MS, false);
    tally_end(&t, 190 * MS, 0);
    tally_start(&t, 210 * MS, false);
    assert_int_equal(t.least_start_gap_us, 100 * MS);
    assert_int_equal(t.least_end_gap_us, 20 * MS);
    assert_int_equal(t.overlaps, 0);
    assert_int_equal(t.most_open, 1);
}

static void one_who_left_just_before_the_next_start_did_not_overlap_it(void **state)
{
    (void)state;
    struct tally t = fresh();
    tally_start(&t, 0, false);
    tally_end(&t, 30 * MS, 0);
    tally_start(&t, 50 * MS, false);
    tally_start(&t, 200 * MS, false);
    tally_left(&t, 50 * MS, 200 * MS + FAREWELL_MS * MS - 1, 0);
    assert_int_equal(t.overlaps, 0);
    assert_int_equal(t.most_open, 1);
    assert_int_equal(t.open, 1);
    assert_int_equal(t.least_end_gap_us, 20 * MS);
}

static void one_who_left_long_after_the_next_start_overlapped_it(void **state)
{
    (void)state;
    struct tally t = fresh();
    tally_start(&t, 0, false);
    tally_start(&t, 50 * MS, false);
    tally_left(&t, 0, 50 * MS + FAREWELL_MS * MS, 0);
    assert_int_equal(t.overlaps, 1);
    assert_int_equal(t.most_open, 2);
    assert_int_equal(t.least_end_gap_us, 0);
}

static void the_latest_leaving_excuses_nothing(void **state)
{
    (void)state;
    struct tally t = fresh();
    tally_start(&t, 0, false);
    tally_start(&t, 50 * MS, false);
    tally_left(&t, 50 * MS, 60 * MS, 0);
    assert_int_equal(t.overlaps, 1);
    assert_int_equal(t.most_open, 2);
    assert_int_equal(t.open, 1);
}

static void one_who_left_excuses_itself_and_no_other(void **state)
{
    (void)state;
    struct tally t = fresh();
    for (int i = 0; i < 3; i++)
        tally_start(&t, (uint64_t)i * 10 * MS, false);
    assert_int_equal(t.most_open, 3);
    tally_left(&t, 0, 30 * MS, 0);
    assert_int_equal(t.overlaps, 1); /* the third, beside the second */
    assert_int_equal(t.most_open, 2);
    tally_end(&t, 40 * MS, 0);
    assert_int_equal(t.overlaps, 1);
}

/* A machine that pauses the witness delivers many at once. */
static void farewells_that_come_late_one_behind_the_other_excuse_all(void **state)
{
    (void)state;
    struct tally t = fresh();
    for (int i = 0; i < 5; i++)
        tally_start(&t, (uint64_t)i * 10 * MS, false);
    for (int i = 0; i < 4; i++)
        tally_left(&t, (uint64_t)i * 10 * MS, 60 * MS, 0);
    assert_int_equal(t.overlaps, 0);
    assert_int_equal(t.most_open, 1);
    assert_int_equal(t.open, 1);
}

static void what_was_doubted_long_ago_is_certain(void **state)
{
    (void)state;
    struct tally t = fresh();
    tally_start(&t, 0, false);
    for (uint64_t i = 1; i <= TALLY_DOUBTS + 1; i++)
        tally_start(&t, i * MS, false);
    tally_left(&t, 0, 20 * MS, 0); /* too many have come since the first that was beside it */
    assert_int_equal(t.overlaps, TALLY_DOUBTS + 1);
    assert_int_equal(t.most_open, TALLY_DOUBTS + 1);
}

static void a_start_while_another_is_open_is_an_overlap_and_a_gap_of_nothing(void **state)
{
    (void)state;
    struct tally t = fresh();
    tally_start(&t, 0, false);
    tally_start(&t, 10 * MS, false);
    tally_start(&t, 30 * MS, false);
    assert_int_equal(t.most_open, 3);
    assert_int_equal(t.overlaps, 2);
    assert_int_equal(t.least_end_gap_us, 0);
    assert_int_equal(t.least_start_gap_us, 10 * MS);
    for (int i = 0; i < 3; i++)
        tally_end(&t, 40 * MS, 0);
    tally_start(&t, 50 * MS, false);
    assert_int_equal(t.open, 1);
    assert_int_equal(t.most_open, 3);
    assert_int_equal(t.overlaps, 2);
}

static void the_gap_counts_from_the_latest_end_of_several(void **state)
{
    (void)state;
    struct tally t = fresh();
    tally_start(&t, 0, false);
    tally_end(&t, 50 * MS, 0);
    tally_start(&t, 60 * MS, false);
    tally_end(&t, 40 * MS, 0); /* a clock that went back */
    tally_start(&t, 61 * MS, false);
    assert_int_equal(t.least_end_gap_us, 10 * MS);
    assert_int_equal(t.least_start_gap_us, 1 * MS);
    tally_end(&t, 70 * MS, 0);
    tally_start(&t, 65 * MS, false);
    assert_int_equal(t.least_end_gap_us, 0);
}

static void requests_before_the_back_off_is_over_are_counted_with_the_worst(void **state)
{
    (void)state;
    struct tally t = fresh();
    tally_start(&t, 0, false);
    tally_end(&t, 10 * MS, 1010 * MS);
    tally_start(&t, 310 * MS, false);
    tally_end(&t, 311 * MS, 0);
    tally_start(&t, 1009 * MS, false);
    tally_end(&t, 1010 * MS, 0);
    assert_int_equal(t.during_backoff, 2);
    assert_int_equal(t.worst_early_us, 700 * MS);
    tally_start(&t, 1010 * MS, false);
    assert_int_equal(t.during_backoff, 2);
}

static void a_shorter_back_off_does_not_end_a_longer_one(void **state)
{
    (void)state;
    struct tally t = fresh();
    tally_start(&t, 0, false);
    tally_end(&t, 0, 1000 * MS);
    tally_start(&t, 1 * MS, false);
    tally_end(&t, 2 * MS, 12 * MS);
    tally_start(&t, 500 * MS, false);
    assert_int_equal(t.during_backoff, 2);
    tally_end(&t, 500 * MS, UINT64_MAX);
    tally_start(&t, UINT64_C(1) << 60, false);
    assert_int_equal(t.during_backoff, 3);
}

static void requests_sooner_than_the_crawl_delay_are_counted_once_it_is_known(void **state)
{
    (void)state;
    struct tally t = fresh();
    tally_start(&t, 0, false); /* robots.txt */
    tally_end(&t, 1 * MS, 0);
    tally_delay(&t, 500);
    tally_start(&t, 500 * MS, false);
    tally_end(&t, 510 * MS, 0);
    assert_int_equal(t.under_delay, 0);
    tally_start(&t, 900 * MS, false);
    tally_end(&t, 910 * MS, 0);
    assert_int_equal(t.under_delay, 1);
    tally_start(&t, 1340 * MS, false); /* within the slack */
    assert_int_equal(t.under_delay, 1);
}

static void a_request_sent_before_the_last_answer_was_open_beside_it(void **state)
{
    (void)state;
    struct tally t = fresh();
    tally_start(&t, 0, false);
    tally_end(&t, 10 * MS, 0);
    tally_start(&t, 10 * MS + 2, false);
    tally_pipelined(&t);
    assert_int_equal(t.most_open, 2);
    assert_int_equal(t.overlaps, 1);
    assert_int_equal(t.least_end_gap_us, 0);
    tally_start(&t, 11 * MS, false); /* open beside another anyhow: counted once */
    tally_pipelined(&t);
    assert_int_equal(t.most_open, 2);
    assert_int_equal(t.overlaps, 2);
}

static void the_worse_of_two_is_found_by_what_matters_most(void **state)
{
    (void)state;
    struct tally usual = fresh();
    usual.most_open = 1;
    usual.requests = 10;
    usual.least_end_gap_us = 100;
    struct tally rows[6];
    for (int i = 0; i < 6; i++)
        rows[i] = usual;
    rows[0].most_open = 2;
    rows[1].during_backoff = 1;
    rows[2].under_delay = 1;
    rows[3].forbidden = 1;
    rows[4].least_end_gap_us = 99;
    rows[5].requests = 11;
    for (int i = 0; i < 6; i++) {
        assert_true(tally_compare(&rows[i], &usual) < 0);
        assert_true(tally_compare(&usual, &rows[i]) > 0);
        for (int k = i + 1; k < 6; k++)
            assert_true(tally_compare(&rows[i], &rows[k]) < 0);
    }
    assert_int_equal(tally_compare(&usual, &usual), 0);
}

static void rows_are_numbered_as_first_seen_and_found_again(void **state)
{
    (void)state;
    struct tallies t = {0};
    tallies_init(&t, 10000);
    char name[32];
    for (int i = 0; i < 10000; i++) {
        int n = snprintf(name, sizeof name, "host%d.test", i);
        assert_int_equal(tallies_put_host(&t, str_make(name, (size_t)n)), i);
    }
    assert_int_equal(tallies_put_host(&t, STR("host77.test")), 77);
    assert_int_equal(tallies_put_host(&t, STR("one.too.many")), -1);
    assert_str(tallies_find_host(&t, STR("host9999.test"))->name, STR("host9999.test"));
    assert_null(tallies_find_host(&t, STR("nobody.test")));
    tallies_done(&t);
    assert_int_equal(tallies_put_address(&t, 0), 0);
    assert_int_equal(tallies_put_address(&t, 0x7f000001), 1);
    assert_int_equal(tallies_put_address(&t, 0), 0);
    assert_int_equal(tallies_at(&t, 1)->address, 0x7f000001);
    tallies_done(&t);
}

static enum rc put_some(void *ctx)
{
    (void)ctx;
    static struct tallies t;
    tallies_init(&t, 100);
    enum rc rc = RC_OK;
    for (int round = 0; round < 2; round++) {
        rc = RC_OK;
        if (tallies_put_host(&t, STR("a")) < 0 || tallies_put_host(&t, STR("b")) < 0)
            rc = RC_NOMEM;
    }
    assert_rc(rc, RC_OK); /* the second round has all memory again */
    assert_int_equal(t.count, 2);
    assert_int_equal(tallies_put_host(&t, STR("a")) + tallies_put_host(&t, STR("b")), 1);
    tallies_done(&t);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(put_some, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_request_has_no_gap),
        cmocka_unit_test(gaps_are_from_the_last_start_and_from_the_last_end),
        cmocka_unit_test(a_start_while_another_is_open_is_an_overlap_and_a_gap_of_nothing),
        cmocka_unit_test(one_who_left_just_before_the_next_start_did_not_overlap_it),
        cmocka_unit_test(one_who_left_long_after_the_next_start_overlapped_it),
        cmocka_unit_test(the_latest_leaving_excuses_nothing),
        cmocka_unit_test(one_who_left_excuses_itself_and_no_other),
        cmocka_unit_test(farewells_that_come_late_one_behind_the_other_excuse_all),
        cmocka_unit_test(what_was_doubted_long_ago_is_certain),
        cmocka_unit_test(the_gap_counts_from_the_latest_end_of_several),
        cmocka_unit_test(requests_before_the_back_off_is_over_are_counted_with_the_worst),
        cmocka_unit_test(a_shorter_back_off_does_not_end_a_longer_one),
        cmocka_unit_test(requests_sooner_than_the_crawl_delay_are_counted_once_it_is_known),
        cmocka_unit_test(a_request_sent_before_the_last_answer_was_open_beside_it),
        cmocka_unit_test(the_worse_of_two_is_found_by_what_matters_most),
        cmocka_unit_test(rows_are_numbered_as_first_seen_and_found_again),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
