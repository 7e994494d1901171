/* SPDX-License-Identifier: Apache-2.0 */
/* guest: gets the turn of another host for a visit, and gives it back.
 *
 *     gate         guest_ask()     the shard that owns the host lends it (frontier/lend.h), or says
 *                                  when to come again (host/host_guest.h)
 *     fetch        the request
 *     robots,      guest_return()  the host goes back to its shard, with the moment at which it may
 *     disposition                  be asked again
 *
 * Only a robots.txt that redirects to another host needs this. The shard may be another one, or
 * another agent's: then the visit is parked until the answer is there, a few milliseconds. It waits
 * for the host's moment in its own queue, not here. The calls run on the thread of the schedule of
 * each shard, which is the thread of all steps of that shard. */
#ifndef ASKING_GUEST_H
#define ASKING_GUEST_H

#include "base/list.h"
#include "host/pace.h"
#include "roles/cluster.h"
#include "roles/ledger.h"
#include "visit/visit.h"

/* Stands in the state of the part that asks. All but `parked` is set. */
struct guest_desk {
    struct instance *self;
    struct ledger_service *ledger;
    struct cluster_service *cluster;
    void (*decided)(struct instance *self, struct visit *v);
    struct list parked;
};

/* Whether the visit asks another host than the one that is checked out, without its turn. */
static inline bool guest_is_needed(const struct visit *v)
{
    return v->turn.robots_redirects && !v->route.guest &&
           !str_eq(url_host(&v->turn.url), v->turn.checkout.host_name);
}

/* Takes the visit; `decided` gives it back, now or later: it has the turn (v->route.guest), or its
 * state is VISIT_LATER with a moment. */
void guest_ask(struct guest_desk *d, struct visit *v);

/* Ends the parked visits: the part stops. */
void guest_stop(struct guest_desk *d);

/* Gives back what the visit has, if anything. The host may be asked again after its delay, at least
 * `wait_ms` from now; 0: nothing was asked of it (`pace` may be NULL). */
void guest_return(struct visit *v, const struct pace_settings *pace, uint64_t wait_ms);

/* For another agent, whose request comes by the bus; on any thread. */
struct guest_lender {
    struct ledger_service *ledger;
    struct cluster_service *cluster;
    unsigned shards;
    /* The shard has decided: on its thread, once. */
    void (*lent)(void *ctx, struct guest *g);
    void *ctx;
};

/* Asks the host's shard; NULL: no memory, or the crawl stops. The guest is the lender's once `lent`
 * was called. */
struct guest *guest_lend(const struct guest_lender *l, struct str host);
/* Whether it has the turn; if not, when to ask again. */
bool guest_is_lent(const struct guest *g, uint64_t *ret_wait_ms);
/* As guest_return(); frees the guest, also one that has no turn. */
void guest_take_back(struct guest *g, const struct pace_settings *pace, uint64_t wait_ms);

#endif
