/* SPDX-License-Identifier: Apache-2.0 */
/* gzip and deflate. Memory is zlib's window, whatever comes. */
#include "fetch/codec.h"

#include "base/mem_zlib.h"

#include <zlib.h>

enum { GZIP_ONLY = 16, MAX_STEP = 1 << 30 };

/* A gzip body may be several members (RFC 1952, 2.2). Between two of them the first two bytes of
 * the next are waited for, one by one: what is no member is padding, and passed over. */
enum member_state { INSIDE, BETWEEN, BEHIND_1F };

struct zlib_state {
    z_stream stream;
    bool is_gzip;
    enum member_state state;
};

static void *zlib_open(void)
{
    struct zlib_state *z = mem_zero(1, sizeof *z);
    if (!z)
        return NULL;
    z->stream.zalloc = mem_zlib_alloc;
    z->stream.zfree = mem_zlib_free;
    if (inflateInit2(&z->stream, MAX_WBITS + GZIP_ONLY) != Z_OK) {
        mem_free(z);
        return NULL;
    }
    return z;
}

static void zlib_close(void *state)
{
    struct zlib_state *z = state;
    inflateEnd(&z->stream);
    mem_free(z);
}

static bool zlib_begin(void *state, enum coding coding)
{
    struct zlib_state *z = state;
    int bits = coding == CODING_GZIP  ? MAX_WBITS + GZIP_ONLY
               : coding == CODING_RAW ? -MAX_WBITS
                                      : MAX_WBITS;
    z->is_gzip = coding == CODING_GZIP;
    z->state = INSIDE;
    return inflateReset2(&z->stream, bits) == Z_OK;
}

static int inflate_step(struct zlib_state *z, struct str *in, char *to, size_t room,
                        size_t *ret_bytes)
{
    z_stream *s = &z->stream;
    struct str piece = str_first(*in, MAX_STEP);
    uInt space = (uInt)(room < MAX_STEP ? room : MAX_STEP);
    s->next_in = (Bytef *)(uintptr_t)(piece.p ? piece.p : "");
    s->avail_in = (uInt)piece.n;
    s->next_out = (Bytef *)to;
    s->avail_out = space;
    int result = inflate(s, Z_NO_FLUSH);
    *in = str_from(*in, piece.n - s->avail_in);
    *ret_bytes = space - s->avail_out;
    return result;
}

/* Steps to the next member; false if there is none in *in. */
static bool next_member(struct zlib_state *z, struct str *in)
{
    while (in->n && z->state != INSIDE) {
        unsigned char c = (unsigned char)in->p[0];
        if (c != (z->state == BETWEEN ? 0x1f : 0x8b))
            return false;
        *in = str_from(*in, 1);
        z->state = z->state == BETWEEN ? BEHIND_1F : INSIDE;
    }
    if (z->state != INSIDE)
        return false;
    struct str magic = STR("\x1f\x8b");
    char none;
    size_t bytes;
    (void)inflateReset(&z->stream);
    (void)inflate_step(z, &magic, &none, 1, &bytes);
    return true;
}

static enum codec_end zlib_run(void *state, struct str *in, bool last, char *to, size_t room,
                               size_t *ret_bytes)
{
    struct zlib_state *z = state;
    *ret_bytes = 0;
    for (;;) {
        if (z->state != INSIDE && !next_member(z, in))
            return in->n || last ? CODEC_OVER : CODEC_MORE;
        switch (inflate_step(z, in, to, room, ret_bytes)) {
        case Z_STREAM_END:
            if (!z->is_gzip)
                return CODEC_OVER;
            z->state = BETWEEN;
            if (*ret_bytes)
                return CODEC_MORE;
            continue; /* an empty member */
        case Z_OK:
        case Z_BUF_ERROR: /* nothing could be done: no input */
            if (*ret_bytes || !in->n)
                return !*ret_bytes && last ? CODEC_CUT : CODEC_MORE;
            continue;
        case Z_MEM_ERROR:
            return CODEC_NOMEM;
        default:
            return CODEC_BROKEN;
        }
    }
}

/* Its window is small, and kept. */
static void zlib_end(void *state)
{
    (void)state;
}

const struct codec codec_zlib = {zlib_open, zlib_close, zlib_begin, zlib_run, zlib_end};
