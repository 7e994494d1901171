/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated clock, the limit on requests, the loop's timers. */
#include "lib/test.h"

#include "base/clock.h"
#include "serve/limit.h"
#include "serve/poller.h"
#include "serve/sim_clock.h"

static void a_clock_starts_runs_stands_and_is_turned(void **state)
{
    (void)state;
    struct sim_clock c;
    const uint64_t from = SIM_CLOCK_FIRST_MS + 5000;
    sim_clock_init(&c, from, 1, 1000000);
    assert_int_equal(sim_clock_wall_ms(&c, 1000000), from);
    assert_int_equal(sim_clock_wall_ms(&c, 1001999), from + 1);
    sim_clock_advance(&c, 2000000, 100);
    assert_int_equal(sim_clock_wall_ms(&c, 3000000), from + 2000 + 100);
    sim_clock_set(&c, 3000000, from - 10);
    assert_int_equal(sim_clock_wall_ms(&c, 3005000), from - 5);
    sim_clock_init(&c, from, 0, 1000000);
    assert_int_equal(sim_clock_wall_ms(&c, 99000000), from);
    sim_clock_init(&c, from, 3600, 0);
    assert_int_equal(sim_clock_wall_ms(&c, 1000000), from + 3600000);
}

static void a_clock_keeps_between_the_first_page_and_the_last_date(void **state)
{
    (void)state;
    struct sim_clock c;
    sim_clock_init(&c, 5000, 1, 0);
    assert_int_equal(sim_clock_wall_ms(&c, 0), SIM_CLOCK_FIRST_MS);
    sim_clock_advance(&c, 0, UINT64_MAX);
    assert_int_equal(sim_clock_wall_ms(&c, 5000000), SIM_CLOCK_LAST_MS);
    sim_clock_set(&c, 0, UINT64_MAX);
    assert_int_equal(sim_clock_wall_ms(&c, 5000000), SIM_CLOCK_LAST_MS);
    sim_clock_init(&c, SIM_CLOCK_FIRST_MS, 1e9, 0);
    assert_int_equal(sim_clock_wall_ms(&c, UINT64_MAX / 2), SIM_CLOCK_LAST_MS);
}

static void a_clock_is_true_until_it_is_turned_or_runs_at_another_speed(void **state)
{
    (void)state;
    struct sim_clock c;
    uint64_t now_us = poller_now_us();
    sim_clock_init(&c, 0, 1, now_us);
    assert_true(sim_clock_is_true(&c, now_us));
    sim_clock_advance(&c, now_us, 5000);
    assert_false(sim_clock_is_true(&c, now_us));
    sim_clock_init(&c, 0, 2, now_us);
    assert_false(sim_clock_is_true(&c, now_us));
}

static void moments_are_read_as_people_and_programs_write_them(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t wall_ms; /* UINT64_MAX: refused */
    } rows[] = {
        {"1750000000000", 1750000000000},
        {"2025-06-15T15:06:40Z", 1750000000000},
        {"2025-06-15T15:06:40", 1750000000000},
        {"2025-06-15T15:06:40.123Z", 1750000000123},
        {"2025-06-15", 1749945600000},
        {"1970-01-01T00:00:00Z", 0},
        {"2025-02-29", UINT64_MAX},
        {"2025-13-01", UINT64_MAX},
        {"2025-06-15T25:00:00Z", UINT64_MAX},
        {"2025-06-15T15:06Z", UINT64_MAX},
        {"2025-06-15T15:06:40.12Z", UINT64_MAX},
        {"2025-06-15 15:06:40", UINT64_MAX},
        {"25-06-15", UINT64_MAX},
        {"T", UINT64_MAX},
        {"", UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t got = UINT64_MAX;
        enum rc rc = moment_read(str_c(rows[i].text), &got);
        assert_int_equal(rc, rows[i].wall_ms == UINT64_MAX ? RC_INVALID : RC_OK);
        assert_int_equal(got, rows[i].wall_ms);
    }
}

static void a_bucket_gives_its_burst_then_a_token_at_a_time(void **state)
{
    (void)state;
    struct limit *never = limit_open(1, 1e-300, 1);
    assert_int_equal(limit_take(never, 0, 0), 0);
    assert_true(limit_take(never, 0, 1) > 1000000000); /* and is a number all the same */
    limit_close(never);
    struct limit *l = limit_open(10, 2, 3);
    assert_non_null(l);
    for (int i = 0; i < 3; i++)
        assert_int_equal(limit_take(l, 4, 1000), 0);
    uint64_t wait_ms = limit_take(l, 4, 1000);
    assert_in_range(wait_ms, 500, 501);
    assert_in_range(limit_take(l, 4, 1400), 100, 101);
    assert_int_equal(limit_take(l, 4, 1000 + wait_ms), 0);
    assert_true(limit_take(l, 4, 1000 + wait_ms) > 0);
    assert_int_equal(limit_take(l, 5, 1000), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(limit_take(l, 4, 1000000), 0);
    assert_true(limit_take(l, 4, 1000000) > 0);
    limit_close(l);
}

static void whoever_waits_as_long_as_told_is_served(void **state)
{
    (void)state;
    struct limit *l = limit_open(1, 0.7, 1);
    uint64_t now_ms = 0;
    assert_non_null(l);
    for (int i = 0; i < 1000; i++) {
        uint64_t wait_ms = limit_take(l, 0, now_ms);
        if (!wait_ms)
            wait_ms = limit_take(l, 0, now_ms);
        assert_true(wait_ms > 0);
        now_ms += wait_ms;
        assert_int_equal(limit_take(l, 0, now_ms), 0);
    }
    limit_close(l);
}

/* Timers ------------------------------------------------------------------------------------ */

enum { TIMERS = 5 };

struct ringing {
    struct timer timers[TIMERS];
    int order[TIMERS];
    int rung;
    struct poller *loop;
};

static struct ringing *ringing_of(struct timer *t, int nth)
{
    return (struct ringing *)(t - nth);
}

static void ring(struct timer *t)
{
    int nth = (int)t->node.order;
    struct ringing *r = ringing_of(t, nth);
    r->order[r->rung++] = nth;
    if (r->rung == TIMERS - 1)
        poller_stop(r->loop);
}

static void timers_ring_in_their_order_and_a_stopped_one_never(void **state)
{
    (void)state;
    static const uint64_t after_ms[TIMERS] = {40, 10, 30, 0, 20};
    struct ringing r = {.loop = poller_open(TIMERS)};
    uint64_t now_ms = poller_now_us() / 1000;
    assert_non_null(r.loop);
    for (uint64_t i = 0; i < TIMERS; i++) {
        r.timers[i] = (struct timer){.node.order = i, .due = ring};
        assert_rc(poller_timer(r.loop, &r.timers[i], now_ms + 1000), RC_OK);
        assert_rc(poller_timer(r.loop, &r.timers[i], now_ms + after_ms[i]), RC_OK);
    }
    poller_timer_stop(r.loop, &r.timers[2]);
    assert_rc(poller_run(r.loop), RC_OK);
    assert_true(poller_now_us() / 1000 >= now_ms + 40);
    const int expected[] = {3, 1, 4, 0};
    assert_memory_equal(r.order, expected, sizeof expected);
    poller_close(r.loop);
}

static enum rc open_all(void *ctx)
{
    (void)ctx;
    struct poller *loop = poller_open(10);
    struct timer t = {.due = ring};
    struct limit *limit = limit_open(5, 1, 1);
    enum rc rc = loop && limit ? poller_timer(loop, &t, 5) : RC_NOMEM;
    if (loop)
        poller_timer_stop(loop, &t);
    poller_close(loop);
    limit_close(limit);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(open_all, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_starts_runs_stands_and_is_turned),
        cmocka_unit_test(a_clock_keeps_between_the_first_page_and_the_last_date),
        cmocka_unit_test(a_clock_is_true_until_it_is_turned_or_runs_at_another_speed),
        cmocka_unit_test(moments_are_read_as_people_and_programs_write_them),
        cmocka_unit_test(a_bucket_gives_its_burst_then_a_token_at_a_time),
        cmocka_unit_test(whoever_waits_as_long_as_told_is_served),
        cmocka_unit_test(timers_ring_in_their_order_and_a_stopped_one_never),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
