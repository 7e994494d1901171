/* SPDX-License-Identifier: Apache-2.0 */
#include "content/pool.h"

#include "content/pieces.h"

#include "base/mem.h"

#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

/* How many of each kind; half a megabyte together, so that copying from it is copying from a cache.
 * That two pages share a paragraph now and then harms nobody. */
static const uint32_t kind_counts[PIECE_KINDS_] = {
    [PIECE_PLAIN] = 256,   [PIECE_RICH] = 128,  [PIECE_LIST] = 80,    [PIECE_TERMS] = 48,
    [PIECE_TABLE] = 32,    [PIECE_CODE] = 48,   [PIECE_QUOTE] = 32,   [PIECE_FORM] = 16,
    [PIECE_STYLE] = 16,    [PIECE_SCRIPT] = 16, [PIECE_COMMENT] = 32, [PIECE_SENTENCE] = 512,
    [PIECE_HEADING] = 256,
};

enum { POOL_MAX_BYTES = 8 << 20, PIECE_MAX_BYTES = 64 << 10 };

struct packed {
    char *p;
    uint32_t n;
};

struct pool {
    struct buf text;
    uint32_t *at; /* where each piece begins, and behind the last its end; looked up for all that a
                     page holds, so it is small enough to stay near */
    struct packed *packed[PACKING_COUNT_]; /* one for each piece */
    uint32_t count;
    uint32_t first[PIECE_KINDS_];
};

static void pool_fill(struct pool *p, struct prose *prose, enum ink ink, struct buf *scratch)
{
    uint32_t nth = 0;
    for (unsigned kind = 0; kind < PIECE_KINDS_; kind++) {
        p->first[kind] = nth;
        for (uint32_t i = 0; i < kind_counts[kind]; i++, nth++) {
            buf_clear(scratch);
            piece_write(prose, (enum piece_kind)kind, scratch);
            p->at[nth] = (uint32_t)p->text.n;
            ink_write(ink, buf_str(scratch), &p->text);
            if (scratch->rc != RC_OK)
                p->text.rc = scratch->rc;
        }
    }
    p->at[nth] = (uint32_t)p->text.n;
}

static bool pool_begin(struct pool *p)
{
    p->text.max = POOL_MAX_BYTES;
    for (unsigned kind = 0; kind < PIECE_KINDS_; kind++)
        p->count += kind_counts[kind];
    p->at = mem_zero(p->count + 1, sizeof *p->at);
    bool good = p->at != NULL;
    for (unsigned k = 0; k < PACKING_COUNT_; k++) {
        p->packed[k] = mem_zero(p->count, sizeof *p->packed[k]);
        good = good && p->packed[k];
    }
    return good;
}

struct pool *pool_open(enum tongue tongue, enum ink ink, bool is_demo, uint64_t seed)
{
    struct pool *p = mem_zero(1, sizeof *p);
    struct prose *prose = mem_alloc(sizeof *prose);
    struct buf scratch = {.max = PIECE_MAX_BYTES};
    bool good = p && prose && pool_begin(p);
    if (good) {
        prose_init(prose, tongue, ink == INK_ASCII, seed);
        prose->is_demo = is_demo && tongue == TONGUE_ENGLISH;
        pool_fill(p, prose, ink, &scratch);
        good = p->text.rc == RC_OK;
    }
    buf_done(&scratch);
    mem_free(prose);
    if (good)
        return p;
    pool_close(p);
    return NULL;
}

void pool_close(struct pool *p)
{
    if (!p)
        return;
    for (unsigned k = 0; k < PACKING_COUNT_; k++) {
        for (uint32_t i = 0; p->packed[k] && i < p->count; i++)
            mem_free(p->packed[k][i].p);
        mem_free(p->packed[k]);
    }
    mem_free(p->at);
    buf_done(&p->text);
    mem_free(p);
}

uint32_t pool_pick(const struct pool *p, enum piece_kind kind, uint64_t chance)
{
    return p->first[kind] + (uint32_t)((chance >> 32) * kind_counts[kind] >> 32);
}

void pool_prefetch(const struct pool *p, uint32_t piece)
{
    enum { LINE_BYTES = 64, LINES = 4 }; /* the machine itself fetches on from there */
    for (size_t i = 0; i < LINES; i++)
        __builtin_prefetch(p->text.p + p->at[piece] + i * LINE_BYTES);
}

struct str pool_piece(const struct pool *p, uint32_t piece)
{
    uint32_t at = p->at[piece];
    return str_make(p->text.p + at, p->at[piece + 1] - at);
}

uint32_t pool_other(const struct pool *p, enum piece_kind kind, uint32_t piece, uint64_t version)
{
    enum { STEP = 7 }; /* prime to every count, so that it comes around to all of them */
    uint32_t from = p->first[kind];
    return from + (uint32_t)((piece - from + version * STEP) % kind_counts[kind]);
}

/* Blocks that end on a byte and look back at nothing before the piece. */
static size_t pack_deflate(struct str text, char *to, size_t room)
{
    z_stream z = {0};
    if (deflateInit2(&z, 9, Z_DEFLATED, -13, 6, Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    z.next_in = (Bytef *)(uintptr_t)text.p;
    z.avail_in = (uInt)text.n;
    z.next_out = (Bytef *)to;
    z.avail_out = (uInt)room;
    int rc = deflate(&z, Z_FULL_FLUSH);
    size_t n = room - z.avail_out;
    bool whole = rc == Z_OK && z.avail_in == 0 && z.avail_out > 0;
    (void)deflateEnd(&z); /* Z_DATA_ERROR: the stream was never finished, as is meant here */
    return whole ? n : 0;
}

static size_t pack_zstd(struct str text, char *to, size_t room)
{
    size_t n = ZSTD_compress(to, room, text.p, text.n, 7);
    return ZSTD_isError(n) ? 0 : n;
}

/* As a part of a stream that others began: no header, nothing taken for granted of what stands
 * before it. */
static size_t pack_br(struct str text, char *to, size_t room)
{
    BrotliEncoderState *e = BrotliEncoderCreateInstance(NULL, NULL, NULL);
    const uint8_t *in = (const uint8_t *)text.p;
    uint8_t *out = (uint8_t *)to;
    size_t in_left = text.n, out_left = room;
    bool good = e && BrotliEncoderSetParameter(e, BROTLI_PARAM_QUALITY, 5) &&
                BrotliEncoderSetParameter(e, BROTLI_PARAM_LGWIN, POOL_BR_WINDOW) &&
                BrotliEncoderSetParameter(e, BROTLI_PARAM_STREAM_OFFSET, 1U << POOL_BR_WINDOW) &&
                BrotliEncoderCompressStream(e, BROTLI_OPERATION_FLUSH, &in_left, &in, &out_left,
                                            &out, NULL);
    bool whole = good && in_left == 0 && !BrotliEncoderHasMoreOutput(e);
    BrotliEncoderDestroyInstance(e);
    return whole ? room - out_left : 0;
}

struct str pool_packed(struct pool *p, uint32_t piece, enum packing packing)
{
    static size_t (*const pack[PACKING_COUNT_])(struct str, char *, size_t) = {
        [PACKING_DEFLATE] = pack_deflate, [PACKING_ZSTD] = pack_zstd, [PACKING_BR] = pack_br};
    struct packed *it = &p->packed[packing][piece];
    if (it->p)
        return str_make(it->p, it->n);
    struct str text = pool_piece(p, piece);
    size_t room = compressBound(text.n) + ZSTD_compressBound(text.n) + 64;
    char *scratch = mem_alloc(room);
    if (!scratch)
        return STR_NONE;
    size_t n = pack[packing](text, scratch, room);
    char *exact = n ? mem_resize(scratch, n) : NULL;
    if (!exact) {
        mem_free(scratch);
        return STR_NONE;
    }
    it->p = exact;
    it->n = (uint32_t)n;
    return str_make(exact, n);
}
