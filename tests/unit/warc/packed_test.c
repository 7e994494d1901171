/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/packed.h"

#include "base/base64.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/rng.h"
#include "lib/test.h"

#include <libdeflate.h>

/* Below CERTAIN_BYTES a header is a large share: either answer does no harm. */
enum { ROOM_BYTES = 1 << 20, CERTAIN_BYTES = 1000 };

static void noise(struct buf *b, size_t bytes, uint64_t seed)
{
    struct rng r;
    rng_init(&r, seed);
    for (size_t i = 0; i < bytes; i++)
        buf_byte(b, (char)rng_next(&r));
}

static void markup(struct buf *b, size_t bytes, uint64_t seed)
{
    struct rng r;
    rng_init(&r, seed);
    while (b->n < bytes)
        buf_printf(b, "<p class=\"x%llu\">some words of text</p>\n",
                   (unsigned long long)rng_below(&r, 100000));
    b->n = bytes;
}

/* Of three bytes a letter, as in Chinese: a thousand letters, the frequent ones more often. */
static void wide_letters(struct buf *b, size_t bytes, uint64_t seed)
{
    struct rng r;
    rng_init(&r, seed);
    while (b->n < bytes) {
        unsigned letter = 0x4e00 + (unsigned)(rng_below(&r, 1000) * rng_below(&r, 1000) / 1000);
        buf_byte(b, (char)(0xe0 | letter >> 12));
        buf_byte(b, (char)(0x80 | (letter >> 6 & 63)));
        buf_byte(b, (char)(0x80 | (letter & 63)));
    }
}

static void base64_of_noise(struct buf *b, size_t bytes, uint64_t seed)
{
    struct buf raw = {.max = ROOM_BYTES};
    noise(&raw, bytes * 3 / 4, seed);
    buf_base64(b, buf_str(&raw));
    buf_done(&raw);
}

static void gzip_of_markup(struct buf *b, size_t bytes, uint64_t seed)
{
    struct buf raw = {.max = ROOM_BYTES};
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
    assert_non_null(c);
    markup(&raw, bytes * 8, seed);
    char *to = buf_reserve(b, bytes * 8);
    b->n = libdeflate_gzip_compress(c, raw.p, raw.n, to, bytes * 8);
    libdeflate_free_compressor(c);
    buf_done(&raw);
}

/* As PNG and JPEG files: what stands before and behind the packed bytes is not. */
static void noise_with_ends(struct buf *b, size_t bytes, uint64_t seed)
{
    buf_fill(b, 0, bytes / 40);
    noise(b, bytes, seed);
    buf_fill(b, 0, bytes / 40);
}

/* Half a picture without packing, half of it noise. */
static void half_noise(struct buf *b, size_t bytes, uint64_t seed)
{
    noise(b, bytes / 2, seed);
    buf_fill(b, 'x', bytes / 2);
}

static const struct {
    const char *name;
    void (*make)(struct buf *b, size_t bytes, uint64_t seed);
    bool is_packed;
} rows[] = {
    {"random bytes", noise, true},
    {"gzip of a page", gzip_of_markup, true},
    {"a picture with a header", noise_with_ends, true},
    {"a page", markup, false},
    {"text of three bytes a letter", wide_letters, false},
    {"base64", base64_of_noise, false},
    {"half of it packed", half_noise, false},
};

static void bytes_decide(void **state)
{
    (void)state;
    static const size_t sizes[] = {520, 700, 1100, 5000, 28000, 100000};
    struct buf b = {.max = ROOM_BYTES};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (uint64_t seed = 0; seed < 30; seed++) {
                buf_clear(&b);
                rows[i].make(&b, sizes[s], seed);
                if (rows[i].is_packed && b.n < CERTAIN_BYTES)
                    continue;
                if (packed_already(buf_str(&b)) != rows[i].is_packed)
                    fail_msg("%s, %zu bytes, seed %llu", rows[i].name, b.n,
                             (unsigned long long)seed);
            }
    buf_done(&b);
}

static void little_is_never_packed(void **state)
{
    (void)state;
    struct buf b = {.max = ROOM_BYTES};
    noise(&b, 511, 1);
    assert_false(packed_already(buf_str(&b)));
    assert_false(packed_already(STR_NONE));
    noise(&b, 600, 1);
    assert_true(packed_already(buf_str(&b)));
    buf_done(&b);
}

/* Samples stay inside the bytes, whatever their number. */
static void samples_stay_inside(void **state)
{
    (void)state;
    for (size_t n = 512; n < 6000; n++) {
        /* not ASCII: all samples are taken */
        char *exact = mem_alloc(n);
        assert_non_null(exact);
        memset(exact, 0xe4, n);
        assert_false(packed_already(str_make(exact, n)));
        mem_free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_decide),
        cmocka_unit_test(little_is_never_packed),
        cmocka_unit_test(samples_stay_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
