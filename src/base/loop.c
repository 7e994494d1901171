/* SPDX-License-Identifier: Apache-2.0 */
#include "base/loop.h"

#include <errno.h>
#include <limits.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum rc loop_init(struct loop *l, struct clock *clock)
{
    *l = (struct loop){.clock = clock, .epoll_fd = -1, .wake_fd = -1};
    heap_init(&l->timers, LOOP_MAX_TIMERS);
    l->now_ms = clock_now_ms(clock);
    l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    l->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event wake = {.events = EPOLLIN, .data.ptr = NULL};
    if (l->epoll_fd < 0 || l->wake_fd < 0 ||
        epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, l->wake_fd, &wake)) {
        loop_done(l);
        return RC_IO;
    }
    return RC_OK;
}

void loop_done(struct loop *l)
{
    if (l->epoll_fd >= 0)
        close(l->epoll_fd);
    if (l->wake_fd >= 0)
        close(l->wake_fd);
    l->epoll_fd = l->wake_fd = -1;
    heap_done(&l->timers);
}

/* The list is newest first; turned round it is the order in which the tasks were added. */
static bool run_posts(struct loop *l)
{
    struct loop_task *newest = atomic_exchange_explicit(&l->tasks, NULL, memory_order_acquire);
    struct loop_task *first = NULL;
    while (newest) {
        struct loop_task *older = newest->next;
        newest->next = first;
        first = newest;
        newest = older;
    }
    bool any = first != NULL;
    while (first) {
        struct loop_task *p = first;
        first = p->next; /* before the call, which may add p again or free it */
        p->run(p);
    }
    return any;
}

/* Only those due at the beginning: a timer that sets itself again waits for the next turn. */
static bool run_timers(struct loop *l)
{
    bool any = false;
    uint64_t last_order = l->timer_order;
    struct heap_node *n;
    while ((n = heap_first(&l->timers)) && n->key <= l->now_ms && n->order < last_order) {
        heap_remove(&l->timers, n);
        struct timer *t = EVENT_OF(n, struct timer, node);
        t->due(t, l->now_ms);
        any = true;
    }
    return any;
}

static void clear_wake(struct loop *l)
{
    uint64_t count;
    ssize_t n = read(l->wake_fd, &count, sizeof count);
    (void)n; /* empty is fine: another turn may have read the wake-up */
}

static bool hand_out_events(struct loop *l)
{
    bool any = false;
    for (l->event_at = 0; l->event_at < l->event_count; l->event_at++) {
        struct epoll_event *e = &l->events[l->event_at];
        struct watch *w = e->data.ptr;
        if (!w) {
            if (e->events)
                clear_wake(l);
            continue;
        }
        any = true;
        w->ready(w, e->events);
    }
    l->event_count = 0;
    return any;
}

static bool run_events(struct loop *l)
{
    if (l->event_count == 0 && l->watches)
        loop_collect(l);
    return hand_out_events(l);
}

bool loop_run(struct loop *l)
{
    l->now_ms = clock_now_ms(l->clock);
    bool any = false;
    for (struct loop_guard *g = l->guards; g; g = g->next)
        g->run(g, l->now_ms);
    if (atomic_load_explicit(&l->tasks, memory_order_relaxed))
        any |= run_posts(l);
    any |= run_events(l); /* before timers: what came while a turn took long is not too late */
    any |= run_timers(l);
    return any;
}

void loop_add_guard(struct loop *l, struct loop_guard *g)
{
    g->next = l->guards;
    l->guards = g;
}

void loop_remove_guard(struct loop *l, struct loop_guard *g)
{
    for (struct loop_guard **at = &l->guards; *at; at = &(*at)->next)
        if (*at == g) {
            *at = g->next;
            return;
        }
}

uint64_t loop_next_ms(const struct loop *l)
{
    const struct heap_node *n = heap_first(&l->timers);
    return n ? n->key : LOOP_NEVER;
}

void loop_doze(struct loop *l)
{
    atomic_store(&l->dozing, true);
    atomic_thread_fence(memory_order_seq_cst);
}

void loop_rouse(struct loop *l)
{
    atomic_store_explicit(&l->dozing, false, memory_order_relaxed);
}

static int wait_ms(const struct loop *l)
{
    uint64_t next = loop_next_ms(l), now = clock_now_ms(l->clock);
    if (next == LOOP_NEVER)
        return -1;
    if (next <= now)
        return 0;
    return next - now > INT_MAX ? INT_MAX : (int)(next - now);
}

/* What comes is handed out by the next loop_run(). */
static void collect(struct loop *l, int timeout_ms)
{
    int n = epoll_wait(l->epoll_fd, l->events, LOOP_EVENTS, timeout_ms);
    l->event_count = n > 0 ? n : 0;
    l->event_at = -1;
}

void loop_wait(struct loop *l)
{
    collect(l, wait_ms(l));
    loop_rouse(l);
}

void loop_collect(struct loop *l)
{
    collect(l, 0);
}

void loop_wake(struct loop *l)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (!atomic_load_explicit(&l->dozing, memory_order_relaxed) ||
        !atomic_exchange(&l->dozing, false))
        return;
    int before = errno;
    uint64_t one = 1;
    ssize_t n = write(l->wake_fd, &one, sizeof one);
    (void)n; /* can only fail when the counter is full, and then it is awake */
    errno = before;
}

void loop_add_task(struct loop *l, struct loop_task *p)
{
    struct loop_task *newest = atomic_load_explicit(&l->tasks, memory_order_relaxed);
    do
        p->next = newest;
    while (!atomic_compare_exchange_weak_explicit(&l->tasks, &newest, p, memory_order_release,
                                                  memory_order_relaxed));
    loop_wake(l);
}

enum rc loop_watch(struct loop *l, struct watch *w, unsigned events)
{
    struct epoll_event e = {.events = events, .data.ptr = w};
    if (epoll_ctl(l->epoll_fd, w->on ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, w->fd, &e)) {
        if (errno == EPERM)
            return RC_UNSUPPORTED;
        return errno == ENOMEM || errno == ENOSPC ? RC_NOMEM : RC_IO;
    }
    l->watches += !w->on;
    w->on = true;
    return RC_OK;
}

void loop_unwatch(struct loop *l, struct watch *w)
{
    if (!w->on)
        return;
    epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, w->fd, NULL);
    w->on = false;
    l->watches--;
    /* Its event may be further down the batch that is being handed out. */
    for (int i = l->event_at + 1; i < l->event_count; i++)
        if (l->events[i].data.ptr == w)
            l->events[i] = (struct epoll_event){0};
}

enum rc loop_timer(struct loop *l, struct timer *t, uint64_t moment_ms)
{
    if (t->node.at)
        heap_remove(&l->timers, &t->node);
    /* Never before those that are due already: or one that is late again and again would always be
     * the first, and the rest would never have their turn. */
    t->node.key = moment_ms > l->now_ms ? moment_ms : l->now_ms;
    t->node.order = l->timer_order++;
    return heap_add(&l->timers, &t->node);
}

void loop_timer_stop(struct loop *l, struct timer *t)
{
    heap_remove(&l->timers, &t->node);
}
