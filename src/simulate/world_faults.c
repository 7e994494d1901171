/* SPDX-License-Identifier: Apache-2.0 */
/* world_faults: which faults happen, and when. They happen one after the other at random moments,
 * so several may hold at once. But servers lose what they acknowledged only while no agent is away
 * or dead, and no other fault happens for a while then: two copies cannot survive the loss of two
 * disks at once. */
#include "base/mem.h"
#include "simulate/world_internal.h"

enum {
    USUAL_DEAD_MS = 15000, /* the times below are meant for this `dead` */
    BETWEEN_MS = 8000,
    BETWEEN_MANY_MS = 3000,
    SERVER_QUIET_MS = 25000,
    SERVER_QUIET_MANY_MS = 12500,
    LATE_MS = 6000,
    /* in one of this many cases a single message differs, and all others keep their numbers */
    HOLES = 8,
    SERVERS = 1 << WORLD_SERVER_INBOX | 1 << WORLD_SERVER_ROSTER | 1 << WORLD_STORE,
};

const char *const world_fault_names[WORLD_FAULTS] = {"killed",
                                                     "killed, back late",
                                                     "power cut",
                                                     "disk wiped",
                                                     "older disk put back",
                                                     "frozen",
                                                     "frozen long",
                                                     "clock jumps",
                                                     "cut off",
                                                     "cut off long",
                                                     "reads late",
                                                     "no leader",
                                                     "leaves",
                                                     "weight changed",
                                                     "joins",
                                                     "servers lose inbox",
                                                     "servers lose roster",
                                                     "servers' store wiped",
                                                     "second process, same name",
                                                     "copies differ",
                                                     "fault at the end",
                                                     "all cut off, a disk wiped",
                                                     "a rack's power cut",
                                                     "a tenth cut off",
                                                     "NATS servers down"};

/* With longer timings everything takes longer. */
static uint64_t scaled(const struct world *w, uint64_t ms)
{
    return ms * w->timings.dead_ms / USUAL_DEAD_MS;
}

/* Long enough to be declared dead; among many agents not much longer. */
static uint64_t draw_late(struct world *w)
{
    uint64_t dead = w->timings.dead_ms;
    return dead + rng_below(&w->rng, world_is_large(w) ? dead : 3 * dead);
}

static struct world_agent *any_agent(struct world *w)
{
    for (int tries = 0; tries < 8; tries++) {
        struct world_agent *a = w->agents[rng_below(&w->rng, w->agent_count)];
        if (a->agent && a->is_here && !a->thaw_ms && !a->mend_ms)
            return a;
    }
    return NULL;
}

/* Agents that stay and are well: there must be one. */
static uint32_t count_up(const struct world *w)
{
    uint32_t up = 0;
    for (uint32_t i = 0; i < w->agent_count; i++)
        up += w->agents[i]->agent && w->agents[i]->is_here && !w->agents[i]->is_leaving &&
              !w->agents[i]->thaw_ms && !w->agents[i]->mend_ms;
    return up;
}

static void stay_away(struct world *w, struct world_agent *a, uint64_t for_ms)
{
    world_stop(w, a);
    a->gone_ms = w->now_ms;
    a->start_ms = w->now_ms + 1 + for_ms;
}

static void kill_agent(struct world *w, struct world_agent *a, enum world_fault f)
{
    uint64_t soon = rng_below(&w->rng, scaled(w, 6000));
    bool is_long = f == WORLD_STAY_AWAY || f == WORLD_RACK || rng_below(&w->rng, 4) == 0;
    invariants_allow(w, a, f == WORLD_WIPE || f == WORLD_ROLL_BACK);
    if (f == WORLD_POWER || f == WORLD_RACK)
        model_power_cut(&a->model, rng_below(&w->rng, 40));
    if (f == WORLD_WIPE || f == WORLD_ROLL_BACK) {
        uint64_t inc = model_inc(&a->model);
        bool is_inside = roster_find_inc(w->truth, str_c(a->name), inc) != NULL;
        a->stale_inc = is_inside ? inc : a->stale_inc;
        if (!is_inside)
            invariants_outside(w, a);
        if (f == WORLD_WIPE)
            model_wipe(&a->model);
        else
            model_roll_back(&a->model);
    }
    if (a == w->agents[0] && !w->urls[0].was_said)
        a->wants_seed = true; /* the operator gives the seeds again */
    world_stop(w, a);
    /* as the next process will find it */
    (void)!model_start(&a->model, a->model.now_ms, a->model.wall_ms);
    stay_away(w, a, is_long ? draw_late(w) : soon);
}

static void disturb(struct world *w, struct world_agent *a, enum world_fault f)
{
    uint64_t soon = 100 + rng_below(&w->rng, scaled(w, 8000));
    uint64_t late = draw_late(w);
    switch (f) {
    case WORLD_FREEZE:
    case WORLD_LONG_FREEZE:
        a->thaw_ms = w->now_ms + (f == WORLD_FREEZE ? soon : late);
        a->gone_ms = w->now_ms;
        break;
    case WORLD_JUMP:
        a->skew_ms += soon;
        model_clock_jumps(&a->model, soon);
        break;
    case WORLD_CUT:
    case WORLD_LONG_CUT:
        a->mend_ms = w->now_ms + (f == WORLD_CUT ? soon : late);
        a->gone_ms = w->now_ms;
        nats_sim_cut(w->servers, a->bus, true, w->now_ms);
        break;
    case WORLD_LAG:
        nats_sim_lag(w->servers, a->bus, rng_below(&w->rng, 3) ? w->roster_stream : -1,
                     w->now_ms + 2000 + 2 * soon, w->now_ms);
        break;
    case WORLD_LEAVE:
        agent_leave(a->agent);
        a->is_leaving = true;
        break;
    case WORLD_WEIGHT:
        /* 0: its disk is full */
        agent_set_weight(a->agent, 16 * (uint32_t)rng_below(&w->rng, 9));
        break;
    default:
        break;
    }
}

/* Neighbours, as in a rack; they come back after they were declared dead. */
static bool rack_fails(struct world *w)
{
    uint32_t most = 2 + w->set.agents / 125, count = 0;
    uint32_t from = (uint32_t)rng_below(&w->rng, w->agent_count);
    for (uint32_t i = from; i < w->agent_count && count < most; i++) {
        struct world_agent *a = w->agents[i];
        if (!a->agent || !a->is_here || a->thaw_ms || a->mend_ms)
            continue;
        kill_agent(w, a, WORLD_RACK);
        count++;
    }
    world_say(w, "%u agents lose power from a%u on", count, from);
    return count > 1;
}

/* For a while, but no agent is declared dead: a lease is up to `renew` old when it begins. */
static bool cut_many(struct world *w, uint32_t from, uint32_t count, uint64_t for_ms)
{
    uint32_t cut = 0;
    for (uint32_t i = from; i < w->agent_count && cut < count; i++) {
        struct world_agent *a = w->agents[i];
        if (!a->agent || !a->is_here || a->mend_ms)
            continue;
        a->mend_ms = w->now_ms + for_ms;
        a->gone_ms = a->gone_ms ? a->gone_ms : w->now_ms;
        nats_sim_cut(w->servers, a->bus, true, w->now_ms);
        cut++;
    }
    world_say(w, "%u agents are cut off from a%u on for %llu s", cut, from,
              (unsigned long long)(for_ms / 1000));
    return cut > 0;
}

static bool cut_some(struct world *w, enum world_fault f)
{
    uint64_t quarter = w->timings.dead_ms / 4;
    uint32_t tenth = w->set.agents / 10 + 1;
    if (f == WORLD_OUTAGE)
        return cut_many(w, 0, w->agent_count, quarter / 2 + rng_below(&w->rng, quarter));
    uint32_t first = (uint32_t)rng_below(&w->rng, w->agent_count - tenth);
    return cut_many(w, first, tenth, quarter + rng_below(&w->rng, quarter));
}

/* Long enough for outcomes to pile up: until about the fence. */
static bool go_dark(struct world *w, struct world_agent *victim)
{
    uint64_t fence = w->timings.fence_ms;
    uint64_t dark_ms = fence * 4 / 5 + rng_below(&w->rng, fence * 2 / 5);
    victim->doom_ms = w->now_ms + dark_ms - 1 - rng_below(&w->rng, dark_ms / 3);
    return cut_many(w, 0, w->agent_count, dark_ms);
}

static void doom_disk(struct world *w)
{
    for (uint32_t i = 0; i < w->agent_count; i++) {
        struct world_agent *a = w->agents[i];
        if (!a->doom_ms || a->doom_ms > w->now_ms)
            continue;
        a->doom_ms = 0;
        if (!a->agent || a->thaw_ms)
            continue;
        world_say(w, "%s: %s", a->name, world_fault_names[WORLD_DARK]);
        kill_agent(w, a, WORLD_WIPE);
    }
}

/* All agents are there and none is dead: they can send again what the servers lose. */
static bool may_servers_fail(struct world *w)
{
    if (roster_is_open(w->truth) || roster_epoch(w->truth) == 0)
        return false;
    for (uint32_t i = 0; i < w->agent_count; i++) {
        struct agent_status st;
        const struct world_agent *a = w->agents[i];
        if (!a->is_here)
            continue;
        if (!a->agent || a->thaw_ms || a->mend_ms)
            return false;
        agent_status(a->agent, world_agent_now(w, a), &st);
        if (st.state != AGENT_UP)
            return false;
    }
    return true;
}

static bool servers_fail(struct world *w, enum world_fault f)
{
    struct world_agent *a = any_agent(w);
    if (!a || !may_servers_fail(w))
        return false;
    int stream = f == WORLD_SERVER_ROSTER ? w->roster_stream : a->stream;
    uint64_t length = nats_sim_length(w->servers, stream);
    bool is_little = rng_below(&w->rng, 3);
    uint64_t lose = 1 + rng_below(&w->rng, is_little ? 6 : length + 1);
    if (f == WORLD_SERVER_ROSTER && lose >= length)
        return false;
    world_say(w, "servers lose %llu of %llu messages of %s", (unsigned long long)lose,
              (unsigned long long)length, f == WORLD_SERVER_ROSTER ? "the roster" : a->name);
    nats_sim_power_cut(w->servers, stream, lose, w->now_ms);
    if (f == WORLD_SERVER_ROSTER)
        world_roster_refold(w);
    else
        invariants_forget_held(a);
    w->quiet_until_ms =
        w->now_ms + scaled(w, world_is_large(w) ? SERVER_QUIET_MANY_MS : SERVER_QUIET_MS);
    return true;
}

/* All streams at once; an operator makes them again, sooner or later than `dead`. */
static bool store_wiped(struct world *w)
{
    uint64_t missing_ms = 1000 + rng_below(&w->rng, 2 * (uint64_t)w->timings.dead_ms);
    if (!may_servers_fail(w))
        return false;
    world_say(w, "the servers' store is wiped; the streams are missing for %llu ms",
              (unsigned long long)missing_ms);
    nats_sim_wipe(w->servers, w->now_ms + missing_ms, w->now_ms);
    world_roster_refold(w);
    for (uint32_t i = 0; i < w->agent_count; i++)
        invariants_forget_held(w->agents[i]);
    w->quiet_until_ms = w->now_ms + missing_ms + scaled(w, SERVER_QUIET_MS);
    return true;
}

static bool copies_differ(struct world *w)
{
    const struct world_agent *a = w->agents[rng_below(&w->rng, w->agent_count)];
    if (!a->is_here || nats_sim_split_at(w->servers, a->stream) != UINT64_MAX)
        return false;
    if (rng_below(&w->rng, HOLES)) {
        bool leads = rng_below(&w->rng, 2);
        nats_sim_split(w->servers, a->stream, 1 + rng_below(&w->rng, 4), leads);
    } else {
        nats_sim_hole(w->servers, a->stream, 1 + rng_below(&w->rng, 10));
    }
    world_say(w, "the copies of %s's stream differ from now on", a->name);
    return nats_sim_split_at(w->servers, a->stream) != UINT64_MAX;
}

/* The roster has the boot of this very process: an older disk cannot have it. */
static bool is_boot_known(const struct world *w, const struct world_agent *a)
{
    struct agent_status st;
    agent_status(a->agent, world_agent_now(w, a), &st);
    const struct roster_agent *r = roster_find_inc(w->truth, str_c(a->name), st.inc);
    return r && r->boot == st.boot;
}

static bool do_fault(struct world *w, enum world_fault f)
{
    struct world_agent *a = any_agent(w);
    switch (f) {
    case WORLD_NO_LEADER:
        nats_sim_no_leader(w->servers, w->now_ms + 1000 + rng_below(&w->rng, 9000));
        return true;
    case WORLD_JOIN:
        a = w->agent_count < w->set.agents + 3 ? world_new_agent(w) : NULL;
        if (a)
            a->start_ms = w->now_ms + 1;
        return a != NULL;
    case WORLD_SERVER_INBOX:
    case WORLD_SERVER_ROSTER:
        return servers_fail(w, f);
    case WORLD_STORE:
        return store_wiped(w);
    case WORLD_NAMESAKE:
        if (!namesake_begin(w, a))
            return false;
        break;
    case WORLD_SPLIT:
        return copies_differ(w);
    case WORLD_RACK:
        return rack_fails(w);
    case WORLD_PARTITION:
    case WORLD_OUTAGE:
        return cut_some(w, f);
    case WORLD_DARK:
        return a && go_dark(w, a);
    case WORLD_LEAVE:
        if (!a || count_up(w) < 3)
            return false;
        disturb(w, a, f);
        break;
    case WORLD_KILL:
    case WORLD_STAY_AWAY:
    case WORLD_POWER:
    case WORLD_WIPE:
    case WORLD_ROLL_BACK:
        if (!a || (f == WORLD_ROLL_BACK && !is_boot_known(w, a)))
            return false;
        kill_agent(w, a, f);
        break;
    default:
        if (!a)
            return false;
        disturb(w, a, f);
        break;
    }
    world_say(w, "%s: %s", a->name, world_fault_names[f]);
    return true;
}

static void mend_some(struct world *w, bool all)
{
    for (uint32_t i = 0; i < w->agent_count; i++) {
        struct world_agent *a = w->agents[i];
        if (a->mend_ms && (all || a->mend_ms <= w->now_ms)) {
            a->mend_ms = a->doom_ms = 0;
            if (a->bus)
                nats_sim_cut(w->servers, a->bus, false, w->now_ms);
            world_say(w, "%s is connected again", a->name);
        }
    }
}

void world_heal(struct world *w)
{
    const struct nats_sim_odds none = {0};
    w->is_healed = true;
    w->fault_ms = UINT64_MAX;
    mend_some(w, true);
    nats_sim_set_odds(w->servers, &none);
    for (uint32_t i = 0; i < w->agent_count; i++) {
        struct world_agent *a = w->agents[i];
        if (a->thaw_ms > w->now_ms)
            a->thaw_ms = w->now_ms + 1;
        if (a->agent) /* a full disk has room again */
            agent_set_weight(a->agent, ASSIGN_WEIGHT_ONE);
        if (!a->agent && a->is_here && !a->is_over && a->start_ms > w->now_ms + 1)
            a->start_ms = w->now_ms + 1;
    }
    world_say(w, "everything is mended");
}

void world_fault_late(struct world *w)
{
    if (w->is_late || !(w->set.faults >> WORLD_LATE & 1))
        return;
    w->is_late = true;
    w->fault_ms = w->now_ms + 1 + rng_below(&w->rng, w->scale ? w->timings.heartbeat_ms : LATE_MS);
}

/* The others say that the crawl is finished and end; an agent that is away meanwhile does not hear
 * them. */
static void late_fault(struct world *w)
{
    static const enum world_fault kinds[] = {WORLD_KILL,        WORLD_STAY_AWAY, WORLD_FREEZE,
                                             WORLD_LONG_FREEZE, WORLD_CUT,       WORLD_LONG_CUT};
    enum world_fault f = kinds[rng_below(&w->rng, sizeof kinds / sizeof *kinds)];
    struct world_agent *a = any_agent(w);
    w->fault_ms = UINT64_MAX;
    if (!a || a->is_over)
        return;
    namesake_stop(w);
    w->report->faults[WORLD_LATE]++;
    a->is_late = true;
    world_say(w, "%s: %s, when all is finished", a->name, world_fault_names[f]);
    if (f == WORLD_KILL || f == WORLD_STAY_AWAY)
        kill_agent(w, a, f);
    else
        disturb(w, a, f);
    if (a->mend_ms)
        w->fault_ms = a->mend_ms;
}

static uint64_t next_mend(const struct world *w)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < w->agent_count; i++) {
        const struct world_agent *a = w->agents[i];
        next = a->mend_ms && a->mend_ms < next ? a->mend_ms : next;
        next = a->doom_ms && a->doom_ms < next ? a->doom_ms : next;
    }
    return next;
}

/* Draws one of the faults that may happen, in a few tries. If the servers may fail, they do so
 * first: with disks wiped all the time they would never find all agents well. */
static enum world_fault choose_fault(struct world *w)
{
    uint32_t may = w->set.faults;
    if (may & SERVERS && !w->report->faults[WORLD_SERVER_INBOX] &&
        !w->report->faults[WORLD_SERVER_ROSTER] && !w->report->faults[WORLD_STORE])
        may &= SERVERS | 1 << WORLD_WEIGHT | 1 << WORLD_LAG;
    enum world_fault f = WORLD_KILL;
    for (int tries = 0; tries < 32; tries++) {
        f = (enum world_fault)rng_below(&w->rng, WORLD_RACK); /* those of few agents */
        if (may >> f & 1)
            break;
    }
    return f;
}

/* The only fault of a run with wipe_ms. */
static void wipe_last(struct world *w)
{
    struct world_agent *a = w->agents[w->agent_count - 1];
    for (uint32_t i = 0; i < w->set.hosts; i++) {
        const struct roster_agent *owner =
            roster_owner(w->truth, w->web.hosts[i].host_hash, roster_epoch(w->truth));
        w->hosts[i].is_wiped = owner && strcmp(owner->name, a->name) == 0;
    }
    w->asked_ms[0] = w->asked_ms[1] = w->now_ms;
    w->report->faults[WORLD_WIPE]++;
    world_say(w, "%s: %s", a->name, world_fault_names[WORLD_WIPE]);
    kill_agent(w, a, WORLD_WIPE);
    world_heal(w);
}

/* Called at fault_ms: mends what is due, then may cause a fault. */
void world_fault(struct world *w)
{
    doom_disk(w);
    mend_some(w, false);
    if (w->is_healed) {
        if (w->fault_ms != UINT64_MAX && !w->report->faults[WORLD_LATE])
            late_fault(w);
        else
            w->fault_ms = UINT64_MAX;
        return;
    }
    if (w->set.wipe_ms) {
        wipe_last(w);
        return;
    }
    enum world_fault f = w->scale ? scale_next_fault(w) : choose_fault(w);
    if (w->now_ms >= w->set.trouble_ms || f == WORLD_FAULTS) {
        world_heal(w);
        return;
    }
    bool wanted = w->set.faults >> f & 1;
    bool is_quiet = w->now_ms < w->quiet_until_ms || namesake_runs(w);
    bool happened = wanted && !is_quiet && do_fault(w, f);
    w->report->faults[f] += happened;
    if (w->scale && !is_quiet)
        scale_fault_done(w, happened);
    invariants_copies(w);
    w->fault_ms =
        w->now_ms + 1 + rng_below(&w->rng, scaled(w, w->scale ? BETWEEN_MANY_MS : BETWEEN_MS));
    uint64_t due = next_mend(w);
    if (due < w->fault_ms)
        w->fault_ms = due;
}
