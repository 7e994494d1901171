/* SPDX-License-Identifier: Apache-2.0 */
/* line_sort: many lines of several files, sorted by bytes (LC_ALL=C) into one, in bounded memory.
 *
 * Runs of about `memory_bytes` are sorted in memory and written beside the result (RESULT.run-N),
 * then merged, LINE_SORT_FAN at a time, until one is left; that one is synced and renamed. A line
 * that is there more than once is written once. The input is left as it is. A crash leaves the old
 * result or the new; runs left behind by one are never read, and go when the next sort of the same
 * result comes to their number. */
#ifndef ARCHIVE_LINE_SORT_H
#define ARCHIVE_LINE_SORT_H

#include "disk/disk.h"

enum {
    LINE_SORT_FAN = 32,
    LINE_SORT_MAX_LINE = 1 << 20,
    LINE_SORT_MAX_RUNS = 1 << 20,
    LINE_SORT_MIN_MEMORY = 4 << 10,
};

/* One input: a file and how many of its bytes count. */
struct line_sort_input {
    const char *path;
    uint64_t bytes;
};

/* RC_INVALID: an input does not end with a line. RC_LIMIT: a line is longer than
 * LINE_SORT_MAX_LINE, or there are too many runs. RC_CORRUPT: an input is shorter than it should
 * be. `memory_bytes` below the least counts as the least; 64 MB is usual. *ret_lines may be NULL.
 */
MUST_CHECK enum rc line_sort(struct disk *d, const struct line_sort_input *inputs, size_t count,
                             const char *result, size_t memory_bytes, uint64_t *ret_lines);

/* The same for a result that is not needed after a crash: nothing is synced. */
MUST_CHECK enum rc line_sort_loose(struct disk *d, const struct line_sort_input *inputs,
                                   size_t count, const char *result, size_t memory_bytes,
                                   uint64_t *ret_lines);

#endif
