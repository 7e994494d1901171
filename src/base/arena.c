/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include "base/mem.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>

struct block {
    struct block *older;
    size_t bytes; /* of room */
    size_t used;
    alignas(max_align_t) char room[];
};

struct arena {
    struct block *newest;
    struct block *first; /* survives a clear */
    size_t block_bytes;
    size_t max_bytes;
    size_t used;
};

static struct block *block_new(size_t bytes)
{
    size_t whole;
    struct block *b = __builtin_add_overflow(sizeof *b, bytes, &whole) ? NULL : mem_alloc(whole);
    if (b)
        *b = (struct block){.bytes = bytes};
    return b;
}

struct arena *arena_open(size_t block_bytes, size_t max_bytes)
{
    struct arena *a = mem_alloc(sizeof *a);
    struct block *first = a ? block_new(block_bytes) : NULL;
    if (!first) {
        mem_free(a);
        return NULL;
    }
    *a = (struct arena){
        .newest = first, .first = first, .block_bytes = block_bytes, .max_bytes = max_bytes};
    return a;
}

void arena_clear(struct arena *a)
{
    while (a->newest != a->first) {
        struct block *older = a->newest->older;
        mem_free(a->newest);
        a->newest = older;
    }
    a->first->used = 0;
    a->used = 0;
}

void arena_close(struct arena *a)
{
    if (!a)
        return;
    arena_clear(a);
    mem_free(a->first);
    mem_free(a);
}

/* A piece larger than a block gets a block of its own. */
static bool add_block(struct arena *a, size_t bytes)
{
    struct block *b = block_new(bytes > a->block_bytes ? bytes : a->block_bytes);
    if (!b)
        return false;
    b->older = a->newest;
    a->newest = b;
    return true;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    size_t align = alignof(max_align_t);
    if (bytes > a->max_bytes - a->used)
        return NULL;
    size_t whole = (bytes + align - 1) & ~(align - 1);
    struct block *b = a->newest;
    if (whole < bytes)
        return NULL;
    if (whole > b->bytes - b->used) {
        if (!add_block(a, whole))
            return NULL;
        b = a->newest;
    }
    void *piece = b->room + b->used;
    b->used += whole;
    a->used += bytes;
    return piece;
}

void *arena_zero(struct arena *a, size_t bytes)
{
    void *piece = arena_alloc(a, bytes);
    return piece ? memset(piece, 0, bytes) : NULL;
}

struct str arena_dup(struct arena *a, struct str s)
{
    char *copy = arena_alloc(a, s.n + 1);
    if (!copy)
        return STR_NONE;
    if (s.n)
        memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    return str_make(copy, s.n);
}

struct str arena_join(struct arena *a, const struct str *pieces, size_t count)
{
    size_t bytes = 1, at = 0;
    for (size_t i = 0; i < count; i++)
        if (__builtin_add_overflow(bytes, pieces[i].n, &bytes))
            return STR_NONE;
    char *text = arena_alloc(a, bytes);
    if (!text)
        return STR_NONE;
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].n)
            memcpy(text + at, pieces[i].p, pieces[i].n);
        at += pieces[i].n;
    }
    text[at] = '\0';
    return str_make(text, at);
}

struct str arena_printf(struct arena *a, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int wanted = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = wanted < 0 ? NULL : arena_alloc(a, (size_t)wanted + 1);
    if (text)
        wanted = vsnprintf(text, (size_t)wanted + 1, format, again);
    va_end(again);
    return text ? str_make(text, (size_t)wanted) : STR_NONE;
}

size_t arena_used(const struct arena *a)
{
    return a->used;
}
