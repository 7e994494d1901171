/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/simweb/world/make.h"

#include "base/mem.h"
#include "content/content.h"
#include "content/xml.h"

enum { MOST_BYTES = 16 << 20 };

static const uint64_t day_ms = UINT64_C(86400000);

static bool has(struct str body, const char *what)
{
    return str_find_str(body, str_c(what)) < body.n;
}

static struct str body_of(struct content *c, struct place p, struct version v, struct buf *out)
{
    buf_clear(out);
    content_body(c, p, v, CODING_IDENTITY, out);
    assert_rc(buf_rc(out), RC_OK);
    return buf_str(out);
}

static void robots_txt_says_what_the_world_says(void **state)
{
    (void)state;
    struct made m = make_world("hosts=200 pages=20 crawl-delays=0.5");
    struct content *c = content_open(m.world);
    struct buf out = {.max = MOST_BYTES}, wanted = {.max = 1000};
    uint32_t delays = 0, sitemaps = 0;
    for (uint32_t h = 0; h < 200; h++) {
        struct host_robots r = host_robots(m.world, h);
        struct str body =
            body_of(c, (struct place){h, PLACE_ROBOTS, 0, 0}, (struct version){0}, &out);
        if (!r.exists) {
            assert_int_equal(body.n, 0);
            continue;
        }
        assert_true(has(body, ": *\n") && has(body, ": /private/"));
        assert_int_equal(has(body, "Crawl-delay: "), r.crawl_delay_ms > 0);
        assert_int_equal(has(body, "Sitemap: "), r.sitemaps > 0 && r.names_sitemap);
        buf_clear(&wanted);
        buf_printf(&wanted, "Crawl-delay: %g\n", r.crawl_delay_ms / 1000.0);
        assert_int_equal(has(body, buf_c(&wanted)), r.crawl_delay_ms > 0);
        delays += r.crawl_delay_ms > 0;
        sitemaps += has(body, "Sitemap: ");
    }
    assert_true(delays > 20 && sitemaps > 20);
    buf_done(&out);
    buf_done(&wanted);
    content_close(c);
    unmake_world(&m);
}

/* Some host with that many sitemaps or more. */
static uint32_t host_with_sitemaps(const struct world *w, uint32_t least)
{
    for (uint32_t h = 0; h < world_settings(w)->hosts; h++)
        if (host_robots(w, h).sitemaps >= least)
            return h;
    fail_msg("no host has %u sitemaps", least);
    return 0;
}

static void sitemaps_list_pages_with_their_last_change(void **state)
{
    (void)state;
    struct made m = make_world("hosts=20 pages=1500 changing=1 change-every=5d");
    struct content *c = content_open(m.world);
    struct buf out = {.max = MOST_BYTES}, wanted = {.max = 1000};
    struct links *links = mem_alloc(sizeof *links);
    uint64_t now = WORLD_EPOCH_MS + 100 * day_ms;
    uint32_t h = host_with_sitemaps(m.world, 2);
    struct place p = {h, PLACE_SITEMAP, 0, 0};
    struct str body = body_of(c, p, place_version(m.world, p, now), &out);
    assert_true(has(body, "<urlset xmlns="));
    links_of(m.world, p, links);
    assert_true(links->count > 100);
    for (uint32_t i = 0; i < links->count; i++) {
        struct version v = place_version(m.world, links->list[i].to, now);
        buf_clear(&wanted);
        buf_add(&wanted, STR("<loc>"));
        xml_url(m.world, links->list[i].to, &wanted);
        buf_add(&wanted, STR("</loc><lastmod>"));
        date_write_w3c(v.changed_ms, &wanted);
        assert_true(has(body, buf_c(&wanted)));
    }
    p.kind = PLACE_SITEMAP_INDEX;
    body = body_of(c, p, place_version(m.world, p, now), &out);
    assert_true(has(body, "/sitemap-0.xml</loc>") && has(body, "/sitemap-1.xml.gz</loc>"));
    p = (struct place){h, PLACE_SITEMAP, 0, 1};
    body = body_of(c, p, place_version(m.world, p, now), &out);
    assert_true(str_starts(body, STR("\x1f\x8b")));
    assert_string_equal(content_facts(c, p, (struct version){0}).type, "application/gzip");
    assert_false(content_facts(c, p, (struct version){0}).codable);
    mem_free(links);
    buf_done(&out);
    buf_done(&wanted);
    content_close(c);
    unmake_world(&m);
}

static void feeds_are_rss_or_atom_and_list_the_newest(void **state)
{
    (void)state;
    struct made m = make_world("hosts=30 pages=40");
    struct content *c = content_open(m.world);
    struct buf out = {.max = MOST_BYTES}, url = {.max = 1000};
    struct links *links = mem_alloc(sizeof *links);
    uint32_t rss = 0, atom = 0;
    for (uint32_t h = 0; h < 30; h++) {
        struct place p = {h, PLACE_FEED, 0, 0};
        struct version v = place_version(m.world, p, WORLD_EPOCH_MS + day_ms);
        struct str body = body_of(c, p, v, &out);
        const char *type = content_facts(c, p, v).type;
        assert_int_equal(has(body, "<rss "), strcmp(type, "application/rss+xml") == 0);
        assert_int_equal(has(body, "<feed "), strcmp(type, "application/atom+xml") == 0);
        rss += has(body, "<rss ");
        atom += has(body, "<feed ");
        links_of(m.world, p, links);
        for (uint32_t i = 0; i < links->count; i++) {
            buf_clear(&url);
            xml_url(m.world, links->list[i].to, &url);
            assert_true(has(body, buf_c(&url)));
        }
    }
    assert_true(rss > 3 && atom > 3);
    mem_free(links);
    buf_done(&out);
    buf_done(&url);
    content_close(c);
    unmake_world(&m);
}

static void an_etag_changes_with_the_bytes_alone(void **state)
{
    (void)state;
    struct made m = make_world("hosts=3 pages=20");
    struct content *c = content_open(m.world);
    struct place page = {1, PLACE_PAGE, 8, 0}, other = {1, PLACE_PAGE, 16, 0};
    struct version v = {.text = 1, .structure = 1, .image = 1, .changed_ms = 5};
    struct version image = {.text = 1, .structure = 1, .image = 2, .changed_ms = 6};
    struct version text = {.text = 2, .structure = 1, .image = 1, .changed_ms = 6};
    uint64_t tag = content_facts(c, page, v).etag;
    assert_int_equal(content_facts(c, page, v).changed_ms, 5);
    assert_true(content_facts(c, page, image).etag == tag);
    assert_true(content_facts(c, page, text).etag != tag);
    assert_true(content_facts(c, other, v).etag != tag);
    page.kind = PLACE_IMAGE;
    assert_true(content_facts(c, page, v).etag != tag);
    assert_true(content_facts(c, page, image).etag != content_facts(c, page, v).etag);
    content_close(c);
    unmake_world(&m);
}

static void every_kind_of_place_has_a_type(void **state)
{
    (void)state;
    struct made m = make_world("hosts=3 pages=600 images=5");
    struct content *c = content_open(m.world);
    struct buf out = {.max = MOST_BYTES};
    for (unsigned kind = PLACE_PAGE; kind < PLACE_KINDS_; kind++) {
        struct place p = {host_with_sitemaps(m.world, 1), (enum place_kind)kind, 0, 0};
        struct content_facts f = content_facts(c, p, (struct version){0});
        bool image = kind == PLACE_IMAGE || kind == PLACE_STYLE_IMAGE || kind == PLACE_ICON;
        assert_non_null(f.type);
        assert_int_equal(str_starts(str_c(f.type), STR("image/")), image);
        if (image)
            assert_false(f.codable && !has(str_c(f.type), "svg"));
        assert_true(body_of(c, p, (struct version){0}, &out).n > 0);
    }
    buf_done(&out);
    content_close(c);
    unmake_world(&m);
}

static void the_title_is_the_one_on_the_page(void **state)
{
    (void)state;
    struct made m = make_world("hosts=1 pages=60 redirects=0");
    struct content *c = content_open(m.world);
    struct buf out = {.max = MOST_BYTES}, title = {.max = 1000}, wanted = {.max = 2000};
    for (uint32_t p = 0; p < 60; p++) {
        struct place place = {0, PLACE_PAGE, p, 0};
        if (page_of(m.world, 0, p).charset == CHARSET_UTF16LE)
            continue;
        struct str body = body_of(c, place, (struct version){0}, &out);
        buf_clear(&title);
        buf_clear(&wanted);
        content_title(c, 0, p, &title);
        buf_add(&wanted, STR("<title>"));
        xml_text(buf_str(&title), &wanted);
        buf_add(&wanted, STR("</title>"));
        assert_true(has(body, buf_c(&wanted)));
    }
    buf_done(&out);
    buf_done(&title);
    buf_done(&wanted);
    content_close(c);
    unmake_world(&m);
}

static void running_text_is_plain_sentences(void **state)
{
    (void)state;
    struct made m = make_world("hosts=1 pages=2");
    struct content *c = content_open(m.world);
    struct buf one = {.max = MOST_BYTES}, two = {.max = MOST_BYTES};
    content_text(c, 7, 5000, &one);
    content_text(c, 8, 5000, &two);
    assert_in_range(one.n, 5000, 5400);
    assert_false(str_eq(buf_str(&one), buf_str(&two)));
    assert_int_equal(one.p[one.n - 1], '.');
    for (size_t i = 0; i < one.n; i++)
        assert_true(one.p[i] >= ' ' && one.p[i] < 0x7f && !strchr("<>&\"", one.p[i]));
    buf_clear(&two);
    content_text(c, 7, 5000, &two);
    assert_str(buf_str(&one), buf_str(&two));
    buf_done(&one);
    buf_done(&two);
    content_close(c);
    unmake_world(&m);
}

static void dates_are_right(void **state)
{
    (void)state;
    struct buf out = {.max = 1000};
    date_write_w3c(WORLD_EPOCH_MS + 999, &out);
    assert_str(buf_str(&out), STR("2025-01-01T00:00:00Z"));
    buf_clear(&out);
    date_write_822(UINT64_C(784111777000), &out);
    assert_str(buf_str(&out), STR("Sun, 06 Nov 1994 08:49:37 GMT"));
    buf_done(&out);
}

/* Opens it and makes one page in each coding, and something of all the rest. */
static enum rc use_all(void *ctx)
{
    struct made *m = ctx;
    struct content *c = content_open(m->world);
    struct buf out = {.max = MOST_BYTES};
    enum rc rc = c ? RC_OK : RC_NOMEM;
    for (unsigned k = 0; k < CODING_COUNT_ && rc == RC_OK; k++) {
        content_body(c, (struct place){0, PLACE_PAGE, 0, 0}, (struct version){0}, (enum coding)k,
                     &out);
        rc = buf_rc(&out);
    }
    for (unsigned kind = PLACE_STYLE; kind < PLACE_KINDS_ && rc == RC_OK; kind++) {
        if (kind == PLACE_STYLE_IMAGE || kind == PLACE_ICON)
            continue; /* looks' own tests */
        struct place p = {0, (enum place_kind)kind, 0, kind == PLACE_SITEMAP};
        content_body(c, p, (struct version){0}, CODING_GZIP, &out);
        rc = buf_rc(&out);
    }
    buf_done(&out);
    content_close(c);
    return rc;
}

static void it_fails_cleanly_without_memory(void **state)
{
    (void)state;
    struct made m = make_world("hosts=1 pages=2 links=5 page-bytes=2k");
    test_each_allocation_fails(use_all, &m);
    unmake_world(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_txt_says_what_the_world_says),
        cmocka_unit_test(sitemaps_list_pages_with_their_last_change),
        cmocka_unit_test(feeds_are_rss_or_atom_and_list_the_newest),
        cmocka_unit_test(an_etag_changes_with_the_bytes_alone),
        cmocka_unit_test(every_kind_of_place_has_a_type),
        cmocka_unit_test(the_title_is_the_one_on_the_page),
        cmocka_unit_test(running_text_is_plain_sentences),
        cmocka_unit_test(dates_are_right),
        cmocka_unit_test(it_fails_cleanly_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
