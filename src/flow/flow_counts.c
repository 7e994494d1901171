/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/flow_internal.h"

static uint64_t read_count(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static void add_node(struct flow_counts *to, const struct node *n)
{
    /* What leaves is read before what comes, so that a moment between shows as held, never as a
     * number below zero. */
    uint64_t out = read_count(&n->counts.out), ended = read_count(&n->counts.ended);
    atomic_thread_fence(memory_order_acquire);
    uint64_t in = read_count(&n->counts.in), born = read_count(&n->counts.born);
    to->in += in;
    to->out += out;
    to->ended += ended;
    to->errors += read_count(&n->counts.errors);
    to->held += in + born > out + ended ? in + born - out - ended : 0;
    int64_t under_way = atomic_load_explicit(&n->source.account.out, memory_order_relaxed);
    to->credits_out += under_way > 0 ? (uint64_t)under_way : 0;
    to->overdrawn += read_count(&n->source.account.overdrawn);
}

struct flow_counts flow_component_counts(const struct flow *f, unsigned component, int shard)
{
    struct flow_counts counts = {0};
    for (unsigned s = 0; s < f->shard_count; s++) {
        const struct node *n = f->component_at[s * f->wiring->component_count + component];
        if (n && (shard < 0 || s == (unsigned)shard))
            add_node(&counts, n);
    }
    return counts;
}

struct flow_waiting flow_connection_waiting(const struct flow *f, unsigned connection)
{
    struct flow_waiting w = {0};
    for (unsigned s = 0; s < f->shard_count; s++) {
        const struct connector *c = f->connector_at[s * f->wiring->connection_count + connection];
        const struct channel *ch = f->channel_at[connection * f->shard_count + s];
        w.waiting += c ? atomic_load_explicit(&c->waiting, memory_order_relaxed) : 0;
        w.queued += ch ? channel_count(ch) : 0;
    }
    return w;
}

void flow_print_counts(const struct flow *f, struct buf *out)
{
    buf_printf(out, "%-16s %12s %12s %12s %8s %8s\n", "component", "in", "out", "ended", "errors",
               "held");
    for (unsigned i = 0; i < f->wiring->component_count; i++) {
        struct flow_counts c = flow_component_counts(f, i, -1);
        buf_printf(out, "%-16s %12llu %12llu %12llu %8llu %8llu\n", f->wiring->components[i].name.p,
                   (unsigned long long)c.in, (unsigned long long)c.out, (unsigned long long)c.ended,
                   (unsigned long long)c.errors, (unsigned long long)c.held);
    }
}
