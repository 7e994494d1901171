/* SPDX-License-Identifier: Apache-2.0 */
/* Which list has its turn, and that no list of a host starves (P5). */
#include "order/wheel.h"

#include "base/rng.h"

#include "lib/test.h"

static void seven_turns_are_4_2_1(void **state)
{
    (void)state;
    static const unsigned turns[] = {0, 1, 0, 2, 0, 1, 0};
    struct order_wheel w = {0};
    for (unsigned i = 0; i < 70; i++)
        assert_int_equal(order_wheel_turn(&w, ORDER_PRIORITY, false), turns[i % 7]);
}

static void revisits_have_a_turn_behind_each_round(void **state)
{
    (void)state;
    static const unsigned turns[] = {0, 1, 0, 2, 0, 1, 0, ORDER_REVISITS};
    struct order_wheel w = {0};
    for (unsigned i = 0; i < 80; i++)
        assert_int_equal(order_wheel_turn(&w, ORDER_PRIORITY, true), turns[i % 8]);
}

static void of_a_topic_the_best_have_13_of_16_turns(void **state)
{
    (void)state;
    struct order_wheel w = {0};
    unsigned counts[ORDER_QUEUES] = {0};
    for (unsigned i = 0; i < 170; i++)
        counts[order_wheel_turn(&w, ORDER_TOPIC, true)]++;
    assert_int_equal(counts[0], 130);
    assert_int_equal(counts[1], 20);
    assert_int_equal(counts[2], 10);
    assert_int_equal(counts[ORDER_REVISITS], 10);
}

static void a_host_is_offered_in_all_its_lists_until_it_owes_one(void **state)
{
    (void)state;
    order_passes p = 0;
    for (unsigned i = 0; i < 7; i++) {
        assert_int_equal(order_offered(p, 5, ORDER_PRIORITY), 5);
        order_passed(&p, 0, 5);
    }
    assert_int_equal(order_offered(p, 5, ORDER_PRIORITY), 4);
    assert_int_equal(order_offered(p, 5, ORDER_TOPIC), 5);
    assert_int_equal(order_offered(p, 1, ORDER_PRIORITY), 1); /* nothing waits in it any more */
    order_passed(&p, 2, 5);
    assert_int_equal(order_offered(p, 5, ORDER_PRIORITY), 5);
}

static void passes_of_a_list_that_was_empty_do_not_count(void **state)
{
    (void)state;
    order_passes p = 0;
    for (unsigned i = 0; i < 6; i++)
        order_passed(&p, 0, 5);
    order_passed(&p, 0, 1);
    for (unsigned i = 0; i < 6; i++)
        order_passed(&p, 0, 5);
    assert_int_equal(order_offered(p, 5, ORDER_PRIORITY), 5);
    order_passed(&p, 0, 5);
    assert_int_equal(order_offered(p, 5, ORDER_PRIORITY), 4);
}

static void of_two_lists_that_are_owed_the_one_passed_over_more_comes_first(void **state)
{
    (void)state;
    order_passes p = 0;
    order_passed(&p, 0, 2);
    for (unsigned i = 0; i < 20; i++)
        order_passed(&p, 0, 14);
    assert_int_equal(order_offered(p, 14, ORDER_PRIORITY), 8); /* all at the most: the last */
    p = 0;
    order_passed(&p, 0, 2);
    for (unsigned i = 0; i < 7; i++)
        order_passed(&p, 0, 14);
    assert_int_equal(order_offered(p, 14, ORDER_PRIORITY), 2);
}

/* Each list is taken in time, in whatever way the caller chooses among the lists that are offered. */
static void no_list_waits_longer_than_ten_turns_of_its_host(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, test_seed(17));
    for (unsigned kind = ORDER_PRIORITY; kind <= ORDER_TOPIC; kind++) {
        order_passes p = 0;
        unsigned waits[ORDER_QUEUES] = {0}, most = kind == ORDER_PRIORITY ? 10 : 18;
        for (unsigned turn = 0; turn < 100000; turn++) {
            unsigned offered = order_offered(p, 15, (enum order_kind)kind), served = 0;
            if (turn / 1000 % 2)
                served = (unsigned)rng_below(&r, ORDER_QUEUES);
            while (!(offered & 1u << served)) /* the best that is offered, or any */
                served = (served + 1) % ORDER_QUEUES;
            order_passed(&p, served, 15);
            for (unsigned i = 0; i < ORDER_QUEUES; i++) {
                waits[i] = i == served ? 0 : waits[i] + 1;
                assert_in_range(waits[i], 0, most);
            }
        }
    }
}

/* Hosts whose delay is as long as a round of the wheel: each becomes ready always at the same turn,
 * and has URLs in two lists. */
struct locked {
    order_passes passes;
    unsigned since[ORDER_LISTS]; /* turns since the list was taken */
    bool is_ready;
};

static unsigned longest_wait(bool counts_passes)
{
    enum { HOSTS = 7, TICKS = 7000, WAITING = 5 /* lists 0 and 2 */ };
    struct locked hosts[HOSTS] = {0};
    struct order_wheel wheel = {0};
    unsigned longest = 0;
    for (unsigned tick = 0; tick < TICKS; tick++) {
        hosts[tick % HOSTS].is_ready = true;
        unsigned turn = order_wheel_turn(&wheel, ORDER_PRIORITY, false), taken = HOSTS, list = 0;
        for (unsigned choice = 0; choice < 4 && taken == HOSTS; choice++) {
            list = choice ? choice - 1 : turn;
            for (unsigned i = 0; i < HOSTS && taken == HOSTS; i++)
                if (hosts[i].is_ready &&
                    order_offered(hosts[i].passes, WAITING, ORDER_PRIORITY) & 1u << list)
                    taken = i;
        }
        assert_true(taken < HOSTS);
        struct locked *h = &hosts[taken];
        h->is_ready = false;
        if (counts_passes)
            order_passed(&h->passes, list, WAITING);
        for (unsigned i = 0; i < ORDER_LISTS; i += 2) {
            h->since[i] = i == list ? 0 : h->since[i] + 1;
            longest = h->since[i] > longest ? h->since[i] : longest;
        }
    }
    return longest;
}

static void hosts_that_are_locked_to_the_wheel_do_not_starve(void **state)
{
    (void)state;
    assert_true(longest_wait(false) >= 900); /* without the rule they do */
    assert_in_range(longest_wait(true), 1, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seven_turns_are_4_2_1),
        cmocka_unit_test(revisits_have_a_turn_behind_each_round),
        cmocka_unit_test(of_a_topic_the_best_have_13_of_16_turns),
        cmocka_unit_test(a_host_is_offered_in_all_its_lists_until_it_owes_one),
        cmocka_unit_test(passes_of_a_list_that_was_empty_do_not_count),
        cmocka_unit_test(of_two_lists_that_are_owed_the_one_passed_over_more_comes_first),
        cmocka_unit_test(no_list_waits_longer_than_ten_turns_of_its_host),
        cmocka_unit_test(hosts_that_are_locked_to_the_wheel_do_not_starve),
    };
    return cmocka_run_group_tests_name("wheel", tests, NULL, NULL);
}
