/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of every set of agents, over many sets made from a seed, for the ring and rendezvous:
 * the owner follows from the list alone, only the newcomer gains and only the dead lose, and shares
 * follow the weights. */
#include "sets.h"

#include <math.h>

enum { SETS = 40, HOSTS = 3000 };

static const char *const kinds[] = {"ring", "rendezvous"};

struct case_of {
    const char *kind;
    struct rng rng;
};

static void each_set(void (*check)(struct case_of *c))
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct case_of c = {.kind = kinds[k]};
        rng_init(&c.rng, test_seed(20260101) + k);
        for (int i = 0; i < SETS; i++)
            check(&c);
    }
}

static void check_order(struct case_of *c)
{
    struct set s;
    set_make(&s, rng_next(&c->rng), 1 + (uint32_t)rng_below(&c->rng, 40), 0);
    struct assign *a = set_open(c->kind, &s);
    set_shuffle(&s, &c->rng);
    struct assign *b = set_open(c->kind, &s);
    for (int i = 0; i < HOSTS; i++) {
        uint64_t host = rng_next(&c->rng);
        assert_str(owner_of_hash(b, host), owner_of_hash(a, host));
    }
    assign_close(a);
    assign_close(b);
}

static void d2_every_agent_computes_the_same_whatever_the_order_of_its_list(void **state)
{
    (void)state;
    each_set(check_order);
}

/* Every host of `before` either stays, or goes to an agent numbered `first_new` or above. */
static void check_join(struct case_of *c)
{
    struct set s;
    set_make(&s, rng_next(&c->rng), 1 + (uint32_t)rng_below(&c->rng, 30), 0);
    struct assign *before = set_open(c->kind, &s);
    uint32_t first_new = s.count;
    uint32_t joining = 1 + (uint32_t)rng_below(&c->rng, 4);
    uint64_t tag = rng_next(&c->rng);
    for (uint32_t i = 0; i < joining; i++)
        set_add(&s, tag, i, 16 + (uint32_t)rng_below(&c->rng, 100));
    struct assign *after = set_open(c->kind, &s);
    int moved = 0;
    for (int i = 0; i < HOSTS; i++) {
        struct assign_key key = {.host_hash = rng_next(&c->rng)};
        uint32_t old, new;
        assert_rc(assign_owner(before, &key, &old), RC_OK);
        assert_rc(assign_owner(after, &key, &new), RC_OK);
        assert_true(new == old || new >= first_new);
        moved += new != old;
    }
    assert_true(moved > 0 && moved < HOSTS);
    assign_close(before);
    assign_close(after);
}

static void d5_when_agents_join_no_old_one_gains_from_another_old_one(void **state)
{
    (void)state;
    each_set(check_join);
}

static void check_death(struct case_of *c)
{
    struct set s;
    set_make(&s, rng_next(&c->rng), 2 + (uint32_t)rng_below(&c->rng, 30), 0);
    struct assign *before = set_open(c->kind, &s);
    struct str dead = s.agents[rng_below(&c->rng, s.count)].name;
    struct set left = {.count = 0};
    for (uint32_t i = 0; i < s.count; i++)
        if (!str_eq(s.agents[i].name, dead))
            left.agents[left.count++] = s.agents[i];
    struct assign *after = set_open(c->kind, &left);
    int moved = 0;
    for (int i = 0; i < HOSTS; i++) {
        uint64_t host = rng_next(&c->rng);
        struct str old = owner_of_hash(before, host);
        if (str_eq(old, dead))
            moved++;
        else
            assert_str(owner_of_hash(after, host), old);
    }
    assert_true(moved > 0 && moved < HOSTS);
    assign_close(before);
    assign_close(after);
}

static void d5_when_one_dies_only_its_hosts_move(void **state)
{
    (void)state;
    each_set(check_death);
}

static void check_weight_change(struct case_of *c)
{
    struct set s;
    set_make(&s, rng_next(&c->rng), 2 + (uint32_t)rng_below(&c->rng, 30), 0);
    struct assign *before = set_open(c->kind, &s);
    uint32_t changed = (uint32_t)rng_below(&c->rng, s.count);
    uint32_t weight = (uint32_t)rng_below(&c->rng, 300);
    bool grows = weight >= s.agents[changed].weight;
    s.agents[changed].weight = weight;
    struct assign *after = set_open(c->kind, &s);
    for (int i = 0; i < HOSTS; i++) {
        uint64_t host = rng_next(&c->rng);
        struct str old = owner_of_hash(before, host), new = owner_of_hash(after, host);
        if (!str_eq(old, new))
            assert_str(grows ? new : old, s.agents[changed].name);
        assert_true(weight > 0 || !str_eq(new, s.agents[changed].name));
    }
    assign_close(before);
    assign_close(after);
}

static void d6_a_change_of_weight_moves_hosts_only_to_or_from_that_agent(void **state)
{
    (void)state;
    each_set(check_weight_change);
}

/* Five standard deviations of what chance allows: of the sample, and for the ring of its points. */
static void check_shares(struct case_of *c)
{
    enum { SAMPLE = 40000 };
    struct set s;
    set_make(&s, rng_next(&c->rng), 2 + (uint32_t)rng_below(&c->rng, 15), 0);
    struct assign *a = set_open(c->kind, &s);
    uint32_t owned[SET_MAX] = {0};
    double weights = 0;
    for (int i = 0; i < SAMPLE; i++) {
        struct assign_key key = {.host_hash = rng_next(&c->rng)};
        uint32_t at;
        assert_rc(assign_owner(a, &key, &at), RC_OK);
        owned[at]++;
    }
    for (uint32_t i = 0; i < s.count; i++)
        weights += s.agents[i].weight;
    for (uint32_t i = 0; i < s.count; i++) {
        double weight = s.agents[i].weight;
        double wanted = weight / weights * SAMPLE;
        double points = ASSIGN_POINTS * weight / ASSIGN_WEIGHT_ONE * (2 * ASSIGN_PROBES - 1);
        double variance = wanted + (c->kind == kinds[0] ? wanted * wanted / points : 0);
        assert_true(fabs(owned[i] - wanted) < 5 * sqrt(variance));
    }
    assign_close(a);
}

static void d6_shares_are_proportional_to_capacity(void **state)
{
    (void)state;
    each_set(check_shares);
}

static void d6_an_agent_of_weight_zero_owns_nothing(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct set s;
        set_make(&s, 7, 5, ASSIGN_WEIGHT_ONE);
        s.agents[2].weight = 0;
        struct assign *a = set_open(kinds[k], &s);
        for (uint64_t i = 0; i < 2000; i++) {
            struct assign_key key = {.host_hash = i * UINT64_C(0x9e3779b97f4a7c15)};
            uint32_t at;
            assert_rc(assign_owner(a, &key, &at), RC_OK);
            assert_int_not_equal(at, 2);
        }
        assign_close(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d2_every_agent_computes_the_same_whatever_the_order_of_its_list),
        cmocka_unit_test(d5_when_agents_join_no_old_one_gains_from_another_old_one),
        cmocka_unit_test(d5_when_one_dies_only_its_hosts_move),
        cmocka_unit_test(d6_a_change_of_weight_moves_hosts_only_to_or_from_that_agent),
        cmocka_unit_test(d6_shares_are_proportional_to_capacity),
        cmocka_unit_test(d6_an_agent_of_weight_zero_owns_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
