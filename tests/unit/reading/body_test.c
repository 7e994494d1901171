/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#include "reading/body.h"

#include <zlib.h>

static struct kit k;

/* `text`, gzipped, in static memory until the next call. */
static struct str gzipped(struct str text)
{
    static unsigned char room[64 << 10];
    z_stream z = {.next_out = room,
                  .avail_out = sizeof room,
                  .next_in = (unsigned char *)(uintptr_t)text.p,
                  .avail_in = (unsigned)text.n};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    (void)deflateEnd(&z);
    return str_make((const char *)room, sizeof room - z.avail_out);
}

static const struct visit_parsed *read_body(const char *head, struct str body)
{
    kit_open(&k, 200, head, body);
    assert_rc(body_read(k.tools, &k.settings, k.v), RC_OK);
    return &k.v->parsed;
}

static void the_bytes_count_more_than_the_type(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        struct str body;
        enum media media;
        struct str identified;
    } rows[] = {
        {"Content-Type: text/html\r\n", STR("<p>x"), MEDIA_HTML, STR("text/html")},
        {"Content-Type: text/html\r\n", STR("\x89PNG\r\n\x1a\n"), MEDIA_IMAGE, STR("image/png")},
        {"", STR("<!doctype html><p>x"), MEDIA_HTML, STR("text/html")},
        {"Content-Type: text/css\r\n", STR("a{}"), MEDIA_CSS, {NULL, 0}},
        {"Content-Type: application/xhtml+xml\r\n", STR("<html xmlns='x'/>"), MEDIA_XHTML,
         STR("text/html")},
        {"Content-Type: text/xml\r\n", STR("<?xml version='1.0'?><urlset>"), MEDIA_SITEMAP,
         STR("text/xml")},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct visit_parsed *p = read_body(rows[i].head, rows[i].body);
        assert_int_equal(p->media, rows[i].media);
        assert_str(p->identified, rows[i].identified);
        assert_ptr_equal(p->text.p, rows[i].body.p); /* nothing is copied */
        assert_null(p->note);
        kit_close(&k);
    }
}

static void content_codings_are_undone(void **state)
{
    (void)state;
    const struct visit_parsed *p = read_body(
        "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", gzipped(STR("<p>unpacked</p>")));
    assert_str(p->text, STR("<p>unpacked</p>"));
    assert_int_equal(p->media, MEDIA_HTML);
    assert_null(p->note);
    kit_close(&k);
}

static void a_body_that_breaks_off_is_read_so_far_and_noted(void **state)
{
    (void)state;
    struct str whole = gzipped(STR("<p>unpacked</p>"));
    const struct visit_parsed *p = read_body(
        "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", str_first(whole, whole.n - 9));
    assert_true(p->text.n <= 15);
    assert_non_null(p->note);
    kit_close(&k);
}

static void chunks_are_removed_unless_the_answer_only_says_chunked(void **state)
{
    (void)state;
    const struct str chunks = STR("4\r\n<p>x\r\n0\r\n\r\n");
    for (int i = 0; i < 2; i++) {
        kit_open(&k, 200, "Content-Type: text/html\r\n", chunks);
        k.answer.is_chunked = true;
        k.answer.is_not_chunked = i == 1;
        assert_rc(body_read(k.tools, &k.settings, k.v), RC_OK);
        assert_str(k.v->parsed.text, i ? chunks : STR("<p>x"));
        kit_close(&k);
    }
}

static void a_body_is_unpacked_to_so_many_bytes_and_no_more(void **state)
{
    (void)state;
    char zeros[5000] = {0};
    kit_open(&k, 200, "Content-Encoding: gzip\r\n", gzipped(str_make(zeros, sizeof zeros)));
    k.settings.text_bytes = 2000;
    assert_rc(body_read(k.tools, &k.settings, k.v), RC_OK);
    assert_int_equal(k.v->parsed.text.n, 2000);
    assert_non_null(k.v->parsed.note);
    kit_close(&k);
}

static void a_bomb_is_not_unpacked(void **state)
{
    (void)state;
    static char zeros[6 << 20];
    struct str bomb = gzipped(str_make(zeros, sizeof zeros));
    const struct visit_parsed *p = read_body("Content-Encoding: gzip\r\n", bomb);
    assert_true(sizeof zeros / bomb.n > 1000); /* it is one */
    assert_true(p->text.n < sizeof zeros);
    assert_non_null(p->note);
    kit_close(&k);
}

static void an_unknown_coding_hides_the_page(void **state)
{
    (void)state;
    const struct visit_parsed *p =
        read_body("Content-Type: text/html\r\nContent-Encoding: rot13\r\n", STR("<p>x"));
    assert_int_equal(p->media, MEDIA_OTHER);
    kit_close(&k);
}

static enum rc read_once(void *ctx)
{
    enum rc rc = kit_try(&k, 200, "Content-Encoding: gzip\r\n", *(struct str *)ctx);
    if (rc == RC_OK)
        rc = body_read(k.tools, &k.settings, k.v);
    kit_close(&k);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct str body = gzipped(STR("<p>unpacked</p>"));
    test_each_allocation_fails(read_once, &body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_count_more_than_the_type),
        cmocka_unit_test(content_codings_are_undone),
        cmocka_unit_test(a_body_that_breaks_off_is_read_so_far_and_noted),
        cmocka_unit_test(chunks_are_removed_unless_the_answer_only_says_chunked),
        cmocka_unit_test(a_body_is_unpacked_to_so_many_bytes_and_no_more),
        cmocka_unit_test(a_bomb_is_not_unpacked),
        cmocka_unit_test(an_unknown_coding_hides_the_page),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("body", tests, NULL, NULL);
}
