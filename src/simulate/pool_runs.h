/* SPDX-License-Identifier: Apache-2.0 */
/* pool_runs: many simulated pools, one per seed, and their sums. The seed decides which faults may
 * happen. */
#ifndef SIMULATE_POOL_RUNS_H
#define SIMULATE_POOL_RUNS_H

#include "simulate/pool_world.h"

struct pool_runs_settings {
    uint64_t first, last;          /* seeds */
    uint32_t members, hosts, urls; /* 0: by the seed */
    bool is_calm;                  /* no faults */
    bool ignores_lease;            /* of members: the runs must fail */
    /* Called after each seed; may be NULL. */
    void (*seen)(void *ctx, uint64_t seed, const struct pool_world_report *r);
    void *ctx;
};

struct pool_runs_result {
    uint64_t runs, failed;
    struct pool_world_report sum;
    uint64_t first_failed; /* seed */
    struct pool_world_report failure;
    struct buf trail; /* the last events of that seed */
};

/* Runs all seeds; the result says how many failed. RC_NOMEM. */
MUST_CHECK enum rc pool_runs_all(const struct pool_runs_settings *s, struct pool_runs_result *ret);
void pool_runs_done(struct pool_runs_result *r);

/* The settings of one seed: what pool_runs_all uses. */
struct pool_world_settings pool_runs_world(const struct pool_runs_settings *s, uint64_t seed);

/* A kind of fault, or what it should lead to, that never happened, or NULL. If there is one, the
 * runs prove less than they claim. */
const char *pool_runs_missing_fault(const struct pool_runs_result *r);

#endif
