/* SPDX-License-Identifier: Apache-2.0 */
/* journal: what has happened, batch by batch, so that it can happen again after a crash.
 *
 *   FOLDER/0000000000000000      segments, named in hex by the position of their first byte
 *   FOLDER/0000000004000190
 *            [position 8][length 4][hash 8][bytes] [position]…
 *
 * A position counts the bytes of the endless journal from 0; a batch has the position of its head.
 * A batch is all or nothing: its hash covers position, length and bytes, recovery believes batches
 * up to the first that is not whole, and nothing behind it.
 *
 * Three things happen at three times. journal_add puts a batch into memory: any shard's thread, no
 * system call. journal_write gives to the kernel what was added: it then survives kill -9; every
 * shard calls it once a turn. journal_sync makes it durable: it then survives a power cut; a helper
 * thread calls it about once a second. While that one waits for the disk, adding and writing go on,
 * so no shard ever waits for a sync, and kill -9 takes away nothing that was written meanwhile.
 * Integers are little endian. */
#ifndef STORE_JOURNAL_H
#define STORE_JOURNAL_H

#include "disk/disk.h"

enum {
    JOURNAL_HEAD_BYTES = 20,
    JOURNAL_MAX_BATCH_BYTES = 64 << 20,
    JOURNAL_MAX_SEGMENTS = 1 << 20,
};

struct journal_settings {
    uint64_t segment_bytes; /* a new segment begins behind this; 64 MB */
    uint64_t buffer_bytes;  /* added and not yet written: journal_is_full past it; 16 MB */
};

struct journal;

/* Called for each whole batch from `from` on, in order. Anything but RC_OK ends the opening. */
typedef enum rc journal_each(void *ctx, uint64_t position, struct str batch);

/* Opens the journal in `folder` (made if absent), replays it from position `from` (where a batch
 * begins, or its end), cuts off what is not whole, and is ready for more. `from` beyond the end is
 * RC_CORRUPT: what says so is newer than the journal. A journal whose beginning is gone (`from`
 * lies before its first segment) is RC_CORRUPT too. */
MUST_CHECK enum rc journal_open(struct disk *d, const char *folder,
                                const struct journal_settings *s, uint64_t from, journal_each *each,
                                void *ctx, struct journal **ret);

/* What a look into the files found. */
struct journal_found {
    size_t segments;
    uint64_t end;        /* behind the last batch that follows the others without a gap */
    uint64_t torn_bytes; /* that stand behind it in its segment */
    uint64_t torn_end;   /* where the batch there says that it ends; 0: it does not say */
    uint64_t behind;     /* whole batches behind the gap: with any, it is no torn tail */
    uint64_t last;       /* behind the last whole batch of all */
};

/* Reads the journal from `from` on and changes nothing: each batch up to the first that is not
 * whole to `each`, the whole ones behind that to `behind`. Without a folder, or without segments,
 * a journal is empty: RC_CORRUPT if `from` is not 0. Otherwise as journal_open. */
MUST_CHECK enum rc journal_look(struct disk *d, const char *folder, uint64_t from,
                                journal_each *each, journal_each *behind, void *ctx,
                                struct journal_found *ret);

/* Begins an empty journal at a position, in a folder without segments. */
MUST_CHECK enum rc journal_begin(struct disk *d, const char *folder,
                                 const struct journal_settings *s, uint64_t position,
                                 struct journal **ret);

/* Writes and syncs nothing. Accepts NULL. */
void journal_close(struct journal *j);

/* Adds a batch made of pieces and says where it stands. RC_LIMIT: longer than a batch may be.
 * RC_NOMEM. Any thread. */
MUST_CHECK enum rc journal_add(struct journal *j, const struct str *pieces, size_t count,
                               uint64_t *ret_position);

/* More than `buffer_bytes` wait to be written: callers should make fewer batches. */
bool journal_is_full(struct journal *j);

/* Gives to the kernel what was added, unless another thread is doing that (then the next call
 * does). A failure sticks: every later call returns it. Any thread. */
MUST_CHECK enum rc journal_write(struct journal *j);

/* The same in two steps, for callers whose other files must be written in between: sets apart what
 * was added, without a system call, and gives to the kernel what was set apart and no more. */
void journal_take(struct journal *j);
MUST_CHECK enum rc journal_write_taken(struct journal *j);

/* Writes, then makes durable what was added before the call. RC_SYNC is for ever. One thread. */
MUST_CHECK enum rc journal_sync(struct journal *j);

/* The same, but nothing is written: for those whose other files must be written first. */
MUST_CHECK enum rc journal_sync_written(struct journal *j);

/* Behind the last batch added; behind the last that the kernel has; behind the last that is
 * durable. Any thread. */
uint64_t journal_end(struct journal *j);
uint64_t journal_written(struct journal *j);
uint64_t journal_synced(struct journal *j);

/* Removes segments that end at or below `position`. What is replayed next time may begin earlier.
 */
MUST_CHECK enum rc journal_trim(struct journal *j, uint64_t position);

/* Reading while others write: what is durable, from any position that was not trimmed away. Of one
 * thread; it ends before the journal. */
struct journal_reader;
struct journal_reader *journal_reader_open(struct journal *j); /* NULL without memory */
void journal_reader_close(struct journal_reader *r);
/* The batch at `position`, good until the next call, and where the one behind it begins.
 * RC_NOT_FOUND: there is none yet that is durable; RC_CORRUPT: there is none, or it was trimmed;
 * RC_IO, RC_NOMEM. */
MUST_CHECK enum rc journal_reader_at(struct journal_reader *r, uint64_t position, struct str *ret,
                                     uint64_t *ret_next);

/* Bytes of all segments. */
uint64_t journal_bytes(struct journal *j);

#endif
