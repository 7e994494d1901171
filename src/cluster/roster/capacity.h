/* SPDX-License-Identifier: Apache-2.0 */
/* capacity: how much of its ordinary weight an agent takes, by the disk room that it has left.
 *
 *   room left of all its room       weight
 *   40 % and more                   ordinary
 *   20 to 40 %                      three quarters
 *   10 to 20 %                      half
 *    5 to 10 %                      a quarter
 *   less                            0: it keeps what it has, and owns no host
 *
 * A new weight changes the ring for all agents. So the weight changes in steps, and a step is taken
 * again only when there is half as much room more than where it was lost (60, 30, 15, 7.5 %). */
#ifndef CLUSTER_ROSTER_CAPACITY_H
#define CLUSTER_ROSTER_CAPACITY_H

#include <stdint.h>

enum { CAPACITY_STEPS = 4 };

struct capacity {
    unsigned step; /* of CAPACITY_STEPS; an agent begins with all */
};

/* The weight with that many bytes used and free. If `ordinary` is above 0, the weight is at least 1
 * unless the step is 0. Nothing used and nothing free means that there is no room. */
uint32_t capacity_weight(struct capacity *c, uint32_t ordinary, uint64_t used_bytes,
                         uint64_t free_bytes);

#endif
