/* SPDX-License-Identifier: Apache-2.0 */
#include "assign/balance.h"

#include "lib/test.h"

#include <math.h>

static const uint32_t one_and_three[] = {1, 3};

static void d4_the_plain_ring_deviates_by_one_over_the_root_of_its_points(void **state)
{
    (void)state;
    struct balance b[2];
    assert_rc(balance_ring(100, 200, 4, one_and_three, 2, b), RC_OK);
    assert_true(fabs(b[0].deviation * sqrt(200) - 1) < 0.15);
    assert_true(fabs(b[1].deviation * sqrt(200 * 5) - 1) < 0.15);
    assert_true(b[0].mean < b[0].deviation && b[0].deviation < b[0].largest);
}

static void one_agent_has_everything(void **state)
{
    (void)state;
    struct balance b[2];
    assert_rc(balance_ring(1, 50, 2, one_and_three, 2, b), RC_OK);
    assert_true(b[0].largest < 1e-9 && b[1].largest < 1e-9);
}

static void rendezvous_deviates_by_chance_alone(void **state)
{
    (void)state;
    enum { AGENTS = 50, HOSTS = 50000 };
    struct balance b;
    assert_rc(balance_seen(assign_kind_find(STR("rendezvous")), AGENTS, HOSTS, &b), RC_OK);
    double chance = sqrt((AGENTS - 1.0) / HOSTS);
    assert_true(b.deviation > chance * 0.6 && b.deviation < chance * 1.4);
}

static void too_many_are_refused(void **state)
{
    (void)state;
    struct balance b[1];
    assert_rc(balance_ring(ASSIGN_MAX_AGENTS + 1, 1, 1, one_and_three, 1, b), RC_LIMIT);
    assert_rc(balance_ring(1000, 100000, 1, one_and_three, 1, b), RC_LIMIT);
}

static enum rc measure(void *ctx)
{
    (void)ctx;
    struct balance b[2];
    enum rc rc = balance_ring(3, 10, 1, one_and_three, 2, b);
    return rc ? rc : balance_seen(assign_kind_find(STR("rendezvous")), 3, 10, b);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(measure, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d4_the_plain_ring_deviates_by_one_over_the_root_of_its_points),
        cmocka_unit_test(one_agent_has_everything),
        cmocka_unit_test(rendezvous_deviates_by_chance_alone),
        cmocka_unit_test(too_many_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
