/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#include <stdio.h>
#include <zlib.h>

enum { MAX_BYTES = 64 << 20 };

#define H "WARC-Type: resource\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
#define ONE "WARC/1.1\r\n" H "Content-Length: 3\r\n\r\nabc\r\n\r\n"
enum { ONE_N = sizeof ONE - 1 };

/* Whole archives, plain; each is also read as one gzip member. */
static const struct {
    const char *name, *archive;
    size_t records;
    unsigned notes;       /* of the last record that ended */
    enum rc rc;           /* RC_OK: read to the end */
    uint64_t at, record;  /* of the problem */
    const char *expected; /* within its text */
} rows[] = {
    {"one record", ONE, 1, 0, RC_OK, 0, 0, NULL},
    {"two records", ONE ONE, 2, 0, RC_OK, 0, 0, NULL},
    {"version 1.0", "WARC/1.0\r\n" H "Content-Length: 0\r\n\r\n\r\n\r\n", 1, 0, RC_OK, 0, 0, NULL},
    {"version 0.18", "WARC/0.18\r\n" H "Content-Length: 0\r\n\r\n\r\n\r\n", 1, 0, RC_OK, 0, 0,
     NULL},
    {"version 0.17", "WARC/0.17\r\n" H "Content-Length: 0\r\n\r\n\r\n\r\n", 1, 0, RC_OK, 0, 0,
     NULL},
    {"a version to come", "WARC/2.0\r\n" H "Content-Length: 0\r\n\r\n\r\n\r\n", 0, 0, RC_VERSION, 0,
     0, "found WARC/2.0"},
    {"a version that is none", "WARC/x\r\n", 0, 0, RC_INVALID, 0, 0, "a version such as WARC/1.1"},
    {"lower-case names", "WARC/1.0\r\nwarc-type: resource\r\ncontent-length: 1\r\n\r\na\r\n\r\n", 1,
     0, RC_OK, 0, 0, NULL},
    {"LF alone ends lines", "WARC/1.0\nWARC-Type: resource\nContent-Length: 1\n\na\n\n", 1,
     WARC_NOTE_LF, RC_OK, 0, 0, NULL},
    {"folded lines",
     "WARC/1.0\r\nWARC-Type: resource\r\nX: a\r\n b\r\n\tc\r\nContent-Length:\r\n "
     "1\r\n\r\na\r\n\r\n",
     1, WARC_NOTE_FOLDED, RC_OK, 0, 0, NULL},
    {"extra line ends between records", ONE "\r\n\r\n" ONE, 2, WARC_NOTE_BLANK_LINES, RC_OK, 0, 0,
     NULL},
    {"the same length twice", "WARC/1.0\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na\r\n\r\n",
     1, WARC_NOTE_SAME_LENGTH, RC_OK, 0, 0, NULL},
    {"an unknown type", "WARC/1.0\r\nWARC-Type: novel\r\nContent-Length: 1\r\n\r\na\r\n\r\n", 1, 0,
     RC_OK, 0, 0, NULL},
    {"a value that is not UTF-8", "WARC/1.0\r\nX: \xff\r\nContent-Length: 1\r\n\r\na\r\n\r\n", 1, 0,
     RC_OK, 0, 0, NULL},
    {"an empty value", "WARC/1.0\r\nX:\r\nContent-Length:1\r\n\r\na\r\n\r\n", 1, 0, RC_OK, 0, 0,
     NULL},
    {"lengths that disagree", "WARC/1.0\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na\r\n\r\n",
     0, 0, RC_INVALID, 29, 0, "one Content-Length"},
    {"a negative length", "WARC/1.0\r\nContent-Length: -1\r\n\r\na\r\n\r\n", 0, 0, RC_INVALID, 10,
     0, "a number of bytes"},
    {"a length in words", "WARC/1.0\r\nContent-Length: one\r\n\r\na\r\n\r\n", 0, 0, RC_INVALID, 10,
     0, "a number of bytes"},
    {"a length past 64 bits", "WARC/1.0\r\nContent-Length: 99999999999999999999\r\n\r\na\r\n\r\n",
     0, 0, RC_INVALID, 10, 0, "a number of bytes"},
    {"a huge length", ONE "WARC/1.0\r\nContent-Length: 9000000000000000000\r\n\r\na\r\n\r\n", 1, 0,
     RC_INVALID, ONE_N + 54, ONE_N, "more of a record's block"},
    {"no length", "WARC/1.0\r\nWARC-Type: resource\r\n\r\na\r\n\r\n", 0, 0, RC_INVALID, 0, 0,
     "Content-Length"},
    {"a length too short", "WARC/1.0\r\nContent-Length: 1\r\n\r\nabc\r\n\r\n", 0, 0, RC_INVALID, 32,
     0, "CR LF CR LF behind the block of 1 bytes, found \"b\""},
    {"a length too long by one", "WARC/1.0\r\nContent-Length: 2\r\n\r\na\r\n\r\n" ONE, 0, 0,
     RC_INVALID, 35, 0, "CR LF CR LF behind the block of 2 bytes, found byte 0x0a"},
    {"CR LF and LF behind a block", "WARC/1.0\r\nContent-Length: 1\r\n\r\na\r\n\n" ONE, 0, 0,
     RC_INVALID, 34, 0, "found byte 0x0a"},
    {"LF alone only behind a block", "WARC/1.0\r\nContent-Length: 1\r\n\r\na\n\n", 1, WARC_NOTE_LF,
     RC_OK, 0, 0, NULL},
    {"a length too long", "WARC/1.0\r\nContent-Length: 5\r\n\r\nabc\r\n\r\n" ONE, 0, 0, RC_INVALID,
     38, 0, "found \"W\""},
    {"no line ends behind a block", "WARC/1.0\r\nContent-Length: 1\r\n\r\na" ONE, 0, 0, RC_INVALID,
     32, 0, "CR LF CR LF"},
    {"one line end behind a block", "WARC/1.0\r\nContent-Length: 1\r\n\r\na\r\n" ONE, 0, 0,
     RC_INVALID, 34, 0, "CR LF CR LF"},
    {"the last line ends missing", ONE "WARC/1.0\r\nContent-Length: 1\r\n\r\na", 1, 0, RC_INVALID,
     ONE_N + 32, ONE_N, "CR LF CR LF behind a record's block, the archive ends"},
    {"half of the last line ends", ONE "WARC/1.0\r\nContent-Length: 1\r\n\r\na\r\n\r", 1, 0,
     RC_INVALID, ONE_N + 35, ONE_N, "the archive ends"},
    {"a line without a colon", "WARC/1.0\r\nWARC-Type resource\r\n\r\n", 0, 0, RC_INVALID, 19, 0,
     "\":\" behind a field name"},
    {"a line that begins with a colon", "WARC/1.0\r\n: x\r\n\r\n", 0, 0, RC_INVALID, 10, 0,
     "a field name"},
    {"a fold without a field", "WARC/1.0\r\n x\r\n\r\n", 0, 0, RC_INVALID, 10, 0, "found a blank"},
    {"CR within a line", "WARC/1.0\r\nX: a\rb\r\n\r\n", 0, 0, RC_INVALID, 14, 0,
     "no control character"},
    {"a control character within a line", "WARC/1.0\r\nX: a\x01\r\n\r\n", 0, 0, RC_INVALID, 14, 0,
     "no control character"},
    {"an escape within a line", "WARC/1.0\r\nX: a\033[31m\r\n\r\n", 0, 0, RC_INVALID, 14, 0,
     "no control character"},
    {"DEL within a line", "WARC/1.0\r\nX: a\177\r\n\r\n", 0, 0, RC_INVALID, 14, 0,
     "no control character"},
    {"a tab within a line", "WARC/1.0\r\nX: a\tb\r\nContent-Length: 1\r\n\r\na\r\n\r\n", 1, 0,
     RC_OK, 0, 0, NULL},
    {"a version with a leading zero", "WARC/1.01\r\n", 0, 0, RC_INVALID, 0, 0,
     "a version such as WARC/1.1"},
    {"garbage behind a record", ONE "garbage", 1, 0, RC_INVALID, ONE_N, ONE_N, "\"WARC/\""},
    {"nearly a record", ONE "WARS/", 1, 0, RC_INVALID, ONE_N + 3, ONE_N, "found \"S\""},
    {"an ARC file", "filedesc://x.arc 0.0.0.0 2005", 0, 0, RC_UNSUPPORTED, 0, 0, "an ARC file"},
    {"nearly an ARC file", "filedescription", 0, 0, RC_INVALID, 8, 0, "\"WARC/\""},
    {"an HTML page", "<html>", 0, 0, RC_INVALID, 0, 0, "found \"<\""},
    {"only line ends", "\r\n\r\n", 0, 0, RC_INVALID, 4, 4, "a record, the archive ends"},
};

static struct str text_of(const struct warc_problem *p)
{
    return str_c(p->text);
}

static bool row_holds(size_t i, const struct kit_reading *k, bool gzip, size_t archive_bytes)
{
    if (k->ended != rows[i].records || (k->broken ? k->problem.rc : RC_OK) != rows[i].rc)
        return false;
    if (!k->broken)
        return true;
    struct str text = text_of(&k->problem);
    if (str_find_str(text, str_c(rows[i].expected)) == text.n)
        return false;
    bool at_end = k->problem.torn;
    if (gzip && at_end)
        return k->problem.at.offset == archive_bytes && k->problem.at.in_member == 0;
    if (gzip)
        return k->problem.at.offset == 0 && k->problem.at.in_member == rows[i].at;
    return k->problem.at.offset == rows[i].at && k->problem.record.offset == rows[i].record;
}

static void check_row(size_t i, struct str archive, bool gzip)
{
    struct kit_reading k;
    for (size_t step = 0; step <= 3; step++) {
        assert_rc(kit_read(archive, step, NULL, &k), RC_OK);
        if (!row_holds(i, &k, gzip, archive.n))
            fail_msg("%s (%s, step %zu): %zu ended, rc %d at %llu+%llu in %llu: %s", rows[i].name,
                     gzip ? "gzip" : "plain", step, k.ended, k.problem.rc,
                     (unsigned long long)k.problem.at.offset,
                     (unsigned long long)k.problem.at.in_member,
                     (unsigned long long)k.problem.record.offset, k.problem.text);
        char notes[32];
        snprintf(notes, sizeof notes, "notes %u\n", rows[i].notes);
        /* Within a member the extra line ends are the record's before them. */
        bool noted_before = gzip && rows[i].notes == WARC_NOTE_BLANK_LINES;
        if (rows[i].rc == RC_OK && !noted_before && !str_ends(buf_str(&k.story), str_c(notes)))
            fail_msg("%s: expected %s" STR_FMT, rows[i].name, notes, STR_ARG(buf_str(&k.story)));
        kit_reading_done(&k);
    }
}

static void archives_are_read_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf member = {.max = MAX_BYTES};
        check_row(i, str_c(rows[i].archive), false);
        kit_member(&member, str_c(rows[i].archive));
        check_row(i, buf_str(&member), true);
        buf_done(&member);
    }
}

static void expect_story(struct str archive, const char *part)
{
    struct kit_reading whole, cut;
    assert_rc(kit_read(archive, 0, NULL, &whole), RC_OK);
    assert_false(whole.broken);
    if (str_find_str(buf_str(&whole.story), str_c(part)) == whole.story.n)
        fail_msg("no \"%s\" in " STR_FMT, part, STR_ARG(buf_str(&whole.story)));
    for (size_t step = 1; step < 5; step++) {
        assert_rc(kit_read(archive, step, NULL, &cut), RC_OK);
        assert_str(buf_str(&cut.story), buf_str(&whole.story));
        kit_reading_done(&cut);
    }
    kit_reading_done(&whole);
}

static void fields_are_joined_and_kept_in_order(void **state)
{
    (void)state;
    expect_story(
        STR("WARC/1.0\r\nWARC-Type: resource\r\nX: a\r\n  b \r\n\tc\r\nx:  d \r\nX:\r\n e\r\n"
            "Content-Length: 1\r\n\r\na\r\n\r\n"),
        "  X=a b c\n  x=d\n  X=e\n");
}

static void each_record_has_its_own_member(void **state)
{
    (void)state;
    struct buf out = {.max = MAX_BYTES};
    kit_member(&out, STR(ONE));
    size_t first = out.n;
    kit_member(&out, STR(ONE));
    char part[200];
    snprintf(part, sizeof part, "\nend %zu own 1 notes 0\nrecord 1 1.1 resource at %zu+0/119",
             first, first);
    expect_story(buf_str(&out), part);
    buf_done(&out);
}

static void records_may_share_a_member(void **state)
{
    (void)state;
    struct buf out = {.max = MAX_BYTES};
    kit_member(&out, STR(ONE ONE));
    expect_story(buf_str(&out), "\nend 0 own 0 notes 0\nrecord 1 1.1 resource at 0+119/119");
    struct kit_reading k;
    assert_rc(kit_read(str_first(buf_str(&out), out.n - 1), 0, NULL, &k), RC_OK);
    assert_true(k.broken && k.problem.torn);
    assert_int_equal(k.ended, 1);
    assert_int_equal(k.whole_bytes, 0);
    kit_reading_done(&k);
    buf_done(&out);
}

static void a_record_may_span_members(void **state)
{
    (void)state;
    struct str one = STR(ONE);
    for (size_t cut = 1; cut < one.n; cut++) {
        struct buf out = {.max = MAX_BYTES};
        kit_member(&out, str_first(one, cut));
        kit_member(&out, STR(""));
        kit_member(&out, str_from(one, cut));
        char part[100];
        snprintf(part, sizeof part, "abc\nend %zu own 1 notes 0\n", out.n);
        expect_story(buf_str(&out), part);
        buf_done(&out);
    }
}

/* A member with every optional part of the header: extra field, name, comment, checksum. */
static void add_full_member(struct buf *out, struct str plain, bool right_crc)
{
    static const char fixed[] = "\x1f\x8b\x08\x1e\0\0\0\0\0\x03\x06\0SL\x02\0ab"
                                "name\0comment";
    struct buf member = {.max = MAX_BYTES};
    size_t start = out->n;
    kit_member(&member, plain);
    buf_add(out, str_make(fixed, sizeof fixed));
    uint16_t crc = (uint16_t)crc32(0, (const Bytef *)out->p + start, (uInt)(out->n - start));
    buf_le16(out, right_crc ? crc : (uint16_t)(crc ^ 1));
    buf_add(out, str_from(buf_str(&member), 10));
    buf_done(&member);
}

static void a_member_may_have_extra_fields_name_comment_and_checksum(void **state)
{
    (void)state;
    struct buf out = {.max = MAX_BYTES};
    struct kit_reading k;
    add_full_member(&out, STR(ONE), true);
    expect_story(buf_str(&out), "abc\nend ");
    buf_clear(&out);
    add_full_member(&out, STR(ONE), false);
    assert_rc(kit_read(buf_str(&out), 0, NULL, &k), RC_OK);
    assert_true(k.broken);
    assert_str(text_of(&k.problem), STR("expected the CRC-16 of the gzip header"));
    kit_reading_done(&k);
    buf_done(&out);
}

static void limits_are_kept(void **state)
{
    (void)state;
    static const struct {
        struct warc_reader_limits limits;
        const char *expected;
    } limits[] = {
        {{.line_bytes = 100}, "a header line of at most 100 bytes"},
        {{.header_bytes = 150}, "a record's header of at most 150 bytes"},
        {{.fields = 2}, "fewer fields"},
    };
    struct buf archive = {.max = MAX_BYTES};
    buf_add(&archive, STR("WARC/1.1\r\nA: b\r\nB: c\r\nC: "));
    buf_fill(&archive, 'x', 200);
    buf_add(&archive, STR("\r\nContent-Length: 0\r\n\r\n\r\n\r\n"));
    for (size_t i = 0; i < 3; i++) {
        struct warc_reader_options o = {.limits = limits[i].limits};
        for (size_t step = 0; step < 3; step++) {
            struct kit_reading k;
            assert_rc(kit_read(buf_str(&archive), step, &o, &k), RC_OK);
            assert_true(k.broken);
            assert_int_equal(k.problem.rc, RC_LIMIT);
            assert_int_equal(k.problem.at.offset, 22);
            assert_true(strstr(k.problem.text, limits[i].expected) != NULL);
            kit_reading_done(&k);
        }
    }
    buf_done(&archive);
}

static void a_bomb_is_refused(void **state)
{
    (void)state;
    struct buf plain = {.max = MAX_BYTES}, out = {.max = MAX_BYTES};
    struct kit_reading k;
    buf_add(&plain, STR("WARC/1.1\r\nContent-Length: 20000000\r\n\r\n"));
    buf_fill(&plain, 0, 20000000);
    buf_add(&plain, STR("\r\n\r\n"));
    kit_member(&out, buf_str(&plain));
    struct warc_reader_options o = {.limits = {.ratio = 10, .any_ratio_bytes = 1 << 20}};
    assert_rc(kit_read(buf_str(&out), 0, &o, &k), RC_OK);
    assert_true(k.broken);
    assert_int_equal(k.problem.rc, RC_LIMIT);
    kit_reading_done(&k);
    o.limits.any_ratio_bytes = 1 << 25;
    assert_rc(kit_read(buf_str(&out), 0, &o, &k), RC_OK);
    assert_false(k.broken);
    kit_reading_done(&k);
    o = (struct warc_reader_options){.limits = {.ratio = 100000, .any_ratio_bytes = 1}};
    assert_rc(kit_read(buf_str(&out), 0, &o, &k), RC_OK);
    assert_false(k.broken);
    kit_reading_done(&k);
    buf_done(&plain);
    buf_done(&out);
}

static void lenient_forgives_missing_line_ends(void **state)
{
    (void)state;
    static const char *const archives[] = {
        "WARC/1.0\r\nContent-Length: 1\r\n\r\na",
        "WARC/1.0\r\nContent-Length: 1\r\n\r\na\r\n",
        "WARC/1.0\r\nContent-Length: 1\r\n\r\naWARC/1.0\r\nContent-Length: 1\r\n\r\nb\r\n\r",
        "WARC/1.0\r\nContent-Length: 1\r\n\r\na\r\nWARC/1.0\r\nContent-Length: 1\r\n\r\nb",
    };
    struct warc_reader_options o = {.lenient = true};
    for (size_t i = 0; i < 4; i++) {
        struct str archive = str_c(archives[i]);
        struct buf members = {.max = MAX_BYTES};
        kit_member(&members, archive);
        for (size_t step = 0; step < 3; step++) {
            struct kit_reading k;
            assert_rc(kit_read(archive, step, &o, &k), RC_OK);
            assert_false(k.broken);
            assert_int_equal(k.ended, i < 2 ? 1 : 2);
            assert_int_equal(k.whole_bytes, archive.n);
            kit_reading_done(&k);
            assert_rc(kit_read(buf_str(&members), step, &o, &k), RC_OK);
            assert_false(k.broken);
            assert_int_equal(k.ended, i < 2 ? 1 : 2);
            assert_int_equal(k.whole_bytes, members.n);
            kit_reading_done(&k);
        }
        buf_done(&members);
    }
}

static void a_reader_can_be_used_again(void **state)
{
    (void)state;
    struct warc_reader *r = warc_reader_open(NULL);
    static const char *const archives[] = {"<html>", ONE, "filedesc://x", ONE ONE};
    static const size_t ended[] = {0, 1, 0, 2};
    assert_non_null(r);
    for (size_t i = 0; i < 4; i++) {
        struct str piece;
        size_t n = 0;
        enum warc_event e;
        warc_reader_reset(r);
        warc_reader_feed(r, str_c(archives[i]));
        warc_reader_finish(r);
        while ((e = warc_reader_next(r, &piece)) != WARC_END && e != WARC_BROKEN)
            n += e == WARC_RECORD_END;
        assert_int_equal(n, ended[i]);
        assert_int_equal(e, n ? WARC_END : WARC_BROKEN);
        assert_int_equal(warc_reader_next(r, &piece), e);
    }
    warc_reader_close(r);
}

static enum rc read_all(void *ctx)
{
    struct kit_reading k;
    enum rc rc = kit_read(*(struct str *)ctx, 100, NULL, &k);
    kit_reading_done(&k);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct buf out = {.max = MAX_BYTES};
    kit_sample(&out, WARC_FAST, NULL);
    struct str archive = buf_str(&out);
    test_each_allocation_fails(read_all, &archive);
    buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(archives_are_read_or_refused),
        cmocka_unit_test(fields_are_joined_and_kept_in_order),
        cmocka_unit_test(each_record_has_its_own_member),
        cmocka_unit_test(records_may_share_a_member),
        cmocka_unit_test(a_record_may_span_members),
        cmocka_unit_test(a_member_may_have_extra_fields_name_comment_and_checksum),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(a_bomb_is_refused),
        cmocka_unit_test(lenient_forgives_missing_line_ends),
        cmocka_unit_test(a_reader_can_be_used_again),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
