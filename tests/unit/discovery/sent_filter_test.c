/* SPDX-License-Identifier: Apache-2.0 */
/* Links that were sent lately are not sent again. */
#include "discovery/sent_filter.h"

#include "lib/test.h"

static struct sent_filter filter;

static void a_link_is_sent_once_a_depth(void **state)
{
    (void)state;
    assert_false(sent_filter_add(&filter, 1000, 3));
    assert_true(sent_filter_add(&filter, 1000, 3));
    assert_false(sent_filter_add(&filter, 1000, 2));
    assert_true(sent_filter_add(&filter, 1000, 2));
    sent_filter_expect(&filter, 1000); /* changes nothing */
    assert_true(sent_filter_add(&filter, 1000, 2));
}

static void a_newer_link_takes_the_room_of_an_older_one(void **state)
{
    (void)state;
    const uint64_t old = 5, new = 5 + SENT_FILTER_ENTRIES *UINT64_C(300);
    assert_false(sent_filter_add(&filter, old, 0));
    assert_false(sent_filter_add(&filter, new, 0));
    assert_false(sent_filter_add(&filter, old, 0));
}

static void a_link_that_is_forgotten_is_sent_again_whatever_its_depth(void **state)
{
    (void)state;
    for (unsigned depth = 0; depth <= 255; depth += 51) {
        (void)sent_filter_add(&filter, 7000, depth);
        sent_filter_forget(&filter, 7000);
        assert_false(sent_filter_add(&filter, 7000, depth));
    }
}

static void forgetting_a_link_leaves_another_in_its_room(void **state)
{
    (void)state;
    const uint64_t other = 9 + SENT_FILTER_ENTRIES * UINT64_C(300);
    (void)sent_filter_add(&filter, other, 0);
    sent_filter_forget(&filter, 9);
    assert_true(sent_filter_add(&filter, other, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_is_sent_once_a_depth),
        cmocka_unit_test(a_newer_link_takes_the_room_of_an_older_one),
        cmocka_unit_test(a_link_that_is_forgotten_is_sent_again_whatever_its_depth),
        cmocka_unit_test(forgetting_a_link_leaves_another_in_its_room),
    };
    return cmocka_run_group_tests_name("sent_filter", tests, NULL, NULL);
}
