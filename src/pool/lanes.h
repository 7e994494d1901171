/* SPDX-License-Identifier: Apache-2.0 */
/* lanes: what one shard of a manager knows of the members of its pool, and which of them has which
 * ticket.
 *
 * A lane joins one shard of the manager with one shard of one process of a member. The process says
 * its boot, a random number; the name is that of the key with which it logged in.
 *
 *            hello                link lost          dead_ms without a ping
 *   (none) ────────► UP ◄──────────────────► CUT ───────────────────────────► its tickets are lost,
 *                     │         hello         ▲                               the lane is gone
 *                     └─ expelled: its pings are answered no more
 *
 * A ticket stands for one message that was sent to a member. It is open until the member that has
 * it answers, or until it is lost. Numbers rise, and none is given twice: so an answer counts only
 * from the lane that has the ticket, and one that comes late finds none. A lost link loses no
 * ticket.
 *
 * A message whose ticket was lost is a suspect when it comes again: it may be what killed its
 * member. A lane has one suspect at a time, and when it dies with one the others are not blamed.
 * Lanes of one process may share that (pool_lane_share): what kills the process ends all its lanes.
 *
 * One thread. No clock and no I/O: the caller hands in now_ms and the messages. */
#ifndef POOL_LANES_H
#define POOL_LANES_H

#include "base/list.h"
#include "base/str.h"
#include "pool/timings.h"

#include <stdatomic.h>

enum {
    POOL_MAX_NAME_BYTES = 32,
    POOL_MAX_LANES = 4096,
    POOL_MAX_WINDOW = 4096,
    POOL_MAX_SHARDS = 256
};

struct pool_lanes; /* of one shard */
struct pool_lane;

/* Stands in the caller's memory, from give to take or lost. */
struct pool_ticket {
    uint64_t number;
    struct pool_lane *lane;
    uint64_t given_ms;
    struct list_node node; /* in the lane's list, in the order of numbers */
    bool is_suspect;
    bool is_blamed; /* set when it is lost: it was sent, and the member may have died of it */
};

struct pool_process {
    struct str name;
    uint64_t boot;
    unsigned number; /* of the lane among those of the process */
};

/* NULL without memory. The first ticket has the number `first`, which is at least 1. `t` was
 * checked. */
struct pool_lanes *pool_lanes_open(const struct pool_timings *t, uint64_t first);
/* Tickets that are open are forgotten, and their memory is not looked at. */
void pool_lanes_close(struct pool_lanes *l);

/* A link says hello ---------------------------------------------------------------------------- */

enum pool_entry {
    POOL_ENTERED,  /* a new lane; the process must have nothing open */
    POOL_RETURNED, /* its lane stands: messages behind the last that came are sent again */
    /* Another process of that name may still be asking, or its own lane is over and was not told by
     * pool_lanes_gone() yet: it says hello again later. */
    POOL_EARLIER,
    POOL_EXPELLED, /* the same process broke the rules, and its lane is not gone yet: likewise */
    POOL_FULL,     /* POOL_MAX_LANES */
};

/* `last`: the newest ticket that came through to the process, 0 if it has nothing. Counts as a ping
 * if it entered or returned; then *ret_lane is set. RC_NOMEM changes nothing. A process whose lane
 * is gone enters anew, whatever it says. The lane's ctx is NULL until it is set. A name of at most
 * POOL_MAX_NAME_BYTES. */
MUST_CHECK enum rc pool_lanes_hello(struct pool_lanes *l, const struct pool_process *p,
                                    uint64_t last, unsigned window, uint64_t now_ms,
                                    enum pool_entry *ret, struct pool_lane **ret_lane);

void *pool_lane_ctx(const struct pool_lane *lane);
void pool_lane_set_ctx(struct pool_lane *lane, void *ctx);

/* The suspects of all lanes that share one are counted together: a suspect is alone in its process,
 * and a process that had one blames no other message, whichever of its lanes dies first. Zeroed, it
 * is ready. */
struct pool_suspicion {
    _Atomic uint32_t open;    /* suspects that are under way */
    _Atomic uint64_t lost_ms; /* the last one was lost; all shards have one clock */
};
/* `s` outlives the lane, which has no ticket yet. */
void pool_lane_share(struct pool_lane *lane, struct pool_suspicion *s);

/* A ping came. False: it is not answered, because the lane was expelled or is dead. */
MUST_CHECK bool pool_lane_ping(struct pool_lane *lane, uint64_t now_ms);

void pool_lane_cut(struct pool_lane *lane);   /* its link is gone */
void pool_lane_expel(struct pool_lane *lane); /* it broke the rules: its lease comes to its end */
/* It wants to leave: it gets no new ticket, and is gone when it has none (pool_lanes_gone). What it
 * has is still sent, and a return changes nothing. */
void pool_lane_leave(struct pool_lane *lane);

/* Tickets -------------------------------------------------------------------------------------- */

/* It is up, was heard within fence_ms, stays, and its window has room; for a suspect: it has no
 * other. */
bool pool_lane_has_room(const struct pool_lane *lane, bool is_suspect, uint64_t now_ms);
unsigned pool_lane_count(const struct pool_lane *lane); /* of open tickets */
/* The oldest; NULL: none is open. */
struct pool_ticket *pool_lane_first(const struct pool_lane *lane);

/* Gives it a ticket; the caller has asked for room. RC_NOMEM. */
MUST_CHECK enum rc pool_lane_give(struct pool_lane *lane, struct pool_ticket *t, bool is_suspect,
                                  uint64_t now_ms);

/* The next whose message must be sent, in order; NULL: none, or the lane is cut or expelled. It
 * counts as sent. */
struct pool_ticket *pool_lane_unsent(struct pool_lane *lane);

/* The member has answered: the ticket is closed. NULL: it is not open at this lane, or was not
 * sent. */
struct pool_ticket *pool_lane_take(struct pool_lane *lane, uint64_t number);

/* Closes a ticket that is open, sent or not: the manager takes its message back, and tells the
 * member nothing. */
void pool_ticket_close(struct pool_ticket *t);

/* Time ----------------------------------------------------------------------------------------- */

/* Expels lanes with a ticket older than visit_ms. Then the next ticket of a lane that is dead,
 * closed; NULL: there is none. */
struct pool_ticket *pool_lanes_lost(struct pool_lanes *l, uint64_t now_ms);

/* The next lane that is gone: it is dead or has left, and has no ticket. NULL: none. The caller
 * forgets it before it calls again, which frees it; a hello of that name enters anew from then
 * on. */
struct pool_lane *pool_lanes_gone(struct pool_lanes *l, uint64_t now_ms);

/* When either may find something next, if no message comes; UINT64_MAX: never. It may be too early,
 * and is not when both have just found nothing. */
uint64_t pool_lanes_due_ms(const struct pool_lanes *l);

#endif
