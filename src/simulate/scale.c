/* SPDX-License-Identifier: Apache-2.0 */
/* scale: a roster as large as one likes, without processes: shares, and what a change moves. */
#include "base/hash.h"
#include "base/mem.h"
#include "simulate/runs.h"

#include <math.h>
#include <stdio.h>

enum { MOST_SAMPLE = 1000000, BEAT_MS = 1000, RENEW_MS = 5000 };

struct scale {
    struct roster *roster;
    uint64_t number;
};

static enum rc put(struct scale *s, const char *writer, const struct roster_entry *e)
{
    struct buf out = {.max = ROSTER_MAX_ENTRY_BYTES};
    const char *why = "";
    roster_entry_write(e, &out);
    enum rc rc = buf_rc(&out);
    struct roster_stand at = {++s->number, s->number * 1000, str_c(writer)};
    if (!rc)
        rc = roster_take(s->roster, &at, buf_str(&out), &why);
    buf_done(&out);
    return rc ? rc : *why ? RC_INVALID : RC_OK;
}

/* Founded with the default timings; everybody joins and settles. */
static enum rc fill(struct scale *s, uint32_t agents)
{
    struct roster_entry e = {.kind = ROSTER_FOUND,
                             .timings = {BEAT_MS, RENEW_MS, 6000, 45000, 55000, 60000},
                             .points = ASSIGN_POINTS,
                             .probes = ASSIGN_PROBES};
    enum rc rc = put(s, "operator", &e);
    for (uint32_t i = 0; i < agents && !rc; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "agent%u", i);
        rc = put(s, name,
                 &(struct roster_entry){.kind = ROSTER_JOIN,
                                        .inc = 1,
                                        .weight = ASSIGN_WEIGHT_ONE,
                                        .epoch = i + 1,
                                        .boot = i + 1});
        if (!rc && i + 1 < agents)
            rc = put(s, name, &(struct roster_entry){.kind = ROSTER_SETTLED, .epoch = i + 1});
    }
    return rc;
}

static uint64_t position_of(uint64_t seed, uint64_t i)
{
    return hash64_mix(seed ^ hash64_mix(i + 1));
}

static void shares(const struct roster *r, uint64_t seed, uint32_t agents, struct scale_report *ret,
                   uint64_t *counts)
{
    uint64_t epoch = roster_epoch(r);
    uint64_t joined = 0;
    for (uint64_t i = 0; i < ret->sample; i++) {
        const struct roster_agent *is = roster_owner(r, position_of(seed, i), epoch);
        const struct roster_agent *was = roster_owner(r, position_of(seed, i), epoch - 1);
        uint64_t number = agents;
        (void)!str_to_u64(str_from(str_c(is->name), 5), &number);
        if (number < agents)
            counts[number]++;
        if (was && is != was) {
            joined++;
            ret->astray += number + 1 != agents;
        }
    }
    ret->moved_by_join = (double)joined / (double)ret->sample;
    double mean = (double)ret->sample / agents, sum = 0;
    for (uint32_t i = 0; i < agents; i++) {
        double off = fabs((double)counts[i] - mean) / mean;
        sum += off * off;
        ret->largest = fmax(ret->largest, off);
    }
    ret->deviation = sqrt(sum / agents);
}

/* The last to join leaves again: what is left must be as if it had never been. */
static enum rc leave(struct scale *s, uint64_t seed, uint32_t agents, struct scale_report *ret)
{
    char name[16];
    (void)snprintf(name, sizeof name, "agent%u", agents / 2);
    uint64_t epoch = roster_epoch(s->roster), moved = 0;
    enum rc rc = put(s, name, &(struct roster_entry){.kind = ROSTER_SETTLED, .epoch = epoch});
    if (!rc)
        rc = put(s, name,
                 &(struct roster_entry){.kind = ROSTER_LEAVE, .inc = 1, .epoch = epoch + 1});
    for (uint64_t i = 0; i < ret->sample && !rc; i++) {
        const struct roster_agent *was = roster_owner(s->roster, position_of(seed, i), epoch);
        const struct roster_agent *is = roster_owner(s->roster, position_of(seed, i), epoch + 1);
        if (was == is)
            continue;
        moved++;
        ret->astray += strcmp(was->name, name) != 0;
    }
    ret->moved_by_death = (double)moved / (double)ret->sample;
    return rc;
}

enum rc scale_measure(uint32_t agents, uint64_t hosts, uint64_t seed, struct scale_report *ret)
{
    struct scale s = {0};
    uint64_t *counts = mem_zero(agents, sizeof *counts);
    *ret = (struct scale_report){.agents = agents,
                                 .hosts = hosts,
                                 .sample = hosts < MOST_SAMPLE ? hosts : MOST_SAMPLE,
                                 .beats_per_s = (agents - 1) * UINT64_C(1000) / BEAT_MS,
                                 .log_entries_per_s = agents * UINT64_C(1000) / RENEW_MS};
    enum rc rc = counts ? roster_open(&s.roster) : RC_NOMEM;
    if (!rc)
        rc = fill(&s, agents);
    if (!rc)
        shares(s.roster, seed, agents, ret, counts);
    if (!rc && agents > 1)
        rc = leave(&s, seed, agents, ret);
    roster_close(s.roster);
    mem_free(counts);
    return rc;
}
