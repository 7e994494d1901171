/* SPDX-License-Identifier: Apache-2.0 */
/* call_queue: requests of other threads to one part of the crawl.
 *
 * A part has a queue from its start to its stop. A call runs on the part's own thread, which may
 * look at everything of its shard without a lock. The call ends there, or later, when what it
 * brought is durable. The caller waits for a limited time. Caller and part both hold the call, and
 * the last of them releases it, so neither side's memory depends on how long the other waits. A
 * queue that closes ends what it still has with RC_CLOSED. */
#ifndef ROLES_CALL_QUEUE_H
#define ROLES_CALL_QUEUE_H

#include "flow/part.h"

#include <pthread.h>

enum { CALLS_MAX_SHARDS = 256, CALLS_SEEDS = CALLS_MAX_SHARDS, CALLS_QUEUES };

struct calls;

struct call {
    /* On the thread of the queue's part. One call_end() follows, on any thread and at any time.
     * NULL: the queue's `serve` runs it. */
    void (*run)(struct call *c, struct instance *at);
    void (*release)(struct call *c);
    /* calls' own: */
    struct calls *calls;
    struct call *next;
    unsigned holders;
    bool has_ended;
    enum rc rc;
};

/* Stands in the part's state. */
struct call_queue {
    struct loop_task task;
    struct calls *calls;
    struct instance *at;
    /* What the part does with a call that has no `run`; set before the open, or NULL. */
    void (*serve)(struct call *c, struct instance *at);
    struct call *first, *last;
    bool is_woken;
};

struct calls {
    pthread_mutex_t lock; /* guards everything below, queues and calls */
    pthread_cond_t ends;
    struct call_queue *queues[CALLS_QUEUES]; /* by shard: of schedule; CALLS_SEEDS: of seeds */
};

void calls_init(struct calls *c);
void calls_done(struct calls *c); /* all queues are closed, and no caller is left */

/* In the part's start, and in its stop. */
void call_queue_open(struct call_queue *q, struct calls *c, unsigned number, struct instance *at);
void call_queue_close(struct call_queue *q, unsigned number);

/* Takes the call, runs it at the queue and waits until it has ended: what call_end() said,
 * RC_CLOSED (the part is not there), or RC_AGAIN (`most_ms` are over; it may still happen). The
 * caller may look at the call until it gives it back with call_leave(). */
MUST_CHECK enum rc calls_ask(struct calls *c, unsigned number, struct call *call, uint64_t most_ms);
void call_leave(struct call *c);

/* Takes the call and runs it at the queue, without waiting: its `release` follows its end, on the
 * thread that ends it. False: the part is not there, and the call is the caller's. */
MUST_CHECK bool calls_send(struct calls *c, unsigned number, struct call *call);

/* Any thread. The caller of this must not use the call afterwards. */
void call_end(struct call *c, enum rc rc);

#endif
