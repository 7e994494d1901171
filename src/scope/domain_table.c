/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/domain_table.h"

#include "base/hash.h"
#include "base/mem.h"
#include "url/domain.h"

#include <pthread.h>

enum { STRIPE_BITS = 6, STRIPES = 1 << STRIPE_BITS, FIRST_BUCKETS = 16, MAX_NAME_BYTES = 1023 };

struct stripe {
    pthread_mutex_t lock; /* guards the rest, and all rows in it */
    struct domain **buckets;
    uint32_t bucket_count, count;
};

struct domain_table {
    uint64_t seed;
    struct stripe stripes[STRIPES];
};

struct domain_table *domain_table_open(uint64_t seed)
{
    struct domain_table *t = mem_zero(1, sizeof *t);
    if (!t)
        return NULL;
    t->seed = seed;
    for (unsigned i = 0; i < STRIPES; i++)
        pthread_mutex_init(&t->stripes[i].lock, NULL);
    return t;
}

static void stripe_done(struct stripe *s)
{
    for (uint32_t i = 0; i < s->bucket_count; i++) {
        while (s->buckets[i]) {
            struct domain *d = s->buckets[i];
            s->buckets[i] = d->next;
            mem_free(d);
        }
    }
    mem_free(s->buckets);
    pthread_mutex_destroy(&s->lock);
}

void domain_table_close(struct domain_table *t)
{
    if (!t)
        return;
    for (unsigned i = 0; i < STRIPES; i++)
        stripe_done(&t->stripes[i]);
    mem_free(t);
}

/* A row keeps the upper half of its hash: the stripe is its top bits, the bucket the ones below. */
static struct stripe *stripe_of(struct domain_table *t, uint32_t hash)
{
    return &t->stripes[hash >> (32 - STRIPE_BITS)];
}

static struct domain **bucket_of(struct stripe *s, uint32_t hash)
{
    return &s->buckets[hash & (s->bucket_count - 1)];
}

/* Without memory there are as few buckets as there were: slower, not wrong; unless there are none.
 */
static bool grow(struct stripe *s)
{
    uint32_t count = s->bucket_count ? s->bucket_count * 2 : FIRST_BUCKETS;
    struct stripe bigger = {.bucket_count = count,
                            .buckets = mem_zero(count, sizeof(struct domain *))};
    if (!bigger.buckets)
        return s->bucket_count > 0;
    for (uint32_t i = 0; i < s->bucket_count; i++) {
        while (s->buckets[i]) {
            struct domain *d = s->buckets[i], **at = bucket_of(&bigger, d->hash);
            s->buckets[i] = d->next;
            d->next = *at;
            *at = d;
        }
    }
    mem_free(s->buckets);
    s->buckets = bigger.buckets;
    s->bucket_count = count;
    return true;
}

static struct domain *find(struct stripe *s, uint32_t hash, struct str name)
{
    struct domain *d = s->bucket_count ? *bucket_of(s, hash) : NULL;
    while (d && !(d->hash == hash && str_eq(str_make(d->name, d->name_bytes), name)))
        d = d->next;
    return d;
}

static struct domain *make(struct stripe *s, uint32_t hash, struct str name)
{
    if (s->count >= DOMAIN_MOST_ROWS / STRIPES || (s->count >= s->bucket_count && !grow(s)))
        return NULL;
    struct domain *d = mem_zero(1, sizeof *d + name.n);
    if (!d)
        return NULL;
    d->hash = hash;
    d->name_bytes = (uint16_t)name.n;
    if (name.n)
        memcpy(d->name, name.p, name.n);
    struct domain **at = bucket_of(s, hash);
    d->next = *at;
    *at = d;
    s->count++;
    return d;
}

struct domain *domain_lock(struct domain_table *t, struct str name)
{
    name = str_first(name, MAX_NAME_BYTES);
    uint32_t hash = (uint32_t)(hash64_seeded(name, t->seed) >> 32);
    struct stripe *s = stripe_of(t, hash);
    pthread_mutex_lock(&s->lock);
    struct domain *d = find(s, hash, name);
    if (!d)
        d = make(s, hash, name);
    if (!d)
        pthread_mutex_unlock(&s->lock);
    return d;
}

void domain_unlock(struct domain_table *t, const struct domain *d)
{
    pthread_mutex_unlock(&stripe_of(t, d->hash)->lock);
}

void domain_add_linker(struct domain *d, struct str name)
{
    uint32_t hash = (uint32_t)hash64(name);
    for (uint8_t i = 0; i < d->linker_count; i++)
        if (d->linkers[i] == hash)
            return;
    if (d->linker_count < DOMAIN_LINKERS)
        d->linkers[d->linker_count++] = hash;
}

struct str domain_of_host(struct str host)
{
    struct str domain = url_domain(host);
    if (domain.p)
        return domain;
    return host.n > 1 && host.p[host.n - 1] == '.' ? str_first(host, host.n - 1) : host;
}
