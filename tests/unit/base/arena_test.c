/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "base/arena.h"

#include <stdalign.h>

static void pieces_are_aligned_and_apart(void **state)
{
    (void)state;
    struct arena *a = arena_open(256, 1 << 20);
    char *last = NULL;
    for (size_t i = 1; i < 400; i++) {
        char *p = arena_alloc(a, i);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
        memset(p, (int)i, i);
        if (last)
            assert_int_equal((unsigned char)last[0], (unsigned char)(i - 1));
        last = p;
    }
    assert_int_equal(arena_used(a), 399 * 400 / 2);
    arena_close(a);
}

static void past_its_maximum_it_refuses(void **state)
{
    (void)state;
    struct arena *a = arena_open(64, 1000);
    assert_non_null(arena_alloc(a, 1000));
    assert_null(arena_alloc(a, 1));
    assert_null(arena_dup(a, STR("x")).p);
    assert_null(arena_alloc(a, SIZE_MAX));
    arena_clear(a);
    assert_non_null(arena_zero(a, 1000));
    arena_close(a);
}

static void a_piece_whose_size_wraps_round_is_refused(void **state)
{
    (void)state;
    struct arena *a = arena_open(64, SIZE_MAX);
    for (size_t less = 0; less < 32; less++)
        assert_null(arena_alloc(a, SIZE_MAX - less));
    assert_non_null(arena_alloc(a, 16));
    arena_close(a);
    assert_null(arena_open(SIZE_MAX - 8, SIZE_MAX));
}

static void copies_end_with_nul(void **state)
{
    (void)state;
    struct arena *a = arena_open(64, 1000);
    struct str s = arena_dup(a, STR("ab"));
    assert_str(s, STR("ab"));
    assert_int_equal(s.p[2], 0);
    assert_non_null(arena_dup(a, STR_NONE).p);
    assert_str(arena_printf(a, "%s-%d", "n", 5), STR("n-5"));
    const struct str pieces[] = {STR("a"), STR_NONE, STR("/@"), STR("href")};
    struct str joined = arena_join(a, pieces, 4);
    assert_str(joined, STR("a/@href"));
    assert_int_equal(joined.p[joined.n], 0);
    assert_str(arena_join(a, pieces, 0), STR(""));
    const struct str huge[] = {{"", SIZE_MAX}, {"", SIZE_MAX}};
    assert_null(arena_join(a, huge, 2).p);
    assert_null(arena_join(a, huge, 1).p);
    arena_close(a);
}

static enum rc fill(void *ctx)
{
    (void)ctx;
    struct arena *a = arena_open(64, 1 << 20);
    bool good = a != NULL;
    for (int i = 0; good && i < 20; i++)
        good = arena_alloc(a, 50) != NULL;
    arena_close(a);
    return good ? RC_OK : RC_NOMEM;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(fill, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_and_apart),
        cmocka_unit_test(past_its_maximum_it_refuses),
        cmocka_unit_test(a_piece_whose_size_wraps_round_is_refused),
        cmocka_unit_test(copies_end_with_nul),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
