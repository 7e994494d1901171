/* SPDX-License-Identifier: Apache-2.0 */
/* node: one instance of a part on one shard, with what the framework keeps for it. Private. */
#ifndef FLOW_NODE_H
#define FLOW_NODE_H

#include "base/arena.h"
#include "flow/connector.h"
#include "flow/credit_account.h"
#include "flow/part.h"

#include <stdalign.h>

struct flow;
struct shard;

/* Counters have one writer, the shard's thread, and any reader: relaxed loads and stores, which
 * cost what plain ones do. */
struct node_counts {
    _Atomic uint64_t in, out, born, ended, errors;
};

static inline void count_one(_Atomic uint64_t *counter)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/* What only a source has. */
struct source {
    struct credit_account account;
    uint32_t credits_each;
    bool ready;  /* has said MORE, or part_ready() since */
    bool idle;   /* its last word was IDLE */
    bool active; /* counted in flow->active: it may still bring work */
};

struct node {
    struct instance self; /* first, so that the part's pointer leads here */
    const struct part *part;
    struct shard *shard;
    struct flow *flow;
    struct arena *arena; /* holds self.settings; replaced when an option changes */
    struct connector **outlets;
    unsigned outlet_count;
    void **providers;
    unsigned place; /* in the wiring's list of components or providers */
    bool opened, started, is_stopping;
    struct source source;
    alignas(64) struct node_counts counts; /* apart from the account, which other threads write */
    /* Connectors behind it that hold it back while something waits in them. */
    struct connector **brakes;
    unsigned brake_count;
};

static inline struct node *node_of(struct instance *self)
{
    return (struct node *)(void *)self;
}

/* part_end() for the framework's own parts: a message of any type, wherever it stands. */
void part_end_anyway(struct instance *self, struct message *m);

static inline bool node_is_braked(const struct node *n)
{
    for (unsigned i = 0; i < n->brake_count; i++)
        if (atomic_load_explicit(&n->brakes[i]->waiting, memory_order_relaxed))
            return true;
    return false;
}

static inline void node_handle(struct node *n, unsigned inlet, struct message *m)
{
    count_one(&n->counts.in);
    n->part->handle(&n->self, inlet, m);
}

#endif
