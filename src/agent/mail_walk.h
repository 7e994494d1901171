/* SPDX-License-Identifier: Apache-2.0 */
/* mail_walk: lets the agent's thread read the frontiers, each on its own shard, one step at a time.
 *
 * The agent's thread asks (mail_walk_ask) and waits; the step peer-links on the shard does it
 * (mail_walk_step) and answers. There is one walk at a time. It stands in the cluster's own memory,
 * so that a late answer of a shard does no harm. */
#ifndef AGENT_MAIL_WALK_H
#define AGENT_MAIL_WALK_H

#include "discovery/depth_index.h"
#include "frontier/move.h"
#include "ledger/ledger.h"
#include "roles/mail.h"

enum { WALK_MAX_BYTES = 64 << 20, WALK_STEP = 512 };

struct mail_walk {
    /* Set before asking, constant while a question is open: */
    bool wants_mine; /* true: my hosts; false: all others */
    bool (*is_mine)(void *ctx, uint64_t host_hash);
    void *ctx;

    const struct depth_index *depth_index; /* set by the shard; may be NULL */
    /* belongs to the shard while a question is open, otherwise to the asker; so do: */
    struct move_walk at;
    struct buf bytes; /* a batch of records (cluster/wire/records.h) */
    /* of hosts that were told whole, in all steps; each behind a byte with its length */
    struct buf names;
    uint64_t wall_ms;   /* time of the step */
    uint64_t host_hash; /* hash and name of the host that the walk is in */
    size_t host_bytes;
    char host[FRONTIER_MAX_HOST_BYTES];
    bool is_over; /* the shard has no more */
    enum rc rc;

    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t answered;
    bool is_open, is_closed;
};

void mail_walk_init(struct mail_walk *w);
void mail_walk_done(struct mail_walk *w);

/* Returns the result of the step. RC_CLOSED: no answer will come. */
MUST_CHECK enum rc mail_walk_ask(struct mail_walk *w, struct mailbox *to);
void mail_walk_close(struct mail_walk *w); /* a waiting asker gets RC_CLOSED */

/* Runs on the shard's thread. A URL gets the shortest seed path that `d` (may be NULL) knows. */
void mail_walk_step(struct mail_walk *w, struct ledger *l, unsigned shard,
                    const struct depth_index *d, uint64_t wall_ms);

#endif
