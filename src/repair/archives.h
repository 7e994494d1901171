/* SPDX-License-Identifier: Apache-2.0 */
/* archives: all archive files of a directory, read to the end. */
#ifndef REPAIR_ARCHIVES_H
#define REPAIR_ARCHIVES_H

#include "archive/walk.h"
#include "repair/repair.h"

/* A capture: its first record, and where those that belong to it end. */
struct found_capture {
    const char *file;       /* its last name */
    struct str line;        /* of the index, with its LF */
    uint64_t offset, bytes; /* of the first record */
    uint64_t end;           /* behind the last that belongs to it */
};
typedef enum rc archives_each(void *ctx, const struct found_capture *c);

/* Reads every file, in order of names, and counts; damage is told in `out`, a line each. The torn
 * end of a file that is being written, or was when the crawl was killed, is none. `each` may be
 * NULL. */
MUST_CHECK enum rc archives_read(struct disk *d, archives_each *each, void *ctx,
                                 struct repair_counts *counts, struct buf *out);

/* Gives files that were left open their last names. Bytes behind the last whole record are copied
 * to FOLDER/NAME.OFFSET and cut. */
MUST_CHECK enum rc archives_seal(struct disk *d, const char *folder, struct buf *out);

/* Counts and tells files that are missing or have another length than was recorded. */
MUST_CHECK enum rc archives_compare(struct disk *d, struct repair_counts *counts, struct buf *out);

#endif
