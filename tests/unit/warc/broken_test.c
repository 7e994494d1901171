/* SPDX-License-Identifier: Apache-2.0 */
/* Archives damaged in every way we could think of, made here: the reader must not crash, must come
 * to an end, must deliver every whole record before the damage, and must say where a cut archive
 * ends. */
#include "kit.h"

#include "base/rng.h"

enum { MAX_BYTES = 16 << 20 };
/* Under emulation one cut and one damaged byte in 13. */
enum { STRIDE = TEST_IS_EMULATED ? 13 : 1, DAMAGES = TEST_IS_EMULATED ? 100 : 1500 };

static const enum warc_coding codings[] = {WARC_PLAIN, WARC_FAST, WARC_COMPACT};

struct sample {
    struct buf bytes;
    size_t ends[KIT_RECORDS];
    struct kit_reading right;
};

static void sample_make(struct sample *s, enum warc_coding coding)
{
    *s = (struct sample){.bytes = {.max = MAX_BYTES}};
    kit_sample(&s->bytes, coding, s->ends);
    assert_rc(kit_read(buf_str(&s->bytes), 0, NULL, &s->right), RC_OK);
    assert_false(s->right.broken);
}

static void sample_done(struct sample *s)
{
    buf_done(&s->bytes);
    kit_reading_done(&s->right);
}

/* How the n-th damaged archive is fed: whole, in pieces, and as that is slow, in every sixteenth
 * case byte by byte. */
static size_t step_for(size_t n)
{
    static const size_t steps[] = {0, 61, 0, 257, 0, 19, 0, 509, 0, 61, 0, 257, 0, 19, 0, 1};
    return steps[n % 16];
}

/* How many records lie whole within the first n bytes. */
static size_t whole_records(const struct sample *s, size_t n)
{
    size_t count = 0;
    while (count < KIT_RECORDS && s->ends[count] <= n)
        count++;
    return count;
}

/* What was told of the undamaged archive up to the end of its `count`-th record. */
static struct str story_until(const struct sample *s, size_t count)
{
    struct str story = buf_str(&s->right.story);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        at += str_find_str(str_from(story, at), STR("\nend "));
        at += 5 + str_find(str_from(story, at + 5), '\n') + 1;
    }
    return str_first(story, at);
}

/* Whatever happened to the bytes from `intact` on, the records before it come as they were. */
static void assert_before_damage(const struct sample *s, const struct kit_reading *k, size_t intact)
{
    size_t count = whole_records(s, intact);
    assert_true(k->ended >= count);
    assert_true(str_starts(buf_str(&k->story), story_until(s, count)));
    if (k->broken)
        assert_true(k->whole_bytes >= (count ? s->ends[count - 1] : 0));
}

static void an_archive_cut_anywhere_is_reported(void **state)
{
    (void)state;
    for (size_t c = 0; c < 3; c++) {
        struct sample s;
        sample_make(&s, codings[c]);
        for (size_t n = 0; n < s.bytes.n; n += STRIDE) {
            struct kit_reading k;
            struct str cut = str_first(buf_str(&s.bytes), n);
            size_t count = whole_records(&s, n);
            bool clean = count && s.ends[count - 1] == n;
            assert_rc(kit_read(cut, step_for(n), NULL, &k), RC_OK);
            assert_before_damage(&s, &k, n);
            assert_int_equal(k.ended, count);
            assert_int_equal(k.broken, !clean);
            assert_int_equal(k.whole_bytes, count ? s.ends[count - 1] : 0);
            if (!clean) {
                assert_true(k.problem.torn);
                assert_int_equal(k.problem.at.offset, n);
                assert_true(k.problem.record.offset == (count ? s.ends[count - 1] : 0));
            }
            kit_reading_done(&k);
        }
        sample_done(&s);
    }
}

static void recovery_cuts_behind_the_last_whole_record(void **state)
{
    (void)state;
    for (size_t c = 0; c < 3; c++) {
        struct sample s;
        sample_make(&s, codings[c]);
        for (size_t n = 0; n <= s.bytes.n; n += STRIDE) {
            uint64_t whole = 99;
            struct warc_problem problem = {0};
            size_t count = whole_records(&s, n);
            bool clean = count && s.ends[count - 1] == n;
            enum rc rc = warc_recover(str_first(buf_str(&s.bytes), n), &whole, &problem);
            assert_rc(rc, clean ? RC_OK : RC_INVALID);
            assert_int_equal(problem.torn, !clean);
            assert_int_equal(whole, count ? s.ends[count - 1] : 0);
        }
        sample_done(&s);
    }
}

static void a_changed_byte_harms_nothing_before_it(void **state)
{
    (void)state;
    static const unsigned char masks[] = {0x01, 0x20, 0x80, 0xff};
    for (size_t c = 0; c < 3; c++) {
        struct sample s;
        sample_make(&s, codings[c]);
        /* A byte of deflate is damaged one way or another: two masks are as good as four. */
        size_t mask_count = codings[c] == WARC_PLAIN ? sizeof masks : 2;
        for (size_t at = 0; at < s.bytes.n; at += STRIDE) {
            for (size_t m = 0; m < mask_count; m++) {
                struct kit_reading k;
                s.bytes.p[at] = (char)(s.bytes.p[at] ^ masks[m]);
                assert_rc(kit_read(buf_str(&s.bytes), step_for(at + m), NULL, &k), RC_OK);
                s.bytes.p[at] = (char)(s.bytes.p[at] ^ masks[m]);
                assert_before_damage(&s, &k, at);
                if (k.broken)
                    assert_true(k.problem.at.offset <= s.bytes.n && k.problem.text[0]);
                kit_reading_done(&k);
            }
        }
        sample_done(&s);
    }
}

/* A gzip member protects its record: what can change unseen (its time, unused bits, a copy from
 * elsewhere of the same bytes) changes nothing that is read. */
static void a_changed_byte_in_a_member_is_seen_or_means_nothing(void **state)
{
    (void)state;
    struct sample s;
    size_t seen = 0;
    sample_make(&s, WARC_FAST);
    for (size_t at = 0; at < s.bytes.n; at++) {
        struct kit_reading k;
        s.bytes.p[at] ^= 0x10;
        assert_rc(kit_read(buf_str(&s.bytes), 0, NULL, &k), RC_OK);
        s.bytes.p[at] ^= 0x10;
        seen += k.broken;
        if (!k.broken)
            assert_str(buf_str(&k.story), buf_str(&s.right.story));
        kit_reading_done(&k);
    }
    assert_true(seen > s.bytes.n * 9 / 10);
    sample_done(&s);
}

static void check_trailer(struct sample *s, size_t back, const char *expected)
{
    struct kit_reading k;
    size_t at = s->ends[2] - back;
    s->bytes.p[at] ^= 1;
    assert_rc(kit_read(buf_str(&s->bytes), 0, NULL, &k), RC_OK);
    s->bytes.p[at] ^= 1;
    assert_true(k.broken);
    assert_int_equal(k.ended, 2);
    assert_int_equal(k.problem.at.offset, s->ends[2] - back / 4 * 4);
    assert_int_equal(k.problem.record.offset, s->ends[1]);
    assert_str(str_c(k.problem.text), str_c(expected));
    kit_reading_done(&k);
}

static void checksum_and_length_of_a_member_are_checked(void **state)
{
    (void)state;
    struct sample s;
    sample_make(&s, WARC_FAST);
    check_trailer(&s, 8, "expected the CRC-32 of the member's data");
    check_trailer(&s, 4, "expected the length of the member's data");
    sample_done(&s);
}

static void insert_at(struct buf *out, struct str bytes, size_t at, struct str what)
{
    buf_clear(out);
    buf_add(out, str_first(bytes, at));
    buf_add(out, what);
    buf_add(out, str_from(bytes, at));
}

static void garbage_between_records_is_found(void **state)
{
    (void)state;
    static const struct str garbage[] = {
        {"\0", 1},   {"\0\0\0\0\0\0\0\0", 8}, {"x", 1},   {"<html>", 6},
        {"\x1f", 1}, {"\x1f\x8b\x07", 3},     {"WARC", 4}};
    struct buf damaged = {.max = MAX_BYTES};
    for (size_t c = 0; c < 3; c++) {
        struct sample s;
        sample_make(&s, codings[c]);
        for (size_t i = 0; i < KIT_RECORDS; i++) {
            for (size_t g = 0; g < sizeof garbage / sizeof *garbage; g++) {
                struct kit_reading k;
                insert_at(&damaged, buf_str(&s.bytes), s.ends[i], garbage[g]);
                assert_rc(kit_read(buf_str(&damaged), g, NULL, &k), RC_OK);
                assert_true(k.broken);
                assert_int_equal(k.ended, i + 1);
                assert_true(k.problem.at.offset >= s.ends[i] &&
                            k.problem.at.offset <= s.ends[i] + 11);
                assert_int_equal(k.whole_bytes, s.ends[i]);
                kit_reading_done(&k);
            }
        }
        sample_done(&s);
    }
    buf_done(&damaged);
}

static void random_damage_is_survived(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 11);
    for (size_t c = 0; c < 3; c++) {
        struct sample s;
        sample_make(&s, codings[c]);
        struct buf damaged = {.max = MAX_BYTES};
        for (int round = 0; round < DAMAGES; round++) {
            struct kit_reading k;
            size_t first = s.bytes.n;
            buf_clear(&damaged);
            buf_add(&damaged, buf_str(&s.bytes));
            for (uint64_t i = 0; i < 1 + rng_below(&rng, 5); i++) {
                size_t at = rng_below(&rng, damaged.n);
                damaged.p[at] = (char)rng_next(&rng);
                first = at < first ? at : first;
            }
            assert_rc(kit_read(buf_str(&damaged), step_for((size_t)round), NULL, &k), RC_OK);
            assert_before_damage(&s, &k, first);
            kit_reading_done(&k);
        }
        buf_done(&damaged);
        sample_done(&s);
    }
}

static void random_bytes_are_refused(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 13);
    for (int round = 0; round < 2 * DAMAGES; round++) {
        char bytes[200];
        struct kit_reading k;
        size_t n = rng_below(&rng, sizeof bytes), kept = rng_below(&rng, 12);
        for (size_t i = 0; i < n; i++)
            bytes[i] = (char)rng_next(&rng);
        static const char *const starts[] = {"WARC/1.1\r\n", "\x1f\x8b\x08\0\0\0\0\0\0\x03"};
        memcpy(bytes, starts[round & 1], kept < 10 ? kept : 10);
        assert_rc(kit_read(str_make(bytes, n), (size_t)round % 7, NULL, &k), RC_OK);
        assert_true(k.broken);
        assert_int_equal(k.ended, 0);
        kit_reading_done(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_archive_cut_anywhere_is_reported),
        cmocka_unit_test(recovery_cuts_behind_the_last_whole_record),
        cmocka_unit_test(a_changed_byte_harms_nothing_before_it),
        cmocka_unit_test(a_changed_byte_in_a_member_is_seen_or_means_nothing),
        cmocka_unit_test(checksum_and_length_of_a_member_are_checked),
        cmocka_unit_test(garbage_between_records_is_found),
        cmocka_unit_test(random_damage_is_survived),
        cmocka_unit_test(random_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
