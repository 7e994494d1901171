/* SPDX-License-Identifier: Apache-2.0 */
#include "content/coding.h"

#include "world/put.h"

#include "base/bytes.h"

#include <brotli/encode.h>
#include <isa-l/crc.h>
#include <zlib.h>
#include <zstd.h>

/* Everybody waits while a body is compressed here; the qualities are those of a server in haste. */
enum { GZIP_LEVEL = 6, BROTLI_QUALITY = 2, ZSTD_LEVEL = 3, BROTLI_WINDOW = 18 };

const char *coding_name(enum coding c)
{
    static const char *const names[CODING_COUNT_] = {
        [CODING_IDENTITY] = "",
        [CODING_GZIP] = "gzip",
        [CODING_BR] = "br",
        [CODING_ZSTD] = "zstd",
    };
    return names[c];
}

static enum rc gzip_encode(struct str text, struct buf *out)
{
    z_stream z = {0};
    if (deflateInit2(&z, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return RC_NOMEM;
    size_t room = deflateBound(&z, text.n);
    char *to = buf_reserve(out, room);
    if (to) {
        z.next_in = (Bytef *)(uintptr_t)text.p;
        z.avail_in = (uInt)text.n;
        z.next_out = (Bytef *)to;
        z.avail_out = (uInt)room;
        if (deflate(&z, Z_FINISH) != Z_STREAM_END)
            out->rc = RC_NOMEM; /* deflateBound is enough for all else */
        else
            out->n += room - z.avail_out;
    }
    (void)deflateEnd(&z);
    return buf_rc(out);
}

static enum rc brotli_encode(struct str text, struct buf *out)
{
    size_t room = BrotliEncoderMaxCompressedSize(text.n);
    char *to = buf_reserve(out, room);
    if (to && !BrotliEncoderCompress(BROTLI_QUALITY, BROTLI_WINDOW, BROTLI_MODE_TEXT, text.n,
                                     (const uint8_t *)text.p, &room, (uint8_t *)to))
        out->rc = RC_NOMEM;
    else if (to)
        out->n += room;
    return buf_rc(out);
}

static enum rc zstd_encode(struct str text, struct buf *out)
{
    size_t room = ZSTD_compressBound(text.n);
    char *to = buf_reserve(out, room);
    size_t n = to ? ZSTD_compress(to, room, text.p, text.n, ZSTD_LEVEL) : 0;
    if (to && ZSTD_isError(n))
        out->rc = RC_NOMEM;
    else if (to)
        out->n += n;
    return buf_rc(out);
}

enum rc content_encode(enum coding coding, struct str text, struct buf *out)
{
    switch (coding) {
    case CODING_GZIP:
        return gzip_encode(text, out);
    case CODING_BR:
        return brotli_encode(text, out);
    case CODING_ZSTD:
        return zstd_encode(text, out);
    default:
        buf_add(out, text);
        return buf_rc(out);
    }
}

/* Stitching ---------------------------------------------------------------------------------- */

static void deflate_stored(struct str text, struct buf *out)
{
    enum { BLOCK_BYTES = 65535 };
    while (text.n) {
        struct str part = str_first(text, BLOCK_BYTES);
        char head[5] = {0};
        put_le16(head + 1, (uint16_t)part.n);
        put_le16(head + 3, (uint16_t)~part.n);
        put(out, str_make(head, sizeof head));
        put(out, part);
        text = str_from(text, part.n);
    }
}

/* A frame that says its length, in blocks that are not compressed (RFC 8878, 3.1.1). */
static void zstd_raw(struct str text, struct buf *out)
{
    enum { BLOCK_BYTES = 128 << 10, LAST = 1 };
    char head[9] = "\x28\xb5\x2f\xfd\xa0";
    if (text.n == 0)
        return;
    put_le32(head + 5, (uint32_t)text.n);
    put(out, str_make(head, sizeof head));
    while (text.n) {
        struct str part = str_first(text, BLOCK_BYTES);
        char block[4];
        put_le32(block, (uint32_t)part.n << 3 | (part.n == text.n ? LAST : 0));
        put(out, str_make(block, 3));
        put(out, part);
        text = str_from(text, part.n);
    }
}

/* Meta-blocks that are not compressed (RFC 7932, 9.2): not the last, four nibbles of length - 1. */
static void br_uncompressed(struct str text, struct buf *out)
{
    enum { BLOCK_BYTES = 1 << 16, UNCOMPRESSED = 1 << 19 };
    while (text.n) {
        struct str part = str_first(text, BLOCK_BYTES);
        char head[4];
        put_le32(head, (uint32_t)(part.n - 1) << 3 | UNCOMPRESSED);
        put(out, str_make(head, 3));
        put(out, part);
        text = str_from(text, part.n);
    }
}

/* How each packing writes what stands between the pieces, and where the first may stand. */
static const struct {
    void (*raw)(struct str text, struct buf *out);
    size_t first_at;
} packings[PACKING_COUNT_] = {
    [PACKING_DEFLATE] = {deflate_stored, 0},
    [PACKING_ZSTD] = {zstd_raw, 0},
    [PACKING_BR] = {br_uncompressed, (size_t)1 << POOL_BR_WINDOW},
};

static void stitch(struct pool *pool, struct str body, const struct span *spans, uint32_t count,
                   enum packing packing, struct buf *out)
{
    size_t done = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool fits = spans[i].at >= packings[packing].first_at;
        struct str packed = fits ? pool_packed(pool, spans[i].piece, packing) : STR_NONE;
        if (!packed.p)
            continue;
        packings[packing].raw(str_make(body.p + done, spans[i].at - done), out);
        put(out, packed);
        done = spans[i].at + pool_piece(pool, spans[i].piece).n;
    }
    packings[packing].raw(str_from(body, done), out);
}

void gzip_stitch(struct pool *pool, struct str body, const struct span *spans, uint32_t count,
                 struct buf *out)
{
    char tail[8];
    PUT(out, "\x1f\x8b\x08\0\0\0\0\0\0\xff");
    stitch(pool, body, spans, count, PACKING_DEFLATE, out);
    PUT(out, "\x01\0\0\xff\xff");
    put_le32(tail, crc32_gzip_refl(0, (const unsigned char *)body.p, body.n));
    put_le32(tail + 4, (uint32_t)body.n);
    put(out, str_make(tail, sizeof tail));
}

void zstd_stitch(struct pool *pool, struct str body, const struct span *spans, uint32_t count,
                 struct buf *out)
{
    stitch(pool, body, spans, count, PACKING_ZSTD, out);
}

/* The header is the size of the window in seven bits (RFC 7932, 9.1) and an empty meta-block of
 * metadata, 011000, which ends on a byte; the end is an empty last meta-block. */
void br_stitch(struct pool *pool, struct str body, const struct span *spans, uint32_t count,
               struct buf *out)
{
    enum { EMPTY = 6 };
    char head[2];
    put_le16(head, (POOL_BR_WINDOW - 8) << 4 | 1 | EMPTY << 7);
    put(out, str_make(head, sizeof head));
    stitch(pool, body, spans, count, PACKING_BR, out);
    PUT(out, "\x03");
}
