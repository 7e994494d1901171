/* SPDX-License-Identifier: Apache-2.0 */
/* sent: DIR/state/sent, the archive files that an archive machine has acknowledged: they last
 * there, so they may be removed here. A line a file: NAME, blank, length in bytes, blank, "sent".
 *
 * A file's line is durable before the file is removed. So recovery (recover.h), which may still
 * find the name in the journal, can tell a file that was removed from one that is lost. */
#ifndef ARCHIVE_SENT_H
#define ARCHIVE_SENT_H

#include "disk/disk.h"

enum { SENT_MAX_FILES = 1 << 20 };

struct sent;

/* `writes`: lines that a crash has torn are removed, and sent_add may be called; one process at a
 * time. `d` is the crawl's directory, borrowed. RC_LIMIT past SENT_MAX_FILES. */
MUST_CHECK enum rc sent_open(struct disk *d, bool writes, struct sent **ret);
void sent_close(struct sent *s); /* accepts NULL */

/* Whether a file of that name was acknowledged; *ret_bytes (may be NULL) is its length. */
bool sent_has(const struct sent *s, struct str name, uint64_t *ret_bytes);

/* On RC_OK it is durable. RC_EXISTS, RC_LIMIT, RC_INVALID (a name with a blank); and the disk's. */
MUST_CHECK enum rc sent_add(struct sent *s, struct str name, uint64_t bytes);

uint64_t sent_files(const struct sent *s);
uint64_t sent_bytes(const struct sent *s); /* of all of them */

#endif
