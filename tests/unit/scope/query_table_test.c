/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/query_table.h"

#include "base/hash.h"
#include "base/mem.h"
#include "lib/test.h"

#include <stdio.h>

static struct str numbered(char room[32], unsigned i)
{
    int n = snprintf(room, 32, "/path-%u", i);
    return str_make(room, (size_t)n);
}

static void a_path_has_as_many_as_it_may(void **state)
{
    (void)state;
    struct query_table *t = query_table_open(4, 1);
    for (int i = 0; i < 3; i++)
        assert_true(query_table_count(t, 1, STR("/a"), 3));
    assert_false(query_table_count(t, 1, STR("/a"), 3));
    assert_true(query_table_count(t, 1, STR("/b"), 3));
    assert_true(query_table_count(t, 2, STR("/a"), 3));
    assert_true(query_table_count(t, 1, STR("/a"), 4));
    assert_false(query_table_count(t, 1, STR("/a"), 4));
    query_table_close(t);
    query_table_close(NULL);
}

/* However many paths push each other out: the first 20 of each are let through. */
static void never_fewer_than_that_are_let_through(void **state)
{
    (void)state;
    enum { PATHS = 500, MOST = 20 };
    char room[32];
    struct query_table *t = query_table_open(0, 1);
    for (unsigned round = 0; round < MOST; round++)
        for (unsigned i = 0; i < PATHS; i++)
            assert_true(query_table_count(t, 1, numbered(room, i), MOST));
    query_table_close(t);
}

static void a_trap_stays_known_among_many_paths(void **state)
{
    (void)state;
    enum { MOST = 1000 };
    char room[32];
    unsigned passed = 0;
    struct query_table *t = query_table_open(2, 1);
    for (unsigned i = 0; i < 100000; i++) {
        passed += query_table_count(t, 1, STR("/calendar"), MOST);
        (void)query_table_count(t, hash64_mix(i), numbered(room, i), MOST);
    }
    assert_in_range(passed, MOST, MOST + 100);
    query_table_close(t);
}

static void a_table_that_grows_forgets_no_path(void **state)
{
    (void)state;
    enum { PATHS = 1000, MOST = 3 }; /* of 8,192 */
    char room[32];
    struct query_table *t = query_table_open(10, 1);
    for (unsigned round = 0; round < MOST; round++)
        for (unsigned i = 0; i < PATHS; i++)
            assert_true(query_table_count(t, 1, numbered(room, i), MOST));
    for (unsigned i = 0; i < PATHS; i++)
        assert_false(query_table_count(t, 1, numbered(room, i), MOST));
    query_table_close(t);
}

static void a_table_that_cannot_grow_still_counts(void **state)
{
    (void)state;
    enum { PATHS = 3000, MOST = 3 };
    char room[32];
    struct query_table *t = query_table_open(10, 1);
    for (unsigned round = 0; round < MOST; round++)
        for (unsigned i = 0; i < PATHS; i++) {
            mem_fault_at(1);
            assert_true(query_table_count(t, 1, numbered(room, i), MOST));
        }
    mem_fault_at(0);
    query_table_close(t);
}

static enum rc open_once(void *ctx)
{
    (void)ctx;
    struct query_table *t = query_table_open(4, 1);
    query_table_close(t);
    return t ? RC_OK : RC_NOMEM;
}

static void without_memory_there_is_none(void **state)
{
    (void)state;
    test_each_allocation_fails(open_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_has_as_many_as_it_may),
        cmocka_unit_test(never_fewer_than_that_are_let_through),
        cmocka_unit_test(a_trap_stays_known_among_many_paths),
        cmocka_unit_test(a_table_that_grows_forgets_no_path),
        cmocka_unit_test(a_table_that_cannot_grow_still_counts),
        cmocka_unit_test(without_memory_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
