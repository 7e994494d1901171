/* SPDX-License-Identifier: Apache-2.0 */
/* br (RFC 7932). Its window is at most 16 MiB and is made as large as the body needs; windows
 * beyond the RFC's are refused, for that is the library's default. */
#include "fetch/codec.h"

#include "base/mem.h"

#include <brotli/decode.h>

/* The library cannot start one again: each body gets its own. */
struct brotli_state {
    BrotliDecoderState *decoder;
};

static void *brotli_alloc(void *unused, size_t bytes)
{
    (void)unused;
    return mem_alloc(bytes);
}

static void brotli_free(void *unused, void *p)
{
    (void)unused;
    mem_free(p);
}

static void *brotli_open(void)
{
    return mem_zero(1, sizeof(struct brotli_state));
}

static void brotli_end(void *state)
{
    struct brotli_state *b = state;
    if (b->decoder)
        BrotliDecoderDestroyInstance(b->decoder);
    b->decoder = NULL;
}

static void brotli_close(void *state)
{
    brotli_end(state);
    mem_free(state);
}

static bool brotli_begin(void *state, enum coding coding)
{
    struct brotli_state *b = state;
    (void)coding;
    brotli_end(b);
    b->decoder = BrotliDecoderCreateInstance(brotli_alloc, brotli_free, NULL);
    return b->decoder != NULL;
}

static bool is_memory(BrotliDecoderErrorCode code)
{
    return code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
           code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
}

static enum codec_end end_of(struct brotli_state *b, BrotliDecoderResult result, bool last,
                             size_t bytes)
{
    switch (result) {
    case BROTLI_DECODER_RESULT_SUCCESS:
        return CODEC_OVER;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
        return last && !bytes ? CODEC_CUT : CODEC_MORE;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT:
        return CODEC_MORE;
    default:
        return is_memory(BrotliDecoderGetErrorCode(b->decoder)) ? CODEC_NOMEM : CODEC_BROKEN;
    }
}

static enum codec_end brotli_run(void *state, struct str *in, bool last, char *to, size_t room,
                                 size_t *ret_bytes)
{
    struct brotli_state *b = state;
    size_t left = in->n, space = room;
    const uint8_t *next = (const uint8_t *)(in->p ? in->p : "");
    uint8_t *out = (uint8_t *)to;
    BrotliDecoderResult result =
        BrotliDecoderDecompressStream(b->decoder, &left, &next, &space, &out, NULL);
    *in = str_from(*in, in->n - left);
    *ret_bytes = room - space;
    return end_of(b, result, last, *ret_bytes);
}

const struct codec codec_brotli = {brotli_open, brotli_close, brotli_begin,
                                   brotli_run,  NULL,         brotli_end};
