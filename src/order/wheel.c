/* SPDX-License-Identifier: Apache-2.0 */
#include "order/wheel.h"

enum { PASS_BITS = 4, MOST_PASSES = 15 };

static const struct {
    const char *turns;
    unsigned count;
    unsigned passes; /* after which a list is owed a turn */
} wheels[ORDER_KINDS_] = {
    [ORDER_PRIORITY] = {"0102010", 7, 7},
    [ORDER_TOPIC] = {"0001000020000100", 16, 15},
};

unsigned order_wheel_turn(struct order_wheel *w, enum order_kind kind, bool has_revisits)
{
    if (w->at >= wheels[kind].count) {
        w->at = 0;
        if (has_revisits)
            return ORDER_REVISITS;
    }
    return (unsigned)(wheels[kind].turns[w->at++] - '0');
}

static unsigned passes_of(order_passes p, unsigned queue)
{
    return p >> queue * PASS_BITS & MOST_PASSES;
}

void order_passed(order_passes *p, unsigned served, unsigned waiting)
{
    unsigned after = 0;
    for (unsigned i = 0; i < ORDER_QUEUES; i++) {
        unsigned passes = passes_of(*p, i);
        bool is_passed = i != served && waiting & 1u << i;
        if (is_passed)
            after |= (passes < MOST_PASSES ? passes + 1 : passes) << i * PASS_BITS;
    }
    *p = (order_passes)after;
}

unsigned order_offered(order_passes p, unsigned waiting, enum order_kind kind)
{
    unsigned owed = waiting, most = wheels[kind].passes;
    for (unsigned i = 0; i < ORDER_QUEUES; i++) {
        unsigned passes = waiting & 1u << i ? passes_of(p, i) : 0;
        if (passes < most)
            continue;
        most = passes;
        owed = 1u << i;
    }
    return owed;
}
