/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/waiting.h"

/* In the arena of its visit. */
struct waiting_visit {
    struct timer timer;
    struct waiting *waiting;
    struct visit *visit;
    struct list_node node;
};

static void on_due(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    struct waiting_visit *x = EVENT_OF(t, struct waiting_visit, timer);
    struct waiting *w = x->waiting;
    list_remove(&w->visits, &x->node);
    w->due(w->self, x->visit);
}

enum rc waiting_add(struct waiting *w, struct visit *v, uint64_t moment_ms)
{
    struct waiting_visit *x = arena_zero(v->arena, sizeof *x);
    if (!x)
        return RC_NOMEM;
    *x = (struct waiting_visit){.timer = {.due = on_due}, .waiting = w, .visit = v};
    enum rc rc = part_timer(w->self, &x->timer, moment_ms);
    if (rc == RC_OK)
        list_add_first(&w->visits, &x->node);
    return rc;
}

void waiting_stop(struct waiting *w)
{
    while (w->visits.first) {
        struct waiting_visit *x = LIST_OF(w->visits.first, struct waiting_visit, node);
        part_timer_stop(w->self, &x->timer);
        list_remove(&w->visits, &x->node);
        part_end(w->self, &x->visit->head);
    }
}
