/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate/runs.h"

enum {
    SHORT_MS = 50000,
    LONG_MS = 90000,
    LIMIT_MS = 900000,
    POINTS = 16,
    LEAST_RENEW_MS = 2500,
    LEAST_MODELLED = 500,
    URLS_A_HOST = 8,
    MAX_TRAIL_BYTES = 1 << 16,
    PROCESSES = 1 << WORLD_KILL | 1 << WORLD_STAY_AWAY | 1 << WORLD_POWER | 1 << WORLD_WIPE |
                1 << WORLD_ROLL_BACK,
    CLOCKS = 1 << WORLD_FREEZE | 1 << WORLD_LONG_FREEZE | 1 << WORLD_JUMP,
    NETWORK = 1 << WORLD_LAG | 1 << WORLD_CUT | 1 << WORLD_LONG_CUT | 1 << WORLD_NO_LEADER,
    MEMBERS = 1 << WORLD_LEAVE | 1 << WORLD_WEIGHT | 1 << WORLD_JOIN | 1 << WORLD_NAMESAKE,
    LATE = 1 << WORLD_LATE,
    DARK = 1 << WORLD_DARK,
    SERVERS = 1 << WORLD_SERVER_INBOX | 1 << WORLD_SERVER_ROSTER | 1 << WORLD_STORE,
};

/* Bounds of untold outcomes: so low that agents often reach them. */
enum { LEAST_UNTOLD = 3, UNTOLD_KINDS = 8, MANY_UNTOLD = 40 };

static const struct roster_timings few_timings = {1000, 2500, 3000, 10000, 12000, 15000};

/* The servers fail only while all agents are well, so these faults have seeds of their own. */
static const uint32_t profiles[] = {
    PROCESSES | CLOCKS | NETWORK | MEMBERS | LATE | DARK,
    PROCESSES | MEMBERS,
    CLOCKS | NETWORK | MEMBERS | 1 << WORLD_WIPE,
    PROCESSES | NETWORK | LATE | DARK,
    1 << WORLD_STAY_AWAY | 1 << WORLD_LAG | 1 << WORLD_LONG_FREEZE | 1 << WORLD_NO_LEADER,
    PROCESSES | MEMBERS | LATE | DARK | 1 << WORLD_SPLIT,
    PROCESSES | NETWORK | CLOCKS | 1 << WORLD_SPLIT,
    SERVERS | 1 << WORLD_WEIGHT | 1 << WORLD_LAG | 1 << WORLD_WIPE | 1 << WORLD_CUT,
};
enum { PROFILES = sizeof profiles / sizeof *profiles };

/* With copies that differ, every handover reads its stream eight or twelve times, message by
 * message. That is only for few agents: each message takes ten milliseconds. */
#define COPIES (UINT32_C(1) << WORLD_SPLIT)
enum { COPIES_LIMITS = 4 };
/* A second process reads the whole log before it can know of the first, and no other fault happens
 * meanwhile. That is also only for few agents. */
#define FEW_ONLY (COPIES | UINT32_C(1) << WORLD_NAMESAKE)

/* What an operator of that many agents would choose: the log grows by ten renewals a second,
 * however many agents there are. */
static struct roster_timings timings_of(uint32_t agents)
{
    uint32_t renew = agents * 100 > LEAST_RENEW_MS ? agents * 100 : LEAST_RENEW_MS;
    uint32_t heartbeat_ms = renew / 5 > 1000 ? renew / 5 : 1000;
    return (struct roster_timings){.heartbeat_ms = heartbeat_ms,
                                   .renew_ms = renew,
                                   .suspect_ms = heartbeat_ms * 5 / 2,
                                   .fence_ms = renew * 11 / 5,
                                   .abort_ms = renew * 13 / 5,
                                   .dead_ms = renew * 3};
}

static uint32_t between(uint32_t least, uint32_t n, uint64_t most)
{
    uint32_t at_least = n > least ? n : least;
    return at_least > most ? (uint32_t)most : at_least;
}

static struct world_settings large_world(const struct runs_settings *s, uint64_t seed)
{
    struct roster_timings t = timings_of(s->agents);
    uint32_t hosts = between(LEAST_MODELLED, s->agents, s->hosts);
    return (struct world_settings){.seed = seed,
                                   .agents = s->agents,
                                   .hosts = hosts,
                                   .urls = s->urls ? s->urls : hosts * URLS_A_HOST,
                                   .trouble_ms = s->is_calm ? 1 : UINT64_C(12) * t.dead_ms,
                                   .limit_ms = UINT64_C(20) * t.dead_ms + LIMIT_MS,
                                   .faults = s->is_calm ? 0 : ~FEW_ONLY,
                                   .is_calm = s->is_calm,
                                   .points = ASSIGN_POINTS,
                                   .timings = t,
                                   .untold_most = MANY_UNTOLD,
                                   .is_unbounded = s->is_unbounded,
                                   .all_hosts = s->hosts};
}

struct world_settings runs_world(const struct runs_settings *s, uint64_t seed)
{
    if (s->is_large)
        return large_world(s, seed);
    uint32_t faults = s->is_calm ? 0 : profiles[seed % PROFILES];
    return (struct world_settings){
        .seed = seed,
        .agents = s->agents ? s->agents : 3 + (uint32_t)(seed / PROFILES % 2),
        .hosts = s->hosts ? s->hosts : 20 + (uint32_t)(seed % 21),
        .urls = s->urls ? s->urls : 100 + (uint32_t)(seed * 7 % 51),
        .trouble_ms = s->is_calm         ? 1
                      : faults & SERVERS ? LONG_MS
                                         : SHORT_MS,
        .limit_ms = faults & COPIES ? COPIES_LIMITS * LIMIT_MS : LIMIT_MS,
        .faults = faults,
        .is_calm = s->is_calm,
        .points = POINTS,
        .timings = few_timings,
        .untold_most = LEAST_UNTOLD + seed / PROFILES % UNTOLD_KINDS,
        .is_unbounded = s->is_unbounded};
}

static double greater(double x, double y)
{
    return x > y ? x : y;
}

static void add_scale(struct world_scale *sum, const struct world_scale *r)
{
    sum->deviation = greater(sum->deviation, r->deviation);
    sum->largest = greater(sum->largest, r->largest);
    sum->end_deviation = greater(sum->end_deviation, r->end_deviation);
    sum->end_largest = greater(sum->end_largest, r->end_largest);
    sum->sample = r->sample;
    sum->changes += r->changes;
    sum->moves += r->moves;
    sum->astray += r->astray;
    sum->entries += r->entries;
    sum->renewals += r->renewals;
    sum->idle_entries += r->idle_entries;
    sum->heard += r->heard;
    for (size_t i = 0; i < r->recovery_count && sum->recovery_count < WORLD_MAX_RECOVERIES; i++)
        sum->recoveries[sum->recovery_count++] = r->recoveries[i];
}

static void add_report(struct world_report *sum, const struct world_report *r)
{
    sum->events += r->events;
    sum->ended_ms += r->ended_ms;
    sum->fetches += r->fetches;
    sum->refetches += r->refetches;
    sum->refetch_allowance += r->refetch_allowance;
    sum->frozen_overlaps += r->frozen_overlaps;
    sum->appends += r->appends;
    sum->gets += r->gets;
    sum->says += r->says;
    sum->epochs += r->epochs;
    if (r->longest_recovery_ms > sum->longest_recovery_ms)
        sum->longest_recovery_ms = r->longest_recovery_ms;
    if (r->most_at_stake > sum->most_at_stake)
        sum->most_at_stake = r->most_at_stake;
    add_scale(&sum->scale, &r->scale);
    for (int i = 0; i < WORLD_FAULTS; i++)
        sum->faults[i] += r->faults[i];
    for (int i = 0; i < NATS_SIM_FAULTS; i++)
        sum->nats_sim_faults[i] += r->nats_sim_faults[i];
    for (int i = 0; i <= WORLD_INVARIANTS; i++)
        sum->checked[i] += r->checked[i];
}

enum rc runs_all(const struct runs_settings *s, struct runs_result *ret)
{
    enum rc rc = RC_OK;
    *ret = (struct runs_result){.trail = {.max = MAX_TRAIL_BYTES}, .is_large = s->is_large};
    for (uint64_t seed = s->first; seed <= s->last && !rc; seed++) {
        struct world_settings set = runs_world(s, seed);
        struct world_report r;
        rc = world_run(&set, &r, ret->failed ? NULL : &ret->trail);
        if (rc)
            break;
        if (r.broken && !ret->failed) {
            ret->first_failed = seed;
            ret->failure = r;
        }
        if (s->seen)
            s->seen(s->ctx, seed, &r);
        ret->failed += r.broken != 0;
        ret->runs++;
        add_report(&ret->sum, &r);
    }
    return rc;
}

void runs_done(struct runs_result *r)
{
    buf_done(&r->trail);
}

const char *runs_missing_fault(const struct runs_result *r)
{
    for (int i = 0; i < (r->is_large ? WORLD_FAULTS : WORLD_RACK); i++)
        if (!r->sum.faults[i] && !(r->is_large && FEW_ONLY >> i & 1))
            return world_fault_names[i];
    for (int i = 0; i < NATS_SIM_FAULTS; i++)
        if (!r->sum.nats_sim_faults[i] && !(r->is_large && i == NATS_SIM_OTHER_COPY))
            return nats_sim_fault_names[i];
    return NULL;
}
