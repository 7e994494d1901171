/* SPDX-License-Identifier: Apache-2.0 */
/* What world.c, world_faults.c and invariants.c share. */
#ifndef SIMULATE_WORLD_INTERNAL_H
#define SIMULATE_WORLD_INTERNAL_H

#include "base/heap.h"
#include "base/rng.h"
#include "simulate/world.h"

enum { WORLD_MAX_OPEN = 8, WORLD_MAX_INCS = 32, TRAIL_LINES = 96, TRAIL_BYTES = 192 };

struct world_fetch {
    bool is_open;
    uint32_t url;
    uint64_t end_ms;
};

struct world_held {
    uint64_t inc;
    uint8_t *bits; /* for each URL: 1: it is there; 2: as done */
};

struct world_agent {
    struct heap_node next; /* when the agent does something next */
    char name[8];
    int stream;
    struct model model;
    struct agent *agent; /* NULL: no process runs */
    struct bus *bus;
    bool is_here; /* it was started once, and has not left */
    bool wants_seed, is_leaving;
    bool is_late;       /* a fault hit it after others knew that the crawl is finished */
    bool is_over;       /* it ended when all had said that the crawl is finished */
    uint64_t stale_inc; /* its disk was lost in that incarnation: the journal belongs to another */
    uint64_t began_ms;  /* when its process began */
    uint64_t gone_ms;   /* since when it is killed, frozen or cut off; 0: it is not */
    uint64_t starts;    /* processes so far */
    uint64_t start_ms;  /* when the next process starts; UINT64_MAX: never */
    uint64_t thaw_ms;   /* frozen until then; 0: it is not */
    uint64_t doom_ms;   /* its disk is lost then, if that is before mend_ms; 0: never */
    uint64_t mend_ms;   /* its connection comes back then; 0: it is there */
    uint64_t skew_ms;   /* its clock is ahead of the world's by this */
    uint64_t turn_ms, sync_ms, crawl_ms;
    bool is_hurried; /* a sync was asked for since the last one */
    struct world_fetch fetches[WORLD_MAX_OPEN];
    /* What the invariants have seen of it: */
    uint64_t boot, epoch, generation, cursor, roster_length, acked_through_checked,
        acked_through_generation;
    uint64_t dead_inc;                      /* the incarnation that was last declared dead */
    size_t dead_entries;                    /* the length of its journal then */
    struct world_held held[WORLD_MAX_INCS]; /* what its stream holds */
    size_t held_count;
    uint64_t held_upto;
};

/* Journals and streams that have a URL, as last counted: agent i's journal is 2 i + 1, its stream 2
 * i + 2. The invariants only ask for the number and the first: whether another one has it, too. */
struct world_copies {
    uint32_t count, first, last;
};

struct world_url {
    uint32_t done_count; /* how often it was done */
    struct world_copies copies, done_copies;
    uint32_t journals;   /* how many of `copies` are journals */
    uint64_t outside_ms; /* it was for others, on a disk outside the roster that was lost then */
    bool was_said;       /* in any stream ever */
};

struct world_host {
    uint64_t last_start_ms;
    bool was_started;
    bool is_wiped; /* its owner lost its disk (world_settings.wipe_ms) */
};

/* How often a process polls and syncs. */
struct world_pace {
    uint64_t poll_ms, gap_ms, sync_ms, crawl_ms, look_ms;
    size_t outbox_most;
    uint64_t most_events;
};

struct scale; /* scale.c */

struct world {
    struct scale *scale; /* NULL: few agents */
    bool is_founding;    /* the log of the time before the simulation is being written */
    struct world_settings set;
    struct world_report *report;
    struct rng rng;
    struct web web;
    struct nats_sim *servers;
    struct roster *truth; /* the roster as the servers have it */
    uint64_t truth_taken; /* messages of its stream that were folded */
    uint64_t *hashes;     /* of the truth, by length */
    size_t hash_count, hash_cap;
    int roster_stream;
    struct roster_timings timings;
    struct world_pace pace;
    struct facts *facts;
    struct roster_rings *rings; /* NULL: each roster has its own */
    struct heap schedule;       /* of agents */
    struct world_agent **agents;
    uint32_t agent_count, agent_most;
    struct world_url *urls;
    struct world_host *hosts;
    uint64_t now_ms, fault_ms, quiet_until_ms, finished_ms, open_since_ms, look_ms;
    uint64_t epoch_seen; /* the highest epoch of `truth` */
    bool is_healed, is_finished;
    uint64_t
        /* the last request since the wipe: of the others' hosts; of the wiped agent's */
        asked_ms[2];
    /* a fault has hit an agent after the first one knew that the crawl is finished */
    bool is_late;
    struct world_agent *namesake, *namesake_of; /* namesake.c; NULL: there was none yet */
    uint64_t namesake_boot, namesake_end_ms;
    char (*trail)[TRAIL_BYTES];
    uint64_t trail_count;
};

bool world_is_large(const struct world *w);

#define WALL_MS UINT64_C(1700000000000)

void world_say(struct world *w, const char *format, ...) PRINTF_LIKE(2, 3);
void world_break(struct world *w, int invariant, const char *format, ...) PRINTF_LIKE(3, 4);
uint64_t world_agent_now(const struct world *w, const struct world_agent *a);
bool world_is_frozen(const struct world *w, const struct world_agent *a);

/* world.c */
MUST_CHECK enum rc world_start(struct world *w, struct world_agent *a);
void world_stop(struct world *w, struct world_agent *a); /* the process is gone, at once */
struct world_agent *world_new_agent(struct world *w);
void world_fault_late(struct world *w); /* an agent knows that the crawl is finished */
void world_roster_refold(struct world *w);

/* scale.c */
MUST_CHECK enum rc scale_open(struct world *w);  /* all agents have their names */
MUST_CHECK enum rc scale_begin(struct world *w); /* makes the agents join, and share their rings */
void scale_entry(struct world *w, const struct roster_entry *e, struct str writer, bool counted,
                 bool is_new_epoch);
void scale_end(struct world *w);
void scale_free(struct world *w);
enum world_fault scale_next_fault(struct world *w); /* WORLD_FAULTS: no more */
void scale_fault_done(struct world *w, bool happened);

/* namesake.c: once in a run */
bool namesake_begin(struct world *w, struct world_agent *first);
bool namesake_runs(const struct world *w);
void namesake_ended(struct world *w); /* its agent has stopped */
void namesake_stop(struct world *w);
void namesake_look(struct world *w);
void namesake_free(struct world *w);

/* world_faults.c */
void world_fault(struct world *w);
void world_heal(struct world *w);

/* invariants.c */
void invariants_taken(struct world *w, int stream, uint64_t sequence); /* a stream has grown */
void invariants_start(struct world *w, struct world_agent *a, uint32_t url);
void invariants_agent(struct world *w, struct world_agent *a); /* after every step of the agent */
void invariants_copies(struct world *w);                       /* invariants 1 and 10 */
void invariants_end(struct world *w);
void invariants_forget_held(struct world_agent *a); /* the stream has changed */
/* The agent's disk is lost, and it is not in the roster: remembers what it kept for others. */
void invariants_outside(struct world *w, struct world_agent *a);
void invariants_allow(struct world *w, struct world_agent *a, bool is_journal_lost);

#endif
