/* SPDX-License-Identifier: Apache-2.0 */
/* pool: connections from a manager to the members of a pool, and back. Private to the framework.
 *
 *   manager, each shard                              member, each shard
 *   x ─► manager end: keeps the message, ──lane──►   member end: a source of copies ─► y
 *        sends a copy to one member                                                    │
 *   z ◄─ the copy's findings are put      ◄─lane──   sends the copy back          ◄────┘
 *        into the message that stayed
 *
 * One part stands for all connections of the wiring between the two: an inlet and an outlet for each. What
 * comes back is what went: a message that a part at the member makes itself cannot leave. The member
 * dials, and a lane joins one of its shards with one of the manager's (pool/lanes.h). What both owe each
 * other, and when a message is lost, is decided in src/pool.
 *
 * Threads: an end belongs to its shard. The first shard of the manager has the reception; it hands a link
 * to the shard of its lane. */
#ifndef FLOW_POOL_INTERNAL_H
#define FLOW_POOL_INTERNAL_H

#include "flow/flow_internal.h"
#include "flow/pool_port.h"
#include "flow/reception.h"
#include "pool/frames.h"
#include "pool/lease.h"

/* A connection between the manager and the pool. */
struct pool_cut {
    uint16_t cut; /* its number in the whole wiring */
    const struct message_type *type;
};

/* What wiring_cut() gives to either end. */
struct pool_end_settings {
    struct wiring_place pool, manager; /* the places */
    struct pool_options options;       /* the pool's */
    unsigned place;                    /* the pool's number */
    uint64_t wiring;                   /* the digest */
    struct pool_cut there[POOL_MAX_CUTS], back[POOL_MAX_CUTS];
    unsigned there_count, back_count;
    struct pool_login login;
};
extern const struct part part_pool_manager, part_pool_member;

/* pool_ports.c: of both ends. An inlet for each connection that leaves by it, an outlet for each that
 * comes, and at the manager, for each that leaves, one by which its lost messages go on. */
enum { POOL_LOST_OUTLETS = POOL_MAX_CUTS };
extern const struct part_port pool_inlets[], pool_outlets[];

/* pool_arrivals.c: links on their way from the reception to the shard of their lane. */
struct arrival {
    struct link *link;
    struct pool_hello hello;
    struct list_node node;
};
struct pool_arrivals {
    struct instance *self;
    void (*take)(struct instance *self, struct link *l, const struct pool_hello *h);
    pthread_mutex_t lock; /* guards the next two */
    struct list list;
    bool is_told;
    struct loop_task task;
};
void pool_arrivals_init(struct pool_arrivals *a, struct instance *self,
                        void (*take)(struct instance *self, struct link *l,
                                     const struct pool_hello *h));
/* From the thread of the reception. RC_NOMEM: the link is still the caller's. */
MUST_CHECK enum rc pool_arrivals_add(struct pool_arrivals *a, struct link *l,
                                     const struct pool_hello *h);
void pool_arrivals_close(struct pool_arrivals *a); /* closes the links; no thread runs */

/* The shard's instances of parts give up what may not go on (part.h). */
void pool_give_up(struct shard *s);

#endif
