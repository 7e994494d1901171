/* SPDX-License-Identifier: Apache-2.0 */
/* scale: what a world of many agents has in addition.
 *
 * It begins with a cluster that has grown to its size: the log holds all joins, each settled, and
 * every agent has journalled it; its first process then starts as after a stop. From there on only
 * the protocol's own code runs. Every kind of fault happens at least once, in an order that the
 * seed decides.
 *
 * All hosts count where only a ring is asked (shares at the start and at the end; a sample of them
 * at every epoch, for what a change moves). Some of them are modelled, with their URLs and all
 * invariants. */
#include "base/hash.h"
#include "base/mem.h"
#include "simulate/world_internal.h"

#include <math.h>
#include <stdio.h>

enum {
    MOST_SAMPLE = 200000,
    MOST_PLAN = 64,
    MOST_TRIES = 200,
    MOST_WEIGHT = 2 * ASSIGN_WEIGHT_ONE,
    FACT_INC = 1, /* cluster/protocol/facts.c */
    FACT_BOOT = 2,
    FACT_ROSTER = 6,
    ANYBODY = UINT16_MAX,
    MAX_FACT_BYTES = 512,
};

struct scale {
    enum world_fault plan[MOST_PLAN];
    size_t plan_count, plan_at, tries;
    uint16_t *owners; /* of the sample, at the last epoch */
    uint64_t *counts; /* by agent */
};

/* ---- the plan ---- */

static void shuffle(struct scale *s, struct world *w, size_t from)
{
    for (size_t i = s->plan_count; i > from + 1; i--) {
        size_t other = from + (size_t)rng_below(&w->rng, i - from);
        enum world_fault f = s->plan[i - 1];
        s->plan[i - 1] = s->plan[other];
        s->plan[other] = f;
    }
}

static void plan_add(struct scale *s, struct world *w, const enum world_fault *list, size_t count)
{
    size_t from = s->plan_count;
    for (size_t i = 0; i < count && s->plan_count < MOST_PLAN; i++)
        if (w->set.faults >> list[i] & 1)
            s->plan[s->plan_count++] = list[i];
    shuffle(s, w, from);
}

/* Faults of the servers come first, while all agents are well; then short faults, then long ones,
 * each group in random order. An agent that has just started waits longer before it accuses agents
 * that it has not seen renew. */
static void make_plan(struct scale *s, struct world *w)
{
    static const enum world_fault servers[] = {WORLD_SERVER_INBOX, WORLD_SERVER_ROSTER,
                                               WORLD_STORE};
    static const enum world_fault shorts[] = {
        WORLD_KILL, WORLD_POWER, WORLD_WIPE,      WORLD_ROLL_BACK, WORLD_FREEZE, WORLD_JUMP,
        WORLD_CUT,  WORLD_LAG,   WORLD_NO_LEADER, WORLD_LEAVE,     WORLD_JOIN};
    static const enum world_fault longs[] = {WORLD_STAY_AWAY, WORLD_LONG_FREEZE, WORLD_LONG_CUT,
                                             WORLD_RACK,      WORLD_PARTITION,   WORLD_OUTAGE,
                                             WORLD_DARK,      WORLD_WEIGHT,      WORLD_LEAVE,
                                             WORLD_LEAVE,     WORLD_JOIN,        WORLD_JOIN};
    plan_add(s, w, servers, sizeof servers / sizeof *servers);
    plan_add(s, w, shorts, sizeof shorts / sizeof *shorts);
    plan_add(s, w, longs, sizeof longs / sizeof *longs);
}

enum world_fault scale_next_fault(struct world *w)
{
    struct scale *s = w->scale;
    return s->plan_at < s->plan_count ? s->plan[s->plan_at] : WORLD_FAULTS;
}

void scale_fault_done(struct world *w, bool happened)
{
    struct scale *s = w->scale;
    s->tries = happened ? 0 : s->tries + 1;
    if (!happened && s->tries < MOST_TRIES)
        return;
    s->tries = 0;
    s->plan_at++;
}

/* ---- the beginning ---- */

static enum rc share_rings(struct world *w)
{
    char(*names)[16] = mem_zero(w->agent_most, sizeof *names);
    struct str *list = mem_zero(w->agent_most, sizeof *list);
    enum rc rc = names && list ? RC_OK : RC_NOMEM;
    for (uint32_t i = 0; rc == RC_OK && i < w->agent_most; i++) {
        (void)snprintf(names[i], sizeof names[i], "a%u", i);
        list[i] = str_c(names[i]);
    }
    if (rc == RC_OK)
        rc = roster_rings_open(list, w->agent_most, w->set.points, MOST_WEIGHT, &w->rings);
    mem_free(names);
    mem_free(list);
    return rc;
}

enum rc scale_open(struct world *w)
{
    struct world_scale *r = &w->report->scale;
    struct scale *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    w->scale = s;
    r->sample = w->set.all_hosts < MOST_SAMPLE ? w->set.all_hosts : MOST_SAMPLE;
    s->owners = mem_zero((size_t)r->sample, sizeof *s->owners);
    s->counts = mem_zero(w->agent_most, sizeof *s->counts);
    if (!s->owners || !s->counts)
        return RC_NOMEM;
    make_plan(s, w);
    nats_sim_gather(w->servers);
    return share_rings(w);
}

void scale_free(struct world *w)
{
    if (!w->scale)
        return;
    mem_free(w->scale->owners);
    mem_free(w->scale->counts);
    mem_free(w->scale);
}

static enum rc append(struct world *w, const char *writer, const struct roster_entry *e)
{
    char room[64];
    struct buf out = {.max = MAX_FACT_BYTES};
    (void)snprintf(room, sizeof room, "orb.c.roster.%s", writer);
    roster_entry_write(e, &out);
    enum rc rc = buf_rc(&out);
    if (!rc)
        rc = nats_sim_append(w->servers, str_c(room), buf_str(&out), 0);
    buf_done(&out);
    return rc;
}

static uint64_t first_boot(const struct world *w, uint32_t agent)
{
    return hash64_mix(w->set.seed ^ hash64_mix(agent + 1)) | 1;
}

/* As if the agents had joined one after the other, each when the one before it was settled. */
static enum rc write_joins(struct world *w)
{
    enum rc rc = RC_OK;
    w->is_founding = true;
    for (uint32_t i = 0; i < w->agent_count && !rc; i++) {
        rc = append(w, w->agents[i]->name,
                    &(struct roster_entry){.kind = ROSTER_JOIN,
                                           .inc = 1,
                                           .boot = first_boot(w, i),
                                           .weight = ASSIGN_WEIGHT_ONE,
                                           .epoch = i + 1});
        if (!rc)
            rc = append(w, w->agents[0]->name,
                        &(struct roster_entry){.kind = ROSTER_SETTLED, .epoch = i + 1});
    }
    w->is_founding = false;
    return rc;
}

static void put_fact(struct buf *out, int kind, uint64_t x, struct str name)
{
    buf_byte(out, (char)kind);
    buf_le64(out, x);
    buf_le64(out, 0);
    buf_le64(out, 0);
    buf_byte(out, (char)name.n);
    buf_add(out, name);
}

/* The journal of an agent that has taken part since its join. */
static enum rc journal_joins(struct world *w, uint32_t agent)
{
    struct port *p = &w->agents[agent]->model.port;
    struct buf fact = {.max = MAX_FACT_BYTES};
    put_fact(&fact, FACT_INC, 1, STR(""));
    put_fact(&fact, FACT_BOOT, first_boot(w, agent), STR(""));
    enum rc rc = buf_rc(&fact) ? buf_rc(&fact) : port_aside(p, buf_str(&fact));
    for (uint64_t i = 1; i <= nats_sim_length(w->servers, w->roster_stream) && !rc; i++) {
        const struct nats_sim_message *m = nats_sim_at(w->servers, w->roster_stream, i);
        buf_clear(&fact);
        put_fact(&fact, FACT_ROSTER, m->stamp_ms, str_from(m->subject, STR("orb.c.roster.").n));
        buf_add(&fact, m->payload);
        rc = buf_rc(&fact) ? buf_rc(&fact) : port_note(p, buf_str(&fact));
    }
    buf_done(&fact);
    model_sync(&w->agents[agent]->model);
    return rc;
}

/* ---- shares and moves ---- */

static uint64_t host_hash(const struct world *w, uint64_t host)
{
    return hash64_mix(w->set.seed ^ hash64_mix(host + 1));
}

static uint16_t owner_of(const struct world *w, uint64_t host)
{
    const struct roster_agent *r =
        roster_owner(w->truth, host_hash(w, host), roster_epoch(w->truth));
    uint64_t number = UINT16_MAX;
    return r && str_to_u64(str_from(str_c(r->name), 1), &number) == RC_OK ? (uint16_t)number
                                                                          : UINT16_MAX;
}

static void share_out(struct world *w, double *ret_deviation, double *ret_largest)
{
    struct scale *s = w->scale;
    uint32_t in_ring = 0;
    memset(s->counts, 0, w->agent_most * sizeof *s->counts);
    for (uint64_t i = 0; i < w->set.all_hosts; i++) {
        uint16_t owner = owner_of(w, i);
        if (owner < w->agent_most)
            s->counts[owner]++;
    }
    for (uint32_t i = 0; i < w->agent_most; i++)
        in_ring += s->counts[i] > 0;
    double mean = (double)w->set.all_hosts / (in_ring ? in_ring : 1), sum = 0;
    for (uint32_t i = 0; i < w->agent_most; i++) {
        double off = s->counts[i] ? fabs((double)s->counts[i] - mean) / mean : 0;
        sum += off * off;
        *ret_largest = fmax(*ret_largest, off);
    }
    *ret_deviation = sqrt(sum / (in_ring ? in_ring : 1));
}

static uint16_t number_of(struct str name)
{
    uint64_t number = UINT16_MAX;
    return str_to_u64(str_from(name, 1), &number) == RC_OK ? (uint16_t)number : UINT16_MAX;
}

/* Every host that changed its owner in an epoch must have gone from or to the agent that joined or
 * left. */
static void look_at_moves(struct world *w, uint16_t who)
{
    struct world_scale *r = &w->report->scale;
    for (uint64_t i = 0; i < r->sample; i++) {
        uint16_t was = w->scale->owners[i], is = owner_of(w, i);
        r->moves += was != is && who != ANYBODY;
        r->astray += was != is && was != who && is != who && who != ANYBODY;
        w->scale->owners[i] = is;
    }
    r->changes += who != ANYBODY;
    if (r->astray)
        world_break(w, 13, "%llu hosts moved without need", (unsigned long long)r->astray);
}

enum rc scale_begin(struct world *w)
{
    struct world_scale *r = &w->report->scale;
    enum rc rc = write_joins(w);
    for (uint32_t i = 0; i < w->agent_count && !rc; i++)
        rc = journal_joins(w, i);
    for (uint64_t i = 0; i < r->sample; i++)
        w->scale->owners[i] = owner_of(w, i);
    share_out(w, &r->deviation, &r->largest);
    return rc;
}

void scale_end(struct world *w)
{
    struct world_scale *r = &w->report->scale;
    share_out(w, &r->end_deviation, &r->end_largest);
}

/* ---- recoveries ---- */

static struct world_recovery *recovery_new(struct world *w, uint32_t agent, uint64_t inc)
{
    struct world_scale *r = &w->report->scale;
    if (r->recovery_count == WORLD_MAX_RECOVERIES)
        return NULL;
    struct world_recovery *new = &r->recoveries[r->recovery_count++];
    *new = (struct world_recovery){.agent = agent, .inc = inc, .said_ms = w->now_ms};
    return new;
}

static void adopted(struct world *w, uint32_t agent, uint64_t inc)
{
    struct world_scale *r = &w->report->scale;
    for (size_t i = 0; i < r->recovery_count; i++)
        if (r->recoveries[i].agent == agent && r->recoveries[i].inc == inc &&
            !r->recoveries[i].is_join)
            r->recoveries[i].adopted_ms = w->now_ms;
}

static void settled(struct world *w)
{
    struct world_scale *r = &w->report->scale;
    for (size_t i = 0; i < r->recovery_count; i++)
        if (!r->recoveries[i].settled_ms)
            r->recoveries[i].settled_ms = w->now_ms;
}

void scale_entry(struct world *w, const struct roster_entry *e, struct str writer, bool counted,
                 bool is_new_epoch)
{
    struct world_scale *r = &w->report->scale;
    if (w->is_founding)
        return;
    uint16_t who =
        number_of(e->kind == ROSTER_DEAD || e->kind == ROSTER_ADOPTED ? e->victim : writer);
    bool is_known = who < w->agent_count;
    r->entries++;
    r->idle_entries += !counted;
    if (!counted || !is_known)
        return;
    r->renewals += e->kind == ROSTER_RENEW;
    if (e->kind == ROSTER_DEAD || e->kind == ROSTER_JOIN) {
        struct world_recovery *new = recovery_new(w, who, e->inc);
        if (new) {
            new->is_join = e->kind == ROSTER_JOIN;
            new->gone_ms = new->is_join ? w->agents[who]->began_ms : w->agents[who]->gone_ms;
        }
    }
    if (e->kind == ROSTER_ADOPTED)
        adopted(w, who, e->inc);
    if (e->kind == ROSTER_SETTLED)
        settled(w);
    if (is_new_epoch)
        look_at_moves(w, e->kind == ROSTER_RESTORE ? ANYBODY : who);
}
