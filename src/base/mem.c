/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 }; /* items of a list that grows */

static _Thread_local uint64_t countdown;
static _Thread_local int hit;
static _Thread_local int64_t live;

static int refuse(void)
{
    if (__builtin_expect(countdown == 0, 1))
        return 0;
    if (--countdown)
        return 0;
    hit = 1;
    return 1;
}

static void *counted(void *p)
{
    live += p != NULL;
    return p;
}

void *mem_alloc(size_t bytes)
{
    return refuse() ? NULL : counted(malloc(bytes ? bytes : 1));
}

void *mem_zero(size_t count, size_t bytes)
{
    return refuse() ? NULL : counted(calloc(count ? count : 1, bytes ? bytes : 1));
}

void *mem_resize(void *old, size_t bytes)
{
    if (refuse())
        return NULL;
    void *p = realloc(old, bytes ? bytes : 1);
    return old ? p : counted(p);
}

void *mem_grow(void *list, size_t count, size_t *room, size_t bytes)
{
    size_t more = *room ? *room * 2 : FIRST_ROOM;
    if (count < *room)
        return list;
    if (more > SIZE_MAX / bytes)
        return NULL;
    void *p = mem_resize(list, more * bytes);
    if (p)
        *room = more;
    return p;
}

void *mem_aligned(size_t align, size_t bytes)
{
    size_t whole = (bytes + align - 1) / align * align;
    return refuse() || whole < bytes ? NULL : counted(aligned_alloc(align, whole ? whole : align));
}

void mem_free(void *p)
{
    live -= p != NULL;
    free(p);
}

void mem_fault_at(uint64_t nth)
{
    countdown = nth;
    hit = 0;
}

int mem_fault_hit(void)
{
    return hit;
}

int64_t mem_live(void)
{
    return live;
}
