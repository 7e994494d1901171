/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/simweb/world/make.h"

#include "base/mem.h"
#include "world/links.h"
#include "world/words.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

static struct links links;

static bool is_way_on(enum link_kind kind)
{
    return kind == LINK_A || kind == LINK_AREA || kind == LINK_IFRAME;
}

/* Breadth first over the pages of one host, along links that a crawler follows and that stay; pages
 * that are no way on are reached and not left. Returns the most steps, or -1 if one was missed. */
static int steps_to_all_pages(const struct world *w, uint32_t host)
{
    uint32_t pages = host_pages(w, host), count = 1, at = 0;
    int *steps = mem_alloc(pages * sizeof *steps), most = 0;
    uint32_t *queue = mem_zero(pages, sizeof *queue);
    for (uint32_t p = 0; p < pages; p++)
        steps[p] = p ? -1 : 0;
    for (; at < count; at++) {
        if (page_of(w, host, queue[at]).role != PAGE_NORMAL)
            continue;
        links_of(w, (struct place){host, PLACE_PAGE, queue[at], 0}, &links);
        for (uint32_t k = 0; k < links.count; k++) {
            struct place to = links.list[k].to;
            if (!is_way_on(links.list[k].kind) || to.host != host || steps[to.page] >= 0)
                continue;
            most = steps[to.page] = steps[queue[at]] + 1;
            queue[count++] = to.page;
        }
    }
    mem_free(queue);
    mem_free(steps);
    return count == pages ? most : -1;
}

static void every_page_is_reached_within_the_depth(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "hosts=3 pages=1",
        "hosts=3 pages=2 links=0",
        "hosts=3 pages=100 site-depth=1 links=0",
        "hosts=3 pages=3000 site-depth=3 links=0",
        "hosts=3 pages=3000 site-depth=3",
        "hosts=3 pages=1000 site-depth=12 links=0",
        "hosts=3 pages=100 site-depth=99 links=0",
        "hosts=3 pages=2000 links=0 duplicates=0.3 redirects=0.27 forbidden=0.1 nofollow=0.1",
        "hosts=30 pages=200 host-sizes=zipf site-depth=4 links=2",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made m = make_world(rows[i]);
        for (uint32_t h = 0; h < 3; h++) {
            int steps = steps_to_all_pages(m.world, h);
            if (steps < 0 || (uint64_t)steps > m.settings.depth)
                fail_msg("%s: host %u takes %d steps", rows[i], h, steps);
        }
        unmake_world(&m);
    }
}

static void a_depth_is_used_when_no_other_link_is_shorter(void **state)
{
    (void)state;
    struct made m = make_world("hosts=1 pages=1000 site-depth=7 links=0");
    int steps = steps_to_all_pages(m.world, 0);
    assert_true(steps >= 5 && steps <= 7);
    unmake_world(&m);
}

static void every_host_is_reached_from_home_page_to_home_page(void **state)
{
    (void)state;
    static const char *const rows[] = {"hosts=5000 pages=3 links=0", "hosts=1",
                                       "hosts=2 site-depth=1",
                                       "hosts=3000 site-depth=2 links=0 pages=10 host-sizes=zipf"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made m = make_world(rows[i]);
        uint32_t hosts = (uint32_t)m.settings.hosts, count = 1;
        bool *seen = mem_zero(hosts, sizeof *seen);
        uint32_t *queue = mem_zero(hosts, sizeof *queue);
        seen[0] = true;
        for (uint32_t at = 0; at < count; at++) {
            links_of(m.world, (struct place){queue[at], PLACE_PAGE, 0, 0}, &links);
            for (uint32_t k = 0; k < links.count; k++) {
                struct place to = links.list[k].to;
                if (!is_way_on(links.list[k].kind) || to.page != 0 || seen[to.host])
                    continue;
                seen[to.host] = true;
                queue[count++] = to.host;
            }
        }
        assert_int_equal(count, hosts);
        mem_free(seen);
        mem_free(queue);
        unmake_world(&m);
    }
}

static void their_number_and_the_share_that_leaves_are_those_asked_for(void **state)
{
    (void)state;
    struct made m = make_world("hosts=200 pages=300 links=43 cross=0.2 redirects=0");
    double all = 0, far = 0;
    enum { PAGES = 20000 };
    for (uint32_t i = 0; i < PAGES; i++) {
        links_of(m.world, (struct place){i % 200, PLACE_PAGE, 1 + i / 200, 0}, &links);
        for (uint32_t k = 0; k < links.count; k++) {
            enum link_kind kind = links.list[k].kind;
            all += is_way_on(kind) || kind == LINK_A_NOFOLLOW;
            far += links.list[k].to.host != i % 200;
        }
    }
    assert_true(fabs(all / PAGES - 43) < 2);
    assert_true(fabs(far / all - 0.2) < 0.02);
    unmake_world(&m);
}

static void popular_hosts_and_pages_are_linked_most(void **state)
{
    (void)state;
    struct made m = make_world("hosts=100 pages=100 links=40 zipf=1");
    uint32_t hosts[100] = {0}, pages[100] = {0};
    for (uint32_t i = 0; i < 5000; i++) {
        uint32_t from = 40 + i % 50;
        links_of(m.world, (struct place){from, PLACE_PAGE, 50 + i / 100, 0}, &links);
        for (uint32_t k = 0; k < links.count; k++)
            if (links.list[k].to.host != from)
                hosts[links.list[k].to.host]++;
            else if (links.list[k].to.kind == PLACE_PAGE)
                pages[links.list[k].to.page]++;
    }
    assert_true(hosts[0] > 5 * hosts[9] && hosts[9] > 4 * hosts[99]);
    assert_true(pages[1] > 2 * pages[9] && pages[9] > 4 * pages[99]);
    unmake_world(&m);
}

static uint32_t count_kind(const struct links *l, enum link_kind kind)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < l->count; k++)
        count += l->list[k].kind == kind;
    return count;
}

static void a_page_has_one_head_and_all_its_images(void **state)
{
    (void)state;
    struct made m = make_world("hosts=10 pages=400 images=3");
    uint32_t refreshes = 0;
    for (uint32_t p = 0; p < 400; p++) {
        struct place from = {3, PLACE_PAGE, p, 0};
        struct page page = page_of(m.world, 3, p);
        links_of(m.world, from, &links);
        if (page.role == PAGE_REDIRECT) {
            assert_int_equal(links.count, 1);
            assert_int_equal(links.list[0].kind, LINK_LOCATION);
            continue;
        }
        assert_int_equal(count_kind(&links, LINK_STYLE), 1);
        assert_int_equal(count_kind(&links, LINK_SCRIPT), 1);
        assert_int_equal(count_kind(&links, LINK_ICON), 1);
        assert_int_equal(count_kind(&links, LINK_FEED), 1);
        assert_int_equal(count_kind(&links, LINK_IMAGE), page.images);
        assert_true(count_kind(&links, LINK_REFRESH) <= 1);
        refreshes += count_kind(&links, LINK_REFRESH);
    }
    assert_true(refreshes > 0);
    unmake_world(&m);
}

static void a_candidate_of_a_srcset_follows_its_image(void **state)
{
    (void)state;
    struct made m = make_world("hosts=10 pages=400 images=3");
    uint32_t candidates = 0;
    for (uint32_t p = 0; p < 400; p++) {
        links_of(m.world, (struct place){4, PLACE_PAGE, p, 0}, &links);
        for (uint32_t k = 0; k < links.count; k++)
            if (links.list[k].quirks & QUIRK_SRCSET) {
                assert_int_equal(links.list[k].kind, LINK_IMAGE);
                assert_int_equal(links.list[k - 1].kind, LINK_IMAGE);
                assert_false(links.list[k - 1].quirks & QUIRK_SRCSET);
                assert_false(links.list[k].quirks & (QUIRK_SPACES | QUIRK_FRAGMENT));
                candidates++;
            }
    }
    assert_true(candidates > 100);
    unmake_world(&m);
}

static void a_copy_has_the_links_of_its_original(void **state)
{
    (void)state;
    static struct links original;
    struct made m = make_world("hosts=10 pages=400 duplicates=0.3 near-duplicates=0.2");
    for (uint32_t p = 0; p < 400; p++) {
        struct page page = page_of(m.world, 5, p);
        if (page.role != PAGE_DUPLICATE && page.role != PAGE_NEAR_DUPLICATE)
            continue;
        links_of(m.world, (struct place){5, PLACE_PAGE, p, 0}, &links);
        links_of(m.world, (struct place){5, PLACE_PAGE, page.same_as, 0}, &original);
        assert_int_equal(links.count, original.count);
        assert_memory_equal(links.list, original.list, links.count * sizeof *links.list);
    }
    unmake_world(&m);
}

/* The same bytes must mean the same wherever they stand, and in whichever charset. */
static void no_way_of_writing_changes_where_it_leads(void **state)
{
    (void)state;
    struct made m = make_world("hosts=200 pages=100 https=0.3 duplicates=0.2");
    uint32_t forms[FORM_COUNT_] = {0}, raw = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        struct place from = {i % 200, PLACE_PAGE, i / 200, 0};
        struct page page = page_of(m.world, from.host, from.page);
        links_of(m.world, from, &links);
        for (uint32_t k = 0; k < links.count; k++) {
            struct link l = links.list[k];
            bool near = l.to.host == from.host;
            forms[l.form]++;
            raw += (l.quirks & QUIRK_RAW_CHARS) != 0;
            if (l.form == FORM_RELATIVE)
                assert_true(near && (page.has_base ||
                                     (page.role != PAGE_DUPLICATE &&
                                      page.role != PAGE_NEAR_DUPLICATE && !page.has_duplicate)));
            if (l.form == FORM_ROOT)
                assert_true(near);
            if (l.form == FORM_PROTOCOL)
                assert_int_equal(host_is_https(m.world, from.host),
                                 host_is_https(m.world, l.to.host));
            if (l.quirks & QUIRK_RAW_CHARS) {
                enum tongue t = page_words(m.world, l.to.host, l.to.page).tongue;
                assert_int_not_equal(t, TONGUE_ENGLISH);
                if (page.charset == CHARSET_WINDOWS_1252)
                    assert_int_equal(t, TONGUE_LATIN);
                if (page.charset == CHARSET_KOI8_R)
                    assert_int_equal(t, TONGUE_RUSSIAN);
                if (page.charset == CHARSET_SHIFT_JIS)
                    assert_int_equal(t, TONGUE_JAPANESE);
                assert_false(page.charset == CHARSET_UTF8 && page.charset_said == CHARSET_UNSAID);
            }
        }
    }
    for (int f = 0; f < FORM_COUNT_; f++)
        assert_true(forms[f] > 1000);
    assert_true(raw > 1000);
    unmake_world(&m);
}

static void sitemaps_and_the_feed_list_pages_worth_it(void **state)
{
    (void)state;
    struct made m = make_world("hosts=30 pages=200");
    for (uint32_t h = 0; h < 30; h++) {
        bool listed[200] = {0};
        struct host_robots r = host_robots(m.world, h);
        links_of(m.world, (struct place){h, PLACE_SITEMAP_INDEX, 0, 0}, &links);
        assert_int_equal(links.count, r.sitemaps);
        for (uint32_t part = 0; part < r.sitemaps; part++) {
            links_of(m.world, (struct place){h, PLACE_SITEMAP, 0, part}, &links);
            for (uint32_t k = 0; k < links.count; k++)
                listed[links.list[k].to.page] = true;
        }
        for (uint32_t p = 0; p < 200 && r.sitemaps; p++)
            assert_int_equal(listed[p], sitemap_lists(m.world, h, p));
        links_of(m.world, (struct place){h, PLACE_FEED, 0, 0}, &links);
        assert_true(links.count > 0 && links.count <= FEED_ITEMS);
        for (uint32_t k = 0; k < links.count; k++) {
            assert_true(links.list[k].to.page >= 190);
            assert_int_equal(links.list[k].form, FORM_ABSOLUTE);
            assert_int_equal(links.list[k].quirks, 0);
        }
    }
    links_of(m.world, (struct place){0, PLACE_STYLE, 0, 0}, &links);
    assert_int_equal(links.count, 1);
    assert_int_equal(links.list[0].to.kind, PLACE_STYLE_IMAGE);
    links_of(m.world, (struct place){0, PLACE_SCRIPT, 0, 0}, &links);
    assert_int_equal(links.count, 0);
    unmake_world(&m);
}

/* A number to look at; a limit would fail on a busy machine. */
static void what_the_links_of_a_page_cost_is_printed(void **state)
{
    (void)state;
    static const char *const rows[] = {"hosts=1M pages=100", "hosts=1M zipf=0.8 host-sizes=zipf"};
    enum { PAGES = 20000 };
    for (size_t i = 0; i < 2; i++) {
        struct made m = make_world(rows[i]);
        uint64_t sum = 0, start = (uint64_t)clock();
        for (uint32_t p = 0; p < PAGES; p++) {
            uint32_t host = p * 17;
            links_of(m.world, (struct place){host, PLACE_PAGE, p % host_pages(m.world, host), 0},
                     &links);
            sum += links.count;
        }
        double us = (double)((uint64_t)clock() - start) * 1e6 / CLOCKS_PER_SEC;
        printf("# %s: %.1f us a page of %.0f links\n", rows[i], us / PAGES, (double)sum / PAGES);
        assert_true(sum > 0);
        unmake_world(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_page_is_reached_within_the_depth),
        cmocka_unit_test(a_depth_is_used_when_no_other_link_is_shorter),
        cmocka_unit_test(every_host_is_reached_from_home_page_to_home_page),
        cmocka_unit_test(their_number_and_the_share_that_leaves_are_those_asked_for),
        cmocka_unit_test(popular_hosts_and_pages_are_linked_most),
        cmocka_unit_test(a_page_has_one_head_and_all_its_images),
        cmocka_unit_test(a_candidate_of_a_srcset_follows_its_image),
        cmocka_unit_test(a_copy_has_the_links_of_its_original),
        cmocka_unit_test(no_way_of_writing_changes_where_it_leads),
        cmocka_unit_test(sitemaps_and_the_feed_list_pages_worth_it),
        cmocka_unit_test(what_the_links_of_a_page_cost_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
