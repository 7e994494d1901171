/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/gzip.h"

#include "base/mem.h"

#include <assert.h>
#include <isa-l/igzip_lib.h>

enum { CACHE_LINE = 64, OUT_STEP = 16 << 10, MAX_STEP = 1 << 30 };

/* The level buffer holds the tokens of one deflate block: the largest one gives the best codes. */
struct gzip_fast {
    struct isal_zstream stream;
    unsigned level;
    uint8_t level_buf[ISAL_DEF_LVL3_DEFAULT];
};

static uint32_t level_bytes(unsigned level)
{
    static const uint32_t bytes[] = {ISAL_DEF_LVL0_DEFAULT, ISAL_DEF_LVL1_DEFAULT,
                                     ISAL_DEF_LVL2_DEFAULT, ISAL_DEF_LVL3_DEFAULT};
    return bytes[level];
}

struct gzip_fast *gzip_fast_open(unsigned level)
{
    assert(level <= GZIP_FAST_MAX_LEVEL);
    struct gzip_fast *g = mem_aligned(CACHE_LINE, sizeof *g);
    if (!g)
        return NULL;
    g->level = level;
    isal_deflate_init(&g->stream);
    return g;
}

void gzip_fast_close(struct gzip_fast *g)
{
    mem_free(g);
}

void gzip_fast_begin(struct gzip_fast *g)
{
    isal_deflate_reset(&g->stream);
    g->stream.gzip_flag = IGZIP_GZIP;
    g->stream.level = g->level;
    g->stream.level_buf = g->level_buf;
    g->stream.level_buf_size = level_bytes(g->level);
    g->stream.flush = NO_FLUSH;
}

/* Runs until the input is taken and, at the end of a member, everything is out. */
static void run(struct gzip_fast *g, bool last, struct buf *out)
{
    struct isal_zstream *s = &g->stream;
    s->end_of_stream = last;
    do {
        char *to = buf_reserve(out, OUT_STEP);
        if (!to)
            return;
        size_t room = out->cap - out->n;
        s->next_out = (uint8_t *)to;
        s->avail_out = (uint32_t)(room < MAX_STEP ? room : MAX_STEP);
        int result = isal_deflate(s);
        assert(result == COMP_OK);
        out->n += (size_t)((char *)s->next_out - to);
    } while (s->avail_in || s->avail_out == 0 || (last && s->internal_state.state != ZSTATE_END));
}

void gzip_fast_add(struct gzip_fast *g, struct str piece, bool last, struct buf *out)
{
    do {
        struct str step = str_first(piece, MAX_STEP);
        piece = str_from(piece, step.n);
        /* igzip only reads through next_in; its type lacks the const. */
        g->stream.next_in = (uint8_t *)(uintptr_t)step.p;
        g->stream.avail_in = (uint32_t)step.n;
        run(g, last && piece.n == 0, out);
    } while (piece.n);
}
