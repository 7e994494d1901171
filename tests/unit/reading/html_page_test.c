/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#include "reading/html_page.h"

static struct kit k;

#define HTML "Content-Type: text/html\r\n"

static void open_page(uint16_t status, const char *head, struct str body)
{
    kit_open(&k, status, head, body);
    k.v->parsed.media = MEDIA_HTML;
    k.v->parsed.text = body;
}

static const struct visit_parsed *read_page(void)
{
    assert_rc(html_page_read(k.tools, &k.settings, k.v), RC_OK);
    return &k.v->parsed;
}

static void a_page_says_its_title_base_and_links(void **state)
{
    (void)state;
    open_page(200, HTML, STR("<title> a  b </title><base href=/b/><a href=1>one</a><img src=2>"));
    const struct visit_parsed *p = read_page();
    assert_str(p->title, STR("a b"));
    assert_str(p->base, STR("/b/"));
    assert_true(p->is_page);
    assert_false(p->is_cut);
    assert_int_equal(p->reference_count, 2);
    assert_true(kit_refers(p, "1", HOP_LINK) && kit_refers(p, "2", HOP_EMBED));
    kit_close(&k);
}

static void only_an_answer_of_200_is_a_page_of_the_crawl(void **state)
{
    (void)state;
    open_page(203, HTML, STR("<title>x</title><a href=1>"));
    const struct visit_parsed *p = read_page();
    assert_false(p->is_page);
    assert_int_equal(p->reference_count, 1); /* it is read all the same */
    kit_close(&k);
}

static void robots_bits_of_the_header_and_of_the_page_add_up(void **state)
{
    (void)state;
    open_page(200, HTML, STR("<meta name=orbweaver content=nofollow><a href=1>"));
    k.v->parsed.robots_bits = PAGE_NOINDEX;
    const struct visit_parsed *p = read_page();
    assert_int_equal(p->robots_bits, PAGE_NOINDEX | PAGE_NOFOLLOW);
    assert_int_equal(p->reference_count, 0);
    kit_close(&k);
}

static void a_meta_for_another_crawler_says_nothing(void **state)
{
    (void)state;
    open_page(200, HTML, STR("<meta name=otherbot content=nofollow><a href=1>"));
    const struct visit_parsed *p = read_page();
    assert_int_equal(p->robots_bits, 0);
    assert_int_equal(p->reference_count, 1);
    kit_close(&k);
}

static void texts_and_tags_are_read_where_they_are_asked_for(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        open_page(200, HTML, STR("<p>words</p><a href=1>text</a>"));
        k.settings.keywords.count = i == 1;
        k.v->turn.is_compared = i == 2;
        const struct visit_parsed *p = read_page();
        assert_int_equal(p->visible.n > 0, i > 0);
        assert_int_equal(p->references[0].anchor.n, i == 1 ? 4 : 0);
        assert_int_equal(p->tags != NULL, i == 2);
        assert_int_equal(p->tag_count, i == 2 ? 4 : 0);
        kit_close(&k);
    }
}

/* A style element is cut at PAGE_MAX_STYLE_BYTES, tags at 262,144. */
static void a_page_that_was_cut_has_no_tags_and_says_so(void **state)
{
    (void)state;
    enum { TAGS = 270000 };
    struct buf body;
    buf_init(&body, 4 << 20);
    for (int i = 0; i < TAGS; i++)
        buf_add(&body, STR("<b>"));
    open_page(200, HTML, buf_str(&body));
    k.v->turn.is_compared = true;
    assert_null(read_page()->tags);
    kit_close(&k);

    buf_clear(&body);
    buf_add(&body, STR("<style>"));
    buf_fill(&body, 'a', PAGE_MAX_STYLE_BYTES + 1);
    buf_add(&body, STR("</style><a href=1>"));
    open_page(200, HTML, buf_str(&body));
    assert_true(read_page()->is_cut);
    kit_close(&k);
    buf_done(&body);
}

static void the_text_is_kept_in_utf_8(void **state)
{
    (void)state;
    open_page(200, "Content-Type: text/html; charset=latin1\r\n", STR("<title>caf\xe9</title>"));
    const struct visit_parsed *p = read_page();
    assert_str(p->title, STR("caf\xc3\xa9"));
    assert_str(p->text, STR("<title>caf\xc3\xa9</title>"));
    assert_string_equal(p->charset, "windows-1252");
    kit_close(&k);
}

static void xhtml_is_read_by_the_rules_of_xml(void **state)
{
    (void)state;
    static const char body[] = "<script/><a href='1'>one</a>";
    open_page(200, HTML, str_c(body));
    assert_int_equal(read_page()->reference_count, 0); /* it is all script */
    kit_close(&k);
    open_page(200, "Content-Type: application/xhtml+xml\r\n", str_c(body));
    k.v->parsed.media = MEDIA_XHTML;
    assert_int_equal(read_page()->reference_count, 1);
    kit_close(&k);
}

static enum rc read_once(void *ctx)
{
    (void)ctx;
    struct str body = STR("<title>\xe9</title><a href=1>x</a><style>a{b:url(3)}</style>");
    enum rc rc = kit_try(&k, 200, "Content-Type: text/html; charset=latin1\r\n", body);
    if (rc == RC_OK) {
        k.v->parsed.text = body;
        k.v->turn.is_compared = true;
        rc = html_page_read(k.tools, &k.settings, k.v);
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
        cmocka_unit_test(a_page_says_its_title_base_and_links),
        cmocka_unit_test(only_an_answer_of_200_is_a_page_of_the_crawl),
        cmocka_unit_test(robots_bits_of_the_header_and_of_the_page_add_up),
        cmocka_unit_test(a_meta_for_another_crawler_says_nothing),
        cmocka_unit_test(texts_and_tags_are_read_where_they_are_asked_for),
        cmocka_unit_test(a_page_that_was_cut_has_no_tags_and_says_so),
        cmocka_unit_test(the_text_is_kept_in_utf_8),
        cmocka_unit_test(xhtml_is_read_by_the_rules_of_xml),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("html_page", tests, NULL, NULL);
}
