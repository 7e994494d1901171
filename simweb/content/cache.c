/* SPDX-License-Identifier: Apache-2.0 */
#include "content/cache.h"

#include "base/mem.h"

enum { BUCKETS = 8192 };

struct entry {
    struct entry *next_in_bucket;
    struct entry *newer, *older;
    uint64_t key;
    size_t n;
    char body[];
};

struct cache {
    size_t max_bytes, bytes;
    struct entry *newest, *oldest;
    struct entry *buckets[BUCKETS];
};

struct cache *cache_open(size_t max_bytes)
{
    struct cache *c = mem_zero(1, sizeof *c);
    if (c)
        c->max_bytes = max_bytes;
    return c;
}

void cache_close(struct cache *c)
{
    while (c && c->newest) {
        struct entry *e = c->newest;
        c->newest = e->older;
        mem_free(e);
    }
    mem_free(c);
}

static void list_remove(struct cache *c, struct entry *e)
{
    *(e->newer ? &e->newer->older : &c->newest) = e->older;
    *(e->older ? &e->older->newer : &c->oldest) = e->newer;
}

static void list_put_first(struct cache *c, struct entry *e)
{
    e->newer = NULL;
    e->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = e;
    c->newest = e;
}

struct str cache_get(struct cache *c, uint64_t key)
{
    for (struct entry *e = c->buckets[key % BUCKETS]; e; e = e->next_in_bucket)
        if (e->key == key) {
            list_remove(c, e);
            list_put_first(c, e);
            return str_make(e->body, e->n);
        }
    return STR_NONE;
}

static void drop_oldest(struct cache *c)
{
    struct entry *e = c->oldest;
    struct entry **at = &c->buckets[e->key % BUCKETS];
    while (*at != e)
        at = &(*at)->next_in_bucket;
    *at = e->next_in_bucket;
    list_remove(c, e);
    c->bytes -= sizeof *e + e->n;
    mem_free(e);
}

void cache_put(struct cache *c, uint64_t key, struct str body)
{
    size_t bytes = sizeof(struct entry) + body.n;
    if (bytes > c->max_bytes / 4)
        return;
    while (c->bytes + bytes > c->max_bytes)
        drop_oldest(c);
    struct entry *e = mem_alloc(bytes);
    if (!e)
        return;
    e->key = key;
    e->n = body.n;
    if (body.n)
        memcpy(e->body, body.p, body.n);
    e->next_in_bucket = c->buckets[key % BUCKETS];
    c->buckets[key % BUCKETS] = e;
    c->bytes += bytes;
    list_put_first(c, e);
}
