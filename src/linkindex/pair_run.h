/* SPDX-License-Identifier: Apache-2.0 */
/* pair_run: a file of sorted pairs, written once and never changed.
 *
 *     head    "OWPAIRS\1", kind 4, zero 4, from 8, to 8, hash 8 of these
 *     blocks  hash 8 of the rest; then groups, each of one key:
 *               key        varint: the difference to the group before in this block (the first: to 0)
 *               count      varint: pairs * 2, +1 if every pair has the letter L alone
 *               letters    a varint a pair, if that 1 is not there
 *               values     8 each, rising
 *     table   a row a block: its first key 8, where it ends in the file 8
 *     foot    where the table begins 8, blocks 8, pairs 8, hash 8 of head and table, hash 8 of these
 *
 * `from` and `to` say of which bytes of the text (links.arcs, links.nodes) these are the pairs. The
 * integers are little endian. A key's pairs may go on in the next group, and in the next block.
 * Values are not packed: they are fingerprints of pages, which have nothing in common. */
#ifndef LINKINDEX_PAIR_RUN_H
#define LINKINDEX_PAIR_RUN_H

#include "base/buf.h"
#include "disk/disk.h"
#include "linkindex/pairs.h"

enum {
    RUN_BLOCK_BYTES = 32 << 10, /* at which a block ends */
    RUN_BLOCK_MAX = 64 << 10,   /* no block is longer */
    RUN_GROUP_MAX = 1024,       /* pairs of a group */
};

/* Writing ------------------------------------------------------------------------------------- */

struct run_writer {
    struct disk_file *file;
    struct buf block, table;
    uint64_t at;               /* of the file: bytes written */
    uint64_t head_hash, pairs; /* pairs: written, without the group at hand */
    uint64_t last_key;         /* of the block, for the difference */
    struct pair *group;        /* RUN_GROUP_MAX pairs of one key */
    size_t group_count;
    bool all_plain;
};

/* `path` is made. A writer is done with also after a failure. RC_EXISTS, and the disk's. */
MUST_CHECK enum rc run_writer_open(struct run_writer *w, struct disk *d, const char *path,
                                   enum pair_kind kind, uint64_t from, uint64_t to);
/* In order; a pair that is added twice in a row is there once, with the letters of both. */
MUST_CHECK enum rc run_writer_add(struct run_writer *w, struct pair p);
/* Writes the rest, durably but for the name. */
MUST_CHECK enum rc run_writer_end(struct run_writer *w, uint64_t *ret_bytes);
void run_writer_done(struct run_writer *w);

/* Reading ------------------------------------------------------------------------------------- */

struct run {
    struct disk_file *file;
    enum pair_kind kind;
    uint64_t from, to, bytes, pairs, blocks;
    struct buf table;
};

/* Reads head, table and foot. RC_CORRUPT: they are not what run_writer writes; RC_VERSION;
 * RC_NOT_FOUND. On failure nothing is open. */
MUST_CHECK enum rc run_open(struct run *r, struct disk *d, const char *path);
void run_close(struct run *r);

/* A place between two pairs. It reads a block at a time. */
struct run_cursor {
    const struct run *run;
    struct buf room;
    uint64_t next_block;
    struct str rest;     /* of the block: groups that follow */
    bool is_behind;      /* behind the last pair */
    uint64_t key;        /* of the group at hand, */
    size_t left;         /* and how many of its pairs are left */
    const char *values;  /* the next one */
    const char *letters; /* likewise; NULL: all are plain */
    uint64_t value;      /* the next one */
};

/* Stands before the first pair with that key or a greater one. RC_CORRUPT. A cursor is done with
 * also after a failure. */
MUST_CHECK enum rc run_seek(struct run_cursor *c, const struct run *r, uint64_t key);
void run_cursor_done(struct run_cursor *c);
/* Takes the pair before which it stands (not is_behind). */
MUST_CHECK enum rc run_next(struct run_cursor *c, struct pair *ret);

/* Reads all of it: RC_CORRUPT if any byte is not as it was written. */
MUST_CHECK enum rc run_check(const struct run *r);

#endif
