/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/shard.h"

#include "flow/flow_internal.h"

static bool flush_connectors(struct shard *s)
{
    bool moved = false;
    for (unsigned i = 0; i < s->connector_count; i++) {
        struct connector *c = s->connectors[i];
        if (atomic_load_explicit(&c->waiting, memory_order_relaxed))
            moved |= c->kind->flush(c);
    }
    return moved;
}

static bool channel_run(struct channel *ch)
{
    const struct node *to = channel_node(ch);
    unsigned taken = 0;
    while (taken < SHARD_BURST && !node_is_braked(to) && channel_take(ch))
        taken++;
    if (taken)
        channel_taken(ch);
    return taken > 0;
}

static bool source_may(struct node *n)
{
    struct source *src = &n->source;
    return src->ready && !node_is_braked(n) &&
           credit_account_has(&src->account, src->credits_each) &&
           flow_state(n->flow) == FLOW_RUNNING;
}

static bool source_run(struct node *n)
{
    struct source *src = &n->source;
    unsigned asked = 0;
    while (asked < SHARD_BURST && source_may(n)) {
        asked++;
        src->ready = false; /* first, so that part_ready() within the call is not forgotten */
        enum produced said = n->part->produce(&n->self);
        src->ready |= said == PRODUCED_MORE;
        src->idle = said == PRODUCED_IDLE && !src->ready;
    }
    return asked > 0;
}

/* A source that is idle, with nothing of its own under way, can be brought back to work only by a
 * message of another source, which then is under way and keeps its own source active until it ends.
 * So once the count of active sources is zero it stays zero, and the flow is over. */
static void source_settle(struct node *n)
{
    struct source *src = &n->source;
    bool done = flow_state(n->flow) != FLOW_RUNNING || (src->idle && !src->ready);
    if (!src->active || !done || !credit_account_is_whole(&src->account))
        return;
    src->active = false;
    if (atomic_fetch_sub(&n->flow->active, 1) != 1)
        return;
    if (flow_state(n->flow) == FLOW_RUNNING)
        atomic_store(&n->flow->is_over, true);
    flow_stop(n->flow);
}

static bool run_sources(struct shard *s)
{
    bool busy = false;
    bool paused = atomic_load_explicit(&s->flow->paused, memory_order_acquire);
    for (unsigned i = 0; i < s->node_count; i++) {
        struct node *n = s->nodes[i];
        if (!n->part->produce)
            continue;
        if (!paused || n->part->runs_while_paused)
            busy |= source_run(n);
        source_settle(n);
    }
    return busy;
}

static bool tell_drain(struct shard *s)
{
    if (s->drain_told || flow_state(s->flow) == FLOW_RUNNING)
        return false;
    s->drain_told = true;
    for (unsigned i = 0; i < s->node_count; i++)
        if (s->nodes[i]->part->drain)
            s->nodes[i]->part->drain(&s->nodes[i]->self);
    return true;
}

static void tell_turn(struct shard *s)
{
    for (unsigned i = 0; i < s->node_count; i++)
        if (s->nodes[i]->part->turn)
            s->nodes[i]->part->turn(&s->nodes[i]->self);
}

bool shard_turn(struct shard *s)
{
    if (flow_state(s->flow) == FLOW_STOPPING)
        return false;
    bool busy = loop_run(&s->loop);
    busy |= tell_drain(s);
    busy |= flush_connectors(s);
    for (unsigned i = 0; i < s->channel_count; i++)
        busy |= channel_run(s->channels[i]);
    busy |= run_sources(s);
    if (busy)
        tell_turn(s);
    return busy;
}

void shard_start(struct shard *s)
{
    for (unsigned i = 0; i < s->node_count && flow_state(s->flow) != FLOW_STOPPING; i++) {
        struct node *n = s->nodes[i];
        n->started = true;
        if (n->part->start)
            n->part->start(&n->self);
    }
}

void shard_stop(struct shard *s)
{
    for (unsigned i = s->node_count; i-- > 0;) {
        struct node *n = s->nodes[i];
        n->is_stopping = true;
        if (n->started && n->part->stop)
            n->part->stop(&n->self);
        n->started = false;
    }
}

void shard_live(struct shard *s)
{
    shard_start(s);
    while (flow_state(s->flow) != FLOW_STOPPING) {
        if (shard_turn(s))
            continue;
        loop_doze(&s->loop);
        if (shard_turn(s) || flow_state(s->flow) == FLOW_STOPPING)
            loop_rouse(&s->loop);
        else
            loop_wait(&s->loop);
    }
    shard_stop(s);
}
