/* SPDX-License-Identifier: Apache-2.0 */
#include "roles/call_queue.h"

#include <time.h>

void calls_init(struct calls *c)
{
    *c = (struct calls){0};
    pthread_condattr_t how;
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_condattr_init(&how);
    (void)pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&c->ends, &how);
    (void)pthread_condattr_destroy(&how);
}

void calls_done(struct calls *c)
{
    (void)pthread_cond_destroy(&c->ends);
    (void)pthread_mutex_destroy(&c->lock);
}

/* Queues --------------------------------------------------------------------------------------- */

/* All that wait, one after another; more may come meanwhile. */
static void run_calls(struct loop_task *p)
{
    struct call_queue *q = EVENT_OF(p, struct call_queue, task);
    pthread_mutex_lock(&q->calls->lock);
    q->is_woken = false;
    while (q->first) {
        struct call *c = q->first;
        q->first = c->next;
        pthread_mutex_unlock(&q->calls->lock);
        (c->run ? c->run : q->serve)(c, q->at);
        pthread_mutex_lock(&q->calls->lock);
    }
    pthread_mutex_unlock(&q->calls->lock);
}

void call_queue_open(struct call_queue *q, struct calls *c, unsigned number, struct instance *at)
{
    *q = (struct call_queue){.task = {.run = run_calls}, .calls = c, .at = at, .serve = q->serve};
    pthread_mutex_lock(&c->lock);
    c->queues[number] = q;
    pthread_mutex_unlock(&c->lock);
}

void call_queue_close(struct call_queue *q, unsigned number)
{
    pthread_mutex_lock(&q->calls->lock);
    struct call *rest = q->first;
    q->calls->queues[number] = NULL;
    q->first = NULL;
    pthread_mutex_unlock(&q->calls->lock);
    while (rest) {
        struct call *c = rest;
        rest = c->next;
        call_end(c, RC_CLOSED);
    }
}

/* Asking --------------------------------------------------------------------------------------- */

/* With the lock: the part is told once, however many wait. */
static bool put(struct call_queue *q, struct call *c)
{
    if (!q)
        return false;
    if (q->first)
        q->last->next = c;
    else
        q->first = c;
    q->last = c;
    if (!q->is_woken)
        part_add_task(q->at, &q->task);
    q->is_woken = true;
    return true;
}

static struct timespec in_ms(uint64_t ms)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)(ms / 1000);
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

enum rc calls_ask(struct calls *c, unsigned number, struct call *call, uint64_t most_ms)
{
    struct timespec until = in_ms(most_ms);
    int waited = 0;
    call->calls = c;
    call->next = NULL;
    call->has_ended = false;
    pthread_mutex_lock(&c->lock);
    bool is_there = number < CALLS_QUEUES && put(c->queues[number], call);
    call->holders = is_there ? 2 : 1;
    while (is_there && !call->has_ended && waited == 0)
        waited = pthread_cond_timedwait(&c->ends, &c->lock, &until);
    enum rc rc = !is_there ? RC_CLOSED : call->has_ended ? call->rc : RC_AGAIN;
    pthread_mutex_unlock(&c->lock);
    return rc;
}

bool calls_send(struct calls *c, unsigned number, struct call *call)
{
    call->calls = c;
    call->next = NULL;
    call->has_ended = false;
    call->holders = 1;
    pthread_mutex_lock(&c->lock);
    bool is_there = number < CALLS_QUEUES && put(c->queues[number], call);
    pthread_mutex_unlock(&c->lock);
    return is_there;
}

static void leave(struct call *c, bool ends, enum rc rc)
{
    struct calls *calls = c->calls;
    pthread_mutex_lock(&calls->lock);
    if (ends) {
        c->has_ended = true;
        c->rc = rc;
        (void)pthread_cond_broadcast(&calls->ends);
    }
    bool is_last = --c->holders == 0;
    pthread_mutex_unlock(&calls->lock);
    if (is_last)
        c->release(c);
}

void call_leave(struct call *c)
{
    leave(c, false, RC_OK);
}

void call_end(struct call *c, enum rc rc)
{
    leave(c, true, rc);
}
