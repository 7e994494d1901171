/* SPDX-License-Identifier: Apache-2.0 */
/* Making the running form of a wiring: a node for each instance, a connector for each outlet of
 * each, a channel for each shard that a queue leads to, and the brakes. Arrays come from the flow's
 * arena; nodes stand alone, each on cache lines of its own, because each is one thread's. */
#include "flow/flow_internal.h"

#include "base/mem.h"

enum { CACHE_LINE = 64, BUILD_MAX_BYTES = 1 << 28 };

static bool lives_on(const struct wiring_part *w, unsigned shard)
{
    return w->shard == WIRING_ALL_SHARDS || (unsigned)w->shard == shard;
}

/* A provider that exists once for all shards; its tasks go to the first. */
static bool is_shared(const struct wiring_part *w)
{
    return w->part->kind == PART_PROVIDER && w->shard >= 0;
}

static uint32_t or_else(uint32_t value, uint32_t fallback)
{
    return value ? value : fallback;
}

static void source_init(struct node *n, const struct wiring_part *w)
{
    n->source.credits_each = or_else(n->part->credits_each, 1);
    n->source.account.limit = w->credits;
    n->source.account.owner = &n->shard->loop;
    n->source.ready = n->source.active = true;
    atomic_fetch_add(&n->flow->active, 1);
}

static enum rc node_make(struct flow *f, const struct wiring_part *w, unsigned place,
                         struct shard *shard, struct node **ret)
{
    struct node *n = mem_aligned(CACHE_LINE, sizeof *n);
    if (!n)
        return RC_NOMEM;
    *n = (struct node){.part = w->part, .shard = shard, .flow = f, .place = place};
    f->nodes[f->node_count++] = n;
    if (!is_shared(w))
        shard->nodes[shard->node_count++] = n;
    n->self =
        (struct instance){.name = w->name.p, .shard = shard->number, .shard_count = f->shard_count};
    struct settings settings = {0};
    enum rc rc = settings_copy(w->part, w->settings, &settings);
    n->arena = settings.arena;
    n->self.settings = settings.values;
    if (rc)
        return rc;
    if (n->part->produce)
        source_init(n, w);
    n->outlet_count = part_port_count(w->part->outlets);
    n->outlets = arena_zero(f->arena, n->outlet_count * sizeof(struct connector *));
    *ret = n;
    return n->outlets ? RC_OK : RC_NOMEM;
}

/* Opening goes by the order of the file, and within a part by shard. */
static enum rc nodes_make(struct flow *f, const struct wiring_part *list, unsigned count,
                          struct node **at)
{
    for (unsigned i = 0; i < count; i++) {
        for (unsigned s = 0; s < f->shard_count; s++) {
            struct node **place = &at[s * count + i];
            if (is_shared(&list[i]) && s > 0)
                *place = at[i];
            else if (lives_on(&list[i], s)) {
                enum rc rc = node_make(f, &list[i], i, &f->shards[s], place);
                if (rc)
                    return rc;
            }
        }
    }
    return RC_OK;
}

static enum rc arrays_make(struct flow *f)
{
    const struct wiring *w = f->wiring;
    size_t shards = f->shard_count;
    size_t parts = w->provider_count + w->component_count;
    f->shards = arena_zero(f->arena, shards * sizeof *f->shards);
    f->nodes = arena_zero(f->arena, shards * parts * sizeof(struct node *));
    f->component_at = arena_zero(f->arena, shards * w->component_count * sizeof(struct node *));
    f->provider_at = arena_zero(f->arena, shards * w->provider_count * sizeof(struct node *));
    f->connector_at =
        arena_zero(f->arena, shards * w->connection_count * sizeof(struct connector *));
    f->channel_at = arena_zero(f->arena, shards * w->connection_count * sizeof(struct channel *));
    f->newest = arena_zero(f->arena, parts * sizeof *f->newest);
    f->threads = arena_zero(f->arena, shards * sizeof *f->threads);
    return f->shards && f->nodes && f->component_at && f->provider_at && f->connector_at &&
                   f->channel_at && f->newest && f->threads
               ? RC_OK
               : RC_NOMEM;
}

static enum rc shards_make(struct flow *f)
{
    const struct wiring *w = f->wiring;
    size_t outlets = 0;
    for (unsigned i = 0; i < w->component_count; i++)
        outlets += part_port_count(w->components[i].part->outlets);
    for (unsigned s = 0; s < f->shard_count; s++) {
        struct shard *shard = &f->shards[s];
        shard->flow = f;
        shard->number = s;
        shard->nodes =
            arena_zero(f->arena, (w->provider_count + w->component_count) * sizeof(struct node *));
        shard->connectors = arena_zero(f->arena, outlets * sizeof(struct connector *));
        shard->channels = arena_zero(f->arena, w->connection_count * sizeof(struct channel *));
        if (!shard->nodes || !shard->connectors || !shard->channels)
            return RC_NOMEM;
        enum rc rc = loop_init(&shard->loop, f->clock);
        if (rc)
            return rc;
        shard->loop_open = true;
    }
    return RC_OK;
}

static enum rc channels_make(struct flow *f, unsigned k)
{
    const struct wiring_connection *c = &f->wiring->connections[k];
    for (unsigned s = 0; s < f->shard_count; s++) {
        struct node *to = f->component_at[s * f->wiring->component_count + c->to];
        if (!to)
            continue;
        struct channel *ch = channel_open(to, c->inlet, c->queue_length, f->shards, f->shard_count);
        if (!ch)
            return RC_NOMEM;
        f->channel_at[k * f->shard_count + s] = ch;
        f->shards[s].channels[f->shards[s].channel_count++] = ch;
    }
    return RC_OK;
}

static struct connector *queue_make(struct flow *f, unsigned k, struct node *from)
{
    const struct wiring_connection *c = &f->wiring->connections[k];
    const struct wiring_part *to = &f->wiring->components[c->to];
    struct channel **channels = &f->channel_at[(size_t)k * f->shard_count];
    if (to->shard >= 0)
        return connector_queue_open(from, channels + to->shard, 1, c->spills);
    if (c->route == ROUTE_HASH)
        return connector_queue_open(from, channels, f->shard_count, c->spills);
    return connector_queue_open(from, channels + from->self.shard, 1, c->spills);
}

static enum rc connection_make(struct flow *f, unsigned k)
{
    const struct wiring *w = f->wiring;
    const struct wiring_connection *c = &w->connections[k];
    enum rc rc = c->queue_length ? channels_make(f, k) : RC_OK;
    for (unsigned s = 0; s < f->shard_count && rc == RC_OK; s++) {
        struct node *from = f->component_at[s * w->component_count + c->from];
        struct node *to = f->component_at[s * w->component_count + c->to];
        if (!from)
            continue;
        struct connector *made =
            c->queue_length ? queue_make(f, k, from) : connector_direct_open(from, to, c->inlet);
        if (!made)
            return RC_NOMEM;
        from->outlets[c->outlet] = made;
        f->connector_at[s * w->connection_count + k] = made;
        f->shards[s].connectors[f->shards[s].connector_count++] = made;
    }
    return rc;
}

static enum rc open_ends_make(struct flow *f)
{
    for (unsigned i = 0; i < f->node_count; i++) {
        struct node *n = f->nodes[i];
        for (unsigned o = 0; o < n->outlet_count; o++) {
            if (n->outlets[o])
                continue;
            struct connector *c = connector_nowhere_open(n);
            if (!c)
                return RC_NOMEM;
            n->outlets[o] = c;
            n->shard->connectors[n->shard->connector_count++] = c;
        }
    }
    return RC_OK;
}

/* Every connector that does not spill and that a message from `n` can reach on this shard. Direct
 * calls have no cycles, so following them ends; `seen` keeps it from being walked twice. */
static enum rc brakes_make(struct flow *f, struct node *n)
{
    const struct wiring *w = f->wiring;
    unsigned *todo = arena_alloc(f->arena, w->component_count * sizeof *todo);
    bool *seen = arena_zero(f->arena, w->component_count * sizeof *seen);
    n->brakes = arena_alloc(f->arena, w->connection_count * sizeof(struct connector *));
    if (!todo || !seen || !n->brakes)
        return RC_NOMEM;
    unsigned todo_count = 0;
    todo[todo_count++] = n->place;
    seen[n->place] = true;
    while (todo_count) {
        unsigned at = todo[--todo_count];
        for (unsigned k = 0; k < w->connection_count; k++) {
            const struct wiring_connection *c = &w->connections[k];
            if (c->from != at)
                continue;
            if (c->queue_length && !c->spills)
                n->brakes[n->brake_count++] =
                    f->connector_at[n->self.shard * w->connection_count + k];
            if (!c->queue_length && !seen[c->to]) {
                seen[c->to] = true;
                todo[todo_count++] = c->to;
            }
        }
    }
    return RC_OK;
}

static enum rc needs_bind(struct flow *f, struct node *n)
{
    const struct wiring_part *w = node_wiring(f, n);
    unsigned count = 0;
    while (w->part->needs && w->part->needs[count].role)
        count++;
    n->providers = arena_zero(f->arena, count * sizeof(void *));
    return n->providers ? RC_OK : RC_NOMEM;
}

enum rc flow_build(struct flow *f)
{
    const struct wiring *w = f->wiring;
    f->arena = arena_open(4096, BUILD_MAX_BYTES);
    enum rc rc = f->arena ? arrays_make(f) : RC_NOMEM;
    if (rc == RC_OK)
        rc = shards_make(f);
    if (rc == RC_OK)
        rc = nodes_make(f, w->providers, w->provider_count, f->provider_at);
    if (rc == RC_OK)
        rc = nodes_make(f, w->components, w->component_count, f->component_at);
    for (unsigned k = 0; k < w->connection_count && rc == RC_OK; k++)
        rc = connection_make(f, k);
    if (rc == RC_OK)
        rc = open_ends_make(f);
    for (unsigned i = 0; i < f->node_count && rc == RC_OK; i++) {
        rc = needs_bind(f, f->nodes[i]);
        if (rc == RC_OK && f->nodes[i]->part->kind == PART_COMPONENT)
            rc = brakes_make(f, f->nodes[i]);
    }
    return rc;
}

void flow_unbuild(struct flow *f)
{
    for (unsigned s = 0; f->shards && s < f->shard_count; s++) {
        struct shard *shard = &f->shards[s];
        for (unsigned i = 0; i < shard->connector_count; i++)
            shard->connectors[i]->kind->close(shard->connectors[i]);
        for (unsigned i = 0; i < shard->channel_count; i++)
            channel_close(shard->channels[i]);
        if (shard->loop_open)
            loop_done(&shard->loop);
    }
    for (unsigned i = 0; i < f->node_count; i++) {
        arena_close(f->nodes[i]->arena);
        mem_free(f->nodes[i]);
    }
    arena_close(f->arena);
}
