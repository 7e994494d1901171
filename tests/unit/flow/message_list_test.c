/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/message_list.h"

#include "lib/test.h"

static void messages_leave_in_the_order_in_which_they_came(void **state)
{
    (void)state;
    struct message m[3] = {0};
    struct message_list l = {0};
    assert_null(message_list_take(&l));
    for (int round = 0; round < 2; round++) { /* also once it was empty */
        message_list_add(&l, &m[0]);
        message_list_add(&l, &m[1]);
        assert_ptr_equal(message_list_take(&l), &m[0]);
        message_list_add(&l, &m[2]);
        assert_ptr_equal(message_list_take(&l), &m[1]);
        assert_ptr_equal(message_list_take(&l), &m[2]);
        assert_null(message_list_take(&l));
    }
}

static void a_list_that_is_copied_is_taken_whole(void **state)
{
    (void)state;
    struct message m[2] = {0};
    struct message_list l = {0};
    message_list_add(&l, &m[0]);
    struct message_list all = l;
    l = (struct message_list){0};
    message_list_add(&l, &m[1]); /* what comes again meanwhile */
    assert_ptr_equal(message_list_take(&all), &m[0]);
    assert_null(message_list_take(&all));
    assert_ptr_equal(message_list_take(&l), &m[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_leave_in_the_order_in_which_they_came),
        cmocka_unit_test(a_list_that_is_copied_is_taken_whole),
    };
    return cmocka_run_group_tests_name("message_list", tests, NULL, NULL);
}
