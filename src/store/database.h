/* SPDX-License-Identifier: Apache-2.0 */
/* database: keys and values in a folder of the file system. RocksDB stands behind this header (C
 * API) and nowhere else.
 *
 *     rc = database_open(path, &(struct database_settings){.name = "history"}, &db, why);
 *     database_put(batch, key, value);
 *     rc = database_write(db, batch, position);
 *
 * A database holds only what its owner can rebuild: it has no log of its own. Every write carries a
 * position, a number that its owner gives a meaning, and what a crash leaves is a first part of the
 * writes with the position of the last of them. database_flush() makes all writes before it
 * durable. Any thread may call anything but open and close; a batch and a cursor belong to one
 * thread. */
#ifndef STORE_DATABASE_H
#define STORE_DATABASE_H

#include "base/buf.h"

struct database;

struct database_settings {
    const char *name;  /* of what it holds, for errors: "history" */
    uint64_t bytes;    /* of memory, for writes that are not on disk and blocks that were read */
    bool is_read_only; /* writes are refused, and nothing in the folder changes */
};

/* Opens the database in the folder `path`, which is made if absent (its parent is there).
 * RC_LOCKED, RC_CORRUPT, RC_VERSION, RC_IO, ...; `why` says it in words, with the path. A database
 * that is refused as damaged or as another version's has not been changed. RC_NOT_FOUND: there is
 * none, and it was to be read only. */
MUST_CHECK enum rc database_open(const char *path, const struct database_settings *s,
                                 struct database **ret, struct buf *why);
void database_close(struct database *db);

/* The position of the last write; 0 for a new one. */
uint64_t database_position(const struct database *db);

/* Writes that are collected in memory. */
struct database_batch;
struct database_batch *database_batch_open(void); /* NULL without memory */
void database_batch_close(struct database_batch *b);
void database_batch_clear(struct database_batch *b);
size_t database_batch_bytes(const struct database_batch *b);
void database_put(struct database_batch *b, struct str key, struct str value);
void database_remove(struct database_batch *b, struct str key);
/* All keys from `from` on that stand before `to`. */
void database_remove_range(struct database_batch *b, struct str from, struct str to);

/* Writes the batch as one. RC_UNSUPPORTED: it was opened to be read. RC_DISK_FULL, RC_IO, RC_SYNC,
 * RC_CORRUPT. */
MUST_CHECK enum rc database_write(struct database *db, struct database_batch *b, uint64_t position);

/* A value that was read: good until database_value_done(). */
struct database_value {
    struct str bytes;
    void *handle;
};
/* RC_NOT_FOUND, RC_CORRUPT, RC_IO. */
MUST_CHECK enum rc database_get(struct database *db, struct str key, struct database_value *ret);
void database_value_done(struct database_value *v);

/* Everything that was there when it was opened, in order of the keys; the position's own key, which
 * has 3 bytes, too. It ends before the database does. Key and value are good until the next call.
 * RC_NOT_FOUND: that was all. */
struct database_cursor;
struct database_cursor *database_cursor_open(struct database *db); /* NULL without memory */
void database_cursor_close(struct database_cursor *c);
MUST_CHECK enum rc database_cursor_next(struct database_cursor *c, struct str *ret_key,
                                        struct str *ret_value);

/* All that was written is durable when it returns RC_OK. It waits for the disk. */
MUST_CHECK enum rc database_flush(struct database *db);

/* Bytes of memory and disk it takes, about. */
uint64_t database_bytes(const struct database *db);

#endif
