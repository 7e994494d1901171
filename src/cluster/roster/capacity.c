/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/roster/capacity.h"

/* In thousandths of all room: below `down` the step is lost; from `up` on it is taken again. */
static const struct {
    unsigned down, up;
} steps[CAPACITY_STEPS + 1] = {{0, 0}, {50, 75}, {100, 150}, {200, 300}, {400, 600}};

static unsigned thousandths(uint64_t used_bytes, uint64_t free_bytes)
{
    double all = (double)used_bytes + (double)free_bytes;
    return all > 0 ? (unsigned)((double)free_bytes / all * 1000) : 0;
}

uint32_t capacity_weight(struct capacity *c, uint32_t ordinary, uint64_t used_bytes,
                         uint64_t free_bytes)
{
    unsigned left = thousandths(used_bytes, free_bytes);
    while (c->step && left < steps[c->step].down)
        c->step--;
    while (c->step < CAPACITY_STEPS && left >= steps[c->step + 1].up)
        c->step++;
    uint32_t weight = (uint32_t)((uint64_t)ordinary * c->step / CAPACITY_STEPS);
    return c->step && ordinary && !weight ? 1 : weight;
}
