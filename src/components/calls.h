/* SPDX-License-Identifier: Apache-2.0 */
/* calls: questions and errands of other threads to one part of the crawl.
 *
 * A part has a desk from its start to its stop. A call that is put there is run on the part's own
 * thread, where everything of its shard may be looked at without a lock, and ends there or later
 * (when what it brought is safe). Who asked waits for a limited time. Both hold the call, and who
 * leaves last releases it, so nobody's memory depends on the other's patience. A desk that closes
 * ends what it still has with RC_CLOSED. */
#ifndef COMPONENTS_CALLS_H
#define COMPONENTS_CALLS_H

#include "flow/part.h"

#include <pthread.h>

enum { CALLS_MAX_SHARDS = 256, CALLS_SEEDS = CALLS_MAX_SHARDS, CALLS_DESKS };

struct calls;

struct call {
    /* On the thread of the desk's part. It is followed by one call_end(), by whom and when ever. */
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
struct desk {
    struct post post;
    struct calls *calls;
    struct instance *at;
    struct call *first, *last;
    bool is_posted;
};

struct calls {
    pthread_mutex_t lock; /* guards everything below, desks and calls */
    pthread_cond_t ends;
    struct desk *desks[CALLS_DESKS]; /* by shard: of schedule; CALLS_SEEDS: of seeds */
};

void calls_init(struct calls *c);
void calls_done(struct calls *c); /* all desks are closed and nobody asks any more */

/* In the part's start, and in its stop. */
void desk_open(struct desk *d, struct calls *c, unsigned place, struct instance *at);
void desk_close(struct desk *d, unsigned place);

/* Takes the call, runs it at the desk and waits until it has ended: what call_end() said, RC_CLOSED
 * (nobody is there), or RC_AGAIN (`most_ms` are over; it may still happen). The caller may look at
 * the call until it gives it back with call_leave(). */
MUST_CHECK enum rc calls_ask(struct calls *c, unsigned place, struct call *call, uint64_t most_ms);
void call_leave(struct call *c);

/* Any thread; the call is gone for who says this. */
void call_end(struct call *c, enum rc rc);

#endif
