/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_watch: does the crawl go on, and when does a source look again?
 *
 *     crawl_watch_set_limit(&w);                     the limit's timer, if there is a limit of time
 *     if (!crawl_watch_goes_on(&w, false, &ret))
 *         return ret;                                from the source's produce
 *     ...
 *     return crawl_watch_wait(&w, due_ms);
 *
 * The role `cluster` decides (roles/cluster.h). A limit that ends the crawl is logged here, and
 * lets the flow come to its end. The crawl ends at its time also while all credits of the source
 * are with hosts that do not answer: the flow then does not ask the source, so a timer does. */
#ifndef ASKING_CRAWL_WATCH_H
#define ASKING_CRAWL_WATCH_H

#include "flow/part.h"
#include "roles/cluster.h"
#include "roles/ledger.h"

/* Stands in the state of a source. */
struct crawl_watch {
    struct instance *self;
    struct ledger_service *ledger;
    struct cluster_service *cluster;
    uint64_t pause_ms;  /* the wait of the source while the cluster pauses */
    struct timer wake;  /* asks the source */
    struct timer limit; /* checks whether the crawl's time is over */
    bool limit_set;
};

void crawl_watch_init(struct crawl_watch *w, struct instance *self, struct ledger_service *ledger,
                      struct cluster_service *cluster, uint64_t pause_ms);
void crawl_watch_stop(struct crawl_watch *w);

/* Sets the limit's timer if the phase changes by itself and the timer is not set. Without memory
 * the next call tries again. */
void crawl_watch_set_limit(struct crawl_watch *w);

/* False: the crawl has ended, or pauses, and *ret is what the source returns. `is_idle` as in
 * cluster_ops.phase. */
bool crawl_watch_goes_on(struct crawl_watch *w, bool is_idle, enum produced *ret);

/* The source is asked again at that moment. Without memory the part fails. */
enum produced crawl_watch_wait(struct crawl_watch *w, uint64_t due_ms);

/* A limit ends the crawl: logs it, once for all shards, and lets the flow come to its end. */
void crawl_conclude(struct instance *self, struct ledger_service *ledger,
                    enum budget_verdict limit);

#endif
