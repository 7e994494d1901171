/* SPDX-License-Identifier: Apache-2.0 */
/* index_merge: one sorted index of several crawls' captures, as those of a cluster's agents.
 *
 * The archives stay where they are: each line's "filename" gets its crawl's place in front. */
#ifndef REPORT_INDEX_MERGE_H
#define REPORT_INDEX_MERGE_H

#include "report/crawl_dir.h"

struct index_merge_part {
    struct disk *crawl;
    const char *place; /* "DIR/archive/", before the name of a file; borrowed */
};

/* Makes of all lines the sorted file `result` in the directory of the first part, each line once.
 * Loose: nothing is synced. */
MUST_CHECK enum rc index_merge_into(const struct index_merge_part *parts, size_t count,
                                    const char *result, uint64_t *ret_lines);

/* Hands out every line without its LF, sorted, each once. What is needed is written into the
 * scratch folder of the first. RC_LOCKED as crawl_scratch_open. */
MUST_CHECK enum rc index_merge(const struct index_merge_part *parts, size_t count,
                               crawl_dir_line *each, void *ctx, uint64_t *ret_lines);

#endif
