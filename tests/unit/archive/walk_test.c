/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over an archive file tells every record that is whole, wherever the damage is, and both
 * ends of the damage; and the lines of the index can be made again from what it tells. */
#include "archive/capture.h"
#include "archive/reindex.h"
#include "archive/warc_name.h"

#include "disk/disk_crash.h"
#include "lib/test.h"

enum { MAX_RECORDS = 64, MAX_BYTES = 1 << 20, JUNK_BYTES = 700 };

/* What a walk has told. */
struct told {
    struct walk_end end;
    uint64_t offsets[MAX_RECORDS], bytes[MAX_RECORDS];
    uint64_t from[MAX_RECORDS], to[MAX_RECORDS]; /* of damage */
    size_t records, damages;
    const char *file; /* its lines of the index are made; NULL: none are */
    struct buf lines;
};

/* An archive file as a crawl writes it, the lines of its index, and what a walk tells of it. */
struct sample {
    char name[WARC_FILES_NAME_BYTES];
    struct buf bytes, lines;
    struct told whole;
};

static enum rc take_record(void *ctx, const struct walk_record *r)
{
    struct told *t = ctx;
    assert_true(t->records < MAX_RECORDS);
    t->offsets[t->records] = r->offset;
    t->bytes[t->records++] = r->bytes;
    enum rc rc = t->file ? reindex_print(&t->lines, t->file, r) : RC_OK;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc take_damage(void *ctx, uint64_t from, uint64_t to, const char *why)
{
    struct told *t = ctx;
    assert_true(t->damages < MAX_RECORDS);
    assert_true(why[0] != 0);
    t->from[t->damages] = from;
    t->to[t->damages++] = to;
    return RC_OK;
}

static void walk_bytes(struct str bytes, struct told *t)
{
    struct disk *d;
    struct walk_taker taker = {take_record, take_damage, t};
    t->records = t->damages = 0;
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(disk_replace(d, "file", bytes), RC_OK);
    assert_rc(archive_walk(d, "file", &taker, &t->end), RC_OK);
    disk_close(d);
    assert_int_equal(t->end.bytes, bytes.n);
    assert_int_equal(t->end.records, t->records);
    assert_int_equal(t->end.damaged, t->damages);
    size_t last = t->records - 1;
    assert_int_equal(t->end.whole_end, t->records ? t->offsets[last] + t->bytes[last] : 0);
}

/* The sample ---------------------------------------------------------------------------------- */

#define OK_HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n"
#define CHUNKED "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

static void put(struct sample *s, struct warc_files *files, struct digest_table *table,
                const struct capture *c, struct warc_location *ret)
{
    struct capture_writer *writer = capture_writer_open();
    assert_non_null(writer);
    assert_rc(capture_write(writer, files, table, c, ret), RC_OK);
    capture_remember(table, c, ret);
    assert_rc(capture_print_cdxj(&s->lines, c, ret), RC_OK);
    memcpy(s->name, ret->file, sizeof s->name);
    capture_writer_close(writer);
}

static void put_all(struct sample *s, struct warc_files *files, struct digest_table *table)
{
    struct warc_location first = {0}, unused;
    struct warc_outlink link = {STR("http://a.example/next"), 'L', STR("a/@href")};
    struct warc_fetch_facts facts = {.outlinks = &link, .outlink_count = 1};
    struct digest_ref ref = {.date_ms = 1700000000123, .uri = STR("http://a.example/1")};
    struct capture captures[] = {
        {.target_uri = STR("http://a.example/1"),
         .head = STR(OK_HEAD "\r\n"),
         .body = STR("hello")},
        {.target_uri = STR("http://www.B.example/?y=2&x=1"), /* the same again: a revisit */
         .head = STR(CHUNKED),
         .body = STR("2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n")},
        {.target_uri = STR("https://c.example/%7Ex"),
         .head = STR(CHUNKED),
         .is_http2 = true,
         .body = STR("3\r\nabc\r\n0\r\n\r\n")},
        {.target_uri = STR("http://c.example/cut"),
         .head = STR(OK_HEAD "\r\n"),
         .body = STR("abc"),
         .cut = WARC_CUT_LENGTH},
        {.target_uri = STR("http://c.example/moved"),
         .head = STR("HTTP/1.1 301 Moved\r\nLocation: /x\r\n\r\n")},
        {.target_uri = STR("http://a.example/1"),
         .head = STR("HTTP/1.1 304 Not Modified\r\n\r\n"),
         .not_modified = &ref,
         .not_modified_digest = &first.digest},
    };
    for (size_t i = 0; i < sizeof captures / sizeof *captures; i++) {
        captures[i].date_ms = 1700000000123 + (int64_t)i * 1001;
        captures[i].request = STR("GET /1 HTTP/1.1\r\nHost: a.example\r\n\r\n");
        captures[i].facts = i % 2 ? NULL : &facts;
        put(s, files, table, &captures[i], i ? &unused : &first);
        ref.id = first.id;
    }
}

static int sample_make(void **state)
{
    static struct sample s;
    char path[WARC_PATH_BYTES];
    struct disk *d;
    struct warc_files *files;
    struct warc_files_settings settings = {.folder = "archive",
                                           .prefix = STR("T"),
                                           .host = STR("h"),
                                           .serial_step = 1,
                                           .roll_bytes = 1 << 30,
                                           .info = {.software = STR("orbweaver/test")}};
    struct digest_table *table = digest_table_open(1 << 20);
    buf_init(&s.bytes, MAX_BYTES);
    buf_init(&s.lines, MAX_BYTES);
    assert_non_null(table);
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(warc_files_open(d, &settings, &files), RC_OK);
    put_all(&s, files, table);
    assert_rc(warc_files_sync(files), RC_OK);
    assert_rc(disk_read_whole(d, warc_path(path, "archive", s.name, true), &s.bytes), RC_OK);
    warc_files_close(files);
    digest_table_close(table);
    disk_close(d);
    walk_bytes(buf_str(&s.bytes), &s.whole);
    *state = &s;
    return 0;
}

static int sample_done(void **state)
{
    struct sample *s = *state;
    buf_done(&s->bytes);
    buf_done(&s->lines);
    return 0;
}

static void every_record_of_a_whole_file_is_told(void **state)
{
    const struct sample *s = *state;
    uint64_t end = 0;
    assert_int_equal(s->whole.records, 1 + 6 * 2 + 3); /* warcinfo; each with its request; facts */
    assert_int_equal(s->whole.damages, 0);
    for (size_t i = 0; i < s->whole.records; i++) {
        assert_int_equal(s->whole.offsets[i], end);
        end += s->whole.bytes[i];
    }
    assert_int_equal(end, s->bytes.n);
}

static void the_lines_of_the_index_are_made_again(void **state)
{
    const struct sample *s = *state;
    struct told t = {.file = s->name, .lines = {.max = MAX_BYTES}};
    walk_bytes(buf_str(&s->bytes), &t);
    assert_str(buf_str(&t.lines), buf_str(&s->lines));
    buf_done(&t.lines);
}

/* Damage -------------------------------------------------------------------------------------- */

enum kind { FLIP, ZEROS, WHOLE_ZEROS, MAGIC, CUT, BETWEEN, BEHIND, BEHIND_MAGIC };

struct row {
    const char *name;
    enum kind kind;
    int first, last; /* the records it touches; below 0: from the end, -1 is the last */
};

static const struct row rows[] = {
    {"a flipped bit in the first record costs that one", FLIP, 0, 0},
    {"a flipped bit in the middle costs one record", FLIP, 5, 5},
    {"a flipped bit in the last record costs that one", FLIP, -1, -1},
    {"a record whose first byte is another costs that one", MAGIC, 4, 4},
    {"zeros over the border of two records cost both", ZEROS, 6, 7},
    {"zeros over the whole of a record cost that one", WHOLE_ZEROS, 6, 6},
    {"zeros over five records cost those", ZEROS, 2, 6},
    {"zeros up to the end cost what is there", WHOLE_ZEROS, 9, -1},
    {"zeros over everything cost everything", WHOLE_ZEROS, 0, -1},
    {"a torn end costs the last record", CUT, -1, -1},
    {"a file cut in its first record has none", CUT, 0, -1},
    {"junk between two records costs none", BETWEEN, 8, 7},
    {"junk behind the end costs none", BEHIND, -1, -1},
    {"junk behind the end that looks like members costs none", BEHIND_MAGIC, -1, -1},
};

static void fill_junk(char *to, size_t n, bool has_magic)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (char)(i * 37 + 5);
    for (size_t i = 0; has_magic && i + 3 <= n; i += 50)
        memcpy(to + i, "\x1f\x8b\x08", 3);
}

static void flip(struct buf *b, uint64_t at)
{
    b->p[at] = (char)(b->p[at] ^ 0x10);
}

/* Zeros or the cut go from the middle of the first record to that of the last. */
static void damage(const struct told *w, const struct row *r, size_t first, size_t last,
                   struct buf *b)
{
    uint64_t begin = w->offsets[first], from = begin + w->bytes[first] / 2;
    uint64_t to = w->offsets[last] + w->bytes[last] / 2, end = w->offsets[last] + w->bytes[last];
    if (r->kind == FLIP || r->kind == MAGIC)
        flip(b, r->kind == FLIP ? from : begin);
    else if (r->kind == ZEROS)
        memset(b->p + from, 0, to - from);
    else if (r->kind == WHOLE_ZEROS)
        memset(b->p + begin, 0, end - begin);
    else if (r->kind == CUT)
        b->n = from;
    if (r->kind < BETWEEN)
        return;
    uint64_t at = r->kind == BETWEEN ? begin : b->n;
    assert_non_null(buf_reserve(b, JUNK_BYTES));
    memmove(b->p + at + JUNK_BYTES, b->p + at, b->n - at);
    fill_junk(b->p + at, JUNK_BYTES, r->kind != BEHIND);
    b->n += JUNK_BYTES;
}

/* The records [first, behind) are missing, those behind them stand `moved` bytes later. */
static void judge(const struct told *w, const struct told *t, size_t first, size_t behind,
                  uint64_t moved)
{
    size_t rest = w->records - behind;
    assert_int_equal(t->records, first + rest);
    for (size_t i = 0; i < t->records; i++) {
        size_t was = i < first ? i : i - first + behind;
        assert_int_equal(t->offsets[i], w->offsets[was] + (i < first ? 0 : moved));
        assert_int_equal(t->bytes[i], w->bytes[was]);
    }
    assert_int_equal(t->damages, 1);
    assert_int_equal(t->from[0], first < w->records ? w->offsets[first] : w->end.bytes);
    assert_int_equal(t->to[0], rest ? w->offsets[behind] + moved : t->end.bytes);
}

static void damage_costs_the_records_it_touches(void **state)
{
    const struct sample *s = *state;
    const struct told *w = &s->whole;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct buf b = {.max = MAX_BYTES};
        struct told t = {0};
        size_t first = (size_t)r->first + (r->first < 0 ? w->records : 0);
        size_t last = (size_t)r->last + (r->last < 0 ? w->records : 0);
        print_message("# %s\n", r->name);
        buf_add(&b, buf_str(&s->bytes));
        damage(w, r, first, last, &b);
        walk_bytes(buf_str(&b), &t);
        judge(w, &t, r->kind >= BEHIND ? w->records : first, last + 1,
              r->kind == BETWEEN ? JUNK_BYTES : 0);
        buf_done(&b);
    }
}

/* Some bytes of a member's header say nothing that counts: then nothing is lost. */
static void whatever_bit_is_flipped_at_most_its_record_is_lost(void **state)
{
    const struct sample *s = *state;
    const struct told *w = &s->whole;
    struct buf b = {.max = MAX_BYTES};
    size_t lost = 0;
    buf_add(&b, buf_str(&s->bytes));
    for (size_t i = 0; i < w->records; i++) {
        for (uint64_t at = w->offsets[i]; at < w->offsets[i] + w->bytes[i]; at += 3) {
            struct told t = {0};
            flip(&b, at);
            walk_bytes(buf_str(&b), &t);
            flip(&b, at);
            if (t.damages)
                judge(w, &t, i, i + 1, 0);
            else
                assert_int_equal(t.records, w->records);
            lost += t.damages;
        }
    }
    assert_true(lost * 3 > b.n * 9 / 10);
    buf_done(&b);
}

static void two_damaged_places_are_told_apart(void **state)
{
    const struct sample *s = *state;
    const struct told *w = &s->whole;
    struct buf b = {.max = MAX_BYTES};
    struct told t = {0};
    buf_add(&b, buf_str(&s->bytes));
    flip(&b, w->offsets[3] + w->bytes[3] / 2);
    b.n = w->offsets[9] + w->bytes[9] / 2;
    walk_bytes(buf_str(&b), &t);
    assert_int_equal(t.records, 8);
    assert_int_equal(t.damages, 2);
    assert_int_equal(t.from[0], w->offsets[3]);
    assert_int_equal(t.to[0], w->offsets[4]);
    assert_int_equal(t.from[1], w->offsets[9]);
    assert_int_equal(t.to[1], b.n);
    buf_done(&b);
}

static void a_file_without_a_record_has_none(void **state)
{
    char junk[JUNK_BYTES];
    struct told t = {0};
    struct disk *d;
    struct walk_taker none = {0};
    (void)state;
    walk_bytes(STR(""), &t);
    assert_int_equal(t.records + t.damages, 0);
    for (int has_magic = 0; has_magic < 2; has_magic++) {
        fill_junk(junk, sizeof junk, has_magic);
        walk_bytes(str_make(junk, sizeof junk), &t);
        assert_int_equal(t.records, 0);
        assert_int_equal(t.damages, 1);
        assert_int_equal(t.from[0], 0);
        assert_int_equal(t.to[0], sizeof junk);
    }
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(archive_walk(d, "file", &none, &t.end), RC_NOT_FOUND);
    disk_close(d);
}

struct step {
    struct str bytes;
    const char *name;
};

static enum rc every_step(void *ctx)
{
    const struct step *s = ctx;
    struct disk *d;
    struct told t = {.file = s->name, .lines = {.max = MAX_BYTES}};
    struct walk_taker taker = {take_record, take_damage, &t};
    enum rc rc = disk_crash_open(&d);
    if (rc)
        return rc;
    rc = disk_replace(d, "file", s->bytes);
    rc = rc ? rc : archive_walk(d, "file", &taker, &t.end);
    rc = rc ? rc : buf_rc(&t.lines);
    buf_done(&t.lines);
    disk_close(d);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    const struct sample *s = *state;
    struct buf b = {.max = MAX_BYTES};
    buf_add(&b, buf_str(&s->bytes));
    flip(&b, s->whole.offsets[3] + s->whole.bytes[3] / 2);
    struct step step = {buf_str(&b), s->name};
    test_each_allocation_fails(every_step, &step);
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record_of_a_whole_file_is_told),
        cmocka_unit_test(the_lines_of_the_index_are_made_again),
        cmocka_unit_test(damage_costs_the_records_it_touches),
        cmocka_unit_test(whatever_bit_is_flipped_at_most_its_record_is_lost),
        cmocka_unit_test(two_damaged_places_are_told_apart),
        cmocka_unit_test(a_file_without_a_record_has_none),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("walk", tests, sample_make, sample_done);
}
