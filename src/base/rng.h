/* SPDX-License-Identifier: Apache-2.0 */
/* rng: numbers that look random and follow from a seed alone (xoshiro256**, seeded by splitmix64).
 *
 * The sequence is part of our formats: an agent's points on the ring come from it. Not for
 * secrets. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct rng {
    uint64_t s[4];
};

void rng_init(struct rng *r, uint64_t seed);
uint64_t rng_next(struct rng *r);

/* Evenly from 0 to below - 1; `below` is at least 1. */
uint64_t rng_below(struct rng *r, uint64_t below);

/* Evenly from [0, 1), 53 bits. */
double rng_unit(struct rng *r);

#endif
