/* SPDX-License-Identifier: Apache-2.0 */
/* swap: buckets that are on disk because memory has a budget.
 *
 *    resident ──► leaving ──► swapped ──► loading ──► resident
 *             no host of it   a file      its file is
 *             is checked out  and inbox   being read
 *
 * A swapped bucket is one file: its snapshot (frontier/snapshot.h), and behind it the
 * pieces of its inbox, each with length and hash; and what is still in memory of its inbox:
 *
 *   file    piece piece …
 *   piece   length 4, hash 8, bytes: in the first the snapshot, in the others records
 *           (frontier/inbox.h)
 *
 * Links to it pass a table of recent fingerprints and go to the inbox without a look-up. When it is
 * loaded, the records are done in their order: only then the frontier knows which links were new. A
 * file is only appended to, so a length names a state of it; an owner that keeps a reference
 * (swap_write_reference) with the file synced to that length can have the bucket back.
 *
 * Files are read and written by a carrier, which the frontier gives jobs and which brings each back
 * (frontier_came) on the shard's thread; here nothing waits for a disk. frontier_rotate(), once a
 * turn, chooses. Past the budget the bucket longest in memory is swapped out, one without work
 * first. When no host is ready, or a slice has passed, the bucket with work that was swapped out
 * first is loaded, after room was made. One that alone is more than the budget is loaded all the
 * same. Moments are kept by the wall clock that the caller says (struct snapshot_context): within a
 * process it must run with now_ms, so that no jump changes when a host may be asked. */
#ifndef FRONTIER_SWAP_H
#define FRONTIER_SWAP_H

#include "frontier/redo.h"
#include "frontier/snapshot.h"

enum {
    SWAP_HEAD_BYTES = 12,        /* of a piece */
    SWAP_MAX_BYTES = 1 << 30,    /* of a file, and of an inbox */
    SWAP_INBOX_BYTES = 16 << 10, /* an inbox of this size goes to the file */
    SWAP_REFERENCE_VERSION = 1,
    SWAP_LOOKERS = 2, /* walks at a time */
};

struct swap_file {
    uint64_t generation; /* with the bucket its name; 0 = none */
    uint64_t bytes;
};

/* What is known of a swapped bucket. */
struct swap_summary {
    uint64_t hosts, known, queued;
    uint64_t memory_bytes; /* that it took */
    uint64_t due_ms;       /* when the first of its hosts with a URL may be asked */
};

enum swap_task {
    SWAP_WRITE,  /* a new file */
    SWAP_APPEND, /* to it */
    SWAP_READ,   /* all of it, up to file.bytes */
    SWAP_LOOK,   /* likewise, for a walk: the bucket stays where it is */
};

struct swap_job {
    struct swap_job *next; /* the carrier's */
    enum swap_task what;
    unsigned bucket;
    unsigned looker; /* of SWAP_LOOK: the number of the walk */
    struct swap_file file;
    struct buf bytes; /* written, or read */
    enum rc rc;       /* what became of it */
};
void swap_job_close(struct swap_job *j);

/* Takes jobs; those of one bucket are done in their order. It may be done at once, but comes back
 * by frontier_came() only, and never within frontier_rotate(). */
struct swap_carrier {
    void (*send)(void *ctx, struct swap_job *job);
    void *ctx;
};

/* Gives the frontier a carrier: from now on it swaps. Files get generations above `generation`. */
void frontier_swap_begin(struct frontier *f, struct swap_carrier c, uint64_t generation);
uint64_t frontier_swap_generation(const struct frontier *f);
/* Takes the carrier of another frontier. */
void frontier_swap_copy(struct frontier *f, const struct frontier *from);
/* From now on files get generations above `generation`. */
void frontier_swap_raise(struct frontier *f, uint64_t generation);

/* Makes room and loads, a little at a time. `only_fit`: loads nothing, and what leaves is not
 * chosen by its time. *ret_more: there was something to do, and there may be more. RC_NOMEM. */
MUST_CHECK enum rc frontier_rotate(struct frontier *f, const struct snapshot_context *c,
                                   bool only_fit, bool *ret_more);

/* Whether a bucket had to be loaded that alone is more than the budget. */
bool frontier_is_over(const struct frontier *f);

/* Takes back a job. What was read fills its bucket, unless it was for a look: *ret_loaded is then
 * the file that is not used any more. RC_CORRUPT: it is not what was written. */
MUST_CHECK enum rc frontier_came(struct frontier *f, struct swap_job *job,
                                 const struct snapshot_context *c, struct swap_file *ret_loaded);

/* Whether the bucket of hosts with that host_hash is swapped out. */
bool frontier_is_swapped(const struct frontier *f, uint64_t host_hash);
/* Asks to load it soon. */
void frontier_want(struct frontier *f, uint64_t host_hash);

/* An outcome (frontier/redo.h) of a swapped bucket: done when it is loaded, with what others
 * keep on its host (read_extra of the snapshot's context) if `extra` is not empty. RC_NOMEM,
 * RC_LIMIT. */
MUST_CHECK enum rc frontier_redo_later(struct frontier *f, const struct redo *r, struct str extra,
                                       uint64_t due_wall_ms);

/* The same for the calls of frontier/move.h: move_done, move_unknow, move_host and move_forget.
 * RC_NOMEM, RC_LIMIT. */
MUST_CHECK enum rc frontier_done_later(struct frontier *f, uint64_t host_hash, struct str host,
                                       uint64_t fingerprint);
MUST_CHECK enum rc frontier_unknow_later(struct frontier *f, uint64_t host_hash, struct str host,
                                         uint64_t fingerprint);
MUST_CHECK enum rc frontier_host_later(struct frontier *f, uint64_t host_hash, struct str host,
                                       struct str extra, uint64_t next_wall_ms);
MUST_CHECK enum rc frontier_forget_later(struct frontier *f, uint64_t host_hash, struct str host);

/* A swapped bucket, read aside for a walk over all hosts: it stays where it is, so that a walk
 * needs the memory of one bucket and writes nothing. On RC_OK *ret is a frontier with that bucket
 * alone, as it was when its file had come; the caller's (frontier_close). RC_AGAIN: it is being
 * read, or loaded; ask again. `looker` is the number of the walk: one bucket at a time each, and
 * what is not taken within some seconds is dropped. RC_NOMEM, RC_CORRUPT. */
MUST_CHECK enum rc frontier_look(struct frontier *f, unsigned bucket, unsigned looker,
                                 const struct snapshot_context *c, struct frontier **ret);

/* Whether the carrier has jobs. */
bool frontier_swap_is_busy(const struct frontier *f);
/* Drops a swapped bucket of which the carrier has no job, with all its known URLs. Returns its
 * file; the generation is 0 if it was not swapped out. */
struct swap_file frontier_swap_drop(struct frontier *f, unsigned bucket);

/* The file of a swapped bucket; its generation is 0 if the bucket is not swapped out. */
struct swap_file frontier_swap_file(const struct frontier *f, unsigned bucket);

/* A swapped bucket as a few bytes (snapshot_bucket() says which): file, summary, and what is in
 * memory of its inbox. Failures stick in `out`. Read back, the bucket must be empty here.
 * RC_CORRUPT, RC_VERSION, RC_EXISTS, RC_NOMEM. */
bool swap_is_reference(struct str bytes);
void swap_write_reference(const struct frontier *f, unsigned bucket,
                          const struct snapshot_context *c, struct buf *out);
MUST_CHECK enum rc swap_read_reference(struct frontier *f, struct str bytes,
                                       const struct snapshot_context *c);

/* Empties a bucket that is in memory, nothing of it being out or queued. */
void frontier_forget(struct frontier *f, unsigned bucket);

#endif
