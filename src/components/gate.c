/* SPDX-License-Identifier: Apache-2.0 */
/* gate: may this be asked now? robots.txt, budgets, the address and the host: what may not be asked
 * goes to settle with its reason; a visit whose address is busy goes back there too, with the
 * moment to come again. */
#include "components/cluster.h"
#include "components/judge.h"

#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"

enum { OUT, REFUSED };
enum { LAST_PAGES_MS = 100 };

struct gate_settings {
    bool ignore_robots;
};

static const struct option gate_options[] = {
    OPTION_BOOL_ROW(struct gate_settings, ignore_robots, "ignore-robots", "no",
                    "do not obey robots.txt (only on your own sites)"),
    {0},
};

/* One visit that waits for its moment. */
struct waiting {
    struct timer timer;
    struct instance *self;
    struct visit *visit;
    struct list_node node;
};

struct gate {
    struct ledger_service *ledger;
    struct budget *budget;
    struct addresses_service *addresses;
    struct cluster_service *cluster;
    struct list waiting;
};

static void on_due(struct timer *t, uint64_t now_ms);

/* The rules of the visit's origin allow it. Where they could never be had nothing is allowed. */
static bool robots_allow(const struct instance *self, struct visit *v)
{
    const struct gate_settings *s = self->settings;
    if (s->ignore_robots || v->kind != VISIT_PAGE)
        return true;
    const struct card_robots *r = card_robots_of(v->card, v->lent.is_https, v->lent.port);
    if (!r || !r->rules) {
        visit_refuse(v, FETCH_NO_ROBOTS, "its robots.txt cannot be had");
        return false;
    }
    struct robots_verdict verdict = robots_check(r->rules, url_path_query(&v->url));
    if (verdict.allowed)
        return true;
    visit_refuse(v, FETCH_ROBOTS, "robots.txt forbids it");
    return false;
}

/* A slot of host and address, or the moment to come again. */
static bool is_free(struct instance *self, struct visit *v)
{
    const struct gate *g = self->state;
    uint64_t now_ms = clock_now_ms(g->ledger->clock); /* not the turn's: that may be a while ago */
    if (visit_enter(v, g->addresses, now_ms, &v->due_ms))
        return true;
    v->state = VISIT_LATER;
    return false;
}

/* A page of the crawl's, the host's and the domain's. When the crawl has had its own, it ends. */
static bool budget_allows(struct instance *self, struct visit *v)
{
    const struct gate *g = self->state;
    if (v->kind != VISIT_PAGE)
        return true;
    enum budget_verdict b = budget_take(g->budget, v->lent.host_name, v->card->pages,
                                        v->card->bytes, ledger_service_elapsed_ms(g->ledger));
    v->is_charged = b == BUDGET_OK;
    if (b == BUDGET_OK)
        return true;
    if (b == BUDGET_HOST || b == BUDGET_DOMAIN) {
        visit_refuse(v, FETCH_QUOTA, budget_verdict_text(b));
        return false;
    }
    bool is_over = g->cluster->ops->phase(g->cluster, false, &b) == CLUSTER_LIMITED;
    if (is_over && ledger_conclude(g->ledger->ledger))
        log_info(part_log(self), "crawl.limit", LOG_C("reached", budget_verdict_text(b)));
    if (is_over)
        part_drain(self);
    v->state = VISIT_LATER;
    v->due_ms = part_now_ms(self) + (is_over ? 0 : LAST_PAGES_MS);
    return false;
}

/* A robots.txt that was redirected would begin anew if its visit went back: it waits here, while
 * its own host is out and nobody else asks it. */
static void wait_here(struct instance *self, struct visit *v)
{
    struct gate *g = self->state;
    struct waiting *w = arena_zero(v->arena, sizeof *w);
    if (!w) {
        part_emit(self, REFUSED, &v->head);
        return;
    }
    *w = (struct waiting){.timer = {.due = on_due}, .self = self, .visit = v};
    list_add_first(&g->waiting, &w->node);
    if (part_timer(self, &w->timer, v->due_ms)) {
        list_remove(&g->waiting, &w->node);
        part_emit(self, REFUSED, &v->head);
    }
}

static void gate_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct visit *v = visit_of(m);
    v->state = VISIT_ON_ITS_WAY;
    bool passes = robots_allow(self, v) && is_free(self, v) && budget_allows(self, v);
    if (v->state == VISIT_LATER && v->robots_hops)
        wait_here(self, v);
    else
        part_emit(self, passes ? OUT : REFUSED, m);
}

static void on_due(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    struct waiting *w = EVENT_OF(t, struct waiting, timer);
    struct gate *g = w->self->state;
    list_remove(&g->waiting, &w->node);
    gate_handle(w->self, 0, &w->visit->head);
}

static void gate_stop(struct instance *self)
{
    struct gate *g = self->state;
    while (g->waiting.first) {
        struct waiting *w = LIST_OF(g->waiting.first, struct waiting, node);
        part_timer_stop(self, &w->timer);
        list_remove(&g->waiting, &w->node);
        part_end(self, &w->visit->head);
    }
}

static enum rc gate_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct gate *g = mem_zero(1, sizeof *g);
    if (!g)
        return RC_NOMEM;
    g->ledger = part_provider(self, 0);
    g->budget = part_provider(self, 1);
    g->addresses = part_provider(self, 2);
    g->cluster = part_provider(self, 3);
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
    .help = "lets through what robots.txt, budgets and the address allow now",
    .inlets = (const struct part_port[]){{"in", VISIT_TYPE, "visits with addresses", false}, {0}},
    .outlets = (const struct part_port[]){{"out", VISIT_TYPE, "may be asked", false},
                                          {"refused", VISIT_TYPE, "may not, or not now", false},
                                          {0}},
    .needs = (const struct part_need[]){{"ledger", LEDGER_INTERFACE, "has the time"},
                                        {"budget", BUDGET_INTERFACE, "knows how much may be had"},
                                        {"addresses", ADDRESSES_INTERFACE, "knows who is busy"},
                                        {"cluster", CLUSTER_INTERFACE, "ends it for all agents"},
                                        {0}},
    .options = gate_options,
    .settings_bytes = sizeof(struct gate_settings),
    .open = gate_open,
    .close = gate_close,
    .handle = gate_handle,
    .stop = gate_stop,
};
