/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "base/chunked.h"
#include "base/rng.h"

static const struct {
    const char *name, *body, *entity;
    enum chunked_end end;
    uint64_t bytes; /* taken */
} rows[] = {
    {"one chunk", "5\r\nhello\r\n0\r\n\r\n", "hello", CHUNKED_DONE, 15},
    {"two chunks are joined", "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", "abc", CHUNKED_DONE, 18},
    {"hexadecimal in either case", "a\r\n0123456789\r\nB\r\n0123456789a\r\n0\r\n\r\n",
     "01234567890123456789a", CHUNKED_DONE, 36},
    {"leading zeros", "0005\r\nhello\r\n000\r\n\r\n", "hello", CHUNKED_DONE, 20},
    {"an extension is passed over", "5;a=\"b\"\r\nhello\r\n0;z\r\n\r\n", "hello", CHUNKED_DONE, 23},
    {"blanks behind a size", "5  \r\nhello\r\n0 \t ;x\r\n\r\n", "hello", CHUNKED_DONE, 22},
    {"LF alone ends lines", "5\nhello\n0\n\n", "hello", CHUNKED_DONE, 11},
    {"trailers are passed over", "0\r\nA: b\r\nC: d\r\n\r\n", "", CHUNKED_DONE, 17},
    {"bytes behind the end are left", "0\r\n\r\nGET /", "", CHUNKED_DONE, 5},
    {"data that looks like chunks", "7\r\n0\r\n\r\n1\r\r\n0\r\n\r\n", "0\r\n\r\n1\r", CHUNKED_DONE,
     17},
    {"cut in the data", "5\r\nhel", "hel", CHUNKED_OPEN, 6},
    {"cut before the last chunk", "5\r\nhello\r\n", "hello", CHUNKED_OPEN, 10},
    {"cut in the trailers", "0\r\nA: b\r\n", "", CHUNKED_OPEN, 9},
    {"nothing", "", "", CHUNKED_OPEN, 0},
    {"not chunks at all", "<html>", "", CHUNKED_BROKEN, 0},
    {"an empty size", "\r\nhello", "", CHUNKED_BROKEN, 0},
    {"a negative size", "-5\r\nhello", "", CHUNKED_BROKEN, 0},
    {"0x in front", "0x5\r\nhello", "", CHUNKED_BROKEN, 1},
    {"data longer than its size", "3\r\nhello\r\n0\r\n\r\n", "hel", CHUNKED_BROKEN, 6},
    {"seventeen digits", "00000000000000005\r\nhello", "", CHUNKED_BROKEN, 16},
    {"the largest size there is", "ffffffffffffffff\r\nhello", "hello", CHUNKED_OPEN, 23},
    {"CR without LF", "5\rhello", "", CHUNKED_BROKEN, 2},
    {"a second size that is none", "1\r\na\r\nzz\r\n", "a", CHUNKED_BROKEN, 6},
};

static struct chunked decode_as(bool is_strict, struct str body, size_t step, struct buf *entity)
{
    struct chunked c = {.is_strict = is_strict};
    struct str piece;
    buf_clear(entity);
    for (size_t at = 0; at < body.n; at += step) {
        struct str in = str_first(str_from(body, at), step);
        while (chunked_next(&c, &in, &piece)) {
            assert_true(piece.n > 0);
            buf_add(entity, piece);
        }
        if (c.end == CHUNKED_OPEN)
            assert_int_equal(in.n, 0);
    }
    return c;
}

static struct chunked decode(struct str body, size_t step, struct buf *entity)
{
    return decode_as(false, body, step, entity);
}

static void chunks_come_off_however_the_bytes_are_cut(void **state)
{
    (void)state;
    struct buf entity = {.max = 4096};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str body = str_c(rows[i].body);
        for (size_t step = 1; step <= body.n + 1; step++) {
            struct chunked c = decode(body, step, &entity);
            if (c.end != rows[i].end || c.bytes != rows[i].bytes || c.entity_bytes != entity.n ||
                !str_eq(buf_str(&entity), str_c(rows[i].entity)))
                fail_msg("%s, step %zu: end %d after %llu, \"" STR_FMT "\"", rows[i].name, step,
                         c.end, (unsigned long long)c.bytes, STR_ARG(buf_str(&entity)));
            assert_true((c.end == CHUNKED_BROKEN) == (c.problem != CHUNKED_FINE));
        }
    }
    buf_done(&entity);
}

static void lines_and_trailers_have_limits(void **state)
{
    (void)state;
    struct buf body = {.max = 1 << 20}, entity = {.max = 4096};
    buf_add(&body, STR("5;"));
    buf_fill(&body, 'x', CHUNKED_MAX_LINE);
    assert_int_equal(decode(buf_str(&body), body.n, &entity).end, CHUNKED_BROKEN);
    buf_clear(&body);
    buf_add(&body, STR("0\r\n"));
    buf_fill(&body, 'x', CHUNKED_MAX_TRAILERS + 1);
    assert_int_equal(decode(buf_str(&body), body.n, &entity).end, CHUNKED_BROKEN);
    body.n -= 1;
    assert_int_equal(decode(buf_str(&body), body.n, &entity).end, CHUNKED_OPEN);
    buf_done(&body);
    buf_done(&entity);
}

/* What a strict reader does not take, and a lenient one does; and where both stop. */
static const struct {
    const char *name;
    struct str body;
    enum chunked_problem strict, lenient; /* CHUNKED_FINE: the body is whole */
    uint64_t bytes, sound;                /* of the strict one */
} odd[] = {
    {"NUL in an extension", STR("1;\0\r\na\r\n0\r\n\r\n"), CHUNKED_SIZE_NUL, CHUNKED_FINE, 2, 0},
    {"CR in an extension", STR("1;a\rb\r\na\r\n0\r\n\r\n"), CHUNKED_SIZE_CR, CHUNKED_FINE, 4, 0},
    {"two CR behind an extension", STR("1;a\r\r\na\r\n0\r\n\r\n"), CHUNKED_SIZE_CR, CHUNKED_FINE, 4,
     0},
    {"NUL in a trailer", STR("0\r\nA: \0\r\n\r\n"), CHUNKED_TRAILER_NUL, CHUNKED_FINE, 6, 3},
    {"NUL for a trailer", STR("0\r\n\0\r\n\r\n"), CHUNKED_TRAILER_NUL, CHUNKED_FINE, 3, 3},
    {"CR in a trailer", STR("0\r\nA: b\rc\r\n\r\n"), CHUNKED_TRAILER_CR, CHUNKED_FINE, 8, 3},
    {"CR in the second trailer", STR("0\nA\nB\r\r\n\n"), CHUNKED_TRAILER_CR, CHUNKED_FINE, 6, 4},
    {"CR for a trailer", STR("0\r\n\rx\r\n\r\n"), CHUNKED_TRAILER_CR, CHUNKED_FINE, 4, 3},
    {"trailers of both kinds of lines", STR("1\na\n0\nA\r\nB\n\r\n"), CHUNKED_FINE, CHUNKED_FINE,
     13, 13},
    {"CR behind a size", STR("1\r\na\r\n1\rb"), CHUNKED_SIZE_CR, CHUNKED_SIZE_CR, 8, 6},
    {"words for a size", STR("3\r\nabc\r\nno"), CHUNKED_NO_SIZE, CHUNKED_NO_SIZE, 8, 8},
    {"words behind a size", STR("3\r\nabc\r\n2 x"), CHUNKED_BEHIND_SIZE, CHUNKED_BEHIND_SIZE, 10,
     8},
    {"not parted", STR("3\r\nabc2\r\nde\r\n"), CHUNKED_NOT_PARTED, CHUNKED_NOT_PARTED, 6, 6},
    {"a CR alone behind data", STR("3\r\nabc\r2"), CHUNKED_NOT_PARTED, CHUNKED_NOT_PARTED, 7, 6},
    {"past 64 bits", STR("10000000000000002\r\n"), CHUNKED_LONG_SIZE, CHUNKED_LONG_SIZE, 16, 0},
};

static void a_strict_reader_stops_where_a_lenient_one_does_not(void **state)
{
    (void)state;
    struct buf entity = {.max = 4096};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        print_message("# %s\n", odd[i].name);
        for (size_t step = 1; step <= odd[i].body.n; step++) {
            struct chunked c = decode_as(true, odd[i].body, step, &entity);
            assert_int_equal(c.problem, odd[i].strict);
            assert_int_equal(c.end, odd[i].strict ? CHUNKED_BROKEN : CHUNKED_DONE);
            assert_int_equal(c.bytes, odd[i].bytes);
            assert_int_equal(c.sound_bytes, odd[i].sound);
            c = decode(odd[i].body, step, &entity);
            assert_int_equal(c.problem, odd[i].lenient);
            assert_int_equal(c.end, odd[i].lenient ? CHUNKED_BROKEN : CHUNKED_DONE);
        }
    }
    buf_done(&entity);
}

/* What is whole when read strictly is whole otherwise, with the same entity. */
static void random_bodies_are_read_alike(void **state)
{
    (void)state;
    static const char letters[] = "00125;a \r\n\r\n\r\n";
    struct buf strict = {.max = 4096}, lenient = {.max = 4096};
    struct rng rng;
    rng_init(&rng, test_seed(7));
    for (int round = 0; round < 100000; round++) {
        char body[24];
        size_t n = 1 + (size_t)rng_below(&rng, sizeof body);
        for (size_t i = 0; i < n; i++)
            body[i] = letters[rng_below(&rng, sizeof letters)]; /* the NUL too */
        struct chunked a =
            decode_as(true, str_make(body, n), 1 + (size_t)rng_below(&rng, n), &strict);
        struct chunked b = decode(str_make(body, n), 1 + (size_t)rng_below(&rng, n), &lenient);
        assert_true(a.sound_bytes <= a.bytes && a.bytes <= b.bytes);
        assert_true(a.end == CHUNKED_BROKEN || a.end == b.end);
        if (a.end == b.end && a.bytes == b.bytes)
            assert_str(buf_str(&strict), buf_str(&lenient));
    }
    buf_done(&strict);
    buf_done(&lenient);
}

static void what_a_chunk_lacks_is_known(void **state)
{
    (void)state;
    struct buf entity = {.max = 4096};
    struct chunked c = {0};
    assert_int_equal(chunked_missing(&c), 0);
    c = decode(STR("5\r\nab"), 9, &entity);
    assert_int_equal(chunked_missing(&c), 3);
    c = decode(STR("5\r\nabcde"), 9, &entity);
    assert_int_equal(chunked_missing(&c), 0);
    buf_done(&entity);
}

static void every_problem_has_a_text(void **state)
{
    (void)state;
    assert_null(chunked_problem_text(CHUNKED_FINE));
    for (int p = CHUNKED_FINE + 1; p < CHUNKED_PROBLEMS_; p++)
        assert_non_null(chunked_problem_text((enum chunked_problem)p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_come_off_however_the_bytes_are_cut),
        cmocka_unit_test(lines_and_trailers_have_limits),
        cmocka_unit_test(a_strict_reader_stops_where_a_lenient_one_does_not),
        cmocka_unit_test(random_bodies_are_read_alike),
        cmocka_unit_test(what_a_chunk_lacks_is_known),
        cmocka_unit_test(every_problem_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
