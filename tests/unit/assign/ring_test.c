/* SPDX-License-Identifier: Apache-2.0 */
#include "assign/ring.h"

#include "base/hash.h"
#include "sets.h"

#include <math.h>

static enum rc ring_of(const struct set *s, struct ring_shape shape, struct ring *ret,
                       struct assign_conflict *conflict)
{
    uint32_t by_name[SET_MAX];
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t at = i;
        for (; at > 0 && str_cmp(s->agents[by_name[at - 1]].name, s->agents[i].name) > 0; at--)
            by_name[at] = by_name[at - 1];
        by_name[at] = i;
    }
    struct assign_list list = {s->agents, by_name, s->count};
    return ring_init(ret, shape, &list, conflict);
}

static struct ring ring_must(const struct set *s, uint32_t points, uint32_t probes)
{
    struct ring r;
    struct assign_conflict conflict;
    assert_rc(ring_of(s, (struct ring_shape){points, probes, 64}, &r, &conflict), RC_OK);
    return r;
}

static void a_point_owns_what_lies_between_the_former_one_and_itself(void **state)
{
    (void)state;
    struct set s;
    set_make(&s, 1, 1, ASSIGN_WEIGHT_ONE);
    set_add(&s, 2, 0, ASSIGN_WEIGHT_ONE);
    struct ring r = ring_must(&s, 1, 1);
    struct rng a, b;
    rng_init(&a, hash64(s.agents[0].name));
    rng_init(&b, hash64(s.agents[1].name));
    uint64_t at_a = rng_next(&a), at_b = rng_next(&b);
    assert_int_equal(ring_owner(&r, at_a), 0);
    assert_int_equal(ring_owner(&r, at_a + 1), 1);
    assert_int_equal(ring_owner(&r, at_b), 1);
    assert_int_equal(ring_owner(&r, at_b + 1), 0);
    assert_int_equal(ring_owner(&r, 0), at_a < at_b ? 0 : 1);
    assert_int_equal(ring_owner(&r, UINT64_MAX), at_a < at_b ? 0 : 1);
    ring_done(&r);
}

/* The owner found by checking every point, for keys at and beside points, and at the circle's
 * seam. */
static uint32_t owner_slowly(const struct set *s, uint32_t points, uint32_t probes, uint64_t hash)
{
    uint64_t least = UINT64_MAX;
    uint32_t best = 0;
    for (uint32_t i = 0; i < probes; i++) {
        uint64_t position = i ? hash64_mix(hash + i * UINT64_C(0x9e3779b97f4a7c15)) : hash;
        for (uint32_t j = 0; j < s->count; j++) {
            struct rng rng;
            rng_init(&rng, hash64(s->agents[j].name));
            for (uint32_t p = ring_points_of(points, s->agents[j].weight); p > 0; p--) {
                uint64_t distance = rng_next(&rng) - position;
                if (distance < least) {
                    least = distance;
                    best = j;
                }
            }
        }
    }
    return best;
}

static void the_table_finds_what_a_walk_over_all_points_finds(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 99);
    for (uint32_t probes = 1; probes <= 4; probes++) {
        for (uint32_t count = 1; count <= 9; count += 4) {
            struct set s;
            set_make(&s, probes * 100 + count, count, 0);
            struct ring r = ring_must(&s, 20, probes);
            for (int i = 0; i < 3000; i++) {
                uint64_t near = r.slots[rng_below(&rng, r.end)] + rng_below(&rng, 3) - 1;
                uint64_t key = i < 1000 ? rng_next(&rng) : i < 2000 ? near : (uint64_t)i - 2500;
                assert_int_equal(ring_owner(&r, key), owner_slowly(&s, 20, probes, key));
            }
            ring_done(&r);
        }
    }
}

/* Every set of absent agents, except all of them: the owners are those of a ring without them. */
static void with_some_absent_it_is_the_ring_of_the_others(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 7);
    for (uint32_t probes = 1; probes <= 3; probes++) {
        struct set s;
        set_make(&s, probes, 6, 0);
        struct ring r = ring_must(&s, 5, probes);
        for (uint64_t absent = 0; absent < 63; absent++) {
            struct set left = {0};
            for (uint32_t i = 0; i < 6; i++)
                if (!(absent >> i & 1))
                    left.agents[left.count++] = s.agents[i];
            struct ring without = ring_must(&left, 5, probes);
            for (int i = 0; i < 300; i++) {
                uint64_t near = r.slots[rng_below(&rng, r.end)] + rng_below(&rng, 3) - 1;
                uint64_t key = i % 2 ? rng_next(&rng) : near;
                assert_str(s.agents[ring_owner_among(&r, key, &absent)].name,
                           left.agents[ring_owner(&without, key)].name);
            }
            ring_done(&without);
        }
        ring_done(&r);
    }
}

static void the_points_of_a_lower_weight_are_the_first_of_a_higher_one(void **state)
{
    (void)state;
    assert_int_equal(ring_points_of(3072, ASSIGN_WEIGHT_ONE), 3072);
    assert_int_equal(ring_points_of(3072, 1), 48);
    assert_int_equal(ring_points_of(3072, 2 * ASSIGN_WEIGHT_ONE), 6144);
    assert_int_equal(ring_points_of(10, 1), 1);
    assert_int_equal(ring_points_of(3072, 0), 0);
}

/* With points of 8 bits, ten agents must collide; the named pair does not depend on the order. */
static void d3_points_that_meet_are_refused_and_both_agents_are_named(void **state)
{
    (void)state;
    struct set s;
    struct ring r;
    struct rng rng;
    struct assign_conflict first, again;
    set_make(&s, 5, 10, ASSIGN_WEIGHT_ONE);
    rng_init(&rng, 3);
    assert_rc(ring_of(&s, (struct ring_shape){100, 1, 8}, &r, &first), RC_EXISTS);
    assert_true(str_cmp(first.first, first.second) < 0);
    set_shuffle(&s, &rng);
    assert_rc(ring_of(&s, (struct ring_shape){100, 1, 8}, &r, &again), RC_EXISTS);
    assert_str(again.first, first.first);
    assert_str(again.second, first.second);
    assert_true(again.point == first.point);
}

static void d3_the_newcomer_may_join_under_another_name(void **state)
{
    (void)state;
    struct ring_shape shape = {4, 1, 8};
    struct set s;
    struct ring r;
    struct assign_conflict conflict;
    int refused = 0, joined = 0;
    set_make(&s, 5, 1, ASSIGN_WEIGHT_ONE);
    for (uint32_t name = 0; s.count < 8; name++) {
        set_add(&s, 6, name, ASSIGN_WEIGHT_ONE);
        struct str newcomer = s.agents[s.count - 1].name;
        enum rc rc = ring_of(&s, shape, &r, &conflict);
        if (rc == RC_OK) {
            ring_done(&r);
            joined++;
            continue;
        }
        assert_rc(rc, RC_EXISTS);
        assert_true(str_eq(conflict.first, newcomer) || str_eq(conflict.second, newcomer));
        s.count--;
        refused++;
    }
    assert_int_equal(joined, 7);
    assert_true(refused > 0);
}

static void one_agents_equal_points_are_no_conflict(void **state)
{
    (void)state;
    struct set s;
    struct ring r;
    struct assign_conflict conflict;
    set_make(&s, 5, 1, ASSIGN_WEIGHT_ONE);
    assert_rc(ring_of(&s, (struct ring_shape){500, 1, 8}, &r, &conflict), RC_OK);
    assert_true(r.point_count <= 256);
    ring_done(&r);
}

static double largest_deviation(const struct ring *r, double *ret_sum)
{
    double share[SET_MAX], largest = 0;
    assert_rc(ring_shares(r, share), RC_OK);
    *ret_sum = 0;
    for (uint32_t i = 0; i < r->agent_count; i++) {
        *ret_sum += share[i];
        largest = fmax(largest, fabs(share[i] * r->agent_count - 1));
    }
    return largest;
}

static void d4_the_default_keeps_the_largest_deviation_below_4_5_percent(void **state)
{
    (void)state;
    double worst = 0, sum;
    for (uint32_t count = 2; count <= 100; count++) {
        struct set s;
        set_make(&s, 1, count, ASSIGN_WEIGHT_ONE);
        struct ring r = ring_must(&s, ASSIGN_POINTS, ASSIGN_PROBES);
        worst = fmax(worst, largest_deviation(&r, &sum));
        assert_true(fabs(sum - 1) < 1e-9);
        ring_done(&r);
    }
    print_message("# largest deviation for 2 to 100 agents: %.2f %%\n", worst * 100);
    assert_true(worst < 0.045);
}

static void shares_computed_are_the_shares_seen(void **state)
{
    (void)state;
    enum { SAMPLE = 200000 };
    for (uint32_t probes = 1; probes <= 4; probes++) {
        struct set s;
        set_make(&s, probes, 10, 0);
        struct ring r = ring_must(&s, 50, probes);
        double share[SET_MAX];
        uint32_t owned[SET_MAX] = {0};
        assert_rc(ring_shares(&r, share), RC_OK);
        struct rng rng;
        rng_init(&rng, 17);
        for (int i = 0; i < SAMPLE; i++)
            owned[ring_owner(&r, rng_next(&rng))]++;
        for (uint32_t i = 0; i < s.count; i++)
            assert_true(fabs(owned[i] - share[i] * SAMPLE) < 5 * sqrt(share[i] * SAMPLE));
        ring_done(&r);
    }
}

static void shapes_outside_the_limits_are_refused(void **state)
{
    (void)state;
    struct set s;
    struct ring r;
    struct assign_conflict conflict;
    set_make(&s, 1, 3, ASSIGN_MAX_WEIGHT);
    assert_rc(ring_of(&s, (struct ring_shape){0, 1, 64}, &r, &conflict), RC_INVALID);
    assert_rc(ring_of(&s, (struct ring_shape){1, 0, 64}, &r, &conflict), RC_INVALID);
    assert_rc(ring_of(&s, (struct ring_shape){1, ASSIGN_MAX_PROBES + 1, 64}, &r, &conflict),
              RC_INVALID);
    assert_rc(ring_of(&s, (struct ring_shape){UINT32_MAX, 1, 64}, &r, &conflict), RC_LIMIT);
}

static enum rc build_and_measure(void *ctx)
{
    const struct set *s = ctx;
    struct ring r;
    struct assign_conflict conflict;
    double share[SET_MAX];
    enum rc rc = ring_of(s, (struct ring_shape){50, 2, 64}, &r, &conflict);
    if (rc)
        return rc;
    rc = ring_shares(&r, share);
    ring_done(&r);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct set s;
    set_make(&s, 1, 4, 0);
    test_each_allocation_fails(build_and_measure, &s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_owns_what_lies_between_the_former_one_and_itself),
        cmocka_unit_test(the_table_finds_what_a_walk_over_all_points_finds),
        cmocka_unit_test(with_some_absent_it_is_the_ring_of_the_others),
        cmocka_unit_test(the_points_of_a_lower_weight_are_the_first_of_a_higher_one),
        cmocka_unit_test(d3_points_that_meet_are_refused_and_both_agents_are_named),
        cmocka_unit_test(d3_the_newcomer_may_join_under_another_name),
        cmocka_unit_test(one_agents_equal_points_are_no_conflict),
        cmocka_unit_test(d4_the_default_keeps_the_largest_deviation_below_4_5_percent),
        cmocka_unit_test(shares_computed_are_the_shares_seen),
        cmocka_unit_test(shapes_outside_the_limits_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
