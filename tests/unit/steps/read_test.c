/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/step.h"

#include "html/page.h"

#include <zlib.h>

extern const struct part part_read;

static struct step s;

#define HTML "Content-Type: text/html\r\n"

static struct visit *read_answer(const char *settings, const char *seed_path, uint16_t status,
                                 const char *head, const char *body)
{
    step_world(&s, settings, 0);
    assert_rc(step_open(&s, &part_read), RC_OK);
    struct visit *v = step_visit(&s, "http://a.test/dir/page", seed_path);
    (void)step_set_answer(&s, v, status, head, body);
    step_give(&s, 0, &v->head);
    return step_visit_at(&s, 0, 0);
}

static bool refers(const struct visit *v, const char *raw, char hop)
{
    for (size_t i = 0; i < v->parsed.reference_count; i++)
        if (str_eq(v->parsed.references[i].raw, str_c(raw)) && v->parsed.references[i].hop == hop)
            return true;
    return false;
}

static void a_page_gives_its_title_base_and_references(void **state)
{
    (void)state;
    const struct visit *v = read_answer(
        "", "", 200, HTML,
        "<!doctype html><title>T</title><base href=/b/><a href=1>one</a><img src=2.png>"
        "<link rel=stylesheet href=3.css><iframe src=4></iframe><link rel=canonical href=5>"
        "<link rel=alternate type=application/rss+xml href=feed><a href=6>six</a>");
    assert_true(v->parsed.is_page);
    assert_int_equal(v->parsed.media, MEDIA_HTML);
    assert_str(v->parsed.title, STR("T"));
    assert_str(v->parsed.base, STR("/b/"));
    assert_true(refers(v, "1", HOP_LINK) && refers(v, "4", HOP_LINK) && refers(v, "5", HOP_LINK));
    assert_true(refers(v, "2.png", HOP_EMBED) && refers(v, "3.css", HOP_EMBED));
    assert_true(refers(v, "feed", HOP_PREREQUISITE));
    assert_str(v->parsed.references[0].context, STR("a/@href"));
    step_close(&s);
}

static void a_redirect_refers_to_where_it_leads_and_its_body_is_not_read(void **state)
{
    (void)state;
    const struct visit *v =
        read_answer("", "", 301, HTML "Location: /new\r\n", "<a href=1>one</a>");
    assert_int_equal(v->parsed.reference_count, 1);
    assert_true(refers(v, "/new", HOP_REDIRECT));
    step_close(&s);
    v = read_answer("", "", 302, HTML, "<a href=1>one</a>"); /* it leads nowhere */
    assert_true(refers(v, "1", HOP_LINK));
    assert_false(v->parsed.is_page);
    step_close(&s);
}

static void errors_and_parts_of_pages_are_not_read(void **state)
{
    (void)state;
    static const uint16_t statuses[] = {404, 206, 500, 304, 100};
    for (unsigned i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        const struct visit *v = read_answer("", "", statuses[i], HTML, "<a href=1>one</a>");
        assert_int_equal(v->parsed.reference_count, 0);
        step_close(&s);
    }
    const struct visit *v = read_answer("", "", 201, HTML, "<a href=1>one</a>");
    assert_int_equal(v->parsed.reference_count, 1);
    assert_false(v->parsed.is_page); /* 200 alone is one */
    step_close(&s);
}

static void an_answer_of_another_type_is_not_read(void **state)
{
    (void)state;
    step_world(&s, "", 0);
    assert_rc(step_open(&s, &part_read), RC_OK);
    struct visit *v = step_visit(&s, "http://a.test/", "");
    (void)step_set_answer(&s, v, 200, HTML, "<a href=1>one</a>");
    v->answer.has_other_type = true;
    step_give(&s, 0, &v->head);
    assert_int_equal(v->parsed.reference_count, 0);
    struct visit *peeked = step_visit(&s, "http://c.test/", "");
    step_set_answer(&s, peeked, 200, HTML, "<a href=1>one</a>")->outcome = HTTP_UNWANTED;
    step_give(&s, 0, &peeked->head);
    assert_int_equal(peeked->parsed.reference_count, 0);
    assert_false(peeked->parsed.is_page);
    struct visit *none = step_visit(&s, "http://b.test/", "");
    step_give(&s, 0, &none->head);
    assert_int_equal(s.out_count[0], 3);
    step_close(&s);
}

static void links_that_say_nofollow_are_left_out_unless_the_crawl_follows_them(void **state)
{
    (void)state;
    static const char body[] = "<a rel=nofollow href=1>x</a><a href=2>x</a><img src=3>";
    const struct visit *v = read_answer("", "", 200, HTML, body);
    assert_false(refers(v, "1", HOP_LINK));
    assert_true(refers(v, "2", HOP_LINK) && refers(v, "3", HOP_EMBED));
    step_close(&s);
    v = read_answer("follow-nofollow=yes", "", 200, HTML, body);
    assert_true(refers(v, "1", HOP_LINK));
    step_close(&s);
}

static void a_page_that_says_nofollow_keeps_its_embeds(void **state)
{
    (void)state;
    static const char *const heads[] = {HTML "X-Robots-Tag: nofollow\r\n", HTML};
    static const char *const bodies[] = {
        "<a href=2>x</a><img src=3>",
        "<meta name=robots content=nofollow><a href=2>x</a><img src=3>"};
    for (unsigned i = 0; i < 2; i++) {
        const struct visit *v = read_answer("", "", 200, heads[i], bodies[i]);
        assert_true(v->parsed.robots_bits & PAGE_NOFOLLOW);
        assert_false(refers(v, "2", HOP_LINK));
        assert_true(refers(v, "3", HOP_EMBED));
        step_close(&s);
    }
}

static void the_header_refresh_is_a_link(void **state)
{
    (void)state;
    const struct visit *v = read_answer("", "", 200, HTML "Refresh: 5; url=/next\r\n", "");
    assert_true(refers(v, "/next", HOP_LINK));
    step_close(&s);
    v = read_answer("", "", 200, HTML "X-Robots-Tag: none\r\nRefresh: 5; url=/next\r\n", "");
    assert_int_equal(v->parsed.reference_count, 0);
    step_close(&s);
}

static void a_style_sheet_refers_to_what_it_shows(void **state)
{
    (void)state;
    const struct visit *v = read_answer("", "LE", 200, "Content-Type: text/css\r\n",
                                        "@import 'a.css'; b { background: url(c.png) }");
    assert_true(refers(v, "a.css", HOP_EMBED) && refers(v, "c.png", HOP_EMBED));
    assert_false(v->parsed.is_page);
    step_close(&s);
}

#define SITEMAP                                                                         \
    "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>" \
    "<url><loc>http://a.test/1</loc></url><url><loc>http://a.test/2</loc></url></urlset>"

static void a_sitemap_lists_pages_and_an_index_lists_sitemaps(void **state)
{
    (void)state;
    const struct visit *v = read_answer("", "P", 200, "Content-Type: text/xml\r\n", SITEMAP);
    assert_int_equal(v->parsed.media, MEDIA_SITEMAP);
    assert_true(refers(v, "http://a.test/1", HOP_LISTED) &&
                refers(v, "http://a.test/2", HOP_LISTED));
    step_close(&s);
    v = read_answer("", "P", 200, "Content-Type: text/xml\r\n",
                    "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
                    "<sitemap><loc>http://a.test/s.xml</loc></sitemap></sitemapindex>");
    assert_true(refers(v, "http://a.test/s.xml", HOP_PREREQUISITE));
    step_close(&s);
    v = read_answer("sitemap-urls=1", "P", 200, "Content-Type: text/xml\r\n", SITEMAP);
    assert_int_equal(v->parsed.reference_count, 1);
    assert_true(v->parsed.is_cut);
    step_close(&s);
}

static void a_text_that_was_named_as_a_sitemap_is_read_as_one(void **state)
{
    (void)state;
    const struct visit *v =
        read_answer("", "LP", 200, "Content-Type: text/plain\r\n", "http://a.test/1\n");
    assert_true(refers(v, "http://a.test/1", HOP_LISTED));
    step_close(&s);
    v = read_answer("", "L", 200, "Content-Type: text/plain\r\n", "http://a.test/1\n");
    assert_int_equal(v->parsed.reference_count, 0);
    step_close(&s);
}

static void of_a_page_so_many_references_are_taken(void **state)
{
    (void)state;
    const struct visit *v =
        read_answer("links=2", "", 200, HTML, "<a href=1>x</a><a href=2>x</a><a href=3>x</a>");
    assert_int_equal(v->parsed.reference_count, 2);
    assert_true(v->parsed.is_cut);
    step_close(&s);
}

static void other_encodings_become_utf_8(void **state)
{
    (void)state;
    const struct visit *v = read_answer(
        "", "", 200, "Content-Type: text/html; charset=iso-8859-1\r\n", "<title>caf\xe9</title>");
    assert_str(v->parsed.title, STR("caf\xc3\xa9"));
    assert_string_equal(v->parsed.charset, "windows-1252");
    step_close(&s);
}

static void texts_are_read_where_they_are_asked_for(void **state)
{
    (void)state;
    const struct visit *v = read_answer("", "", 200, HTML, "<p>words</p><a href=1>text</a>");
    assert_false(v->parsed.visible.n);
    assert_null(v->parsed.tags);
    step_close(&s);
    v = read_answer("keywords=words", "", 200, HTML, "<p>words</p><a href=1>text</a>");
    assert_true(str_find_str(v->parsed.visible, STR("words")) < v->parsed.visible.n);
    assert_str(v->parsed.references[0].anchor, STR("text"));
    step_close(&s);
    step_world(&s, "", STEP_COMPARES);
    assert_rc(step_open(&s, &part_read), RC_OK);
    struct visit *compared = step_visit(&s, "http://a.test/", "");
    (void)step_set_answer(&s, compared, 200, HTML, "<p>words</p>");
    step_give(&s, 0, &compared->head);
    assert_non_null(compared->parsed.tags);
    step_close(&s);
}

static void give_gzipped(struct step *w, struct visit *v, struct http_answer *a, const char *text)
{
    static unsigned char room[2000];
    z_stream z = {.next_out = room,
                  .avail_out = sizeof room,
                  .next_in = (unsigned char *)(uintptr_t)text,
                  .avail_in = (unsigned)strlen(text)};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    a->body = str_make((const char *)room, sizeof room - z.avail_out);
    (void)deflateEnd(&z);
    step_give(w, 0, &v->head);
}

static void codings_are_undone_also_those_of_a_sitemaps_file(void **state)
{
    (void)state;
    step_world(&s, "", 0);
    assert_rc(step_open(&s, &part_read), RC_OK);
    struct visit *v = step_visit(&s, "http://a.test/", "");
    struct http_answer *a = step_set_answer(&s, v, 200, HTML "Content-Encoding: gzip\r\n", "");
    give_gzipped(&s, v, a, "<a href=1>one</a>");
    assert_true(refers(v, "1", HOP_LINK));
    v = step_visit(&s, "http://b.test/s.xml.gz", "P");
    a = step_set_answer(&s, v, 200, "Content-Type: application/gzip\r\n", "");
    give_gzipped(&s, v, a, SITEMAP);
    assert_true(refers(v, "http://a.test/2", HOP_LISTED));
    step_close(&s);
}

static void an_unknown_coding_hides_the_page(void **state)
{
    (void)state;
    const struct visit *v =
        read_answer("", "", 200, HTML "Content-Encoding: rot13\r\n", "<a href=1>one</a>");
    assert_int_equal(v->parsed.reference_count, 0);
    assert_int_equal(v->parsed.media, MEDIA_OTHER);
    step_close(&s);
}

/* Memory --------------------------------------------------------------------------------------- */

static struct visit *given;

static void prepare_html(struct step *w)
{
    given = step_visit(w, "http://a.test/", "");
    (void)step_set_answer(
        w, given, 200, "Content-Type: text/html; charset=iso-8859-1\r\nX-Robots-Tag: noindex\r\n",
        "<title>\xe9</title><a href=1>x</a><img src=2><style>a{b:url(3)}</style>");
}

static void prepare_sitemap(struct step *w)
{
    given = step_visit(w, "http://a.test/", "P");
    (void)step_set_answer(w, given, 200, "Content-Type: text/xml\r\n", SITEMAP);
}

static void run(struct step *w)
{
    step_give(w, 0, &given->head);
    assert_int_equal(w->out_count[0], 1);
}

static void whatever_allocation_fails_the_visit_goes_on(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_read, .settings = "keywords=a", .prepare = prepare_html, .run = run});
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_read, .settings = "", .prepare = prepare_sitemap, .run = run});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_gives_its_title_base_and_references),
        cmocka_unit_test(a_redirect_refers_to_where_it_leads_and_its_body_is_not_read),
        cmocka_unit_test(errors_and_parts_of_pages_are_not_read),
        cmocka_unit_test(an_answer_of_another_type_is_not_read),
        cmocka_unit_test(links_that_say_nofollow_are_left_out_unless_the_crawl_follows_them),
        cmocka_unit_test(a_page_that_says_nofollow_keeps_its_embeds),
        cmocka_unit_test(the_header_refresh_is_a_link),
        cmocka_unit_test(a_style_sheet_refers_to_what_it_shows),
        cmocka_unit_test(a_sitemap_lists_pages_and_an_index_lists_sitemaps),
        cmocka_unit_test(a_text_that_was_named_as_a_sitemap_is_read_as_one),
        cmocka_unit_test(of_a_page_so_many_references_are_taken),
        cmocka_unit_test(other_encodings_become_utf_8),
        cmocka_unit_test(texts_are_read_where_they_are_asked_for),
        cmocka_unit_test(codings_are_undone_also_those_of_a_sitemaps_file),
        cmocka_unit_test(an_unknown_coding_hides_the_page),
        cmocka_unit_test(whatever_allocation_fails_the_visit_goes_on),
    };
    return cmocka_run_group_tests_name("read", tests, NULL, NULL);
}
