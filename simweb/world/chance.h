/* SPDX-License-Identifier: Apache-2.0 */
/* chance: what the world draws chances for, and what a chance becomes. Inside this folder only;
 * other folders number their purposes from 1000 on.
 *
 * A page of 28 KB takes some hundred of them, so all of it is inline, and what belongs to one page
 * is drawn from that page's key at half the price. */
#ifndef WORLD_CHANCE_H
#define WORLD_CHANCE_H

#include "world/world_internal.h"

#include "base/hash.h"

#include <math.h>

enum chance_purpose {
    CHANCE_TONGUE = 1, /* and the sections of a host */
    CHANCE_WORDS,      /* of a page, and the form of its path */
    CHANCE_PAGE,       /* the key of a page */
    CHANCE_HOST_NAME,
    CHANCE_HTTPS,
    CHANCE_ROBOTS,
    CHANCE_DELAY,
    CHANCE_SITEMAP,
    CHANCE_ROLE,
    CHANCE_TARGET,
    CHANCE_CHARSET,
    CHANCE_BASE,
    CHANCE_BYTES,
    CHANCE_IMAGES,
    CHANCE_IMAGE_FORM,
    CHANCE_CHANGES,
    CHANCE_LINK,
    CHANCE_KIND,
    CHANCE_REFRESH,
    CHANCE_AGE,
    CHANCE_LINK_MANNER, /* and one more for each kind of place */
    CHANCE_EVENTS = 50, /* and one more for each kind of change */
};

#define CHANCE_STEP UINT64_C(0x9e3779b97f4a7c15)

/* As world_chance. */
static inline uint64_t chance_of(const struct world *w, uint32_t purpose, uint64_t a, uint64_t b)
{
    uint64_t x = purpose < WORLD_KEYS ? w->keys[purpose]
                                      : hash64_mix(w->key + purpose * UINT64_C(0xd1342543de82ef95));
    x = hash64_mix(x ^ (a * UINT64_C(0xaef17502108ef2d9) + 0x632be5ab));
    return hash64_mix(x + b * UINT64_C(0x9fb21c651e98df25));
}

/* What all chances of one page follow from. */
static inline uint64_t page_key(const struct world *w, uint32_t host, uint32_t page)
{
    return chance_of(w, CHANCE_PAGE, host, page);
}

/* The nth of a key's chances; of a page's key by purpose. */
static inline uint64_t chance_at(uint64_t key, uint64_t nth)
{
    return hash64_mix(key + nth * CHANCE_STEP);
}

/* Evenly from [0, below). */
static inline uint64_t chance_below(uint64_t chance, uint64_t below)
{
    return (uint64_t)(((unsigned __int128)chance * below) >> 64);
}

/* Evenly from [0, 1). */
static inline double chance_unit(uint64_t chance)
{
    return (double)(chance >> 11) * 0x1p-53;
}

static inline bool chance_share(uint64_t chance, double share)
{
    return chance_unit(chance) < share;
}

/* Sixteen bits of the chance, from `shift` on, against a share: four draws for the price of one. */
static inline bool bits_share(uint64_t chance, unsigned shift, double share)
{
    return (chance >> shift & 0xffff) < (uint64_t)(share * 0x1p16);
}

/* Evenly from [0, below), of sixteen bits likewise. */
static inline uint32_t bits_below(uint64_t chance, unsigned shift, uint32_t below)
{
    return (uint32_t)(chance >> shift & 0xffff) * below >> 16;
}

/* From the standard normal distribution. */
double chance_normal(uint64_t chance);

/* As world_zipf, with what depends on `below` alone worked out before. */
static inline uint64_t zipf_pick(const struct zipf *z, uint64_t chance)
{
    double u = chance_unit(chance);
    if (z->below <= 1)
        return 0;
    if (z->is_even)
        return chance_below(chance, z->below);
    double x = z->is_log ? exp(u * z->scale) : pow(1 + u * z->scale, z->power);
    uint64_t value = (uint64_t)x - 1;
    return value < z->below ? value : z->below - 1;
}

struct zipf zipf_of(const struct world *w, uint64_t below);

#endif
