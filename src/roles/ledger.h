/* SPDX-License-Identifier: Apache-2.0 */
/* The role `ledger`: what the crawl knows and has done, durably (ledger/ledger.h), and what belongs
 * to one run of it: its counters, its clock, and the tables that its shards share. One for all
 * shards. */
#ifndef ROLES_LEDGER_H
#define ROLES_LEDGER_H

#include "discovery/depth_index.h"
#include "discovery/page_names.h"
#include "discovery/sent_filter.h"
#include "ledger/ledger.h"
#include "roles/call_queue.h"
#include "roles/counters.h"
#include "roles/run_clock.h"

#define LEDGER_INTERFACE "ledger"

struct sink_outbox;

struct ledger_service {
    struct ledger *ledger;
    struct sink_outbox *outbox; /* the sink's, set before the flow starts; NULL: archives stay */
    struct sent_filter *sent[CRAWL_MAX_SHARDS]; /* one a shard; set before the flow starts */
    struct sent_filter *told; /* what other agents have sent; the cluster's. NULL: there are none */
    struct ledger_report opened;
    struct run_clock run;
    struct page_names *names;
    struct depth_index *const
        *depth_index;      /* one a shard; NULL: the crawl has no limit that needs them */
    enum order_kind order; /* in which URLs are asked for */
    bool compares;         /* pages are compared with what was captured before, or kept to be */
    struct crawl_counts counts;
    /* URLs to which an earlier run found a shorter path too late (depth_recall.h), for requeue. */
    struct buf found_again;
    struct buf joined;  /* where seeds redirected to in earlier runs, a line each (a cluster's) */
    struct calls calls; /* from other threads to schedule of each shard, and to seeds */
    /* Whether earlier runs have brought that seed. */
    bool (*knows_seed)(const struct ledger_service *s, uint64_t fingerprint);
};

/* The URL of a page by its fingerprint, in the arena: of a page that was recorded lately, or from
 * the history; absent if it is not known, or 0. */
struct str ledger_service_url(struct ledger_service *s, uint64_t fingerprint, struct arena *arena);

/* Updates the counters of what waits on the shard; called on its thread. In a cluster the end of
 * the whole crawl depends on `work`, so a shard without work calls this before it waits. */
void ledger_service_gauge(struct ledger_service *s, unsigned shard);

/* The same, and every other counter of the shard's frontier. */
void ledger_service_gauge_frontier(struct ledger_service *s, unsigned shard);

#endif
