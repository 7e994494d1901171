/* SPDX-License-Identifier: Apache-2.0 */
/* scale: rings as large as one likes, without processes: shares, and what a change moves. */
#include "assign/assign.h"
#include "base/hash.h"
#include "base/mem.h"
#include "simulate/runs.h"

#include <math.h>
#include <stdio.h>

enum { MOST_SAMPLE = 1000000, BEAT_MS = 1000, RENEW_MS = 5000, NAME_BYTES = 16 };

struct scale {
    char (*names)[NAME_BYTES];
    struct assign_agent *agents;
    uint64_t *counts;
    struct assign *all, *without; /* the last one */
};

static enum rc open_rings(struct scale *s, uint32_t agents)
{
    const struct assign_kind *ring = assign_kind_find(STR("ring"));
    s->names = mem_zero(agents, sizeof *s->names);
    s->agents = mem_zero(agents, sizeof *s->agents);
    s->counts = mem_zero(agents, sizeof *s->counts);
    if (!s->names || !s->agents || !s->counts)
        return RC_NOMEM;
    for (uint32_t i = 0; i < agents; i++) {
        (void)snprintf(s->names[i], NAME_BYTES, "agent%u", i);
        s->agents[i] = (struct assign_agent){str_c(s->names[i]), ASSIGN_WEIGHT_ONE, 0};
    }
    enum rc rc = assign_open(ring, NULL, s->agents, agents, 2, NULL, &s->all);
    if (!rc)
        rc = assign_open(ring, NULL, s->agents, agents - 1, 1, NULL, &s->without);
    return rc;
}

/* With the last one or without it: what differs is what its joining, or its death, moves. */
static enum rc compare(struct scale *s, uint64_t seed, struct scale_report *ret)
{
    uint64_t moved = 0;
    enum rc rc = RC_OK;
    for (uint64_t i = 0; i < ret->sample && !rc; i++) {
        struct assign_key key = {.host_hash = hash64_mix(seed ^ hash64_mix(i + 1))};
        uint32_t with = 0, without = 0;
        rc = assign_owner(s->all, &key, &with);
        if (!rc)
            rc = assign_owner(s->without, &key, &without);
        s->counts[with]++;
        moved += with != without;
        ret->astray += with != without && with + 1 != ret->agents;
    }
    ret->moved = (double)moved / (double)ret->sample;
    return rc;
}

static void shares(const struct scale *s, struct scale_report *ret)
{
    double mean = (double)ret->sample / (double)ret->agents, sum = 0;
    for (uint64_t i = 0; i < ret->agents; i++) {
        double off = fabs((double)s->counts[i] - mean) / mean;
        sum += off * off;
        ret->largest = fmax(ret->largest, off);
    }
    ret->deviation = sqrt(sum / (double)ret->agents);
}

enum rc scale_measure(uint32_t agents, uint64_t hosts, uint64_t seed, struct scale_report *ret)
{
    struct scale s = {0};
    *ret = (struct scale_report){.agents = agents,
                                 .hosts = hosts,
                                 .sample = hosts < MOST_SAMPLE ? hosts : MOST_SAMPLE,
                                 .beats_per_s = (agents - 1) * UINT64_C(1000) / BEAT_MS,
                                 .log_entries_per_s = agents * UINT64_C(1000) / RENEW_MS};
    if (agents < 2 || !hosts)
        return RC_INVALID;
    enum rc rc = open_rings(&s, agents);
    if (!rc)
        rc = compare(&s, seed, ret);
    if (!rc)
        shares(&s, ret);
    assign_close(s.all);
    assign_close(s.without);
    mem_free(s.names);
    mem_free(s.agents);
    mem_free(s.counts);
    return rc;
}
