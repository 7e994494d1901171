/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/guest.h"

#include "frontier/lend.h"
#include "frontier/swap.h"
#include "host/host_guest.h"
#include "ledger/host_records.h"

#include "base/hash.h"
#include "base/mem.h"

/* One question, and then the loan. Until the answer it belongs to the calls, then to the visit. */
struct guest {
    struct call there, back; /* to the shard of the host; the answer, to the shard that asked */
    struct list_node node;   /* in the desk */
    struct guest_desk *desk;
    struct visit *visit; /* NULL: it has ended meanwhile */
    struct ledger_service *ledger;
    struct cluster_service *cluster;
    unsigned shard, from; /* of the host; that asked */
    uint64_t host_hash;
    struct host *host; /* lent; NULL: not */
    uint64_t host_claim;
    uint64_t when_ms; /* if it is not lent */
    uint64_t wait_ms; /* at the return */
    struct pace_settings pace;
    size_t name_bytes;
    char name[];
};

static uint64_t now_of(const struct guest *g)
{
    return clock_now_ms(g->ledger->run.clock);
}

/* Two hosts whose robots.txt redirect to each other do not meet at the same moments for ever. */
static uint64_t look_again_ms(const struct guest *g)
{
    uint64_t now_ms = now_of(g);
    return now_ms + HOST_GUEST_LOOK_MS + hash64_mix(g->host_hash ^ now_ms) % HOST_GUEST_LOOK_MS;
}

/* On the shard of the host ----------------------------------------------------------------------- */

/* The moment to come again; 0: it is lent. */
static uint64_t lend(struct guest *g, struct frontier *f, struct host *h)
{
    struct host_record *c = host_record_of(h);
    if (!c || host_is_out(h))
        return look_again_ms(g);
    struct host_guest_answer a = host_guest_ask(c, host_due_ms(h), host_queued(h) > 0, now_of(g));
    if (a.hold_ms)
        frontier_hold(f, h, a.hold_ms);
    if (!a.may)
        return a.when_ms;
    frontier_lend(f, h);
    g->host = h;
    return 0;
}

static void lend_here(struct guest *g)
{
    struct frontier *f = ledger_frontier(g->ledger->ledger, g->shard);
    struct host *h;
    g->when_ms = look_again_ms(g);
    if (g->cluster->ops->claim(g->cluster, g->host_hash, &g->host_claim) != CLUSTER_CLAIMED)
        return;
    if (frontier_host_need(f, g->host_hash, str_make(g->name, g->name_bytes), now_of(g), &h) ==
        RC_OK)
        g->when_ms = lend(g, f, h);
    if (!g->host)
        g->cluster->ops->give_back(g->cluster, g->host_claim);
}

static void take_back_here(struct guest *g)
{
    const struct host_record *c = host_record_if(g->host);
    struct frontier *f = ledger_frontier(g->ledger->ledger, g->shard);
    frontier_take_back(f, g->host, host_guest_due_ms(c, &g->pace, g->wait_ms, now_of(g)));
    g->cluster->ops->give_back(g->cluster, g->host_claim);
}

/* Calls ------------------------------------------------------------------------------------------ */

static void decide(struct guest *g)
{
    struct visit *v = g->visit;
    struct guest_desk *d = g->desk;
    if (g->host) {
        v->route.guest = g;
    } else {
        v->state = VISIT_LATER;
        v->route.due_ms = g->when_ms;
        v->turn.record->wait = HOST_WAIT_GUEST;
        mem_free(g);
    }
    d->decided(d->self, v);
}

/* On the shard that asked. The call is over before the guest is the visit's. */
static void run_back(struct call *c, struct instance *at)
{
    (void)at;
    call_end(c, RC_OK);
}

static void release_back(struct call *c)
{
    struct guest *g = EVENT_OF(c, struct guest, back);
    if (!g->visit) { /* the crawl stops */
        mem_free(g);
        return;
    }
    list_remove(&g->desk->parked, &g->node);
    decide(g);
}

static void run_there(struct call *c, struct instance *at)
{
    lend_here(EVENT_OF(c, struct guest, there));
    part_ready(at);
    call_end(c, RC_OK);
}

/* The answer goes back, also where the shard has stopped and was not asked. */
static void release_there(struct call *c)
{
    struct guest *g = EVENT_OF(c, struct guest, there);
    g->back = (struct call){.run = run_back, .release = release_back};
    if (!calls_send(&g->ledger->calls, g->from, &g->back))
        mem_free(g); /* the shard that asked has stopped, and its visit has ended */
}

static void run_return(struct call *c, struct instance *at)
{
    take_back_here(EVENT_OF(c, struct guest, there));
    part_ready(at);
    call_end(c, RC_OK);
}

static void release_return(struct call *c)
{
    mem_free(EVENT_OF(c, struct guest, there));
}

/* For the visit ---------------------------------------------------------------------------------- */

static struct guest *guest_open(struct guest_desk *d, struct visit *v)
{
    struct str name = url_host(&v->turn.url);
    struct guest *g = mem_zero(1, sizeof *g + name.n);
    if (!g)
        return NULL;
    g->desk = d;
    g->visit = v;
    g->ledger = d->ledger;
    g->cluster = d->cluster;
    g->from = d->self->shard;
    g->host_hash = hash64(name);
    g->shard = frontier_bucket(g->host_hash) % d->self->shard_count;
    g->name_bytes = name.n;
    memcpy(g->name, name.p, name.n);
    return g;
}

void guest_ask(struct guest_desk *d, struct visit *v)
{
    struct guest *g = guest_open(d, v);
    if (!g) {
        v->state = VISIT_LATER;
        v->route.due_ms = clock_now_ms(d->ledger->run.clock) + HOST_GUEST_LOOK_MS;
        d->decided(d->self, v);
        return;
    }
    if (g->shard == g->from) {
        lend_here(g);
        decide(g);
        return;
    }
    g->when_ms = look_again_ms(g); /* if the shard has stopped */
    g->there = (struct call){.run = run_there, .release = release_there};
    list_add_first(&d->parked, &g->node);
    if (!calls_send(&d->ledger->calls, g->shard, &g->there)) {
        list_remove(&d->parked, &g->node);
        decide(g);
    }
}

void guest_stop(struct guest_desk *d)
{
    while (d->parked.first) {
        struct guest *g = LIST_OF(d->parked.first, struct guest, node);
        list_remove(&d->parked, &g->node);
        part_end(d->self, &g->visit->head);
        g->visit = NULL;
    }
}

void guest_return(struct visit *v, const struct pace_settings *pace, uint64_t wait_ms)
{
    struct guest *g = v->route.guest;
    if (!g)
        return;
    v->route.guest = NULL;
    g->wait_ms = wait_ms;
    if (pace)
        g->pace = *pace;
    g->there = (struct call){.run = run_return, .release = release_return};
    if (g->shard != g->from && calls_send(&g->ledger->calls, g->shard, &g->there))
        return;
    if (g->shard == g->from)
        take_back_here(g);
    mem_free(g);
}
