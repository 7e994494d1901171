/* SPDX-License-Identifier: Apache-2.0 */
#include "content/image_png.h"

#include <assert.h>
#include <zlib.h>

enum {
    PIXEL_BYTES = 3,
    MATCH_MAX = 258,        /* bytes, deflate's longest match; a whole number of pixels */
    DISTANCE_LEFT_CODE = 2, /* three bytes back */
    END_OF_BLOCK = 256,
    ADLER_BASE = 65521,
};

static void be32(struct buf *out, uint32_t v)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_byte(out, (char)(v >> shift & 255));
}

/* Chunks: length, name, data, CRC of name and data. --------------------------------------------*/

static size_t chunk_begin(struct buf *out, const char *name)
{
    size_t at = out->n;
    be32(out, 0);
    buf_add(out, str_make(name, 4));
    return at;
}

static void chunk_end(struct buf *out, size_t at)
{
    if (buf_rc(out) != RC_OK)
        return;
    size_t n = out->n - at - 8;
    for (int i = 0; i < 4; i++)
        out->p[at + (size_t)i] = (char)(n >> (24 - 8 * i) & 255);
    const Bytef *from = (const Bytef *)out->p + at + 4;
    be32(out, (uint32_t)crc32(0, from, (uInt)(n + 4)));
}

/* Bits: least significant first, but codes from their highest bit (RFC 1951, 3.1.1). ------------*/

static void bits_put(struct png *p, uint64_t value, unsigned count)
{
    p->bits |= value << p->bit_count;
    p->bit_count += count;
}

/* Room for at least 16 bytes must have been reserved. */
static void bits_spill(struct png *p)
{
    char *to = p->out->p + p->out->n;
    while (p->bit_count >= 8) {
        *to++ = (char)(p->bits & 255);
        p->bits >>= 8;
        p->bit_count -= 8;
        p->out->n++;
    }
}

static unsigned reversed(unsigned code, unsigned count)
{
    unsigned r = (code & 0x5555) << 1 | (code >> 1 & 0x5555);
    r = (r & 0x3333) << 2 | (r >> 2 & 0x3333);
    r = (r & 0x0f0f) << 4 | (r >> 4 & 0x0f0f);
    r = (r & 0x00ff) << 8 | (r >> 8 & 0x00ff);
    return r >> (16 - count);
}

/* The fixed code of a literal or length symbol (RFC 1951, 3.2.6). */
static void symbol_put(struct png *p, unsigned symbol)
{
    if (symbol < 144)
        bits_put(p, reversed(0x30 + symbol, 8), 8);
    else if (symbol < 256)
        bits_put(p, reversed(0x190 + symbol - 144, 9), 9);
    else if (symbol < 280)
        bits_put(p, reversed(symbol - 256, 7), 7);
    else
        bits_put(p, reversed(0xc0 + symbol - 280, 8), 8);
}

/* The symbol of a match's length: four symbols for each number of extra bits, from 11 bytes on. */
static void length_put(struct png *p, unsigned bytes)
{
    unsigned less = bytes - 3;
    if (bytes == MATCH_MAX) {
        symbol_put(p, 285);
    } else if (less < 8) {
        symbol_put(p, 257 + less);
    } else {
        unsigned extra = 1;
        while (less >> (extra + 3))
            extra++;
        unsigned top = less >> extra; /* 4..7 */
        symbol_put(p, 257 + 4 * extra + top);
        bits_put(p, less & ((1U << extra) - 1), extra);
    }
}

static void distance_up_find(struct png *p)
{
    uint32_t less = p->width * PIXEL_BYTES; /* of a row with its filter byte, less one */
    unsigned extra = 1;
    while (less >> (extra + 2))
        extra++;
    p->up_code = 2 * extra + (less >> extra); /* less >> extra is 2 or 3 */
    p->up_extra_bits = extra;
    p->up_distance = less & ((1U << extra) - 1);
}

static void match_put(struct png *p, uint32_t pixels, bool up)
{
    for (uint32_t left = pixels * PIXEL_BYTES; left > 0;) {
        unsigned now = left < MATCH_MAX ? left : MATCH_MAX;
        length_put(p, now);
        if (up) {
            bits_put(p, reversed(p->up_code, 5), 5);
            bits_put(p, p->up_distance, p->up_extra_bits);
        } else {
            bits_put(p, reversed(DISTANCE_LEFT_CODE, 5), 5);
        }
        bits_spill(p);
        left -= now;
    }
}

static void pixel_put(struct png *p, uint32_t pixel)
{
    symbol_put(p, pixel >> 16 & 255);
    symbol_put(p, pixel >> 8 & 255);
    symbol_put(p, pixel & 255);
    bits_spill(p);
}

/* The checksum of a row's bytes, from sums over its pixels that the compiler can vectorise. With
 * a row of 640 pixels neither sum reaches 2^32. */
static void adler_row(struct png *p, const uint32_t *row)
{
    uint32_t n = p->width, sum = 0, weighted = 0;
    p->adler_b += p->adler_a; /* the filter byte, 0 */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = row[i] >> 16 & 255, g = row[i] >> 8 & 255, b = row[i] & 255;
        sum += r + g + b;
        weighted += 3 * (n - 1 - i) * (r + g + b) + 3 * r + 2 * g + b;
    }
    p->adler_b = (p->adler_b + 3 * n * p->adler_a + weighted % ADLER_BASE) % ADLER_BASE;
    p->adler_a = (p->adler_a + sum) % ADLER_BASE;
}

static uint32_t run_left(const uint32_t *row, uint32_t at, uint32_t n)
{
    uint32_t i = at;
    while (at > 0 && i < n && row[i] == row[at - 1])
        i++;
    return i - at;
}

static uint32_t run_up(const uint32_t *row, const uint32_t *above, uint32_t at, uint32_t n)
{
    uint32_t i = at;
    while (above && i < n && row[i] == above[i])
        i++;
    return i - at;
}

void png_begin(struct png *p, uint32_t width, uint32_t height, struct buf *out)
{
    assert(width >= 2 && width <= 1024);
    *p = (struct png){.out = out, .width = width, .adler_a = 1};
    distance_up_find(p);
    buf_add(out, STR("\x89PNG\r\n\x1a\n"));
    size_t at = chunk_begin(out, "IHDR");
    be32(out, width);
    be32(out, height);
    buf_add(out, STR("\x08\x02\x00\x00\x00"));
    chunk_end(out, at);
    p->idat_at = chunk_begin(out, "IDAT");
    buf_add(out, STR("\x78\x01"));
    bits_put(p, 3, 3); /* the last block, fixed codes */
}

void png_row(struct png *p, const uint32_t *row, const uint32_t *above)
{
    uint32_t n = p->width;
    if (!buf_reserve(p->out, (size_t)n * PIXEL_BYTES * 9 / 8 + 32))
        return;
    adler_row(p, row);
    symbol_put(p, 0);
    for (uint32_t at = 0; at < n;) {
        uint32_t up = run_up(row, above, at, n);
        uint32_t left = run_left(row, at, n);
        if (up == 0 && left == 0) {
            pixel_put(p, row[at++]);
            continue;
        }
        /* A match above costs about ten bits more. */
        bool take_up = up > left + 4 || left == 0;
        match_put(p, take_up ? up : left, take_up);
        at += take_up ? up : left;
    }
}

void png_end(struct png *p)
{
    symbol_put(p, END_OF_BLOCK);
    bits_put(p, 0, (8 - p->bit_count % 8) % 8);
    if (buf_reserve(p->out, 16))
        bits_spill(p);
    be32(p->out, p->adler_b << 16 | p->adler_a);
    chunk_end(p->out, p->idat_at);
    chunk_end(p->out, chunk_begin(p->out, "IEND"));
}
