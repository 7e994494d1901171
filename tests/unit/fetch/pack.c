/* SPDX-License-Identifier: Apache-2.0 */
#include "pack.h"

#include "lib/test.h"

#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

static void deflate_as(struct str text, int bits, struct buf *out)
{
    z_stream s = {0};
    assert_int_equal(deflateInit2(&s, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&s, text.n) + 64;
    char *to = buf_reserve(out, room);
    assert_non_null(to);
    s.next_in = (Bytef *)(uintptr_t)text.p;
    s.avail_in = (uInt)text.n;
    s.next_out = (Bytef *)to;
    s.avail_out = (uInt)room;
    assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
    out->n += room - s.avail_out;
    deflateEnd(&s);
}

void pack_gzip(struct str text, struct buf *out)
{
    deflate_as(text, MAX_WBITS + 16, out);
}

void pack_zlib(struct str text, struct buf *out)
{
    deflate_as(text, MAX_WBITS, out);
}

void pack_raw(struct str text, struct buf *out)
{
    deflate_as(text, -MAX_WBITS, out);
}

void pack_br(struct str text, struct buf *out)
{
    size_t n = BrotliEncoderMaxCompressedSize(text.n) + 64;
    char *to = buf_reserve(out, n);
    assert_non_null(to);
    assert_true(BrotliEncoderCompress(5, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, text.n,
                                      (const uint8_t *)text.p, &n, (uint8_t *)to));
    out->n += n;
}

void pack_zstd(struct str text, struct buf *out)
{
    size_t room = ZSTD_compressBound(text.n);
    char *to = buf_reserve(out, room);
    assert_non_null(to);
    size_t n = ZSTD_compress(to, room, text.p, text.n, 3);
    assert_false(ZSTD_isError(n));
    out->n += n;
}

void pack_plain(struct str text, struct buf *out)
{
    buf_add(out, text);
}

void pack_chunks(struct str text, size_t step, struct buf *out)
{
    for (; text.n; text = str_from(text, step)) {
        struct str piece = str_first(text, step);
        buf_printf(out, "%zx\r\n", piece.n);
        buf_add(out, piece);
        buf_add(out, STR("\r\n"));
    }
    buf_add(out, STR("0\r\n\r\n"));
}
