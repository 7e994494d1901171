/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome/shorter_path.h"

#include "lib/test.h"

#include <string.h>

enum { PAGE = 4711 };

static struct depth_index *depth;
static struct found_link link_of_page;

/* A page that was checked out at the end of three links. */
static struct visit a_page(size_t links)
{
    struct visit v = {.kind = VISIT_PAGE};
    v.turn.fingerprint = PAGE;
    v.turn.checkout = (struct checkout){.host_name = STR("a.test"),
                                        .path = STR("/1"),
                                        .port = 81,
                                        .is_https = true,
                                        .seed_path = STR("LLL")};
    v.judged.links = (struct found_links){.list = &link_of_page, .count = links};
    depth = depth_index_open(100, false);
    assert_non_null(depth);
    (void)depth_index_found(depth, PAGE, 3, STR("LLL"));
    return v;
}

static bool note(const struct visit *v, struct history_entry *history, struct candidate *page)
{
    *history = (struct history_entry){.seed_path = v->turn.checkout.seed_path};
    *page = (struct candidate){0};
    return shorter_path_found(depth, v, history, page);
}

static void links_are_judged_again_by_the_shorter_path(void **state)
{
    (void)state;
    struct history_entry history;
    struct candidate page;
    struct visit v = a_page(1);
    assert_int_equal(depth_index_found(depth, PAGE, 1, STR("L")), SHORTER_WAITING);
    assert_true(note(&v, &history, &page));
    assert_int_equal(page.fingerprint, PAGE);
    assert_str(page.host, STR("a.test"));
    assert_str(page.path, STR("/1"));
    assert_int_equal(page.port, 81);
    assert_true(page.is_https);
    assert_str(page.seed_path, STR("L"));
    assert_str(history.seed_path, STR("LLL")); /* by which they have been judged */
    depth_index_close(depth);
}

static void a_page_without_links_is_remembered_by_the_shorter_path(void **state)
{
    (void)state;
    struct history_entry history;
    struct candidate page;
    struct visit v = a_page(0);
    assert_int_equal(depth_index_found(depth, PAGE, 1, STR("L")), SHORTER_WAITING);
    assert_false(note(&v, &history, &page));
    assert_str(history.seed_path, STR("L"));
    depth_index_close(depth);
}

static void a_page_is_done_once_its_path_was_the_shortest(void **state)
{
    (void)state;
    struct history_entry history;
    struct candidate page;
    struct visit v = a_page(1);
    assert_false(note(&v, &history, &page));
    assert_str(history.seed_path, STR("LLL"));
    assert_int_equal(depth_index_found(depth, PAGE, 1, STR("L")), SHORTER_DONE);
    depth_index_close(depth);
}

static void a_robots_txt_leaves_its_page_waiting(void **state)
{
    (void)state;
    struct history_entry history;
    struct candidate page;
    struct visit v = a_page(1);
    v.kind = VISIT_ROBOTS;
    assert_false(note(&v, &history, &page));
    assert_int_equal(depth_index_found(depth, PAGE, 1, STR("L")), SHORTER_WAITING);
    depth_index_close(depth);
}

static void without_a_limit_of_depth_nothing_is_noted(void **state)
{
    (void)state;
    struct history_entry history;
    struct candidate page;
    struct visit v = a_page(1);
    depth_index_close(depth);
    depth = NULL;
    assert_false(note(&v, &history, &page));
    assert_str(history.seed_path, STR("LLL"));
}

static void the_history_of_a_rejudged_page_gets_the_shorter_path(void **state)
{
    (void)state;
    struct ledger_outcome o = {0};
    struct url_list l = {.origin = LIST_REJUDGED,
                         .page = {.has_history = true,
                                  .fingerprint = PAGE,
                                  .seed_path = STR("L"),
                                  .history = {.code = 200, .seed_path = STR("LLL")}}};
    shorter_path_keep(&l, &o);
    assert_int_equal(o.fingerprint, PAGE);
    assert_ptr_equal(o.history, &l.page.history);
    assert_str(o.history->seed_path, STR("L"));
    assert_int_equal(o.history->code, 200);
}

static void a_list_without_a_page_has_no_history(void **state)
{
    (void)state;
    struct ledger_outcome o = {0};
    struct url_list l = {.origin = LIST_SEEDS};
    shorter_path_keep(&l, &o);
    assert_null(o.history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_judged_again_by_the_shorter_path),
        cmocka_unit_test(a_page_without_links_is_remembered_by_the_shorter_path),
        cmocka_unit_test(a_page_is_done_once_its_path_was_the_shortest),
        cmocka_unit_test(a_robots_txt_leaves_its_page_waiting),
        cmocka_unit_test(without_a_limit_of_depth_nothing_is_noted),
        cmocka_unit_test(the_history_of_a_rejudged_page_gets_the_shorter_path),
        cmocka_unit_test(a_list_without_a_page_has_no_history),
    };
    return cmocka_run_group_tests_name("shorter_path", tests, NULL, NULL);
}
