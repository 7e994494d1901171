/* SPDX-License-Identifier: Apache-2.0 */
/* index_blocks: a sorted CDXJ index in blocks of gzip, with an index of the blocks, so that a
 * reader of a large collection fetches a block instead of all ("ZipNum").
 *
 *     index.cdx.gz    one gzip member for every INDEX_BLOCK_LINES lines
 *     index.idx       !meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}
 *                     com,example)/ 20240506070809 {"offset":0,"length":3107,"digest":"sha256:...",
 *                         "filename":"index.cdx.gz"}      (one line: the first key of the block) */
#ifndef REPORT_INDEX_BLOCKS_H
#define REPORT_INDEX_BLOCKS_H

#include "disk/disk.h"

enum { INDEX_BLOCK_LINES = 3000 };

/* Called with every line of the index, without its LF. */
typedef enum rc index_blocks_line(void *ctx, struct str line);

/* Reads the file `index` and makes the files `blocks` and `heads`, all in `d`. */
MUST_CHECK enum rc index_blocks_make(struct disk *d, const char *index, const char *blocks,
                                     const char *heads, index_blocks_line *each, void *ctx);

#endif
