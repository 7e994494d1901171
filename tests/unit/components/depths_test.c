/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest way to each URL, and when a page has to be looked at again. */
#include "components/depths.h"

#include "lib/test.h"

static void a_shorter_way_to_a_page_that_is_done_is_told_once(void **state)
{
    (void)state;
    struct depths *d = depths_open(1000, false);
    struct str hops;
    assert_false(depths_found(d, 7, 3, STR("LLL")));
    assert_false(depths_done(d, 7, 3, &hops));
    assert_false(depths_found(d, 7, 3, STR("LLL")));
    assert_int_equal(depths_found(d, 7, 1, STR("L")), NEARER_DONE);
    assert_false(depths_found(d, 7, 1, STR("L")));
    assert_false(depths_found(d, 7, 2, STR("LL")));
    assert_int_equal(depths_found(d, 7, 0, STR("")), NEARER_DONE);
    depths_close(d);
}

static void an_origin_has_the_shortest_way_to_any_of_its_urls(void **state)
{
    (void)state;
    struct depths *d = depths_open(1000, false);
    uint64_t origin = depths_origin(99, false, 0);
    assert_true(origin != depths_origin(99, true, 0) && origin != depths_origin(99, false, 8080) &&
                origin != depths_origin(98, false, 0));
    for (unsigned i = 0; i < 2; i++) { /* said any number of times */
        depths_waits(d, origin);
        (void)depths_found(d, origin, 3, STR("LLL"));
        depths_waits(d, origin);
        (void)depths_found(d, origin, 1, STR("L"));
    }
    struct str hops;
    assert_true(depths_take(d, origin, &hops) && str_eq(hops, STR("L")));
    assert_false(depths_take(d, origin, &hops));
    assert_int_equal(depths_found(d, origin, 1, STR("L")), NEARER_NOT);
    assert_int_equal(depths_found(d, origin, 0, STR("")), NEARER_DONE);
    assert_false(depths_take(d, origin, &hops));
    depths_close(d);
}

static void a_shorter_way_found_while_a_page_waits_is_told_when_it_is_done(void **state)
{
    (void)state;
    struct depths *d = depths_open(1000, false);
    struct str hops;
    assert_false(depths_found(d, 7, 3, STR("LLL")));
    assert_int_equal(depths_found(d, 7, 2, STR("LEL")), NEARER_WAITING);
    assert_int_equal(depths_found(d, 7, 1, STR("RL")), NEARER_WAITING);
    assert_true(depths_done(d, 7, 3, &hops));
    assert_str(hops, STR("RL"));
    assert_false(depths_done(d, 7, 1, &hops));
    assert_false(depths_found(d, 7, 1, STR("L")));
    depths_close(d);
}

static void a_url_that_waits_since_an_earlier_process_takes_any_way(void **state)
{
    (void)state;
    struct depths *d = depths_open(1000, false);
    struct str hops;
    depths_waits(d, 7);
    assert_int_equal(depths_found(d, 7, 2, STR("LL")), NEARER_WAITING);
    depths_waits(d, 7);
    assert_int_equal(depths_found(d, 7, 3, STR("LLL")), NEARER_NOT);
    assert_true(depths_done(d, 7, 3, &hops));
    assert_str(hops, STR("LL"));
    depths_close(d);
}

static void what_is_known_is_what_is_no_farther(void **state)
{
    (void)state;
    struct depths *d = depths_open(1000, false);
    struct str hops;
    assert_false(depths_knows(d, 7, 3));
    (void)depths_found(d, 7, 3, STR("LLL"));
    assert_true(depths_knows(d, 7, 3) && depths_knows(d, 7, 4));
    assert_false(depths_knows(d, 7, 2));
    assert_false(depths_done(d, 9, 2, &hops)); /* lent before this process, by a way it had */
    assert_true(depths_knows(d, 9, 2));
    assert_false(depths_knows(d, 9, 1));
    depths_close(d);
}

static void a_url_that_waits_is_handed_on_by_its_shortest_way(void **state)
{
    (void)state;
    struct depths *d = depths_open(1000, false);
    struct str hops;
    assert_true(str_eq(depths_way(d, 7, STR("LLL")), STR("LLL")));
    (void)depths_found(d, 7, 3, STR("LLL"));
    assert_true(str_eq(depths_way(d, 7, STR("LLL")), STR("LLL")));
    (void)depths_found(d, 7, 1, STR("L"));
    assert_true(str_eq(depths_way(d, 7, STR("LLL")), STR("L")));
    assert_true(depths_done(d, 7, 3, &hops));
    assert_true(str_eq(depths_way(d, 7, STR("LLL")), STR("LLL")));
    depths_close(d);
}

static void what_is_asked_for_again_is_done_by_a_way_as_short_and_by_no_longer_one(void **state)
{
    (void)state;
    struct depths *d = depths_open(1000, true);
    struct str hops;
    assert_false(depths_told(d, 7, 4, &hops));
    assert_int_equal(depths_found(d, 7, 2, STR("LL")), NEARER_DONE);
    assert_false(depths_waits_again(d, 7, 4));
    depths_again(d, 7);
    assert_int_equal(depths_found(d, 7, 2, STR("LL")), NEARER_WAITING);
    assert_true(depths_waits_again(d, 7, 4) && depths_waits_again(d, 7, 3));
    assert_false(depths_waits_again(d, 7, 2));
    assert_true(depths_waits_again(d, 7, 4)); /* told any number of times */
    assert_false(depths_told(d, 7, 2, &hops));
    assert_false(depths_waits_again(d, 7, 4));
    assert_int_equal(depths_found(d, 7, 2, STR("LL")), NEARER_NOT);
    depths_again(d, 7);
    (void)depths_found(d, 7, 1, STR("L"));
    assert_false(depths_done(d, 7, 1, &hops));
    assert_false(depths_waits_again(d, 7, 4));
    assert_false(depths_waits_again(d, 9, 4));
    depths_close(d);
}

static void a_page_that_is_here_after_all_is_nearer_by_the_way_it_waited_by(void **state)
{
    (void)state;
    struct depths *d = depths_open(1000, true);
    struct str hops;
    assert_false(depths_is_done(d, 7, &hops));
    assert_int_equal(depths_found(d, 7, 3, STR("LLL")), NEARER_DONE);
    assert_false(depths_is_done(d, 7, &hops)); /* its links were judged by three */
    assert_int_equal(depths_found(d, 7, 3, STR("LLL")), NEARER_NOT);
    depths_again(d, 7);
    (void)depths_found(d, 7, 2, STR("LL"));
    assert_true(depths_is_done(d, 7, &hops));
    assert_str(hops, STR("LL"));
    assert_int_equal(depths_found(d, 7, 2, STR("LL")), NEARER_DONE);
    depths_close(d);
}

static void without_room_a_url_keeps_its_first_way(void **state)
{
    (void)state;
    enum { MOST = 5000 };
    struct depths *d = depths_open(MOST, false);
    struct str hops;
    for (uint64_t i = 0; i < 2 * MOST; i++)
        assert_false(depths_found(d, i << 20, 3, STR("LLL")));
    for (uint64_t i = 0; i < 2 * MOST; i++) {
        assert_int_equal(depths_knows(d, i << 20, 2), i >= MOST);
        assert_false(depths_done(d, i << 20, 3, &hops));
        assert_int_equal(depths_found(d, i << 20, 2, STR("LL")),
                         i < MOST ? NEARER_DONE : NEARER_NOT);
    }
    depths_close(d);
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
        cmocka_unit_test(a_page_that_is_here_after_all_is_nearer_by_the_way_it_waited_by),
        cmocka_unit_test(without_room_a_url_keeps_its_first_way),
    };
    return cmocka_run_group_tests_name("depths", tests, NULL, NULL);
}
