/* SPDX-License-Identifier: Apache-2.0 */
/* The demo: its settings, its words, and that its index page has every link once. */
#include "content/demo.h"
#include "content/looks.h"

#include "unit/simweb/world/make.h"

static struct made make_demo(void)
{
    struct made m = make_settings("");
    struct buf why;
    buf_init(&why, 1000);
    demo_settings(&m.settings);
    assert_rc(world_settings_check(&m.settings, &why), RC_OK);
    buf_done(&why);
    m.world = world_open(&m.settings);
    assert_non_null(m.world);
    return m;
}

static void the_demo_is_small_and_on_this_machine(void **state)
{
    (void)state;
    struct made m = make_demo();
    assert_true(m.settings.demo);
    assert_str(m.settings.suffix, STR("localhost"));
    assert_int_equal(m.settings.faults.count + m.settings.sprinkle.count, 0);
    for (uint32_t host = 0; host < m.settings.hosts; host++) {
        assert_int_equal(host_address(m.world, host), 0x7f000001);
        assert_false(host_is_https(m.world, host));
        assert_in_range(host_pages(m.world, host), 12, 40);
    }
    unmake_world(&m);
}

/* Counts how often each link was written. */
struct counter {
    uint32_t times[WORLD_MAX_LINKS];
    const struct links *links;
};

static void count_link(void *ctx, uint32_t nth, struct str inner, struct buf *out)
{
    struct counter *c = ctx;
    assert_true(nth < c->links->count);
    c->times[nth]++;
    (void)inner;
    buf_printf(out, "[%u]", (unsigned)nth);
}

static bool stands_in_the_body(enum link_kind k)
{
    return k == LINK_A || k == LINK_A_NOFOLLOW || k == LINK_AREA || k == LINK_IFRAME ||
           k == LINK_IMAGE;
}

static void index_check(const struct world *w, const struct links *links, struct buf *out)
{
    static struct counter c;
    c = (struct counter){.links = links};
    demo_index_write(w, &(struct demo_links){links, count_link, &c}, out);
    assert_rc(buf_rc(out), RC_OK);
    for (uint32_t i = 0; i < links->count; i++)
        assert_int_equal(c.times[i], stands_in_the_body(links->list[i].kind));
    assert_int_equal(str_find_str(buf_str(out), STR("href")), out->n);
    assert_int_equal(str_find_str(buf_str(out), STR("src=")), out->n);
}

static void the_index_has_each_link_once_and_no_other(void **state)
{
    (void)state;
    struct made m = make_demo();
    static struct links links;
    struct buf out;
    buf_init(&out, 1 << 20);
    links_of(m.world, (struct place){.kind = PLACE_PAGE}, &links);
    assert_true(links.count > m.settings.hosts);
    index_check(m.world, &links, &out);
    for (uint32_t i = 0; i < links.count; i++) /* all kinds there are */
        links.list[i].kind = (enum link_kind)(i % (LINK_LOCATION + 1));
    buf_clear(&out);
    index_check(m.world, &links, &out);
    links.count = 0;
    buf_clear(&out);
    index_check(m.world, &links, &out);
    buf_done(&out);
    unmake_world(&m);
}

static void the_index_shows_every_host(void **state)
{
    (void)state;
    struct made m = make_demo();
    static struct links links;
    struct buf out;
    buf_init(&out, 1 << 20);
    links_of(m.world, (struct place){.kind = PLACE_PAGE}, &links);
    index_check(m.world, &links, &out);
    for (uint32_t host = 1; host < m.settings.hosts; host++) {
        char room[200];
        struct buf name = buf_on(room, sizeof room);
        host_name(m.world, host, &name);
        assert_true(str_find_str(buf_str(&out), buf_str(&name)) < out.n);
        bool linked = false;
        for (uint32_t i = 0; i < links.count; i++)
            linked |= links.list[i].to.host == host && links.list[i].to.kind == PLACE_PAGE;
        assert_true(linked);
    }
    assert_true(str_find_str(buf_str(&out), STR("robots.txt")) < out.n);
    assert_true(str_find_str(buf_str(&out), STR("simweb oracle")) < out.n);
    buf_done(&out);
    unmake_world(&m);
}

static void plain_check(struct str s)
{
    assert_true(s.n > 3);
    for (size_t i = 0; i < s.n; i++)
        assert_true(s.p[i] >= ' ' && s.p[i] < 127 && !strchr("<>&\"'", s.p[i]));
}

static void words_are_plain_and_no_two_titles_of_a_host_are_the_same(void **state)
{
    (void)state;
    enum { PAGES = 100, WIDE = 100 };
    static char titles[PAGES][WIDE];
    struct made m = make_world("demo=yes suffix=localhost hosts=20");
    for (uint32_t host = 0; host < 20; host++)
        for (uint32_t page = 0; page < PAGES; page++) {
            struct buf title = buf_on(titles[page], WIDE - 1);
            char room[400];
            struct buf more = buf_on(room, sizeof room);
            demo_page_title(m.world, host, page, &title);
            plain_check(buf_str(&title));
            titles[page][title.n] = 0;
            assert_true(title.p[0] >= 'A' && title.p[0] <= 'Z');
            for (uint32_t i = 0; i < page; i++)
                assert_string_not_equal(titles[i], titles[page]);
            demo_page_lead(m.world, host, page, &more);
            demo_site_name(m.world, host, &more);
            demo_site_line(m.world, host, &more);
            plain_check(buf_str(&more));
        }
    unmake_world(&m);
}

static void sentences_end_and_headings_do_not(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, test_seed(3));
    for (int i = 0; i < 3000; i++) {
        char room[400];
        struct buf s = buf_on(room, sizeof room);
        demo_sentence(&r, &s);
        plain_check(buf_str(&s));
        assert_true(s.p[0] >= 'A' && s.p[0] <= 'Z' && s.p[s.n - 1] == '.');
        buf_clear(&s);
        demo_heading(&r, &s);
        plain_check(buf_str(&s));
        assert_true(s.p[0] >= 'A' && s.p[0] <= 'Z' && s.p[s.n - 1] != '.');
    }
}

static enum rc write_index(void *ctx)
{
    static struct links links;
    static struct counter c;
    struct buf out;
    links_of(ctx, (struct place){.kind = PLACE_PAGE}, &links);
    c = (struct counter){.links = &links};
    buf_init(&out, 1 << 20);
    demo_index_write(ctx, &(struct demo_links){&links, count_link, &c}, &out);
    demo_page_title(ctx, 1, 1, &out);
    enum rc rc = buf_rc(&out);
    buf_done(&out);
    return rc;
}

static void the_index_survives_every_failed_allocation(void **state)
{
    (void)state;
    struct made m = make_demo();
    test_each_allocation_fails(write_index, m.world);
    unmake_world(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_demo_is_small_and_on_this_machine),
        cmocka_unit_test(the_index_has_each_link_once_and_no_other),
        cmocka_unit_test(the_index_shows_every_host),
        cmocka_unit_test(words_are_plain_and_no_two_titles_of_a_host_are_the_same),
        cmocka_unit_test(sentences_end_and_headings_do_not),
        cmocka_unit_test(the_index_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
