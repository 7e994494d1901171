/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "reading/html_text.h"

static struct buf utf8;

static struct html_text text_of(struct str body, struct str type)
{
    struct html_text t = {0};
    assert_rc(html_text_of(body, type, &utf8, &t), RC_OK);
    return t;
}

static void utf_8_is_borrowed_without_its_byte_order_mark(void **state)
{
    (void)state;
    struct str body = STR("\xef\xbb\xbf<p>caf\xc3\xa9");
    struct html_text t = text_of(body, STR_NONE);
    assert_ptr_equal(t.text.p, body.p + 3);
    assert_str(t.text, STR("<p>caf\xc3\xa9"));
    assert_string_equal(t.charset, "UTF-8");
}

static void another_encoding_becomes_utf_8(void **state)
{
    (void)state;
    struct html_text t = text_of(STR("caf\xe9"), STR("text/html; charset=iso-8859-1"));
    assert_str(t.text, STR("caf\xc3\xa9"));
    assert_string_equal(t.charset, "windows-1252");
    t = text_of(STR("\xff\xfe<\0p\0"), STR_NONE);
    assert_str(t.text, STR("<p"));
    assert_string_equal(t.charset, "UTF-16LE");
}

static void a_meta_counts_if_the_header_says_nothing(void **state)
{
    (void)state;
    struct html_text t = text_of(STR("<meta charset=koi8-r>\xc1"), STR("text/html"));
    assert_string_equal(t.charset, "KOI8-R");
    assert_str(t.text, STR("<meta charset=koi8-r>\xd0\xb0"));
}

static void the_page_before_is_forgotten(void **state)
{
    (void)state;
    (void)text_of(STR("first \xe9"), STR("text/html; charset=latin1"));
    assert_str(text_of(STR("\xe8"), STR("text/html; charset=latin1")).text, STR("\xc3\xa8"));
}

static void what_does_not_fit_is_cut_off(void **state)
{
    (void)state;
    char room[64] = {0}, body[1000];
    struct buf small = buf_on(room, sizeof room);
    struct html_text t = {0};
    memset(body, 'a', sizeof body);
    assert_rc(
        html_text_of(str_make(body, sizeof body), STR("text/html; charset=latin1"), &small, &t),
        RC_OK);
    assert_true(t.text.n <= sizeof room);
}

static enum rc text_once(void *ctx)
{
    (void)ctx;
    struct buf out;
    struct html_text t = {.charset = "untouched"};
    buf_init(&out, 1 << 20);
    enum rc rc = html_text_of(STR("caf\xe9"), STR("text/html; charset=latin1"), &out, &t);
    assert_true(rc == RC_OK || strcmp(t.charset, "untouched") == 0);
    buf_done(&out);
    return rc;
}

static void without_memory_there_is_no_text(void **state)
{
    (void)state;
    test_each_allocation_fails(text_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf_8_is_borrowed_without_its_byte_order_mark),
        cmocka_unit_test(another_encoding_becomes_utf_8),
        cmocka_unit_test(a_meta_counts_if_the_header_says_nothing),
        cmocka_unit_test(the_page_before_is_forgotten),
        cmocka_unit_test(what_does_not_fit_is_cut_off),
        cmocka_unit_test(without_memory_there_is_no_text),
    };
    buf_init(&utf8, 1 << 20);
    int rc = cmocka_run_group_tests_name("html_text", tests, NULL, NULL);
    buf_done(&utf8);
    return rc;
}
