/* SPDX-License-Identifier: Apache-2.0 */
/* The protocol between agents against its thirteen invariants (docs/cluster-protocol.md), seed by
 * seed, and each seed against its digest (digests.h). ORB_SEEDS=A..B runs others, or more of them;
 * a failing seed prints its last events. */
#include "simulate/runs.h"

#include "digests.h"

#include "lib/test.h"

#include <stdio.h>
#include <stdlib.h>

enum { SEEDS = TEST_IS_SANITIZED ? 400 : 2000, MANY_AGENTS = TEST_IS_SANITIZED ? 24 : 64 };

static void print_failure(const struct runs_result *r)
{
    if (!r->failed)
        return;
    (void)fprintf(stderr, "seed %llu, event %llu, invariant %d: %s\n%.*s",
                  (unsigned long long)r->first_failed, (unsigned long long)r->failure.events,
                  r->failure.broken, r->failure.why, (int)r->trail.n, r->trail.p);
}

static void d1_d7_d8_every_seed_keeps_the_thirteen_invariants(void **state)
{
    (void)state;
    struct runs_settings s = {.first = 1, .last = SEEDS};
    const char *wanted = getenv("ORB_SEEDS");
    if (wanted)
        assert_int_equal(sscanf(wanted, "%llu..%llu", (unsigned long long *)&s.first,
                                (unsigned long long *)&s.last),
                         2);
    struct digests d;
    digests_open(&d, "unit/simulate/digests.txt");
    s.seen = digests_seen;
    s.ctx = &d;
    struct runs_result r;
    assert_rc(runs_all(&s, &r), RC_OK);
    print_failure(&r);
    assert_int_equal(r.failed, 0);
    assert_int_equal(digests_close(&d), 0);
    if (s.last - s.first + 1 >= SEEDS) {
        assert_null(runs_missing_fault(&r));
        for (int i = 1; i <= WORLD_INVARIANTS; i++)
            assert_true(r.sum.checked[i] > 0);
    }
    runs_done(&r);
}

static void run_seed(uint64_t seed, bool is_unbounded, struct runs_result *ret)
{
    struct runs_settings s = {.first = seed, .last = seed, .is_unbounded = is_unbounded};
    assert_rc(runs_all(&s, ret), RC_OK);
    if (!is_unbounded)
        print_failure(ret);
    if (ret->failed || !is_unbounded)
        print_message("# seed %llu %s the bound: %s\n", (unsigned long long)seed,
                      is_unbounded ? "without" : "with", ret->failed ? ret->failure.why : "holds");
}

/* The cost of one death is bounded. Agents that ignore the bound break the invariant. */
static void agents_that_do_not_bound_their_untold_outcomes_are_found(void **state)
{
    (void)state;
    enum { MOST_SEEDS = 80 };
    struct runs_result r;
    uint64_t seed = 0;
    bool is_broken = false;
    while (!is_broken && seed < MOST_SEEDS) {
        run_seed(++seed, true, &r);
        is_broken = r.failed && r.failure.broken == 7;
        runs_done(&r);
    }
    assert_true(is_broken);
    run_seed(seed, false, &r);
    assert_int_equal(r.failed, 0);
    runs_done(&r);
}

static void without_faults_nothing_is_fetched_twice(void **state)
{
    (void)state;
    struct runs_settings s = {.first = 1, .last = 10, .is_calm = true};
    struct runs_result r;
    assert_rc(runs_all(&s, &r), RC_OK);
    print_failure(&r);
    assert_int_equal(r.failed, 0);
    assert_int_equal(r.sum.refetches, 0);
    assert_int_equal(r.sum.frozen_overlaps, 0);
    runs_done(&r);
}

static void a_seed_always_runs_the_same(void **state)
{
    (void)state;
    struct runs_settings s = {.first = 3, .last = 3};
    struct runs_result a, b;
    assert_rc(runs_all(&s, &a), RC_OK);
    assert_rc(runs_all(&s, &b), RC_OK);
    assert_int_equal(a.sum.events, b.sum.events);
    assert_int_equal(a.sum.ended_ms, b.sum.ended_ms);
    assert_int_equal(a.sum.fetches, b.sum.fetches);
    runs_done(&a);
    runs_done(&b);
}

/* Every kind of fault happens, also racks, partitions and an outage of the NATS servers. */
static void d1_d5_d8_many_agents_keep_the_invariants(void **state)
{
    (void)state;
    struct runs_settings s = {
        .first = 1, .last = 2, .agents = MANY_AGENTS, .hosts = 100000, .is_large = true};
    struct runs_result *r = calloc(1, sizeof *r);
    assert_non_null(r);
    assert_rc(runs_all(&s, r), RC_OK);
    print_failure(r);
    assert_int_equal(r->failed, 0);
    assert_null(runs_missing_fault(r));
    for (int i = 1; i <= WORLD_INVARIANTS; i++)
        assert_true(r->sum.checked[i] > 0);
    const struct world_scale *c = &r->sum.scale;
    assert_int_equal(c->astray, 0);
    assert_true(c->changes > 5 && c->recovery_count > 5);
    assert_true(c->deviation > 0 && c->deviation < 0.05);
    runs_done(r);
    free(r);
}

static void many_agents_in_peace_fetch_everything_once(void **state)
{
    (void)state;
    struct runs_settings s = {.first = 2,
                              .last = 2,
                              .agents = 20,
                              .hosts = 2000,
                              .urls = 1000,
                              .is_large = true,
                              .is_calm = true};
    struct runs_result *r = calloc(1, sizeof *r);
    assert_non_null(r);
    assert_rc(runs_all(&s, r), RC_OK);
    print_failure(r);
    assert_int_equal(r->failed, 0);
    assert_int_equal(r->sum.fetches, 1000);
    assert_int_equal(r->sum.scale.changes, 0);
    runs_done(r);
    free(r);
}

/* With the timings that `cluster streams` writes by default. */
static void run_wipe(uint32_t agents, uint64_t wipe_ms, struct world_report *ret)
{
    struct world_settings s = {.seed = 5,
                               .agents = agents,
                               .hosts = 40,
                               .urls = 3000,
                               .limit_ms = 3600000,
                               .is_calm = true,
                               .wipe_ms = wipe_ms,
                               .points = 16,
                               .timings = {1000, 5000, 6000, 45000, 55000, 60000}};
    struct buf trail = {.max = 1 << 16};
    assert_rc(world_run(&s, ret, &trail), RC_OK);
    if (ret->broken)
        print_error("invariant %d: %s\n%.*s", ret->broken, ret->why, (int)trail.n, trail.p);
    assert_int_equal(ret->broken, 0);
    assert_int_equal(ret->faults[WORLD_WIPE], 1);
    print_message("# %u agents, a disk wiped after %.0f s: its hosts unasked for %.1f s, others' "
                  "hosts for %.1f s\n",
                  agents, (double)wipe_ms / 1000, (double)ret->unasked.wiped_ms / 1000,
                  (double)ret->unasked.others_ms / 1000);
    buf_done(&trail);
}

static void a_wiped_agents_hosts_are_asked_again_soon_after_dead(void **state)
{
    (void)state;
    static const struct {
        uint32_t agents;
        uint64_t wipe_ms;
    } rows[] = {{1, 11000}, {2, 11000}, {3, 11000}, {4, 11000}, {3, 200000}};
    enum { DEAD_MS = 60000, SOON_MS = 20000, OTHERS_MS = 15000 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world_report r;
        run_wipe(rows[i].agents, rows[i].wipe_ms, &r);
        assert_true(r.unasked.wiped_ms > 0);
        assert_true(r.unasked.wiped_ms <= DEAD_MS + SOON_MS);
        assert_true(r.unasked.others_ms <= OTHERS_MS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_faults_nothing_is_fetched_twice),
        cmocka_unit_test(agents_that_do_not_bound_their_untold_outcomes_are_found),
        cmocka_unit_test(a_seed_always_runs_the_same),
        cmocka_unit_test(a_wiped_agents_hosts_are_asked_again_soon_after_dead),
        cmocka_unit_test(many_agents_in_peace_fetch_everything_once),
        cmocka_unit_test(d1_d5_d8_many_agents_keep_the_invariants),
        cmocka_unit_test(d1_d7_d8_every_seed_keeps_the_thirteen_invariants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
