/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/name_set.h"

#include "base/hash.h"
#include "lib/test.h"

#include <stdio.h>

static struct str numbered(char room[32], unsigned i)
{
    int n = snprintf(room, 32, "host-%u.example", i);
    return str_make(room, (size_t)n);
}

static enum rc add(struct name_set *s, struct str name)
{
    return name_set_add(s, hash64(name), name);
}

static bool has(const struct name_set *s, struct str name)
{
    return name_set_has(s, hash64(name), name);
}

static void what_is_added_stays(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    char room[32];
    struct name_set *s = name_set_open(1000000);
    for (unsigned i = 0; i < MANY; i++) {
        assert_false(has(s, numbered(room, i)));
        assert_rc(add(s, numbered(room, i)), RC_OK);
        assert_rc(add(s, numbered(room, i / 2)), RC_OK);
    }
    assert_int_equal(name_set_count(s), MANY);
    for (unsigned i = 0; i < MANY; i++)
        assert_true(has(s, numbered(room, i)));
    assert_false(has(s, numbered(room, MANY)));
    name_set_close(s);
    name_set_close(NULL);
}

static void names_are_compared_and_not_hashes_alone(void **state)
{
    (void)state;
    struct name_set *s = name_set_open(10);
    assert_rc(name_set_add(s, 7, STR("one")), RC_OK);
    assert_false(name_set_has(s, 7, STR("two")));
    assert_rc(name_set_add(s, 7, STR("two")), RC_OK);
    assert_rc(name_set_add(s, 7, STR("")), RC_OK);
    assert_true(name_set_has(s, 7, STR("one")));
    assert_true(name_set_has(s, 7, STR("two")));
    assert_true(name_set_has(s, 7, STR("")));
    assert_false(name_set_has(s, 7, STR("on")));
    assert_int_equal(name_set_count(s), 3);
    name_set_close(s);
}

static void long_names_pass_over_small_blocks(void **state)
{
    (void)state;
    static char room[NAME_SET_MAX_BYTES + 1];
    struct name_set *s = name_set_open(1000);
    memset(room, 'x', sizeof room);
    for (size_t n = 0; n <= NAME_SET_MAX_BYTES; n += 1111) {
        assert_rc(add(s, str_make(room, NAME_SET_MAX_BYTES - n)), RC_OK);
        assert_rc(add(s, str_make(room, n)), RC_OK);
    }
    for (size_t n = 0; n <= NAME_SET_MAX_BYTES; n += 1111)
        assert_true(has(s, str_make(room, n)) && has(s, str_make(room, NAME_SET_MAX_BYTES - n)));
    assert_false(has(s, str_make(room, 7)));
    assert_rc(add(s, str_make(room, sizeof room)), RC_LIMIT);
    name_set_close(s);
}

static void no_more_than_it_may_hold(void **state)
{
    (void)state;
    char room[32];
    struct name_set *s = name_set_open(2);
    assert_rc(add(s, numbered(room, 1)), RC_OK);
    assert_rc(add(s, numbered(room, 2)), RC_OK);
    assert_rc(add(s, numbered(room, 3)), RC_LIMIT);
    assert_rc(add(s, numbered(room, 2)), RC_OK);
    assert_false(has(s, numbered(room, 3)));
    name_set_close(s);
}

static enum rc fill(void *ctx)
{
    (void)ctx;
    char room[32];
    struct name_set *s = name_set_open(1000);
    enum rc rc = s ? RC_OK : RC_NOMEM;
    for (unsigned i = 0; i < 300 && rc == RC_OK; i++) {
        rc = add(s, numbered(room, i));
        bool is_kept = i == 0 || has(s, numbered(room, i - 1));
        if (!is_kept || has(s, numbered(room, i)) != (rc == RC_OK))
            rc = RC_CORRUPT;
    }
    name_set_close(s);
    return rc;
}

static void without_memory_it_keeps_what_it_has(void **state)
{
    (void)state;
    test_each_allocation_fails(fill, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_added_stays),
        cmocka_unit_test(names_are_compared_and_not_hashes_alone),
        cmocka_unit_test(long_names_pass_over_small_blocks),
        cmocka_unit_test(no_more_than_it_may_hold),
        cmocka_unit_test(without_memory_it_keeps_what_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
