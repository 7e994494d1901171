/* SPDX-License-Identifier: Apache-2.0 */
/* pool manager: the end of a pool's connections at the manager, on one shard. Private to the framework.
 *
 *     pool_manager.c       the part: messages in and out, the reception, the port
 *     pool_manager_lane.c  a lane's link: frames, hello, batches */
#ifndef FLOW_POOL_MANAGER_H
#define FLOW_POOL_MANAGER_H

#include "flow/pool_internal.h"

#include "base/digest.h"
#include "base/int_map.h"

/* What all shards of the manager have in common; the first shard's instance has it. */
struct pool_shared {
    uint64_t session; /* a random number for the life of the process */
    struct pool_roll *roll;
    struct link_context *links;
    struct reception reception;
};

struct pool_manager {
    struct instance *self;
    const struct pool_end_settings *settings;
    struct pool_shared *shared;
    struct pool_lanes *lanes;
    struct list ends;        /* struct lane_end */
    struct int_map by_route; /* struct lane_end * */
    uint64_t routes;
    struct pool_arrivals arrivals;
    struct timer due;   /* a lane may be dead, or a visit too old */
    struct timer flush; /* a batch has waited long enough */
    struct pool_waiter waiter;
    bool is_flush_set;
};

/* A lane, and its link while there is one. */
struct lane_end {
    struct pool_manager *manager;
    struct pool_lane *lane;
    struct link *link; /* NULL: cut */
    struct pool_member *member;
    struct digest key; /* with which it logged in; a key that was taken away ends the lane */
    uint64_t route;
    struct buf settled;  /* numbers of answers to be told at the end of the turn */
    unsigned batched;    /* messages that were put since the last flush */
    uint64_t batched_ms; /* when the first of them was */
    uint64_t received;   /* bytes of the link that were taken for a sign of life */
    uint64_t key_ms;     /* when the key was last seen to be there */
    uint64_t ping;       /* the newest that was not answered yet; 0: none */
    struct timer again;  /* frames wait for the next turn */
    bool had_no_room, is_leaving;
    uint64_t lost;   /* tickets that were open when it died */
    bool is_trusted; /* since it dialled */
    struct list_node node;
};

/* A message that stayed, and the frame that its copy goes with. */
struct sent {
    struct pool_ticket ticket;
    struct lane_end *end;
    struct message *message;
    struct buf frame;
    unsigned slot; /* of settings->there */
};

/* pool_manager_lane.c */
void lane_ends_take(struct instance *self, struct link *l, const struct pool_hello *h);
void lane_end_send(struct lane_end *e); /* what is not sent yet, as far as the link takes it */
void lane_end_turn(struct lane_end *e); /* tells what was settled, and flushes what is due */
void lane_end_cut(struct lane_end *e);
void lane_end_close(struct lane_end *e); /* it has no ticket; pool_lanes_gone() gave it */
void lane_end_tell_over(struct lane_end *e);
void pool_refuse(struct link *l, const char *why);

/* pool_manager.c */
void pool_manager_lose(struct pool_manager *p, struct sent *s, bool is_blamed);
/* The answer to a ticket that was taken: bytes of the message, for outlet `slot`. False: they cannot be read, and
 * the message was lost. */
MUST_CHECK bool pool_manager_answer(struct pool_manager *p, struct sent *s, unsigned slot,
                                    struct str bytes);
/* It ended at the member. A member that leaves had not begun with it. */
void pool_manager_ended(struct pool_manager *p, struct sent *s, bool is_leaving);
void pool_manager_look(struct pool_manager *p); /* for what is lost or gone */

#endif
