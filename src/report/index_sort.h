/* SPDX-License-Identifier: Apache-2.0 */
/* index_sort: the index of a crawl, DIR/indexes/index.cdxj, of the lines that were written as it
 * went: DIR/indexes/parts/index.cdxj, and on an archive machine a part for each file that arrived
 * (sink/store.h). */
#ifndef REPORT_INDEX_SORT_H
#define REPORT_INDEX_SORT_H

#include "disk/disk.h"

extern const char index_sorted_path[]; /* indexes/index.cdxj */

/* A crash leaves the old index or the new. RC_UNSUPPORTED: the directory cannot be written. Keys
 * are computed anew (report/index_key.h). */
MUST_CHECK enum rc index_sort(struct disk *crawl, uint64_t *ret_lines);

#endif
