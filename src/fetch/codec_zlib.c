/* SPDX-License-Identifier: Apache-2.0 */
/* gzip and deflate. A body that is all there goes through libdeflate (inflate_whole.h); what that
 * does not undo, and what comes in pieces, goes through zlib. Memory is zlib's window, whatever
 * comes. */
#include "fetch/codec.h"

#include "base/mem_zlib.h"
#include "fetch/inflate_whole.h"

#include <zlib.h>

enum { GZIP_ONLY = 16, MAX_STEP = 1 << 30 };

/* A gzip body may be several members (RFC 1952, 2.2). Between two of them the first two bytes of
 * the next are waited for, one by one: what is no member is padding, and passed over. */
enum member_state { INSIDE, BETWEEN, BEHIND_1F };

struct zlib_state {
    z_stream stream;
    struct inflate_whole *whole;
    enum coding coding;
    bool is_new; /* nothing of the body was taken yet */
    enum member_state state;
};

static void *zlib_open(void)
{
    struct zlib_state *z = mem_zero(1, sizeof *z);
    if (!z)
        return NULL;
    z->stream.zalloc = mem_zlib_alloc;
    z->stream.zfree = mem_zlib_free;
    z->whole = inflate_whole_open();
    if (!z->whole || inflateInit2(&z->stream, MAX_WBITS + GZIP_ONLY) != Z_OK) {
        inflate_whole_close(z->whole);
        mem_free(z);
        return NULL;
    }
    return z;
}

static void zlib_close(void *state)
{
    struct zlib_state *z = state;
    inflateEnd(&z->stream);
    inflate_whole_close(z->whole);
    mem_free(z);
}

static bool zlib_begin(void *state, enum coding coding)
{
    struct zlib_state *z = state;
    int bits = coding == CODING_GZIP  ? MAX_WBITS + GZIP_ONLY
               : coding == CODING_RAW ? -MAX_WBITS
                                      : MAX_WBITS;
    z->coding = coding;
    z->is_new = true;
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

/* Whether the body, or its first member, could be undone in one call. A gzip body that says it
 * holds more than the room is not tried. */
static bool run_whole(struct zlib_state *z, struct str *in, bool last, char *to, size_t room,
                      size_t *ret_bytes)
{
    bool is_all = z->is_new && last && in->n;
    z->is_new = false;
    if (!is_all || z->coding == CODING_RAW)
        return false;
    if (z->coding == CODING_GZIP && inflate_whole_says(*in) > room)
        return false;
    return inflate_whole_run(z->whole, z->coding, in, to, room, ret_bytes);
}

static enum codec_end zlib_run(void *state, struct str *in, bool last, char *to, size_t room,
                               size_t *ret_bytes)
{
    struct zlib_state *z = state;
    *ret_bytes = 0;
    if (run_whole(z, in, last, to, room, ret_bytes)) {
        z->state = BETWEEN;
        return in->n && z->coding == CODING_GZIP ? CODEC_MORE : CODEC_OVER;
    }
    for (;;) {
        if (z->state != INSIDE && !next_member(z, in))
            return in->n || last ? CODEC_OVER : CODEC_MORE;
        switch (inflate_step(z, in, to, room, ret_bytes)) {
        case Z_STREAM_END:
            if (z->coding != CODING_GZIP)
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

static uint64_t zlib_says(enum coding coding, struct str body)
{
    return coding == CODING_GZIP ? inflate_whole_says(body) : 0;
}

/* Its window is small, and kept. */
static void zlib_end(void *state)
{
    (void)state;
}

const struct codec codec_zlib = {zlib_open, zlib_close, zlib_begin, zlib_run, zlib_says, zlib_end};
