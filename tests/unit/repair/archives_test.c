/* SPDX-License-Identifier: Apache-2.0 */
/* Archive files after damage: what reading them counts and tells, and what sealing keeps. */
#include "repair/archives.h"

#include "archive/capture.h"
#include "archive/warc_name.h"
#include "disk/disk_crash.h"
#include "lib/test.h"

#include <stdio.h>

enum { CAPTURES = 4, MAX_BYTES = 1 << 20, CUT_BYTES = 10 };

/* An archive file that was left open, with CAPTURES captures of two records each. */
struct sample {
    struct disk *disk;
    char open[WARC_PATH_BYTES], last[WARC_PATH_BYTES];
    struct warc_location places[CAPTURES];
    struct buf bytes;
};

static void put_all(struct sample *s, struct warc_files *files)
{
    struct capture_writer *writer = capture_writer_open();
    assert_non_null(writer);
    for (int i = 0; i < CAPTURES; i++) {
        struct capture c = {.target_uri = STR("http://a.example/"),
                            .date_ms = 1700000000123 + i,
                            .request = STR("GET / HTTP/1.1\r\n\r\n"),
                            .head = STR("HTTP/1.1 200 OK\r\n\r\n"),
                            .body = STR("hello")};
        assert_rc(capture_write(writer, files, NULL, &c, &s->places[i]), RC_OK);
    }
    capture_writer_close(writer);
    assert_rc(warc_files_sync(files), RC_OK);
}

static void sample_open(struct sample *s)
{
    struct warc_files *files;
    struct warc_files_settings settings = {.folder = "archive",
                                           .prefix = STR("T"),
                                           .host = STR("h"),
                                           .serial_step = 1,
                                           .roll_bytes = 1 << 30,
                                           .info = {.software = STR("orbweaver/test")}};
    *s = (struct sample){.bytes = {.max = MAX_BYTES}};
    assert_rc(disk_crash_open(&s->disk), RC_OK);
    assert_rc(disk_mkdir(s->disk, "state"), RC_OK);
    assert_rc(warc_files_open(s->disk, &settings, &files), RC_OK);
    put_all(s, files);
    warc_files_close(files);
    assert_non_null(warc_path(s->open, "archive", s->places[0].file, true));
    assert_non_null(warc_path(s->last, "archive", s->places[0].file, false));
    assert_rc(disk_read_whole(s->disk, s->open, &s->bytes), RC_OK);
}

static void sample_close(struct sample *s)
{
    buf_done(&s->bytes);
    disk_close(s->disk);
}

/* The middle of the first record of a capture. */
static uint64_t middle_of(const struct sample *s, int capture)
{
    return s->places[capture].offset + s->places[capture].record_bytes / 2;
}

struct row {
    const char *name;
    bool is_sealed;
    bool is_flipped, is_torn, is_junk; /* in capture 1; off its end; all of it */
    uint64_t records, captures, damaged;
};

static const struct row rows[] = {
    {"a file being written", false, false, false, false, 9, 4, 0},
    {"a sealed file", true, false, false, false, 9, 4, 0},
    {"the torn end of a file being written is no damage", false, false, true, false, 8, 4, 0},
    {"the torn end of a sealed file is damage", true, false, true, false, 8, 4, 1},
    {"a flip in a file being written is damage", false, true, false, false, 8, 3, 1},
    {"a flip in a sealed file is damage", true, true, false, false, 8, 3, 1},
    {"a flip before a torn end is damage", false, true, true, false, 7, 3, 1},
    {"both are damage in a sealed file", true, true, true, false, 7, 3, 2},
    {"a file being written without a record", false, false, false, true, 0, 0, 0},
    {"a sealed file without a record", true, false, false, true, 0, 0, 1},
};

static void harm(struct sample *s, const struct row *r)
{
    if (r->is_flipped)
        s->bytes.p[middle_of(s, 1)] ^= 4;
    if (r->is_junk)
        memset(s->bytes.p, 'j', s->bytes.n);
    s->bytes.n -= r->is_torn ? CUT_BYTES : 0;
    assert_rc(disk_replace(s->disk, s->open, buf_str(&s->bytes)), RC_OK);
    if (r->is_sealed)
        assert_rc(disk_rename(s->disk, s->open, s->last), RC_OK);
}

static size_t count_lines(const struct buf *b)
{
    size_t lines = 0;
    for (size_t i = 0; i < b->n; i++)
        lines += b->p[i] == '\n';
    return lines;
}

/* The captures that are told are those that were written, with the records that belong to them. */
static enum rc take(void *ctx, const struct found_capture *c)
{
    const struct sample *s = ctx;
    for (int i = 0; i < CAPTURES; i++) {
        const struct warc_location *p = &s->places[i];
        if (c->offset != p->offset)
            continue;
        assert_string_equal(c->file, p->file);
        assert_int_equal(c->bytes, p->record_bytes);
        bool is_torn = c->end != p->offset + p->bytes; /* only its first record is whole */
        assert_int_equal(c->end, p->offset + (is_torn ? p->record_bytes : p->bytes));
        assert_true(!is_torn || i == CAPTURES - 1);
        return RC_OK;
    }
    return RC_CORRUPT;
}

static void reading_counts_and_tells_damage(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct sample s;
        struct repair_counts counts = {0};
        struct buf out = {.max = MAX_BYTES};
        print_message("# %s\n", r->name);
        sample_open(&s);
        harm(&s, r);
        assert_rc(archives_read(s.disk, take, &s, &counts, &out), RC_OK);
        assert_int_equal(counts.archives, 1);
        assert_int_equal(counts.records, r->records);
        assert_int_equal(counts.captures, r->captures);
        assert_int_equal(counts.damaged_ranges, r->damaged);
        assert_int_equal(count_lines(&out), r->damaged);
        buf_done(&out);
        sample_close(&s);
    }
}

/* Sealing ------------------------------------------------------------------------------------- */

/* What the file has under its last name, and what was put aside, together. */
static void assert_nothing_is_gone(struct sample *s, uint64_t keep)
{
    char aside[WARC_PATH_BYTES];
    struct buf all = {.max = MAX_BYTES}, unused = {.max = MAX_BYTES};
    if (keep)
        assert_rc(disk_read_whole(s->disk, s->last, &all), RC_OK);
    assert_int_equal(all.n, keep);
    if (keep < s->bytes.n) {
        (void)snprintf(aside, sizeof aside, "state/cut/%s.%llu", s->places[0].file,
                       (unsigned long long)keep);
        assert_rc(disk_read_whole(s->disk, aside, &all), RC_OK);
    }
    assert_str(buf_str(&all), buf_str(&s->bytes));
    assert_rc(disk_read_whole(s->disk, s->open, &unused), RC_NOT_FOUND);
    buf_done(&all);
    buf_done(&unused);
}

static void sealing_keeps_every_whole_record_and_deletes_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct sample s;
        struct buf out = {.max = MAX_BYTES};
        print_message("# %s\n", r->name);
        sample_open(&s);
        uint64_t whole = s.places[CAPTURES - 1].offset + s.places[CAPTURES - 1].record_bytes;
        harm(&s, r);
        assert_rc(archives_seal(s.disk, "state/cut", &out), RC_OK);
        uint64_t keep = r->is_sealed ? s.bytes.n : r->is_junk ? 0 : r->is_torn ? whole : s.bytes.n;
        assert_nothing_is_gone(&s, keep);
        assert_int_equal(count_lines(&out), keep < s.bytes.n);
        buf_done(&out);
        sample_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_counts_and_tells_damage),
        cmocka_unit_test(sealing_keeps_every_whole_record_and_deletes_nothing),
    };
    return cmocka_run_group_tests_name("archives", tests, NULL, NULL);
}
