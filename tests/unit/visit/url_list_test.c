/* SPDX-License-Identifier: Apache-2.0 */
/* A list of URLs: its items, and what is told when it ends. */
#include "visit/url_list.h"

#include "lib/test.h"

#include <stdio.h>

struct told {
    unsigned count;
    bool is_safe;
};

static void told(void *ctx, bool is_safe)
{
    struct told *t = ctx;
    t->count++;
    t->is_safe = is_safe;
}

static void items_stay_in_their_order(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    struct url_list *l = url_list_open(LIST_REQUEUED);
    assert_non_null(l);
    assert_true(l->origin == LIST_REQUEUED && l->head.type == &url_list_type);
    for (unsigned i = 0; i < COUNT; i++) {
        char text[32];
        snprintf(text, sizeof text, "http://a/%u", i);
        struct str url = arena_dup(l->arena, str_c(text));
        assert_true(url_list_add(l, &(struct url_list_item){.url = url, .via = i, .hop = 'L'}));
    }
    assert_int_equal(l->count, COUNT);
    assert_str(l->items[0].url, STR("http://a/0"));
    assert_str(l->items[64].url, STR("http://a/64"));
    assert_str(l->items[299].url, STR("http://a/299"));
    assert_true(l->items[128].via == 128 && l->items[128].hop == 'L');
    message_end(&l->head);
}

static void the_number_of_items_is_bounded(void **state)
{
    (void)state;
    struct url_list *l = url_list_open(LIST_REJUDGED);
    struct url_list_item item = {.url = STR("http://a/")};
    for (unsigned i = 0; i < URL_LIST_MAX; i++)
        assert_true(url_list_add(l, &item));
    assert_false(url_list_add(l, &item));
    assert_int_equal(l->count, URL_LIST_MAX);
    message_end(&l->head);
}

static void a_list_in_the_journal_ends_its_work_and_its_request(void **state)
{
    (void)state;
    struct told work = {0}, request = {0};
    struct url_list *l = url_list_open(LIST_SEEDS);
    l->work = (struct url_list_waiter){told, &work};
    l->request = (struct url_list_waiter){told, &request};
    assert_false(url_list_type.may_end(&l->head));
    l->is_safe = l->may_end = true;
    assert_true(url_list_type.may_end(&l->head));
    assert_true(work.count == 0 && request.count == 0);
    message_end(&l->head);
    assert_true(work.count == 1 && request.count == 1 && request.is_safe);
}

static void a_list_that_is_lost_stays_open_work_and_its_request_hears_of_it(void **state)
{
    (void)state;
    struct told work = {0}, request = {0};
    struct url_list *l = url_list_open(LIST_SEEDS);
    l->work = (struct url_list_waiter){told, &work};
    l->request = (struct url_list_waiter){told, &request};
    message_end(&l->head);
    assert_true(work.count == 0 && request.count == 1 && !request.is_safe);
}

static void a_list_that_could_not_be_journalled_is_no_open_work_and_not_safe(void **state)
{
    (void)state;
    struct told work = {0};
    struct url_list *l = url_list_open(LIST_REJUDGED);
    l->work = (struct url_list_waiter){told, &work};
    l->may_end = true;
    message_end(&l->head);
    assert_true(work.count == 1 && !work.is_safe);
}

static void a_list_never_goes_to_another_place(void **state)
{
    (void)state;
    assert_null(url_list_type.pack);
    assert_null(url_list_type.unpack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_stay_in_their_order),
        cmocka_unit_test(the_number_of_items_is_bounded),
        cmocka_unit_test(a_list_in_the_journal_ends_its_work_and_its_request),
        cmocka_unit_test(a_list_that_is_lost_stays_open_work_and_its_request_hears_of_it),
        cmocka_unit_test(a_list_that_could_not_be_journalled_is_no_open_work_and_not_safe),
        cmocka_unit_test(a_list_never_goes_to_another_place),
    };
    return cmocka_run_group_tests_name("url_list", tests, NULL, NULL);
}
