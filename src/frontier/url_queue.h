/* SPDX-License-Identifier: Apache-2.0 */
/* url_queue: the URLs that wait for one host in one class, first come first served.
 *
 *   chunk            chunk (last)
 *   [....read|entry entry]->[entry|free ...]
 *
 * An entry is bytes: how much its sequence is above the one before (varint), the page it was found
 * on (8), its origin and the length of its seed_path (a byte each), the length of its path
 * (varint), the seed_path, the path. Chunks grow from 128 bytes to 4 KB, so that a host with one
 * URL stays small and one with many wastes little. The head stays where it is until it is popped.
 * An entry taken out of the middle (recovery does that) stays as bytes marked URL_GONE, passed
 * over. A zeroed queue is empty. */
#ifndef FRONTIER_URL_QUEUE_H
#define FRONTIER_URL_QUEUE_H

#include "base/str.h"

enum { URL_GONE = 255 }; /* in place of an origin, of which there are fewer */

struct url_chunk;

struct url_queue {
    struct url_chunk *first, *last;
    uint64_t before_head; /* the sequence that the head's is counted from */
    uint64_t last_sequence;
    uint64_t bytes; /* memory of its chunks */
    uint32_t count;
};

struct url_entry {
    uint64_t sequence;
    uint64_t via;
    struct str path;
    struct str seed_path; /* at most FRONTIER_MAX_SEED_PATH letters */
    uint8_t origin;
};

/* *bytes is kept as the memory that all queues of its owner take. */
void url_queue_done(struct url_queue *q, uint64_t *bytes);

/* Its sequence is above that of all in the queue. RC_NOMEM leaves the queue as it was. */
MUST_CHECK enum rc url_queue_push(struct url_queue *q, const struct url_entry *e, uint64_t *bytes);

/* The head, its strings borrowed until it is popped; false if the queue is empty. */
bool url_queue_head(const struct url_queue *q, struct url_entry *ret);
void url_queue_pop(struct url_queue *q, uint64_t *bytes);

/* Each entry from the head on. For snapshots and recovery. */
struct url_walk {
    struct url_chunk *chunk;
    uint32_t at;
    uint32_t origin_at; /* of the entry that came last, in `chunk` */
    uint64_t before;
};
struct url_walk url_queue_walk(const struct url_queue *q);
bool url_walk_next(struct url_walk *w, struct url_entry *ret);

/* Takes out the entry that the walk came to last; the walk ends with it. */
void url_queue_take_out(struct url_queue *q, const struct url_walk *w, uint64_t *bytes);

#endif
