/* SPDX-License-Identifier: Apache-2.0 */
/* coding: bodies compressed on the spot, and streams stitched from ready pieces.
 *
 *   gzip   header │ stored block │ deflate blocks of a piece │ stored │ … │ empty last block │ CRC
 *   zstd   frame of raw blocks │ frame of a piece │ frame of raw blocks │ …
 *   br     header │ uncompressed meta-block │ those of a piece │ uncompressed │ … │ empty last
 *
 * What stands between the pieces is short and differs from page to page; it is not compressed. */
#ifndef CONTENT_CODING_H
#define CONTENT_CODING_H

#include "content/content.h"
#include "content/sheet.h"

/* Appends `body` (at most 4 GB), whose bytes from each span on are that piece of the pool. A piece
 * that cannot be packed for want of memory is sent as it is. */
void gzip_stitch(struct pool *pool, struct str body, const struct span *spans, uint32_t count,
                 struct buf *out);
void zstd_stitch(struct pool *pool, struct str body, const struct span *spans, uint32_t count,
                 struct buf *out);
void br_stitch(struct pool *pool, struct str body, const struct span *spans, uint32_t count,
               struct buf *out);

#endif
