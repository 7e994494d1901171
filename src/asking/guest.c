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
    unsigned shard, from;              /* of the host; that asked */
    struct cluster_guest elsewhere;    /* another agent is asked */
    bool is_elsewhere, is_borrowed;    /* the host is another agent's; that one has lent it */
    const struct guest_lender *lender; /* NULL: a visit of this process asks */
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
    enum cluster_claim may = g->cluster->ops->claim(g->cluster, g->host_hash, &g->host_claim);
    g->is_elsewhere = may == CLUSTER_NOT_THIS && !g->lender;
    if (may != CLUSTER_CLAIMED)
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

/* Elsewhere -------------------------------------------------------------------------------------- */

static void end_elsewhere(struct guest *g)
{
    const struct cluster_guest_end e = {.host = str_make(g->name, g->name_bytes),
                                        .wait_ms = g->wait_ms,
                                        .delay_ms = g->pace.delay_ms,
                                        .delay_most_ms = g->pace.delay_most_ms};
    g->cluster->ops->end_guest(g->cluster, &e);
}

static void send_back(struct guest *g);

static void on_elsewhere(struct cluster_guest *e)
{
    struct guest *g = EVENT_OF(e, struct guest, elsewhere);
    g->is_borrowed = e->may;
    g->when_ms = now_of(g) + e->wait_ms;
    send_back(g);
}

/* False: no other agent is asked. */
static bool ask_elsewhere(struct guest *g)
{
    if (!g->is_elsewhere)
        return false;
    g->elsewhere = (struct cluster_guest){
        .host = str_make(g->name, g->name_bytes), .host_hash = g->host_hash, .done = on_elsewhere};
    return g->cluster->ops->ask_guest(g->cluster, &g->elsewhere);
}

/* Calls ------------------------------------------------------------------------------------------ */

static void decide(struct guest *g)
{
    struct visit *v = g->visit;
    struct guest_desk *d = g->desk;
    if (g->host || g->is_borrowed) {
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

/* The visit that asked has ended. */
static void drop(struct guest *g)
{
    if (g->is_borrowed)
        end_elsewhere(g);
    mem_free(g);
}

static void release_back(struct call *c)
{
    struct guest *g = EVENT_OF(c, struct guest, back);
    if (!g->visit) { /* the crawl stops */
        drop(g);
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

/* On any thread. */
static void send_back(struct guest *g)
{
    g->back = (struct call){.run = run_back, .release = release_back};
    if (!calls_send(&g->ledger->calls, g->from, &g->back))
        drop(g); /* the shard that asked has stopped */
}

/* The answer goes back, also where the shard has stopped and was not asked. */
static void release_there(struct call *c)
{
    struct guest *g = EVENT_OF(c, struct guest, there);
    if (g->lender)
        g->lender->lent(g->lender->ctx, g);
    else if (!ask_elsewhere(g))
        send_back(g);
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

/* The host goes back to its shard; where that has stopped nothing is asked of it any more. */
static void send_return(struct guest *g)
{
    g->there = (struct call){.run = run_return, .release = release_return};
    if (!calls_send(&g->ledger->calls, g->shard, &g->there))
        mem_free(g);
}

/* For the visit ---------------------------------------------------------------------------------- */

static struct guest *guest_open(struct ledger_service *l, struct cluster_service *c,
                                unsigned shards, struct str name)
{
    struct guest *g = mem_zero(1, sizeof *g + name.n);
    if (!g)
        return NULL;
    g->ledger = l;
    g->cluster = c;
    g->host_hash = hash64(name);
    g->shard = frontier_bucket(g->host_hash) % shards;
    g->name_bytes = name.n;
    memcpy(g->name, name.p, name.n);
    g->there = (struct call){.run = run_there, .release = release_there};
    return g;
}

static struct guest *guest_of_visit(struct guest_desk *d, struct visit *v)
{
    struct guest *g =
        guest_open(d->ledger, d->cluster, d->self->shard_count, url_host(&v->turn.url));
    if (!g)
        return NULL;
    g->desk = d;
    g->visit = v;
    g->from = d->self->shard;
    return g;
}

void guest_ask(struct guest_desk *d, struct visit *v)
{
    struct guest *g = guest_of_visit(d, v);
    if (!g) {
        v->state = VISIT_LATER;
        v->route.due_ms = clock_now_ms(d->ledger->run.clock) + HOST_GUEST_LOOK_MS;
        d->decided(d->self, v);
        return;
    }
    list_add_first(&d->parked, &g->node);
    g->when_ms = look_again_ms(g); /* if the shard has stopped */
    bool is_here = g->shard == g->from, is_asked;
    if (is_here)
        lend_here(g);
    is_asked = is_here ? ask_elsewhere(g) : calls_send(&d->ledger->calls, g->shard, &g->there);
    if (is_asked)
        return;
    list_remove(&d->parked, &g->node);
    decide(g);
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
    if (g->is_borrowed) {
        drop(g);
    } else if (g->shard == g->from) {
        take_back_here(g);
        mem_free(g);
    } else {
        send_return(g);
    }
}

/* For other agents ------------------------------------------------------------------------------- */

struct guest *guest_lend(const struct guest_lender *l, struct str host)
{
    struct guest *g = guest_open(l->ledger, l->cluster, l->shards, host);
    if (!g)
        return NULL;
    g->lender = l;
    if (calls_send(&l->ledger->calls, g->shard, &g->there))
        return g;
    mem_free(g);
    return NULL;
}

bool guest_is_lent(const struct guest *g, uint64_t *ret_wait_ms)
{
    uint64_t now_ms = now_of(g);
    *ret_wait_ms = g->host || g->when_ms <= now_ms ? 0 : g->when_ms - now_ms;
    return g->host != NULL;
}

void guest_take_back(struct guest *g, const struct pace_settings *pace, uint64_t wait_ms)
{
    g->pace = *pace;
    g->wait_ms = wait_ms;
    if (g->host)
        send_return(g);
    else
        mem_free(g);
}
