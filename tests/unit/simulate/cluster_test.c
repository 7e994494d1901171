/* SPDX-License-Identifier: Apache-2.0 */
/* The protocol between agents against its thirteen invariants (D1, D2, D5, D7, D8), seed by seed.
 * ORB_SEEDS=A..B runs others, or more of them; a failing seed prints its last events. */
#include "simulate/runs.h"

#include "lib/test.h"

#include <stdio.h>
#include <stdlib.h>

/* Sanitizers make it several times slower; their build looks at memory, not at more seeds. */
#if defined(__SANITIZE_ADDRESS__)
enum { SEEDS = 400 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { SEEDS = 400 };
#else
enum { SEEDS = 2000 };
#endif
#else
enum { SEEDS = 2000 };
#endif

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
    struct runs_result r;
    assert_rc(runs_all(&s, &r), RC_OK);
    print_failure(&r);
    assert_int_equal(r.failed, 0);
    if (s.last - s.first + 1 >= SEEDS) {
        assert_null(runs_missing_fault(&r));
        for (int i = 1; i <= WORLD_INVARIANTS; i++)
            assert_true(r.sum.checked[i] > 0);
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_faults_nothing_is_fetched_twice),
        cmocka_unit_test(a_seed_always_runs_the_same),
        cmocka_unit_test(d1_d7_d8_every_seed_keeps_the_thirteen_invariants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
