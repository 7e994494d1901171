/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/name_set.h"

#include "base/mem.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    FIRST_SLOTS = 64,
    FIRST_BLOCK_BITS = 12,
    BLOCKS = 28,      /* the last one ends at 2^40 bytes */
    OFFSET_BITS = 40, /* of a word; the rest is the tag, the top bits of the hash */
    HEAD_BYTES = sizeof(uint64_t) + sizeof(uint16_t),
};

struct table {
    struct table *older;
    uint64_t mask;
    _Atomic uint64_t slots[]; /* tag and offset + 1; 0 = free */
};

struct name_set {
    struct table *_Atomic table;
    char *_Atomic blocks[BLOCKS];
    _Atomic uint64_t count;
    uint64_t most;
    pthread_mutex_t adding; /* guards `end` and all writing to what stands above */
    uint64_t end;           /* the offset of the next name */
};

static uint64_t block_bytes(unsigned block)
{
    return UINT64_C(1) << (FIRST_BLOCK_BITS + block);
}

/* Block b begins behind all smaller ones, so offset + the first block's size has its number as the
 * highest bit. */
static unsigned block_of(uint64_t offset)
{
    return 63u - FIRST_BLOCK_BITS - (unsigned)__builtin_clzll(offset + block_bytes(0));
}

static uint64_t block_begin(unsigned block)
{
    return block_bytes(block) - block_bytes(0);
}

static char *bytes_at(const struct name_set *s, uint64_t offset)
{
    unsigned block = block_of(offset);
    char *p = atomic_load_explicit(&s->blocks[block], memory_order_relaxed);
    return p + (offset - block_begin(block));
}

static struct table *table_open(uint64_t slots)
{
    struct table *t = mem_zero(1, sizeof *t + slots * sizeof *t->slots);
    if (t)
        t->mask = slots - 1;
    return t;
}

struct name_set *name_set_open(uint64_t most_names)
{
    struct name_set *s = mem_zero(1, sizeof *s);
    struct table *t = s ? table_open(FIRST_SLOTS) : NULL;
    if (!t) {
        mem_free(s);
        return NULL;
    }
    atomic_init(&s->table, t);
    s->most = most_names;
    pthread_mutex_init(&s->adding, NULL);
    return s;
}

void name_set_close(struct name_set *s)
{
    if (!s)
        return;
    struct table *t = atomic_load_explicit(&s->table, memory_order_acquire);
    while (t) {
        struct table *older = t->older;
        mem_free(t);
        t = older;
    }
    for (unsigned i = 0; i < BLOCKS; i++)
        mem_free(atomic_load_explicit(&s->blocks[i], memory_order_relaxed));
    pthread_mutex_destroy(&s->adding);
    mem_free(s);
}

static bool is_name_at(const struct name_set *s, uint64_t offset, struct str name)
{
    const char *at = bytes_at(s, offset);
    uint16_t n;
    memcpy(&n, at + sizeof(uint64_t), sizeof n);
    return str_eq(str_make(at + HEAD_BYTES, n), name);
}

static uint64_t word_of(uint64_t hash, uint64_t offset)
{
    return (hash >> OFFSET_BITS << OFFSET_BITS) | (offset + 1);
}

static uint64_t offset_in(uint64_t word)
{
    return (word & ((UINT64_C(1) << OFFSET_BITS) - 1)) - 1;
}

bool name_set_has(const struct name_set *s, uint64_t hash, struct str name)
{
    const struct table *t = atomic_load_explicit(&s->table, memory_order_acquire);
    for (uint64_t i = hash & t->mask;; i = (i + 1) & t->mask) {
        uint64_t word = atomic_load_explicit(&t->slots[i], memory_order_acquire);
        if (!word)
            return false;
        if ((word ^ hash) >> OFFSET_BITS == 0 && is_name_at(s, offset_in(word), name))
            return true;
    }
}

uint64_t name_set_count(const struct name_set *s)
{
    return atomic_load_explicit(&s->count, memory_order_relaxed);
}

/* Adding --------------------------------------------------------------------------------------- */

static void put_word(struct table *t, uint64_t hash, uint64_t word)
{
    uint64_t i = hash & t->mask;
    while (atomic_load_explicit(&t->slots[i], memory_order_relaxed))
        i = (i + 1) & t->mask;
    atomic_store_explicit(&t->slots[i], word, memory_order_release);
}

static enum rc grow(struct name_set *s, struct table *old)
{
    struct table *t = table_open((old->mask + 1) * 2);
    if (!t)
        return RC_NOMEM;
    for (uint64_t i = 0; i <= old->mask; i++) {
        uint64_t hash, word = atomic_load_explicit(&old->slots[i], memory_order_relaxed);
        if (!word)
            continue;
        memcpy(&hash, bytes_at(s, offset_in(word)), sizeof hash);
        put_word(t, hash, word);
    }
    t->older = old;
    atomic_store_explicit(&s->table, t, memory_order_release);
    return RC_OK;
}

/* Finds the offset of `bytes` free bytes within one block, and allocates that block. Blocks that
 * are too small are passed over, and cost nothing if they were never allocated. */
static enum rc find_room(struct name_set *s, uint64_t bytes, uint64_t *ret)
{
    uint64_t offset = s->end;
    unsigned block = block_of(offset);
    while (offset + bytes > block_begin(block) + block_bytes(block))
        offset = block_begin(++block);
    if (block >= BLOCKS)
        return RC_LIMIT;
    if (!atomic_load_explicit(&s->blocks[block], memory_order_relaxed)) {
        char *p = mem_alloc(block_bytes(block));
        if (!p)
            return RC_NOMEM;
        atomic_store_explicit(&s->blocks[block], p, memory_order_relaxed);
    }
    *ret = offset;
    return RC_OK;
}

static enum rc add_new(struct name_set *s, uint64_t hash, struct str name)
{
    struct table *t = atomic_load_explicit(&s->table, memory_order_relaxed);
    uint64_t offset, count = name_set_count(s);
    uint16_t n = (uint16_t)name.n;
    enum rc rc = find_room(s, HEAD_BYTES + name.n, &offset);
    if (rc == RC_OK && (count + 1) * 4 > (t->mask + 1) * 3)
        rc = grow(s, t);
    if (rc)
        return rc;
    char *at = bytes_at(s, offset);
    memcpy(at, &hash, sizeof hash);
    memcpy(at + sizeof hash, &n, sizeof n);
    memcpy(at + HEAD_BYTES, name.p, name.n);
    s->end = offset + HEAD_BYTES + name.n;
    put_word(atomic_load_explicit(&s->table, memory_order_relaxed), hash, word_of(hash, offset));
    atomic_store_explicit(&s->count, count + 1, memory_order_relaxed);
    return RC_OK;
}

enum rc name_set_add(struct name_set *s, uint64_t hash, struct str name)
{
    assert(name.p);
    if (name.n > NAME_SET_MAX_BYTES)
        return RC_LIMIT;
    enum rc rc = RC_OK;
    pthread_mutex_lock(&s->adding);
    if (!name_set_has(s, hash, name))
        rc = name_set_count(s) < s->most ? add_new(s, hash, name) : RC_LIMIT;
    pthread_mutex_unlock(&s->adding);
    return rc;
}
