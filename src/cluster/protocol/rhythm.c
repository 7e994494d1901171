/* SPDX-License-Identifier: Apache-2.0 */
/* rhythm: how soon the agent sends heartbeats, polls streams and syncs its journal.
 *
 * Usually each has its own rhythm: a heartbeat every `heartbeat`, a poll of a stream now and then,
 * a sync of the journal every second. That is enough while all agents have work. A step that other
 * agents wait for (an epoch that was acted upon, an acked_through that a handover needs, a gate, a
 * finish round) is announced at once, and what it needs is hurried. "At once" means some tens of
 * milliseconds after the last heartbeat, and longer the more agents there are, so that a thousand
 * agents with news do not flood the servers.
 *
 * Heartbeats say how much of the roster their sender has read and how many batches it has put into
 * other agents' streams. An agent that hears news polls, so that polls without news can be rare.
 * All this affects only timing: hints may be lost, late or wrong. */
#include "cluster/protocol/agent_internal.h"

enum {
    SOON_PART = 20,  /* of a heartbeat interval, between two heartbeats with news */
    SOON_CROWD = 16, /* agents for which the above holds; each further SOON_CROWD adds as much */
    /* messages that acked_through has passed since its last announcement, and that senders still
     * hold */
    ACKED_STEP = 256,
    QUICK_POLL_PART = 4 /* of the usual time between two polls */
};

static bool is_at_rest(struct agent *a)
{
    struct port_counts c = port_counts(a->port);
    return !c.queued && !c.open;
}

void rhythm_turn(struct agent *a)
{
    bool is_ordinary = a->state == AGENT_UP || a->state == AGENT_FENCED;
    a->rhythm.is_quick = !is_ordinary || roster_is_open(a->roster) || is_at_rest(a);
}

uint64_t rhythm_soon_ms(const struct agent *a)
{
    uint64_t heartbeat_ms = roster_timings(a->roster).heartbeat_ms;
    uint64_t ms = heartbeat_ms / SOON_PART * (1 + a->peers.count / SOON_CROWD);
    return ms > heartbeat_ms ? heartbeat_ms : ms ? ms : 1;
}

/* ---- looking ---- */

/* Heartbeats of other agents normally make us read the roster. This is for when they do not. */
uint64_t rhythm_log_ms(const struct agent *a)
{
    uint64_t heartbeat_ms = roster_timings(a->roster).heartbeat_ms;
    return a->rhythm.is_quick || !a->is_log_read || heartbeat_ms < a->settings.poll_ms
               ? a->settings.poll_ms
               : heartbeat_ms;
}

static uint64_t least_wait_ms(const struct agent *a)
{
    uint64_t ms = a->rhythm.is_quick ? a->settings.poll_ms / QUICK_POLL_PART : a->settings.poll_ms;
    return ms ? ms : 1;
}

/* The stream was empty: wait twice as long as the last time, up to a heartbeat interval. */
uint64_t rhythm_inbox_ms(struct agent *a)
{
    uint64_t heartbeat_ms = roster_timings(a->roster).heartbeat_ms;
    uint64_t most = heartbeat_ms > a->settings.poll_ms ? heartbeat_ms : a->settings.poll_ms;
    uint64_t ms = a->rhythm.wait_ms < least_wait_ms(a) ? least_wait_ms(a) : a->rhythm.wait_ms;
    a->rhythm.wait_ms = 2 * ms < most ? 2 * ms : most;
    return ms;
}

void rhythm_inbox_soon(struct agent *a)
{
    a->rhythm.wait_ms = 0;
    a->inbox.next_ms = 0;
    a->inbox.is_wanted = a->inbox.is_open; /* a message may have come since the open call began */
}

void rhythm_heard(struct agent *a, const struct heartbeat *before, const struct heartbeat *now)
{
    if (now->sent != before->sent)
        rhythm_inbox_soon(a);
    else if (now->epoch != before->epoch || now->finish_round != before->finish_round ||
             now->quiet != before->quiet || now->gates_open != before->gates_open)
        a->rhythm.wait_ms = 0;
}

/* ---- saying ---- */

static bool is_acked_through_news(const struct agent *a, const struct heartbeat *said,
                                  const struct heartbeat *now)
{
    if (now->has_acked_through != said->has_acked_through || now->generation != said->generation)
        return true;
    return now->acked_through != said->acked_through &&
           (a->rhythm.is_quick || now->acked_through < said->acked_through ||
            now->acked_through - said->acked_through >= ACKED_STEP);
}

/* Whether another agent may wait to hear this. */
static bool is_news(const struct agent *a, const struct heartbeat *now)
{
    const struct heartbeat *said = &a->rhythm.said;
    return a->rhythm.news != a->rhythm.news_said || now->epoch != said->epoch ||
           now->gates_open != said->gates_open || now->finish_round != said->finish_round ||
           now->quiet != said->quiet || now->is_finished != said->is_finished || now->is_home ||
           is_acked_through_news(a, said, now) || (a->rhythm.is_quick && now->sent != said->sent);
}

bool rhythm_may_say(struct agent *a, const struct heartbeat *now)
{
    uint64_t at_ms = a->traffic.next_heartbeat_ms;
    if (a->rhythm.said_ms + rhythm_soon_ms(a) < at_ms && is_news(a, now))
        at_ms = a->rhythm.said_ms + rhythm_soon_ms(a);
    if (at_ms > a->now_ms)
        agent_wake(a, at_ms);
    return at_ms <= a->now_ms;
}

void rhythm_said(struct agent *a, const struct heartbeat *h)
{
    a->rhythm.said = *h;
    a->rhythm.said_ms = a->now_ms;
    a->rhythm.news_said = a->rhythm.news;
}

/* ---- the journal ---- */

/* Nothing counts before it is durable. */
static bool awaits_disk(struct agent *a)
{
    const struct inbox *in = &a->inbox;
    uint64_t durable = port_durable(a->port);
    bool is_taken = false;
    if (in->count) {
        size_t last = (in->first + in->count - 1) % INBOX_MAX_UNCONFIRMED;
        is_taken = in->list[last].position > durable;
    }
    return is_taken || a->boots.position > durable || in->generation_position > durable ||
           port_counts(a->port).last > durable;
}

static bool is_peer_idle(const struct agent *a)
{
    for (size_t i = 0; i < a->peers.count; i++)
        if (a->peers.list[i].is_heard && a->peers.list[i].last.quiet)
            return true;
    return false;
}

void rhythm_hurry(struct agent *a)
{
    if (awaits_disk(a) && (a->rhythm.is_quick || untold_presses(a) || is_peer_idle(a)))
        port_hurry(a->port);
}
