/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/roster/capacity.h"

#include "lib/test.h"

enum { ORDINARY = 64 };

static uint32_t with(struct capacity *c, uint64_t left_percent)
{
    return capacity_weight(c, ORDINARY, (100 - left_percent) << 30, left_percent << 30);
}

static void room_that_goes_takes_weight_in_steps(void **state)
{
    (void)state;
    static const struct {
        uint64_t left;
        uint32_t weight;
    } rows[] = {{100, 64}, {40, 64}, {39, 48}, {20, 48}, {19, 32},
                {10, 32},  {9, 16},  {5, 16},  {4, 0},   {0, 0}};
    struct capacity c = {CAPACITY_STEPS};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(with(&c, rows[i].left), rows[i].weight);
}

static void it_comes_back_only_with_clearly_more_room(void **state)
{
    (void)state;
    static const struct {
        uint64_t left;
        uint32_t weight;
    } rows[] = {{4, 0},   {5, 0},   {7, 0},   {8, 16},  {14, 16},
                {15, 32}, {29, 32}, {30, 48}, {59, 48}, {60, 64}};
    struct capacity c = {CAPACITY_STEPS};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(with(&c, rows[i].left), rows[i].weight);
}

static void at_an_edge_it_changes_once(void **state)
{
    (void)state;
    struct capacity c = {CAPACITY_STEPS};
    unsigned changes = 0;
    uint32_t last = with(&c, 41);
    for (unsigned i = 0; i < 100; i++) {
        uint32_t now = with(&c, i % 2 ? 41 : 39);
        changes += now != last;
        last = now;
    }
    assert_int_equal(changes, 1);
}

static void many_steps_at_once_are_taken_at_once(void **state)
{
    (void)state;
    struct capacity c = {CAPACITY_STEPS};
    assert_int_equal(with(&c, 1), 0);
    assert_int_equal(with(&c, 90), ORDINARY);
}

static void small_and_absent_numbers_are_numbers(void **state)
{
    (void)state;
    struct capacity c = {CAPACITY_STEPS};
    assert_int_equal(capacity_weight(&c, 1, 90, 10), 1); /* not 0: it has room */
    assert_int_equal(capacity_weight(&c, 0, 0, 100), 0);
    assert_int_equal(capacity_weight(&c, 64, 0, 0), 0);
    assert_int_equal(capacity_weight(&c, 64, UINT64_MAX, UINT64_MAX),
                     48); /* half: three quarters */
    assert_int_equal(capacity_weight(&c, 64, 0, UINT64_MAX), 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_that_goes_takes_weight_in_steps),
        cmocka_unit_test(it_comes_back_only_with_clearly_more_room),
        cmocka_unit_test(at_an_edge_it_changes_once),
        cmocka_unit_test(many_steps_at_once_are_taken_at_once),
        cmocka_unit_test(small_and_absent_numbers_are_numbers),
    };
    return cmocka_run_group_tests_name("capacity", tests, NULL, NULL);
}
