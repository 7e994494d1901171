/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include "lib/test.h"

static void a_list_grows_by_doubling_and_keeps_its_items(void **state)
{
    (void)state;
    uint64_t *list = NULL;
    size_t room = 0, moves = 0;
    for (size_t count = 0; count < 1000; count++) {
        size_t before = room;
        uint64_t *more = mem_grow(list, count, &room, sizeof *list);
        assert_non_null(more);
        assert_true(room > count);
        moves += room != before;
        list = more;
        list[count] = count;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_true(list[i] == i);
    assert_true(moves < 10);
    mem_free(list);
}

static void without_memory_the_list_stays_as_it_was(void **state)
{
    (void)state;
    size_t room = 0;
    uint64_t *list = mem_grow(NULL, 0, &room, sizeof *list);
    assert_non_null(list);
    size_t before = room;
    assert_ptr_equal(mem_grow(list, room - 1, &room, sizeof *list), list);
    mem_fault_at(1);
    assert_null(mem_grow(list, before, &room, sizeof *list));
    assert_true(mem_fault_hit());
    assert_int_equal(room, before);
    room = SIZE_MAX / 2 / sizeof *list + 1;
    assert_null(mem_grow(list, room, &room, sizeof *list)); /* more bytes than there are */
    mem_free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_grows_by_doubling_and_keeps_its_items),
        cmocka_unit_test(without_memory_the_list_stays_as_it_was),
    };
    return cmocka_run_group_tests_name("base/mem", tests, NULL, NULL);
}
