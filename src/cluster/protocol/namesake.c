/* SPDX-License-Identifier: Apache-2.0 */
/* namesake: another process that runs with our name.
 *
 * An agent in RETURN waits until its former incarnation is declared dead. That never happens while
 * another process renews that incarnation: then our directory is empty or an older copy, and the
 * true one is in use elsewhere. Renewals of it that count, and that stand behind one of ours in the
 * log, are the evidence. A single one may have been on its way when its process was killed;
 * several, with stamps further apart than a renewal, come from a living process. Then this process
 * ends (RC_LOCKED). The other process continues, since our renewals do not count. */
#include "cluster/protocol/agent_internal.h"

enum { EVIDENCE = 3, QUIET_RENEWALS = 2 };

/* Renewals that are sent in RETURN have no boot. */
static bool is_sent(const struct agent *a, const struct roster_entry *e)
{
    for (size_t i = 0; i < LEASE_SENT; i++)
        if (a->lease.sent[i].at_ms && a->lease.sent[i].n == e->n)
            return e->boot == 0;
    return false;
}

static bool is_foreign(const struct agent *a, const struct roster_entry *e)
{
    return e->boot ? !agent_is_own_boot(a, e->boot) : e->n > a->namesake.before;
}

static const struct roster_agent *living_other(const struct agent *a)
{
    const struct roster_agent *r = roster_find(a->roster, str_c(a->name));
    bool is_living = r && (r->state == ROSTER_LIVING || r->state == ROSTER_LEAVING);
    return is_living && !agent_is_own_boot(a, r->boot) ? r : NULL;
}

static void heard(struct agent *a)
{
    if (!a->namesake.is_heard)
        a->namesake.heard_ms = a->now_ms;
    a->namesake.is_heard = true;
}

static void renewed(struct agent *a)
{
    struct namesake *s = &a->namesake;
    const struct roster_agent *other = living_other(a);
    if (!s->is_heard || !other)
        return;
    if (!s->renewals++)
        s->stamp_ms = other->lease_stamp_ms;
    if (s->renewals >= EVIDENCE &&
        other->lease_stamp_ms >= s->stamp_ms + roster_timings(a->roster).renew_ms)
        agent_fail(a, RC_LOCKED, AGENT_NAMESAKE);
}

void namesake_taken(struct agent *a, const struct roster_entry *e, struct str writer, bool is_valid)
{
    if (e->kind != ROSTER_RENEW || !str_eq(writer, str_c(a->name)))
        return;
    if (a->state == AGENT_RETURN && is_valid)
        renewed(a);
    else if (a->state == AGENT_RETURN && is_sent(a, e))
        heard(a);
    else if (agent_is_living(a) && !is_valid && is_foreign(a, e))
        a->namesake.is_seen = true;
}

const struct roster_agent *agent_namesake(const struct agent *a)
{
    bool is_in = a->state != AGENT_START && a->state != AGENT_RETURN && a->state != AGENT_STOPPED;
    return is_in ? NULL : living_other(a);
}

/* A living process renews within that time. */
static bool is_alone(const struct agent *a, uint64_t now_ms)
{
    const struct namesake *s = &a->namesake;
    return s->is_heard && !s->renewals &&
           now_ms >= s->heard_ms + QUIET_RENEWALS * (uint64_t)roster_timings(a->roster).renew_ms;
}

bool agent_may_answer(const struct agent *a, uint64_t now_ms)
{
    if (a->state == AGENT_START)
        return a->inc > 0;
    return !agent_namesake(a) || (a->state == AGENT_RETURN && is_alone(a, now_ms));
}
