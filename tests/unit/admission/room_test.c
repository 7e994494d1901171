/* SPDX-License-Identifier: Apache-2.0 */
#include "admission/room.h"

#include "admission/fingerprints.h"
#include "small_frontier.h"

static struct small_frontier f;
static struct sent_filter sent, told;
static struct sent_filter *filters[] = {NULL, &sent};
static struct room room;
static struct buf left_out;

static const struct frontier_settings plain = {.max_hosts = 100, .max_host_queue = 3};
static const struct frontier_settings tiny = {
    .max_hosts = 100, .max_host_queue = 3, .memory_bytes = 1};

static void open_room(const struct frontier_settings *s, const struct budget_settings *budget)
{
    small_frontier_open(&f, s);
    room = (struct room){.frontier = f.frontier, .sent = filters, .shards = 2, .told = &told};
    assert_rc(budget_open(budget, &room.budget), RC_OK);
    buf_init(&left_out, 1000);
}

static void close_room(void)
{
    buf_done(&left_out);
    budget_close(room.budget);
    small_frontier_close(&f);
}

static struct room_chosen choose(struct candidate *list, size_t count)
{
    buf_clear(&left_out);
    return room_choose(&room, list, count, STR("page.test"), &left_out);
}

static void links_with_room_stay_in_their_order(void **state)
{
    (void)state;
    open_room(&plain, &(struct budget_settings){.page_hosts = 1});
    small_frontier_admit(&f, "http://a.test/");
    struct candidate list[] = {step_candidate("http://b.test/1", "L"),
                               step_candidate("http://c.test/1", "L"),
                               step_candidate("http://a.test/1", "L")};
    uint64_t refused = list[1].fingerprint, last = list[2].fingerprint;
    struct room_chosen chosen = choose(list, 3);
    assert_int_equal(chosen.kept, 2);
    assert_int_equal(chosen.full, 0);
    assert_int_equal(list[1].fingerprint, last);
    assert_int_equal(fingerprints_count(&left_out), 1);
    assert_int_equal(fingerprints_of(&left_out)[0], refused);
    close_room();
}

static void new_hosts_are_counted_by_page(void **state)
{
    (void)state;
    open_room(&plain, &(struct budget_settings){.page_hosts = 2});
    for (int page = 0; page < 2; page++) {
        struct candidate list[] = {step_candidate("http://a.test/1", "L"),
                                   step_candidate("http://b.test/1", "L"),
                                   step_candidate("http://c.test/1", "L")};
        assert_int_equal(choose(list, 3).kept, 2);
    }
    close_room();
}

static void a_link_whose_host_has_no_room_may_be_sent_again(void **state)
{
    (void)state;
    open_room(&plain, &(struct budget_settings){.page_hosts = 1, .path_queries = 1});
    struct candidate list[] = {step_candidate("http://a.test/p?1", "L"),
                               step_candidate("http://b.test/1", "L")};
    for (int i = 0; i < 2; i++) {
        (void)sent_filter_add(&sent, list[i].fingerprint, 1);
        (void)sent_filter_add(&told, list[i].fingerprint, 1);
    }
    struct candidate host_is_new = list[1], has_room = list[0];
    assert_int_equal(choose(list, 2).kept, 1);
    assert_true(sent_filter_add(&sent, has_room.fingerprint, 1));
    assert_false(sent_filter_add(&sent, host_is_new.fingerprint, 1));
    assert_true(sent_filter_has(&told, has_room.fingerprint, 1));
    assert_false(sent_filter_has(&told, host_is_new.fingerprint, 1));
    /* A query more will not get room later. */
    small_frontier_admit(&f, "http://a.test/");
    struct candidate query = step_candidate("http://a.test/p?2", "L");
    (void)sent_filter_add(&sent, query.fingerprint, 1);
    assert_int_equal(choose(&query, 1).kept, 0);
    assert_true(sent_filter_add(&sent, query.fingerprint, 1));
    close_room();
}

static void a_known_url_costs_no_budget(void **state)
{
    (void)state;
    open_room(&plain, &(struct budget_settings){.page_hosts = 1, .path_queries = 1});
    small_frontier_admit(&f, "http://a.test/p?1");
    struct candidate list[] = {
        step_candidate("http://a.test/p?1", "L"), step_candidate("http://a.test/p?1", "L"),
        step_candidate("http://a.test/p?2", "L"), step_candidate("http://a.test/p?3", "L")};
    assert_int_equal(choose(list, 4).kept, 3); /* both of ?1, and the first new query */
    close_room();
}

static void links_of_the_page_itself_fill_the_queue(void **state)
{
    (void)state;
    open_room(&plain, &(struct budget_settings){0});
    small_frontier_admit(&f, "http://a.test/");
    small_frontier_admit(&f, "http://b.test/");
    struct candidate list[] = {
        step_candidate("http://a.test/1", "L"), step_candidate("http://a.test/2", "L"),
        step_candidate("http://a.test/3", "L"), step_candidate("http://b.test/1", "L")};
    (void)sent_filter_add(&sent, list[2].fingerprint, 1);
    uint64_t full = list[2].fingerprint;
    struct room_chosen chosen = choose(list, 4); /* three may wait for a host */
    assert_int_equal(chosen.kept, 3);
    assert_int_equal(chosen.full, 1);
    assert_str(list[2].host, STR("b.test"));
    assert_int_equal(fingerprints_of(&left_out)[0], full);
    assert_false(sent_filter_add(&sent, full, 1));
    struct candidate next[] = {step_candidate("http://a.test/4", "L")};
    chosen = choose(next, 1); /* none of the above was admitted yet */
    assert_int_equal(chosen.kept, 1);
    assert_int_equal(chosen.full, 0);
    close_room();
}

static void bytes_fill_the_queue_too(void **state)
{
    (void)state;
    static char url[3000] = "http://a.test/";
    memset(url + 14, 'x', sizeof url - 15);
    open_room(&(struct frontier_settings){.max_hosts = 10,
                                          .max_host_queue = 100,
                                          .max_host_queue_bytes = 4000},
              &(struct budget_settings){0});
    small_frontier_admit(&f, "http://a.test/");
    struct candidate list[] = {step_candidate(url, "L"), step_candidate(url, "L"),
                               step_candidate(url, "L"), step_candidate(url, "L")};
    for (size_t i = 0; i < 4; i++)
        list[i].fingerprint += i;
    struct room_chosen chosen = choose(list, 4);
    assert_in_range(chosen.kept, 1, 2); /* the last may pass the limit */
    assert_int_equal(chosen.kept + chosen.full, 4);
    close_room();
}

static void a_swapped_host_is_asked_about_later(void **state)
{
    (void)state;
    open_room(&tiny, &(struct budget_settings){.path_queries = 1});
    small_frontier_admit(&f, "http://a.test/");
    small_frontier_swap(&f);
    struct candidate list[] = {step_candidate("http://a.test/p?1", "L"),
                               step_candidate("http://a.test/p?2", "L"),
                               step_candidate("http://b.test/", "L")};
    assert_int_equal(choose(list, 3).kept, 3);
    assert_str(list[0].from, STR("page.test"));
    assert_str(list[1].from, STR("page.test"));
    assert_null(list[2].from.p);
    close_room();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_with_room_stay_in_their_order),
        cmocka_unit_test(new_hosts_are_counted_by_page),
        cmocka_unit_test(a_link_whose_host_has_no_room_may_be_sent_again),
        cmocka_unit_test(a_known_url_costs_no_budget),
        cmocka_unit_test(links_of_the_page_itself_fill_the_queue),
        cmocka_unit_test(bytes_fill_the_queue_too),
        cmocka_unit_test(a_swapped_host_is_asked_about_later),
    };
    return cmocka_run_group_tests_name("room", tests, NULL, NULL);
}
