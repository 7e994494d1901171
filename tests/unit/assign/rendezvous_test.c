/* SPDX-License-Identifier: Apache-2.0 */
#include "assign/rendezvous.h"

#include "sets.h"

#include <math.h>
#include <stdlib.h>

static const struct assign_agent pair[] = {{{"ant", 3}, 64, 0}, {{"bee", 3}, 64, 0}};
static const uint32_t pair_order[] = {0, 1};
static const struct assign_list pair_list = {pair, pair_order, 2};

static double seen(const struct rendezvous *r, uint64_t u)
{
    return ldexp((double)rendezvous_neg_log2(r, u), -RENDEZVOUS_LOG_SCALE);
}

static void the_logarithm_is_right_to_two_in_ten_million(void **state)
{
    (void)state;
    struct rendezvous r;
    struct assign_conflict conflict;
    assert_rc(rendezvous_init(&r, &pair_list, &conflict), RC_OK);
    struct rng rng;
    rng_init(&rng, 8);
    for (int i = 0; i < 200000; i++) {
        uint64_t u = rng_next(&rng) >> (i % 64);
        double wanted = 64 - log2((double)(u | 1));
        assert_true(fabs(seen(&r, u) - wanted) < 2e-7);
    }
    assert_true(seen(&r, 0) == 64);
    assert_true(seen(&r, UINT64_MAX) < 1e-9);
    rendezvous_done(&r);
}

static void the_logarithm_never_rises_as_the_lot_rises(void **state)
{
    (void)state;
    struct rendezvous r;
    struct assign_conflict conflict;
    assert_rc(rendezvous_init(&r, &pair_list, &conflict), RC_OK);
    for (uint64_t i = 0; i + 1 < 1 << 18; i++)
        assert_true(rendezvous_neg_log2(&r, i << 46) >= rendezvous_neg_log2(&r, (i + 1) << 46));
    struct rng rng;
    rng_init(&rng, 9);
    for (int i = 0; i < 100000; i++) {
        uint64_t u = rng_next(&rng) >> (i % 60);
        assert_true(rendezvous_neg_log2(&r, u) >= rendezvous_neg_log2(&r, u + 1));
    }
    rendezvous_done(&r);
}

static void twice_the_weight_gets_twice_the_hosts(void **state)
{
    (void)state;
    struct assign_agent agents[] = {pair[0], pair[1]};
    struct assign_list list = {agents, pair_order, 2};
    struct rendezvous r;
    struct assign_conflict conflict;
    agents[1].weight = 128;
    assert_rc(rendezvous_init(&r, &list, &conflict), RC_OK);
    struct rng rng;
    rng_init(&rng, 10);
    int second = 0;
    for (int i = 0; i < 90000; i++)
        second += rendezvous_owner(&r, rng_next(&rng)) == 1;
    assert_true(abs(second - 60000) < 5 * 142); /* the standard deviation is 141.4 */
    rendezvous_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_logarithm_is_right_to_two_in_ten_million),
        cmocka_unit_test(the_logarithm_never_rises_as_the_lot_rises),
        cmocka_unit_test(twice_the_weight_gets_twice_the_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
