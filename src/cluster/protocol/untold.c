/* SPDX-License-Identifier: Apache-2.0 */
/* untold: pages that were fetched here and that our stream has not acknowledged as done.
 *
 *   asked ─► journalled ─► durable ─► read by the outbox ─► its links safe ─► outcome acknowledged
 *   └ open ┘ └────────── unread ────┘ └───────────── waiting ──────────────┘   told
 *
 * If this agent's disk is lost, or it counts as dead, the new owners fetch the untold and the open
 * pages again. So untold pages are bounded: at the bound the agent checks out no host until a
 * quarter of the bound is told. Pages that are open then are still finished, so one death costs at
 * most the bound and the open pages. (Open pages do not count towards the bound: an agent may have
 * thousands of them at slow hosts.) Above half of the bound the agent hurries.
 *
 * No other task waits for the pause. Renewals, heartbeats, our stream, handovers and adoptions
 * continue, and an outcome needs nothing else. An agent with queued URLs is not idle, so the crawl
 * does not end meanwhile. */
#include "cluster/protocol/agent_internal.h"

/* the host answered; a request without an answer cost the host no page */
enum { STATUS_LEAST = 100 };

static bool is_fetched(const struct port_batch *b)
{
    for (size_t i = 0; i < b->outcome_count; i++)
        if (b->outcome[i].kind == RECORD_DONE && b->outcome[i].status >= STATUS_LEAST)
            return true;
    return false;
}

void untold_read(struct agent *a, struct source *s, const struct port_batch *b)
{
    if (b->outcome_count) {
        a->untold.read = b->pages;
        a->untold.is_read_known = true;
    }
    s->is_fetched = is_fetched(b);
    a->untold.waiting += s->is_fetched;
}

void untold_set(struct agent *a, struct source *s, bool is_told)
{
    if (!s->is_fetched || s->is_told == is_told)
        return;
    s->is_told = is_told;
    if (is_told)
        a->untold.waiting--;
    else
        a->untold.waiting++;
}

void untold_reset(struct agent *a)
{
    a->untold.waiting = 0;
    a->untold.is_read_known = false;
}

/* Pages that are journalled and that the outbox has not read; `unknown` before it has read the
 * first one. */
static uint64_t unread(const struct agent *a, const struct port_counts *c, uint64_t unknown)
{
    const struct untold *u = &a->untold;
    if (a->outbox.read_from >= c->last)
        return 0;
    if (!u->is_read_known)
        return unknown;
    return c->journalled > u->read ? c->journalled - u->read : 0;
}

uint64_t untold_count(const struct agent *a)
{
    struct port_counts c = port_counts(a->port);
    return a->untold.waiting + unread(a, &c, 0);
}

/* If the number is not known, it may be as high as the bound. */
static uint64_t most_untold(const struct agent *a)
{
    struct port_counts c = port_counts(a->port);
    return a->untold.waiting + unread(a, &c, a->settings.untold_most);
}

bool untold_presses(const struct agent *a)
{
    uint64_t most = a->settings.untold_most;
    return most && most_untold(a) > most / 2;
}

bool untold_is_paused(const struct agent *a)
{
    bool is_ordinary = a->state == AGENT_UP || a->state == AGENT_FENCED;
    return is_ordinary && a->untold.is_paused;
}

bool agent_may_claim(struct agent *a)
{
    uint64_t most = a->settings.untold_most;
    uint64_t count = most ? most_untold(a) : 0;
    if (!most)
        return true;
    if (count >= most)
        a->untold.is_paused = true;
    else if (count <= most - most / 4 - 1)
        a->untold.is_paused = false;
    return !a->untold.is_paused;
}
