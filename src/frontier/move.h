/* SPDX-License-Identifier: Apache-2.0 */
/* move: hands hosts over to another owner, and takes over hosts from one (cluster/roster/roster.h
 * has the owners).
 *
 *   the former owner                           the new owner
 *   move_step    its host, its URLs       ──►  move_host, frontier_admit
 *   (they are journalled, to be sent)
 *   move_forget  they are not here any more
 *   dones, out of its history             ──►  move_done
 *                                              move_unknow  URLs that were done and are lost
 *
 * All of it may be done any number of times and in any order: a URL is known or not, a done one is
 * never queued again, a moment only grows. move_forget takes the queued URLs out of what is known,
 * so that they can come back; those that are done stay known.
 *
 * A URL that is out is not told and its host not forgotten: it is told as done, or as queued, when
 * it has been checked in.
 *
 * Of swapped buckets (frontier/swap.h) a walk has one at a time read aside, and they stay where
 * they are; what is said of their hosts goes to their inbox, and is done when they are loaded. */
#ifndef FRONTIER_MOVE_H
#define FRONTIER_MOVE_H

#include "frontier/snapshot.h"

struct moving_host { /* all borrowed */
    struct str name;
    uint64_t host_hash;
    uint64_t due_wall_ms; /* not to be asked earlier; 0: whenever */
    struct str extra;     /* as the snapshot's context writes it */
    uint32_t queued;      /* URLs that will be told, if nothing comes between */
    bool is_out;          /* it has to be told again */
};

struct moving_url {
    uint64_t fingerprint;
    struct str path, seed_path;
    uint64_t via;
    uint16_t port;
    bool is_https;
    uint8_t class;
};

/* The receiver of a walk. A host is told first, then its URLs, then that it is over; only then it
 * may be forgotten, which may be done at once. Nothing else may be done to the frontier meanwhile.
 */
struct move_taker {
    bool (*is_mine)(void *ctx, uint64_t host_hash);
    void (*host)(void *ctx, const struct moving_host *h);
    void (*url)(void *ctx, const struct moving_url *u);
    void (*over)(void *ctx, uint64_t host_hash, struct str name, bool is_out);
    void *ctx;
};

/* Where a walk over all hosts stands; zeroed is the beginning. Between two steps anything may
 * happen: what was admitted to a bucket behind it is not told. */
struct move_walk {
    struct buf names; /* of the bucket it is in: those that are not mine */
    size_t at;        /* in it */
    unsigned bucket;
    unsigned class;         /* of the host it is in, */
    uint64_t from_sequence; /* and from where on it is still to be told */
    bool is_inside;
    bool waits;             /* the last step ended before a bucket that is being read */
    unsigned looker;        /* below SWAP_LOOKERS: another for each walk at a time */
    struct frontier *aside; /* a swapped bucket, while the walk is in it */
    unsigned aside_bucket;
};
void move_walk_done(struct move_walk *w);

/* Tells about `most` hosts looked at and URLs, and a bucket's hosts more. *ret_is_over: that was
 * all. It may have told less, or nothing: w->waits says that the next step is better taken a little
 * later. Each host is told once, whether its bucket is swapped, loaded or swapped out meanwhile.
 * RC_NOMEM: as far as it came; the step can be done again. */
MUST_CHECK enum rc move_step(struct frontier *f, struct move_walk *w,
                             const struct snapshot_context *c, const struct move_taker *t,
                             size_t most, bool *ret_is_over);

/* Drops the host and its queue. RC_OK also if it is not here; RC_AGAIN: it is out;
 * RC_NOMEM: it is as it was, but with a store of fingerprints (frontier/seen_store.h) some of its
 * URLs may be unknown, as with what the store fails with. */
MUST_CHECK enum rc move_forget(struct frontier *f, uint64_t host_hash, struct str name);

/* These URLs of one host were done elsewhere: they are known, and wait no longer, but one that is
 * out. The queue is walked once for all, so give many at a time. RC_NOMEM, RC_LIMIT: some may be
 * known by then, which is harmless. */
MUST_CHECK enum rc move_done(struct frontier *f, uint64_t host_hash, struct str name,
                             const uint64_t *fingerprints, size_t count);

/* These URLs of one host are to be asked for again: those that are done are unknown from now on;
 * one that waits or is out stays what it is. The queue is walked once for all. RC_NOMEM: nothing
 * has happened, but with a store of fingerprints some of them may be unknown. */
MUST_CHECK enum rc move_unknow(struct frontier *f, uint64_t host_hash, struct str name,
                               const uint64_t *fingerprints, size_t count);

/* What another owner knew of a host. It is made if it is not here. `is_newer` (NULL: yes) says
 * whether `extra`, written at time_ms, is newer than what the host has; then the snapshot's context
 * reads it; a host of a swapped bucket is not compared. RC_LIMIT: too many hosts; RC_NOMEM; what
 * read_extra says. */
struct move_record {
    uint64_t host_hash;
    struct str name;
    uint64_t next_wall_ms;
    uint64_t time_ms;
    struct str extra;
    bool (*is_newer)(void *ctx, const struct host *h, uint64_t time_ms, struct str extra);
    void *ctx;
};
MUST_CHECK enum rc move_host(struct frontier *f, const struct move_record *r,
                             const struct snapshot_context *c);

/* The fingerprint of a URL by its parts, as url_fingerprint has it of the whole; `room` is cleared
 * first. RC_NOMEM. */
MUST_CHECK enum rc move_fingerprint(struct str host, bool is_https, uint16_t port, struct str path,
                                    struct buf *room, uint64_t *ret);

#endif
