/* SPDX-License-Identifier: Apache-2.0 */
/* mem: the only door to the heap for our own code, so that a test can make any allocation fail.
 *
 * Counters and the fault live in the calling thread: a test that breaks its own n-th allocation
 * does not touch other threads. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

/* As malloc, calloc, realloc and free; NULL means no memory and leaves everything as it was.
 * Asking for 0 bytes gives a pointer that can be freed. */
void *mem_alloc(size_t bytes);
void *mem_zero(size_t count, size_t bytes);
void *mem_resize(void *old, size_t bytes);
void mem_free(void *p);

/* Makes room for one item more in a list of `count` items of `bytes` bytes each, with room for
 * *room of them; room doubles. Returns the list, perhaps moved, and sets *room. NULL means no
 * memory and leaves both as they were. */
void *mem_grow(void *list, size_t count, size_t *room, size_t bytes);

/* As mem_alloc, with the address a multiple of `align` (a power of two). */
void *mem_aligned(size_t align, size_t bytes);

/* For tests, this thread only. The n-th allocation from now fails, once (0: none will).
 * mem_fault_hit() says whether it has. mem_live() is allocations minus frees. */
void mem_fault_at(uint64_t nth);
int mem_fault_hit(void);
int64_t mem_live(void);

#endif
