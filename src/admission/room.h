/* SPDX-License-Identifier: Apache-2.0 */
/* room: may one more URL wait in the queue of its host?
 *
 *     swapped to disk ── yes, with the page's host: the ledger asks when it loads the host
 *     known ──────────── yes: it is not queued again, and so costs no budget
 *     host is new ────── budget_new_host: hosts of its domain, new hosts of this page
 *     host is here ───── the host's queue, with the links of this page that come before it
 *     then ───────────── budget_query: queries of one path
 *
 * Only the shard that owns the host can tell what is new, so it asks here, after the links were
 * journalled. A link whose host has no room may have it later: more domains may link to its domain,
 * and the queue gets shorter. So the shards forget that they have sent it, and the agent that
 * another one has, and send or take it again when they see it again. */
#ifndef ADMISSION_ROOM_H
#define ADMISSION_ROOM_H

#include "discovery/sent_filter.h"
#include "frontier/frontier.h"
#include "scope/budget.h"

#include "base/buf.h"

/* What the decision needs, all borrowed. The shard's thread alone uses it. */
struct room {
    const struct frontier *frontier;
    struct budget *budget;
    struct sent_filter *const *sent; /* one a shard; NULL in it: that shard has none */
    unsigned shards;
    struct sent_filter *told; /* what other agents have sent; NULL: there are none */
};

struct room_chosen {
    size_t kept; /* the first ones of the list, which have room */
    size_t full; /* of the others: the queue of their host is full */
};

/* Moves the links with room to the front, in their order; a link to a swapped host gets `from`, the
 * host of the page that they stand on. The fingerprints of the others are appended to `left_out`
 * (fingerprints.h). */
struct room_chosen room_choose(const struct room *r, struct candidate *list, size_t count,
                               struct str from, struct buf *left_out);

#endif
