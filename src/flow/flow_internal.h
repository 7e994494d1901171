/* SPDX-License-Identifier: Apache-2.0 */
/* flow_internal: struct flow, for the files of this folder that build, run, change and count it. */
#ifndef FLOW_FLOW_INTERNAL_H
#define FLOW_FLOW_INTERNAL_H

#include "flow/flow.h"
#include "flow/shard.h"

#include <pthread.h>

/* Grows only. */
enum flow_state { FLOW_RUNNING, FLOW_DRAINING, FLOW_STOPPING };

struct flow {
    const struct wiring *wiring;
    struct shard *shards;
    unsigned shard_count;
    struct clock *clock;
    bool one_thread;
    struct log *log;

    struct node **nodes; /* in the order of opening */
    unsigned node_count;
    struct node **component_at;      /* [shard * component_count + component], NULL = not there */
    struct node **provider_at;       /* [shard * provider_count + provider] */
    struct connector **connector_at; /* [shard * connection_count + connection], NULL = not there */
    struct channel **channel_at;     /* [connection * shard_count + shard], NULL = not there */
    struct arena *arena;             /* for the arrays above and those of nodes and shards */

    _Atomic int state;
    _Atomic bool paused;
    _Atomic bool is_over;    /* it came to its end by itself, or a part has ended it */
    _Atomic unsigned active; /* sources that may still bring work, or have work under way */

    pthread_t *threads;
    unsigned thread_count;
    bool started, ended;

    pthread_mutex_t lock; /* guards what follows */
    enum rc error;        /* the first failure */
    struct buf error_text;
    struct settings *newest; /* of each provider, then each component, as last changed */
    struct change *changes;  /* on their way to their shards */
};

static inline enum flow_state flow_state(const struct flow *f)
{
    return (enum flow_state)atomic_load_explicit(&f->state, memory_order_acquire);
}

void flow_wake_all(struct flow *f);

/* The first failure wins; the flow stops. `n` may be NULL. Any thread. */
void flow_fail(struct flow *f, const struct node *n, enum rc rc, struct str text);

/* flow_build.c: nodes, connectors and brakes, nothing opened yet. */
MUST_CHECK enum rc flow_build(struct flow *f);
void flow_unbuild(struct flow *f);

/* flow_change.c: a part's settings with the memory they point into; an absent arena means that
 * the wiring's own are still the newest. */
struct settings {
    struct arena *arena;
    void *values;
};
MUST_CHECK enum rc settings_copy(const struct part *part, const void *from, struct settings *ret);
void flow_changes_drop(struct flow *f);

static inline const struct wiring_part *node_wiring(const struct flow *f, const struct node *n)
{
    const struct wiring_part *list =
        n->part->kind == PART_PROVIDER ? f->wiring->providers : f->wiring->components;
    return &list[n->place];
}

#endif
