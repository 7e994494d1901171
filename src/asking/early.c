/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/early.h"

static void on_due(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    struct early *e = EVENT_OF(t, struct early, timer);
    struct message_list list = e->list;
    struct message *m;
    e->list = (struct message_list){0};
    while ((m = message_list_take(&list)))
        e->handle(e->self, 0, m);
}

void early_init(struct early *e, struct instance *self,
                void (*handle)(struct instance *self, unsigned inlet, struct message *m))
{
    *e = (struct early){.self = self, .handle = handle, .timer = {.due = on_due}};
}

bool early_keeps(struct early *e, struct visit *v, const struct pace_settings *pace)
{
    uint64_t moment_ms = host_begin_ms(&e->begin, part_session(&v->head),
                                       v->turn.standing.crawl_delay_ms, pace, part_now_ms(e->self));
    if (!moment_ms)
        return false;
    message_list_add(&e->list, &v->head);
    if (part_timer(e->self, &e->timer, moment_ms) != RC_OK)
        part_fail(e->self, RC_NOMEM, "no memory for a timer");
    return true;
}

void early_stop(struct early *e)
{
    struct message *m;
    part_timer_stop(e->self, &e->timer);
    while ((m = message_list_take(&e->list)))
        part_end(e->self, m);
}
