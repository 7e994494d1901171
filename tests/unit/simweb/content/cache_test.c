/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "base/mem.h"
#include "content/cache.h"

static void what_was_put_is_found_and_the_rest_is_not(void **state)
{
    (void)state;
    struct cache *c = cache_open(10000);
    cache_put(c, 1, STR("one"));
    cache_put(c, 8193, STR("same bucket"));
    cache_put(c, 3, STR(""));
    assert_str(cache_get(c, 1), STR("one"));
    assert_str(cache_get(c, 8193), STR("same bucket"));
    assert_non_null(cache_get(c, 3).p);
    assert_null(cache_get(c, 2).p);
    cache_close(c);
}

static void the_least_used_goes_first(void **state)
{
    (void)state;
    static const char body[200];
    struct cache *c = cache_open(1000);
    for (uint64_t key = 0; key < 4; key++)
        cache_put(c, key, str_make(body, sizeof body));
    assert_non_null(cache_get(c, 0).p); /* makes 1 the oldest */
    cache_put(c, 4, str_make(body, sizeof body));
    assert_null(cache_get(c, 1).p);
    assert_non_null(cache_get(c, 0).p);
    assert_non_null(cache_get(c, 4).p);
    cache_close(c);
}

static void too_large_a_body_is_not_kept_and_pushes_nobody_out(void **state)
{
    (void)state;
    static const char body[900];
    struct cache *c = cache_open(1000);
    cache_put(c, 1, STR("one"));
    cache_put(c, 2, str_make(body, sizeof body));
    assert_null(cache_get(c, 2).p);
    assert_str(cache_get(c, 1), STR("one"));
    cache_close(c);
}

static void thousands_come_and_go(void **state)
{
    (void)state;
    struct cache *c = cache_open(20000);
    char body[100] = {0};
    for (uint64_t key = 0; key < 20000; key++) {
        memcpy(body, &key, sizeof key);
        cache_put(c, key * 64, str_make(body, sizeof body));
        assert_str(cache_get(c, key * 64), str_make(body, sizeof body));
    }
    assert_null(cache_get(c, 0).p);
    cache_close(c);
    cache_close(NULL);
}

static enum rc fill(void *ctx)
{
    (void)ctx;
    struct cache *c = cache_open(1000);
    if (!c)
        return RC_NOMEM;
    cache_put(c, 1, STR("one"));
    enum rc rc = cache_get(c, 1).p ? RC_OK : RC_NOMEM;
    cache_close(c);
    return rc;
}

static void it_does_without_memory(void **state)
{
    (void)state;
    test_each_allocation_fails(fill, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_found_and_the_rest_is_not),
        cmocka_unit_test(the_least_used_goes_first),
        cmocka_unit_test(too_large_a_body_is_not_kept_and_pushes_nobody_out),
        cmocka_unit_test(thousands_come_and_go),
        cmocka_unit_test(it_does_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
