/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rng.h"

#include "base/hash.h"

#include <assert.h>

void rng_init(struct rng *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        seed += UINT64_C(0x9e3779b97f4a7c15);
        r->s[i] = hash64_mix(seed);
    }
}

static uint64_t rotate(uint64_t v, int by)
{
    return v << by | v >> (64 - by);
}

uint64_t rng_next(struct rng *r)
{
    uint64_t *s = r->s;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

/* Numbers past the last whole multiple are drawn again, or small results would come more often. */
uint64_t rng_below(struct rng *r, uint64_t below)
{
    assert(below > 0);
    uint64_t surplus = (UINT64_MAX % below + 1) % below;
    uint64_t v;
    do
        v = rng_next(r);
    while (v > UINT64_MAX - surplus);
    return v % below;
}

double rng_unit(struct rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}
