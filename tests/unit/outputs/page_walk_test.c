/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of pages.jsonl, as they are written and as others write them. */
#include "outputs/page_line.h"

#include "disk/disk_crash.h"
#include "lib/test.h"

static struct disk *directory(struct str pages, struct str extra)
{
    struct disk *d;
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(disk_mkdir(d, "pages"), RC_OK);
    assert_rc(disk_replace(d, "pages/pages.jsonl", pages), RC_OK);
    assert_rc(disk_replace(d, "pages/extraPages.jsonl", extra), RC_OK);
    return d;
}

static enum rc print(void *ctx, const struct page_line *p)
{
    buf_printf(ctx, STR_FMT "|" STR_FMT "|" STR_FMT "|" STR_FMT "|%u|%d|%llu\n", STR_ARG(p->url),
               STR_ARG(p->ts), STR_ARG(p->title), STR_ARG(p->mime), p->status, p->seed,
               (unsigned long long)p->depth);
    return RC_OK;
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct buf pages = {.max = 10000}, extra = {.max = 10000}, out = {.max = 10000};
    uint64_t damaged;
    struct page_entry e = {.id = STR("0123456789abcdef"),
                           .url = STR("http://a/"),
                           .date_ms = 1700000000123,
                           .title = STR("A \"title\""),
                           .mime = STR("text/html"),
                           .status = 200,
                           .seed = true};
    page_line_print_first(&pages, "pages", STR("All"));
    assert_rc(page_line_print(&pages, &e), RC_OK);
    e.url = STR("http://a/b");
    e.title = STR_NONE;
    e.seed = false;
    e.depth = 2;
    assert_rc(page_line_print(&extra, &e), RC_OK);
    struct disk *d = directory(buf_str(&pages), buf_str(&extra));
    assert_rc(page_lines(d, print, &out, &damaged), RC_OK);
    assert_str(buf_str(&out),
               STR("http://a/|2023-11-14T22:13:20.123Z|A \"title\"|text/html|200|1|0\n"
                   "http://a/b|2023-11-14T22:13:20.123Z||text/html|200|0|2\n"));
    assert_int_equal(damaged, 0);
    disk_close(d);
    buf_done(&pages);
    buf_done(&extra);
    buf_done(&out);
}

static void numbers_may_be_texts_and_nonsense_is_counted(void **state)
{
    (void)state;
    struct buf out = {.max = 10000};
    uint64_t damaged;
    struct disk *d =
        directory(STR("{\"format\":\"json-pages-1.0\"}\n"
                      "{\"url\":\"http://a/\",\"status\":\"404\",\"depth\":\"3\"}\n"
                      "{\"url\":\"http://b/\",\"status\":1000,\"depth\":-1,\"seed\":1}\n"
                      "{\"url\":\"http://c/\",\"status\":\"x\",\"ts\":5}\n"
                      "{\"url\":7}\n"
                      "no json\n"
                      "{\"url\":\"http://a/\",\"url\":\"http://b/\"}\n"
                      "{\"url\":\"http://cut/\""),
                  STR(""));
    assert_rc(page_lines(d, print, &out, &damaged), RC_OK);
    assert_str(buf_str(&out), STR("http://a/||||404|0|3\n"
                                  "http://b/||||0|0|0\n"
                                  "http://c/||||0|0|0\n"));
    assert_int_equal(damaged, 3);
    disk_close(d);
    buf_done(&out);
}

static enum rc stop(void *ctx, const struct page_line *p)
{
    (void)p;
    ++*(int *)ctx;
    return RC_LIMIT;
}

static void a_caller_that_has_enough_stops_the_walk(void **state)
{
    (void)state;
    uint64_t damaged;
    int calls = 0;
    struct disk *d = directory(STR("{\"url\":\"http://a/\"}\n{\"url\":\"http://b/\"}\n"),
                               STR("{\"url\":\"http://c/\"}\n"));
    assert_rc(page_lines(d, stop, &calls, &damaged), RC_LIMIT);
    assert_int_equal(calls, 1);
    disk_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(numbers_may_be_texts_and_nonsense_is_counted),
        cmocka_unit_test(a_caller_that_has_enough_stops_the_walk),
    };
    return cmocka_run_group_tests_name("page_line", tests, NULL, NULL);
}
