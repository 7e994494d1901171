/* SPDX-License-Identifier: Apache-2.0 */
/* rest: buckets that are on disk because memory has a budget.
 *
 *    resident ──► leaving ──► resting ──► loading ──► resident
 *             nobody of it    a file      its file is
 *             is lent         and inbox   being read
 *
 * Resting is swap. A bucket that rests is one file: its image (frontier/image.h), and behind it the
 * pieces of its inbox, each with length and hash; and what is still in memory of its inbox:
 *
 *   file    piece piece …
 *   piece   length 4, hash 8, bytes: in the first the image, in the others records
 *           (frontier/inbox.h)
 *
 * Links to it pass a table of recent fingerprints and go to the inbox unseen. When it is loaded,
 * the records are done in their order: only then it is known which links were new. A file is only
 * appended to, so a length names a state of it; who keeps a reference (rest_write_reference) with
 * the file synced to that length can have the bucket back.
 *
 * Files are read and written by a carrier, which the frontier gives jobs and which brings each back
 * (frontier_came) on the shard's thread; here nothing waits for a disk. frontier_rotate(), once a
 * turn, chooses. Past the budget the one longest in memory rests, one without work first. When
 * nobody is ready, or a slice has passed, the one that has rested longest with work is loaded,
 * after room was made. One that alone is more than the budget is loaded all the same. Moments are
 * kept by the wall clock that the caller says (struct image_context): within a process it must run
 * with now_ms, so that no jump changes when a host may be asked. */
#ifndef FRONTIER_REST_H
#define FRONTIER_REST_H

#include "frontier/image.h"
#include "frontier/redo.h"

enum {
    REST_HEAD_BYTES = 12,        /* of a piece */
    REST_MAX_BYTES = 1 << 30,    /* of a file, and of an inbox */
    REST_INBOX_BYTES = 16 << 10, /* an inbox of so many goes to the file */
    REST_REFERENCE_VERSION = 1,
    REST_LOOKERS = 2, /* walks at a time */
};

struct rest_file {
    uint64_t generation; /* with the bucket its name; 0 = none */
    uint64_t bytes;
};

/* What is known of a bucket that rests. */
struct rest_summary {
    uint64_t hosts, known, queued;
    uint64_t memory_bytes; /* that it took */
    uint64_t due_ms;       /* when the first of its hosts with a URL may be asked */
};

enum rest_errand {
    REST_WRITE,  /* a new file */
    REST_APPEND, /* to it */
    REST_READ,   /* all of it, up to file.bytes */
    REST_LOOK,   /* likewise, for a walk: the bucket stays where it is */
};

struct rest_job {
    struct rest_job *next; /* the carrier's */
    enum rest_errand what;
    unsigned bucket;
    unsigned looker; /* of a look: whose it is */
    struct rest_file file;
    struct buf bytes; /* written, or read */
    enum rc rc;       /* what became of it */
};
void rest_job_close(struct rest_job *j);

/* Takes jobs; those of one bucket are done in their order. It may be done at once, but comes back
 * by frontier_came() only, and never within frontier_rotate(). */
struct rest_carrier {
    void (*send)(void *ctx, struct rest_job *job);
    void *ctx;
};

/* From now on there is a disk; files get generations above that. */
void frontier_rest_begin(struct frontier *f, struct rest_carrier c, uint64_t generation);
uint64_t frontier_rest_generation(const struct frontier *f);
/* The same carrier as another's; and: generations above that. */
void frontier_rest_copy(struct frontier *f, const struct frontier *from);
void frontier_rest_raise(struct frontier *f, uint64_t generation);

/* Makes room and loads, a little at a time. `only_fit`: loads nothing, and what leaves is not
 * chosen by its time. *ret_more: there was something to do, and there may be more. RC_NOMEM. */
MUST_CHECK enum rc frontier_rotate(struct frontier *f, const struct image_context *c, bool only_fit,
                                   bool *ret_more);

/* Whether a bucket had to be loaded that alone is more than the budget. */
bool frontier_is_over(const struct frontier *f);

/* Takes back a job. What was read fills its bucket, unless it was for a look: *ret_loaded is then
 * the file that is not used any more. RC_CORRUPT: it is not what was written. */
MUST_CHECK enum rc frontier_came(struct frontier *f, struct rest_job *job,
                                 const struct image_context *c, struct rest_file *ret_loaded);

/* Whether hosts at that position rest; and: load it soon, for somebody asks. */
bool frontier_rests(const struct frontier *f, uint64_t position);
void frontier_want(struct frontier *f, uint64_t position);

/* An outcome (frontier/redo.h) of a bucket that rests: done when it is loaded, with what others
 * keep on its host (read_extra of the image's context) if `extra` is not empty. RC_NOMEM,
 * RC_LIMIT. */
MUST_CHECK enum rc frontier_redo_later(struct frontier *f, const struct redo *r, struct str extra,
                                       uint64_t due_wall_ms);

/* The same for what other owners say of its hosts (frontier/move.h says what): one of their URLs
 * is done, or is to be asked for again; what was known of it; it was handed over. RC_NOMEM,
 * RC_LIMIT. */
MUST_CHECK enum rc frontier_done_later(struct frontier *f, uint64_t position, struct str host,
                                       uint64_t fingerprint);
MUST_CHECK enum rc frontier_unknow_later(struct frontier *f, uint64_t position, struct str host,
                                         uint64_t fingerprint);
MUST_CHECK enum rc frontier_host_later(struct frontier *f, uint64_t position, struct str host,
                                       struct str extra, uint64_t next_wall_ms);
MUST_CHECK enum rc frontier_forget_later(struct frontier *f, uint64_t position, struct str host);

/* A bucket that rests, read aside for a walk over all hosts: it stays where it is, so that a walk
 * needs the memory of one bucket and writes nothing. On RC_OK *ret is a frontier with that bucket
 * alone, as it was when its file had come; the caller's (frontier_close). RC_AGAIN: it is being
 * read, or loaded; ask again. `looker` says who asks: one bucket at a time each, and what is not
 * taken within some seconds is dropped. RC_NOMEM, RC_CORRUPT. */
MUST_CHECK enum rc frontier_look(struct frontier *f, unsigned bucket, unsigned looker,
                                 const struct image_context *c, struct frontier **ret);

/* Whether something is with the carrier; and: a bucket that rests, nothing of which is, is gone
 * with all that is known of it. The file that it rested in; its generation is 0 if it did not. */
bool frontier_rest_is_busy(const struct frontier *f);
struct rest_file frontier_rest_drop(struct frontier *f, unsigned bucket);

/* The file of a bucket that rests; its generation is 0 if it does not. */
struct rest_file frontier_rest_file(const struct frontier *f, unsigned bucket);

/* A bucket that rests in some bytes (image_bucket() says which): file, summary, and what is in
 * memory of its inbox. Failures stick in `out`. Read back, the bucket must be empty here.
 * RC_CORRUPT, RC_VERSION, RC_EXISTS, RC_NOMEM. */
bool rest_is_reference(struct str bytes);
void rest_write_reference(const struct frontier *f, unsigned bucket, const struct image_context *c,
                          struct buf *out);
MUST_CHECK enum rc rest_read_reference(struct frontier *f, struct str bytes,
                                       const struct image_context *c);

/* Empties a bucket that is in memory, nothing of it being out or queued. */
void frontier_forget(struct frontier *f, unsigned bucket);

#endif
