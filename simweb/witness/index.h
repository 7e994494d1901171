/* SPDX-License-Identifier: Apache-2.0 */
/* index: from a 64-bit hash to a 32-bit number, for tens of millions of entries.
 *
 *   hash ─► part (its top byte) ─► [ . h . . h h . ]  open addressing, power of two, at most 3/4
 *                                  [ . v . . v v . ]
 *
 * Parts grow one by one, so that no single call has to move millions of entries while requests
 * wait. The hash is the identity: with 64 million entries two different ones share a hash with a
 * chance of about one in ten thousand. Nothing is ever taken out. */
#ifndef WITNESS_INDEX_H
#define WITNESS_INDEX_H

#include "base/rc.h"

#include <stdint.h>

enum { INDEX_PARTS = 256 };

struct index_part {
    uint64_t *hashes; /* 0 = free; the numbers stand behind them in the same allocation */
    uint32_t *numbers;
    uint32_t count;
    uint32_t slots;
};

struct index {
    struct index_part parts[INDEX_PARTS];
    uint64_t count;
    uint64_t max;
};

void index_init(struct index *x, uint64_t max_entries);
void index_done(struct index *x);

/* The number of a hash, to be read and written until the next index_put; of one not seen before it
 * is 0. NULL past the maximum or without memory. */
uint32_t *index_put(struct index *x, uint64_t hash);

/* The same for one that is there, else NULL. */
const uint32_t *index_get(const struct index *x, uint64_t hash);

#endif
