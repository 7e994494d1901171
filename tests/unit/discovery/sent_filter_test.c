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

/* 1, 2, 4, ... more pages at a time: what was told is all that there was, but for the last. */
static void pages_that_repeat_a_link_are_told_in_growing_steps(void **state)
{
    (void)state;
    unsigned told = 0, messages = 0;
    const uint64_t link = 12000, other = 12000 + SENT_FILTER_ENTRIES * UINT64_C(300);
    assert_int_equal(sent_filter_count(&filter, link, sent_filter_add(&filter, link, 0)), 0);
    for (unsigned pages = 1; pages <= 1000; pages++) {
        unsigned more = sent_filter_count(&filter, link, sent_filter_add(&filter, link, 0));
        told += more;
        messages += more != 0;
        assert_true(told <= pages && (pages > 255 || 2 * told + 1 > pages));
        if (pages == 1)
            assert_int_equal(told, 1);
    }
    assert_int_equal(told, 255);
    assert_int_equal(messages, 8);
    assert_int_equal(sent_filter_count(&filter, other, sent_filter_add(&filter, other, 0)), 0);
    assert_int_equal(sent_filter_count(&filter, other, sent_filter_add(&filter, other, 0)), 1);
}

static void looking_adds_nothing_and_clearing_forgets_all(void **state)
{
    (void)state;
    assert_false(sent_filter_has(&filter, 4000, 2));
    assert_false(sent_filter_add(&filter, 4000, 2));
    assert_true(sent_filter_has(&filter, 4000, 2));
    assert_false(sent_filter_has(&filter, 4000, 1));
    (void)sent_filter_add(&filter, SENT_FILTER_ENTRIES - 1, 0);
    sent_filter_clear(&filter);
    assert_false(sent_filter_has(&filter, 4000, 2));
    assert_false(sent_filter_has(&filter, SENT_FILTER_ENTRIES - 1, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_is_sent_once_a_depth),
        cmocka_unit_test(a_newer_link_takes_the_room_of_an_older_one),
        cmocka_unit_test(a_link_that_is_forgotten_is_sent_again_whatever_its_depth),
        cmocka_unit_test(pages_that_repeat_a_link_are_told_in_growing_steps),
        cmocka_unit_test(forgetting_a_link_leaves_another_in_its_room),
        cmocka_unit_test(looking_adds_nothing_and_clearing_forgets_all),
    };
    return cmocka_run_group_tests_name("sent_filter", tests, NULL, NULL);
}
