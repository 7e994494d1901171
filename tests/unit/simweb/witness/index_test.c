/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "witness/index.h"

#include "base/hash.h"

enum { MANY = 100000 };

static void what_was_put_keeps_its_number_while_the_parts_grow(void **state)
{
    (void)state;
    struct index x;
    index_init(&x, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t *number = index_put(&x, hash64_mix(i));
        assert_non_null(number);
        assert_int_equal(*number, 0);
        *number = i + 1;
    }
    assert_int_equal(x.count, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(*index_get(&x, hash64_mix(i)), i + 1);
        assert_int_equal(*index_put(&x, hash64_mix(i)), i + 1);
    }
    assert_int_equal(x.count, MANY);
    assert_null(index_get(&x, hash64_mix(MANY)));
    assert_null(index_put(&x, hash64_mix(MANY)));
    index_done(&x);
}

static void the_hash_zero_and_neighbours_in_one_part_are_told_apart(void **state)
{
    (void)state;
    struct index x;
    index_init(&x, 1000);
    assert_null(index_get(&x, 0));
    for (uint64_t i = 0; i < 500; i++) /* all in part 0, the low bits the same */
        *index_put(&x, i << 32) = (uint32_t)i + 7;
    for (uint64_t i = 0; i < 500; i++)
        assert_int_equal(*index_get(&x, i << 32), i + 7);
    assert_null(index_get(&x, UINT64_C(500) << 32));
    index_done(&x);
    assert_int_equal(x.count, 0);
    assert_null(index_get(&x, 0));
}

static enum rc fill(void *ctx)
{
    (void)ctx;
    struct index x;
    index_init(&x, 1000);
    enum rc rc = RC_OK;
    for (uint32_t i = 0; i < 60; i++) {
        uint32_t *number = index_put(&x, (uint64_t)(i % 2) << 56 | (i + 1));
        if (number)
            *number = i;
        else
            rc = RC_NOMEM;
    }
    /* What could not be put once is put the next time. */
    *index_put(&x, 1) = 99;
    assert_int_equal(*index_get(&x, 1), 99);
    index_done(&x);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(fill, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_keeps_its_number_while_the_parts_grow),
        cmocka_unit_test(the_hash_zero_and_neighbours_in_one_part_are_told_apart),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
