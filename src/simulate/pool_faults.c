/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate/pool_world_internal.h"

enum {
    LEAST_PAUSE_MS = 200,
    PAUSES_MS = 1800,
    TRIES = 4,
    SOON_MS = 1500,
    DEEDS = 12,
    SLOWNESS = 10,
    MOST_BIRTHS = PW_BIRTHS - 16, /* the rest is for the time after the faults */
};

/* A process that runs, at random; NULL: there is none. */
static struct pw_process *any_process(struct pw *w)
{
    unsigned from = (unsigned)pw_below(w, w->process_count + 1);
    for (unsigned i = 0; i < w->process_count; i++) {
        struct pw_process *p = w->processes[(from + i) % w->process_count];
        if (p->is_alive && !p->frozen_ms)
            return p;
    }
    return NULL;
}

static struct pw_lane *any_lane(struct pw *w, struct pw_process *p)
{
    return &p->lanes[pw_below(w, p->lane_count)];
}

static uint64_t longer_than(struct pw *w, uint64_t ms)
{
    return ms + 200 + pw_below(w, ms);
}

/* Processes ------------------------------------------------------------------------------------ */

static bool kill(struct pw *w, struct pw_process *p, uint64_t back_ms)
{
    struct pw_name *n = &w->names[p->name];
    bool is_current = n->current == p;
    if (w->process_count >= MOST_BIRTHS)
        return false;
    pw_process_kill(w, p, pw_below(w, 3) > 0);
    if (is_current && !p->is_leaving)
        pw_at(w, &n->birth, w->now_ms + back_ms);
    return true;
}

static bool freeze(struct pw *w, struct pw_process *p, uint64_t for_ms)
{
    p->frozen_ms = w->now_ms + for_ms;
    pw_at(w, &p->turn, p->frozen_ms);
    return true;
}

static bool second(struct pw *w, struct pw_process *p, bool is_cut)
{
    struct pw_clock clock = pw_clock_new(w); /* of another machine */
    if (p->is_leaving || w->names[p->name].current != p || w->process_count >= MOST_BIRTHS)
        return false;
    if (is_cut)
        p->cut_up_ms = p->cut_down_ms = w->now_ms + longer_than(w, w->timings.dead_ms);
    pw_process_start(w, p->name, &clock);
    return true;
}

static bool join(struct pw *w)
{
    if (w->name_count == PW_NAMES || w->process_count >= MOST_BIRTHS)
        return false;
    pw_at(w, &w->names[w->name_count++].birth, w->now_ms);
    return true;
}

static unsigned staying(const struct pw *w)
{
    unsigned count = 0;
    for (unsigned i = 0; i < w->name_count; i++) {
        const struct pw_process *p = w->names[i].current;
        count += p && !p->is_leaving;
    }
    return count;
}

static bool leave(struct pw *w, struct pw_process *p)
{
    if (staying(w) < 2 || p->is_leaving || w->names[p->name].current != p)
        return false;
    p->is_leaving = true;
    pw_at(w, &p->turn, w->now_ms);
    return true;
}

static bool turn_bad(struct pw *w, struct pw_process *p, enum pw_trait trait)
{
    if (p->trait != PW_HONEST)
        return false;
    p->trait = trait;
    p->deeds = trait == PW_SENDS_JUNK ? 1 : DEEDS;
    pw_at(w, &p->turn, w->now_ms);
    return true;
}

static bool slow_down(struct pw_process *p)
{
    if (p->slowness > 1)
        return false;
    p->slowness = SLOWNESS;
    return true;
}

static bool hang(struct pw *w, struct pw_process *p)
{
    struct pw_lane *l = any_lane(w, p);
    for (struct list_node *n = l->tasks.first; n; n = n->next) {
        struct pw_task *t = LIST_OF(n, struct pw_task, node);
        if (t->state == PW_ASKED) {
            pw_never(w, &t->event);
            return true;
        }
    }
    return false;
}

/* The network ---------------------------------------------------------------------------------- */

static bool reset(struct pw *w, struct pw_process *p)
{
    struct pw_link *l = any_lane(w, p)->link;
    if (!l)
        return false;
    pw_close_down(w, l, true);
    return true;
}

static bool cut(struct pw *w, struct pw_process *p, bool is_up, bool is_down, uint64_t for_ms)
{
    if (is_up)
        p->cut_up_ms = w->now_ms + for_ms;
    if (is_down)
        p->cut_down_ms = w->now_ms + for_ms;
    return true;
}

/* While something is under way there. */
static bool hold(struct pw *w, struct pw_process *p, bool is_for_ever)
{
    struct pw_lane *l = any_lane(w, p);
    if (!l->link || !l->is_welcome || !l->tasks.first)
        return false;
    if (is_for_ever)
        l->link->swallows = true;
    else
        l->link->hold_ms = 2 * w->timings.dead_ms;
    return true;
}

/* Half of the time nothing comes to the manager any more. */
static bool lag(struct pw *w, struct pw_process *p)
{
    struct pw_lane *l = any_lane(w, p);
    if (!l->link || !l->is_welcome)
        return false;
    l->link->lag_ms = pw_between(w, w->timings.ping_ms / 2, w->timings.fence_ms);
    if (pw_below(w, 2))
        p->cut_up_ms = w->now_ms + pw_below(w, w->timings.dead_ms) + w->timings.dead_ms;
    return true;
}

static bool kill_manager(struct pw *w, uint64_t back_ms)
{
    if (!w->manager.is_alive)
        return false;
    pw_manager_kill(w);
    pw_at(w, &w->manager.event, w->now_ms + back_ms);
    return true;
}

/* Choosing ------------------------------------------------------------------------------------- */

static bool happens_to(struct pw *w, enum pool_world_fault f, struct pw_process *p)
{
    const struct pool_timings *t = &w->timings;
    switch (f) {
    case POOL_WORLD_KILL:
        return kill(w, p, pw_below(w, SOON_MS));
    case POOL_WORLD_KILL_LONG:
        return kill(w, p, longer_than(w, t->dead_ms));
    case POOL_WORLD_FREEZE:
        return freeze(w, p, 1 + pw_below(w, t->fence_ms));
    case POOL_WORLD_FREEZE_FENCE:
        return freeze(w, p, pw_between(w, t->fence_ms, t->dead_ms));
    case POOL_WORLD_FREEZE_DEAD:
        return freeze(w, p, longer_than(w, t->dead_ms));
    case POOL_WORLD_FREEZE_START:
        p->stops_before = true; /* and it is counted then */
        return false;
    case POOL_WORLD_LINK:
        return reset(w, p);
    case POOL_WORLD_CUT:
        return cut(w, p, true, true, pw_between(w, 100, t->dead_ms));
    case POOL_WORLD_CUT_LONG:
        return cut(w, p, true, true, longer_than(w, t->dead_ms));
    case POOL_WORLD_CUT_UP:
        return cut(w, p, true, false, longer_than(w, t->dead_ms));
    case POOL_WORLD_CUT_DOWN:
        return cut(w, p, false, true, longer_than(w, t->dead_ms));
    case POOL_WORLD_HOLD:
    case POOL_WORLD_SWALLOW:
        return hold(w, p, f == POOL_WORLD_SWALLOW);
    case POOL_WORLD_LAG:
        return lag(w, p);
    case POOL_WORLD_NAMESAKE:
    case POOL_WORLD_RETURN:
        return second(w, p, f == POOL_WORLD_RETURN);
    case POOL_WORLD_SLOW:
        return slow_down(p);
    case POOL_WORLD_HANG:
        return hang(w, p);
    case POOL_WORLD_FORGE:
        return turn_bad(w, p, PW_FORGES);
    case POOL_WORLD_STEAL:
        return turn_bad(w, p, PW_STEALS);
    case POOL_WORLD_JUNK:
        return turn_bad(w, p, PW_SENDS_JUNK);
    case POOL_WORLD_IDLE:
        return turn_bad(w, p, PW_IDLES);
    case POOL_WORLD_LEAVE:
        return leave(w, p);
    default:
        return false;
    }
}

static bool happens(struct pw *w, enum pool_world_fault f)
{
    struct pw_process *p;
    switch (f) {
    case POOL_WORLD_MANAGER:
        return kill_manager(w, pw_below(w, SOON_MS));
    case POOL_WORLD_MANAGER_LONG:
        return kill_manager(w, longer_than(w, w->timings.dead_ms));
    case POOL_WORLD_JOIN:
        return join(w);
    default:
        p = any_process(w);
        if (!p || !happens_to(w, f, p))
            return false;
        pw_say(w, "fault: %s, process %u", pool_world_fault_names[f], p->id);
        return true;
    }
}

static enum pool_world_fault any_fault(struct pw *w)
{
    uint64_t f = pw_below(w, POOL_WORLD_FAULTS);
    while (!(w->set.faults >> f & 1))
        f = (f + 1) % POOL_WORLD_FAULTS;
    return (enum pool_world_fault)f;
}

/* The faults are over: what is cut comes back, what misbehaved is started anew, and one member
 * works. */
static void heal(struct pw *w)
{
    w->is_healed = true;
    pw_say(w, "the faults are over");
    for (unsigned i = 0; i < w->process_count; i++) {
        struct pw_process *p = w->processes[i];
        if (!p->is_alive)
            continue;
        p->cut_up_ms = p->cut_down_ms = 0;
        p->slowness = 1;
        p->stops_before = false;
        if (w->names[p->name].current != p || p->trait != PW_HONEST)
            pw_process_kill(w, p, true);
    }
    for (unsigned i = 0; i < w->name_count; i++) {
        struct pw_name *n = &w->names[i];
        if (!n->current && !n->has_left && !n->birth.node.at)
            pw_at(w, &n->birth, w->now_ms);
    }
    if (!staying(w) && !w->names[0].birth.node.at)
        pw_at(w, &w->names[0].birth, w->now_ms);
}

void pw_fault(struct pw *w)
{
    if (w->now_ms >= w->set.trouble_ms || !(w->set.faults & ~(1u << POOL_WORLD_POISON_PAGE))) {
        heal(w);
        return;
    }
    for (int i = 0; i < TRIES; i++) {
        enum pool_world_fault f = any_fault(w);
        if (happens(w, f)) {
            w->report->faults[f]++;
            break;
        }
    }
    pw_at(w, &w->fault, w->now_ms + LEAST_PAUSE_MS + pw_below(w, PAUSES_MS));
}
