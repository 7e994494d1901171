/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the simulated pool share: pool_world.c has time, links and the loop;
 * pool_manager.c, pool_member.c the two ends; pool_witness.c the web and the invariants;
 * pool_faults.c the faults. */
#ifndef SIMULATE_POOL_WORLD_INTERNAL_H
#define SIMULATE_POOL_WORLD_INTERNAL_H

#include "base/heap.h"
#include "base/list.h"
#include "base/rng.h"
#include "pool/frames.h"
#include "pool/lanes.h"
#include "pool/lease.h"
#include "pool/roll.h"
#include "simulate/pool_world.h"

enum {
    PW_SHARDS = 2,  /* at most, of a process */
    PW_NAMES = 8,   /* of members */
    PW_BIRTHS = 96, /* processes of members in a run, at most */
    PW_MOST_OPEN = 16,
    PW_FRAME_BYTES = 64,
    PW_TRAIL_LINES = 96,
    PW_TRAIL_BYTES = 160,
    PW_BLAMES = 3, /* then a page is given up */
};

/* Something that happens at its time. */
enum pw_kind { PW_UP, PW_DOWN, PW_TURN, PW_ANSWER, PW_MANAGER, PW_BIRTH, PW_FAULT };
struct pw_event {
    struct heap_node node;
    enum pw_kind kind;
    void *of;
};

/* Of a machine: up to 1 % too fast or too slow. */
struct pw_clock {
    uint64_t offset_ms;
    int64_t ppm;
};

/* Links ---------------------------------------------------------------------------------------- */

struct pw_frame {
    struct list_node node;
    uint64_t due_ms;
    bool is_end; /* the writer has closed */
    uint8_t n;
    char bytes[PW_FRAME_BYTES];
};

/* One direction, in order. */
struct pw_pipe {
    struct pw_event event;
    struct list frames;
    uint64_t last_ms; /* the last frame arrives then */
};

struct pw_link {
    struct list_node node;
    struct pw_pipe up, down;
    struct pw_process *process;
    unsigned lane;
    uint64_t session;             /* of the manager that accepted it; 0: none yet */
    struct pw_post *post;         /* NULL: the lane is gone, or has another link */
    bool member_has, manager_has; /* that end is open */
    uint64_t hold_ms;             /* frames to the manager come later by this */
    uint64_t lag_ms;              /* frames to the member come later by this */
    bool swallows;                /* they never come */
};

/* A member ------------------------------------------------------------------------------------- */

enum pw_outcome { PW_FETCHED, PW_BROKEN_OFF, PW_NOT_STARTED };
enum pw_state { PW_QUEUED, PW_ABOUT, PW_ASKED, PW_DONE };

/* A message at a member, until the manager has settled its answer. */
struct pw_task {
    struct list_node node;
    struct pw_event event; /* the web server answers */
    struct pw_lane *lane;
    uint64_t ticket;
    uint32_t url;
    enum pw_state state;
    enum pw_outcome outcome;
    bool has_ended; /* it is told by ENDED */
};

struct pw_lane {
    struct pw_process *process;
    unsigned number;
    struct pool_lease lease;
    struct pw_link *link;
    bool is_welcome, has_said_leave, has_left;
    uint64_t session, last;
    uint64_t dial_ms, ping_ms, heard_ms; /* of its clock */
    struct list tasks;
};

enum pw_trait { PW_HONEST, PW_FORGES, PW_STEALS, PW_SENDS_JUNK, PW_IDLES };

struct pw_process {
    struct pw_event turn;
    unsigned name, id;
    uint64_t boot;
    struct pw_clock clock;
    bool is_alive, is_leaving, is_poisoned;
    bool died_of_suspect; /* the page that poisoned it was one */
    uint64_t died_ms;
    bool stops_before;               /* it stands still before its next request */
    uint64_t frozen_ms;              /* stands still until then; 0: it does not */
    uint64_t cut_up_ms, cut_down_ms; /* nothing passes until then */
    enum pw_trait trait;
    uint64_t deeds, deed_ms; /* of its trait: how many are left, and when */
    unsigned slowness;
    unsigned shards, lane_count;
    struct pw_lane lanes[PW_SHARDS];
};

struct pw_name {
    char text[8];
    struct pw_event birth;
    struct pw_process *current; /* NULL: none runs, or it has left */
    struct pw_clock clock;
    bool has_left;
};

/* The manager ---------------------------------------------------------------------------------- */

/* What the manager has of a lane. */
struct pw_post {
    struct list_node node;
    struct pool_lane *lane;
    struct pw_link *link;
    struct pool_member *member; /* NULL: the roll has refused it */
    struct pw_process *process;
    unsigned number, shard;
    unsigned given, suspects; /* as counted here */
    bool has_died, leaves;
};

struct pw_url {
    struct list_node node; /* in the queue of its host */
    uint32_t number, host;
    uint32_t requests, orphanings, losses, blames, poison_blames, settled;
    bool is_poison, is_given_up;
};

struct pw_visit {
    struct pool_ticket ticket; /* first */
    struct pw_url *url;
    struct pw_post *post;
};

struct pw_host {
    uint64_t delay_ms, due_ms; /* due_ms: of the manager's clock */
    struct list queue;
    bool is_out;
    struct pw_visit visit;
    /* The witness: */
    struct pw_task *open[PW_MOST_OPEN];
    unsigned open_count;
    bool was_asked, was_late; /* was_late: the last request came from a process that stood still */
    uint64_t asked_ms;        /* of the manager's clock */
};

struct pw_manager {
    struct pw_event event;
    struct pw_clock clock;
    bool is_alive;
    uint64_t session, start_ms; /* start_ms: when it starts again, of the world */
    struct pool_lanes *lanes[PW_SHARDS];
    struct list posts[PW_SHARDS];
    uint64_t last_ticket[PW_SHARDS];
    struct pool_roll *roll;
    unsigned present[PW_NAMES], present_count, lanes_of[PW_NAMES]; /* what the roll must say */
    unsigned window, kills;
};

/* The world ------------------------------------------------------------------------------------ */

struct pw {
    struct pool_world_settings set;
    struct pool_world_report *report;
    struct pool_timings timings;
    struct rng rng;
    struct heap heap;
    uint64_t order, now_ms;
    enum rc rc; /* the first allocation that failed */
    struct list links;
    struct pw_process *processes[PW_BIRTHS];
    unsigned process_count;
    struct pw_name names[PW_NAMES];
    unsigned name_count;
    struct pw_manager manager;
    struct pw_host *hosts;
    struct pw_url *urls;
    struct pw_event fault;
    bool is_healed;
    uint64_t settled_ms; /* all is; 0: not yet */
    char (*trail)[PW_TRAIL_BYTES];
    uint64_t trail_count;
};

/* pool_world.c */
void pw_say(struct pw *w, const char *format, ...) PRINTF_LIKE(2, 3);
void pw_break(struct pw *w, enum pool_world_invariant i, const char *format, ...) PRINTF_LIKE(3, 4);
uint64_t pw_clock_at(const struct pw_clock *c, uint64_t now_ms);
uint64_t pw_clock_when(const struct pw_clock *c,
                       uint64_t local_ms); /* the first moment at which it is that */
struct pw_clock pw_clock_new(struct pw *w);
uint64_t pw_below(struct pw *w, uint64_t below);
uint64_t pw_between(struct pw *w, uint64_t least, uint64_t most);
void pw_at(struct pw *w, struct pw_event *e,
           uint64_t at_ms); /* in place of when it was to happen */
void pw_never(struct pw *w, struct pw_event *e);
uint64_t pw_manager_now(const struct pw *w);
uint64_t pw_process_now(const struct pw *w, const struct pw_process *p);
bool pw_is_frozen(const struct pw *w, const struct pw_process *p);

struct pw_link *pw_dial(struct pw *w, struct pw_process *p,
                        unsigned lane); /* NULL without memory */
void pw_send_up(struct pw *w, struct pw_link *l, struct str frame);
void pw_send_down(struct pw *w, struct pw_link *l, struct str frame);
void pw_close_up(struct pw *w, struct pw_link *l, bool is_told);   /* the member's end */
void pw_close_down(struct pw *w, struct pw_link *l, bool is_told); /* the manager's end */

/* pool_manager.c */
MUST_CHECK enum rc pw_manager_start(struct pw *w);
void pw_manager_kill(struct pw *w);
void pw_manager_turn(struct pw *w);
void pw_manager_read(struct pw *w, struct pw_link *l, const struct pw_frame *f);
void pw_manager_free(struct pw *w);

/* pool_member.c */
void pw_process_start(struct pw *w, unsigned name, const struct pw_clock *clock);
void pw_process_kill(struct pw *w, struct pw_process *p, bool is_told);
void pw_process_turn(struct pw *w, struct pw_process *p);
void pw_process_read(struct pw *w, struct pw_link *l, const struct pw_frame *f);
void pw_process_answered(struct pw *w, struct pw_task *t);
void pw_process_free(struct pw *w, struct pw_process *p);

/* pool_witness.c */
void pw_asked(struct pw *w, struct pw_task *t, bool is_late); /* a request begins */
void pw_ended(struct pw *w, struct pw_task *t);
void pw_check_given(struct pw *w, const struct pw_post *p, const struct pw_visit *v);
void pw_check_taken(struct pw *w, const struct pw_link *l, const struct pw_visit *v);
void pw_check_dead(struct pw *w, const struct pw_post *p);
void pw_check_roll(struct pw *w);
void pw_check_blame(struct pw *w, const struct pw_post *p, const struct pw_url *u, bool is_blamed);
void pw_check_settled(struct pw *w, struct pw_url *u);
void pw_check_end(struct pw *w);

/* pool_faults.c */
void pw_fault(struct pw *w);

#endif
