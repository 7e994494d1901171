/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#include "reading/listing.h"
#include "sitemap/sitemap.h"

#include <zlib.h>

static struct kit k;

#define XML "Content-Type: text/xml\r\n"
#define URLSET "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
#define TWO \
    URLSET "<url><loc>http://a.test/1</loc></url><url><loc>http://a.test/2</loc></url></urlset>"

static void open_listing(const char *head, struct str body)
{
    kit_open(&k, 200, head, body);
    k.v->parsed.text = body;
}

static const struct visit_parsed *read_listing(void)
{
    assert_rc(listing_read(k.tools, &k.settings, k.v), RC_OK);
    return &k.v->parsed;
}

static void pages_are_listed_and_sitemaps_are_prerequisites(void **state)
{
    (void)state;
    open_listing(XML, STR(TWO));
    const struct visit_parsed *p = read_listing();
    assert_int_equal(p->reference_count, 2);
    assert_true(kit_refers(p, "http://a.test/1", HOP_LISTED));
    assert_str(p->references[0].context, STR("sitemap/loc"));
    assert_false(p->is_cut);
    kit_close(&k);
    open_listing(XML, STR("<sitemapindex><sitemap><loc>/s.xml</loc></sitemap></sitemapindex>"));
    p = read_listing();
    assert_int_equal(p->reference_count, 1);
    assert_true(kit_refers(p, "/s.xml", HOP_PREREQUISITE));
    kit_close(&k);
}

static void a_feed_lists_pages(void **state)
{
    (void)state;
    open_listing("Content-Type: application/rss+xml\r\n",
                 STR("<rss version='2.0'><channel><item><link>/1</link></item></channel></rss>"));
    assert_true(kit_refers(read_listing(), "/1", HOP_LISTED));
    kit_close(&k);
}

static void alternates_are_taken_and_images_are_not(void **state)
{
    (void)state;
    open_listing(XML, STR(URLSET "<url><loc>/1</loc><image:image><image:loc>/i</image:loc>"
                                 "</image:image><xhtml:link rel='alternate' hreflang='de' "
                                 "href='/de'/></url></urlset>"));
    const struct visit_parsed *p = read_listing();
    assert_int_equal(p->reference_count, 2);
    assert_true(kit_refers(p, "/1", HOP_LISTED) && kit_refers(p, "/de", HOP_LISTED));
    kit_close(&k);
}

static void so_many_are_taken_and_the_rest_is_cut(void **state)
{
    (void)state;
    for (uint64_t most = 1; most <= 2; most++) {
        open_listing(XML, STR(TWO));
        k.settings.sitemap_urls = most;
        const struct visit_parsed *p = read_listing();
        assert_int_equal(p->reference_count, most);
        assert_int_equal(p->is_cut, most == 1);
        kit_close(&k);
    }
}

static void a_listing_with_more_entries_than_are_read_is_cut(void **state)
{
    (void)state;
    struct buf body;
    buf_init(&body, 1 << 20);
    for (int i = 0; i < SITEMAP_MAX_ENTRIES + 1; i++)
        buf_add(&body, STR("http://a/\n"));
    open_listing("Content-Type: text/plain\r\n", buf_str(&body));
    const struct visit_parsed *p = read_listing();
    assert_int_equal(p->reference_count, SITEMAP_MAX_ENTRIES);
    assert_true(p->is_cut);
    kit_close(&k);
    buf_done(&body);
}

/* 2,500 addresses of 7,000 bytes are more than VISIT_MAX_LINK_BYTES. */
static void the_text_of_all_addresses_is_limited(void **state)
{
    (void)state;
    enum { ADDRESSES = 2500, BYTES = 7000 };
    struct buf body;
    buf_init(&body, 32 << 20);
    for (int i = 0; i < ADDRESSES; i++) {
        buf_add(&body, STR("http://a/"));
        buf_fill(&body, 'x', BYTES - 9);
        buf_byte(&body, '\n');
    }
    open_listing("Content-Type: text/plain\r\n", buf_str(&body));
    const struct visit_parsed *p = read_listing();
    assert_int_equal(p->reference_count, VISIT_MAX_LINK_BYTES / BYTES);
    assert_true(p->is_cut);
    kit_close(&k);
    buf_done(&body);
}

static void a_line_that_may_be_half_a_url_is_not_taken(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        open_listing("Content-Type: text/plain\r\n", STR("http://a.test/1\nhttp://a.test/22"));
        k.answer.outcome = i ? HTTP_TRUNCATED : HTTP_WHOLE;
        const struct visit_parsed *p = read_listing();
        assert_int_equal(p->reference_count, i ? 1 : 2);
        kit_close(&k);
    }
}

static void the_charset_of_the_header_counts(void **state)
{
    (void)state;
    open_listing("Content-Type: text/plain; charset=windows-1252\r\n", STR("http://a.test/\xe9\n"));
    assert_true(kit_refers(read_listing(), "http://a.test/\xc3\xa9", HOP_LISTED));
    kit_close(&k);
}

static void a_file_that_is_gzip_by_its_name_is_unpacked(void **state)
{
    (void)state;
    unsigned char room[2000];
    z_stream z = {.next_out = room,
                  .avail_out = sizeof room,
                  .next_in = (unsigned char *)(uintptr_t)TWO,
                  .avail_in = sizeof TWO - 1};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    (void)deflateEnd(&z);
    open_listing("", str_make((const char *)room, sizeof room - z.avail_out));
    assert_int_equal(read_listing()->reference_count, 2);
    kit_close(&k);
}

static enum rc read_once(void *ctx)
{
    (void)ctx;
    enum rc rc = kit_try(&k, 200, XML, STR(TWO));
    if (rc == RC_OK) {
        k.v->parsed.text = STR(TWO);
        rc = listing_read(k.tools, &k.settings, k.v);
    }
    kit_close(&k);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(read_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_listed_and_sitemaps_are_prerequisites),
        cmocka_unit_test(a_feed_lists_pages),
        cmocka_unit_test(alternates_are_taken_and_images_are_not),
        cmocka_unit_test(so_many_are_taken_and_the_rest_is_cut),
        cmocka_unit_test(a_listing_with_more_entries_than_are_read_is_cut),
        cmocka_unit_test(the_text_of_all_addresses_is_limited),
        cmocka_unit_test(a_line_that_may_be_half_a_url_is_not_taken),
        cmocka_unit_test(the_charset_of_the_header_counts),
        cmocka_unit_test(a_file_that_is_gzip_by_its_name_is_unpacked),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("listing", tests, NULL, NULL);
}
