/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "base/map.h"

#include <stdio.h>

enum { MANY = 2000 };

static char names[MANY][12];

static int name_all(void **state)
{
    (void)state;
    for (int i = 0; i < MANY; i++)
        snprintf(names[i], sizeof names[i], "key-%d", i);
    return 0;
}

static void what_was_put_is_found_in_order(void **state)
{
    (void)state;
    struct map m;
    map_init(&m, MANY);
    assert_null(map_get(&m, STR("nothing yet")));
    for (int i = 0; i < MANY; i++)
        assert_rc(map_put(&m, str_c(names[i]), names[i]), RC_OK);
    for (int i = 0; i < MANY; i++) {
        assert_ptr_equal(map_get(&m, str_c(names[i])), names[i]);
        assert_ptr_equal(m.rows[i].value, names[i]);
    }
    assert_false(map_has(&m, STR("key-x")));
    assert_rc(map_put(&m, STR("one more"), NULL), RC_LIMIT);
    map_done(&m);
}

static void a_second_put_leaves_the_first(void **state)
{
    (void)state;
    struct map m;
    map_init(&m, 10);
    assert_rc(map_put(&m, STR("a"), names[1]), RC_OK);
    assert_rc(map_put(&m, STR("a"), names[2]), RC_EXISTS);
    assert_ptr_equal(map_get(&m, STR("a")), names[1]);
    map_done(&m);
}

static enum rc fill(void *ctx)
{
    (void)ctx;
    struct map m;
    map_init(&m, 100);
    enum rc rc = RC_OK;
    for (int i = 0; i < 100 && rc == RC_OK; i++)
        rc = map_put(&m, str_c(names[i]), names[i]);
    for (uint32_t i = 0; i < m.count; i++)
        assert_ptr_equal(map_get(&m, str_c(names[i])), names[i]);
    map_done(&m);
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
        cmocka_unit_test(what_was_put_is_found_in_order),
        cmocka_unit_test(a_second_put_leaves_the_first),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, name_all, NULL);
}
