/* SPDX-License-Identifier: Apache-2.0 */
/* texts: copies of short texts, packed one behind the other, walked in the order they came.
 *
 *   chunk          chunk (current)
 *   [n text n text]->[n text n text|free ....]
 *
 * A copy never moves and goes only with all others: hosts' names, URLs, paths. */
#ifndef WITNESS_TEXTS_H
#define WITNESS_TEXTS_H

#include "base/str.h"

enum { TEXTS_MAX_BYTES = 65535 }; /* of one text; what is longer is cut there */

struct texts_chunk;

struct texts {
    struct texts_chunk *first;
    struct texts_chunk *last;
    uint64_t count;
    uint64_t bytes; /* asked of the heap */
    uint64_t max_bytes;
};

void texts_init(struct texts *t, uint64_t max_bytes);
void texts_done(struct texts *t);

/* The copy; absent without memory or past the maximum. An empty text has a pointer. */
struct str texts_add(struct texts *t, struct str s);

/* A walk: start with a zeroed one; false at the end. Adding in between is allowed. */
struct texts_walk {
    const struct texts_chunk *chunk;
    uint32_t at;
};
bool texts_next(const struct texts *t, struct texts_walk *walk, struct str *ret);

#endif
