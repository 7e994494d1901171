/* SPDX-License-Identifier: Apache-2.0 */
/* journal_reading: the batches of one segment, through a window that slides over its file. */
#ifndef STORE_JOURNAL_READING_H
#define STORE_JOURNAL_READING_H

#include "store/segments.h"

struct journal_reading {
    struct disk_file *file; /* NULL: no segment is open */
    uint64_t start;         /* position of the file's first byte */
    struct buf window;      /* bytes of the file from `window_at` on */
    uint64_t window_at;     /* position */
};

uint64_t journal_batch_hash(uint64_t position, struct str bytes);

/* Opens the segment that begins at `start`; what was open is closed. */
MUST_CHECK enum rc journal_reading_open(struct journal_reading *r, const struct segments *s,
                                        uint64_t start);
void journal_reading_done(struct journal_reading *r);

/* The batch at `position`, which lies in the segment: *ret_whole, and then its bytes, good until
 * the next call. Not whole: it is torn, or not written yet. */
MUST_CHECK enum rc journal_reading_batch(struct journal_reading *r, uint64_t position,
                                         bool *ret_whole, struct str *ret);

#endif
