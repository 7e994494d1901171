/* SPDX-License-Identifier: Apache-2.0 */
/* seen_db: fingerprints of known URLs in a database (store/database.h), so that they take no
 * memory.
 *
 *   key     era 4, fingerprint 8, both big endian
 *   value   nothing
 *
 * Fingerprints of one era are invisible to the others: a crawl that begins anew takes the next era
 * at once, and the old one is removed later. The owner is the ledger (ledger/ledger_seen.c), which
 * says when a fingerprint may be written; the position of a write is the generation of the snapshot
 * that lists the same fingerprints. Any thread may ask. */
#ifndef STORE_SEEN_DB_H
#define STORE_SEEN_DB_H

#include "base/buf.h"

struct seen_db;

/* As database_open(). `bytes` of memory. */
MUST_CHECK enum rc seen_db_open(const char *path, uint64_t bytes, struct seen_db **ret,
                                struct buf *why);
/* The generation of the last write of the set in that folder; it changes nothing. RC_NOT_FOUND:
 * there is none; RC_CORRUPT, RC_VERSION, RC_IO, RC_NOMEM. */
MUST_CHECK enum rc seen_db_look(const char *path, uint64_t *ret_generation, struct buf *why);
void seen_db_close(struct seen_db *db);

/* Whether a fingerprint is in an era. RC_IO, RC_CORRUPT: that cannot be told. */
MUST_CHECK enum rc seen_db_has(struct seen_db *db, uint32_t era, uint64_t fingerprint, bool *ret);

/* Collects writes for seen_db_write(). Of one thread. */
void seen_db_add(struct seen_db *db, uint32_t era, uint64_t fingerprint);
void seen_db_remove(struct seen_db *db, uint32_t era, uint64_t fingerprint);
void seen_db_remove_before(struct seen_db *db, uint32_t era); /* all eras below that */
/* Writes what was collected; it can be repeated. A large collection is written in parts: the first
 * of them carry the generation before. It lasts with seen_db_flush(), which waits for the disk. */
MUST_CHECK enum rc seen_db_write(struct seen_db *db, uint64_t generation);
MUST_CHECK enum rc seen_db_flush(struct seen_db *db);

uint64_t seen_db_bytes(const struct seen_db *db); /* of memory and disk, about */

#endif
