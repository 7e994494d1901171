/* SPDX-License-Identifier: Apache-2.0 */
/* index_merge: one sorted index of the captures of one crawl, or of several, as those of a
 * cluster's agents. Every line gets the key that this version computes (report/index_key.h).
 *
 * The archives stay where they are: each line's "filename" gets its crawl's prefix in front. */
#ifndef REPORT_INDEX_MERGE_H
#define REPORT_INDEX_MERGE_H

#include "outputs/crawl_dir.h"

struct index_merge_part {
    struct disk *crawl;
    const char *prefix; /* "DIR/archive/", before the name of a file; "": nothing; borrowed */
};

/* Writes the lines of all parts, not sorted, into the new file `path` of `to`; *ret_bytes of them.
 * Of a crawl these are the lines of indexes/parts, or those of indexes/index.cdxj where that is all
 * there is. */
MUST_CHECK enum rc index_gather(const struct index_merge_part *parts, size_t count, struct disk *to,
                                const char *path, uint64_t *ret_bytes);

/* Makes of all lines the sorted file `result` in `to`, each line once, by way of to's scratch
 * folder. Loose: nothing is synced. */
MUST_CHECK enum rc index_merge_into(const struct index_merge_part *parts, size_t count,
                                    struct disk *to, const char *result, uint64_t *ret_lines);

/* Hands out every line without its LF, sorted, each once. What is needed is written into the
 * scratch folder of the first, or elsewhere where that cannot be written. RC_LOCKED as
 * crawl_scratch_open. */
MUST_CHECK enum rc index_merge(const struct index_merge_part *parts, size_t count,
                               crawl_dir_line *each, void *ctx, uint64_t *ret_lines);

#endif
