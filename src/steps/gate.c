/* SPDX-License-Identifier: Apache-2.0 */
/* gate: lets a visit through that may be asked now: by the rules of its origin
 * (host/host_robots.h), by permits of its address and host (host/host_permit.h), by the turn of
 * another host to which a robots.txt redirects (asking/guest.h), and by the budgets. A visit that may not be asked goes to disposition with the reason; one that must wait
 * goes there too, with the moment to come again. */
#include "asking/crawl_watch.h"
#include "asking/guest.h"
#include "host/host_robots.h"
#include "roles/addresses.h"
#include "roles/budget.h"
#include "roles/cluster.h"
#include "roles/ledger.h"
#include "roles/members.h"
#include "visit/visit_host.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"

enum { NEED_LEDGER, NEED_BUDGET, NEED_ADDRESSES, NEED_CLUSTER, NEED_MEMBERS };

enum { OUT, REFUSED };
enum { LAST_PAGES_MS = 100, MEMBER_MS = 100 };

struct gate_settings {
    bool ignore_robots;
};

static const struct option gate_options[] = {
    OPTION_BOOL_ROW(struct gate_settings, ignore_robots, "ignore-robots", "no",
                    "do not obey robots.txt (only on your own sites)"),
    {0},
};

struct gate {
    struct ledger_service *ledger;
    struct budget *budget;
    struct addresses_service *addresses;
    struct cluster_service *cluster;
    struct guest_desk guests;        /* redirected robots.txt that ask for another host's turn */
    struct members_service *members; /* NULL: the wiring has no pool */
};

static bool robots_allow(const struct instance *self, struct visit *v)
{
    const struct gate_settings *s = self->settings;
    if (s->ignore_robots || v->kind != VISIT_PAGE)
        return true;
    struct host_request r = visit_request(v);
    int code = host_robots_check(&r, url_path_query(&v->turn.url));
    if (code)
        visit_refuse(v, code,
                     code == FETCH_ROBOTS ? "robots.txt forbids it"
                                          : "its robots.txt cannot be had");
    return !code;
}

/* Last, because a permit that was taken makes the next request of the host wait for its delay: a URL
 * that is refused must not cost that. The clock is read anew: this turn of the loop may have begun
 * a while ago. */
static bool has_permit(struct instance *self, struct visit *v)
{
    const struct gate *g = self->state;
    v->route.permit.host_hash = hash64(url_host(&v->turn.url));
    v->route.due_ms = host_permit_take(&v->route.permit, g->addresses->addresses,
                                       g->addresses->hosts, clock_now_ms(g->ledger->run.clock));
    if (v->route.due_ms) {
        v->state = VISIT_LATER;
        v->turn.record->wait = HOST_WAIT_ADDRESS;
    }
    return !v->route.due_ms;
}

/* Takes a page of the budgets of crawl, host and domain; disposition gives it back if the visit is
 * put off. When the budget of the crawl is spent, the crawl ends. */
static bool budget_allows(struct instance *self, struct visit *v)
{
    const struct gate *g = self->state;
    if (v->kind != VISIT_PAGE)
        return true;
    enum budget_verdict b =
        budget_take(g->budget, v->turn.checkout.host_name, v->turn.record->pages,
                    v->turn.record->bytes, run_clock_elapsed_ms(&g->ledger->run));
    v->route.is_charged = b == BUDGET_OK;
    if (b == BUDGET_OK)
        return true;
    if (b == BUDGET_HOST || b == BUDGET_DOMAIN) {
        visit_refuse(v, FETCH_QUOTA, budget_verdict_text(b));
        return false;
    }
    bool is_over = g->cluster->ops->phase(g->cluster, false, &b) == CLUSTER_LIMITED;
    if (is_over)
        crawl_conclude(self, g->ledger, b);
    v->state = VISIT_LATER;
    v->turn.record->wait = HOST_WAIT_BUDGET;
    v->route.due_ms = part_now_ms(self) + (is_over ? 0 : LAST_PAGES_MS);
    return false;
}

/* Before permit and budget: a visit whose member has no room has taken nothing. */
static bool has_member(struct instance *self, struct visit *v)
{
    const struct gate *g = self->state;
    const struct members_key key = {.fingerprint = v->turn.fingerprint,
                                    .url = url_href(&v->turn.url),
                                    .address = &v->route.addresses[0]};
    if (!g->members)
        return true;
    v->head.route = g->members->ops->choose(g->members, &key);
    if (!v->head.route) {
        v->state = VISIT_LATER;
        v->turn.record->wait = HOST_WAIT_MEMBER;
        v->route.due_ms = part_now_ms(self) + MEMBER_MS;
    }
    return v->head.route != 0;
}

static void decide(struct instance *self, struct visit *v)
{
    bool passes = v->state != VISIT_LATER && robots_allow(self, v) && has_member(self, v) &&
                  budget_allows(self, v) && has_permit(self, v);
    if (!passes)
        guest_return(v, NULL, 0);
    part_emit(self, passes ? OUT : REFUSED, &v->head);
}

static void gate_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct gate *g = self->state;
    struct visit *v = visit_of(m);
    v->state = VISIT_ON_ITS_WAY;
    if (guest_is_needed(v))
        guest_ask(&g->guests, v);
    else
        decide(self, v);
}

static void gate_stop(struct instance *self)
{
    struct gate *g = self->state;
    guest_stop(&g->guests);
}

static enum rc gate_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct gate *g = mem_zero(1, sizeof *g);
    if (!g)
        return RC_NOMEM;
    g->ledger = part_provider(self, NEED_LEDGER);
    g->budget = part_provider(self, NEED_BUDGET);
    g->addresses = part_provider(self, NEED_ADDRESSES);
    g->cluster = part_provider(self, NEED_CLUSTER);
    g->members = part_provider(self, NEED_MEMBERS);
    g->guests = (struct guest_desk){
        .self = self, .ledger = g->ledger, .cluster = g->cluster, .decided = decide};
    self->state = g;
    return RC_OK;
}

static void gate_close(struct instance *self)
{
    mem_free(self->state);
}

const struct part part_gate = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "gate",
    .help = "lets visits through that robots.txt, budgets and their address allow now",
    .inlets = (const struct part_port[]){{"in", VISIT_TYPE, "visits with addresses", false}, {0}},
    .outlets = (const struct part_port[]){{"out", VISIT_TYPE, "visits that may be asked", false},
                                          {"refused", VISIT_TYPE, "visits that may not, or not now",
                                           false},
                                          {0}},
    .needs =
        (const struct part_need[]){
            [NEED_LEDGER] = {"ledger", LEDGER_INTERFACE, "has the crawl's clock"},
            [NEED_BUDGET] = {"budget", BUDGET_INTERFACE, "limits what the crawl takes"},
            [NEED_ADDRESSES] = {"addresses", ADDRESSES_INTERFACE, "gives permits to ask"},
            [NEED_CLUSTER] = {"cluster", CLUSTER_INTERFACE, "knows which hosts are ours"},
            [NEED_MEMBERS] = {"members", MEMBERS_INTERFACE, "says which member of a pool asks",
                              true},
            {0}},
    .options = gate_options,
    .settings_bytes = sizeof(struct gate_settings),
    .open = gate_open,
    .close = gate_close,
    .handle = gate_handle,
    .stop = gate_stop,
};
