/* SPDX-License-Identifier: Apache-2.0 */
/* A crawl's directory, and the folder for scratch files in it. */
#include "outputs/crawl_dir.h"

#include "disk/disk_crash.h"
#include "lib/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[256];

static void open_folder(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/crawl_dir-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(folder));
}

static void write_file(const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void make_folder(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void remove_all(const char *const *names)
{
    char path[300];
    for (; *names; names++) {
        snprintf(path, sizeof path, "%s/%s", folder, *names);
        assert_int_equal(remove(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

static void a_folder_is_a_crawls_by_any_of_its_files(void **state)
{
    (void)state;
    struct disk *d = NULL;
    struct buf why = {.max = 1000};
    open_folder();
    assert_rc(crawl_dir_open(folder, &d, &why), RC_INVALID);
    assert_true(str_find_str(buf_str(&why), STR("not a crawl's directory")) < why.n);
    assert_null(d);
    make_folder("pages");
    write_file("pages/pages.jsonl", "");
    assert_rc(crawl_dir_open(folder, &d, &why), RC_OK);
    disk_close(d);
    buf_done(&why);
    remove_all((const char *const[]){"pages/pages.jsonl", "pages", NULL});
}

static void what_is_no_folder_is_named_with_the_reason(void **state)
{
    (void)state;
    struct disk *d = NULL;
    struct buf why = {.max = 1000};
    char path[300];
    open_folder();
    write_file("file", "");
    snprintf(path, sizeof path, "%s/file", folder);
    assert_rc(crawl_dir_open(path, &d, &why), RC_NOT_FOUND);
    assert_true(str_find_str(buf_str(&why), STR("not a folder")) < why.n);
    buf_clear(&why);
    snprintf(path, sizeof path, "%s/none", folder);
    assert_rc(crawl_dir_open(path, &d, &why), RC_NOT_FOUND);
    assert_true(str_find_str(buf_str(&why), STR("no such folder")) < why.n);
    buf_done(&why);
    remove_all((const char *const[]){"file", NULL});
}

static enum rc take(void *ctx, struct str line)
{
    buf_add(ctx, line);
    buf_byte(ctx, '|');
    return str_eq(line, STR("stop")) ? RC_LIMIT : RC_OK;
}

static void lines_are_read_up_to_the_last_whole_one(void **state)
{
    (void)state;
    struct disk *list[2];
    struct buf out = {.max = 1000};
    uint64_t bytes;
    for (int i = 0; i < 2; i++) {
        assert_rc(disk_crash_open(&list[i]), RC_OK);
        assert_rc(
            disk_replace(list[i], "lines", i ? STR("three\nstop\nnever\n") : STR("one\ntwo\nth")),
            RC_OK);
    }
    assert_rc(crawl_dir_bytes(list[0], "lines", &bytes), RC_OK);
    assert_int_equal(bytes, 8);
    assert_rc(crawl_dir_each(list[0], "lines", take, &out), RC_OK);
    assert_str(buf_str(&out), STR("one|two|"));
    assert_rc(crawl_dir_each(list[0], "none", take, &out), RC_OK);
    assert_str(buf_str(&out), STR("one|two|"));
    buf_clear(&out);
    assert_rc(crawl_set_each((struct crawl_set){list, 2}, "lines", take, &out), RC_LIMIT);
    assert_str(buf_str(&out), STR("one|two|three|stop|"));
    buf_done(&out);
    disk_close(list[0]);
    disk_close(list[1]);
}

static void scratch_is_empty_and_one_process_has_it(void **state)
{
    (void)state;
    struct disk *d;
    struct crawl_scratch one, two;
    struct buf out = {.max = 1000};
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(crawl_scratch_open(d, &one), RC_OK);
    assert_ptr_equal(one.disk, d);
    assert_null(one.own);
    assert_rc(crawl_scratch_open(d, &two), RC_LOCKED);
    assert_rc(disk_replace(d, "scratch/from", STR("b\na\n")), RC_OK);
    assert_rc(crawl_scratch_sort(d, "scratch/from", "scratch/to"), RC_OK);
    assert_rc(crawl_dir_each(d, "scratch/to", take, &out), RC_OK);
    assert_str(buf_str(&out), STR("a|b|"));
    struct disk_file *f = NULL;
    assert_rc(disk_open(d, "scratch/from", DISK_READ, &f), RC_NOT_FOUND);
    crawl_scratch_close(&one);
    assert_rc(disk_open(d, "scratch/to", DISK_READ, &f), RC_NOT_FOUND);
    assert_rc(crawl_scratch_open(d, &two), RC_OK);
    crawl_scratch_close(&two);
    assert_rc(crawl_dir_folder(d, "reports"), RC_OK);
    assert_rc(crawl_dir_folder(d, "reports"), RC_OK);
    disk_close(d);
    buf_done(&out);
}

static void where_the_directory_cannot_be_written_scratch_is_elsewhere(void **state)
{
    (void)state;
    struct disk *d;
    struct crawl_scratch s;
    struct stat st;
    char path[CRAWL_SCRATCH_PATH_BYTES];
    assert_rc(disk_crash_open(&d), RC_OK);
    disk_crash_fail_at(d, 1, RC_READ_ONLY, 0);
    assert_rc(crawl_scratch_open(d, &s), RC_OK);
    assert_true(disk_crash_has_failed(d));
    assert_non_null(s.own);
    assert_rc(disk_replace(s.disk, "scratch/x", STR("x")), RC_OK);
    snprintf(path, sizeof path, "%s", s.folder);
    assert_int_equal(stat(path, &st), 0);
    crawl_scratch_close(&s);
    assert_int_equal(stat(path, &st), -1); /* nothing is left of it */
    disk_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_is_a_crawls_by_any_of_its_files),
        cmocka_unit_test(what_is_no_folder_is_named_with_the_reason),
        cmocka_unit_test(lines_are_read_up_to_the_last_whole_one),
        cmocka_unit_test(scratch_is_empty_and_one_process_has_it),
        cmocka_unit_test(where_the_directory_cannot_be_written_scratch_is_elsewhere),
    };
    return cmocka_run_group_tests_name("crawl_dir", tests, NULL, NULL);
}
