/* SPDX-License-Identifier: Apache-2.0 */
#include "witness/texts.h"

#include "base/bytes.h"
#include "base/mem.h"

/* Large enough for any text with its length, small enough not to matter in a small test. */
enum { CHUNK_BYTES = 128 * 1024, LENGTH_BYTES = 2 };

struct texts_chunk {
    struct texts_chunk *next;
    uint32_t used;
    char bytes[CHUNK_BYTES];
};

void texts_init(struct texts *t, uint64_t max_bytes)
{
    *t = (struct texts){.max_bytes = max_bytes};
}

void texts_done(struct texts *t)
{
    while (t->first) {
        struct texts_chunk *next = t->first->next;
        mem_free(t->first);
        t->first = next;
    }
    texts_init(t, t->max_bytes);
}

static struct texts_chunk *chunk_with_room(struct texts *t, size_t bytes)
{
    if (t->last && CHUNK_BYTES - t->last->used >= bytes)
        return t->last;
    if (t->bytes + sizeof(struct texts_chunk) > t->max_bytes)
        return NULL;
    struct texts_chunk *c = mem_alloc(sizeof *c);
    if (!c)
        return NULL;
    c->next = NULL;
    c->used = 0;
    if (t->last)
        t->last->next = c;
    else
        t->first = c;
    t->last = c;
    t->bytes += sizeof *c;
    return c;
}

struct str texts_add(struct texts *t, struct str s)
{
    s = str_first(s, TEXTS_MAX_BYTES);
    struct texts_chunk *c = chunk_with_room(t, LENGTH_BYTES + s.n);
    if (!c)
        return STR_NONE;
    char *to = c->bytes + c->used;
    put_le16(to, (uint16_t)s.n);
    if (s.n)
        memcpy(to + LENGTH_BYTES, s.p, s.n);
    c->used += (uint32_t)(LENGTH_BYTES + s.n);
    t->count++;
    return str_make(to + LENGTH_BYTES, s.n);
}

bool texts_next(const struct texts *t, struct texts_walk *walk, struct str *ret)
{
    if (!walk->chunk)
        walk->chunk = t->first;
    while (walk->chunk && walk->at >= walk->chunk->used && walk->chunk->next)
        *walk = (struct texts_walk){.chunk = walk->chunk->next};
    if (!walk->chunk || walk->at >= walk->chunk->used)
        return false;
    const char *from = walk->chunk->bytes + walk->at;
    *ret = str_make(from + LENGTH_BYTES, get_le16(from));
    walk->at += (uint32_t)(LENGTH_BYTES + ret->n);
    return true;
}
