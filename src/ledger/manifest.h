/* SPDX-License-Identifier: Apache-2.0 */
/* manifest: which snapshot of the frontier counts, and where the journal goes on behind it.
 *
 *   "OWMANIFE" version 4, generation 8, position 8, snapshot bytes 8, commit (its batch), hash 8
 *
 * The commit vouches for the files' lengths at a position at or behind the snapshot's, because the
 * journal before the snapshot's may be gone. */
#ifndef LEDGER_MANIFEST_H
#define LEDGER_MANIFEST_H

#include "base/buf.h"

enum { MANIFEST_VERSION = 1, MANIFEST_MAX_BYTES = 16 << 20 };

struct manifest {
    uint64_t generation;     /* of the snapshot, its name in hex; 0 = none was ever made */
    uint64_t position;       /* of the journal: what is to be done again begins there */
    uint64_t snapshot_bytes; /* length of its file */
};

void manifest_write(const struct manifest *m, struct str commit, struct buf *out);

/* The commit borrows `bytes`. RC_CORRUPT; RC_VERSION: whole, and of another version. Every version
 * ends with the hash of all before it. */
MUST_CHECK enum rc manifest_read(struct str bytes, struct manifest *ret, struct str *ret_commit);

#endif
