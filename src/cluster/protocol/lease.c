/* SPDX-License-Identifier: Apache-2.0 */
/* lease: the right to fetch, renewed in the roster.
 *
 * The age of the lease counts from the *sending* of the last renewal that was read back. So the
 * lease is never younger here than the log's stamp makes it for the agents that may declare us
 * dead: with fence < 5/6 of dead, we have stopped before they may. A jump of the clock and a
 * reconnection fence at once, since we may have been away for long. The fence opens when a renewal
 * that was sent after it is read back, with no death of ours before it. */
#include "cluster/protocol/agent_internal.h"

uint64_t lease_age_ms(const struct agent *a, uint64_t now_ms)
{
    const struct lease *l = &a->lease;
    if (!l->is_held)
        return UINT64_MAX;
    return now_ms > l->sent_ms ? now_ms - l->sent_ms : 0;
}

bool lease_is_good(const struct agent *a, uint64_t now_ms)
{
    const struct lease *l = &a->lease;
    return l->is_held && l->confirmed >= l->needed &&
           now_ms - l->last_now_ms <= a->settings.gap_ms &&
           lease_age_ms(a, now_ms) < roster_timings(a->roster).fence_ms;
}

void lease_fence(struct agent *a)
{
    a->lease.needed = a->lease.n + 1;
    a->lease.next_ms = 0;
    a->lease.calm_ms = a->now_ms;
}

bool lease_look(struct agent *a, uint64_t now_ms)
{
    struct lease *l = &a->lease;
    bool has_jumped = now_ms < l->last_now_ms || now_ms - l->last_now_ms > a->settings.gap_ms;
    l->last_now_ms = now_ms;
    if (has_jumped)
        lease_fence(a);
    return has_jumped;
}

static void read_back(struct agent *a, uint64_t confirmed, uint64_t sent_ms)
{
    struct lease *l = &a->lease;
    if (l->is_held && sent_ms < l->sent_ms)
        return;
    /* After a pause we must count the silence of the others anew. */
    if (!l->is_held || a->now_ms - l->sent_ms >= roster_timings(a->roster).fence_ms)
        l->calm_ms = a->now_ms;
    l->is_held = true;
    l->is_aborted = false;
    l->sent_ms = sent_ms;
    if (confirmed > l->confirmed)
        l->confirmed = confirmed;
}

void lease_read_back(struct agent *a, uint64_t n)
{
    for (size_t i = 0; i < LEASE_SENT; i++)
        if (a->lease.sent[i].n == n && a->lease.sent[i].at_ms)
            read_back(a, n, a->lease.sent[i].at_ms);
}

void lease_joined(struct agent *a)
{
    read_back(a, 0, a->lease.join_ms);
    a->lease.next_ms = 0; /* the join may have been sent long ago */
}

/* In RETURN we renew our former incarnation. These renewals do not count, but the log must have
 * heard an agent that accuses (cluster/roster/roster.h). */
static bool may_renew(const struct agent *a)
{
    switch (a->state) {
    case AGENT_RECOVER:
        return port_durable(a->port) >= a->boots.position;
    case AGENT_RETURN:
        return roster_find(a->roster, str_c(a->name)) != NULL;
    case AGENT_JOINING:
    case AGENT_UP:
    case AGENT_FENCED:
    case AGENT_LEAVING:
        return true;
    default:
        return false;
    }
}

static void renew(struct agent *a)
{
    struct lease *l = &a->lease;
    const struct roster_agent *former = roster_find(a->roster, str_c(a->name));
    bool is_return = a->state == AGENT_RETURN;
    struct roster_entry e = {.kind = ROSTER_RENEW,
                             .inc = is_return && former ? former->inc : a->inc,
                             .boot = is_return ? 0 : a->boot,
                             .n = l->n + 1,
                             .is_start = !is_return && former && former->inc == a->inc &&
                                         former->boot != a->boot};
    if (!roster_log_append(a, &e)) {
        l->next_ms = a->now_ms + a->settings.poll_ms;
        return;
    }
    l->n++;
    l->sent[l->n % LEASE_SENT].n = l->n;
    l->sent[l->n % LEASE_SENT].at_ms = a->now_ms;
    l->next_ms = a->now_ms + roster_timings(a->roster).renew_ms;
}

void lease_turn(struct agent *a)
{
    struct lease *l = &a->lease;
    if (may_renew(a) && a->is_connected) {
        if (l->next_ms <= a->now_ms)
            renew(a);
        agent_wake(a, l->next_ms);
    }
    struct roster_timings t = roster_timings(a->roster);
    uint64_t age = lease_age_ms(a, a->now_ms);
    if (age != UINT64_MAX && age >= t.abort_ms && !l->is_aborted) {
        l->is_aborted = true;
        port_abort(a->port);
    }
    if (age < t.abort_ms)
        agent_wake(a, l->sent_ms + (age < t.fence_ms ? t.fence_ms : t.abort_ms));
}
