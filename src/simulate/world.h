/* SPDX-License-Identifier: Apache-2.0 */
/* world: a cluster that crawls a made-up web on imagined time, with everything going wrong that a
 * seed brings, and the thirteen invariants of docs/cluster-protocol.md checked all the while.
 *
 * One loop: the earliest of what the post office delivers, what a process does next, what a fetch
 * or a sync ends, and the next fault. Nothing is random but by the seed, so a seed that fails fails
 * again at the same event. */
#ifndef SIMULATE_WORLD_H
#define SIMULATE_WORLD_H

#include "bus/bus_sim.h"
#include "simulate/model.h"

enum { WORLD_MORE_AGENTS = 8, WORLD_INVARIANTS = 13, WORLD_MAX_RECOVERIES = 256 };

enum world_fault {
    WORLD_KILL,        /* kill -9, started again soon */
    WORLD_STAY_AWAY,   /* the same, back after it was declared dead */
    WORLD_POWER,       /* its machine: what was not synced is lost */
    WORLD_WIPE,        /* its disk is lost */
    WORLD_ROLL_BACK,   /* it gets a disk as an earlier process left it */
    WORLD_FREEZE,      /* it stands still for a while */
    WORLD_LONG_FREEZE, /* long enough to be declared dead */
    WORLD_JUMP,        /* its clock jumps ahead */
    WORLD_CUT,         /* its connection, for a while */
    WORLD_LONG_CUT,    /* long enough to be declared dead */
    WORLD_LAG,         /* it reads from a server that lags */
    WORLD_NO_LEADER,
    WORLD_LEAVE,
    WORLD_WEIGHT,
    WORLD_JOIN,
    WORLD_SERVER_INBOX,  /* the servers lose the end of an agent's stream */
    WORLD_SERVER_ROSTER, /* and of the roster's */
    WORLD_STORE,         /* and all they have */
    WORLD_NAMESAKE,      /* a second process has an agent's name, and an empty directory */
    WORLD_SPLIT,         /* the copies of an agent's stream are not the same any more */
    WORLD_LATE, /* somebody is killed, frozen or cut off when others say that all is finished */
    WORLD_DARK, /* all are cut off for a while, and one of them loses its disk meanwhile */
    WORLD_RACK, /* of many agents: several machines at once, by a power cut */
    WORLD_PARTITION, /* a tenth of many agents is cut off */
    WORLD_OUTAGE,    /* all are: there is no post office for a while */
    WORLD_FAULTS
};
extern const char *const world_fault_names[WORLD_FAULTS];

struct world_settings {
    uint64_t seed;
    uint32_t agents, hosts, urls;
    uint64_t trouble_ms; /* faults come until then */
    uint64_t limit_ms;   /* it must have finished by then */
    uint32_t faults;     /* bits of enum world_fault that may come; all: UINT32_MAX */
    bool is_calm;        /* no odds in the post office */
    /* The only fault: the last agent loses its disk then, and its process starts again at once with
     * an empty directory. 0: faults come as above. */
    uint64_t wipe_ms;
    uint32_t points; /* of the ring */
    struct roster_timings timings;
    uint64_t untold_most; /* the bound of outcomes that an agent has not told; 0: none */
    bool is_unbounded;    /* agents do not keep to it: the invariant must find that */
    /* Many agents (simulate/scale.h): they have joined before, share rings, look less often at what
     * is there, and every kind of fault comes once. 0: few; else all hosts, of which `hosts` are
     * modelled. */
    uint64_t all_hosts;
};

/* Somebody died, or came: moments, 0: it did not come to that. */
struct world_recovery {
    bool is_join;
    uint64_t gone_ms;    /* it did nothing any more; a joiner: its process began */
    uint64_t said_ms;    /* `dead`, or `join`, stood in the log */
    uint64_t adopted_ms; /* and `adopted` */
    uint64_t settled_ms; /* and the epoch was settled */
    uint64_t inc;
    uint32_t agent;
};

struct world_scale {
    double deviation, largest; /* of the shares of all hosts, from their mean; at the start */
    double end_deviation, end_largest; /* and at the end */
    uint64_t sample;                   /* hosts that were looked at in every epoch */
    uint64_t changes;                  /* epochs */
    uint64_t moves, astray;            /* of the sample, in all of them; not of who came or went */
    uint64_t recovery_count, entries, renewals, idle_entries; /* of the log; that did not count */
    uint64_t heard;                                           /* heartbeats */
    struct world_recovery recoveries[WORLD_MAX_RECOVERIES];
};

/* After the disk that was wiped: the longest time without a request to a host that its agent had
 * owned, and to a host of the others. A request ends such a time; the end of the crawl does not. */
struct world_unasked {
    uint64_t wiped_ms, others_ms;
};

struct world_report {
    uint64_t events, ended_ms;
    uint64_t fetches, refetches, refetch_allowance, frozen_overlaps;
    uint64_t appends, gets, says, epochs;
    uint64_t messages_hash; /* of all messages that streams took, in their order: subjects, bytes */
    uint64_t most_at_stake; /* pages open or untold when an agent's disk was lost, or it died */
    uint64_t longest_recovery_ms; /* from a death to the epoch that is settled again */
    uint64_t faults[WORLD_FAULTS];
    uint64_t post_faults[POST_FAULTS];
    uint64_t checked[WORLD_INVARIANTS + 1]; /* how often each was */
    int broken;                             /* the invariant; 0: none */
    char why[256];
    struct world_unasked unasked; /* with wipe_ms */
    struct world_scale scale;     /* of many agents */
};

/* One run. RC_OK: it ran; whether it was right the report says. `trail`: the last events, if it was
 * not; NULL: nobody wants them. */
MUST_CHECK enum rc world_run(const struct world_settings *s, struct world_report *ret,
                             struct buf *trail);

#endif
