/* SPDX-License-Identifier: Apache-2.0 */
/* gzip and deflate against zlib itself: the same bytes and the same end, whole or in pieces, sound
 * or damaged. */
#include "fetch/codec.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/rng.h"
#include "lib/test.h"

#include <zlib.h>

enum {
    TEXT_MOST = 150 << 10,
    ROOM_BYTES = 1 << 20,
    ROUNDS = TEST_IS_SANITIZED || TEST_IS_EMULATED ? 400 : 1600,
    GZIP = 16
};

struct kit {
    void *state;
    struct buf text, body, wanted, got;
    struct rng rng;
};

static int setup(void **state)
{
    static struct kit k;
    k = (struct kit){.state = codec_zlib.open()};
    assert_non_null(k.state);
    buf_init(&k.text, ROOM_BYTES);
    buf_init(&k.body, ROOM_BYTES);
    buf_init(&k.wanted, ROOM_BYTES);
    buf_init(&k.got, ROOM_BYTES);
    rng_init(&k.rng, test_seed(5));
    *state = &k;
    return 0;
}

static int teardown(void **state)
{
    struct kit *k = *state;
    codec_zlib.close(k->state);
    buf_done(&k->text);
    buf_done(&k->body);
    buf_done(&k->wanted);
    buf_done(&k->got);
    assert_int_equal(mem_live(), 0);
    return 0;
}

static size_t below(struct kit *k, size_t most)
{
    return (size_t)rng_below(&k->rng, most);
}

/* Words, repeats and noise, in shares that differ from text to text. */
static void text_write(struct kit *k)
{
    size_t want = below(k, 1 + below(k, TEXT_MOST)), noise = below(k, 100);
    buf_clear(&k->text);
    while (k->text.n < want) {
        if (below(k, 100) < noise)
            buf_byte(&k->text, (char)below(k, 256));
        else
            buf_printf(&k->text, "<p>item %zu of the list</p>\n", below(k, 1000));
    }
}

static enum coding coding_pick(struct kit *k)
{
    static const enum coding codings[] = {CODING_GZIP, CODING_ZLIB, CODING_RAW};
    return codings[below(k, 3)];
}

static int bits_of(enum coding coding, int window)
{
    return coding == CODING_RAW ? -window : coding == CODING_GZIP ? GZIP + window : window;
}

static void pack(struct kit *k, enum coding coding)
{
    static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE};
    int window = 9 + (int)below(k, 7);
    gz_header head = {.extra = (Bytef *)(uintptr_t) "more",
                      .extra_len = 4,
                      .name = (Bytef *)(uintptr_t) "page.html",
                      .comment = (Bytef *)(uintptr_t) "a page",
                      .hcrc = (int)below(k, 2)};
    z_stream s = {0};
    assert_int_equal(deflateInit2(&s, (int)below(k, 10), Z_DEFLATED, bits_of(coding, window), 8,
                                  strategies[below(k, 4)]),
                     Z_OK);
    if (coding == CODING_GZIP && below(k, 4) == 0)
        assert_int_equal(deflateSetHeader(&s, &head), Z_OK);
    size_t room = deflateBound(&s, k->text.n) + 64;
    buf_clear(&k->body);
    s.next_in = (Bytef *)(uintptr_t)buf_str(&k->text).p;
    s.avail_in = (uInt)k->text.n;
    s.next_out = (Bytef *)buf_reserve(&k->body, room);
    s.avail_out = (uInt)room;
    assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
    k->body.n = room - s.avail_out;
    deflateEnd(&s);
}

static void damage(struct kit *k)
{
    size_t kind = below(k, 4), at = below(k, k->body.n);
    if (kind == 1) /* most headers and trailers are hit this way */
        at = below(k, 2) ? below(k, 12) : k->body.n - 1 - below(k, 10);
    if (kind == 2)
        k->body.n = at;
    else if (kind && at < k->body.n)
        k->body.p[at] ^= (char)(1 << below(k, 8));
    if (kind == 3 && k->body.n > 40)
        memmove(k->body.p + 20, k->body.p + 24, 10);
}

/* What zlib says of the first member. */
static enum codec_end ask_zlib(struct kit *k, enum coding coding)
{
    z_stream s = {.next_in = (Bytef *)k->body.p, .avail_in = (uInt)k->body.n};
    buf_clear(&k->wanted);
    s.next_out = (Bytef *)buf_reserve(&k->wanted, ROOM_BYTES);
    s.avail_out = ROOM_BYTES;
    assert_int_equal(inflateInit2(&s, bits_of(coding, MAX_WBITS)), Z_OK);
    int result = inflate(&s, Z_NO_FLUSH);
    k->wanted.n = ROOM_BYTES - s.avail_out;
    inflateEnd(&s);
    return result == Z_STREAM_END                    ? CODEC_OVER
           : result == Z_OK || result == Z_BUF_ERROR ? CODEC_CUT
                                                     : CODEC_BROKEN;
}

/* Undoes the body in pieces and rooms of at most `most` bytes, drawn anew each time. */
static enum codec_end undo(struct kit *k, enum coding coding, size_t most)
{
    struct str rest = buf_str(&k->body), piece = STR_NONE;
    enum codec_end end = CODEC_MORE;
    buf_clear(&k->got);
    (void)buf_reserve(&k->got, ROOM_BYTES);
    assert_true(codec_zlib.begin(k->state, coding));
    while (end == CODEC_MORE) {
        size_t room = most < ROOM_BYTES ? 1 + below(k, most) : ROOM_BYTES, n;
        if (piece.n == 0) {
            piece = str_first(rest, most < ROOM_BYTES ? 1 + below(k, most) : rest.n);
            rest = str_from(rest, piece.n);
        }
        room = room < ROOM_BYTES - k->got.n ? room : ROOM_BYTES - k->got.n;
        end = codec_zlib.run(k->state, &piece, rest.n == 0, k->got.p + k->got.n, room, &n);
        assert_true(n <= room);
        k->got.n += n;
    }
    codec_zlib.end(k->state);
    return end;
}

static void compare(struct kit *k, enum coding coding, int round)
{
    static const size_t steps[] = {1, 7, 300, 5000, 70000, ROOM_BYTES};
    enum codec_end wanted = ask_zlib(k, coding);
    size_t most = steps[below(k, k->body.n < 3000 ? 6 : 5) + (k->body.n < 3000 ? 0 : 1)];
    for (int way = 0; way < 2; way++, most = ROOM_BYTES) {
        enum codec_end end = undo(k, coding, most);
        if (end != wanted || !str_eq(buf_str(&k->got), buf_str(&k->wanted)))
            fail_msg("round %d, coding %d, %zu bytes in steps of %zu: end %d with %zu bytes, zlib "
                     "%d with %zu",
                     round, (int)coding, k->body.n, most, (int)end, k->got.n, (int)wanted,
                     k->wanted.n);
    }
}

static void sound_bodies_are_undone_as_zlib_does(void **state)
{
    struct kit *k = *state;
    for (int round = 0; round < ROUNDS / 4; round++) {
        enum coding coding = coding_pick(k);
        text_write(k);
        pack(k, coding);
        compare(k, coding, round);
        assert_str(buf_str(&k->got), buf_str(&k->text));
    }
}

static void damaged_bodies_end_as_zlib_ends_them(void **state)
{
    struct kit *k = *state;
    for (int round = 0; round < ROUNDS; round++) {
        enum coding coding = coding_pick(k);
        text_write(k);
        pack(k, coding);
        damage(k);
        if (k->body.n)
            compare(k, coding, round);
    }
}

static void noise_ends_as_zlib_ends_it(void **state)
{
    struct kit *k = *state;
    for (int round = 0; round < ROUNDS; round++) {
        static const struct str starts[] = {STR("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"),
                                            STR("\x78\x9c"), STR("")};
        static const enum coding codings[] = {CODING_GZIP, CODING_ZLIB, CODING_RAW};
        size_t kind = below(k, 3);
        buf_clear(&k->body);
        buf_add(&k->body, starts[kind]);
        for (size_t n = 1 + below(k, 300); n; n--)
            buf_byte(&k->body, (char)below(k, 256));
        compare(k, codings[kind], round);
    }
}

static void a_dictionary_that_was_agreed_on_is_broken(void **state)
{
    struct kit *k = *state;
    z_stream s = {.next_in = (Bytef *)(uintptr_t) "some text", .avail_in = 9};
    assert_int_equal(deflateInit(&s, 6), Z_OK);
    assert_int_equal(deflateSetDictionary(&s, (const Bytef *)"some", 4), Z_OK);
    s.next_out = (Bytef *)buf_reserve(&k->body, 100);
    s.avail_out = 100;
    assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
    k->body.n = 100 - s.avail_out;
    deflateEnd(&s);
    for (size_t most = 1; most <= ROOM_BYTES; most *= 32) {
        assert_int_equal(undo(k, CODING_ZLIB, most), CODEC_BROKEN);
        assert_int_equal(k->got.n, 0);
    }
}

/* A piece may end where a member ends: another may come. */
static void a_member_may_fill_a_piece(void **state)
{
    struct kit *k = *state;
    size_t made = 0, n;
    enum codec_end end = CODEC_MORE;
    buf_fill(&k->text, 'x', 1000);
    pack(k, CODING_GZIP);
    (void)buf_reserve(&k->got, ROOM_BYTES);
    assert_true(codec_zlib.begin(k->state, CODING_GZIP));
    for (int member = 0; member < 3; member++) {
        struct str in = buf_str(&k->body);
        do {
            assert_int_equal(end, CODEC_MORE);
            end = codec_zlib.run(k->state, &in, member == 2, k->got.p, ROOM_BYTES, &n);
            made += n;
        } while (in.n);
    }
    while (end == CODEC_MORE) {
        struct str none = STR("");
        end = codec_zlib.run(k->state, &none, true, k->got.p, ROOM_BYTES, &n);
        made += n;
    }
    assert_int_equal(end, CODEC_OVER);
    assert_int_equal(made, 3000);
}

/* The room is just what the body says, or a byte less; the length it says may be a lie. */
static void the_room_may_be_exact_or_short(void **state)
{
    struct kit *k = *state;
    for (int lie = -1; lie <= 1; lie++) {
        for (size_t less = 0; less < 2; less++) {
            buf_clear(&k->text);
            buf_fill(&k->text, 'x', 70000);
            pack(k, CODING_GZIP);
            put_le32(k->body.p + k->body.n - 4, (uint32_t)(70000 + lie));
            struct str in = buf_str(&k->body);
            char *to = mem_alloc(70000 - less); /* to its last byte: a sanitizer sees more */
            size_t n, made = 0;
            enum codec_end end = CODEC_MORE;
            assert_non_null(to);
            assert_true(codec_zlib.begin(k->state, CODING_GZIP));
            end = codec_zlib.run(k->state, &in, true, to, 70000 - less, &n);
            made += n;
            for (char more; end == CODEC_MORE; made += n)
                end = codec_zlib.run(k->state, &in, true, &more, 1, &n);
            assert_int_equal(made, 70000);
            assert_int_equal(end, lie ? CODEC_BROKEN : CODEC_OVER);
            mem_free(to);
        }
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(sound_bodies_are_undone_as_zlib_does),
        TEST(damaged_bodies_end_as_zlib_ends_them),
        TEST(noise_ends_as_zlib_ends_it),
        TEST(a_dictionary_that_was_agreed_on_is_broken),
        TEST(a_member_may_fill_a_piece),
        TEST(the_room_may_be_exact_or_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
