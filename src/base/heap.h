/* SPDX-License-Identifier: Apache-2.0 */
/* heap: which of many comes first, with removal from the middle.
 *
 * The node lives inside the thing that waits; the heap only points at it, and keeps `at` so that
 * a thing can be moved or taken out in log n. Ties go to the one with the lower `order`, then are
 * arbitrary. Four children a node: fewer cache lines than two. */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include "base/rc.h"

#include <stddef.h>
#include <stdint.h>

struct heap_node {
    uint64_t key;   /* least first; change it with heap_move() only */
    uint64_t order; /* among equal keys */
    size_t at;      /* index in the heap + 1; 0 = in none */
};

struct heap {
    struct heap_node **nodes;
    size_t count;
    size_t cap;
    size_t max;
};

void heap_init(struct heap *h, size_t max_nodes);
void heap_done(struct heap *h);

/* Makes room for `nodes` in all, so that adding up to that many cannot fail. RC_LIMIT, RC_NOMEM. */
MUST_CHECK enum rc heap_reserve(struct heap *h, size_t nodes);

/* `node` is in no heap. RC_LIMIT and RC_NOMEM leave everything as it was. */
MUST_CHECK enum rc heap_add(struct heap *h, struct heap_node *node);

/* The least node, borrowed, or NULL. */
struct heap_node *heap_first(const struct heap *h);

/* Takes a node out; nothing happens if it is in none. */
void heap_remove(struct heap *h, struct heap_node *node);

/* Gives a node that is in the heap another key. */
void heap_move(struct heap *h, struct heap_node *node, uint64_t key);

#endif
