/* SPDX-License-Identifier: Apache-2.0 */
/* pool member: the end of a pool's connections at a member, on one shard. Private to the framework.
 *
 *     pool_member.c       the part: copies in, answers out
 *     pool_member_lane.c  a lane: dialling, the lease, frames
 *
 * A copy is known here until the manager has settled it: answers that a lost link swallowed are sent
 * again on the next one. Copies of a lease that ended are void. */
#ifndef FLOW_POOL_MEMBER_H
#define FLOW_POOL_MEMBER_H

#include "flow/pool_internal.h"
#include "flow/remote.h"

#include "base/int_map.h"

struct pool_member_end {
    struct instance *self;
    const struct pool_end_settings *settings;
    struct link_context *links;
    struct link_address to;
    uint64_t boot;     /* a random number for the life of the process */
    struct list lanes; /* struct member_lane */
    struct loop_guard guard;
    bool is_leaving;
};

struct member_lane {
    struct pool_member_end *end;
    unsigned number;
    struct list_node node;
    struct link link;
    struct timer again; /* to dial; while a link stands without a welcome: its patience */
    struct timer beat;  /* to ping */
    uint64_t wait_ms, ping_ms;
    bool is_up;        /* welcomed */
    bool has_given_up; /* what was open when the lease ended */
    struct pool_lease lease;
    uint64_t session;   /* of the manager; 0: none yet */
    uint64_t last;      /* ticket that came through */
    uint64_t life;      /* rises when all that is open becomes void */
    struct list copies; /* struct pool_copy, in the order of tickets */
    struct int_map by_ticket;
};

/* A message from the manager, and all that parts here make of it. */
struct pool_copy {
    struct copy_head head; /* first, as copy_of() wants it */
    struct member_lane *lane;
    uint64_t ticket, life;
    struct buf answer; /* the frame, once there is one */
    bool is_whole;     /* no message of it is left here */
    bool is_settled;
    struct list_node node;
};

/* pool_member.c */
MUST_CHECK bool pool_member_take(struct member_lane *lane, struct str frame); /* a MESSAGE */
void pool_copy_settled(struct pool_copy *c);
void pool_member_void(struct member_lane *lane); /* all of its copies */

/* pool_member_lane.c */
MUST_CHECK enum rc member_lane_open(struct pool_member_end *end, unsigned number);
void member_lane_close(struct member_lane *lane, bool is_in_order);
void member_lane_dial(struct member_lane *lane);
void member_lane_guard(struct member_lane *lane, uint64_t now_ms);
void member_lane_answer(struct member_lane *lane, const struct pool_copy *c);
void member_lane_leave(struct member_lane *lane);
void member_lane_turn(struct member_lane *lane);
void member_lane_stop(struct member_lane *lane);

#endif
