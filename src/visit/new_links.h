/* SPDX-License-Identifier: Apache-2.0 */
/* new_links: which links of a page or a list the crawl does not know yet, as candidates for a
 * frontier.
 *
 * A link is known for certain, and is left out, in two cases. This shard's frontier has it, by a
 * path as short. Or it was sent to its owner, another shard or agent, since the start, and so is in
 * the journal. A link that its owner left out for want of room is not known: the room may come. */
#ifndef VISIT_NEW_LINKS_H
#define VISIT_NEW_LINKS_H

#include "base/arena.h"
#include "discovery/depth_index.h"
#include "discovery/sent_filter.h"
#include "frontier/frontier.h"
#include "order/lists.h"
#include "scope/bringing.h"

/* What a shard knows; all of it is borrowed. */
struct known_links {
    struct frontier *frontier;
    struct depth_index *depth_index; /* NULL: the crawl has no limit of depth */
    struct sent_filter *sent;
    enum order_kind order;
    struct order_lists *bands; /* of ORDER_TOPIC */
};

struct new_links {
    struct candidate
        *list; /* those of this agent's hosts first, then those of other agents' hosts */
    size_t count;
    size_t foreign;          /* the last ones of the list: journalled, and sent from there */
    struct candidate *again; /* of ORDER_PRIORITY: known URLs to which more pages link, for the
                                other shards of this agent; this shard has counted its own */
    size_t again_count;
    uint64_t known;         /* links that were left out because they are known */
    uint64_t known_foreign; /* of them, of other agents' hosts */
};

/* Finds the new ones, in the arena. `ours` says of each link whether its host is this agent's;
 * NULL: all are. `bringing` may be NULL; what it leaves out is counted in links->left_out.
 * RC_NOMEM. */
MUST_CHECK enum rc new_links_find(const struct known_links *k, struct found_links *links,
                                  const bool *ours, struct bringing *bringing, struct arena *arena,
                                  struct new_links *ret);

/* Of the candidates those of one shard's hosts; how many there are. `ret` has room for all. */
size_t candidates_of_shard(const struct candidate *list, size_t count, unsigned shard,
                           unsigned shards, const struct candidate **ret);

#endif
