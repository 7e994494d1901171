/* SPDX-License-Identifier: Apache-2.0 */
/* pace/backoff: a delay between two requests to a host, and longer and longer ones after failures.
 * Settings change on one thread while shards read them: a copy under a lock, once a visit. */
#include "roles/pace.h"

#include "base/mem.h"
#include "flow/part.h"

#include <pthread.h>

struct pace {
    struct pace_service service;
    pthread_mutex_t lock; /* guards settings */
    struct pace_settings settings;
};

static struct pace_settings pace_now(struct pace_service *s)
{
    struct pace *p = (struct pace *)(void *)s;
    pthread_mutex_lock(&p->lock);
    struct pace_settings now = p->settings;
    pthread_mutex_unlock(&p->lock);
    return now;
}

static enum rc pace_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct pace *p = mem_zero(1, sizeof *p);
    if (!p)
        return RC_NOMEM;
    pthread_mutex_init(&p->lock, NULL);
    p->service.now = pace_now;
    p->settings = *(const struct pace_settings *)self->settings;
    self->state = p;
    return RC_OK;
}

static void pace_close(struct instance *self)
{
    struct pace *p = self->state;
    pthread_mutex_destroy(&p->lock);
    mem_free(p);
}

static void *pace_provide(struct instance *self)
{
    return self->state;
}

static void pace_changed(struct instance *self, const void *old)
{
    (void)old;
    struct pace *p = self->state;
    pthread_mutex_lock(&p->lock);
    p->settings = *(const struct pace_settings *)self->settings;
    pthread_mutex_unlock(&p->lock);
}

const struct part part_pace_backoff = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "backoff",
    .help = "says when a host may be asked again, later and later after failures",
    .where = PART_ON_ONE_SHARD,
    .provides = PACE_INTERFACE,
    .options = pace_options,
    .settings_bytes = sizeof(struct pace_settings),
    .open = pace_open,
    .close = pace_close,
    .provide = pace_provide,
    .changed = pace_changed,
};
