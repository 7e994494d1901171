/* SPDX-License-Identifier: Apache-2.0 */
/* The images of a power cut, one by one: each point of the list in disk.h, and the faults. */
#include "disk/disk_crash.h"

#include "lib/test.h"

#include <stdio.h>

enum { MAX_IMAGES = 4000, TEXT = 200 };

/* Every image as one line, "path=bytes ..." with folders as "path/", zeros as 0 and what is not a
 * letter as ?. */
struct gallery {
    char lines[MAX_IMAGES][TEXT];
    size_t count;
    struct buf line;
};

static struct gallery gallery;

struct drawing {
    struct disk *disk;
    char folder[64];
};

static void draw_bytes(struct disk *d, const char *path)
{
    struct buf b = {.max = 1 << 20};
    assert_rc(disk_read_whole(d, path, &b), RC_OK);
    buf_printf(&gallery.line, "%s=", path);
    for (size_t i = 0; i < b.n && i < 40; i++)
        buf_byte(&gallery.line, b.p[i] == 0 ? '0' : ascii_is_alnum(b.p[i]) ? b.p[i] : '?');
    buf_byte(&gallery.line, ' ');
    buf_done(&b);
}

static enum rc draw_entry(void *ctx, struct str name, bool is_folder)
{
    const struct drawing *w = ctx;
    struct drawing inner = {.disk = w->disk};
    char path[DISK_MAX_NAME_BYTES + 66];
    snprintf(path, sizeof path, "%s%s" STR_FMT, w->folder, w->folder[0] ? "/" : "", STR_ARG(name));
    if (!is_folder) {
        draw_bytes(w->disk, path);
        return RC_OK;
    }
    buf_printf(&gallery.line, "%s/ ", path);
    assert_true(strlen(path) < sizeof inner.folder);
    memcpy(inner.folder, path, strlen(path) + 1);
    return disk_list(w->disk, path, draw_entry, &inner);
}

static enum rc keep_image(void *ctx, struct disk *image, const char *what)
{
    (void)ctx;
    struct drawing w = {.disk = image};
    assert_true(strlen(what) > 5);
    buf_clear(&gallery.line);
    assert_rc(disk_list(image, "", draw_entry, &w), RC_OK);
    assert_true(gallery.count < MAX_IMAGES && gallery.line.n < TEXT);
    snprintf(gallery.lines[gallery.count++], TEXT, STR_FMT, STR_ARG(buf_str(&gallery.line)));
    return RC_OK;
}

static size_t images_of(struct disk *d)
{
    gallery.count = 0;
    buf_init(&gallery.line, 1 << 16);
    assert_rc(disk_crash_images(d, NULL, keep_image, NULL), RC_OK);
    buf_done(&gallery.line);
    return gallery.count;
}

static bool has(const char *line)
{
    for (size_t i = 0; i < gallery.count; i++)
        if (strcmp(gallery.lines[i], line) == 0)
            return true;
    return false;
}

/* How many images have `part` in them. */
static size_t with(const char *part)
{
    size_t count = 0;
    for (size_t i = 0; i < gallery.count; i++)
        count += strstr(gallery.lines[i], part) != NULL;
    return count;
}

static int setup(void **state)
{
    struct disk *d = NULL;
    enum rc rc = disk_crash_open(&d);
    *state = d;
    return rc != RC_OK;
}

static int teardown(void **state)
{
    disk_close(*state);
    return 0;
}

static struct disk_file *file_of(struct disk *d, const char *path)
{
    struct disk_file *f = NULL;
    assert_rc(disk_open(d, path, DISK_APPEND, &f), RC_OK);
    return f;
}

static void add(struct disk_file *f, const char *text)
{
    struct str s = str_c(text);
    assert_rc(disk_append(f, &s, 1), RC_OK);
}

/* A file that is there for good, with those bytes. */
static void settled(struct disk *d, const char *path, const char *text)
{
    struct disk_file *f = file_of(d, path);
    add(f, text);
    assert_rc(disk_sync(f), RC_OK);
    disk_file_close(f);
    char folder[64];
    struct str parent = disk_path_folder(path);
    snprintf(folder, sizeof folder, STR_FMT, STR_ARG(parent));
    assert_rc(disk_dirsync(d, folder), RC_OK);
}

static void what_is_durable_has_one_image(void **state)
{
    struct disk *d = *state;
    assert_int_equal(images_of(d), 1);
    settled(d, "a", "text");
    assert_int_equal(images_of(d), 1);
    assert_true(has("a=text "));
}

static void point_2_unsynced_bytes_are_there_in_part_or_damaged(void **state)
{
    struct disk *d = *state;
    settled(d, "a", "safe");
    struct disk_file *f = file_of(d, "a");
    add(f, "MORE");
    images_of(d);
    assert_true(has("a=safe "));
    assert_true(has("a=safeM "));
    assert_true(has("a=safeMO "));
    assert_true(has("a=safeMOR "));
    assert_true(has("a=safeMORE "));
    assert_true(has("a=safe0000 "));
    assert_true(with("a=safe") == gallery.count);
    assert_true(with("?") > 0);
    assert_rc(disk_sync(f), RC_OK);
    assert_int_equal(images_of(d), 1);
    disk_file_close(f);
}

static void point_2_an_earlier_block_may_be_missing(void **state)
{
    struct disk *d = *state;
    char block[601];
    memset(block, 'b', sizeof block);
    block[600] = '\0';
    settled(d, "a", "");
    struct disk_file *f = file_of(d, "a");
    add(f, block);
    add(f, "end");
    images_of(d);
    assert_true(has("a=0000000000000000000000000000000000000000 "));
    disk_file_close(f);
}

static void point_3_a_cut_may_not_have_happened_though_it_was_appended_to(void **state)
{
    struct disk *d = *state;
    settled(d, "a", "abcdefgh");
    struct disk_file *f = file_of(d, "a");
    assert_rc(disk_truncate(f, 3), RC_OK);
    images_of(d);
    assert_int_equal(gallery.count, 2);
    assert_true(has("a=abcdefgh ") && has("a=abc "));
    add(f, "XY");
    images_of(d);
    assert_true(has("a=abcdefgh ") && has("a=abc ") && has("a=abcXY ") && has("a=abcXYfgh "));
    assert_true(with("a=abc") == gallery.count);
    disk_file_close(f);
}

static void point_4_files_are_independent(void **state)
{
    struct disk *d = *state;
    settled(d, "a", "");
    settled(d, "b", "");
    struct disk_file *a = file_of(d, "a"), *b = file_of(d, "b");
    add(a, "A");
    add(b, "B");
    images_of(d);
    assert_true(has("a= b= ") && has("a=A b= ") && has("a= b=B ") && has("a=A b=B "));
    disk_file_close(a);
    disk_file_close(b);
}

static void point_5_names_are_independent_and_syncing_a_file_is_not_naming_it(void **state)
{
    struct disk *d = *state;
    struct disk_file *a = file_of(d, "a"), *b = file_of(d, "b");
    add(a, "A");
    assert_rc(disk_sync(a), RC_OK);
    images_of(d);
    assert_true(has("") && has("a=A ") && has("b= ") && has("a=A b= "));
    assert_int_equal(gallery.count, 4);
    assert_rc(disk_dirsync(d, ""), RC_OK);
    assert_int_equal(images_of(d), 1);
    assert_rc(disk_unlink(d, "a"), RC_OK);
    images_of(d);
    assert_true(has("a=A b= ") && has("b= "));
    disk_file_close(a);
    disk_file_close(b);
}

static void point_5_changes_of_one_name_keep_their_order(void **state)
{
    struct disk *d = *state;
    settled(d, "a", "one");
    assert_rc(disk_unlink(d, "a"), RC_OK);
    struct disk_file *f = file_of(d, "a");
    add(f, "two");
    assert_rc(disk_sync(f), RC_OK);
    disk_file_close(f);
    images_of(d);
    assert_int_equal(gallery.count, 3);
    assert_true(has("a=one ") && has("") && has("a=two "));
}

static void point_6_a_rename_happens_wholly_or_not_and_says_nothing_of_bytes(void **state)
{
    struct disk *d = *state;
    settled(d, "m", "old");
    struct disk_file *f = file_of(d, "m.new");
    add(f, "new");
    assert_rc(disk_rename(d, "m.new", "m"), RC_OK);
    images_of(d);
    assert_true(has("m=old ") && has("m=new ") && has("m=old m.new=new "));
    assert_true(has("m= ") && has("m=000 "));
    for (size_t i = 0; i < gallery.count; i++)
        assert_true(strncmp(gallery.lines[i], "m=", 2) == 0);
    assert_rc(disk_sync(f), RC_OK);
    images_of(d);
    assert_int_equal(gallery.count, 3);
    disk_file_close(f);
}

static void point_6_replacing_leaves_the_old_or_the_new(void **state)
{
    struct disk *d = *state;
    settled(d, "m", "old");
    assert_rc(disk_replace(d, "m", STR("new")), RC_OK);
    assert_int_equal(images_of(d), 1);
    assert_true(has("m=new "));
}

static void point_7_a_folder_may_be_gone_with_what_is_in_it(void **state)
{
    struct disk *d = *state;
    assert_rc(disk_mkdir(d, "f"), RC_OK);
    assert_rc(disk_mkdir(d, "f/g"), RC_OK);
    settled(d, "f/g/a", "safe");
    images_of(d);
    assert_int_equal(gallery.count, 3);
    assert_true(has("") && has("f/ ") && has("f/ f/g/ f/g/a=safe "));
    assert_rc(disk_dirsync(d, "f"), RC_OK);
    assert_rc(disk_dirsync(d, ""), RC_OK);
    assert_int_equal(images_of(d), 1);
}

static void point_8_a_failed_sync_sticks_and_its_bytes_are_lost_for_ever(void **state)
{
    struct disk *d = *state;
    settled(d, "a", "safe");
    struct disk_file *f = file_of(d, "a"), *other = file_of(d, "a");
    struct str s = STR("x");
    add(f, "MORE");
    disk_crash_fail_at(d, 1, RC_IO, 0);
    assert_rc(disk_sync(f), RC_SYNC);
    assert_true(disk_crash_has_failed(d));
    assert_rc(disk_sync(f), RC_SYNC);
    assert_rc(disk_append(f, &s, 1), RC_SYNC);
    assert_rc(disk_truncate(f, 0), RC_SYNC);
    assert_rc(disk_sync(other), RC_OK); /* as a kernel says */
    images_of(d);
    assert_true(has("a=safe ") && has("a=safeMORE "));
    disk_file_close(f);
    disk_file_close(other);
}

static void point_8_a_failed_dirsync_sticks_to_the_disk(void **state)
{
    struct disk *d = *state;
    assert_rc(disk_mkdir(d, "f"), RC_OK);
    disk_crash_fail_at(d, 1, RC_IO, 0);
    assert_rc(disk_dirsync(d, ""), RC_SYNC);
    assert_rc(disk_dirsync(d, ""), RC_SYNC);
    assert_rc(disk_dirsync(d, "f"), RC_SYNC);
    images_of(d);
    assert_true(has("") && has("f/ "));
}

static void a_dirsync_that_could_not_open_the_folder_has_not_failed_to_sync(void **state)
{
    struct disk *d = *state;
    assert_rc(disk_mkdir(d, "f"), RC_OK);
    disk_crash_fail_at(d, 1, RC_LIMIT, 0);
    assert_rc(disk_dirsync(d, ""), RC_LIMIT);
    assert_rc(disk_dirsync(d, ""), RC_OK);
    assert_int_equal(images_of(d), 1);
}

static void replacing_on_a_full_disk_keeps_the_old_and_gives_the_room_back(void **state)
{
    struct disk *d = *state;
    uint64_t before, after;
    assert_rc(disk_replace(d, "a", STR("old")), RC_OK);
    disk_crash_quota(d, 8);
    assert_rc(disk_free_bytes(d, &before), RC_OK);
    assert_rc(disk_replace(d, "a", STR("much too long")), RC_DISK_FULL);
    assert_rc(disk_free_bytes(d, &after), RC_OK);
    assert_int_equal(after, before);
    images_of(d);
    assert_true(with("a=old ") == gallery.count);
    assert_rc(disk_replace(d, "a", STR("new")), RC_OK);
}

static void an_append_that_fails_leaves_a_part(void **state)
{
    struct disk *d = *state;
    struct disk_file *f = file_of(d, "a");
    struct str pieces[] = {STR("abc"), STR("def")};
    uint64_t size;
    disk_crash_fail_at(d, 1, RC_DISK_FULL, 4);
    assert_rc(disk_append(f, pieces, 2), RC_DISK_FULL);
    assert_rc(disk_size(f, &size), RC_OK);
    assert_int_equal(size, 4);
    disk_crash_fail_at(d, 2, RC_IO, 1000);
    assert_rc(disk_append(f, pieces, 2), RC_OK);
    assert_rc(disk_append(f, pieces, 2), RC_IO);
    assert_rc(disk_size(f, &size), RC_OK);
    assert_int_equal(size, 4 + 6 + 5);
    disk_file_close(f);
}

static void a_quota_lets_in_what_fits(void **state)
{
    struct disk *d = *state;
    struct disk_file *a = file_of(d, "a"), *b = file_of(d, "b");
    struct str s = STR("0123456789");
    uint64_t bytes;
    disk_crash_quota(d, 25);
    add(a, "0123456789");
    assert_rc(disk_free_bytes(d, &bytes), RC_OK);
    assert_int_equal(bytes, 15);
    add(b, "0123456789");
    assert_rc(disk_append(a, &s, 1), RC_DISK_FULL);
    assert_rc(disk_size(a, &bytes), RC_OK);
    assert_int_equal(bytes, 15);
    assert_rc(disk_unlink(d, "b"), RC_OK);
    add(a, "0123456789");
    assert_rc(disk_append(a, &s, 1), RC_DISK_FULL);
    disk_file_close(a);
    disk_file_close(b);
}

static enum rc one_call(struct disk *d, int which)
{
    struct disk_file *f = NULL;
    struct disk_lock *l = NULL;
    uint64_t bytes;
    struct drawing w = {.disk = d};
    enum rc rc = RC_OK;
    switch (which) {
    case 0:
        rc = disk_open(d, "new", DISK_CREATE, &f);
        break;
    case 1:
        rc = disk_rename(d, "a", "b");
        break;
    case 2:
        rc = disk_unlink(d, "a");
        break;
    case 3:
        rc = disk_mkdir(d, "f");
        break;
    case 4:
        rc = disk_list(d, "", draw_entry, &w);
        break;
    case 5:
        rc = disk_lock(d, "l", &l);
        break;
    default:
        rc = disk_free_bytes(d, &bytes);
    }
    disk_file_close(f);
    disk_unlock(l);
    return rc;
}

static void any_call_can_be_made_to_fail_without_effect(void **state)
{
    struct disk *d = *state;
    settled(d, "a", "text");
    for (int i = 0; i < 7; i++) {
        uint64_t before = disk_crash_calls(d);
        disk_crash_fail_at(d, 1, RC_IO, 0);
        assert_rc(one_call(d, i), RC_IO);
        assert_int_equal(disk_crash_calls(d), before + 1);
        assert_int_equal(images_of(d), 1);
        assert_true(has("a=text "));
    }
}

static void note_call(void *ctx, struct disk *d, const char *call)
{
    (void)d;
    buf_printf(ctx, "%s ", call);
}

static void the_hook_sees_every_changing_call(void **state)
{
    struct disk *d = *state;
    struct buf calls = {.max = 1000};
    char to[4];
    size_t n;
    disk_crash_before_each(d, note_call, &calls);
    struct disk_file *f = file_of(d, "a");
    add(f, "x");
    assert_rc(disk_read(f, 0, to, sizeof to, &n), RC_OK);
    assert_rc(disk_truncate(f, 0), RC_OK);
    assert_rc(disk_sync(f), RC_OK);
    disk_file_close(f);
    disk_file_close(file_of(d, "a"));
    assert_rc(disk_rename(d, "a", "b"), RC_OK);
    assert_rc(disk_unlink(d, "b"), RC_OK);
    assert_rc(disk_mkdir(d, "f"), RC_OK);
    assert_rc(disk_dirsync(d, ""), RC_OK);
    assert_str(buf_str(&calls), STR("open append truncate sync rename unlink mkdir dirsync "));
    buf_done(&calls);
}

static void no_image_comes_twice_and_all_runs_are_alike(void **state)
{
    struct disk *d = *state;
    for (int i = 0; i < 5; i++) {
        char path[8];
        snprintf(path, sizeof path, "f%d", i);
        struct disk_file *f = file_of(d, path);
        add(f, "first");
        add(f, "second");
        disk_file_close(f);
    }
    struct gallery *before = test_malloc(sizeof *before);
    images_of(d);
    assert_true(gallery.count > 100 && gallery.count < 1000);
    for (size_t i = 0; i < gallery.count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(gallery.lines[i], gallery.lines[j]);
    *before = gallery;
    images_of(d);
    assert_int_equal(gallery.count, before->count);
    assert_memory_equal(gallery.lines, before->lines, sizeof gallery.lines);
    test_free(before);
}

static enum rc ignore_image(void *ctx, struct disk *image, const char *what)
{
    (void)ctx;
    (void)image;
    (void)what;
    return RC_OK;
}

static void too_many_changes_are_refused(void **state)
{
    struct disk *d = *state;
    for (int i = 0; i < 121; i++) {
        char path[8];
        snprintf(path, sizeof path, "f%d", i);
        disk_file_close(file_of(d, path));
    }
    assert_rc(disk_crash_images(d, NULL, ignore_image, NULL), RC_LIMIT);
    assert_rc(disk_dirsync(d, ""), RC_OK);
    assert_rc(disk_crash_images(d, NULL, ignore_image, NULL), RC_OK);
}

static enum rc make_images(void *ctx)
{
    static const struct disk_crash_limits few = {20, 5, 1};
    return disk_crash_images(ctx, &few, ignore_image, NULL);
}

static void every_allocation_may_fail(void **state)
{
    struct disk *d = *state;
    settled(d, "a", "x");
    struct disk_file *f = file_of(d, "b");
    add(f, "y");
    disk_file_close(f);
    assert_rc(disk_rename(d, "b", "a"), RC_OK);
    test_each_allocation_fails(make_images, d);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_durable_has_one_image),
        TEST(point_2_unsynced_bytes_are_there_in_part_or_damaged),
        TEST(point_2_an_earlier_block_may_be_missing),
        TEST(point_3_a_cut_may_not_have_happened_though_it_was_appended_to),
        TEST(point_4_files_are_independent),
        TEST(point_5_names_are_independent_and_syncing_a_file_is_not_naming_it),
        TEST(point_5_changes_of_one_name_keep_their_order),
        TEST(point_6_a_rename_happens_wholly_or_not_and_says_nothing_of_bytes),
        TEST(point_6_replacing_leaves_the_old_or_the_new),
        TEST(point_7_a_folder_may_be_gone_with_what_is_in_it),
        TEST(point_8_a_failed_sync_sticks_and_its_bytes_are_lost_for_ever),
        TEST(point_8_a_failed_dirsync_sticks_to_the_disk),
        TEST(a_dirsync_that_could_not_open_the_folder_has_not_failed_to_sync),
        TEST(replacing_on_a_full_disk_keeps_the_old_and_gives_the_room_back),
        TEST(an_append_that_fails_leaves_a_part),
        TEST(a_quota_lets_in_what_fits),
        TEST(any_call_can_be_made_to_fail_without_effect),
        TEST(the_hook_sees_every_changing_call),
        TEST(no_image_comes_twice_and_all_runs_are_alike),
        TEST(too_many_changes_are_refused),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
