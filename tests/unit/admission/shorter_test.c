/* SPDX-License-Identifier: Apache-2.0 */
#include "admission/shorter.h"

#include "discovery/depth_key.h"
#include "small_frontier.h"

static struct small_frontier f;
static struct shorter_index s;

static void open_index(void)
{
    small_frontier_open(
        &f, &(struct frontier_settings){.max_hosts = 100, .max_host_queue = 9, .memory_bytes = 1});
    s = (struct shorter_index){f.frontier, depth_index_open(100, false)};
    assert_non_null(s.depths);
}

static void close_index(void)
{
    depth_index_close(s.depths);
    small_frontier_close(&f);
}

static enum shorter to_page(const char *url, const char *seed_path)
{
    struct candidate c = step_candidate(url, seed_path);
    return shorter_to_page(&s, &c);
}

/* Pages ---------------------------------------------------------------------------------------- */

static void a_page_that_waits_gets_the_shorter_path(void **state)
{
    (void)state;
    open_index();
    struct candidate c = step_candidate("http://a.test/1", "LLL");
    struct str path;
    assert_int_equal(to_page("http://a.test/1", "LLL"), SHORTER_NOT);
    assert_int_equal(to_page("http://a.test/1", "LL"), SHORTER_WAITING);
    assert_int_equal(to_page("http://a.test/1", "LL"), SHORTER_NOT);
    assert_true(depth_index_done(s.depths, c.fingerprint, 3, &path));
    assert_str(path, STR("LL"));
    assert_int_equal(to_page("http://a.test/1", "L"), SHORTER_DONE);
    assert_int_equal(to_page("http://a.test/1", "LLL"), SHORTER_NOT);
    close_index();
}

static void any_path_is_shorter_to_a_page_of_an_earlier_process(void **state)
{
    (void)state;
    open_index();
    small_frontier_admit(&f, "http://a.test/1");
    assert_int_equal(to_page("http://a.test/1", "LLLLLL"), SHORTER_WAITING);
    assert_int_equal(to_page("http://a.test/2", "LLLLLL"), SHORTER_NOT);
    close_index();
}

/* Origins -------------------------------------------------------------------------------------- */

static bool to_sitemaps(const char *url, const char *seed_path, const char *path_then)
{
    struct candidate c = step_candidate(url, seed_path), robots;
    bool is = shorter_to_sitemaps(&s, &c, &robots);
    if (is) {
        assert_str(robots.host, c.host);
        assert_str(robots.path, STR("/robots.txt"));
        assert_str(robots.seed_path, str_c(path_then));
    }
    return is;
}

static void set_sitemap(bool is_listed)
{
    small_frontier_set_rules(f.frontier, "a.test", "Sitemap: http://a.test/s.xml\n", is_listed);
}

static void a_path_waits_until_robots_txt_is_known(void **state)
{
    (void)state;
    open_index();
    small_frontier_admit(&f, "http://a.test/1");
    assert_false(to_sitemaps("http://a.test/1", "LL", ""));
    set_sitemap(true);
    assert_true(to_sitemaps("http://a.test/2", "LLL", "LL")); /* the shortest of all */
    assert_false(to_sitemaps("http://a.test/3", "LL", ""));
    assert_true(to_sitemaps("http://a.test/4", "L", "L"));
    assert_false(to_sitemaps("http://a.test/4", "L", ""));
    close_index();
}

static void each_origin_has_its_path(void **state)
{
    (void)state;
    open_index();
    small_frontier_admit(&f, "http://a.test/1");
    set_sitemap(true);
    assert_false(to_sitemaps("http://a.test:8080/1", "L", ""));
    assert_true(to_sitemaps("http://a.test/1", "LL", "LL"));
    close_index();
}

static void where_no_sitemaps_are_read_the_path_stays(void **state)
{
    (void)state;
    open_index();
    small_frontier_admit(&f, "http://a.test/1");
    set_sitemap(false);
    struct candidate c = step_candidate("http://a.test/1", "LL");
    struct str path;
    assert_false(to_sitemaps("http://a.test/1", "LL", ""));
    assert_true(
        depth_index_take(s.depths, depth_index_origin_key(c.host_hash, c.is_https, c.port), &path));
    assert_str(path, STR("LL"));
    close_index();
}

static void a_swapped_host_may_name_sitemaps(void **state)
{
    (void)state;
    open_index();
    small_frontier_admit(&f, "http://a.test/1");
    small_frontier_swap(&f);
    assert_true(to_sitemaps("http://a.test/2", "L", "L"));
    assert_false(to_sitemaps("http://a.test/3", "L", ""));
    close_index();
}

/* The note ------------------------------------------------------------------------------------- */

static void a_shorter_path_is_noted_in_the_history(void **state)
{
    (void)state;
    static struct step w;
    step_world(&w, "", STEP_HISTORY);
    struct candidate c = step_candidate("https://a.test:8443/1?x", "LL");
    c.via = 77;
    assert_rc(shorter_remember(w.ledger->ledger, 0, &c), RC_OK);
    step_make_durable(&w);
    struct arena *arena = arena_open(1000, 1 << 20);
    struct history_entry h = {0};
    assert_non_null(arena);
    struct history *history = ledger_history(w.ledger->ledger);
    assert_rc(history_get(history, c.fingerprint, arena, &h), RC_NOT_FOUND);
    assert_rc(history_get(history, depth_index_note_key(c.fingerprint), arena, &h), RC_OK);
    assert_str(h.url, STR("https://a.test:8443/1?x"));
    assert_str(h.seed_path, STR("LL"));
    assert_int_equal(h.via, 77);
    assert_int_equal(h.fetches, 0);
    arena_close(arena);
    step_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_that_waits_gets_the_shorter_path),
        cmocka_unit_test(any_path_is_shorter_to_a_page_of_an_earlier_process),
        cmocka_unit_test(a_path_waits_until_robots_txt_is_known),
        cmocka_unit_test(each_origin_has_its_path),
        cmocka_unit_test(where_no_sitemaps_are_read_the_path_stays),
        cmocka_unit_test(a_swapped_host_may_name_sitemaps),
        cmocka_unit_test(a_shorter_path_is_noted_in_the_history),
    };
    return cmocka_run_group_tests_name("shorter", tests, NULL, NULL);
}
