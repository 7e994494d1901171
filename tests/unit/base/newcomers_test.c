/* SPDX-License-Identifier: Apache-2.0 */
#include "base/newcomers.h"

#include "base/rng.h"
#include "lib/test.h"

/* As a server does it; how many were dropped for it. */
static unsigned come(struct newcomers *n, uint64_t source, uint64_t *ret)
{
    unsigned dropped = 0;
    uint64_t old;
    while ((old = newcomers_to_drop(n, source)) && dropped < NEWCOMERS_MAX) {
        assert_true(newcomers_leave(n, old));
        dropped++;
    }
    *ret = newcomers_enter(n, source);
    return dropped;
}

static void the_oldest_of_a_source_makes_room_for_its_next(void **state)
{
    (void)state;
    struct newcomers n;
    uint64_t first, second, third, other;
    newcomers_init(&n, 4, 2);
    assert_int_equal(come(&n, 7, &first), 0);
    assert_int_equal(come(&n, 8, &other), 0);
    assert_int_equal(come(&n, 7, &second), 0);
    assert_int_equal(newcomers_to_drop(&n, 7), first);
    assert_int_equal(newcomers_to_drop(&n, 8), 0);
    assert_int_equal(come(&n, 7, &third), 1);
    assert_false(newcomers_leave(&n, first));
    assert_true(newcomers_leave(&n, second));
    assert_true(newcomers_leave(&n, third));
    assert_true(newcomers_leave(&n, other));
}

static void three_hundred_idle_ones_keep_nobody_out(void **state)
{
    (void)state;
    struct newcomers n;
    uint64_t last = 0, good;
    newcomers_init(&n, 16, 8);
    for (unsigned i = 0; i < 300; i++) {
        (void)come(&n, 1, &last);
        assert_true(last);
    }
    assert_int_equal(come(&n, 2, &good), 0);
    for (unsigned i = 0; i < 300; i++)
        (void)come(&n, 1, &last);
    assert_true(newcomers_leave(&n, good)); /* it was never dropped */
}

static void a_flood_of_many_sources_drops_those_that_have_most(void **state)
{
    (void)state;
    struct newcomers n;
    uint64_t good, flood = 0, more;
    newcomers_init(&n, 8, 4);
    (void)come(&n, 1, &good);
    for (unsigned i = 0; i < 4; i++)
        (void)come(&n, 2, i ? &more : &flood);
    for (unsigned i = 0; i < 3; i++)
        (void)come(&n, 3, &more);
    assert_int_equal(newcomers_to_drop(&n, 4), flood);
    assert_int_equal(come(&n, 4, &more), 1);
    assert_true(newcomers_leave(&n, good));
}

static void one_that_stays_is_not_dropped_and_one_that_speaks_is_young(void **state)
{
    (void)state;
    struct newcomers n;
    uint64_t a, b, c, d;
    newcomers_init(&n, 3, 3);
    (void)come(&n, 1, &a);
    (void)come(&n, 1, &b);
    (void)come(&n, 1, &c);
    newcomers_renew(&n, a, false);
    assert_int_equal(newcomers_to_drop(&n, 1), b);
    newcomers_renew(&n, b, true);
    assert_int_equal(newcomers_to_drop(&n, 1), c);
    newcomers_renew(&n, a, true);
    newcomers_renew(&n, c, true);
    assert_int_equal(newcomers_to_drop(&n, 1), 0);
    assert_int_equal(come(&n, 1, &d), 0);
    assert_int_equal(d, 0);
    newcomers_renew(&n, 99, true); /* not there */
    assert_false(newcomers_leave(&n, 0));
}

static void whatever_comes_the_limits_hold_and_the_last_has_a_place(void **state)
{
    (void)state;
    struct newcomers n;
    struct rng rng;
    rng_init(&rng, test_seed(9));
    newcomers_init(&n, 16, 5);
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t source = rng_below(&rng, 6), number;
        (void)come(&n, source, &number);
        assert_true(number);
        unsigned of_source = 0;
        for (unsigned k = 0; k < n.most; k++)
            of_source += n.rows[k].number && n.rows[k].source == source;
        assert_true(of_source <= 5);
        if (rng_below(&rng, 3) == 0)
            assert_true(newcomers_leave(&n, number));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_of_a_source_makes_room_for_its_next),
        cmocka_unit_test(three_hundred_idle_ones_keep_nobody_out),
        cmocka_unit_test(a_flood_of_many_sources_drops_those_that_have_most),
        cmocka_unit_test(one_that_stays_is_not_dropped_and_one_that_speaks_is_young),
        cmocka_unit_test(whatever_comes_the_limits_hold_and_the_last_has_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
