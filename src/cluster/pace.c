/* SPDX-License-Identifier: Apache-2.0 */
/* pace: how soon things are said, looked for and made durable.
 *
 * Left alone, everything comes by and by: a heartbeat every `beat`, a look at a stream now and
 * then, a sync of the journal every second. That is enough while all have work. A step that others
 * wait for (an epoch acted upon, a floor that a hand-over waits for, a gate, a round of finishing)
 * is said at once, and what it needs is hurried. At once is: some tens of milliseconds after the
 * last word, more of them the more agents there are, so that a thousand who all have something to
 * say are no flood.
 *
 * Heartbeats say how much of the roster was read and how often something was put into others'
 * streams: who hears that looks, so that looks without news may be rare. Nothing of this is needed
 * for anything but time: hints may be lost, late or lies. */
#include "cluster/inside.h"

enum {
    SOON_PART = 20,     /* of a beat, between two words */
    SOON_CROWD = 16,    /* agents for which it takes that long; twice as many: one such more */
    FLOOR_STEP = 256,   /* messages that a floor has passed, and senders hold since */
    QUICK_POLL_PART = 4 /* of the usual time between two looks */
};

static bool is_at_rest(struct agent *a)
{
    struct port_counts c = port_counts(a->port);
    return !c.queued && !c.open;
}

void pace_turn(struct agent *a)
{
    bool is_ordinary = a->state == AGENT_UP || a->state == AGENT_FENCED;
    a->pace.is_quick = !is_ordinary || roster_is_open(a->roster) || is_at_rest(a);
}

uint64_t pace_soon_ms(const struct agent *a)
{
    uint64_t beat_ms = roster_timings(a->roster).beat_ms;
    uint64_t ms = beat_ms / SOON_PART * (1 + a->peers.count / SOON_CROWD);
    return ms > beat_ms ? beat_ms : ms ? ms : 1;
}

/* ---- looking ---- */

/* Others' heartbeats bring us back to the roster: this is for when they do not. */
uint64_t pace_log_ms(const struct agent *a)
{
    uint64_t beat_ms = roster_timings(a->roster).beat_ms;
    return a->pace.is_quick || !a->is_log_read || beat_ms < a->settings.poll_ms
               ? a->settings.poll_ms
               : beat_ms;
}

static uint64_t least_wait_ms(const struct agent *a)
{
    uint64_t ms = a->pace.is_quick ? a->settings.poll_ms / QUICK_POLL_PART : a->settings.poll_ms;
    return ms ? ms : 1;
}

/* Nothing was there: twice as long as the last time, up to a beat. */
uint64_t pace_inbox_ms(struct agent *a)
{
    uint64_t beat_ms = roster_timings(a->roster).beat_ms;
    uint64_t most = beat_ms > a->settings.poll_ms ? beat_ms : a->settings.poll_ms;
    uint64_t ms = a->pace.wait_ms < least_wait_ms(a) ? least_wait_ms(a) : a->pace.wait_ms;
    a->pace.wait_ms = 2 * ms < most ? 2 * ms : most;
    return ms;
}

void pace_inbox_soon(struct agent *a)
{
    a->pace.wait_ms = 0;
    a->inbox.next_ms = 0;
    a->inbox.is_wanted = a->inbox.is_open; /* what it looks for may have come since it began */
}

void pace_heard(struct agent *a, const struct heartbeat *before, const struct heartbeat *now)
{
    if (now->sent != before->sent)
        pace_inbox_soon(a);
    else if (now->epoch != before->epoch || now->round != before->round ||
             now->quiet != before->quiet || now->gates_open != before->gates_open)
        a->pace.wait_ms = 0;
}

/* ---- saying ---- */

static bool is_floor_news(const struct agent *a, const struct heartbeat *said,
                          const struct heartbeat *now)
{
    if (now->has_floor != said->has_floor || now->generation != said->generation)
        return true;
    return now->floor != said->floor &&
           (a->pace.is_quick || now->floor < said->floor || now->floor - said->floor >= FLOOR_STEP);
}

/* Whether somebody may wait to hear this. */
static bool is_news(const struct agent *a, const struct heartbeat *now)
{
    const struct heartbeat *said = &a->pace.said;
    return a->pace.news != a->pace.news_said || now->epoch != said->epoch ||
           now->gates_open != said->gates_open || now->round != said->round ||
           now->quiet != said->quiet || now->is_finished != said->is_finished || now->is_home ||
           is_floor_news(a, said, now) || (a->pace.is_quick && now->sent != said->sent);
}

bool pace_may_say(struct agent *a, const struct heartbeat *now)
{
    uint64_t at_ms = a->next_beat_ms;
    if (a->pace.said_ms + pace_soon_ms(a) < at_ms && is_news(a, now))
        at_ms = a->pace.said_ms + pace_soon_ms(a);
    if (at_ms > a->now_ms)
        agent_wake(a, at_ms);
    return at_ms <= a->now_ms;
}

void pace_said(struct agent *a, const struct heartbeat *h)
{
    a->pace.said = *h;
    a->pace.said_ms = a->now_ms;
    a->pace.news_said = a->pace.news;
}

/* ---- the journal ---- */

/* Nothing counts before it is durable. */
static bool awaits_disk(struct agent *a)
{
    const struct inbox *in = &a->inbox;
    uint64_t durable = port_durable(a->port);
    bool is_taken = false;
    if (in->count) {
        size_t last = (in->first + in->count - 1) % INBOX_MAX_UNFLOORED;
        is_taken = in->list[last].position > durable;
    }
    return is_taken || a->boot_position > durable || in->generation_position > durable ||
           port_counts(a->port).last > durable;
}

static bool is_somebody_idle(const struct agent *a)
{
    for (size_t i = 0; i < a->peers.count; i++)
        if (a->peers.list[i].is_heard && a->peers.list[i].last.quiet)
            return true;
    return false;
}

void pace_hurry(struct agent *a)
{
    if (awaits_disk(a) && (a->pace.is_quick || untold_presses(a) || is_somebody_idle(a)))
        port_hurry(a->port);
}
