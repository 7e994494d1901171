/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets of the whole crawl, shared by all agents: heartbeats carry what each has used, to and
 * from the budget. An agent that finds that a limit is reached stops fetching, says so for some
 * heartbeats, and ends; the others then end, too.
 *
 * Also politeness per address: an agent that asks an address often says so, and each of n such
 * agents takes n times its delay. That is a rate, not a lock: a change is known one heartbeat
 * later. */
#include "agent/agent_internal.h"

#include "base/clock.h"
#include "base/log.h"

enum { BUSIEST_EVERY_MS = 1000 };

struct port_used cluster_used(struct port *p)
{
    struct cluster_part *c = cluster_of_port(p);
    struct budget_sum s = budget_sum(c->budget, run_clock_elapsed_ms(&c->ledger->run));
    return (struct port_used){s.pages, s.bytes, s.is_over || c->limited_ms};
}

void cluster_share_others(struct port *p, const struct port_used *sum)
{
    budget_others(cluster_of_port(p)->budget,
                  &(struct budget_sum){sum->pages, sum->bytes, sum->is_over});
}

size_t cluster_tell_domains(struct port *p, struct heartbeat_domain *ret, size_t most)
{
    struct domain_sum list[HEARTBEAT_MAX_DOMAINS];
    size_t room = most < HEARTBEAT_MAX_DOMAINS ? most : HEARTBEAT_MAX_DOMAINS;
    size_t count = budget_tell_domains(cluster_of_port(p)->budget, list, room);
    for (size_t i = 0; i < count; i++)
        ret[i] = (struct heartbeat_domain){list[i].domain, list[i].pages, list[i].bytes};
    return count;
}

void cluster_heard_domain(struct port *p, uint64_t agent, const struct heartbeat_domain *d)
{
    budget_heard_domain(cluster_of_port(p)->budget, agent,
                        &(struct domain_sum){d->domain, d->pages, d->bytes});
}

/* Some heartbeats may be lost before an agent counts as silent. */
static uint64_t word_lasts_ms(struct cluster_part *c)
{
    enum { LEAST_MS = 3000, HEARTBEATS = 4 };
    uint64_t ms = (uint64_t)roster_timings(agent_roster(c->agent)).heartbeat_ms * HEARTBEATS;
    return ms > LEAST_MS ? ms : LEAST_MS;
}

size_t cluster_tell_addresses(struct port *p, uint64_t *ret, size_t most)
{
    struct cluster_part *c = cluster_of_port(p);
    struct cluster_busiest *b = &c->busiest;
    uint64_t now_ms = clock_now_ms(c->ledger->run.clock);
    if (now_ms >= b->next_ms) { /* heartbeats may come in quick succession */
        struct permit_table *t = c->addresses->addresses;
        address_peers_tell(c->peers, t, now_ms, now_ms + word_lasts_ms(c));
        b->count = permit_table_busiest(t, b->groups, ADDRESS_PEERS_MOST);
        b->next_ms = now_ms + BUSIEST_EVERY_MS;
    }
    size_t count = b->count < most ? b->count : most;
    memcpy(ret, b->groups, count * sizeof *ret);
    return count;
}

void cluster_heard_addresses(struct port *p, uint64_t agent, const uint64_t *list, size_t count)
{
    struct cluster_part *c = cluster_of_port(p);
    uint64_t now_ms = clock_now_ms(c->ledger->run.clock);
    address_peers_heard(c->peers, agent, list, count, now_ms + word_lasts_ms(c));
}

static bool is_reached(struct cluster_part *c, enum budget_verdict *ret)
{
    *ret = budget_state(c->budget, run_clock_elapsed_ms(&c->ledger->run));
    return *ret == BUDGET_PAGES ? budget_is_spent(c->budget) : *ret != BUDGET_OK;
}

bool cluster_is_limited(struct cluster_part *c, uint64_t for_ms)
{
    uint64_t now_ms = clock_now_ms(c->ledger->run.clock);
    enum budget_verdict limit;
    if (!c->limited_ms && is_reached(c, &limit)) {
        c->limited_ms = now_ms;
        atomic_store(&c->service.is_limited, true);
        log_info(c->log, "cluster.limit_reached", LOG_C("reached", budget_verdict_text(limit)));
    }
    return c->limited_ms && now_ms - c->limited_ms >= for_ms;
}
