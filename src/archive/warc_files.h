/* SPDX-License-Identifier: Apache-2.0 */
/* warc_files: the WARC files of one shard, one behind the other.
 *
 *   FOLDER/PREFIX-20240506070809123-00004-HOST.warc.gz        full, renamed, never touched again
 *   FOLDER/PREFIX-20240506081011456-00005-HOST.warc.gz.open   being written, or full and not sealed
 *
 * A position counts the bytes of all files of this object from 0, in the order they were appended;
 * a file is a stretch of positions. A new file begins with a warcinfo record when the one before
 * has reached `roll_bytes`, always between two captures: what one capture appends stands together.
 *
 * Four things happen at four times. Between begin and end the owner appends to memory: no system
 * call. warc_files_write gives to the kernel what was appended: it then survives kill -9; the owner
 * calls it once a turn. warc_files_sync makes it durable; a helper thread calls it about once a
 * second, before it syncs the journal. warc_files_seal takes ".open" off files that are full once
 * the outcomes of everything in them are durable too. While the helper waits for the disk, the
 * owner goes on appending and writing: a sync is about what was written before it began.
 *
 * What recovery (recover.h) rests on:
 *  1. A name without ".open" is a file that is whole, synced, and vouched for by the journal.
 *  2. A name is never used twice: serials go on behind the largest in the folder.
 *  3. A file that was left open is cut and sealed at resume, never appended to. */
#ifndef ARCHIVE_WARC_FILES_H
#define ARCHIVE_WARC_FILES_H

#include "disk/disk.h"
#include "warc/records.h"

enum {
    WARC_FILES_MAX_PREFIX = 32,
    WARC_FILES_MAX_HOST = 64,
    WARC_FILES_NAME_BYTES = 160, /* a name with its NUL, ".open" not counted */
    WARC_FILES_MAX_UNSYNCED = 16,
    WARC_FILES_MAX_SERIAL = 999999999,
};

/* All strings must live as long as the files. */
struct warc_files_settings {
    const char *folder;    /* made if absent (its parent must be there) */
    struct str prefix;     /* letters, digits, '.', '_' only, 1 to WARC_FILES_MAX_PREFIX */
    struct str host;       /* the same and '-', 1 to WARC_FILES_MAX_HOST */
    uint32_t serial_first; /* this shard's number, below serial_step */
    uint32_t serial_step;  /* how many shards there are, so that no two take the same serial */
    uint64_t roll_bytes;   /* 10^9 */
    uint64_t buffer_bytes; /* appended and not written: warc_files_is_full past it; 16 MB */
    uint64_t id_seed;      /* a random number of the process and shard: record names follow it */
    struct warc_writer_options coding;
    struct warc_warcinfo info; /* id, date and filename are filled in */
};

struct warc_files;

/* RC_INVALID for settings against the rules. Makes no file before something is appended. */
MUST_CHECK enum rc warc_files_open(struct disk *d, const struct warc_files_settings *s,
                                   struct warc_files **ret);

/* Writes, syncs and seals nothing. Accepts NULL. */
void warc_files_close(struct warc_files *w);

/* Where a capture is being appended. */
struct warc_spot {
    struct buf *out;            /* append whole records here */
    struct warc_writer *writer; /* with this */
    const struct warc_id *info; /* the warcinfo record of the file */
    const char *file;           /* its name, without ".open"; borrowed until the end */
    uint64_t offset;            /* in the file, of what comes next */
    uint64_t position;          /* of what comes next */
    size_t out_before;          /* private */
};

/* The owner appends a capture: begin, any number of records, end. With `keep` false, or if `out`
 * has failed (returned), the capture is taken back as if it had not been begun. begin gives
 * RC_NOMEM, or RC_LIMIT when serials have run out; then there is no end. Between the two the
 * helper's sync waits, so nothing else belongs there. */
MUST_CHECK enum rc warc_files_begin(struct warc_files *w, int64_t now_ms, struct warc_spot *ret);
MUST_CHECK enum rc warc_files_end(struct warc_files *w, struct warc_spot *spot, bool keep);

/* A name for a record; the owner's. */
struct warc_id warc_files_new_id(struct warc_files *w);

/* Ends the file being written, if there is one; the next capture begins another. For the end of a
 * crawl: roll, sync, (journal,) seal. The owner's. */
void warc_files_roll(struct warc_files *w);

/* More than `buffer_bytes` wait to be written. Any thread. */
bool warc_files_is_full(struct warc_files *w);

/* Gives to the kernel what was appended. A failure sticks: write, sync and seal return it for ever
 * after. Any thread. Waits for the disk only if WARC_FILES_MAX_UNSYNCED files were filled since the
 * last sync; if one is under way then, RC_AGAIN: nothing was written, and what follows in other
 * files must wait too. */
MUST_CHECK enum rc warc_files_write(struct warc_files *w);

/* Writes, then makes durable, bytes and names, what was appended before the call. RC_SYNC is for
 * ever. One thread. */
MUST_CHECK enum rc warc_files_sync(struct warc_files *w);

/* The outcomes of every capture that ends at or below `position` are durable: full files that end
 * there and are synced get their last name, durably. One thread, that of sync. */
MUST_CHECK enum rc warc_files_seal(struct warc_files *w, uint64_t position);

/* Each file that warc_files_seal would give its last name now, with its length. */
typedef enum rc warc_files_each(void *ctx, const char *file, uint64_t bytes);
MUST_CHECK enum rc warc_files_full(struct warc_files *w, uint64_t position, warc_files_each *each,
                                   void *ctx);

/* Behind the last capture appended; behind the last that is durable. Any thread. */
uint64_t warc_files_position(struct warc_files *w);
uint64_t warc_files_synced(struct warc_files *w);

/* For a commit record: each file that is not sealed, with its length as far as `position`, which a
 * sync has passed. `each` must not call back. Any thread. */
MUST_CHECK enum rc warc_files_list(struct warc_files *w, uint64_t position, warc_files_each *each,
                                   void *ctx);

#endif
