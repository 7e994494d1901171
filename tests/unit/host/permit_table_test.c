/* SPDX-License-Identifier: Apache-2.0 */
#include "host/permit_table.h"

#include "base/mem.h"
#include "base/rng.h"
#include "lib/test.h"

#include <pthread.h>
#include <stdatomic.h>

enum { HERE = 7, THERE = 8, DELAY = 100, CONNS = 4 };

static struct permit_table *table_of(uint64_t conns, uint64_t delay_ms)
{
    struct permit_table *t;
    assert_rc(permit_table_open(conns, delay_ms, &t), RC_OK);
    return t;
}

static void requests_begin_a_delay_apart(void **state)
{
    (void)state;
    struct permit_table *t = table_of(CONNS, DELAY);
    assert_int_equal(permit_table_ask(t, HERE, 1000), 0);
    assert_int_equal(permit_table_ask(t, HERE, 1000), 1100);
    assert_int_equal(permit_table_ask(t, THERE, 1000), 0); /* another address does not care */
    assert_int_equal(permit_table_ask(t, HERE, 1100), 0);
    permit_table_close(t);
}

static void those_who_wait_are_given_moments_apart(void **state)
{
    (void)state;
    struct permit_table *t = table_of(CONNS, DELAY);
    assert_int_equal(permit_table_ask(t, HERE, 1000), 0);
    permit_table_done(t, HERE, 1001);
    for (uint64_t i = 1; i <= 1000; i++)
        assert_int_equal(permit_table_ask(t, HERE, 1000), 1000 + i * DELAY);
    for (uint64_t i = 1; i <= 1000; i++) { /* and each finds room when it comes back */
        assert_int_equal(permit_table_ask(t, HERE, 1000 + i * DELAY), 0);
        permit_table_done(t, HERE, 1000 + i * DELAY + 50);
    }
    permit_table_close(t);
}

static void who_comes_behind_a_late_one_waits_a_little(void **state)
{
    (void)state;
    struct permit_table *t = table_of(CONNS, DELAY);
    assert_int_equal(permit_table_ask(t, HERE, 1000), 0);
    assert_int_equal(permit_table_ask(t, HERE, 1000), 1100);
    assert_int_equal(permit_table_ask(t, HERE, 1000), 1200);
    assert_int_equal(permit_table_ask(t, HERE, 1000), 1300);
    assert_int_equal(permit_table_ask(t, HERE, 1103), 0);
    assert_int_equal(permit_table_ask(t, HERE, 1201), 1203); /* not behind the third */
    assert_int_equal(permit_table_ask(t, HERE, 1203), 0);
    permit_table_close(t);
}

static void no_more_are_open_than_allowed(void **state)
{
    (void)state;
    struct permit_table *t = table_of(2, 0);
    assert_int_equal(permit_table_ask(t, HERE, 5), 0);
    assert_int_equal(permit_table_ask(t, HERE, 5), 0);
    assert_true(permit_table_ask(t, HERE, 5) > 5);
    assert_true(permit_table_ask(t, HERE, 100000) > 100000); /* time alone makes no room */
    permit_table_done(t, HERE, 100001);
    assert_int_equal(permit_table_ask(t, HERE, 100001), 0);
    assert_true(permit_table_ask(t, HERE, 100001) > 100001);
    permit_table_close(t);
}

static void limits_may_change(void **state)
{
    (void)state;
    struct permit_table *t = table_of(1, DELAY);
    assert_int_equal(permit_table_ask(t, HERE, 1000), 0);
    assert_true(permit_table_ask(t, HERE, 2000) > 2000);
    permit_table_change(t, 2, 10);
    assert_int_equal(permit_table_ask(t, HERE, 2000), 0);
    permit_table_done(t, HERE, 2001);
    assert_int_equal(permit_table_ask(t, HERE, 2010), 0);
    permit_table_change(t, 0, 10); /* never none at all */
    permit_table_done(t, HERE, 2011);
    permit_table_done(t, HERE, 2011);
    assert_int_equal(permit_table_ask(t, HERE, 3000), 0);
    permit_table_close(t);
}

/* Millions of addresses come and go: only those that matter are remembered. */
static void what_is_over_is_forgotten(void **state)
{
    (void)state;
    struct permit_table *t = table_of(1, DELAY);
    assert_int_equal(permit_table_ask(t, HERE, 0), 0); /* stays open all the time */
    uint64_t now = 0;
    for (uint64_t group = 100; group < 3 * 1000 * 1000; group++) {
        now += group % 100 == 0;
        assert_int_equal(permit_table_ask(t, group, now), 0);
        permit_table_done(t, group, now);
    }
    assert_true(permit_table_ask(t, HERE, now) > now);
    assert_true(mem_live() <= 1 + 64);
    permit_table_close(t);
    assert_int_equal(mem_live(), 0);
}

/* Nothing that is open is forgotten, however many there are: then newcomers wait a second. */
static void a_full_table_sends_newcomers_away(void **state)
{
    (void)state;
    struct permit_table *t = table_of(1, DELAY);
    uint64_t group = 0, away = 0;
    for (; group < 4 * 1000 * 1000 && away < 1000; group++) {
        uint64_t when = permit_table_ask(t, group, 50);
        assert_true(when == 0 || when == 1050);
        away += when != 0;
    }
    assert_int_equal(away, 1000);
    assert_true(permit_table_ask(t, 0, 10000) > 10000); /* the first is still known */
    permit_table_close(t);
}

static void without_memory_it_says_in_a_second(void **state)
{
    (void)state;
    struct permit_table *t = NULL;
    mem_fault_at(1);
    assert_rc(permit_table_open(1, DELAY, &t), RC_NOMEM);
    assert_null(t);
    t = table_of(1, DELAY);
    mem_fault_at(1);
    assert_int_equal(permit_table_ask(t, HERE, 500), 1500);
    mem_fault_at(0);
    assert_int_equal(permit_table_ask(t, HERE, 1500), 0);
    permit_table_done(t, THERE, 1500); /* was never there */
    permit_table_close(t);
    permit_table_close(NULL);
}

enum { THREADS = 4, GROUPS = 3, ROUNDS = 20000 };

struct crowd {
    struct permit_table *t;
    _Atomic int open[GROUPS];
    _Atomic int wrong;
    _Atomic uint64_t now, granted;
};

static void *ask_often(void *arg)
{
    struct crowd *c = arg;
    struct rng rng;
    rng_init(&rng, (uint64_t)(uintptr_t)&rng);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t group = rng_below(&rng, GROUPS), now = atomic_fetch_add(&c->now, 1);
        if (permit_table_ask(c->t, group, now) != 0)
            continue;
        atomic_fetch_add(&c->granted, 1);
        if (atomic_fetch_add(&c->open[group], 1) >= CONNS)
            atomic_store(&c->wrong, 1);
        atomic_fetch_sub(&c->open[group], 1);
        permit_table_done(c->t, group, now);
    }
    return NULL;
}

static void threads_share_it(void **state)
{
    (void)state;
    static struct crowd c;
    pthread_t threads[THREADS];
    c.t = table_of(CONNS, 1);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &c), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(c.wrong, 0);
    assert_true(c.granted > 0);
    permit_table_close(c.t);
}

static void others_who_ask_make_the_delay_longer_until_then(void **state)
{
    (void)state;
    struct permit_table *t = table_of(CONNS, DELAY);
    permit_table_others(t, HERE, 2, 5000); /* nobody asks it here: forgotten */
    assert_int_equal(permit_table_ask(t, HERE, 1000), 0);
    assert_int_equal(permit_table_ask(t, HERE, 1000), 1100);
    permit_table_others(t, HERE, 2, 5000);
    assert_int_equal(permit_table_ask(t, HERE, 1100), 0);
    assert_int_equal(permit_table_ask(t, HERE, 1200), 1400);
    assert_int_equal(permit_table_ask(t, THERE, 1200), 0);
    assert_int_equal(permit_table_ask(t, HERE, 6000), 0);
    assert_int_equal(permit_table_ask(t, HERE, 6000), 6100);
    permit_table_close(t);
}

static void ask_times(struct permit_table *t, uint64_t group, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        assert_int_equal(permit_table_ask(t, group, 1000), 0);
        permit_table_done(t, group, 1000);
    }
}

static void the_busiest_are_named_first_and_fade(void **state)
{
    (void)state;
    struct permit_table *t = table_of(CONNS, 0);
    uint64_t named[4] = {0};
    for (uint64_t g = 100; g < 5000; g++) /* many that are asked once */
        ask_times(t, g, 1);
    ask_times(t, HERE, 400);
    ask_times(t, THERE, 900);
    ask_times(t, 9, 200);
    for (uint64_t g = 100; g < 5000; g++)
        ask_times(t, g, 1);
    assert_int_equal(permit_table_busiest(t, named, 2), 2);
    assert_true(named[0] == THERE && named[1] == HERE);
    for (int i = 0; i < 12; i++)
        (void)permit_table_busiest(t, named, 4);
    assert_int_equal(permit_table_busiest(t, named, 4), 0);
    permit_table_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_begin_a_delay_apart),
        cmocka_unit_test(those_who_wait_are_given_moments_apart),
        cmocka_unit_test(who_comes_behind_a_late_one_waits_a_little),
        cmocka_unit_test(no_more_are_open_than_allowed),
        cmocka_unit_test(limits_may_change),
        cmocka_unit_test(what_is_over_is_forgotten),
        cmocka_unit_test(a_full_table_sends_newcomers_away),
        cmocka_unit_test(without_memory_it_says_in_a_second),
        cmocka_unit_test(threads_share_it),
        cmocka_unit_test(others_who_ask_make_the_delay_longer_until_then),
        cmocka_unit_test(the_busiest_are_named_first_and_fade),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
