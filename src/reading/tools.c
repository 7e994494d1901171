/* SPDX-License-Identifier: Apache-2.0 */
#include "reading/tools.h"

#include "base/mem.h"
#include "sitemap/sitemap.h"

enum {
    UTF8_GROWTH = 3, /* bytes that a byte of another encoding becomes, at most */
    SCRATCH_MAX_BYTES = 64 << 10,
};

enum rc reading_tools_open(uint64_t text_bytes, struct reading_tools **ret)
{
    struct reading_tools *t = mem_zero(1, sizeof *t);
    if (!t)
        return RC_NOMEM;
    buf_init(&t->body, text_bytes);
    buf_init(&t->utf8, UTF8_GROWTH * text_bytes);
    buf_init(&t->gunzip, SITEMAP_MAX_BYTES);
    buf_init(&t->scratch, SCRATCH_MAX_BYTES);
    enum rc rc = decoder_open(&t->decoder);
    if (rc == RC_OK)
        rc = page_reader_open(&t->reader);
    if (rc)
        reading_tools_close(t);
    else
        *ret = t;
    return rc;
}

void reading_tools_close(struct reading_tools *t)
{
    if (!t)
        return;
    decoder_close(t->decoder);
    page_reader_close(t->reader);
    buf_done(&t->body);
    buf_done(&t->utf8);
    buf_done(&t->gunzip);
    buf_done(&t->scratch);
    mem_free(t);
}

static void shrink(struct buf *b)
{
    size_t max = b->max;
    if (b->cap <= READING_KEPT_BYTES)
        return;
    buf_done(b);
    buf_init(b, max);
}

void reading_tools_shrink(struct reading_tools *t)
{
    shrink(&t->body);
    shrink(&t->utf8);
    shrink(&t->gunzip);
}
