/* SPDX-License-Identifier: Apache-2.0 */
/* tools: what a shard needs to read answers: a decoder, a page reader and buffers. They are used
 * again for every answer, so a usual page asks the heap for nothing. */
#ifndef READING_TOOLS_H
#define READING_TOOLS_H

#include "base/buf.h"
#include "fetch/decode.h"
#include "html/page.h"

enum { READING_KEPT_BYTES = 4 << 20 }; /* a buffer that is larger goes back to the heap */

struct reading_tools {
    struct decoder *decoder;
    struct page_reader *reader;
    struct buf body;    /* without its codings */
    struct buf utf8;    /* of HTML that was in another encoding */
    struct buf gunzip;  /* of a sitemap */
    struct buf scratch; /* small things */
};

/* `text_bytes`: the most that a body without its codings may have. RC_NOMEM is the only failure. */
MUST_CHECK enum rc reading_tools_open(uint64_t text_bytes, struct reading_tools **ret);
void reading_tools_close(struct reading_tools *t);

/* Frees buffers that a rare answer has made large. Texts of the answer are gone afterwards. */
void reading_tools_shrink(struct reading_tools *t);

#endif
