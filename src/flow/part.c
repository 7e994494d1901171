/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that parts make, each on the thread of the instance's shard unless part.h says so. */
#include "flow/part.h"

#include "flow/flow_internal.h"

#include <assert.h>

void part_emit(struct instance *self, unsigned outlet, struct message *m)
{
    struct node *n = node_of(self);
    assert(outlet < n->outlet_count);
    if (!m->origin) {
        assert(n->part->produce && "only sources make messages that descend from no other");
        credit_account_charge(&n->source.account, m, n->source.credits_each);
        count_one(&n->counts.born);
    }
    count_one(&n->counts.out);
    struct connector *c = n->outlets[outlet];
    c->kind->send(c, m);
}

void part_end_anyway(struct instance *self, struct message *m)
{
    struct node *n = node_of(self);
    /* A message that never was on its way did not come in and is not counted as gone. */
    if (m->origin)
        count_one(&n->counts.ended);
    message_end(m);
}

void part_end(struct instance *self, struct message *m)
{
    const struct message_type *type = m->type;
    if (m->origin && type->may_end && !node_of(self)->is_stopping && !type->may_end(m))
        part_fail(self, RC_INVALID, "ended a %s before its last step, which loses it", type->name);
    part_end_anyway(self, m);
}

void part_derive(struct instance *self, struct message *parent, struct message *child)
{
    count_one(&node_of(self)->counts.born);
    credit_account_split(parent, child);
}

void part_ready(struct instance *self)
{
    struct node *n = node_of(self);
    assert(n->part->produce);
    n->source.ready = true;
    n->source.idle = false;
    if (!n->source.active) {
        n->source.active = true;
        atomic_fetch_add(&n->flow->active, 1);
    }
}

void part_fail(struct instance *self, enum rc rc, const char *format, ...)
{
    struct buf text = {.max = 4096};
    va_list args;
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    flow_fail(node_of(self)->flow, node_of(self), rc, buf_str(&text));
    buf_done(&text);
}

void part_drain(struct instance *self)
{
    atomic_store(&node_of(self)->flow->is_over, true);
    flow_drain(node_of(self)->flow);
}

struct clock *part_clock(struct instance *self)
{
    return node_of(self)->flow->clock;
}

struct loop *part_loop(struct instance *self)
{
    return &node_of(self)->shard->loop;
}

void part_count_error(struct instance *self)
{
    count_one(&node_of(self)->counts.errors);
}

void *part_provider(struct instance *self, unsigned at)
{
    return node_of(self)->providers[at];
}

struct log *part_log(struct instance *self)
{
    return node_of(self)->flow->log;
}

uint64_t part_now_ms(struct instance *self)
{
    return node_of(self)->shard->loop.now_ms;
}

enum rc part_watch(struct instance *self, struct watch *w, unsigned events)
{
    return loop_watch(&node_of(self)->shard->loop, w, events);
}

void part_unwatch(struct instance *self, struct watch *w)
{
    loop_unwatch(&node_of(self)->shard->loop, w);
}

enum rc part_timer(struct instance *self, struct timer *t, uint64_t moment_ms)
{
    return loop_timer(&node_of(self)->shard->loop, t, moment_ms);
}

void part_timer_stop(struct instance *self, struct timer *t)
{
    loop_timer_stop(&node_of(self)->shard->loop, t);
}

void part_add_task(struct instance *self, struct loop_task *p)
{
    loop_add_task(&node_of(self)->shard->loop, p);
}
