/* SPDX-License-Identifier: Apache-2.0 */
/* waits: what an agent waits for, in words, so that a crawl that stands still explains itself.
 *
 * It names the first thing that keeps the agent from the next state, from a settled epoch, or from
 * the end, in the order in which they are needed. It changes nothing. */
#include "cluster/protocol/agent_internal.h"

static bool is_me(const struct agent *a, const struct peer *p)
{
    return p->inc == a->inc && strcmp(p->name, a->name) == 0;
}

/* What keeps the agent from fetching at all. */
static bool waits_to_come(const struct agent *a, uint64_t now_ms, struct buf *out)
{
    const struct roster_agent *former = roster_find(a->roster, str_c(a->name));
    if (!a->is_connected)
        buf_add(out, STR("a connection to a server"));
    else if (roster_log_silent_ms(a, now_ms) > a->settings.gap_ms)
        buf_add(out, STR("the roster's stream, which does not answer"));
    else if (!roster_log_is_whole(a))
        buf_add(out, STR("entries that the servers have lost from the roster"));
    else if (a->state == AGENT_START)
        buf_add(out, STR("the end of the roster"));
    else if (a->state == AGENT_RECOVER)
        buf_add(out, STR("its renewal with a new boot"));
    else if (a->state == AGENT_RETURN && !roster_timings(a->roster).dead_ms)
        buf_add(out, STR("the roster's first entry"));
    else if (a->state == AGENT_RETURN && former && former->state == ROSTER_DEAD_NOW)
        buf_add(out, STR("the adoption of its former incarnation"));
    else if (a->state == AGENT_RETURN && former && former->state != ROSTER_FORGOTTEN)
        buf_add(out, STR("its former incarnation to be declared dead"));
    else if (a->state == AGENT_RETURN)
        buf_add(out, STR("the epoch to be settled, before it joins"));
    else if (a->state == AGENT_JOINING && !agent_is_living(a))
        buf_add(out, STR("its join"));
    else if (!lease_is_good(a, now_ms))
        buf_add(out, STR("its renewal"));
    else if (!recrawls_is_in(a))
        buf_add(out, STR("the roster to say that a recrawl has begun"));
    else if (detector_has_no_loopback(a, now_ms))
        buf_add(out, STR("its own heartbeats: it hears no agent"));
    return out->n > 0;
}

static bool waits_for_gates(const struct agent *a, struct buf *out)
{
    const struct roster_agent *me = agent_me(a), *holder;
    if (a->gates.are_open || !me)
        return false;
    for (size_t i = 0; (holder = gates_holder(a, i)); i++)
        if (holder != me && roster_held_for(a->roster, holder, me, a->epoch) &&
            !gates_is_marked(a, holder, a->epoch)) {
            buf_printf(out, "the handover mark of %s/%llu", holder->name,
                       (unsigned long long)holder->inc);
            return true;
        }
    return false;
}

static bool waits_for_handover(const struct agent *a, struct buf *out)
{
    static const char *const stages[] = {
        "",
        "open requests to hosts that moved",
        "an end of its stream",
        "its outbox to be confirmed, before it hands over",
        "an end of its stream behind its outcomes",
        "its own stream, read once more",
        "hosts that move",
        "the new owners to confirm the hosts",
        "its handover marks to be acknowledged",
        "",
    };
    enum handover_stage s = a->handover.stage;
    if ((size_t)s < sizeof stages / sizeof *stages)
        buf_add(out, str_c(stages[s]));
    return out->n > 0;
}

static bool waits_to_settle(const struct agent *a, struct buf *out)
{
    if (!roster_is_open(a->roster))
        return false;
    for (size_t i = 0; i < roster_count(a->roster); i++) {
        const struct roster_agent *r = roster_at(a->roster, i);
        if (r->state == ROSTER_DEAD_NOW) {
            buf_printf(out, "the adoption of %s/%llu", r->name, (unsigned long long)r->inc);
            return true;
        }
    }
    for (size_t i = 0; i < a->peers.count; i++) {
        const struct peer *p = &a->peers.list[i];
        const char *why = !p->is_heard                ? "to be heard"
                          : p->last.epoch != a->epoch ? "to reach this epoch"
                          : !p->last.gates_open       ? "to open its gates"
                                                      : NULL;
        if (!is_me(a, p) && why) {
            buf_printf(out, "%s %s", p->name, why);
            return true;
        }
    }
    buf_add(out, STR("the epoch to be settled"));
    return true;
}

/* What keeps the agent from being idle. */
static bool waits_to_idle(struct agent *a, struct buf *out)
{
    struct port_counts c = port_counts(a->port);
    const struct parcel *p = a->outbox.parcels;
    if (untold_is_paused(a))
        buf_printf(out, "its outcomes to be told: %llu are not, at most %llu may be",
                   (unsigned long long)untold_count(a),
                   (unsigned long long)a->settings.untold_most);
    else if (c.open)
        buf_add(out, STR("its open requests"));
    else if (c.queued)
        buf_add(out, STR("its queues"));
    else if (p)
        buf_printf(out, "%s to %s batch %llu", p->to, p->is_acked ? "journal" : "be sent",
                   (unsigned long long)p->sequence);
    else if (!outbox_is_empty(a))
        buf_add(out, STR("its journal to be on the disk"));
    else if (!a->inbox.is_verified)
        buf_add(out, STR("its stream to be compared"));
    else if (a->inbox.count)
        buf_add(out, STR("the records that arrived to be on the disk"));
    else if (a->republish.is_wanted)
        buf_add(out, STR("its records to be published again"));
    else if (a->inbox.end_read < a->finish.end)
        buf_add(out, STR("the end of its stream"));
    return out->n > 0;
}

static bool waits_for_others(const struct agent *a, struct buf *out)
{
    const struct finish *f = &a->finish;
    for (size_t i = 0; i < a->peers.count; i++) {
        const struct peer *p = &a->peers.list[i];
        const char *why = !p->is_heard                      ? "to be heard"
                          : p->last.finish_round < f->round ? "to reach this finish round"
                          : p->last.quiet < 2               ? "to be idle"
                          : f->is_finished && !p->last.is_finished
                              ? "to know that the crawl is finished"
                              : NULL;
        if (!is_me(a, p) && why) {
            buf_printf(out, "%s %s", p->name, why);
            return true;
        }
    }
    return false;
}

void agent_waits(struct agent *a, uint64_t now_ms, struct buf *out)
{
    if (a->state == AGENT_GONE || a->state == AGENT_STOPPED)
        return;
    bool said = waits_to_come(a, now_ms, out) || waits_for_handover(a, out) ||
                waits_for_gates(a, out) || waits_to_settle(a, out) || waits_to_idle(a, out) ||
                waits_for_others(a, out);
    if (!said)
        buf_add(out, STR("nothing"));
}
