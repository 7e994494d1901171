/* SPDX-License-Identifier: Apache-2.0 */
/* pool_world: a simulated manager and the members of its pool, which ask a made-up web, with all
 * the faults that a seed brings. Leases, lanes, tickets, frames and the roll are those of src/pool;
 * the queue of the manager and the work of a member are small models. The web servers are the
 * witness.
 *
 * One loop does the earliest of: a frame that arrives, a turn of a process, an answer of a web
 * server, the next fault. All randomness comes from the seed, so a seed that fails fails again at
 * the same event. */
#ifndef SIMULATE_POOL_WORLD_H
#define SIMULATE_POOL_WORLD_H

#include "base/buf.h"

#include <stdint.h>

/* docs/pool-protocol.md */
enum pool_world_invariant {
    POOL_WORLD_ONE_OPEN = 1, /* the servers see one open request a host */
    POOL_WORLD_DELAY,        /* two requests of a host are a delay apart */
    POOL_WORLD_SETTLED_ONCE, /* a URL is settled once */
    POOL_WORLD_REQUESTS,     /* requests <= 1 + counted orphanings */
    POOL_WORLD_NOTHING_LOST, /* at the end every URL is settled, and in time */
    POOL_WORLD_ITS_TICKET,   /* an answer counts from the lane that has the ticket */
    POOL_WORLD_NUMBERS,      /* no ticket number is given twice */
    POOL_WORLD_LEASE,        /* a lease ends before the manager's dead */
    POOL_WORLD_ROLL,         /* members are numbered densely, in the order of registration */
    POOL_WORLD_POISON,       /* the page that kills is given up, and no page for its deeds */
    POOL_WORLD_WINDOW, /* no lane has more tickets than its window, and no process two suspects */
    POOL_WORLD_INVARIANTS_,
};

enum pool_world_fault {
    POOL_WORLD_KILL,         /* kill -9 of a member, started again soon */
    POOL_WORLD_KILL_LONG,    /* the same, back after its lanes are dead */
    POOL_WORLD_FREEZE,       /* SIGSTOP, shorter than the fence */
    POOL_WORLD_FREEZE_FENCE, /* longer than the fence, shorter than dead */
    POOL_WORLD_FREEZE_DEAD,  /* longer than dead */
    POOL_WORLD_FREEZE_START, /* longer than dead, between the look at the lease and the request */
    POOL_WORLD_LINK,         /* a link is reset */
    POOL_WORLD_CUT,          /* a partition, shorter than dead */
    POOL_WORLD_CUT_LONG,     /* a partition, longer than dead */
    POOL_WORLD_CUT_UP,       /* nothing comes from the member, for longer than dead */
    POOL_WORLD_CUT_DOWN,     /* nothing comes to the member, for longer than dead */
    POOL_WORLD_HOLD, /* what a link carries to the manager comes after twice dead, on that link */
    POOL_WORLD_LAG,  /* what a link carries to the member comes seconds late */
    POOL_WORLD_SWALLOW,      /* what a link carries to the manager never comes */
    POOL_WORLD_MANAGER,      /* kill -9 of the manager, started again soon */
    POOL_WORLD_MANAGER_LONG, /* the same, away for longer than dead */
    POOL_WORLD_NAMESAKE,     /* a second process with a member's name */
    POOL_WORLD_RETURN,       /* a member that is cut off is started elsewhere, under its name */
    POOL_WORLD_SLOW,         /* a member works ten times slower */
    POOL_WORLD_HANG,         /* a web server never answers a member that waits for ever */
    POOL_WORLD_POISON_PAGE,  /* a page kills each member that reads it */
    POOL_WORLD_FORGE,        /* a member answers tickets that it invents */
    POOL_WORLD_STEAL,        /* a member answers tickets of others */
    POOL_WORLD_JUNK,         /* a member sends frames that are none */
    POOL_WORLD_IDLE,         /* a member pings and does not work */
    POOL_WORLD_LEAVE,
    POOL_WORLD_JOIN,
    POOL_WORLD_FAULTS,
};
extern const char *const pool_world_fault_names[POOL_WORLD_FAULTS];

/* What the protocol met: a set of runs without one of these proves less than it claims. */
enum pool_world_event {
    POOL_WORLD_ENTERED_, /* as enum pool_entry */
    POOL_WORLD_RETURNED_,
    POOL_WORLD_EARLIER_,
    POOL_WORLD_EXPELLED_,
    POOL_WORLD_DIED,       /* lanes */
    POOL_WORLD_LEFT,       /* lanes */
    POOL_WORLD_LATE,       /* answers that found no ticket */
    POOL_WORLD_BROKEN_OFF, /* messages that a member broke off at the end of its lease */
    POOL_WORLD_OVERDUE,    /* lanes whose visit took too long */
    POOL_WORLD_BAD_FRAME,
    POOL_WORLD_NAME_TAKEN, /* lanes that the roll refused */
    POOL_WORLD_EVENTS,
};
extern const char *const pool_world_event_names[POOL_WORLD_EVENTS];

struct pool_world_settings {
    uint64_t seed;
    uint32_t members, hosts, urls;
    uint32_t manager_shards; /* 1 or 2 */
    uint32_t faults;         /* bits of enum pool_world_fault that may happen */
    uint64_t trouble_ms;     /* faults happen until then */
    uint64_t limit_ms;       /* all is settled by then */
    bool ignores_lease;      /* members break nothing off: an invariant must find it */
};

struct pool_world_report {
    uint64_t events, ended_ms;
    uint64_t requests, orphanings, settled, given_up;
    uint64_t unlucky; /* pages given up because members died of something else three times */
    /* Requests that were open in a frozen process while their host was asked by another. */
    uint64_t frozen_overlaps;
    uint64_t late_starts; /* requests of processes that stood still between look and request */
    uint64_t frames_hash; /* of all frames that arrived, in order */
    uint64_t faults[POOL_WORLD_FAULTS];
    uint64_t met[POOL_WORLD_EVENTS];
    uint64_t checked[POOL_WORLD_INVARIANTS_]; /* how often each invariant was checked */
    int broken;                               /* the invariant that was broken; 0: none */
    char why[256];
};

/* Runs one world. RC_OK: it ran, and the report says whether it was correct. If it was not, `trail`
 * gets the last events; it may be NULL. */
MUST_CHECK enum rc pool_world_run(const struct pool_world_settings *s,
                                  struct pool_world_report *ret, struct buf *trail);

#endif
