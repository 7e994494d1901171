/* SPDX-License-Identifier: Apache-2.0 */
/* int_map: 64-bit numbers to values of one size, which stand in the table itself.
 *
 *     struct int_map m = INT_MAP(sizeof(struct sum));
 *     struct sum *s = int_map_need(&m, domain, NULL);      zeroed if it is new
 *     if (!s)
 *         return RC_NOMEM;
 *     int_map_done(&m);
 *
 *   rows  [ . {key,value} . . {key,value} ] {0,value}    open addressing, at most 3/4 full
 *
 * Any number may be a key; 0 marks a free row, so the key 0 has a row of its own behind the others.
 * Keys are mixed, so counters and addresses are as good as hashes. A value is aligned to 8 bytes,
 * and stays where it is until the next int_map_need() or int_map_remove(). */
#ifndef BASE_INT_MAP_H
#define BASE_INT_MAP_H

#include "base/rc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct int_map {
    char *rows;
    size_t value_bytes; /* a multiple of 8 */
    size_t room;        /* rows; a power of two, or 0 */
    size_t count;
    bool has_zero;
};

#define INT_MAP(bytes)                            \
    (struct int_map)                              \
    {                                             \
        .value_bytes = ((bytes) + 7) & ~(size_t)7 \
    }

void int_map_done(struct int_map *m);

/* The value, or NULL. */
void *int_map_get(const struct int_map *m, uint64_t key);

/* The value, zeroed if the key is new; NULL without memory. `ret_is_new` may be NULL. */
void *int_map_need(struct int_map *m, uint64_t key, bool *ret_is_new);

/* False: it was not there. */
bool int_map_remove(struct int_map *m, uint64_t key);

/* Makes room for so many keys in all, so that needing up to that many cannot fail. RC_NOMEM. */
MUST_CHECK enum rc int_map_reserve(struct int_map *m, size_t count);

/* Whether the next new key makes it grow. */
bool int_map_is_full(const struct int_map *m);

/* The value of the next row from *at on, and its key; NULL at the end. *at begins with 0 and counts
 * rows up to int_map_rows(). The order is any, and the same until the map grows or shrinks. */
void *int_map_next(const struct int_map *m, size_t *at, uint64_t *ret_key);
size_t int_map_rows(const struct int_map *m);

#endif
