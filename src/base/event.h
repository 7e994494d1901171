/* SPDX-License-Identifier: Apache-2.0 */
/* event: what a part can wait for without blocking its shard.
 *
 * The three structs stand inside the part's own state, so that waiting allocates nothing; EVENT_OF
 * leads back from the event to what holds it. All calls run on the shard's thread. Their memory
 * must stay until they are stopped (watch, timer) or have run (task). Zeroed is ready. */
#ifndef BASE_EVENT_H
#define BASE_EVENT_H

#include "base/heap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A descriptor: `ready` is called with EPOLLIN, EPOLLOUT, ... while it is so (level triggered). */
struct watch {
    void (*ready)(struct watch *w, unsigned events);
    int fd;
    bool on; /* the loop's */
};

/* A moment on the flow's clock: `due` is called once, not before it. */
struct timer {
    void (*due)(struct timer *t, uint64_t now_ms);
    struct heap_node node; /* the loop's */
};

/* A call handed over from another thread: `run` is called once, in the order of adding. The task
 * may be added again from then on. */
struct loop_task {
    void (*run)(struct loop_task *p);
    struct loop_task *next; /* the loop's */
};

#define EVENT_OF(event, type, member) ((type *)(void *)((char *)(event)-offsetof(type, member)))

#endif
