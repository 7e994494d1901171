/* SPDX-License-Identifier: Apache-2.0 */
/* zstd (RFC 8878). As a content coding its window is at most 8 MiB (RFC 9659): a frame that wants a
 * larger one is broken. */
#include "fetch/codec.h"

#include "base/mem.h"

#define ZSTD_STATIC_LINKING_ONLY /* for an allocator of our own */
#include <zstd.h>
#include <zstd_errors.h>

enum { WINDOW_LOG = 23, KEPT_BYTES = 1 << 20 };

struct zstd_state {
    ZSTD_DCtx *context;
    bool is_inside; /* of a frame */
    bool had_frame; /* one was whole: what does not begin like another is passed over */
};

static void *zstd_alloc(void *unused, size_t bytes)
{
    (void)unused;
    return mem_alloc(bytes);
}

static void zstd_free(void *unused, void *p)
{
    (void)unused;
    mem_free(p);
}

static void *zstd_open(void)
{
    return mem_zero(1, sizeof(struct zstd_state));
}

static void drop(struct zstd_state *z)
{
    ZSTD_freeDCtx(z->context);
    z->context = NULL;
}

static void zstd_close(void *state)
{
    drop(state);
    mem_free(state);
}

static bool zstd_begin(void *state, enum coding coding)
{
    struct zstd_state *z = state;
    (void)coding;
    z->is_inside = z->had_frame = false;
    if (z->context)
        return !ZSTD_isError(ZSTD_DCtx_reset(z->context, ZSTD_reset_session_only));
    z->context = ZSTD_createDCtx_advanced((ZSTD_customMem){zstd_alloc, zstd_free, NULL});
    return z->context &&
           !ZSTD_isError(ZSTD_DCtx_setParameter(z->context, ZSTD_d_windowLogMax, WINDOW_LOG));
}

static void zstd_end(void *state)
{
    struct zstd_state *z = state;
    if (ZSTD_sizeof_DCtx(z->context) > KEPT_BYTES)
        drop(z);
}

static enum codec_end failed(const struct zstd_state *z, size_t result)
{
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        return CODEC_NOMEM;
    return z->had_frame && !z->is_inside ? CODEC_OVER : CODEC_BROKEN;
}

static enum codec_end zstd_run(void *state, struct str *in, bool last, char *to, size_t room,
                               size_t *ret_bytes)
{
    struct zstd_state *z = state;
    ZSTD_outBuffer out = {to, room, 0};
    enum codec_end end = CODEC_MORE;
    while (end == CODEC_MORE && out.pos == 0) {
        ZSTD_inBuffer from = {in->p ? in->p : "", in->n, 0};
        size_t result = ZSTD_decompressStream(z->context, &out, &from);
        *in = str_from(*in, from.pos);
        if (ZSTD_isError(result)) {
            end = failed(z, result);
        } else {
            z->had_frame |= result == 0;
            /* Up to its magic number a frame has not begun: the first bytes may be padding. */
            z->is_inside = result != 0 && (z->is_inside || out.pos || from.pos > 4);
        }
        if (end == CODEC_MORE && !in->n && !out.pos)
            break;
    }
    *ret_bytes = out.pos;
    if (end == CODEC_MORE && !in->n && last && !out.pos)
        return z->had_frame && !z->is_inside ? CODEC_OVER : CODEC_CUT;
    return end;
}

static uint64_t zstd_says(enum coding coding, struct str body)
{
    (void)coding;
    unsigned long long bytes = ZSTD_getFrameContentSize(body.p, body.n);
    return bytes == ZSTD_CONTENTSIZE_UNKNOWN || bytes == ZSTD_CONTENTSIZE_ERROR ? 0 : bytes;
}

const struct codec codec_zstd = {zstd_open, zstd_close, zstd_begin, zstd_run, zstd_says, zstd_end};
