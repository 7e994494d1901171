/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#include "reading/html_links.h"

static struct arena *arena;
static struct visit_parsed parsed;
static struct reading_settings settings;

static int begin(void **state)
{
    (void)state;
    arena = arena_open(4096, 16 << 20);
    parsed = (struct visit_parsed){0};
    settings = (struct reading_settings){.links = VISIT_MAX_REFERENCES};
    return arena ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    arena_close(arena);
    return 0;
}

static struct page_link link_of(enum page_link_kind kind)
{
    return (struct page_link){.url = STR("x"),
                              .kind = kind,
                              .element = ELEMENT_A,
                              .element_name = STR("a"),
                              .attribute = ATTR_HREF};
}

static void refer(struct page_link *links, size_t count)
{
    struct page page = {.links = links, .link_count = count};
    html_links_refer(&page, &settings, arena, &parsed);
}

static void every_kind_of_link_has_its_letter(void **state)
{
    (void)state;
    static const char hops[PAGE_KIND_COUNT] = {
        [PAGE_NAV] = HOP_LINK,       [PAGE_FRAME] = HOP_LINK,     [PAGE_REFRESH] = HOP_LINK,
        [PAGE_CANONICAL] = HOP_LINK, [PAGE_ALTERNATE] = HOP_LINK, [PAGE_LINK] = HOP_LINK,
        [PAGE_EMBED] = HOP_EMBED,    [PAGE_STYLE] = HOP_EMBED,    [PAGE_CSS] = HOP_EMBED,
        [PAGE_MANIFEST] = HOP_EMBED,
    };
    for (int kind = PAGE_NAV; kind < PAGE_KIND_COUNT; kind++) {
        struct page_link link = link_of((enum page_link_kind)kind);
        parsed.reference_count = 0;
        refer(&link, 1);
        assert_int_equal(parsed.reference_count, hops[kind] != 0);
        assert_true(!hops[kind] || kit_refers(&parsed, "x", hops[kind]));
    }
}

static void a_feed_is_a_prerequisite(void **state)
{
    (void)state;
    struct page_link link = link_of(PAGE_ALTERNATE);
    link.is_feed = true;
    refer(&link, 1);
    assert_true(kit_refers(&parsed, "x", HOP_PREREQUISITE));
}

static void nofollow_leaves_out_links_and_feeds_but_not_embeds(void **state)
{
    (void)state;
    struct page_link links[] = {link_of(PAGE_NAV), link_of(PAGE_EMBED), link_of(PAGE_ALTERNATE),
                                link_of(PAGE_NAV)};
    for (int i = 0; i < 3; i++)
        links[i].nofollow = true;
    links[2].is_feed = true;
    links[3].url = STR("y");
    refer(links, 4);
    assert_int_equal(parsed.reference_count, 2);
    assert_true(kit_refers(&parsed, "x", HOP_EMBED) && kit_refers(&parsed, "y", HOP_LINK));
}

static void nofollow_of_the_page_leaves_out_all_links_but_not_embeds(void **state)
{
    (void)state;
    struct page_link links[] = {link_of(PAGE_NAV), link_of(PAGE_EMBED)};
    parsed.robots_bits = PAGE_NOFOLLOW;
    refer(links, 2);
    assert_int_equal(parsed.reference_count, 1);
    assert_true(kit_refers(&parsed, "x", HOP_EMBED));
    parsed.robots_bits = PAGE_NOINDEX | PAGE_NOARCHIVE; /* says nothing of links */
    refer(links, 2);
    assert_int_equal(parsed.reference_count, 3);
}

static void a_crawl_may_follow_what_says_nofollow(void **state)
{
    (void)state;
    struct page_link link = link_of(PAGE_NAV);
    link.nofollow = true;
    parsed.robots_bits = PAGE_NOFOLLOW;
    settings.follow_nofollow = true;
    refer(&link, 1);
    assert_int_equal(parsed.reference_count, 1);
}

static void a_context_names_element_and_attribute(void **state)
{
    (void)state;
    struct page_link links[] = {link_of(PAGE_NAV), link_of(PAGE_NAV),   link_of(PAGE_EMBED),
                                link_of(PAGE_CSS), link_of(PAGE_EMBED), link_of(PAGE_EMBED)};
    links[2].element = ELEMENT_IMG, links[2].element_name = STR("img");
    links[3].element = ELEMENT_IMG, links[3].element_name = STR("img");
    links[3].attribute = ATTR_OTHER;
    links[4].element = ELEMENT_OTHER, links[4].element_name = STR("x-one");
    links[5].element = ELEMENT_OTHER, links[5].element_name = STR("x-two");
    refer(links, 6);
    const struct link_reference *r = parsed.references;
    assert_int_equal(parsed.reference_count, 6);
    assert_str(r[0].context, STR("a/@href"));
    assert_ptr_equal(r[1].context.p, r[0].context.p); /* made once */
    assert_str(r[2].context, STR("img/@href"));
    assert_str(r[3].context, STR("img/@css"));
    assert_str(r[4].context, STR("x-one/@href"));
    assert_str(r[5].context, STR("x-two/@href"));
}

static void anchors_go_along(void **state)
{
    (void)state;
    struct page_link link = link_of(PAGE_NAV);
    link.text = STR("its text");
    refer(&link, 1);
    assert_str(parsed.references[0].anchor, STR("its text"));
}

static void so_many_are_taken_and_the_rest_is_cut(void **state)
{
    (void)state;
    struct page_link links[] = {link_of(PAGE_NAV), link_of(PAGE_NAV), link_of(PAGE_NAV)};
    settings.links = 2;
    refer(links, 2);
    assert_int_equal(parsed.reference_count, 2);
    assert_false(parsed.is_cut);
    parsed.reference_count = 0;
    refer(links, 3);
    assert_int_equal(parsed.reference_count, 2);
    assert_true(parsed.is_cut);
}

/* The list of references grows at 64, 128, ... and ends at VISIT_MAX_REFERENCES. */
static void a_long_list_keeps_its_order_up_to_the_maximum(void **state)
{
    (void)state;
    enum { MORE = VISIT_MAX_REFERENCES + 7 };
    struct page_link *links = test_calloc(MORE, sizeof *links);
    for (size_t i = 0; i < MORE; i++) {
        links[i] = link_of(i % 2 ? PAGE_NAV : PAGE_EMBED);
        links[i].url.n = i % 2;
    }
    settings.links = MORE;
    refer(links, MORE);
    assert_int_equal(parsed.reference_count, VISIT_MAX_REFERENCES);
    assert_true(parsed.is_cut);
    for (size_t i = 0; i < VISIT_MAX_REFERENCES; i++)
        assert_int_equal(parsed.references[i].raw.n, i % 2);
    test_free(links);
}

static void a_full_arena_cuts_the_page(void **state)
{
    (void)state;
    struct page_link links[65];
    struct arena *small = arena_open(512, 8000); /* room for 64 references and no more */
    struct page page = {.links = links, .link_count = 65};
    for (size_t i = 0; i < 65; i++)
        links[i] = link_of(PAGE_NAV);
    html_links_refer(&page, &settings, small, &parsed);
    assert_int_equal(parsed.reference_count, 64);
    assert_true(parsed.is_cut);
    arena_close(small);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_kind_of_link_has_its_letter),
        TEST(a_feed_is_a_prerequisite),
        TEST(nofollow_leaves_out_links_and_feeds_but_not_embeds),
        TEST(nofollow_of_the_page_leaves_out_all_links_but_not_embeds),
        TEST(a_crawl_may_follow_what_says_nofollow),
        TEST(a_context_names_element_and_attribute),
        TEST(anchors_go_along),
        TEST(so_many_are_taken_and_the_rest_is_cut),
        TEST(a_long_list_keeps_its_order_up_to_the_maximum),
        TEST(a_full_arena_cuts_the_page),
    };
    return cmocka_run_group_tests_name("html_links", tests, NULL, NULL);
}
