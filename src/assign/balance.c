/* SPDX-License-Identifier: Apache-2.0 */
#include "assign/balance.h"

#include "assign/ring.h"
#include "base/mem.h"
#include "base/rng.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

enum { NAME_ROOM = 24 };

/* A list of equal agents, followed by its names. */
struct made_up {
    struct assign_agent *agents;
    char *names;
    uint32_t count;
};

static enum rc made_up_init(struct made_up *m, uint32_t count)
{
    *m = (struct made_up){.count = count};
    if (count < 1 || count > ASSIGN_MAX_AGENTS)
        return RC_LIMIT;
    m->agents = mem_alloc(count * sizeof *m->agents);
    m->names = mem_alloc((size_t)count * NAME_ROOM);
    return m->agents && m->names ? RC_OK : RC_NOMEM;
}

static void made_up_done(struct made_up *m)
{
    mem_free(m->agents);
    mem_free(m->names);
}

static void made_up_name(struct made_up *m, uint32_t set)
{
    for (uint32_t i = 0; i < m->count; i++) {
        char *name = m->names + (size_t)i * NAME_ROOM;
        int n = snprintf(name, NAME_ROOM, "%u-%u", set, i);
        m->agents[i] =
            (struct assign_agent){.name = {name, (size_t)n}, .weight = ASSIGN_WEIGHT_ONE};
    }
}

/* Adds up deviations; balance_end turns the sums into the results. */
static void balance_add(struct balance *b, const double *share, uint32_t agents)
{
    for (uint32_t i = 0; i < agents; i++) {
        double off = fabs(share[i] * agents - 1);
        b->mean += off;
        b->deviation += off * off;
        b->largest = fmax(b->largest, off);
    }
}

static void balance_end(struct balance *b, double count)
{
    b->mean /= count;
    b->deviation = sqrt(b->deviation / count);
}

/* The points do not depend on the number of probes: the ring is built once and asked with each. */
static enum rc measure_set(const struct made_up *m, uint32_t points, const uint32_t *probes,
                           uint32_t probe_count, double *share, struct balance *ret)
{
    struct assign_options options = {.points = points, .probes = 1};
    struct assign *a;
    enum rc rc = assign_open(&assign_ring, &options, m->agents, m->count, 0, NULL, &a);
    if (rc)
        return rc;
    struct ring *r = a->state;
    for (uint32_t i = 0; rc == RC_OK && i < probe_count; i++) {
        r->probes = probes[i];
        rc = ring_shares(r, share);
        if (rc == RC_OK)
            balance_add(&ret[i], share, m->count);
    }
    assign_close(a);
    return rc;
}

enum rc balance_ring(uint32_t agents, uint32_t points, uint32_t sets, const uint32_t *probes,
                     uint32_t probe_count, struct balance *ret)
{
    struct made_up m;
    enum rc rc = made_up_init(&m, agents);
    double *share = rc == RC_OK ? mem_alloc(agents * sizeof *share) : NULL;
    if (rc == RC_OK && !share)
        rc = RC_NOMEM;
    memset(ret, 0, probe_count * sizeof *ret);
    for (uint32_t set = 0; rc == RC_OK && set < sets; set++) {
        made_up_name(&m, set);
        rc = measure_set(&m, points, probes, probe_count, share, ret);
    }
    for (uint32_t i = 0; i < probe_count; i++)
        balance_end(&ret[i], (double)agents * sets);
    mem_free(share);
    made_up_done(&m);
    return rc;
}

static enum rc ask(const struct assign *a, uint32_t hosts, double *share)
{
    struct rng rng;
    rng_init(&rng, hosts);
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < hosts; i++) {
        struct assign_key key = {.host_hash = rng_next(&rng)};
        uint32_t at = 0;
        rc = assign_owner(a, &key, &at);
        share[at] += 1.0 / hosts;
    }
    return rc;
}

enum rc balance_seen(const struct assign_kind *kind, uint32_t agents, uint32_t hosts,
                     struct balance *ret)
{
    assert(kind->by == ASSIGN_BY_HOST);
    struct made_up m;
    struct assign *a = NULL;
    enum rc rc = made_up_init(&m, agents);
    double *share = rc == RC_OK ? mem_zero(agents, sizeof *share) : NULL;
    if (rc == RC_OK && !share)
        rc = RC_NOMEM;
    if (rc == RC_OK) {
        made_up_name(&m, 0);
        rc = assign_open(kind, NULL, m.agents, agents, 0, NULL, &a);
    }
    if (rc == RC_OK)
        rc = ask(a, hosts, share);
    *ret = (struct balance){0};
    if (rc == RC_OK)
        balance_add(ret, share, agents);
    balance_end(ret, agents);
    assign_close(a);
    mem_free(share);
    made_up_done(&m);
    return rc;
}
