/* SPDX-License-Identifier: Apache-2.0 */
/* gates: which of the hosts that came to us may be asked.
 *
 * A host that other agents held since the last settled epoch opens when each of these holders, or
 * its adopter, has sent a handover mark of at least the epoch at which we gained the host. The mark
 * says: "I fetch nothing from it, and you have all that I know". A mark counts once it is durable
 * here. An adopted agent remains a holder until the epoch is settled, since `adopted` may be read
 * before its mark. */
#include "base/mem.h"
#include "cluster/protocol/agent_internal.h"

enum { MAX_HOLDERS = 64 };

static struct handover_mark *find_handover_mark(const struct gates *g, const char *holder, size_t n,
                                                uint64_t inc)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->handover_marks[i].inc == inc && strlen(g->handover_marks[i].holder) == n &&
            memcmp(g->handover_marks[i].holder, holder, n) == 0)
            return &g->handover_marks[i];
    return NULL;
}

void gates_handover_mark(struct agent *a, struct str holder, uint64_t inc, uint64_t epoch,
                         uint64_t position)
{
    struct gates *g = &a->gates;
    struct handover_mark *m = find_handover_mark(g, holder.p, holder.n, inc);
    if (!m) {
        struct handover_mark *marks = mem_grow(g->handover_marks, g->count, &g->cap, sizeof *marks);
        if (!marks) {
            agent_fail(a, RC_NOMEM, "no memory for a handover mark");
            return;
        }
        g->handover_marks = marks;
        m = &marks[g->count++];
        *m = (struct handover_mark){.inc = inc};
        memcpy(m->holder, holder.p, holder.n);
    }
    if (m->epoch >= epoch)
        return;
    m->epoch = epoch;
    m->position = position;
}

void gates_reset(struct agent *a)
{
    a->gates.count = a->gates.looked = 0;
    a->gates.are_open = false;
}

void gates_free(struct agent *a)
{
    mem_free(a->gates.handover_marks);
    mem_free(a->gates.formers);
}

static void remember_former(struct agent *a, const struct roster_entry *e)
{
    struct gates *g = &a->gates;
    if (e->victim.n > ROSTER_MAX_NAME_BYTES)
        return;
    struct former *formers = mem_grow(g->formers, g->former_count, &g->former_cap, sizeof *formers);
    if (!formers) {
        agent_fail(a, RC_NOMEM, "no memory for a former holder");
        return;
    }
    g->formers = formers;
    struct former *f = &g->formers[g->former_count++];
    *f = (struct former){.inc = e->inc};
    memcpy(f->name, e->victim.p, e->victim.n);
}

/* A valid entry was folded; NULL: folding begins anew. */
void gates_roster(struct agent *a, const struct roster_entry *e)
{
    if (!e || e->kind == ROSTER_SETTLED)
        a->gates.former_count = 0;
    else if (e->kind == ROSTER_ADOPTED)
        remember_former(a, e);
}

const struct roster_agent *gates_holder(const struct agent *a, size_t i)
{
    size_t count = roster_count(a->roster);
    if (i < count)
        return roster_at(a->roster, i);
    for (i -= count; i < a->gates.former_count; i++) {
        const struct former *f = &a->gates.formers[i];
        const struct roster_agent *r = roster_find_inc(a->roster, str_c(f->name), f->inc);
        if (r)
            return r;
    }
    return NULL;
}

bool gates_is_marked(const struct agent *a, const struct roster_agent *holder, uint64_t epoch)
{
    const struct handover_mark *m =
        find_handover_mark(&a->gates, holder->name, strlen(holder->name), holder->inc);
    return m && m->durable_epoch >= epoch;
}

static void age_handover_marks(struct agent *a)
{
    uint64_t durable = port_durable(a->port);
    for (size_t i = 0; i < a->gates.count; i++)
        if (a->gates.handover_marks[i].position < durable)
            a->gates.handover_marks[i].durable_epoch = a->gates.handover_marks[i].epoch;
}

void gates_look_anew(struct agent *a)
{
    a->gates.looked = 0;
    gates_look(a);
}

/* Checks all gates at the epoch that we have acted upon. While the roster stays as it is, marks are
 * only added, so each holder is checked until it has sent what is needed, and not again. */
void gates_look(struct agent *a)
{
    const struct roster_agent *me = agent_me(a), *holder;
    age_handover_marks(a);
    a->gates.are_open = false;
    if (!me || a->epoch != roster_epoch(a->roster))
        return;
    if (roster_is_open(a->roster))
        for (; (holder = gates_holder(a, a->gates.looked)); a->gates.looked++)
            if (holder != me && roster_held_for(a->roster, holder, me, a->epoch) &&
                !gates_is_marked(a, holder, a->epoch))
                return;
    a->gates.are_open = true;
}

bool gates_are_open(const struct agent *a, uint64_t host_hash)
{
    const struct roster_agent *list[MAX_HOLDERS], *me = agent_me(a);
    uint64_t gained = 0;
    if (!me)
        return false;
    if (a->gates.are_open)
        return true;
    size_t count = roster_holders(a->roster, host_hash, list, MAX_HOLDERS, &gained);
    if (count >= MAX_HOLDERS)
        return false;
    for (size_t i = 0; i < count; i++)
        if (list[i] != me && !gates_is_marked(a, list[i], gained))
            return false;
    return true;
}
