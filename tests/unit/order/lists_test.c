/* SPDX-License-Identifier: Apache-2.0 */
/* Which of three lists a value belongs to (P5). */
#include "order/lists.h"

#include "base/mem.h"
#include "base/rng.h"

#include "lib/test.h"

enum { WINDOW = 10000, STREAM = 60000 };

static struct order_lists *empty(void)
{
    static struct order_lists lists;
    lists = (struct order_lists){0};
    return &lists;
}

static void five_pages_are_cut_into_thirds(void **state)
{
    (void)state;
    static const int values[] = {5, 12, 8, -1, 2};
    static const unsigned lists[] = {1, 0, 0, 2, 2}; /* the paper counts from 1: 2 1 1 3 3 */
    struct order_lists *l = empty();
    for (int i = 0; i < 5; i++)
        order_lists_add(l, values[i]);
    for (int round = 0; round < 100; round++)
        for (int i = 0; i < 5; i++) {
            assert_int_equal(order_lists_place(l, values[i]), lists[i]);
            assert_int_equal(order_lists_best(l, values[i]), lists[i]);
        }
}

static void the_cuts_are_rounded(void **state)
{
    (void)state;
    for (int n = 1; n <= 60; n++) {
        struct order_lists *l = empty();
        unsigned counts[ORDER_LISTS] = {0};
        for (int i = 0; i < n; i++)
            order_lists_add(l, i * 7 - 200);
        for (int i = 0; i < n; i++)
            counts[order_lists_place(l, i * 7 - 200)]++;
        assert_int_equal(counts[0], (2 * n + 3) / 6);
        assert_int_equal(counts[0] + counts[1], (4 * n + 3) / 6);
    }
}

static void the_ends_of_the_range_have_a_bin(void **state)
{
    (void)state;
    struct order_lists *l = empty();
    order_lists_add(l, ORDER_VALUE_MAX);
    order_lists_add(l, 0);
    order_lists_add(l, ORDER_VALUE_MIN);
    assert_int_equal(order_lists_place(l, ORDER_VALUE_MAX), 0);
    assert_int_equal(order_lists_place(l, 0), 1);
    assert_int_equal(order_lists_place(l, ORDER_VALUE_MIN), 2);
}

static void equal_values_are_split_in_proportion(void **state)
{
    (void)state;
    struct order_lists *l = empty();
    unsigned counts[ORDER_LISTS] = {0};
    for (int i = 0; i < 60; i++)
        order_lists_add(l, i < 10 ? 9 : i < 50 ? 5 : 1);
    for (int i = 0; i < 4000; i++)
        counts[order_lists_place(l, 5)]++;
    assert_in_range(counts[0], 990, 1010);  /* of the 40 in the middle 10 are in the first third, */
    assert_in_range(counts[1], 1990, 2010); /* 20 in the second */
    assert_in_range(counts[2], 990, 1010);
    assert_int_equal(order_lists_best(l, 5), 0);
    assert_int_equal(order_lists_best(l, 1), 2);
    assert_int_equal(order_lists_best(empty(), -1000), 0);
}

/* Streams of values ---------------------------------------------------------------------------- */

static int constant(struct rng *r, int i)
{
    (void)r, (void)i;
    return 7;
}
static int any(struct rng *r, int i)
{
    (void)i;
    return (int)rng_below(r, ORDER_BINS) + ORDER_VALUE_MIN;
}
static int rising(struct rng *r, int i)
{
    (void)r;
    return ORDER_VALUE_MIN + i / 30;
}
static int falling(struct rng *r, int i)
{
    (void)r;
    return ORDER_VALUE_MAX - i / 30;
}
static int steps(struct rng *r, int i)
{
    (void)r;
    return i / 5000 % 2 ? 500 + i / 5000 : 3;
}
static int two_heaps(struct rng *r, int i)
{
    (void)i;
    return rng_below(r, 3) ? -900 : 900;
}
static int in_turns(struct rng *r, int i)
{
    (void)r;
    return i % 3;
}
static int long_tail(struct rng *r, int i)
{
    (void)i;
    return 1000 / (int)(1 + rng_below(r, 1000));
}
static int bursts(struct rng *r, int i)
{
    return i / 700 % 3 ? (int)rng_below(r, 50) : 1000;
}

static const struct {
    const char *name;
    int (*value)(struct rng *r, int i);
} streams[] = {{"constant", constant}, {"any", any},
               {"rising", rising},     {"falling", falling},
               {"steps", steps},       {"two heaps", two_heaps},
               {"in turns", in_turns}, {"long tail", long_tail},
               {"bursts", bursts}};

static void of_any_ten_thousand_admissions_each_list_gets_a_third(void **state)
{
    (void)state;
    struct rng r;
    uint8_t *lists = mem_alloc(STREAM);
    assert_non_null(lists);
    rng_init(&r, test_seed(15));
    for (size_t s = 0; s < sizeof streams / sizeof *streams; s++) {
        struct order_lists *l = empty();
        int counts[ORDER_LISTS] = {0};
        for (int i = 0; i < STREAM; i++) {
            lists[i] = (uint8_t)order_lists_admit(l, streams[s].value(&r, i));
            counts[lists[i]]++;
            if (i >= WINDOW)
                counts[lists[i - WINDOW]]--;
            for (unsigned list = 0; i >= WINDOW && list < ORDER_LISTS; list++)
                if (counts[list] < WINDOW * 28 / 100 || counts[list] > WINDOW * 38 / 100)
                    fail_msg("%s: list %u has %d of 10,000 at %d", streams[s].name, list,
                             counts[list], i);
        }
    }
    mem_free(lists);
}

/* The lists follow a crawl that changes: what was much becomes little. */
static void old_values_are_forgotten(void **state)
{
    (void)state;
    struct order_lists *l = empty();
    for (int i = 0; i < 100000; i++)
        order_lists_add(l, 900);
    for (int i = 0; i < 20000; i++)
        order_lists_add(l, i % 30);
    assert_int_equal(order_lists_best(l, 25), 0);
    assert_int_equal(order_lists_best(l, 5), 2);
}

static void better_values_are_of_better_lists(void **state)
{
    (void)state;
    struct rng r;
    struct order_lists *l = empty();
    rng_init(&r, test_seed(16));
    unsigned wrong = 0;
    for (int i = 0; i < 30000; i++) {
        int value = (int)rng_below(&r, 300);
        unsigned list = order_lists_admit(l, value);
        wrong += i > 3000 && list != (value >= 200 ? 0u : value >= 100 ? 1u : 2u);
    }
    assert_in_range(wrong, 0, 1800); /* near the cuts, which move a little */
}

static void bands_never_split_equal_values(void **state)
{
    (void)state;
    struct order_lists *l = empty();
    for (int i = 0; i < 1000; i++)
        assert_int_equal(order_lists_band(l, 5), 0); /* the best there is */
    l = empty();
    for (int i = 0; i < 1600; i++) {
        int value = i % 16; /* 15 and 14 are an eighth, 13 to 8 the rest of the better half */
        unsigned band = order_lists_band(l, value);
        if (i >= 160 && value != 13 && value != 7) /* next to a cut, which moves in each round */
            assert_int_equal(band, value >= 14 ? 0 : value >= 8 ? 1 : 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_pages_are_cut_into_thirds),
        cmocka_unit_test(the_cuts_are_rounded),
        cmocka_unit_test(the_ends_of_the_range_have_a_bin),
        cmocka_unit_test(equal_values_are_split_in_proportion),
        cmocka_unit_test(of_any_ten_thousand_admissions_each_list_gets_a_third),
        cmocka_unit_test(old_values_are_forgotten),
        cmocka_unit_test(better_values_are_of_better_lists),
        cmocka_unit_test(bands_never_split_equal_values),
    };
    return cmocka_run_group_tests_name("lists", tests, NULL, NULL);
}
