/* SPDX-License-Identifier: Apache-2.0 */
/* Files of lines: cut at resume to what was vouched for, whatever the crash; and their sorting. */
#include "archive/line_file.h"
#include "archive/line_sort.h"

#include "base/rng.h"
#include "disk/disk_crash.h"
#include "lib/test.h"

#include <stdio.h>
#include <stdlib.h>

static void assert_file(struct disk *d, const char *path, struct str expected)
{
    struct buf all;
    buf_init(&all, 64 << 20);
    assert_rc(disk_read_whole(d, path, &all), RC_OK);
    assert_str(buf_str(&all), expected);
    buf_done(&all);
}

/* Growing and cutting ------------------------------------------------------------------------- */

struct growth {
    struct str all; /* every line that was added */
    uint64_t synced;
    uint64_t images;
};

static enum rc open_at_synced(void *ctx, struct disk *image, const char *what)
{
    struct growth *g = ctx;
    struct line_file *f;
    (void)what;
    g->images++;
    assert_rc(line_file_open(image, "log", g->synced, &f), RC_OK);
    assert_rc(line_file_add(f, STR("again\n")), RC_OK);
    assert_rc(line_file_sync(f), RC_OK);
    line_file_close(f);
    struct buf expected;
    buf_init(&expected, 1 << 16);
    buf_add(&expected, str_first(g->all, g->synced));
    buf_add(&expected, STR("again\n"));
    assert_file(image, "log", buf_str(&expected));
    buf_done(&expected);
    return RC_OK;
}

static void look(void *ctx, struct disk *d, const char *call)
{
    (void)call;
    assert_rc(disk_crash_images(d, NULL, open_at_synced, ctx), RC_OK);
}

static void whatever_the_cut_a_file_resumes_at_its_synced_length(void **state)
{
    (void)state;
    static char text[6000];
    struct disk *d;
    struct line_file *f;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "abcdefghijklmnopqrstuvwxyz"[i / 60 % 26];
    for (size_t i = 59; i < sizeof text; i += 60)
        text[i] = '\n';
    struct growth g = {.all = str_make(text, sizeof text)};
    assert_rc(disk_crash_open(&d), RC_OK);
    disk_crash_before_each(d, look, &g);
    assert_rc(line_file_open(d, "log", 0, &f), RC_OK);
    for (size_t i = 0; i < 10; i++) {
        assert_rc(line_file_add(f, str_make(text + i * 600, 600)), RC_OK);
        assert_rc(line_file_write(f), RC_OK);
        if (i % 3 == 2) {
            assert_rc(line_file_sync(f), RC_OK);
            g.synced = line_file_synced(f);
            assert_int_equal(g.synced, (i + 1) * 600);
        }
    }
    assert_int_equal(line_file_bytes(f), 6000);
    look(&g, d, "end");
    line_file_close(f);
    disk_close(d);
    assert_true(g.images > 30);
}

static void a_file_shorter_than_vouched_for_is_corrupt(void **state)
{
    (void)state;
    struct disk *d;
    struct line_file *f;
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(line_file_open(d, "log", 1, &f), RC_CORRUPT);
    assert_rc(line_file_open(d, "log", 0, &f), RC_OK);
    assert_rc(line_file_add(f, STR("no end")), RC_INVALID);
    assert_int_equal(line_file_bytes(f), 0);
    line_file_close(f);
    disk_close(d);
}

/* Sorting ------------------------------------------------------------------------------------- */

static void put_file(struct disk *d, const char *path, struct str bytes)
{
    assert_rc(disk_replace(d, path, bytes), RC_OK);
}

static void lines_are_sorted_by_bytes_and_written_once(void **state)
{
    (void)state;
    struct disk *d;
    uint64_t lines;
    assert_rc(disk_crash_open(&d), RC_OK);
    put_file(d, "a", STR("b\na\tx\na\nB\n\xff\nlater than the length\n"));
    put_file(d, "b", STR("a\n\nb c\n"));
    struct line_sort_input in[] = {{"a", 12}, {"b", 7}};
    assert_rc(line_sort(d, in, 2, "out", 0, &lines), RC_OK);
    assert_int_equal(lines, 7);
    assert_file(d, "out", STR("\nB\na\na\tx\nb\nb c\n\xff\n"));
    in[0].bytes = 3;
    assert_rc(line_sort(d, in, 2, "out", 0, &lines), RC_INVALID);
    in[0].bytes = 1000;
    assert_rc(line_sort(d, in, 2, "out", 0, &lines), RC_CORRUPT);
    assert_file(d, "out", STR("\nB\na\na\tx\nb\nb c\n\xff\n"));
    assert_rc(line_sort(d, in, 0, "empty", 0, &lines), RC_OK);
    assert_file(d, "empty", STR(""));
    disk_close(d);
}

/* The first eight bytes of lines are compared as one; zeros there are like an end. */
static void lines_that_begin_alike_are_told_apart(void **state)
{
    (void)state;
    static const char in[] =
        "12345678\n1234567\0\n123456789\n1234567\n12345678\xff\n\0\n\n12345678\n";
    static const char out[] = "\n\0\n1234567\n1234567\0\n12345678\n123456789\n12345678\xff\n";
    struct disk *d;
    uint64_t lines;
    assert_rc(disk_crash_open(&d), RC_OK);
    put_file(d, "in", str_make(in, sizeof in - 1));
    struct line_sort_input input = {"in", sizeof in - 1};
    assert_rc(line_sort(d, &input, 1, "out", 0, &lines), RC_OK);
    assert_int_equal(lines, 7);
    assert_file(d, "out", str_make(out, sizeof out - 1));
    disk_close(d);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum rc count_names(void *ctx, struct str name, bool is_folder)
{
    (void)name;
    (void)is_folder;
    ++*(unsigned *)ctx;
    return RC_OK;
}

/* 4 KB of memory make some 300 runs: merged in more than one pass. */
static void more_lines_than_memory_are_sorted_as_qsort_does(void **state)
{
    (void)state;
    enum { LINES = 20000 };
    static char texts[LINES][24];
    static char *order[LINES];
    struct disk *d;
    struct buf in, expected;
    struct rng rng;
    uint64_t lines;
    unsigned names = 0;
    rng_init(&rng, test_seed(4));
    buf_init(&in, 1 << 20);
    buf_init(&expected, 1 << 20);
    for (size_t i = 0; i < LINES; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "com,h%u)/%u", (unsigned)rng_below(&rng, 90),
                       (unsigned)rng_below(&rng, 900));
        order[i] = texts[i];
        buf_printf(&in, "%s\n", texts[i]);
    }
    qsort(order, LINES, sizeof *order, by_text);
    for (size_t i = 0; i < LINES; i++)
        if (i == 0 || strcmp(order[i], order[i - 1]) != 0)
            buf_printf(&expected, "%s\n", order[i]);
    assert_rc(disk_crash_open(&d), RC_OK);
    put_file(d, "in", buf_str(&in));
    struct line_sort_input input = {"in", in.n};
    assert_rc(line_sort(d, &input, 1, "out", 0, &lines), RC_OK);
    assert_file(d, "out", buf_str(&expected));
    assert_rc(disk_list(d, "", count_names, &names), RC_OK);
    assert_int_equal(names, 2); /* no run is left */
    buf_done(&in);
    buf_done(&expected);
    disk_close(d);
}

static enum rc every_step(void *ctx)
{
    struct disk *d;
    struct line_file *f = NULL;
    char line[200];
    (void)ctx;
    enum rc rc = disk_crash_open(&d);
    if (rc)
        return rc;
    rc = line_file_open(d, "log", 0, &f);
    for (int i = 0; i < 60 && rc == RC_OK; i++) {
        int n = snprintf(line, sizeof line, "%0150d\n", i * 7 % 60);
        rc = line_file_add(f, str_make(line, (size_t)n));
    }
    rc = rc ? rc : line_file_sync(f);
    struct line_sort_input in = {"log", f ? line_file_synced(f) : 0};
    rc = rc ? rc : line_sort(d, &in, 1, "out", 0, NULL);
    line_file_close(f);
    disk_close(d);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(every_step, NULL);
}

/* Each image has the old result or the new one. */
static enum rc old_or_new(void *ctx, struct disk *image, const char *what)
{
    struct buf all;
    (void)ctx;
    (void)what;
    buf_init(&all, 100);
    assert_rc(disk_read_whole(image, "out", &all), RC_OK);
    if (!str_eq(buf_str(&all), STR("a\nb\n")))
        assert_str(buf_str(&all), STR("old\n"));
    buf_done(&all);
    return RC_OK;
}

static void look_sorted(void *ctx, struct disk *d, const char *call)
{
    (void)call;
    assert_rc(disk_crash_images(d, NULL, old_or_new, ctx), RC_OK);
}

static void a_crash_leaves_the_old_index_or_the_new(void **state)
{
    (void)state;
    struct disk *d;
    assert_rc(disk_crash_open(&d), RC_OK);
    put_file(d, "in", STR("b\na\n"));
    put_file(d, "out", STR("old\n"));
    struct line_sort_input in = {"in", 4};
    disk_crash_before_each(d, look_sorted, NULL);
    assert_rc(line_sort(d, &in, 1, "out", 0, NULL), RC_OK);
    disk_crash_before_each(d, NULL, NULL);
    assert_file(d, "out", STR("a\nb\n"));
    disk_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_the_cut_a_file_resumes_at_its_synced_length),
        cmocka_unit_test(a_file_shorter_than_vouched_for_is_corrupt),
        cmocka_unit_test(lines_are_sorted_by_bytes_and_written_once),
        cmocka_unit_test(lines_that_begin_alike_are_told_apart),
        cmocka_unit_test(more_lines_than_memory_are_sorted_as_qsort_does),
        cmocka_unit_test(a_crash_leaves_the_old_index_or_the_new),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
