/* SPDX-License-Identifier: Apache-2.0 */
/* warc_find: an archive file by its last name, which indexes and lists have. While a file is being
 * written, and after a crash, it has ".open" behind that name. */
#ifndef ARCHIVE_WARC_FIND_H
#define ARCHIVE_WARC_FIND_H

#include "disk/disk.h"

/* Opens the file for reading, by its last name or, without such a file, by the name with ".open".
 * RC_NOT_FOUND: neither is there, or the name is too long for a file. */
MUST_CHECK enum rc warc_find(struct disk *d, const char *folder, struct str name,
                             struct disk_file **ret);

/* What the folder has of an archive file. */
struct warc_size {
    uint64_t bytes;  /* 0 if it is not there */
    bool is_missing; /* the folder has no such file; false also where the name cannot be a file's */
};

/* Measures the file that warc_find() would open. A missing file and a name that no file can have
 * are results, not failures. */
MUST_CHECK enum rc warc_measure(struct disk *d, const char *folder, struct str name,
                                struct warc_size *ret);

/* Whether the folder has a file with ".open" behind that name. */
bool warc_has_open(struct disk *d, const char *folder, struct str name);

#endif
