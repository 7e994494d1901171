/* SPDX-License-Identifier: Apache-2.0 */
/* gate: may this be asked now? robots.txt, budgets, the address: only checks, never waits. What may
 * not be asked goes to settle with its reason; a visit whose address is busy goes back there too,
 * with the moment to come again. */
#include "components/services.h"
#include "components/visit.h"

#include "base/clock.h"
#include "base/log.h"

enum { OUT, REFUSED };

struct gate_settings {
    bool ignore_robots;
};

static const struct option gate_options[] = {
    OPTION_BOOL_ROW(struct gate_settings, ignore_robots, "ignore-robots", "no",
                    "do not obey robots.txt (only on your own sites)"),
    {0},
};

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

/* A slot of the address, or the moment to come again. */
static bool address_free(struct instance *self, struct visit *v)
{
    struct address_table *addresses = part_provider(self, 2);
    struct ledger_service *ledger = part_provider(self, 0);
    uint64_t now_ms = clock_now_ms(ledger->clock); /* not the turn's: that may be a while ago */
    uint64_t moment_ms = address_table_ask(addresses, v->address_group, now_ms);
    if (moment_ms == 0) {
        v->has_slot = true;
        return true;
    }
    v->state = VISIT_LATER;
    v->due_ms = moment_ms;
    return false;
}

/* A page of the crawl's, the host's and the domain's. When the crawl has had its own, it ends. */
static bool budget_allows(struct instance *self, struct visit *v)
{
    struct ledger_service *ledger = part_provider(self, 0);
    struct budget *budget = part_provider(self, 1);
    if (v->kind != VISIT_PAGE)
        return true;
    enum budget_verdict b = budget_take(budget, v->lent.host_name, v->card->pages, v->card->bytes,
                                        ledger_service_elapsed_ms(ledger));
    v->is_charged = b == BUDGET_OK;
    if (b == BUDGET_OK)
        return true;
    if (b == BUDGET_HOST || b == BUDGET_DOMAIN) {
        visit_refuse(v, FETCH_QUOTA, budget_verdict_text(b));
    } else {
        log_info(part_log(self), "crawl.limit", LOG_C("reached", budget_verdict_text(b)));
        ledger_conclude(ledger->ledger);
        part_drain(self);
        v->state = VISIT_LATER;
        v->due_ms = part_now_ms(self);
    }
    return false;
}

static void gate_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct visit *v = visit_of(m);
    bool passes = robots_allow(self, v) && address_free(self, v) && budget_allows(self, v);
    part_emit(self, passes ? OUT : REFUSED, m);
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
                                        {0}},
    .options = gate_options,
    .settings_bytes = sizeof(struct gate_settings),
    .handle = gate_handle,
};
