/* SPDX-License-Identifier: Apache-2.0 */
/* mail_walk: the agent's thread looks at the frontiers, each on its own shard, one step at a time.
 *
 * The agent's thread asks (mail_walk_ask) and waits; the shard's post takes the step
 * (mail_walk_step) and answers. One walk, of one asker; it stands in the cluster's own memory, so
 * that a shard that answers late harms nobody. */
#ifndef COMPONENTS_MAIL_WALK_H
#define COMPONENTS_MAIL_WALK_H

#include "components/depths.h"
#include "components/mail.h"
#include "crawl/ledger.h"
#include "frontier/move.h"

enum { WALK_MAX_BYTES = 64 << 20, WALK_STEP = 512 };

struct mail_walk {
    /* Set before it is asked, constant while it is open: */
    bool wants_mine; /* hosts that are mine; else those that are not */
    bool (*is_mine)(void *ctx, uint64_t position);
    void *ctx;

    const struct depths *depths; /* the shard's, set by it; or NULL */
    struct move_walk at; /* the shard's while a question is open, the asker's else; so are: */
    struct buf bytes;    /* a batch of records (cluster/records.h) */
    struct buf names;    /* of hosts told whole, each behind a byte with its length; all steps' */
    uint64_t wall_ms;    /* of the step */
    uint64_t position;   /* of the host it is in, and its name */
    size_t host_bytes;
    char host[FRONTIER_MAX_HOST_BYTES];
    bool is_over; /* that was all of the shard */
    enum rc rc;

    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t answered;
    bool is_open, is_closed;
};

void mail_walk_init(struct mail_walk *w);
void mail_walk_done(struct mail_walk *w);

/* RC_CLOSED: nobody will answer any more; or what the step came to. */
MUST_CHECK enum rc mail_walk_ask(struct mail_walk *w, struct mailbox *to);
void mail_walk_close(struct mail_walk *w); /* whoever waits gets RC_CLOSED */

/* On the shard's thread. A URL is told by the shortest way to it that `d` (or NULL) knows. */
void mail_walk_step(struct mail_walk *w, struct ledger *l, unsigned shard, const struct depths *d,
                    uint64_t wall_ms);

#endif
