/* SPDX-License-Identifier: Apache-2.0 */
/* The web servers, which see every request, and the invariants of docs/pool-protocol.md. */
#include "simulate/pool_world_internal.h"

enum { SOON_MS = 300 };

/* Counts the check; false: it does not hold. */
static bool holds(struct pw *w, enum pool_world_invariant i, bool is_so)
{
    w->report->checked[i]++;
    return is_so;
}

static struct pw_host *host_of(struct pw *w, const struct pw_task *t)
{
    return &w->hosts[w->urls[t->url].host];
}

/* Requests ------------------------------------------------------------------------------------- */

/* A process that stands still may have one request open; so may one that stood still until now. */
static void check_open(struct pw *w, const struct pw_host *h, const struct pw_task *t, bool is_late)
{
    for (unsigned i = 0; i < h->open_count; i++) {
        const struct pw_process *other = h->open[i]->lane->process;
        bool is_excused =
            other != t->lane->process && (is_late || other->frozen_ms || pw_is_frozen(w, other));
        w->report->frozen_overlaps += is_excused;
        if (!holds(w, POOL_WORLD_ONE_OPEN, is_excused))
            pw_break(w, POOL_WORLD_ONE_OPEN, "url %u is asked by process %u while %u asks url %u",
                     t->url, t->lane->process->id, other->id, h->open[i]->url);
    }
    (void)holds(w, POOL_WORLD_ONE_OPEN, true);
}

/* By the manager's clock, which counts the delay. */
static void check_delay(struct pw *w, struct pw_host *h, const struct pw_task *t, bool is_late)
{
    uint64_t now_ms = pw_manager_now(w);
    bool is_excused = !h->was_asked || is_late || h->was_late;
    if (!holds(w, POOL_WORLD_DELAY, is_excused || now_ms - h->asked_ms >= h->delay_ms))
        pw_break(w, POOL_WORLD_DELAY, "url %u is asked after %llu ms, not %llu", t->url,
                 (unsigned long long)(now_ms - h->asked_ms), (unsigned long long)h->delay_ms);
    h->was_asked = true;
    h->was_late = is_late;
    h->asked_ms = now_ms;
}

/* While the manager that gave the ticket lives, it has not voided it. */
static void check_ticket(struct pw *w, const struct pw_host *h, const struct pw_task *t)
{
    const struct pw_manager *m = &w->manager;
    if (!m->is_alive || m->session != t->lane->session)
        return;
    bool has_it = h->is_out && h->visit.ticket.number == t->ticket &&
                  h->visit.post->process == t->lane->process;
    if (!holds(w, POOL_WORLD_LEASE, has_it))
        pw_break(w, POOL_WORLD_LEASE, "process %u asks url %u, whose ticket %llu is void",
                 t->lane->process->id, t->url, (unsigned long long)t->ticket);
}

void pw_asked(struct pw *w, struct pw_task *t, bool is_late)
{
    struct pw_host *h = host_of(w, t);
    struct pw_url *u = &w->urls[t->url];
    u->requests++;
    w->report->requests++;
    w->report->late_starts += is_late;
    pw_say(w, "process %u asks url %u%s", t->lane->process->id, t->url, is_late ? ", late" : "");
    check_open(w, h, t, is_late);
    check_delay(w, h, t, is_late);
    if (!is_late)
        check_ticket(w, h, t);
    if (!holds(w, POOL_WORLD_REQUESTS, u->requests <= 1 + u->orphanings + is_late))
        pw_break(w, POOL_WORLD_REQUESTS, "url %u is asked %u times, orphaned %u times", t->url,
                 u->requests, u->orphanings);
    if (h->open_count < PW_MOST_OPEN)
        h->open[h->open_count++] = t;
    else
        pw_break(w, POOL_WORLD_ONE_OPEN, "a host has %u open requests", h->open_count);
}

void pw_ended(struct pw *w, struct pw_task *t)
{
    struct pw_host *h = host_of(w, t);
    for (unsigned i = 0; i < h->open_count; i++)
        if (h->open[i] == t) {
            h->open[i] = h->open[--h->open_count];
            return;
        }
}

/* Tickets -------------------------------------------------------------------------------------- */

static unsigned suspects_of(const struct pw *w, const struct pw_process *p)
{
    unsigned count = 0;
    for (unsigned i = 0; i < w->set.manager_shards; i++)
        for (struct list_node *n = w->manager.posts[i].first; n; n = n->next) {
            const struct pw_post *post = LIST_OF(n, struct pw_post, node);
            count += post->process == p ? post->suspects : 0;
        }
    return count;
}

void pw_check_given(struct pw *w, const struct pw_post *p, const struct pw_visit *v)
{
    struct pw_manager *m = &w->manager;
    if (!holds(w, POOL_WORLD_NUMBERS, v->ticket.number > m->last_ticket[p->shard]))
        pw_break(w, POOL_WORLD_NUMBERS, "ticket %llu after %llu",
                 (unsigned long long)v->ticket.number,
                 (unsigned long long)m->last_ticket[p->shard]);
    m->last_ticket[p->shard] = v->ticket.number;
    if (!holds(w, POOL_WORLD_WINDOW, p->given <= m->window && suspects_of(w, p->process) <= 1))
        pw_break(w, POOL_WORLD_WINDOW, "process %u has %u tickets at a lane, and %u suspects",
                 p->process->id, p->given, suspects_of(w, p->process));
}

void pw_check_taken(struct pw *w, const struct pw_link *l, const struct pw_visit *v)
{
    bool is_its = v->post->process == l->process && v->post->number == l->lane;
    if (!holds(w, POOL_WORLD_ITS_TICKET, is_its))
        pw_break(w, POOL_WORLD_ITS_TICKET, "process %u answers ticket %llu of process %u",
                 l->process->id, (unsigned long long)v->ticket.number, v->post->process->id);
}

void pw_check_settled(struct pw *w, struct pw_url *u)
{
    if (!holds(w, POOL_WORLD_SETTLED_ONCE, u->settled == 1))
        pw_break(w, POOL_WORLD_SETTLED_ONCE, "url %u is settled %u times", u->number, u->settled);
    if (!u->is_given_up)
        return;
    w->report->unlucky += !u->is_poison;
    if (!holds(w, POOL_WORLD_POISON, u->is_poison || u->poison_blames < u->blames))
        pw_break(w, POOL_WORLD_POISON, "url %u is given up for deaths by the poison page",
                 u->number);
}

/* The page that kills travels once among others before it is a suspect; a manager that is killed
 * then may forget that. As a suspect it is blamed alone. */
void pw_check_blame(struct pw *w, const struct pw_post *p, const struct pw_url *u, bool is_blamed)
{
    const struct pw_process *process = p->process;
    bool is_known = process->is_poisoned && process->died_of_suspect &&
                    w->now_ms < process->died_ms + w->timings.dead_ms + SOON_MS;
    if (!holds(w, POOL_WORLD_POISON, u->is_poison || u->poison_blames <= 1 + w->manager.kills))
        pw_break(w, POOL_WORLD_POISON, "url %u is blamed %u times for deaths by the poison page",
                 u->number, u->poison_blames);
    if (!holds(w, POOL_WORLD_POISON, u->is_poison || !is_blamed || !is_known))
        pw_break(w, POOL_WORLD_POISON, "url %u is blamed beside a suspect", u->number);
}

/* Lanes ---------------------------------------------------------------------------------------- */

void pw_check_dead(struct pw *w, const struct pw_post *p)
{
    const struct pw_process *process = p->process;
    bool is_over = !process->is_alive || p->number >= process->lane_count ||
                   pool_lease_look(&process->lanes[p->number].lease, pw_process_now(w, process)) ==
                       POOL_NO_LEASE;
    if (!holds(w, POOL_WORLD_LEASE, is_over))
        pw_break(w, POOL_WORLD_LEASE, "process %u has a lease, and its lane %u is dead",
                 process->id, p->number);
}

void pw_check_roll(struct pw *w)
{
    const struct pw_manager *m = &w->manager;
    struct str names[PW_NAMES];
    unsigned count = pool_roll_names(m->roll, names, PW_NAMES);
    bool is_same = count == m->present_count;
    for (unsigned i = 0; is_same && i < count; i++)
        is_same = str_eq(names[i], str_c(w->names[m->present[i]].text));
    if (!holds(w, POOL_WORLD_ROLL, is_same))
        pw_break(w, POOL_WORLD_ROLL, "the roll has %u members, not %u, or others", count,
                 m->present_count);
}

void pw_check_end(struct pw *w)
{
    for (uint32_t i = 0; i < w->set.urls; i++) {
        const struct pw_url *u = &w->urls[i];
        if (!holds(w, POOL_WORLD_NOTHING_LOST, u->settled == 1))
            pw_break(w, POOL_WORLD_NOTHING_LOST, "url %u is settled %u times", i, u->settled);
        if (u->is_poison && !holds(w, POOL_WORLD_POISON, u->is_given_up))
            pw_break(w, POOL_WORLD_POISON, "the poison page %u is not given up", i);
    }
}
