/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/running.h"

#include <stdatomic.h>

void running_add(struct running *r, struct visit *v)
{
    list_add_first(&r->visits, &v->answer.running);
    if (r->open)
        atomic_fetch_add_explicit(r->open, 1, memory_order_relaxed);
}

void running_remove(struct running *r, struct visit *v)
{
    list_remove(&r->visits, &v->answer.running);
    if (r->open)
        atomic_fetch_sub_explicit(r->open, 1, memory_order_relaxed);
}

struct visit *running_cancel(struct running *r, struct http *http, struct instance *self)
{
    struct list_node *n = r->visits.first;
    while (n && self && part_may_go_on(self, &LIST_OF(n, struct visit, answer.running)->head))
        n = n->next;
    if (!n)
        return NULL;
    struct visit *v = LIST_OF(n, struct visit, answer.running);
    http_cancel(http, &v->answer.ask);
    running_remove(r, v);
    return v;
}
