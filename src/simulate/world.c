/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate/world.h"

#include "base/hash.h"
#include "base/mem.h"
#include "simulate/world_internal.h"

#include <stdio.h>

enum {
    FETCH_LEAST_MS = 50,
    FETCH_MOST_MS = 1200,
    HURRIED_MS = 60,
    RESTORE_BYTES = 2048, /* so small that a lost roster takes several entries */
    FACT_BUCKETS = 1 << 8,
    MANY_FACT_BUCKETS = 1 << 16,
};

static const struct world_pace few = {
    .poll_ms = 300,
    .gap_ms = 2000,
    .sync_ms = 700,
    .crawl_ms = 250,
    .look_ms = 2000,
    .outbox_most = 12, /* so low that the outbox is often full */
    .most_events = 4000000,
};

/* Among many agents a death takes minutes, so a second does not matter. */
static const struct world_pace many = {
    .poll_ms = 300,
    .gap_ms = 5000,
    .sync_ms = 1000,
    .crawl_ms = 2000,
    .look_ms = 10000,
    .outbox_most = 32,
    .most_events = UINT64_C(1) << 40,
};

/* As in a real agent (agent/cluster_nats.c): these runs measure times. */
static const struct world_pace usual = {
    .poll_ms = 100,
    .gap_ms = 5000,
    .sync_ms = 1000,
    .crawl_ms = 250,
    .look_ms = 10000,
    .most_events = 4000000,
};

bool world_is_large(const struct world *w)
{
    return w->set.all_hosts > 0;
}

/* ---- telling ---- */

void world_say(struct world *w, const char *format, ...)
{
    char *line = w->trail[w->trail_count++ % TRAIL_LINES];
    int at = snprintf(line, TRAIL_BYTES, "%8llu.%03llu ", (unsigned long long)(w->now_ms / 1000),
                      (unsigned long long)(w->now_ms % 1000));
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line + at, TRAIL_BYTES - (size_t)at, format, args);
    va_end(args);
}

void world_break(struct world *w, int invariant, const char *format, ...)
{
    if (w->report->broken)
        return;
    w->report->broken = invariant;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(w->report->why, sizeof w->report->why, format, args);
    va_end(args);
}

static void print_trail(const struct world *w, struct buf *out)
{
    uint64_t from = w->trail_count > TRAIL_LINES ? w->trail_count - TRAIL_LINES : 0;
    for (uint64_t i = from; i < w->trail_count; i++)
        buf_printf(out, "%s\n", w->trail[i % TRAIL_LINES]);
}

uint64_t world_agent_now(const struct world *w, const struct world_agent *a)
{
    return w->now_ms + a->skew_ms;
}

bool world_is_frozen(const struct world *w, const struct world_agent *a)
{
    return a->thaw_ms > w->now_ms;
}

/* ---- processes ---- */

struct world_agent *world_new_agent(struct world *w)
{
    char subject[64], stream[64];
    if (w->agent_count == w->agent_most)
        return NULL;
    struct world_agent *a = mem_zero(1, sizeof *a);
    if (!a)
        return NULL;
    w->agents[w->agent_count] = a;
    *a = (struct world_agent){.start_ms = UINT64_MAX, .skew_ms = 1000 + rng_below(&w->rng, 5000)};
    (void)snprintf(a->name, sizeof a->name, "a%u", w->agent_count);
    (void)snprintf(subject, sizeof subject, "orb.c.j.%s.", a->name);
    (void)snprintf(stream, sizeof stream, "ORB_c_%s", a->name);
    a->stream = nats_sim_stream(w->servers, str_c(stream), str_c(subject));
    a->next = (struct heap_node){.key = UINT64_MAX, .order = w->agent_count++};
    a->is_here = true;
    if (a->stream < 0 || model_init(&a->model, &w->web, a->name, w->facts) ||
        heap_add(&w->schedule, &a->next))
        return NULL;
    return a;
}

static void set_time(struct world *w, struct world_agent *a)
{
    a->model.now_ms = world_agent_now(w, a);
    a->model.wall_ms = WALL_MS + w->now_ms;
}

enum rc world_start(struct world *w, struct world_agent *a)
{
    struct agent_settings s = {.crawl = STR("c"),
                               .name = str_c(a->name),
                               .weight = ASSIGN_WEIGHT_ONE,
                               .seed = rng_next(&w->rng),
                               .gap_ms = w->pace.gap_ms,
                               .poll_ms = w->pace.poll_ms,
                               .outbox_most = w->pace.outbox_most,
                               .untold_most = w->set.is_unbounded ? 0 : w->set.untold_most,
                               .restore_most = world_is_large(w) ? 0 : RESTORE_BYTES,
                               .copies = w->set.faults >> WORLD_SPLIT & 1 ? 3 : 1,
                               .rings = w->rings};
    a->start_ms = UINT64_MAX;
    a->starts++;
    a->began_ms = w->now_ms;
    a->boot = a->epoch = a->generation = a->cursor = 0;
    a->thaw_ms = 0;
    a->bus = nats_sim_connect(w->servers, w->now_ms);
    if (!a->bus)
        return RC_NOMEM;
    nats_sim_set_owner(a->bus, a);
    enum rc rc = model_start(&a->model, world_agent_now(w, a), WALL_MS + w->now_ms);
    if (!rc && a->wants_seed) {
        rc = model_seed(&a->model);
        a->wants_seed = false;
    }
    if (!rc)
        rc = agent_open(&s, a->bus, &a->model.port, world_agent_now(w, a), &a->agent);
    if (!rc)
        /* the former process may have had another weight */
        agent_set_weight(a->agent, ASSIGN_WEIGHT_ONE);
    a->model.agent = a->agent;
    a->turn_ms = w->now_ms;
    a->sync_ms = w->now_ms + 1 + rng_below(&w->rng, w->pace.sync_ms);
    a->crawl_ms = w->now_ms + 1 + rng_below(&w->rng, w->pace.crawl_ms);
    if (a->mend_ms)
        nats_sim_cut(w->servers, a->bus, true, w->now_ms);
    world_say(w, "%s starts, process %llu", a->name, (unsigned long long)a->starts);
    return rc;
}

void world_stop(struct world *w, struct world_agent *a)
{
    if (!a->agent)
        return;
    (void)w;
    agent_close(a->agent);
    bus_close(a->bus);
    a->agent = a->model.agent = NULL;
    a->bus = NULL;
    a->thaw_ms = 0;
    for (size_t i = 0; i < WORLD_MAX_OPEN; i++)
        a->fetches[i].is_open = false;
}

/* ---- what a process does ---- */

static void end_fetch(struct world *w, struct world_agent *a, struct world_fetch *f, bool is_whole)
{
    f->is_open = false;
    if (!is_whole) {
        model_return(&a->model, f->url);
        w->report->refetch_allowance++;
        return;
    }
    struct agent_status st;
    agent_status(a->agent, a->model.now_ms, &st);
    a->model.inc = st.inc;
    w->urls[f->url].done_count++;
    w->report->refetches += w->urls[f->url].done_count > 1;
    if (model_record_outcome(&a->model, f->url))
        world_break(w, 12, "no memory");
    world_say(w, "%s has fetched u%u", a->name, f->url);
}

static void abort_fetches(struct world *w, struct world_agent *a)
{
    for (size_t i = 0; i < WORLD_MAX_OPEN; i++)
        if (a->fetches[i].is_open)
            end_fetch(w, a, &a->fetches[i], false);
    a->model.is_aborting = false;
}

static void end_fetches(struct world *w, struct world_agent *a)
{
    for (size_t i = 0; i < WORLD_MAX_OPEN; i++)
        if (a->fetches[i].is_open && a->fetches[i].end_ms <= w->now_ms)
            end_fetch(w, a, &a->fetches[i], true);
}

static void crawl_some(struct world *w, struct world_agent *a)
{
    for (size_t i = 0; i < WORLD_MAX_OPEN; i++) {
        struct world_fetch *f = &a->fetches[i];
        if (f->is_open)
            continue;
        f->url = model_claim(&a->model);
        if (f->url == UINT32_MAX)
            return;
        f->is_open = true;
        f->end_ms = w->now_ms + FETCH_LEAST_MS + rng_below(&w->rng, FETCH_MOST_MS);
        w->report->fetches++;
        world_say(w, "%s asks for u%u of h%u", a->name, f->url, w->web.urls[f->url].host);
        invariants_start(w, a, f->url);
    }
}

struct polled {
    struct world *w;
    struct world_agent *a;
};

static void each_event(void *ctx, const struct bus_event *e)
{
    struct polled *p = ctx;
    p->w->report->scale.heard += e->kind == BUS_HEARD;
    agent_event(p->a->agent, e, world_agent_now(p->w, p->a));
}

static void stopped(struct world *w, struct world_agent *a)
{
    world_say(w, "%s stops: %s", a->name, agent_why(a->agent));
    if (a == w->namesake) {
        namesake_ended(w);
        return;
    }
    if (strcmp(agent_why(a->agent), AGENT_NAMESAKE) == 0)
        world_break(w, 12, "%s takes a dead process for a living one", a->name);
    invariants_allow(w, a, true);
    world_stop(w, a);
    /* An agent that cannot continue with its directory begins with an empty one. */
    a->stale_inc = model_inc(&a->model);
    model_wipe(&a->model);
    (void)!model_start(&a->model, a->model.now_ms, a->model.wall_ms);
    a->start_ms = w->now_ms + 1000;
}

static void count_messages(struct world *w, const struct world_agent *a)
{
    struct agent_status st;
    agent_status(a->agent, world_agent_now(w, a), &st);
    w->report->appends += st.appends;
    w->report->gets += st.gets;
    w->report->says += st.says;
}

static void look_at_finish(struct world *w)
{
    if (!w->is_healed)
        return;
    bool all = true, any = false;
    for (uint32_t i = 0; i < w->agent_count; i++) {
        const struct world_agent *a = w->agents[i];
        any = any || a->is_over;
        /* The last of many agents would have to declare all others dead, one by one. */
        all = all && (a->is_over || !a->is_here || (a->is_late && w->scale));
    }
    if (all && any && w->finished_ms)
        w->is_finished = true;
}

/* The agent was told to leave, and could do so only when all others had ended. It waits for an
 * agent to which it could hand over, which is by design; in this simulation none comes. */
static bool is_last_with_nothing(const struct world *w)
{
    for (uint32_t u = 0; u < w->set.urls; u++)
        if (!w->urls[u].done_count)
            return false;
    return !roster_has_owners(w->truth);
}

/* The process ends as a real one does (agent/loop.c). No agent is told. */
static void look_whether_over(struct world *w, struct world_agent *a)
{
    struct agent_status st;
    agent_status(a->agent, a->model.now_ms, &st);
    if (w->is_healed && st.is_finished)
        world_fault_late(w);
    bool is_last = st.state == AGENT_LEAVING && is_last_with_nothing(w);
    if (!w->is_healed || !(st.may_end || is_last))
        return;
    if (is_last && !w->finished_ms)
        w->finished_ms = w->now_ms;
    count_messages(w, a);
    world_stop(w, a);
    a->is_over = true;
    world_say(w, "%s ends: the crawl is finished", a->name);
    look_at_finish(w); /* from now on nothing may happen */
}

static void agent_live(struct world *w, struct world_agent *a)
{
    struct polled p = {w, a};
    set_time(w, a);
    (void)bus_poll(a->bus, each_event, &p, SIZE_MAX);
    if (agent_turn(a->agent, a->model.now_ms)) {
        stopped(w, a);
        return;
    }
    if (a->model.is_aborting)
        abort_fetches(w, a);
    end_fetches(w, a);
    if (a->sync_ms <= w->now_ms) {
        model_sync(&a->model);
        a->is_hurried = false;
        a->sync_ms = w->now_ms + 1 + rng_below(&w->rng, 2 * w->pace.sync_ms);
    }
    if (a->model.wants_sync && !a->is_hurried) { /* not always: a disk may be slow */
        uint64_t ms = rng_below(&w->rng, 3) ? HURRIED_MS : 2 * w->pace.sync_ms;
        uint64_t at_ms = w->now_ms + 1 + rng_below(&w->rng, ms);
        a->is_hurried = true;
        a->sync_ms = at_ms < a->sync_ms ? at_ms : a->sync_ms;
    }
    if (a->crawl_ms <= w->now_ms) {
        crawl_some(w, a);
        a->crawl_ms = w->now_ms + w->pace.crawl_ms;
    }
    uint64_t due = agent_due_ms(a->agent);
    a->turn_ms = due == UINT64_MAX ? UINT64_MAX : due > a->skew_ms ? due - a->skew_ms : 0;
    if (a->turn_ms <= w->now_ms)
        a->turn_ms = w->now_ms + 1;
    invariants_agent(w, a);
    look_whether_over(w, a);
}

static uint64_t agent_next_ms(const struct world *w, const struct world_agent *a)
{
    if (!a->agent)
        return a->start_ms;
    uint64_t next = a->turn_ms;
    if (a->sync_ms < next)
        next = a->sync_ms;
    if (a->crawl_ms < next)
        next = a->crawl_ms;
    for (size_t i = 0; i < WORLD_MAX_OPEN; i++)
        if (a->fetches[i].is_open && a->fetches[i].end_ms < next)
            next = a->fetches[i].end_ms;
    if (world_is_frozen(w, a))
        next = a->thaw_ms;
    return next;
}

static void agent_step(struct world *w, struct world_agent *a)
{
    if (!a->agent) {
        if (world_start(w, a))
            world_break(w, 12, "%s does not start", a->name);
        return;
    }
    if (a->thaw_ms) {
        world_say(w, "%s thaws", a->name);
        a->thaw_ms = 0;
    }
    agent_live(w, a);
}

/* ---- the log as it is ---- */

void world_roster_refold(struct world *w)
{
    if (roster_epoch(w->truth) > w->epoch_seen)
        w->epoch_seen = roster_epoch(w->truth);
    roster_close(w->truth);
    w->truth = NULL;
    w->truth_taken = 0;
    w->hash_count = 0;
    if (roster_open_sharing(w->rings, &w->truth))
        world_break(w, 12, "no memory");
    w->is_founding = world_is_large(w); /* the rest of the log has been checked before */
    for (uint64_t i = 1; w->truth && i <= nats_sim_length(w->servers, w->roster_stream); i++)
        invariants_taken(w, w->roster_stream, i);
    w->is_founding = false;
}

static void stream_taken(void *ctx, int stream, uint64_t sequence)
{
    struct world *w = ctx;
    const struct nats_sim_message *m = nats_sim_at(w->servers, stream, sequence);
    uint64_t before = hash64_seeded(m->subject, w->report->messages_hash);
    w->report->messages_hash = hash64_seeded(m->payload, before);
    invariants_taken(w, stream, sequence);
}

/* ---- the loop ---- */

static void schedule(struct world *w, struct world_agent *a)
{
    heap_move(&w->schedule, &a->next, agent_next_ms(w, a));
}

static void schedule_all(struct world *w)
{
    for (uint32_t i = 0; i < w->agent_count; i++)
        schedule(w, w->agents[i]);
    if (w->namesake)
        schedule(w, w->namesake);
}

static void world_step(struct world *w)
{
    uint64_t at = nats_sim_next_ms(w->servers);
    struct world_agent *next = (struct world_agent *)heap_first(&w->schedule);
    if (next && next->next.key < at)
        at = next->next.key;
    else
        next = NULL;
    uint64_t fault = w->fault_ms;
    if (fault <= at) {
        w->now_ms = fault > w->now_ms ? fault : w->now_ms;
        world_fault(w);
        schedule_all(w);
        return;
    }
    w->now_ms = at > w->now_ms ? at : w->now_ms;
    if (!next) {
        struct bus *b = nats_sim_step(w->servers, w->now_ms);
        next = b ? nats_sim_owner(b) : NULL;
        if (!next || next->bus != b || !next->agent || world_is_frozen(w, next))
            return;
    }
    agent_step(w, next);
    schedule(w, next);
}

static enum rc found_cluster(struct world *w)
{
    struct buf out = {.max = 4096};
    roster_entry_write(&(struct roster_entry){.kind = ROSTER_FOUND,
                                              .timings = w->timings,
                                              .points = w->set.points,
                                              .probes = ASSIGN_PROBES},
                       &out);
    enum rc rc = buf_rc(&out);
    if (!rc)
        rc = nats_sim_append(w->servers, STR("orb.c.roster.operator"), buf_str(&out), 0);
    buf_done(&out);
    return rc;
}

static enum rc world_begin(struct world *w)
{
    /* Each lost message costs its caller 2 s; with ten entries a second all agents would be
     * late. */
    static const struct nats_sim_odds few_odds = {5, 5, 3, 30, 20, 10, 5};
    static const struct nats_sim_odds many_odds = {1, 1, 1, 10, 20, 10, 5};
    bool is_large = world_is_large(w);
    uint64_t unit = w->set.timings.dead_ms;
    struct web_shape shape = {w->set.hosts, w->set.urls, is_large ? unit / 6 : 1000,
                              is_large ? unit / 3 : 5000};
    rng_init(&w->rng, w->set.seed);
    w->timings = w->set.timings;
    w->pace = is_large ? many : w->set.wipe_ms ? usual : few;
    w->agent_most = w->set.agents + WORLD_MORE_AGENTS;
    w->agents = mem_zero(w->agent_most, sizeof(*w->agents));
    heap_init(&w->schedule, w->agent_most + 1); /* room for a namesake, too */
    w->facts = facts_open(is_large ? MANY_FACT_BUCKETS : FACT_BUCKETS);
    enum rc rc = web_init(&w->web, w->set.seed ^ 77, &shape);
    w->trail = mem_zero(TRAIL_LINES, sizeof *w->trail);
    w->urls = mem_zero(w->set.urls, sizeof *w->urls);
    w->hosts = mem_zero(w->set.hosts, sizeof *w->hosts);
    w->servers = nats_sim_open(w->set.seed, WALL_MS);
    if (rc || !w->trail || !w->urls || !w->hosts || !w->servers || !w->agents || !w->facts)
        return RC_NOMEM;
    if (!w->set.is_calm)
        nats_sim_set_odds(w->servers, is_large ? &many_odds : &few_odds);
    nats_sim_watch(w->servers, stream_taken, w);
    w->roster_stream = nats_sim_stream(w->servers, STR("ORB_c_ROSTER"), STR("orb.c.roster."));
    for (uint32_t i = 0; i < w->set.agents; i++) {
        struct world_agent *a = world_new_agent(w);
        if (!a)
            return RC_NOMEM;
        a->wants_seed = i == 0;
        a->start_ms = rng_below(&w->rng, is_large ? w->timings.renew_ms : 3000);
    }
    w->fault_ms = is_large ? w->timings.renew_ms + unit / 20 : 5000 + rng_below(&w->rng, 5000);
    w->fault_ms = w->set.wipe_ms ? w->set.wipe_ms : w->fault_ms;
    if (is_large)
        rc = scale_open(w);
    if (!rc)
        rc = roster_open_sharing(w->rings, &w->truth);
    if (!rc)
        rc = found_cluster(w);
    if (!rc && is_large)
        rc = scale_begin(w);
    schedule_all(w);
    return rc;
}

static void world_finish(struct world *w)
{
    for (int i = 0; i < NATS_SIM_FAULTS; i++)
        w->report->nats_sim_faults[i] = nats_sim_faults(w->servers)[i];
    for (uint32_t i = 0; i < w->agent_count; i++) {
        struct world_agent *a = w->agents[i];
        struct agent_status st = {0};
        char room[128];
        struct buf waits = buf_on(room, sizeof room);
        if (a->agent) {
            count_messages(w, a);
            agent_status(a->agent, world_agent_now(w, a), &st);
            agent_waits(a->agent, world_agent_now(w, a), &waits);
        }
        world_say(w,
                  "end: %s %s inc %llu epoch %llu settled %llu cursor %llu acked_through %llu "
                  "parcels %llu "
                  "pages %llu%s%s waits for " STR_FMT,
                  a->name,
                  a->agent     ? agent_state_text(st.state)
                  : a->is_over ? "ended"
                               : "away",
                  (unsigned long long)st.inc, (unsigned long long)st.epoch,
                  (unsigned long long)st.settled, (unsigned long long)st.cursor,
                  (unsigned long long)st.acked_through, (unsigned long long)st.parcels,
                  (unsigned long long)st.pages_unsent, st.gates_open ? " open" : "",
                  st.is_idle ? " idle" : "", STR_ARG(buf_str(&waits)));
    }
    w->report->epochs = w->truth ? roster_epoch(w->truth) : 0;
    w->report->ended_ms = w->now_ms;
}

static void world_end(struct world *w)
{
    namesake_free(w);
    for (uint32_t i = 0; i < w->agent_count; i++) {
        world_stop(w, w->agents[i]);
        model_done(&w->agents[i]->model);
        invariants_forget_held(w->agents[i]);
        mem_free(w->agents[i]);
    }
    nats_sim_close(w->servers);
    roster_close(w->truth);
    scale_free(w);
    roster_rings_close(w->rings);
    facts_close(w->facts);
    heap_done(&w->schedule);
    mem_free(w->agents);
    web_done(&w->web);
    mem_free(w->hashes);
    mem_free(w->trail);
    mem_free(w->urls);
    mem_free(w->hosts);
    mem_free(w);
}

enum rc world_run(const struct world_settings *s, struct world_report *ret, struct buf *trail)
{
    struct world *w = mem_zero(1, sizeof *w);
    if (!w)
        return RC_NOMEM;
    *ret = (struct world_report){0};
    w->set = *s;
    w->report = ret;
    enum rc rc = world_begin(w);
    while (!rc && !ret->broken && !w->is_finished) {
        world_step(w);
        ret->events++;
        if (w->look_ms <= w->now_ms) {
            w->look_ms = w->now_ms + w->pace.look_ms;
            invariants_copies(w);
        }
        if (w->now_ms > s->limit_ms || ret->events > w->pace.most_events)
            world_break(w, 12, "not finished after %llu s", (unsigned long long)(w->now_ms / 1000));
    }
    if (!rc && !ret->broken)
        invariants_end(w);
    if (!rc && w->scale)
        scale_end(w);
    if (!rc)
        world_finish(w);
    if (trail && ret->broken)
        print_trail(w, trail);
    world_end(w);
    return rc;
}
