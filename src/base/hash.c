/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash64(struct str s)
{
    return XXH3_64bits(s.n ? s.p : "", s.n);
}

uint64_t hash64_seeded(struct str s, uint64_t seed)
{
    return XXH3_64bits_withSeed(s.n ? s.p : "", s.n, seed);
}
