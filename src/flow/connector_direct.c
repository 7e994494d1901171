/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/connector.h"

#include "base/mem.h"
#include "flow/node.h"

struct direct {
    struct connector connector;
    struct node *to;
    unsigned inlet;
};

static void direct_send(struct connector *c, struct message *m)
{
    struct direct *d = (struct direct *)(void *)c;
    node_handle(d->to, d->inlet, m);
}

static void nowhere_send(struct connector *c, struct message *m)
{
    (void)c;
    message_end(m);
}

static bool never_waits(struct connector *c)
{
    (void)c;
    return false;
}

static void is_empty(struct connector *c)
{
    (void)c;
}

static void plain_close(struct connector *c)
{
    mem_free(c);
}

static const struct connector_kind direct_kind = {"direct", direct_send, never_waits, is_empty,
                                                  plain_close};
static const struct connector_kind nowhere_kind = {"nowhere", nowhere_send, never_waits, is_empty,
                                                   plain_close};

struct connector *connector_direct_open(struct node *from, struct node *to, unsigned inlet)
{
    struct direct *d = mem_zero(1, sizeof *d);
    if (!d)
        return NULL;
    d->connector.kind = &direct_kind;
    d->connector.from = from;
    d->to = to;
    d->inlet = inlet;
    return &d->connector;
}

struct connector *connector_nowhere_open(struct node *from)
{
    struct connector *c = mem_zero(1, sizeof *c);
    if (!c)
        return NULL;
    c->kind = &nowhere_kind;
    c->from = from;
    return c;
}
