/* SPDX-License-Identifier: Apache-2.0 */
/* balance: how evenly an assignment shares the hosts, measured over made-up agents of equal weight.
 * An agent's deviation is its share divided by the ideal share, minus one.
 *
 * Names are "S-I" for set S and agent I, so every run on every machine gives the same figures. */
#ifndef ASSIGN_BALANCE_H
#define ASSIGN_BALANCE_H

#include "assign/assign.h"

struct balance {
    double mean;      /* of the deviations' absolute values */
    double deviation; /* standard deviation */
    double largest;   /* largest absolute deviation */
};

/* The ring's shares computed from its arcs, over `sets` sets of names, for each number of probes:
 * ret[i] belongs to probes[i]. Fails as assign_open does. */
MUST_CHECK enum rc balance_ring(uint32_t agents, uint32_t points, uint32_t sets,
                                const uint32_t *probes, uint32_t probe_count, struct balance *ret);

/* The shares measured with `hosts` random hosts, with the kind's defaults. Chance alone gives a
 * standard deviation of sqrt((agents - 1) / hosts). The kind must ask for hosts. */
MUST_CHECK enum rc balance_seen(const struct assign_kind *kind, uint32_t agents, uint32_t hosts,
                                struct balance *ret);

#endif
