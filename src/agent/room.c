/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's weight follows the free room of its disk, or of its quota
 * (cluster/roster/capacity.h). An agent without room keeps its archive and owns no host. */
#include "agent/agent_internal.h"

#include "base/clock.h"
#include "base/log.h"

static struct ledger_room room_of(const struct cluster_part *c)
{
    struct ledger_room r = ledger_room(c->ledger->ledger);
    uint64_t quota = c->room.quota_bytes;
    uint64_t left = quota > r.used_bytes ? quota - r.used_bytes : 0;
    if (quota && left < r.free_bytes)
        r.free_bytes = left;
    return r;
}

/* Now and then; the lock is held. */
void cluster_room_look(struct cluster_part *c)
{
    struct cluster_room *m = &c->room;
    uint64_t now_ms = clock_now_ms(c->ledger->run.clock);
    if (now_ms < m->look_ms)
        return;
    m->look_ms = now_ms + m->every_ms;
    struct ledger_room r = room_of(c);
    uint32_t weight = capacity_weight(&m->capacity, m->ordinary, r.used_bytes, r.free_bytes);
    if (m->is_said && weight == m->weight_said)
        return;
    bool is_news = m->is_said || weight != m->ordinary;
    m->is_said = true;
    m->weight_said = weight;
    agent_set_weight(c->agent, weight);
    if (is_news)
        log_info(c->log, "cluster.weight", LOG_U64("weight", weight),
                 LOG_U64("ordinary", m->ordinary), LOG_U64("used_bytes", r.used_bytes),
                 LOG_U64("free_bytes", r.free_bytes));
}
