/* SPDX-License-Identifier: Apache-2.0 */
/* untold: pages that were fetched here and that our stream has not acknowledged as done.
 *
 *   asked ─► journalled ─► durable ─► read by the outbox ─► its links safe ─► outcome acknowledged
 *   └ open ┘ └────────── unread ────┘ └───────────── waiting ──────────────┘   told
 *
 * If this agent's disk is lost, or it counts as dead, the owners of then ask for the untold pages
 * again, and for the open ones. So untold pages are bounded: at the bound the agent lends no host
 * until a quarter of it is told. What is open then still comes to its end, so that one death costs
 * at most the bound and what was open. (Open pages do not count: an agent may have thousands of
 * them at slow hosts.) Above half of the bound it hurries.
 *
 * Nothing waits for the pause. Renewals, heartbeats, our stream, hand-overs and adoptions go on,
 * and they are all that an outcome waits for. An agent with queued URLs is not idle, so the crawl
 * does not end meanwhile. */
#include "cluster/inside.h"

enum { STATUS_LEAST = 100 }; /* an answer of the host: what has none cost the host no page */

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

/* Journalled, and not read by the outbox; `unknown` before it has read the first page of those that
 * it keeps. */
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

/* Of what is not known it may be as many as are allowed. */
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

bool agent_may_lend(struct agent *a)
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
