/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "warc/chunked.h"

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

static struct chunked decode(struct str body, size_t step, struct buf *entity)
{
    struct chunked c = {0};
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
            assert_true((c.end == CHUNKED_BROKEN) == (c.problem != NULL));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_come_off_however_the_bytes_are_cut),
        cmocka_unit_test(lines_and_trailers_have_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
