/* SPDX-License-Identifier: Apache-2.0 */
/* fresh_links: the links of a visit or a list that are new, and which shard gets which.
 *
 *     fresh_links_of_visit(&finder, v, &fresh)     find them: which are new, which are ours
 *     (the ledger journals all of fresh.new)
 *     fresh_links_for_shard(&fresh, ...)           hand them out: one message a shard
 *
 * Links to hosts of other agents are journalled and not handed out: the journal is their outbox. */
#ifndef OUTCOME_FRESH_LINKS_H
#define OUTCOME_FRESH_LINKS_H

#include "roles/budget.h"
#include "roles/cluster.h"
#include "roles/counters.h"
#include "visit/links.h"
#include "visit/new_links.h"
#include "visit/url_list.h"
#include "visit/visit.h"

/* What a shard asks about a link, and where it counts the answers. All of it is borrowed. */
struct link_finder {
    struct known_links known;
    struct cluster_service *cluster; /* which are ours; counts those of others */
    struct budget *budget;           /* how much a host may bring */
    struct crawl_counts *counts;
};

struct fresh_links {
    struct new_links new; /* in the arena */
    uint64_t generation;  /* the cluster's, when it was asked whose they are */
    struct arena *arena;  /* borrowed: of the visit or the list; NULL: there are no links */
    struct str from;      /* the host of the page, borrowed; "" for a list */
    unsigned epoch;       /* the ledger's, once they are journalled */
    uint64_t batch;       /* likewise: where they are journalled */
};

/* Finds what is new among v->judged.links or l->links. What the visit's host may not bring is
 * counted in their left_out; a list may bring everything. RC_NOMEM. */
MUST_CHECK enum rc fresh_links_of_visit(const struct link_finder *f, struct visit *v,
                                        struct fresh_links *ret);
MUST_CHECK enum rc fresh_links_of_list(const struct link_finder *f, struct url_list *l,
                                       struct fresh_links *ret);

/* The message for shard `to` of `shards`, the caller's, with head.route set. NULL: that shard gets
 * none, having no new link, and no known one to count. Shard `own`, which journalled them, gets a
 * message in any case, for a host was returned there. RC_NOMEM. */
MUST_CHECK enum rc fresh_links_for_shard(const struct fresh_links *fresh, unsigned to, unsigned own,
                                         unsigned shards, struct links **ret_links);

#endif
