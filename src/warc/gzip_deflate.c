/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/gzip.h"

#include "base/mem.h"

#include <assert.h>
#include <libdeflate.h>

struct gzip_compact {
    struct libdeflate_compressor *compressor;
};

struct gzip_compact *gzip_compact_open(unsigned level)
{
    assert(level >= 1 && level <= GZIP_COMPACT_MAX_LEVEL);
    struct gzip_compact *g = mem_alloc(sizeof *g);
    if (!g)
        return NULL;
    g->compressor = libdeflate_alloc_compressor((int)level);
    if (!g->compressor) {
        mem_free(g);
        return NULL;
    }
    return g;
}

void gzip_compact_close(struct gzip_compact *g)
{
    if (!g)
        return;
    libdeflate_free_compressor(g->compressor);
    mem_free(g);
}

void gzip_compact_whole(struct gzip_compact *g, struct str record, struct buf *out)
{
    size_t bound = libdeflate_gzip_compress_bound(g->compressor, record.n);
    char *to = buf_reserve(out, bound);
    if (to)
        out->n += libdeflate_gzip_compress(g->compressor, record.p, record.n, to, bound);
}
