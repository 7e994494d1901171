/* SPDX-License-Identifier: Apache-2.0 */
/* outlinks: what a page linked to, read back from the metadata record of its capture.
 *
 * A capture's records stand together (capture.h); a caller that knows where its last part begins
 * need not read the answer itself. A capture of another version or without such a record has no
 * links. */
#ifndef ARCHIVE_OUTLINKS_H
#define ARCHIVE_OUTLINKS_H

#include "disk/disk.h"

enum { OUTLINKS_MAX_BYTES = 64 << 20 }; /* of the stretch that is read */

/* `hop` as in struct warc_outlink; the URI is good for the call. False: no more of them. */
typedef bool outlinks_each(void *ctx, struct str uri, char hop);

/* Reads the records in `bytes` bytes at `offset` of FOLDER/`file` (a name without ".open"; it may
 * have that still). RC_NOT_FOUND: no such file, or it is not so long yet; RC_CORRUPT: these are no
 * records; RC_LIMIT, RC_IO, RC_NOMEM. */
MUST_CHECK enum rc outlinks_read(struct disk *d, const char *folder, struct str file,
                                 uint64_t offset, uint64_t bytes, outlinks_each *each, void *ctx);

#endif
