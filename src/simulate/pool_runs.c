/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate/pool_runs.h"

#define BIT(fault) (UINT32_C(1) << (fault))

enum {
    TROUBLE_MS = 40000,
    LIMIT_MS = 900000,
    MAX_TRAIL_BYTES = 1 << 16,
    LEAST_MEMBERS = 2,
    MEMBERS = 4,
    LEAST_HOSTS = 6,
    HOSTS = 10,
    LEAST_URLS = 150,
    URLS = 150,
};

static const uint32_t processes = BIT(POOL_WORLD_KILL) | BIT(POOL_WORLD_KILL_LONG) |
                                  BIT(POOL_WORLD_NAMESAKE) | BIT(POOL_WORLD_RETURN);
static const uint32_t clocks = BIT(POOL_WORLD_FREEZE) | BIT(POOL_WORLD_FREEZE_FENCE) |
                               BIT(POOL_WORLD_FREEZE_DEAD) | BIT(POOL_WORLD_FREEZE_START);
static const uint32_t network =
    BIT(POOL_WORLD_LINK) | BIT(POOL_WORLD_CUT) | BIT(POOL_WORLD_CUT_LONG) | BIT(POOL_WORLD_CUT_UP) |
    BIT(POOL_WORLD_CUT_DOWN) | BIT(POOL_WORLD_HOLD) | BIT(POOL_WORLD_LAG) | BIT(POOL_WORLD_SWALLOW);
static const uint32_t managers = BIT(POOL_WORLD_MANAGER) | BIT(POOL_WORLD_MANAGER_LONG);
static const uint32_t hostile =
    BIT(POOL_WORLD_FORGE) | BIT(POOL_WORLD_STEAL) | BIT(POOL_WORLD_JUNK) | BIT(POOL_WORLD_IDLE);
static const uint32_t members = BIT(POOL_WORLD_LEAVE) | BIT(POOL_WORLD_JOIN);
static const uint32_t work = BIT(POOL_WORLD_SLOW) | BIT(POOL_WORLD_HANG);
static const uint32_t poison = BIT(POOL_WORLD_POISON_PAGE);

enum { PROFILES = 8 };

static uint32_t faults_of(uint64_t seed)
{
    switch (seed % PROFILES) {
    case 0:
        return processes | clocks | network | managers | hostile | members | work | poison;
    case 1:
        return processes | members | managers;
    case 2:
        return clocks | network;
    case 3:
        return network | managers | members;
    case 4:
        return poison;
    case 5:
        return hostile | members | work | BIT(POOL_WORLD_HOLD);
    case 6:
        return processes | clocks | poison | members;
    default:
        return processes | network | clocks | managers | work;
    }
}

struct pool_world_settings pool_runs_world(const struct pool_runs_settings *s, uint64_t seed)
{
    uint64_t turn = seed / PROFILES;
    return (struct pool_world_settings){
        .seed = seed,
        .members = s->members ? s->members : LEAST_MEMBERS + (uint32_t)(turn % MEMBERS),
        .hosts = s->hosts ? s->hosts : LEAST_HOSTS + (uint32_t)(seed % HOSTS),
        .urls = s->urls ? s->urls : LEAST_URLS + (uint32_t)(seed * 7 % URLS),
        .manager_shards = 1 + (uint32_t)(turn / MEMBERS % 2),
        .faults = s->is_calm ? 0 : faults_of(seed),
        .trouble_ms = s->is_calm ? 0 : TROUBLE_MS,
        .limit_ms = LIMIT_MS,
        .ignores_lease = s->ignores_lease};
}

static void add_report(struct pool_world_report *sum, const struct pool_world_report *r)
{
    sum->events += r->events;
    sum->ended_ms += r->ended_ms;
    sum->requests += r->requests;
    sum->orphanings += r->orphanings;
    sum->settled += r->settled;
    sum->given_up += r->given_up;
    sum->unlucky += r->unlucky;
    sum->frozen_overlaps += r->frozen_overlaps;
    sum->late_starts += r->late_starts;
    for (int i = 0; i < POOL_WORLD_FAULTS; i++)
        sum->faults[i] += r->faults[i];
    for (int i = 0; i < POOL_WORLD_EVENTS; i++)
        sum->met[i] += r->met[i];
    for (int i = 0; i < POOL_WORLD_INVARIANTS_; i++)
        sum->checked[i] += r->checked[i];
}

enum rc pool_runs_all(const struct pool_runs_settings *s, struct pool_runs_result *ret)
{
    enum rc rc = RC_OK;
    *ret = (struct pool_runs_result){.trail = {.max = MAX_TRAIL_BYTES}};
    for (uint64_t seed = s->first; seed <= s->last; seed++) {
        struct pool_world_settings set = pool_runs_world(s, seed);
        struct pool_world_report r;
        rc = pool_world_run(&set, &r, ret->failed ? NULL : &ret->trail);
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

void pool_runs_done(struct pool_runs_result *r)
{
    buf_done(&r->trail);
}

const char *pool_runs_missing_fault(const struct pool_runs_result *r)
{
    for (int i = 0; i < POOL_WORLD_FAULTS; i++)
        if (!r->sum.faults[i])
            return pool_world_fault_names[i];
    for (int i = 0; i < POOL_WORLD_EVENTS; i++)
        if (!r->sum.met[i])
            return pool_world_event_names[i];
    if (!r->sum.frozen_overlaps)
        return "a host that is asked while a frozen process has it open";
    return r->sum.late_starts ? NULL : "a request of a process that was frozen before it";
}
