/* SPDX-License-Identifier: Apache-2.0 */
/* map: names to things, walked in the order they were put in.
 *
 *   slots  [ . 2 . . 0 . 1 . ]      open addressing, power of two, at most 3/4 full
 *   rows   [ {key,value} {key,value} {key,value} ]
 *
 * For catalogues, options and wirings: hundreds of entries, not the crawl's URLs. Keys are
 * borrowed and must live as long as the map; values are the caller's. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/str.h"

struct map_row {
    struct str key;
    void *value;
};

struct map {
    struct map_row *rows;
    uint32_t *slots; /* row + 1, 0 = free */
    uint32_t count;
    uint32_t slot_count;
    uint32_t max;
};

void map_init(struct map *m, uint32_t max_entries);
void map_done(struct map *m);

/* RC_EXISTS leaves the old value, RC_LIMIT and RC_NOMEM leave the map as it was. */
MUST_CHECK enum rc map_put(struct map *m, struct str key, void *value);

/* The value, or NULL. */
void *map_get(const struct map *m, struct str key);
bool map_has(const struct map *m, struct str key);

#endif
