/* SPDX-License-Identifier: Apache-2.0 */
#include "net/dns_cache.h"

#include "base/hash.h"
#include "base/list.h"
#include "base/mem.h"

#include <assert.h>

enum { FIRST_BUCKETS = 64 };

struct entry {
    struct entry *in_bucket; /* the next there */
    struct list_node use;
    uint64_t hash;
    uint64_t until_ms;
    uint8_t outcome;
    uint8_t address_count;
    uint8_t name_bytes;
    struct address addresses[]; /* the name stands behind them */
};

struct dns_cache {
    struct entry **buckets; /* a power of two of them, about as many as entries */
    uint64_t bucket_count;
    uint64_t seed;
    uint64_t most;
    uint32_t count;
    struct list uses; /* the latest first */
};

static struct entry *entry_of(struct list_node *use)
{
    return LIST_OF(use, struct entry, use);
}

struct dns_cache *dns_cache_open(uint64_t most_names, uint64_t seed)
{
    struct dns_cache *c = mem_zero(1, sizeof *c);
    struct entry **buckets = c ? mem_zero(FIRST_BUCKETS, sizeof(struct entry *)) : NULL;
    if (!buckets) {
        mem_free(c);
        return NULL;
    }
    *c = (struct dns_cache){.buckets = buckets, .bucket_count = FIRST_BUCKETS, .seed = seed};
    c->most = most_names < UINT32_MAX ? most_names : UINT32_MAX;
    return c;
}

void dns_cache_close(struct dns_cache *c)
{
    if (!c)
        return;
    for (struct list_node *n = c->uses.first, *next; n; n = next) {
        next = n->next;
        mem_free(entry_of(n));
    }
    mem_free(c->buckets);
    mem_free(c);
}

static struct str entry_name(const struct entry *e)
{
    return str_make((const char *)(e->addresses + e->address_count), e->name_bytes);
}

static struct entry **entry_link(struct dns_cache *c, uint64_t hash, struct str name)
{
    struct entry **at = &c->buckets[hash & (c->bucket_count - 1)];
    while (*at && !((*at)->hash == hash && str_eq(entry_name(*at), name)))
        at = &(*at)->in_bucket;
    return at;
}

static struct entry **find_entry(struct dns_cache *c, const struct dns_name *name)
{
    return entry_link(c, hash64_seeded(dns_name_str(name), c->seed), dns_name_str(name));
}

static void forget(struct dns_cache *c, struct entry **at)
{
    struct entry *e = *at;
    assert(e);
    *at = e->in_bucket;
    list_remove(&c->uses, &e->use);
    c->count--;
    mem_free(e);
}

bool dns_cache_get(struct dns_cache *c, const struct dns_name *name, uint64_t now_ms,
                   struct dns_result *ret)
{
    struct entry **at = find_entry(c, name), *e = *at;
    if (!e)
        return false;
    if (e->until_ms <= now_ms) {
        forget(c, at);
        return false;
    }
    list_remove(&c->uses, &e->use);
    list_add_first(&c->uses, &e->use);
    ret->outcome = (enum dns_outcome)e->outcome;
    ret->until_ms = e->until_ms;
    ret->count = e->address_count;
    memcpy(ret->addresses, e->addresses, e->address_count * sizeof *e->addresses);
    return true;
}

/* Without memory the buckets stay as few as they are: slower, not wrong. */
static void grow_table(struct dns_cache *c)
{
    uint64_t count = c->bucket_count * 2;
    struct entry **buckets = mem_zero(count, sizeof(struct entry *));
    if (!buckets)
        return;
    for (struct list_node *n = c->uses.first; n; n = n->next) {
        struct entry *e = entry_of(n);
        struct entry **at = &buckets[e->hash & (count - 1)];
        e->in_bucket = *at;
        *at = e;
    }
    mem_free(c->buckets);
    c->buckets = buckets;
    c->bucket_count = count;
}

static struct entry *entry_open(struct str name, uint64_t hash, const struct dns_result *r)
{
    size_t addresses = r->count * sizeof *r->addresses;
    struct entry *e = mem_zero(1, sizeof *e + addresses + name.n);
    if (!e)
        return NULL;
    e->hash = hash;
    e->until_ms = r->until_ms;
    e->outcome = (uint8_t)r->outcome;
    e->address_count = (uint8_t)r->count;
    e->name_bytes = (uint8_t)name.n;
    memcpy(e->addresses, r->addresses, addresses);
    memcpy(e->addresses + r->count, name.p, name.n);
    return e;
}

enum rc dns_cache_put(struct dns_cache *c, const struct dns_name *name,
                      const struct dns_result *result)
{
    dns_cache_drop(c, name);
    if (c->most == 0)
        return RC_OK;
    uint64_t hash = hash64_seeded(dns_name_str(name), c->seed);
    struct entry *e = entry_open(dns_name_str(name), hash, result);
    if (!e)
        return RC_NOMEM;
    if (c->count >= c->most) {
        const struct entry *oldest = entry_of(c->uses.last);
        forget(c, entry_link(c, oldest->hash, entry_name(oldest)));
    }
    if (c->count >= c->bucket_count)
        grow_table(c);
    struct entry **at = &c->buckets[hash & (c->bucket_count - 1)];
    e->in_bucket = *at;
    *at = e;
    list_add_first(&c->uses, &e->use);
    c->count++;
    return RC_OK;
}

void dns_cache_drop(struct dns_cache *c, const struct dns_name *name)
{
    struct entry **at = find_entry(c, name);
    if (*at)
        forget(c, at);
}

uint32_t dns_cache_count(const struct dns_cache *c)
{
    return c->count;
}
