/* SPDX-License-Identifier: Apache-2.0 */
/* runs: many simulated clusters, one a seed, added up. Which faults a seed may bring follows from
 * the seed, so that kinds that get in each other's way all have their turn. */
#ifndef SIMULATE_RUNS_H
#define SIMULATE_RUNS_H

#include "simulate/world.h"

struct runs_settings {
    uint64_t first, last;         /* seeds */
    uint32_t agents, hosts, urls; /* 0: small ones, by the seed */
    bool is_calm;                 /* nothing goes wrong */
};

struct runs_result {
    uint64_t runs, failed;
    struct world_report sum; /* longest_recovery_ms: the longest of all */
    uint64_t first_failed;   /* seed */
    struct world_report failure;
    struct buf trail; /* the last events of that one */
};

/* RC_NOMEM. Stops at nothing: how many failed the result says. */
MUST_CHECK enum rc runs_all(const struct runs_settings *s, struct runs_result *ret);
void runs_done(struct runs_result *r);

/* The settings of one seed: what runs_all uses. */
struct world_settings runs_world(const struct runs_settings *s, uint64_t seed);

/* A kind of fault that never happened, or NULL: then a set of runs has proven less than it says. */
const char *runs_missing_fault(const struct runs_result *r);

/* How evenly `hosts` made-up hosts lie on `agents` agents, and what the last one moves by joining
 * or dying: out of the rings alone and a sample of the hosts. RC_INVALID below 2 agents. */
struct scale_report {
    uint64_t agents, hosts, sample;
    double largest, deviation; /* from the mean share, of 1 */
    double moved;              /* of all hosts; 1 / agents is the least possible */
    uint64_t astray;           /* hosts that moved though they need not (D5): must be 0 */
    uint64_t beats_per_s, log_entries_per_s; /* that each agent receives */
};
MUST_CHECK enum rc scale_measure(uint32_t agents, uint64_t hosts, uint64_t seed,
                                 struct scale_report *ret);

#endif
