/* SPDX-License-Identifier: Apache-2.0 */
/* hash: one 64-bit hash for everything that is not a digest (XXH3, the same on every machine).
 *
 * Hashes of host names and URLs are written to disk and sent between machines, so the function
 * and the seeds can never change within a format version. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/str.h"

uint64_t hash64(struct str s);
uint64_t hash64_seeded(struct str s, uint64_t seed);

/* A good mix of one word: every bit of the result depends on every bit of `v`. */
static inline uint64_t hash64_mix(uint64_t v)
{
    v ^= v >> 30;
    v *= UINT64_C(0xbf58476d1ce4e5b9);
    v ^= v >> 27;
    v *= UINT64_C(0x94d049bb133111eb);
    return v ^ (v >> 31);
}

#endif
