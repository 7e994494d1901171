/* SPDX-License-Identifier: Apache-2.0 */
#include "assign/domain_table.h"

#include "base/hash.h"
#include "sets.h"

struct named {
    char text[32];
};

static struct assign_key domain(struct named *n, uint32_t number)
{
    snprintf(n->text, sizeof n->text, "site%u.example", number);
    return (struct assign_key){.domain = str_c(n->text)};
}

static struct assign *open_with(const struct domain_policy *policy, uint32_t max,
                                const struct set *s)
{
    struct assign *a = NULL;
    struct assign_options o = {.policy = policy, .max_domains = max, .seed = 5};
    assert_rc(
        assign_open(assign_kind_find(STR("domain-table")), &o, s->agents, s->count, 1, NULL, &a),
        RC_OK);
    return a;
}

static uint32_t ask(struct assign *a, uint32_t number)
{
    struct named n;
    struct assign_key key = domain(&n, number);
    uint32_t at = UINT32_MAX;
    assert_rc(assign_owner(a, &key, &at), RC_OK);
    return at;
}

static void policies_are_found_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(domain_policy_find(STR("random")), &domain_policy_random);
    assert_ptr_equal(domain_policy_find(STR("least-loaded")), &domain_policy_least_loaded);
    assert_ptr_equal(domain_policy_find(STR("geography")), &domain_policy_geography);
    assert_null(domain_policy_find(STR("nearest")));
}

static void c5_a_domain_stays_with_its_client(void **state)
{
    (void)state;
    static const char *const names[] = {"random", "least-loaded", "geography"};
    for (size_t p = 0; p < 3; p++) {
        struct set s;
        set_make(&s, 1, 6, 0);
        struct assign *a = open_with(domain_policy_find(str_c(names[p])), 0, &s);
        uint32_t first[1000];
        for (uint32_t i = 0; i < 1000; i++)
            first[i] = ask(a, i);
        for (uint32_t i = 0; i < 1000; i++)
            assert_int_equal(ask(a, i), first[i]);
        struct domain_table_counts counts;
        domain_table_count(a, &counts);
        assert_int_equal(counts.remembered, 1000);
        assert_int_equal(counts.chosen, 1000);
        assign_close(a);
    }
}

static void c5_least_loaded_gives_each_client_its_weight(void **state)
{
    (void)state;
    struct set s;
    set_make(&s, 1, 3, ASSIGN_WEIGHT_ONE);
    s.agents[1].weight = 2 * ASSIGN_WEIGHT_ONE;
    s.agents[2].weight = 0;
    struct assign *a = open_with(&domain_policy_least_loaded, 0, &s);
    for (uint32_t i = 0; i < 300; i++)
        ask(a, i);
    struct domain_table_counts counts;
    domain_table_count(a, &counts);
    assert_int_equal(counts.held[0], 100);
    assert_int_equal(counts.held[1], 200);
    assert_int_equal(counts.held[2], 0);
    assign_close(a);
}

static void c5_random_follows_from_the_seed_and_the_weights(void **state)
{
    (void)state;
    struct set s;
    set_make(&s, 1, 3, ASSIGN_WEIGHT_ONE);
    s.agents[1].weight = 2 * ASSIGN_WEIGHT_ONE;
    s.agents[2].weight = 0;
    struct assign *a = open_with(&domain_policy_random, 0, &s);
    struct assign *b = open_with(&domain_policy_random, 0, &s);
    for (uint32_t i = 0; i < 3000; i++)
        assert_int_equal(ask(a, i), ask(b, i));
    struct domain_table_counts counts;
    domain_table_count(a, &counts);
    assert_true(counts.held[1] > 1870 && counts.held[1] < 2130); /* 2000, deviation 25.8 */
    assert_int_equal(counts.held[2], 0);
    assign_close(a);
    assign_close(b);
}

static void c5_geography_prefers_the_zone_of_the_domain(void **state)
{
    (void)state;
    struct set s;
    set_make(&s, 1, 4, ASSIGN_WEIGHT_ONE);
    for (uint32_t i = 0; i < 4; i++)
        s.agents[i].zone = 1 + i / 2;
    struct assign *a = open_with(&domain_policy_geography, 0, &s);
    for (uint32_t i = 0; i < 100; i++) {
        struct named n;
        struct assign_key key = domain(&n, i);
        key.zone = i % 4; /* 0 unknown, 3 has no client */
        uint32_t at;
        assert_rc(assign_owner(a, &key, &at), RC_OK);
        if (key.zone == 1 || key.zone == 2)
            assert_int_equal(s.agents[at].zone, key.zone);
    }
    struct domain_table_counts counts;
    domain_table_count(a, &counts);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(counts.held[i], 25);
    assign_close(a);
}

static uint32_t choose_last(const struct domain_view *view, const struct assign_key *key)
{
    (void)key;
    return view->count - 1;
}

static void c5_a_policy_of_ones_own_can_stand_in(void **state)
{
    (void)state;
    static const struct domain_policy last = {"last", "the last client", choose_last};
    struct set s;
    set_make(&s, 1, 4, ASSIGN_WEIGHT_ONE);
    struct assign *a = open_with(&last, 0, &s);
    assert_int_equal(ask(a, 1), 3);
    assign_close(a);
}

static void only_the_domains_of_a_client_that_is_gone_are_given_again(void **state)
{
    (void)state;
    struct set s;
    set_make(&s, 1, 5, ASSIGN_WEIGHT_ONE);
    struct assign *a = open_with(&domain_policy_least_loaded, 0, &s);
    uint32_t first[500];
    for (uint32_t i = 0; i < 500; i++)
        first[i] = ask(a, i);
    struct assign_agent left[] = {s.agents[4], s.agents[3], s.agents[1], s.agents[0]};
    static const uint32_t place[] = {3, 2, UINT32_MAX, 1, 0};
    assert_rc(assign_change(a, NULL, left, 4, 2, NULL), RC_OK);
    int given = 0;
    for (uint32_t i = 0; i < 500; i++) {
        uint32_t now = ask(a, i);
        if (first[i] == 2)
            given++;
        else
            assert_int_equal(now, place[first[i]]);
    }
    assert_int_equal(given, 100);
    struct domain_table_counts counts;
    domain_table_count(a, &counts);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(counts.held[i], 125);
    assign_close(a);
}

static void past_its_bound_it_answers_without_remembering(void **state)
{
    (void)state;
    struct set s;
    set_make(&s, 1, 5, ASSIGN_WEIGHT_ONE);
    struct assign *a = open_with(&domain_policy_least_loaded, 10, &s);
    uint32_t first[100];
    for (uint32_t i = 0; i < 100; i++)
        first[i] = ask(a, i);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(ask(a, i), first[i]);
    struct domain_table_counts counts;
    domain_table_count(a, &counts);
    assert_int_equal(counts.remembered, 10);
    assert_int_equal(counts.not_kept, 180);
    assert_rc(domain_table_put(a, 12345, 0), RC_LIMIT);
    assign_close(a);
}

static void copy_row(void *ctx, uint64_t domain_hash, uint32_t agent)
{
    assert_rc(domain_table_put(ctx, domain_hash, agent), RC_OK);
}

static void a_table_walked_into_another_gives_the_same_answers(void **state)
{
    (void)state;
    struct set s;
    set_make(&s, 1, 5, ASSIGN_WEIGHT_ONE);
    struct assign *a = open_with(&domain_policy_random, 0, &s);
    struct assign *b = open_with(&domain_policy_least_loaded, 0, &s);
    for (uint32_t i = 0; i < 500; i++)
        ask(a, i);
    domain_table_walk(a, copy_row, b);
    domain_table_walk(a, copy_row, b); /* a row put again changes nothing */
    for (uint32_t i = 0; i < 500; i++)
        assert_int_equal(ask(b, i), ask(a, i));
    struct domain_table_counts of_a, of_b;
    domain_table_count(a, &of_a);
    domain_table_count(b, &of_b);
    assert_memory_equal(of_a.held, of_b.held, 5 * sizeof *of_a.held);
    assert_int_equal(of_b.chosen, 0);
    assert_rc(domain_table_put(b, 1, 5), RC_INVALID);
    assign_close(a);
    assign_close(b);
}

static enum rc fill(void *ctx)
{
    struct set *s = ctx;
    struct assign *a;
    enum rc rc =
        assign_open(assign_kind_find(STR("domain-table")), NULL, s->agents, s->count, 1, NULL, &a);
    if (rc)
        return rc;
    for (uint32_t i = 0; rc == RC_OK && i < 200; i++) {
        struct named n;
        struct assign_key key = domain(&n, i);
        uint32_t at;
        rc = assign_owner(a, &key, &at);
    }
    assign_close(a);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct set s;
    set_make(&s, 1, 3, 0);
    test_each_allocation_fails(fill, &s);
}

static void a_key_without_a_domain_is_refused(void **state)
{
    (void)state;
    struct set s;
    set_make(&s, 1, 2, 0);
    struct assign *a = set_open("domain-table", &s);
    uint32_t at;
    assert_rc(assign_owner(a, &(struct assign_key){.host = STR("x")}, &at), RC_INVALID);
    assign_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_are_found_by_name),
        cmocka_unit_test(c5_a_domain_stays_with_its_client),
        cmocka_unit_test(c5_least_loaded_gives_each_client_its_weight),
        cmocka_unit_test(c5_random_follows_from_the_seed_and_the_weights),
        cmocka_unit_test(c5_geography_prefers_the_zone_of_the_domain),
        cmocka_unit_test(c5_a_policy_of_ones_own_can_stand_in),
        cmocka_unit_test(only_the_domains_of_a_client_that_is_gone_are_given_again),
        cmocka_unit_test(past_its_bound_it_answers_without_remembering),
        cmocka_unit_test(a_table_walked_into_another_gives_the_same_answers),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_key_without_a_domain_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
