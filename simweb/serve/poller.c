/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/poller.h"

#include "base/mem.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
    BATCH = 256,
    MAX_TIMERS_A_ROUND = 4096,
    SEEN_MARGIN_US = 5000, /* from what the kernel saw to our stamp: a busy machine may pause us */
};

struct poller {
    int epoll;
    int wakes;
    volatile bool stops;
    uint64_t seen_us;   /* when the wait before this one returned with room to spare */
    uint64_t waited_us; /* when this one did */
    struct heap timers;
    void (*after)(void *ctx);
    void *after_ctx;
    struct watch woken;
};

static void on_woken(struct watch *w, uint32_t events)
{
    (void)w;
    (void)events; /* the loop looks at `stops` itself */
}

struct poller *poller_open(size_t max_timers)
{
    struct poller *l = mem_zero(1, sizeof *l);
    if (!l)
        return NULL;
    heap_init(&l->timers, max_timers);
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    l->wakes = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    l->woken.ready = on_woken;
    if (l->epoll < 0 || l->wakes < 0 ||
        poller_watch(l, l->wakes, EPOLLIN | EPOLLET, &l->woken) != RC_OK) {
        poller_close(l);
        return NULL;
    }
    return l;
}

void poller_close(struct poller *l)
{
    if (!l)
        return;
    if (l->epoll >= 0)
        (void)close(l->epoll);
    if (l->wakes >= 0)
        (void)close(l->wakes);
    heap_done(&l->timers);
    mem_free(l);
}

static enum rc control(struct poller *l, int op, int fd, uint32_t events, struct watch *w)
{
    struct epoll_event e = {.events = events, .data.ptr = w};
    if (epoll_ctl(l->epoll, op, fd, &e) == 0)
        return RC_OK;
    return errno == ENOSPC ? RC_LIMIT : errno == ENOMEM ? RC_NOMEM : RC_IO;
}

enum rc poller_watch(struct poller *l, int fd, uint32_t events, struct watch *w)
{
    return control(l, EPOLL_CTL_ADD, fd, events, w);
}

enum rc poller_change(struct poller *l, int fd, uint32_t events, struct watch *w)
{
    return control(l, EPOLL_CTL_MOD, fd, events, w);
}

enum rc poller_timer(struct poller *l, struct timer *t, uint64_t moment_ms)
{
    if (t->node.at) {
        heap_move(&l->timers, &t->node, moment_ms);
        return RC_OK;
    }
    t->node.key = moment_ms;
    return heap_add(&l->timers, &t->node);
}

void poller_timer_stop(struct poller *l, struct timer *t)
{
    heap_remove(&l->timers, &t->node);
}

void poller_after(struct poller *l, void (*after)(void *ctx), void *ctx)
{
    l->after = after;
    l->after_ctx = ctx;
}

uint64_t poller_now_us(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static int wait_ms(const struct poller *l)
{
    const struct heap_node *first = heap_first(&l->timers);
    uint64_t now_ms = poller_now_us() / 1000;
    if (!first)
        return -1;
    if (first->key <= now_ms)
        return 0;
    return first->key - now_ms > 60000 ? 60000 : (int)(first->key - now_ms);
}

static void tell(struct epoll_event *events, int count, bool leaving)
{
    for (int i = 0; i < count; i++) {
        bool leaves = events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
        struct watch *w = events[i].data.ptr;
        if (leaves == leaving)
            w->ready(w, events[i].events);
    }
}

/* A timer that sets itself again in the past waits for the next round. */
static void ring(struct poller *l)
{
    uint64_t now_ms = poller_now_us() / 1000;
    for (int i = 0; i < MAX_TIMERS_A_ROUND; i++) {
        struct heap_node *first = heap_first(&l->timers);
        if (!first || first->key > now_ms)
            return;
        heap_remove(&l->timers, first);
        struct timer *t = (struct timer *)first; /* its first member */
        t->due(t);
    }
}

/* A full batch says nothing of those that did not fit in. */
static void stamp(struct poller *l, int events)
{
    l->seen_us = l->waited_us;
    if (events < BATCH)
        l->waited_us = poller_now_us();
}

uint64_t poller_seen_us(const struct poller *l)
{
    return l->seen_us > SEEN_MARGIN_US ? l->seen_us - SEEN_MARGIN_US : 0;
}

enum rc poller_run(struct poller *l)
{
    struct epoll_event events[BATCH];
    l->waited_us = poller_now_us();
    while (!l->stops) {
        int n = epoll_wait(l->epoll, events, BATCH, wait_ms(l));
        if (n < 0 && errno != EINTR)
            return RC_IO;
        stamp(l, n);
        tell(events, n, true);
        tell(events, n, false);
        ring(l);
        if (l->after)
            l->after(l->after_ctx);
    }
    l->stops = false;
    return RC_OK;
}

void poller_stop(struct poller *l)
{
    uint64_t one = 1;
    int kept = errno;
    l->stops = true;
    if (write(l->wakes, &one, sizeof one) < 0)
        l->stops = true; /* it is full of earlier calls: awake already */
    errno = kept;
}
