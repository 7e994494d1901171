/* SPDX-License-Identifier: Apache-2.0 */
/* segments: the files of a journal, by the position of their first byte. */
#ifndef STORE_SEGMENTS_H
#define STORE_SEGMENTS_H

#include "disk/disk.h"

enum { SEGMENT_NAME_BYTES = 16, SEGMENTS_PATH_BYTES = DISK_MAX_PATH_BYTES };

struct segments {
    struct disk *disk; /* borrowed */
    char folder[SEGMENTS_PATH_BYTES - SEGMENT_NAME_BYTES - 2];
    uint64_t *starts; /* ascending */
    size_t count, cap;
};

/* Lists the folder, which is made (durably) if absent; names that are no positions are RC_CORRUPT.
 */
MUST_CHECK enum rc segments_open(struct segments *s, struct disk *d, const char *folder);
/* The same, and changes nothing. RC_NOT_FOUND: there is no such folder. */
MUST_CHECK enum rc segments_list(struct segments *s, struct disk *d, const char *folder);
void segments_done(struct segments *s);

/* Room for SEGMENTS_PATH_BYTES; the path of the segment that begins at `start`. */
const char *segment_path(const struct segments *s, uint64_t start, char *room);

/* A new one; its name is durable only after segments_sync. */
MUST_CHECK enum rc segments_create(struct segments *s, uint64_t start, struct disk_file **ret);
MUST_CHECK enum rc segments_sync(struct segments *s);

/* Removes those from place `from` on, or the first `count`; not yet durably. */
MUST_CHECK enum rc segments_remove_from(struct segments *s, size_t from);
MUST_CHECK enum rc segments_remove_first(struct segments *s, size_t count);

#endif
