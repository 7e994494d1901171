/* SPDX-License-Identifier: Apache-2.0 */
/* A manager and the members of its pool against the invariants of docs/pool-protocol.md, seed by
 * seed, and each seed against its digest (digests.h). ORB_SEEDS=A..B runs others, or more of them;
 * a failing seed prints its last events. */
#include "simulate/pool_runs.h"

#include "digests.h"

#include "lib/test.h"

#include <stdio.h>
#include <stdlib.h>

enum { SEEDS = TEST_IS_SANITIZED || TEST_IS_EMULATED ? 400 : 2000 };

static void print_failure(const struct pool_runs_result *r)
{
    if (!r->failed)
        return;
    (void)fprintf(stderr, "seed %llu, event %llu, invariant %d: %s\n%.*s",
                  (unsigned long long)r->first_failed, (unsigned long long)r->failure.events,
                  r->failure.broken, r->failure.why, (int)r->trail.n, r->trail.p);
}

static void run_all(const struct pool_runs_settings *s, struct pool_runs_result *ret)
{
    assert_rc(pool_runs_all(s, ret), RC_OK);
    if (!s->ignores_lease) {
        print_failure(ret);
        assert_int_equal(ret->failed, 0);
    }
}

static void every_seed_keeps_the_invariants(void **state)
{
    (void)state;
    struct pool_runs_settings s = {.first = 1, .last = SEEDS};
    const char *wanted = getenv("ORB_SEEDS");
    if (wanted)
        assert_int_equal(sscanf(wanted, "%llu..%llu", (unsigned long long *)&s.first,
                                (unsigned long long *)&s.last),
                         2);
    struct digests d;
    struct pool_runs_result r;
    digests_open(&d, "unit/simulate/pool_digests.txt");
    s.seen = digests_seen_pool;
    s.ctx = &d;
    run_all(&s, &r);
    assert_int_equal(digests_close(&d), 0);
    if (s.last - s.first + 1 >= SEEDS) {
        const char *missing = pool_runs_missing_fault(&r);
        if (missing)
            fail_msg("never happened: %s", missing);
        for (int i = 1; i < POOL_WORLD_INVARIANTS_; i++)
            assert_true(r.sum.checked[i] > 0);
    }
    pool_runs_done(&r);
}

static void without_faults_each_url_is_asked_once(void **state)
{
    (void)state;
    struct pool_runs_settings s = {.first = 1, .last = 20, .is_calm = true};
    struct pool_runs_result r;
    run_all(&s, &r);
    assert_int_equal(r.sum.requests, r.sum.settled);
    assert_int_equal(r.sum.orphanings, 0);
    assert_int_equal(r.sum.met[POOL_WORLD_DIED], 0);
    pool_runs_done(&r);
}

/* The check of one open request a host can fail. */
static void members_that_ignore_their_lease_are_found(void **state)
{
    (void)state;
    struct pool_runs_settings s = {.first = 1, .last = 200, .ignores_lease = true};
    struct pool_runs_result r;
    run_all(&s, &r);
    assert_true(r.failed > 0);
    assert_int_equal(r.failure.broken, POOL_WORLD_ONE_OPEN);
    assert_true(r.trail.n > 0);
    pool_runs_done(&r);
}

static void a_seed_always_runs_the_same(void **state)
{
    (void)state;
    struct pool_runs_settings s = {.first = 8, .last = 8};
    struct pool_runs_result a, b;
    run_all(&s, &a);
    run_all(&s, &b);
    assert_true(a.sum.events > 100);
    assert_memory_equal(&a.sum, &b.sum, sizeof a.sum);
    pool_runs_done(&a);
    pool_runs_done(&b);
}

static enum rc run_small(void *ctx)
{
    (void)ctx;
    struct pool_runs_settings s = {.first = 3, .last = 3, .members = 1, .hosts = 2, .urls = 4};
    struct pool_world_settings set = pool_runs_world(&s, 3);
    struct pool_world_report r;
    set.trouble_ms = 5000;
    enum rc rc = pool_world_run(&set, &r, NULL);
    assert_true(rc || !r.broken);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(run_small, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_faults_each_url_is_asked_once),
        cmocka_unit_test(members_that_ignore_their_lease_are_found),
        cmocka_unit_test(a_seed_always_runs_the_same),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_seed_keeps_the_invariants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
