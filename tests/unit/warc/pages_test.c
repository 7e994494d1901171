/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "warc/pages.h"

static void a_file_begins_with_its_format(void **state)
{
    (void)state;
    struct buf out = {.max = 4096};
    pages_print_first(&out, "pages", STR("All Pages"));
    assert_str(buf_str(&out),
               STR("{\"format\":\"json-pages-1.0\",\"id\":\"pages\",\"title\":\"All Pages\"}\n"));
    buf_done(&out);
}

static void a_page_is_one_line(void **state)
{
    (void)state;
    struct buf out = {.max = 4096};
    struct page_entry e = {
        .id = STR("p1"),
        .url = STR("http://example.com/"),
        .date_ms = 1714979289000,
        .title = STR("A \"title\"\n"),
        .mime = STR("text/html"),
        .status = 200,
        .seed = true,
    };
    assert_rc(pages_print(&out, &e), RC_OK);
    assert_str(buf_str(&out),
               STR("{\"id\":\"p1\",\"url\":\"http://example.com/\",\"ts\":\"2024-05-06T07:08:09Z\","
                   "\"title\":\"A \\\"title\\\"\\n\",\"mime\":\"text/html\",\"status\":200,"
                   "\"seed\":true,\"depth\":0}\n"));
    buf_clear(&out);
    e = (struct page_entry){.id = STR("2"), .url = STR("u"), .depth = 3};
    assert_rc(pages_print(&out, &e), RC_OK);
    assert_str(buf_str(&out),
               STR("{\"id\":\"2\",\"url\":\"u\",\"ts\":\"1970-01-01T00:00:00Z\",\"depth\":3}\n"));
    buf_done(&out);
}

static void a_page_needs_a_url_an_id_and_a_date(void **state)
{
    (void)state;
    struct buf out = {.max = 4096};
    struct page_entry no_url = {.id = STR("1")}, no_id = {.url = STR("u")};
    struct page_entry no_date = {.id = STR("1"), .url = STR("u"), .date_ms = INT64_MIN};
    assert_rc(pages_print(&out, &no_url), RC_INVALID);
    assert_rc(pages_print(&out, &no_id), RC_INVALID);
    assert_rc(pages_print(&out, &no_date), RC_INVALID);
    assert_int_equal(out.n, 0);
    buf_done(&out);
}

static enum rc print_one(void *ctx)
{
    (void)ctx;
    struct buf out = {.max = 4096};
    struct page_entry e = {.id = STR("1"), .url = STR("u")};
    enum rc rc = pages_print(&out, &e);
    buf_done(&out);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(print_one, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_begins_with_its_format),
        cmocka_unit_test(a_page_is_one_line),
        cmocka_unit_test(a_page_needs_a_url_an_id_and_a_date),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
