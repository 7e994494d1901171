/* SPDX-License-Identifier: Apache-2.0 */
/* Where a body ends, fed whole, byte by byte and in random pieces; and that the reader of archives
 * takes the chunks off whatever is whole here. */
#include "net/framing.h"

#include "base/chunked.h"
#include "base/rng.h"
#include "lib/test.h"

enum { OPEN = FRAMING_OPEN, WHOLE = FRAMING_WHOLE, BROKEN = FRAMING_BROKEN };
enum { LENGTH = FRAMING_LENGTH, CHUNKED = FRAMING_CHUNKED };

struct row {
    const char *name;
    int kind; /* enum framing_kind */
    uint64_t length;
    struct str bytes;
    int end;        /* enum framing_end */
    uint64_t taken; /* all of it when OPEN */
    uint64_t sound;
    const char *why;
};

static const struct row rows[] = {
    {"no body", FRAMING_NONE, 0, STR("abc"), WHOLE, 0, 0, NULL},
    {"a length of 0", LENGTH, 0, STR("abc"), WHOLE, 0, 0, NULL},
    {"a length", LENGTH, 3, STR("abc"), WHOLE, 3, 3, NULL},
    {"F17: more than the length", LENGTH, 3, STR("abcdef"), WHOLE, 3, 3, NULL},
    {"F16: less than the length", LENGTH, 5, STR("abc"), OPEN, 3, 3, NULL},
    {"until the close", FRAMING_CLOSE, 0, STR("abc"), OPEN, 3, 3, NULL},
    {"chunks", CHUNKED, 0, STR("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), WHOLE, 20, 20, NULL},
    {"chunks and more behind them", CHUNKED, 0, STR("1\r\na\r\n0\r\n\r\nHTTP"), WHOLE, 11, 11,
     NULL},
    {"no chunk but the last", CHUNKED, 0, STR("0\r\n\r\n"), WHOLE, 5, 5, NULL},
    {"line ends without CR", CHUNKED, 0, STR("3\nabc\n0\n\n"), WHOLE, 9, 9, NULL},
    {"sizes in either case, with zeros", CHUNKED, 0, STR("00A\r\n0123456789\r\n000\r\n\r\n"), WHOLE,
     24, 24, NULL},
    {"blanks behind a size", CHUNKED, 0, STR("1 \t \r\na\r\n0  \r\n\r\n"), WHOLE, 16, 16, NULL},
    {"extensions", CHUNKED, 0, STR("1;a=b;c=\"d\"\r\na\r\n0;x\r\n\r\n"), WHOLE, 23, 23, NULL},
    {"trailers", CHUNKED, 0, STR("1\r\na\r\n0\r\nA: b\r\nC: d\r\n\r\n"), WHOLE, 23, 23, NULL},
    {"data that looks like chunks", CHUNKED, 0, STR("5\r\n0\r\n\r\n\r\n0\r\n\r\n"), WHOLE, 15, 15,
     NULL},
    {"F21: no last chunk", CHUNKED, 0, STR("3\r\nabc\r\n"), OPEN, 8, 8, NULL},
    {"F21: half a chunk", CHUNKED, 0, STR("5\r\nabc"), OPEN, 6, 6, NULL},
    {"F21: half a size", CHUNKED, 0, STR("3\r\nabc\r\n5"), OPEN, 9, 8, NULL},
    {"F20: words for a size", CHUNKED, 0, STR("3\r\nabc\r\nnothing\r\n"), BROKEN, 8, 8,
     "a chunk's size is no number"},
    {"F20: a size that becomes words", CHUNKED, 0, STR("3\r\nabc\r\nbad\r"), OPEN, 12, 8, NULL},
    {"F20: letters behind a size", CHUNKED, 0, STR("3\r\nabc\r\n2 x\r\nde"), BROKEN, 10, 8,
     "something behind a chunk's size"},
    {"F20: negative", CHUNKED, 0, STR("3\r\nabc\r\n-2\r\n"), BROKEN, 8, 8,
     "a chunk's size is no number"},
    {"F20: 0x", CHUNKED, 0, STR("3\r\nabc\r\n0x2\r\nde\r\n"), BROKEN, 9, 8,
     "something behind a chunk's size"},
    {"F20: past 64 bits", CHUNKED, 0, STR("3\r\nabc\r\n10000000000000002\r\nde\r\n"), BROKEN, 24, 8,
     "a chunk's size is past 64 bits"},
    {"F20: not parted", CHUNKED, 0, STR("3\r\nabc2\r\nde\r\n"), BROKEN, 6, 6,
     "chunks are not parted"},
    {"a bare CR behind data", CHUNKED, 0, STR("3\r\nabc\r2\r\n"), BROKEN, 7, 6,
     "chunks are not parted"},
    {"an empty line for a size", CHUNKED, 0, STR("3\r\nabc\r\n\r\n"), BROKEN, 8, 8,
     "a chunk's size is no number"},
    {"a NUL in an extension", CHUNKED, 0, STR("1\r\na\r\n1;\0\r\n"), BROKEN, 8, 6,
     "NUL behind a chunk's size"},
    {"a bare CR behind a size", CHUNKED, 0, STR("1\r\na\r\n1\rb"), BROKEN, 8, 6,
     "bare CR behind a chunk's size"},
    {"F22: a plain body", CHUNKED, 0, STR("<html>"), OPEN, 6, 6, NULL},
    {"F22: one that begins like a size", CHUNKED, 0, STR("bad luck\r\n0\r\n\r\n"), OPEN, 15, 15,
     NULL},
    {"F22: one with a bare CR", CHUNKED, 0, STR("5\rabc"), OPEN, 5, 5, NULL},
    {"F23: NUL in a trailer", CHUNKED, 0, STR("0\r\nA: \0\r\n\r\n"), FRAMING_REFUSED, 6, 3,
     "NUL in a trailer"},
    {"F23: a bare CR in a trailer", CHUNKED, 0, STR("0\r\nA: b\rc\r\n\r\n"), FRAMING_REFUSED, 8, 3,
     "bare CR in a trailer"},
};

/* Feeds pieces of `most` bytes (0: at random, some empty) until the end. */
static struct framing fed(const struct row *r, size_t most, struct rng *rng)
{
    struct framing f;
    framing_init(&f, (enum framing_kind)r->kind, r->length);
    struct str rest = r->bytes;
    while (rest.n && f.end == FRAMING_OPEN) {
        size_t n = most ? most : (size_t)rng_below(rng, 5), taken;
        struct str piece = str_first(rest, n);
        enum framing_end end = framing_take(&f, piece, &taken);
        assert_int_equal(end, f.end);
        assert_true(taken == piece.n || f.end != FRAMING_OPEN);
        rest = str_from(rest, taken);
    }
    return f;
}

static void check_row(const struct row *r, size_t most, struct rng *rng)
{
    struct framing f = fed(r, most, rng);
    assert_int_equal(f.end, r->end);
    assert_int_equal(f.taken_bytes, r->taken);
    assert_int_equal(f.sound_bytes, r->sound);
    assert_str(str_c(f.why), str_c(r->why));
}

static void bodies_end_as_the_table_says(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, test_seed(22));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        print_message("# %s\n", rows[i].name);
        check_row(&rows[i], SIZE_MAX, &rng);
        check_row(&rows[i], 1, &rng);
        for (int round = 0; round < 20; round++)
            check_row(&rows[i], 0, &rng);
    }
}

static void a_chunked_body_that_is_plain_is_known_by_its_first_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct framing f = fed(&rows[i], 1, NULL);
        bool is_plain = str_starts(str_c(rows[i].name), STR("F22"));
        assert_int_equal(f.is_not_chunked, is_plain);
        assert_int_equal(f.kind, is_plain ? FRAMING_CLOSE : rows[i].kind);
    }
}

static void what_is_whole_can_be_unwrapped_by_the_reader_of_archives(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].kind != FRAMING_CHUNKED || rows[i].end != FRAMING_WHOLE)
            continue;
        struct chunked c = {0};
        struct str in = rows[i].bytes, piece;
        while (chunked_next(&c, &in, &piece))
            ;
        assert_int_equal(c.end, CHUNKED_DONE);
        assert_int_equal(c.bytes, rows[i].taken);
    }
}

/* Feeds `times` of `piece`, until the end. */
static struct framing fed_times(const char *start, const char *piece, size_t times)
{
    struct framing f;
    size_t taken;
    framing_init(&f, FRAMING_CHUNKED, 0);
    (void)framing_take(&f, str_c(start), &taken);
    for (size_t i = 0; i < times && f.end == FRAMING_OPEN; i++)
        (void)framing_take(&f, str_c(piece), &taken);
    return f;
}

static void lines_without_end_are_broken_at_a_limit(void **state)
{
    (void)state;
    struct framing f = fed_times("1\r\na\r\n1;", "x", (size_t)2 * CHUNKED_MAX_LINE);
    assert_int_equal(f.end, FRAMING_BROKEN);
    assert_int_equal(f.taken_bytes, 6 + CHUNKED_MAX_LINE);
    f = fed_times("1\r\na\r\n0\r\n", "A: b\r\n", CHUNKED_MAX_TRAILERS);
    assert_int_equal(f.end, FRAMING_BROKEN);
    assert_int_equal(f.taken_bytes, 9 + CHUNKED_MAX_TRAILERS);
    assert_true(f.sound_bytes >= 9);
    f = fed_times("", "0", 100); /* leading zeros are digits too */
    assert_true(f.is_not_chunked);
}

static void what_is_missing_is_known_where_it_can_be(void **state)
{
    (void)state;
    struct framing f;
    size_t taken;
    framing_init(&f, FRAMING_LENGTH, 10);
    (void)framing_take(&f, STR("abc"), &taken);
    assert_int_equal(framing_missing(&f), 7);
    framing_init(&f, FRAMING_CHUNKED, 0);
    assert_int_equal(framing_missing(&f), 0);
    (void)framing_take(&f, STR("5\r\nab"), &taken);
    assert_int_equal(framing_missing(&f), 3);
    framing_init(&f, FRAMING_CLOSE, 0);
    assert_int_equal(framing_missing(&f), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_end_as_the_table_says),
        cmocka_unit_test(a_chunked_body_that_is_plain_is_known_by_its_first_bytes),
        cmocka_unit_test(what_is_whole_can_be_unwrapped_by_the_reader_of_archives),
        cmocka_unit_test(lines_without_end_are_broken_at_a_limit),
        cmocka_unit_test(what_is_missing_is_known_where_it_can_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
