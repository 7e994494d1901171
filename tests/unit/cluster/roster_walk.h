/* SPDX-License-Identifier: Apache-2.0 */
/* roster walk: random sentences for a roster's log, so that joins, deaths, adoptions and all else
 * happen in many orders, and a good part of what is written does not count. */
#ifndef TESTS_CLUSTER_ROSTER_WALK_H
#define TESTS_CLUSTER_ROSTER_WALK_H

#include "base/rng.h"
#include "roster_log.h"

/* Writes one sentence or a few. */
void roster_walk(struct roster_log *l, struct rng *rng);

#endif
