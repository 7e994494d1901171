/* SPDX-License-Identifier: Apache-2.0 */
/* runs: many simulated clusters, one per seed, and their sums. The seed decides which faults may
 * happen, so that kinds that exclude each other all have their turn. */
#ifndef SIMULATE_RUNS_H
#define SIMULATE_RUNS_H

#include "simulate/world.h"

struct runs_settings {
    uint64_t first, last;         /* seeds */
    uint32_t agents, hosts, urls; /* 0: small ones, by the seed */
    bool is_large;                /* many agents; only some of the hosts are modelled */
    bool is_calm;                 /* no faults */
    bool is_unbounded;            /* agents ignore the bound of untold outcomes */
    /* Called after each seed; may be NULL. */
    void (*seen)(void *ctx, uint64_t seed, const struct world_report *r);
    void *ctx;
};

struct runs_result {
    uint64_t runs, failed;
    bool is_large;
    struct world_report sum; /* longest_recovery_ms: the longest of all */
    uint64_t first_failed;   /* seed */
    struct world_report failure;
    struct buf trail; /* the last events of that seed */
};

/* Runs all seeds; the result says how many failed. RC_NOMEM. */
MUST_CHECK enum rc runs_all(const struct runs_settings *s, struct runs_result *ret);
void runs_done(struct runs_result *r);

/* The settings of one seed: what runs_all uses. */
struct world_settings runs_world(const struct runs_settings *s, uint64_t seed);

/* A kind of fault that never happened, or NULL. If there is one, the runs prove less than they
 * claim. */
const char *runs_missing_fault(const struct runs_result *r);

#endif
