/* SPDX-License-Identifier: Apache-2.0 */
/* lost_files: whether the archive of a directory still has the bytes that its index names. */
#ifndef OUTPUTS_LOST_FILES_H
#define OUTPUTS_LOST_FILES_H

#include "archive/sealed.h"
#include "outputs/crawl_dir.h"

enum { LOST_FILES_NAME_BYTES = 256 };

/* Remembers the last file: neighbours in an index are mostly of one file. */
struct lost_files {
    struct disk *disk;
    struct sent *sent;
    struct sealed *sealed;
    bool is_strict; /* files that state/sealed does not have must be there, too */
    char name[LOST_FILES_NAME_BYTES];
    uint64_t bytes; /* of that file; UINT64_MAX: an archive machine has it, or nothing is known */
};

MUST_CHECK enum rc lost_files_open(struct lost_files *f, struct disk *crawl);
void lost_files_done(struct lost_files *f);

/* Whether the file (a name without ".open") has its bytes up to `end`. A file that state/sealed
 * does not list, as in a copy of the index alone, counts as there, unless `is_strict`. */
MUST_CHECK enum rc lost_files_have(struct lost_files *f, struct str file, uint64_t end, bool *ret);

/* Whether any archive file of the directory is missing or has another length than was recorded. */
MUST_CHECK enum rc lost_files_any(struct disk *crawl, bool *ret);

#endif
