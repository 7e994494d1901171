/* SPDX-License-Identifier: Apache-2.0 */
#include "witness/index.h"

#include "base/mem.h"

#include <stdbool.h>
#include <string.h>

enum { FIRST_SLOTS = 16 };

void index_init(struct index *x, uint64_t max_entries)
{
    memset(x, 0, sizeof *x);
    x->max = max_entries;
}

void index_done(struct index *x)
{
    for (uint32_t i = 0; i < INDEX_PARTS; i++)
        mem_free(x->parts[i].hashes);
    index_init(x, x->max);
}

/* 0 marks a free slot, so the one hash that is 0 becomes 1. */
static uint64_t hash_stored(uint64_t hash)
{
    return hash ? hash : 1;
}

/* Where the hash is, or the free slot where it belongs. */
static uint32_t part_find(const struct index_part *p, uint64_t hash)
{
    uint32_t mask = p->slots - 1;
    uint32_t at = (uint32_t)hash & mask;
    while (p->hashes[at] && p->hashes[at] != hash)
        at = (at + 1) & mask;
    return at;
}

static bool part_make(struct index_part *p, uint32_t slots)
{
    size_t each = sizeof *p->hashes + sizeof *p->numbers;
    p->hashes = mem_zero(slots, each);
    if (!p->hashes)
        return false;
    p->numbers = (uint32_t *)(void *)(p->hashes + slots);
    p->slots = slots;
    return true;
}

static bool part_grow(struct index_part *p)
{
    struct index_part bigger = {.count = p->count};
    if (!part_make(&bigger, p->slots ? 2 * p->slots : FIRST_SLOTS))
        return false;
    for (uint32_t i = 0; i < p->slots; i++) {
        if (!p->hashes[i])
            continue;
        uint32_t at = part_find(&bigger, p->hashes[i]);
        bigger.hashes[at] = p->hashes[i];
        bigger.numbers[at] = p->numbers[i];
    }
    mem_free(p->hashes);
    *p = bigger;
    return true;
}

uint32_t *index_put(struct index *x, uint64_t hash)
{
    hash = hash_stored(hash);
    struct index_part *p = &x->parts[hash >> 56];
    if (p->slots) {
        uint32_t at = part_find(p, hash);
        if (p->hashes[at])
            return &p->numbers[at];
    }
    if (x->count >= x->max)
        return NULL;
    if (4 * ((uint64_t)p->count + 1) > 3 * (uint64_t)p->slots && !part_grow(p))
        return NULL;
    uint32_t at = part_find(p, hash);
    p->hashes[at] = hash;
    p->count++;
    x->count++;
    return &p->numbers[at];
}

const uint32_t *index_get(const struct index *x, uint64_t hash)
{
    hash = hash_stored(hash);
    const struct index_part *p = &x->parts[hash >> 56];
    if (!p->slots)
        return NULL;
    uint32_t at = part_find(p, hash);
    return p->hashes[at] ? &p->numbers[at] : NULL;
}
