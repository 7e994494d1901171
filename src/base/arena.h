/* SPDX-License-Identifier: Apache-2.0 */
/* arena: memory that is given out piece by piece and taken back all at once.
 *
 *   block        block (current)
 *   [used used]->[used used|free ....]
 *
 * One arena carries one visit. A piece is never freed alone; arena_clear() keeps the first block,
 * so that a reused arena reaches the size of a usual page and stops asking the heap. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/str.h"

struct arena;

/* `block_bytes` is asked of the heap at a time; pieces beyond `max_bytes` in all are refused.
 * NULL when there is no memory. */
struct arena *arena_open(size_t block_bytes, size_t max_bytes);
void arena_close(struct arena *a);

/* Everything it gave out is gone. */
void arena_clear(struct arena *a);

/* Aligned for any type, not zeroed; NULL past the maximum or without memory. */
void *arena_alloc(struct arena *a, size_t bytes);
void *arena_zero(struct arena *a, size_t bytes);

/* A copy with a NUL behind it that is not counted; absent ({NULL,0}) on failure. */
struct str arena_dup(struct arena *a, struct str s);
/* The pieces one behind the other, likewise; for what is made for every page. */
struct str arena_join(struct arena *a, const struct str *pieces, size_t count);
struct str arena_printf(struct arena *a, const char *format, ...) PRINTF_LIKE(2, 3);

/* Bytes handed out since the last clear. */
size_t arena_used(const struct arena *a);

#endif
