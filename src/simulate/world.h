/* SPDX-License-Identifier: Apache-2.0 */
/* world: a simulated cluster that crawls a made-up web, with all the faults that a seed brings. It
 * checks the thirteen invariants of docs/cluster-protocol.md throughout.
 *
 * One loop does the earliest of: a delivery of the simulated NATS servers, the next step of a
 * process, the end of a fetch or a sync, the next fault. All randomness comes from the seed, so a
 * seed that fails fails again at the same event. */
#ifndef SIMULATE_WORLD_H
#define SIMULATE_WORLD_H

#include "bus/bus_sim.h"
#include "simulate/model.h"

enum { WORLD_MORE_AGENTS = 8, WORLD_INVARIANTS = 13, WORLD_MAX_RECOVERIES = 256 };

enum world_fault {
    WORLD_KILL,        /* kill -9, started again soon */
    WORLD_STAY_AWAY,   /* the same, back after it was declared dead */
    WORLD_POWER,       /* a power cut of its machine: what was not synced is lost */
    WORLD_WIPE,        /* its disk is lost */
    WORLD_ROLL_BACK,   /* it gets its disk as an earlier process left it */
    WORLD_FREEZE,      /* it stands still for a while */
    WORLD_LONG_FREEZE, /* long enough to be declared dead */
    WORLD_JUMP,        /* its clock jumps ahead */
    WORLD_CUT,         /* its connection breaks for a while */
    WORLD_LONG_CUT,    /* long enough to be declared dead */
    WORLD_LAG,         /* it reads from a server that lags */
    WORLD_NO_LEADER,
    WORLD_LEAVE,
    WORLD_WEIGHT,
    WORLD_JOIN,
    WORLD_SERVER_INBOX,  /* the servers lose the end of an agent's stream */
    WORLD_SERVER_ROSTER, /* the servers lose the end of the roster's stream */
    WORLD_STORE,         /* the servers lose everything */
    WORLD_NAMESAKE,      /* a second process starts with an agent's name and an empty directory */
    WORLD_SPLIT,         /* the copies of an agent's stream differ from now on */
    /* an agent is killed, frozen or cut off when others say that the crawl is finished */
    WORLD_LATE,
    WORLD_DARK, /* all agents are cut off for a while, and one of them loses its disk meanwhile */
    WORLD_RACK, /* among many agents: a power cut of several machines at once */
    WORLD_PARTITION, /* a tenth of many agents is cut off */
    WORLD_OUTAGE,    /* all agents are cut off: the NATS servers are down for a while */
    WORLD_FAULTS
};
extern const char *const world_fault_names[WORLD_FAULTS];

struct world_settings {
    uint64_t seed;
    uint32_t agents, hosts, urls;
    uint64_t trouble_ms; /* faults happen until then */
    uint64_t limit_ms;   /* the crawl must have finished by then */
    uint32_t faults;     /* bits of enum world_fault that may happen; all: UINT32_MAX */
    bool is_calm;        /* the simulated NATS servers lose and delay nothing */
    /* The only fault: the last agent loses its disk at that time, and its process starts again at
     * once with an empty directory. 0: faults happen as above. */
    uint64_t wipe_ms;
    uint32_t points; /* of the ring */
    struct roster_timings timings;
    uint64_t untold_most; /* the bound of untold outcomes of an agent; 0: none */
    bool is_unbounded;    /* agents ignore that bound: the invariant must find it */
    /* Many agents (scale.c): they have joined before, share rings, poll less often, and every kind
     * of fault happens once. 0: few agents; else the number of all hosts, of which `hosts` are
     * modelled. */
    uint64_t all_hosts;
};

/* The moments of a death or a join; 0: it has not come to that. */
struct world_recovery {
    bool is_join;
    uint64_t gone_ms;    /* the agent stopped; of a join: its process began */
    uint64_t said_ms;    /* `dead`, or `join`, stood in the log */
    uint64_t adopted_ms; /* `adopted` stood in the log */
    uint64_t settled_ms; /* the epoch was settled */
    uint64_t inc;
    uint32_t agent;
};

struct world_scale {
    double deviation, largest; /* of the shares of all hosts from their mean, at the start */
    double end_deviation, end_largest; /* the same at the end */
    uint64_t sample;                   /* hosts whose owner was checked at every epoch */
    uint64_t changes;                  /* epochs */
    /* in the sample: all moves; moves that did not concern the agent that joined or left */
    uint64_t moves, astray;
    /* entries of the log; those that did not count */
    uint64_t recovery_count, entries, renewals, idle_entries;
    uint64_t heard; /* heartbeats */
    struct world_recovery recoveries[WORLD_MAX_RECOVERIES];
};

/* After the wiped disk: the longest time without a request to a host that its agent had owned, and
 * to a host of the other agents. A request ends such a time; the end of the crawl does not. */
struct world_unasked {
    uint64_t wiped_ms, others_ms;
};

struct world_report {
    uint64_t events, ended_ms;
    uint64_t fetches, refetches, refetch_allowance, frozen_overlaps;
    uint64_t appends, gets, says, epochs;
    /* of the subjects and bytes of all messages that streams took, in order */
    uint64_t messages_hash;
    uint64_t most_at_stake; /* pages open or untold when an agent's disk was lost, or it died */
    uint64_t longest_recovery_ms; /* from a death until the epoch is settled again */
    uint64_t faults[WORLD_FAULTS];
    uint64_t nats_sim_faults[NATS_SIM_FAULTS];
    uint64_t checked[WORLD_INVARIANTS + 1]; /* how often each invariant was checked */
    int broken;                             /* the invariant that was broken; 0: none */
    char why[256];
    struct world_unasked unasked; /* with wipe_ms */
    struct world_scale scale;     /* of many agents */
};

/* Runs one world. RC_OK: it ran, and the report says whether it was correct. If it was not, `trail`
 * gets the last events; it may be NULL. */
MUST_CHECK enum rc world_run(const struct world_settings *s, struct world_report *ret,
                             struct buf *trail);

#endif
