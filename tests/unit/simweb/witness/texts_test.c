/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "witness/texts.h"

#include "base/mem.h"

#include <stdio.h>

enum { MANY = 20000 };

static struct str made(char room[32], int i)
{
    int n = snprintf(room, 32, "text number %d", i);
    return str_make(room, (size_t)n);
}

static void texts_are_walked_in_order_over_many_chunks(void **state)
{
    (void)state;
    struct texts t;
    texts_init(&t, UINT64_C(1) << 30);
    char room[32];
    struct str first = texts_add(&t, made(room, 0));
    for (int i = 1; i < MANY; i++)
        assert_str(texts_add(&t, made(room, i)), made(room, i));
    assert_str(first, STR("text number 0"));
    assert_int_equal(t.count, MANY);
    struct texts_walk walk = {0};
    struct str s;
    for (int i = 0; i < MANY; i++) {
        assert_true(texts_next(&t, &walk, &s));
        assert_str(s, made(room, i));
    }
    assert_false(texts_next(&t, &walk, &s));
    texts_add(&t, STR("one more"));
    assert_true(texts_next(&t, &walk, &s));
    assert_str(s, STR("one more"));
    texts_done(&t);
}

static void an_empty_text_is_there_and_a_long_one_is_cut(void **state)
{
    (void)state;
    struct texts t;
    texts_init(&t, UINT64_C(1) << 30);
    struct texts_walk walk = {0};
    struct str s;
    assert_false(texts_next(&t, &walk, &s));
    assert_non_null(texts_add(&t, STR("")).p);
    struct buf b;
    buf_init(&b, 100000);
    buf_fill(&b, 'x', 70000);
    assert_int_equal(texts_add(&t, buf_str(&b)).n, TEXTS_MAX_BYTES);
    assert_int_equal(texts_add(&t, buf_str(&b)).n, TEXTS_MAX_BYTES);
    assert_true(texts_next(&t, &walk, &s));
    assert_int_equal(s.n, 0);
    for (int i = 0; i < 2; i++) {
        assert_true(texts_next(&t, &walk, &s));
        assert_int_equal(s.n, TEXTS_MAX_BYTES);
    }
    assert_false(texts_next(&t, &walk, &s));
    buf_done(&b);
    texts_done(&t);
}

static void past_the_maximum_nothing_is_kept(void **state)
{
    (void)state;
    struct texts t;
    texts_init(&t, 1000);
    assert_null(texts_add(&t, STR("x")).p);
    assert_int_equal(t.count, 0);
    texts_done(&t);
}

static enum rc keep_two(void *ctx)
{
    (void)ctx;
    struct texts t;
    texts_init(&t, UINT64_C(1) << 30);
    enum rc rc = RC_OK;
    for (int i = 0; i < 10000; i++)
        if (!texts_add(&t, STR("some text of no length")).p)
            rc = RC_NOMEM;
    texts_done(&t);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(keep_two, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_walked_in_order_over_many_chunks),
        cmocka_unit_test(an_empty_text_is_there_and_a_long_one_is_cut),
        cmocka_unit_test(past_the_maximum_nothing_is_kept),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
