/* SPDX-License-Identifier: Apache-2.0 */
/* index_lines: which lines of a crawl's index (DIR/indexes/parts/index.cdxj) are about which
 * archive file. The index is read once, as it grows. For each file only the stretch is kept that
 * has its lines, among lines of files that other shards wrote at the same time. */
#ifndef SINK_INDEX_LINES_H
#define SINK_INDEX_LINES_H

#include "disk/disk.h"

struct index_lines;

/* `d` is the crawl's directory, borrowed. NULL without memory. */
struct index_lines *index_lines_open(struct disk *d);
void index_lines_close(struct index_lines *x); /* accepts NULL */

/* Reads on, up to the last whole line, then writes the lines of that file to `to` and replaces what
 * was there. For a file without lines `to` is empty. */
MUST_CHECK enum rc index_lines_pick(struct index_lines *x, struct str file, const char *to);

#endif
