/* SPDX-License-Identifier: Apache-2.0 */
#include "linkindex/link_keeper.h"

#include "base/mem.h"

#include <pthread.h>
#include <time.h>

enum { USUAL_LOOK_MS = 1000 };

struct link_keeper {
    struct link_keeper_settings settings;
    struct link_index index; /* the thread's */
    _Atomic bool stop;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* for `wake` alone */
    pthread_cond_t wake;
};

/* A full disk or too little memory may pass; a reader finds the links in the text meanwhile. */
static bool may_pass(enum rc rc)
{
    return rc == RC_OK || rc == RC_AGAIN || rc == RC_NOMEM || rc == RC_DISK_FULL;
}

/* All that is to be done now. False: never again. */
static bool work(struct link_keeper *k)
{
    uint64_t durable[PAIR_KINDS] = {0};
    bool did = true;
    enum rc rc = RC_OK;
    k->settings.durable(k->settings.ctx, durable);
    while (did && rc == RC_OK && !atomic_load(&k->stop))
        rc = link_index_grow(&k->index, durable, &did);
    if (may_pass(rc) && !k->index.broken)
        return true;
    log_error(k->settings.log, "linkindex.stopped", LOG_RC(rc),
              LOG_C("note", rc == RC_CORRUPT ? "links/index is damaged: end the crawl, then "
                                               "orbweaver repair DIR"
                                             : "it goes on with the next start"));
    return false;
}

static struct timespec after(uint64_t ms)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)(ms / 1000);
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

static void *keep(void *ctx)
{
    struct link_keeper *k = ctx;
    while (!atomic_load(&k->stop) && work(k)) {
        struct timespec until = after(k->settings.look_ms);
        (void)pthread_mutex_lock(&k->lock);
        if (!atomic_load(&k->stop))
            (void)pthread_cond_timedwait(&k->wake, &k->lock, &until);
        (void)pthread_mutex_unlock(&k->lock);
    }
    return NULL;
}

static struct link_keeper *make(const struct link_keeper_settings *s)
{
    struct link_keeper *k = mem_zero(1, sizeof *k);
    pthread_condattr_t monotonic;
    if (!k)
        return NULL;
    k->settings = *s;
    k->settings.index.stops = &k->stop;
    if (!k->settings.look_ms)
        k->settings.look_ms = USUAL_LOOK_MS;
    (void)pthread_mutex_init(&k->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&k->wake, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    return k;
}

enum rc link_keeper_open(const struct link_keeper_settings *s, struct link_keeper **ret,
                         struct buf *why)
{
    struct link_keeper *k = make(s);
    if (!k)
        return RC_NOMEM;
    enum rc rc = link_index_open(&k->index, s->disk, &k->settings.index, why);
    if (rc == RC_OK) {
        k->has_thread = pthread_create(&k->thread, NULL, keep, k) == 0;
        rc = k->has_thread ? RC_OK : RC_NOMEM;
    }
    if (rc) {
        link_keeper_close(k);
        return rc;
    }
    *ret = k;
    return RC_OK;
}

void link_keeper_close(struct link_keeper *k)
{
    if (!k)
        return;
    (void)pthread_mutex_lock(&k->lock);
    atomic_store(&k->stop, true);
    (void)pthread_cond_signal(&k->wake);
    (void)pthread_mutex_unlock(&k->lock);
    if (k->has_thread)
        (void)pthread_join(k->thread, NULL);
    link_index_close(&k->index);
    (void)pthread_mutex_destroy(&k->lock);
    (void)pthread_cond_destroy(&k->wake);
    mem_free(k);
}
