/* SPDX-License-Identifier: Apache-2.0 */
/* roster walk: random sentences for a roster's log, so that joins, deaths, adoptions and all other
 * entries come in many orders, and many of the entries do not count. */
#ifndef CLUSTER_ROSTER_ROSTER_WALK_H
#define CLUSTER_ROSTER_ROSTER_WALK_H

#include "base/rng.h"
#include "roster_log.h"

/* Writes one sentence or a few. */
void roster_walk(struct roster_log *l, struct rng *rng);

#endif
