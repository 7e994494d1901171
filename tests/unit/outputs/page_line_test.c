/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/page_line.h"

#include "disk/disk_crash.h"
#include "lib/test.h"

static void a_file_begins_with_its_format(void **state)
{
    (void)state;
    struct buf out = {.max = 4096};
    page_line_print_first(&out, "pages", STR("All Pages"));
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
    assert_rc(page_line_print(&out, &e), RC_OK);
    assert_str(buf_str(&out),
               STR("{\"id\":\"p1\",\"url\":\"http://example.com/\",\"ts\":\"2024-05-06T07:08:09Z\","
                   "\"title\":\"A \\\"title\\\"\\n\",\"mime\":\"text/html\",\"status\":200,"
                   "\"seed\":true,\"depth\":0}\n"));
    buf_clear(&out);
    e = (struct page_entry){.id = STR("2"), .url = STR("u"), .depth = 3};
    assert_rc(page_line_print(&out, &e), RC_OK);
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
    assert_rc(page_line_print(&out, &no_url), RC_INVALID);
    assert_rc(page_line_print(&out, &no_id), RC_INVALID);
    assert_rc(page_line_print(&out, &no_date), RC_INVALID);
    assert_int_equal(out.n, 0);
    buf_done(&out);
}

static struct str or_none(struct str s)
{
    return s.p ? s : STR_NONE;
}

/* What is written is read back, field by field. */
static void assert_round(const struct page_entry *e)
{
    struct buf out = {.max = 1 << 16};
    struct page_line p;
    assert_rc(page_line_print(&out, e), RC_OK);
    assert_int_equal(str_find(buf_str(&out), '\n'), out.n - 1);
    struct str line = str_first(buf_str(&out), out.n - 1);
    assert_rc(page_line_parse(line, &p), RC_OK);
    assert_str(p.url, e->url);
    assert_str(p.id, e->id);
    assert_str(p.title, or_none(e->title));
    assert_int_equal(p.title.p != NULL, e->title.p != NULL);
    assert_str(p.mime, or_none(e->mime));
    assert_int_equal(p.status, e->status);
    assert_int_equal(p.seed, e->seed);
    assert_true(p.depth == e->depth);
    assert_str(p.json, line);
    page_line_done(&p);
    buf_done(&out);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct page_entry e = {.id = STR("p1"),
                           .url = STR("http://a.example/?q=\"\\x"),
                           .date_ms = 1714979289000,
                           .title = STR("a \"title\"\n\xc3\xa4"),
                           .mime = STR("text/html"),
                           .status = 200,
                           .seed = true};
    assert_round(&e);
    e = (struct page_entry){.id = STR("2"), .url = STR("u"), .depth = 3};
    assert_round(&e);
    e.title = STR("");
    e.depth = INT64_MAX; /* the largest integer of jansson */
    e.status = 999;
    assert_round(&e);
}

static void the_moment_is_read_as_it_was_written(void **state)
{
    (void)state;
    struct buf out = {.max = 4096};
    struct page_line p;
    struct page_entry e = {.id = STR("1"), .url = STR("u"), .date_ms = 1714979289000};
    assert_rc(page_line_print(&out, &e), RC_OK);
    assert_rc(page_line_parse(str_first(buf_str(&out), out.n - 1), &p), RC_OK);
    assert_str(p.ts, STR("2024-05-06T07:08:09Z"));
    page_line_done(&p);
    buf_done(&out);
}

static void the_first_line_is_no_page_and_no_damage(void **state)
{
    (void)state;
    struct buf out = {.max = 4096};
    struct page_line p;
    page_line_print_first(&out, "extraPages", STR("Non-Seed Pages"));
    assert_rc(page_line_parse(str_first(buf_str(&out), out.n - 1), &p), RC_OK);
    assert_null(p.url.p);
    page_line_done(&p);
    buf_done(&out);
}

static void what_is_no_line_is_refused(void **state)
{
    (void)state;
    static const char *const rows[] = {"",
                                       "{",
                                       "[]",
                                       "null",
                                       "{}",
                                       "{\"url\":\"\"}",
                                       "{\"url\":7}",
                                       "{\"url\":\"u\",\"url\":\"v\"}",
                                       "{\"url\":\"u\"} x",
                                       "{\"format\":1}"};
    struct page_line p;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (page_line_parse(str_c(rows[i]), &p) != RC_INVALID)
            fail_msg("\"%s\" was read", rows[i]);
}

static enum rc note_url(void *ctx, const struct page_line *p)
{
    buf_printf(ctx, STR_FMT " ", STR_ARG(p->url));
    return RC_OK;
}

static void both_files_are_read_and_damage_is_counted(void **state)
{
    (void)state;
    struct disk *d;
    struct buf urls = {.max = 1000};
    uint64_t damaged = 0;
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(disk_mkdir(d, "pages"), RC_OK);
    assert_rc(page_lines(d, note_url, &urls, &damaged), RC_OK);
    assert_true(urls.n == 0 && damaged == 0);
    assert_rc(disk_replace(d, "pages/pages.jsonl",
                           STR("{\"format\":\"json-pages-1.0\"}\n{\"url\":\"a\"}\nnonsense\n")),
              RC_OK);
    assert_rc(disk_replace(d, "pages/extraPages.jsonl",
                           STR("{\"url\":\"b\",\"status\":\"404\"}\n{\"url\":\"cut")),
              RC_OK);
    assert_rc(page_lines(d, note_url, &urls, &damaged), RC_OK);
    assert_str(buf_str(&urls), STR("a b "));
    assert_int_equal(damaged, 1);
    buf_done(&urls);
    disk_close(d);
}

static enum rc print_one(void *ctx)
{
    (void)ctx;
    struct buf out = {.max = 4096};
    struct page_entry e = {.id = STR("1"), .url = STR("u")};
    enum rc rc = page_line_print(&out, &e);
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
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(the_moment_is_read_as_it_was_written),
        cmocka_unit_test(the_first_line_is_no_page_and_no_damage),
        cmocka_unit_test(what_is_no_line_is_refused),
        cmocka_unit_test(both_files_are_read_and_damage_is_counted),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
