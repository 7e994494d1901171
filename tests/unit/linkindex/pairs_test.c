/* SPDX-License-Identifier: Apache-2.0 */
#include "linkindex/pairs.h"

#include "base/rng.h"
#include "lib/test.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 3000 };

static int by_pair(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    return x->key != y->key       ? (x->key < y->key ? -1 : 1)
           : x->value != y->value ? (x->value < y->value ? -1 : 1)
                                  : 0;
}

/* The plain way. */
static size_t sort_plainly(struct pair *list, size_t count)
{
    size_t kept = 0;
    qsort(list, count, sizeof *list, by_pair);
    for (size_t i = 0; i < count; i++)
        if (kept && by_pair(&list[kept - 1], &list[i]) == 0)
            list[kept - 1].letters |= list[i].letters;
        else
            list[kept++] = list[i];
    return kept;
}

static uint64_t some_word(struct rng *rng)
{
    uint64_t v = rng_next(rng);
    switch (rng_below(rng, 4)) {
    case 0:
        return v % 5;
    case 1:
        return v >> rng_below(rng, 64);
    case 2:
        return UINT64_MAX - v % 3;
    default:
        return v;
    }
}

static void they_are_sorted_and_none_is_there_twice(void **state)
{
    (void)state;
    static struct pair list[MOST], same[MOST], spare[MOST];
    struct rng rng;
    rng_init(&rng, test_seed(1));
    for (unsigned round = 0; round < 200; round++) {
        size_t count = (size_t)rng_below(&rng, round % 10 ? 40 : MOST);
        for (size_t i = 0; i < count; i++)
            list[i] = same[i] = (struct pair){some_word(&rng), some_word(&rng),
                                              UINT32_C(1) << rng_below(&rng, PAIR_LETTERS)};
        size_t kept = pairs_sort(list, spare, count);
        assert_int_equal(kept, sort_plainly(same, count));
        for (size_t i = 0; i < kept; i++)
            assert_true(by_pair(&list[i], &same[i]) == 0 && list[i].letters == same[i].letters);
    }
}

static void every_letter_has_a_bit_of_its_own(void **state)
{
    (void)state;
    char room[PAIR_LETTERS];
    uint32_t all = 0;
    for (char c = 'A'; c <= 'Z'; c++) {
        assert_false(all & pair_letter(c));
        assert_true(pair_letter((char)(c + 'a' - 'A')) == pair_letter(c));
        assert_int_equal(pair_letters_print(pair_letter(c), room), 1);
        assert_int_equal(room[0], c);
        all |= pair_letter(c);
    }
    assert_true(all == PAIR_ALL_LETTERS);
    assert_true(pair_letter('L') == 1);
    size_t n = pair_letters_print(pair_letter('R') | pair_letter('E') | pair_letter('L'), room);
    assert_str(str_make(room, n), STR("ELR"));
    assert_true(pair_letter('[') == 1 && pair_letter('@') == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_sorted_and_none_is_there_twice),
        cmocka_unit_test(every_letter_has_a_bit_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
