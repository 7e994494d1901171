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
    assert_null(running_cancel(&r, http, NULL));
    for (unsigned i = 0; i < 3; i++)
        running_add(&r, &v[i]);
    assert_int_equal(open, 43);
    running_remove(&r, &v[1]);
    assert_int_equal(open, 42);
    assert_ptr_equal(running_cancel(&r, http, NULL), &v[2]);
    assert_ptr_equal(running_cancel(&r, http, NULL), &v[0]);
    assert_null(running_cancel(&r, http, NULL));
    assert_int_equal(engine.cancelled, 2);
    assert_int_equal(open, 40);
}

/* A member of a pool whose lease is over gives up what came from there. */
static void only_what_may_not_go_on_is_given_up_when_that_is_asked_for(void **state)
{
    (void)state;
    struct step s = {.has_no_lease = true};
    struct step_instance at = {.step = &s};
    struct step_http engine = {.count = 2};
    struct http *http = (struct http *)(void *)&engine;
    struct running r = {0};
    static struct visit v[2];
    v[0].head.is_copy = 1;
    running_add(&r, &v[0]);
    running_add(&r, &v[1]);
    assert_ptr_equal(running_cancel(&r, http, &at.self), &v[0]);
    assert_null(running_cancel(&r, http, &at.self));
    assert_int_equal(engine.cancelled, 1);
    assert_ptr_equal(running_cancel(&r, http, NULL), &v[1]);
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
        cmocka_unit_test(only_what_may_not_go_on_is_given_up_when_that_is_asked_for),
        cmocka_unit_test(a_place_without_counters_counts_nowhere),
    };
    return cmocka_run_group_tests_name("running", tests, NULL, NULL);
}
