/* SPDX-License-Identifier: Apache-2.0 */
/* loop: what one shard waits for: descriptors, moments, and calls from other threads.
 *
 *     for (;;) {                      // a turn
 *         busy = loop_run(l) | ...;   // whatever is due, then the shard's own work
 *         if (!busy && asleep already said) loop_wait(l);
 *     }
 *
 * Sleeping without a lost wake-up: the shard says loop_doze(), does one more whole turn, and only
 * if that found nothing calls loop_wait(). A thread that brings work writes it first and then calls
 * loop_wake(), which costs a system call only when the shard dozes. One thread owns a loop; only
 * loop_wake() and loop_add_task() may be called from others. */
#ifndef BASE_LOOP_H
#define BASE_LOOP_H

#include "base/clock.h"
#include "base/event.h"
#include "base/heap.h"

#include <stdatomic.h>
#include <sys/epoll.h>

enum { LOOP_EVENTS = 64, LOOP_MAX_TIMERS = 1 << 20 };
#define LOOP_NEVER UINT64_MAX

/* Called at the beginning of each turn, before descriptors and timers: by then a process that stood
 * still knows what time it is, and has done nothing yet. */
struct loop_guard {
    void (*run)(struct loop_guard *g, uint64_t now_ms);
    struct loop_guard *next; /* the loop's */
};

struct loop {
    struct clock *clock; /* borrowed */
    uint64_t now_ms;     /* at the beginning of the turn */
    uint64_t timer_order;
    struct heap timers;
    struct loop_guard *guards;
    int epoll_fd;
    int wake_fd;
    size_t watches;
    int event_at, event_count; /* the batch being handed out, for unwatch */
    struct epoll_event events[LOOP_EVENTS];
    _Atomic bool dozing;
    _Atomic(struct loop_task *) tasks; /* newest first */
};

/* RC_IO when the system gives no descriptors. `loop_done` takes a zeroed or half-built loop whose
 * descriptors are -1 or open. */
MUST_CHECK enum rc loop_init(struct loop *l, struct clock *clock);
void loop_done(struct loop *l);

/* Runs the tasks of other threads, ready descriptors and due timers, without waiting. True if there
 * were any. */
bool loop_run(struct loop *l);

/* The moment of the first timer, or LOOP_NEVER. */
uint64_t loop_next_ms(const struct loop *l);

void loop_doze(struct loop *l);  /* from now on loop_wake() writes to the descriptor */
void loop_rouse(struct loop *l); /* takes it back */

/* Waits for a descriptor, a wake-up or the first timer; real clock only. */
void loop_wait(struct loop *l);

/* The same without waiting, for a caller that has waited on epoll_fd itself. */
void loop_collect(struct loop *l);

/* Any thread, and signal handlers. */
void loop_wake(struct loop *l);
void loop_add_task(struct loop *l, struct loop_task *p);

/* As part_watch() and part_timer(). */
MUST_CHECK enum rc loop_watch(struct loop *l, struct watch *w, unsigned events);
void loop_unwatch(struct loop *l, struct watch *w);
MUST_CHECK enum rc loop_timer(struct loop *l, struct timer *t, uint64_t moment_ms);
void loop_timer_stop(struct loop *l, struct timer *t);

/* Each once; removing one that is not there is fine. Not from a guard. */
void loop_add_guard(struct loop *l, struct loop_guard *g);
void loop_remove_guard(struct loop *l, struct loop_guard *g);

#endif
