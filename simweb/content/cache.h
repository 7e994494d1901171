/* SPDX-License-Identifier: Apache-2.0 */
/* cache: coded bodies that took long to make, kept until newer ones need the room.
 *
 *   buckets[hash] ─► entry ─► entry        all entries also in one list, the last used first
 */
#ifndef CONTENT_CACHE_H
#define CONTENT_CACHE_H

#include "base/str.h"

struct cache;

/* Holds at most `max_bytes` of bodies. NULL without memory. */
struct cache *cache_open(size_t max_bytes);
void cache_close(struct cache *c);

/* What was put under the key, borrowed until the next put; absent if it is not there (any more). */
struct str cache_get(struct cache *c, uint64_t key);

/* Keeps a copy under a key that is not there, if it fits and there is memory: nothing depends on
 * it. */
void cache_put(struct cache *c, uint64_t key, struct str body);

#endif
