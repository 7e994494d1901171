/* SPDX-License-Identifier: Apache-2.0 */
/* warc_find: an archive file by its last name, which indexes and lists have. While it is being
 * written, and after a crash, it has ".open" behind that name. */
#ifndef ARCHIVE_WARC_FIND_H
#define ARCHIVE_WARC_FIND_H

#include "disk/disk.h"

/* Opens it for reading, under whichever name it has. RC_NOT_FOUND: it has neither, or the name is
 * too long for a file. */
MUST_CHECK enum rc warc_find(struct disk *d, const char *folder, struct str name,
                             struct disk_file **ret);

/* The same for its length; 0 unless RC_OK. */
MUST_CHECK enum rc warc_find_size(struct disk *d, const char *folder, struct str name,
                                  uint64_t *ret);

#endif
