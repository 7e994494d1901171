/* SPDX-License-Identifier: Apache-2.0 */
/* turn: what a host's turn asks for, and the visit that asks it.
 *
 *     checkout ─► turn_next() ─► later: the URL goes back
 *                             └► page, robots.txt, never ─► turn_claim() ─► not now: it goes back
 *                                                                        └► turn_visit() ─► resolve
 *
 * host/host_turn.h decides, and the role `cluster` whether this agent may ask. A URL whose result
 * is known already (its host was given up, or has had its share of the budgets) gets a visit too,
 * one that is refused: every ending passes disposition. */
#ifndef ASKING_TURN_H
#define ASKING_TURN_H

#include "host/host_turn.h"
#include "roles/budget.h"
#include "roles/cluster.h"
#include "roles/ledger.h"
#include "visit/visit.h"

/* What the turns of a shard need. */
struct turn_maker {
    unsigned shard;
    struct cluster_service *cluster;
    struct ledger_service *ledger;
    struct budget *budget;
    struct visit_pool pool; /* the maker's: visit_pool_done() when no visit is left */
};

/* What the URL's host is asked for now. `record` may be NULL: there was no memory for it, and
 * turn_visit() says so. */
struct host_turn turn_next(const struct checkout *checkout, struct host_record *record,
                           const struct host_turn_settings *s, uint64_t now_ms, int64_t wall_ms);

/* Claims the host for this agent. Not CLUSTER_CLAIMED: the URL is back in its queue, for `wait_ms`
 * if only this host is not ours. Else *ret_host_claim is the caller's to give back. */
enum cluster_claim turn_claim(struct turn_maker *m, struct checkout *checkout, uint64_t now_ms,
                              uint64_t wait_ms, uint64_t *ret_host_claim);

/* The visit of that turn, which is not HOST_ASK_LATER. robots.txt is not asked for where the
 * budgets leave its host no page. `recrawls`: the visit brings what the history has of its URL.
 * NULL without memory, and without a record. */
struct visit *turn_visit(struct turn_maker *m, const struct checkout *checkout,
                         struct host_record *record, const struct host_turn *turn, bool recrawls);

#endif
