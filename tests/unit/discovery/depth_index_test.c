/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest way to each URL, and when a page has to be looked at again. */
#include "discovery/depth_index.h"
#include "discovery/depth_key.h"

#include "lib/test.h"

static void a_shorter_way_to_a_page_that_is_done_is_told_once(void **state)
{
    (void)state;
    struct depth_index *d = depth_index_open(1000, false);
    struct str seed_path;
    assert_false(depth_index_found(d, 7, 3, STR("LLL")));
    assert_false(depth_index_done(d, 7, 3, &seed_path));
    assert_false(depth_index_found(d, 7, 3, STR("LLL")));
    assert_int_equal(depth_index_found(d, 7, 1, STR("L")), SHORTER_DONE);
    assert_false(depth_index_found(d, 7, 1, STR("L")));
    assert_false(depth_index_found(d, 7, 2, STR("LL")));
    assert_int_equal(depth_index_found(d, 7, 0, STR("")), SHORTER_DONE);
    depth_index_close(d);
}

static void an_origin_has_the_shortest_way_to_any_of_its_urls(void **state)
{
    (void)state;
    struct depth_index *d = depth_index_open(1000, false);
    uint64_t origin = depth_index_origin_key(99, false, 0);
    assert_true(origin != depth_index_origin_key(99, true, 0) &&
                origin != depth_index_origin_key(99, false, 8080) &&
                origin != depth_index_origin_key(98, false, 0));
    for (unsigned i = 0; i < 2; i++) { /* said any number of times */
        depth_index_waits(d, origin);
        (void)depth_index_found(d, origin, 3, STR("LLL"));
        depth_index_waits(d, origin);
        (void)depth_index_found(d, origin, 1, STR("L"));
    }
    struct str seed_path;
    assert_true(depth_index_take(d, origin, &seed_path) && str_eq(seed_path, STR("L")));
    assert_false(depth_index_take(d, origin, &seed_path));
    assert_int_equal(depth_index_found(d, origin, 1, STR("L")), SHORTER_NOT);
    assert_int_equal(depth_index_found(d, origin, 0, STR("")), SHORTER_DONE);
    assert_false(depth_index_take(d, origin, &seed_path));
    depth_index_close(d);
}

static void a_shorter_way_found_while_a_page_waits_is_told_when_it_is_done(void **state)
{
    (void)state;
    struct depth_index *d = depth_index_open(1000, false);
    struct str seed_path;
    assert_false(depth_index_found(d, 7, 3, STR("LLL")));
    assert_int_equal(depth_index_found(d, 7, 2, STR("LEL")), SHORTER_WAITING);
    assert_int_equal(depth_index_found(d, 7, 1, STR("RL")), SHORTER_WAITING);
    assert_true(depth_index_done(d, 7, 3, &seed_path));
    assert_str(seed_path, STR("RL"));
    assert_false(depth_index_done(d, 7, 1, &seed_path));
    assert_false(depth_index_found(d, 7, 1, STR("L")));
    depth_index_close(d);
}

static void a_url_that_waits_since_an_earlier_process_takes_any_way(void **state)
{
    (void)state;
    struct depth_index *d = depth_index_open(1000, false);
    struct str seed_path;
    depth_index_waits(d, 7);
    assert_int_equal(depth_index_found(d, 7, 2, STR("LL")), SHORTER_WAITING);
    depth_index_waits(d, 7);
    assert_int_equal(depth_index_found(d, 7, 3, STR("LLL")), SHORTER_NOT);
    assert_true(depth_index_done(d, 7, 3, &seed_path));
    assert_str(seed_path, STR("LL"));
    depth_index_close(d);
}

static void what_is_known_is_what_is_no_farther(void **state)
{
    (void)state;
    struct depth_index *d = depth_index_open(1000, false);
    struct str seed_path;
    assert_false(depth_index_knows(d, 7, 3));
    (void)depth_index_found(d, 7, 3, STR("LLL"));
    assert_true(depth_index_knows(d, 7, 3) && depth_index_knows(d, 7, 4));
    assert_false(depth_index_knows(d, 7, 2));
    assert_false(
        depth_index_done(d, 9, 2, &seed_path)); /* checkout before this process, by a way it had */
    assert_true(depth_index_knows(d, 9, 2));
    assert_false(depth_index_knows(d, 9, 1));
    depth_index_close(d);
}

static void a_url_that_waits_is_handed_on_by_its_shortest_way(void **state)
{
    (void)state;
    struct depth_index *d = depth_index_open(1000, false);
    struct str seed_path;
    assert_true(str_eq(depth_index_seed_path(d, 7, STR("LLL")), STR("LLL")));
    (void)depth_index_found(d, 7, 3, STR("LLL"));
    assert_true(str_eq(depth_index_seed_path(d, 7, STR("LLL")), STR("LLL")));
    (void)depth_index_found(d, 7, 1, STR("L"));
    assert_true(str_eq(depth_index_seed_path(d, 7, STR("LLL")), STR("L")));
    assert_true(depth_index_done(d, 7, 3, &seed_path));
    assert_true(str_eq(depth_index_seed_path(d, 7, STR("LLL")), STR("LLL")));
    depth_index_close(d);
}

static void what_is_asked_for_again_is_done_by_a_way_as_short_and_by_no_longer_one(void **state)
{
    (void)state;
    struct depth_index *d = depth_index_open(1000, true);
    struct str seed_path;
    assert_false(depth_index_told(d, 7, 4, &seed_path));
    assert_int_equal(depth_index_found(d, 7, 2, STR("LL")), SHORTER_DONE);
    assert_false(depth_index_waits_again(d, 7, 4));
    depth_index_again(d, 7);
    assert_int_equal(depth_index_found(d, 7, 2, STR("LL")), SHORTER_WAITING);
    assert_true(depth_index_waits_again(d, 7, 4) && depth_index_waits_again(d, 7, 3));
    assert_false(depth_index_waits_again(d, 7, 2));
    assert_true(depth_index_waits_again(d, 7, 4)); /* told any number of times */
    assert_false(depth_index_told(d, 7, 2, &seed_path));
    assert_false(depth_index_waits_again(d, 7, 4));
    assert_int_equal(depth_index_found(d, 7, 2, STR("LL")), SHORTER_NOT);
    depth_index_again(d, 7);
    (void)depth_index_found(d, 7, 1, STR("L"));
    assert_false(depth_index_done(d, 7, 1, &seed_path));
    assert_false(depth_index_waits_again(d, 7, 4));
    assert_false(depth_index_waits_again(d, 9, 4));
    depth_index_close(d);
}

static void a_page_that_is_here_after_all_is_done_by_the_path_it_waited_by(void **state)
{
    (void)state;
    struct depth_index *d = depth_index_open(1000, true);
    struct str seed_path;
    assert_false(depth_index_is_done(d, 7, &seed_path));
    assert_int_equal(depth_index_found(d, 7, 3, STR("LLL")), SHORTER_DONE);
    assert_false(depth_index_is_done(d, 7, &seed_path)); /* its links were judged by three */
    assert_int_equal(depth_index_found(d, 7, 3, STR("LLL")), SHORTER_NOT);
    depth_index_again(d, 7);
    (void)depth_index_found(d, 7, 2, STR("LL"));
    assert_true(depth_index_is_done(d, 7, &seed_path));
    assert_str(seed_path, STR("LL"));
    assert_int_equal(depth_index_found(d, 7, 2, STR("LL")), SHORTER_DONE);
    depth_index_close(d);
}

static void without_room_a_url_keeps_its_first_way(void **state)
{
    (void)state;
    enum { MOST = 5000 };
    struct depth_index *d = depth_index_open(MOST, false);
    struct str seed_path;
    for (uint64_t i = 0; i < 2 * MOST; i++)
        assert_false(depth_index_found(d, i << 20, 3, STR("LLL")));
    for (uint64_t i = 0; i < 2 * MOST; i++) {
        assert_int_equal(depth_index_knows(d, i << 20, 2), i >= MOST);
        assert_false(depth_index_done(d, i << 20, 3, &seed_path));
        assert_int_equal(depth_index_found(d, i << 20, 2, STR("LL")),
                         i < MOST ? SHORTER_DONE : SHORTER_NOT);
    }
    depth_index_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shorter_way_to_a_page_that_is_done_is_told_once),
        cmocka_unit_test(a_shorter_way_found_while_a_page_waits_is_told_when_it_is_done),
        cmocka_unit_test(a_url_that_waits_since_an_earlier_process_takes_any_way),
        cmocka_unit_test(what_is_known_is_what_is_no_farther),
        cmocka_unit_test(a_url_that_waits_is_handed_on_by_its_shortest_way),
        cmocka_unit_test(an_origin_has_the_shortest_way_to_any_of_its_urls),
        cmocka_unit_test(what_is_asked_for_again_is_done_by_a_way_as_short_and_by_no_longer_one),
        cmocka_unit_test(a_page_that_is_here_after_all_is_done_by_the_path_it_waited_by),
        cmocka_unit_test(without_room_a_url_keeps_its_first_way),
    };
    return cmocka_run_group_tests_name("depths", tests, NULL, NULL);
}
