/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/running.h"

#include "lib/step.h"

static void what_runs_is_counted_and_can_be_given_up(void **state)
{
    (void)state;
    struct step_http engine = {.count = 3};
    struct http *http = (struct http *)(void *)&engine;
    _Atomic uint64_t open = 40; /* with those of other shards */
    struct running r = {.open = &open};
    static struct visit v[3];
    assert_null(running_cancel(&r, http));
    for (unsigned i = 0; i < 3; i++)
        running_add(&r, &v[i]);
    assert_int_equal(open, 43);
    running_remove(&r, &v[1]);
    assert_int_equal(open, 42);
    assert_ptr_equal(running_cancel(&r, http), &v[2]);
    assert_ptr_equal(running_cancel(&r, http), &v[0]);
    assert_null(running_cancel(&r, http));
    assert_int_equal(engine.cancelled, 2);
    assert_int_equal(open, 40);
}

static void a_place_without_counters_counts_nowhere(void **state)
{
    (void)state;
    struct running r = {0};
    static struct visit v;
    running_add(&r, &v);
    running_remove(&r, &v);
    assert_null(r.visits.first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_runs_is_counted_and_can_be_given_up),
        cmocka_unit_test(a_place_without_counters_counts_nowhere),
    };
    return cmocka_run_group_tests_name("running", tests, NULL, NULL);
}
