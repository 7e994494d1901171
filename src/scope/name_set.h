/* SPDX-License-Identifier: Apache-2.0 */
/* name_set: a set of names that only grows. Any thread looks up names without a lock.
 *
 *   table   [ 0  tag|offset  0  tag|offset  tag|offset ]  words, open addressing, at most 3/4 full
 *                    │
 *                    ▼
 *   blocks  [4 KB] [8 KB] [16 KB] …                        {hash, length, bytes} behind each other
 *
 * An offset counts over all blocks, and a name never moves, so a word that a reader has seen stays
 * right. A name is written first, then its word is stored with release order. A table that
 * became too small stays until the close, because another thread may still read in it. Such a
 * reader may miss a name that was added since, as if it had asked a moment earlier. Threads that
 * add share a lock. */
#ifndef SCOPE_NAME_SET_H
#define SCOPE_NAME_SET_H

#include "base/str.h"

enum { NAME_SET_MAX_BYTES = 65535 };

struct name_set;

/* NULL without memory. */
struct name_set *name_set_open(uint64_t most_names);
void name_set_close(struct name_set *s);

/* `hash` is of the name, 64 good bits, always by the same function. A name that is there already is
 * RC_OK; RC_LIMIT: as many as there may be, or it is longer than NAME_SET_MAX_BYTES; RC_NOMEM. */
MUST_CHECK enum rc name_set_add(struct name_set *s, uint64_t hash, struct str name);

bool name_set_has(const struct name_set *s, uint64_t hash, struct str name);

uint64_t name_set_count(const struct name_set *s);

#endif
