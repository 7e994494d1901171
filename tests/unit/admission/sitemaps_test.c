/* SPDX-License-Identifier: Apache-2.0 */
#include "admission/sitemaps.h"

#include "small_frontier.h"

static struct small_frontier f;

static void open_frontier(void)
{
    small_frontier_open(
        &f, &(struct frontier_settings){.max_hosts = 100, .max_host_queue = 3, .memory_bytes = 1});
    small_frontier_admit(&f, "http://a.test/");
}

static enum sitemaps ask(const char *url)
{
    struct candidate c = step_candidate(url, "L");
    const struct robots *rules = NULL;
    enum sitemaps are = sitemaps_of(f.frontier, &c, &rules);
    struct str first;
    assert_int_equal(are == SITEMAPS_NAMED, rules != NULL);
    if (rules) {
        assert_true(robots_sitemap(rules, 0, &first));
        assert_str(first, STR("http://a.test/s.xml"));
    }
    return are;
}

static void rules_that_name_sitemaps_and_were_queued(void **state)
{
    (void)state;
    open_frontier();
    assert_int_equal(ask("http://a.test/x"), SITEMAPS_NONE); /* it has no record */
    small_frontier_set_rules(f.frontier, "a.test", "Disallow: /x\n", true);
    assert_int_equal(ask("http://a.test/x"), SITEMAPS_NONE);
    small_frontier_set_rules(f.frontier, "a.test", "Sitemap: http://a.test/s.xml\n", true);
    assert_int_equal(ask("http://a.test/x"), SITEMAPS_NAMED);
    assert_int_equal(ask("http://b.test/x"), SITEMAPS_NONE);
    small_frontier_close(&f);
}

static void each_origin_of_a_host_has_its_own(void **state)
{
    (void)state;
    open_frontier();
    small_frontier_set_rules(f.frontier, "a.test", "Sitemap: http://a.test/s.xml\n", true);
    assert_int_equal(ask("https://a.test/x"), SITEMAPS_NONE);
    assert_int_equal(ask("http://a.test:8080/x"), SITEMAPS_NONE);
    small_frontier_close(&f);
}

static void a_crawl_that_reads_no_sitemaps_has_none(void **state)
{
    (void)state;
    open_frontier();
    small_frontier_set_rules(f.frontier, "a.test", "Sitemap: http://a.test/s.xml\n", false);
    assert_int_equal(ask("http://a.test/x"), SITEMAPS_NONE);
    small_frontier_close(&f);
}

static void a_swapped_host_may_have_some(void **state)
{
    (void)state;
    open_frontier();
    small_frontier_swap(&f);
    assert_int_equal(ask("http://a.test/x"), SITEMAPS_SWAPPED);
    assert_int_equal(ask("http://b.test/x"), SITEMAPS_NONE);
    small_frontier_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_that_name_sitemaps_and_were_queued),
        cmocka_unit_test(each_origin_of_a_host_has_its_own),
        cmocka_unit_test(a_crawl_that_reads_no_sitemaps_has_none),
        cmocka_unit_test(a_swapped_host_may_have_some),
    };
    return cmocka_run_group_tests_name("sitemaps", tests, NULL, NULL);
}
