/* SPDX-License-Identifier: Apache-2.0 */
/* walk: every whole record of an archive file, also those behind damage.
 *
 * Records are gzip members of their own, so a damaged one does not take the others with it: the
 * walk looks for the next member that holds a whole record and goes on there. A record that ends
 * before its member does is told as damage: no checksum vouches for it yet, and no line of an index
 * can name it. */
#ifndef ARCHIVE_WALK_H
#define ARCHIVE_WALK_H

#include "disk/disk.h"
#include "warc/record.h"

enum { WALK_HEAD_BYTES = 256 << 10 }; /* of a block, at most */

struct walk_record {
    const struct warc_record *record;
    struct str head;        /* the first bytes of its block */
    uint64_t offset, bytes; /* in the file */
};

struct walk_taker {
    /* Each may be NULL. Anything but RC_OK ends the walk. */
    enum rc (*record)(void *ctx, const struct walk_record *r);
    enum rc (*damage)(void *ctx, uint64_t from, uint64_t to, const char *why);
    void *ctx;
};

struct walk_end {
    uint64_t bytes;     /* of the file */
    uint64_t whole_end; /* behind its last whole record */
    uint64_t records, damaged;
};

/* RC_NOT_FOUND, RC_IO, RC_NOMEM, and what `t` returns. Reads the whole file, inflated, and checks
 * each member's checksum. */
MUST_CHECK enum rc archive_walk(struct disk *d, const char *path, const struct walk_taker *t,
                                struct walk_end *ret);

#endif
