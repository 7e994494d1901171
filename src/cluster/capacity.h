/* SPDX-License-Identifier: Apache-2.0 */
/* capacity: how much of its ordinary weight an agent takes, by the room that it has left (D6).
 *
 *   room left of all that it has     weight
 *   40 % and more                    ordinary
 *   20 to 40 %                       three quarters
 *   10 to 20 %                       half
 *    5 to 10 %                       a quarter
 *   less                             0: it keeps what it has, and owns no host
 *
 * Another weight is a change of the ring for everybody, so it comes in steps, and goes up again
 * only when the room is half as much more than what it went down at (60, 30, 15, 7.5 %). */
#ifndef CLUSTER_CAPACITY_H
#define CLUSTER_CAPACITY_H

#include <stdint.h>

enum { CAPACITY_STEPS = 4 };

struct capacity {
    unsigned step; /* of CAPACITY_STEPS; an agent begins with all */
};

/* What the agent takes with so much used and so much left; an ordinary weight above 0 is at least 1
 * while it takes anything. Nothing used and nothing left: there is no room. */
uint32_t capacity_weight(struct capacity *c, uint32_t ordinary, uint64_t used_bytes,
                         uint64_t free_bytes);

#endif
