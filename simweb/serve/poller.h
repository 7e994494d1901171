/* SPDX-License-Identifier: Apache-2.0 */
/* poller: what a single thread waits for: sockets and moments.
 *
 * Not base/loop.h, because of this: clients that left are told first, before anything that arrived
 * with the same wait: a crawler that hangs up and at once asks again on another connection has, in
 * that order, one request open at a time, and must not be seen with two.
 *
 * A watch or a timer lives inside its owner's struct. An owner may stop or free itself from its own
 * call or from poller_after; what another owner freed could still be told of. */
#ifndef SERVE_POLLER_H
#define SERVE_POLLER_H

#include "base/heap.h"
#include "base/rc.h"

#include <stdbool.h>
#include <stdint.h>

struct poller;

struct watch {
    void (*ready)(struct watch *w, uint32_t events); /* EPOLLIN, EPOLLRDHUP, … */
};

struct timer {
    struct heap_node node;
    void (*due)(struct timer *t);
};

/* NULL without memory or when the system gives no epoll. */
struct poller *poller_open(size_t max_timers);
void poller_close(struct poller *l);

/* `events` of epoll, level-triggered. A closed socket is no longer watched. RC_IO, RC_LIMIT. */
MUST_CHECK enum rc poller_watch(struct poller *l, int fd, uint32_t events, struct watch *w);
MUST_CHECK enum rc poller_change(struct poller *l, int fd, uint32_t events, struct watch *w);

/* At `moment_ms` of poller_now_us() / 1000, or as soon as possible after; moves one that is set. A
 * zeroed timer with `due` is ready for use. RC_NOMEM, RC_LIMIT: it is not set. */
MUST_CHECK enum rc poller_timer(struct poller *l, struct timer *t, uint64_t moment_ms);
void poller_timer_stop(struct poller *l, struct timer *t);

/* Called after everything that arrived with a wait has been handled. */
void poller_after(struct poller *l, void (*after)(void *ctx), void *ctx);

/* Until poller_stop, which a signal handler may call, also before; may be run again after it. */
MUST_CHECK enum rc poller_run(struct poller *l);
void poller_stop(struct poller *l);

/* Monotonic; the moment of the call. */
uint64_t poller_now_us(void);

/* A moment at which a client that the loop now tells of as gone was still there: some ms before the
 * last wait returned without it. */
uint64_t poller_seen_us(const struct poller *l);

#endif
