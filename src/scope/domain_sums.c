/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/domain_sums.h"

#include "base/hash.h"
#include "base/int_map.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdbool.h>

enum { LOOK_AT = 4096 };

/* The value of a map whose key is a domain, or an agent and a domain. */
struct row {
    uint64_t pages, bytes;
    bool is_news;
};

struct domain_sums {
    pthread_mutex_t lock;  /* guards everything */
    struct int_map ours;   /* by domain */
    struct int_map heard;  /* by agent and domain */
    struct int_map others; /* by domain: all agents of `heard` together */
    size_t cursor;         /* in `ours`: the next domain to tell */
};

struct domain_sums *domain_sums_open(void)
{
    struct domain_sums *s = mem_zero(1, sizeof *s);
    if (!s)
        return NULL;
    s->ours = s->heard = s->others = INT_MAP(sizeof(struct row));
    (void)pthread_mutex_init(&s->lock, NULL);
    return s;
}

void domain_sums_close(struct domain_sums *s)
{
    if (!s)
        return;
    int_map_done(&s->ours);
    int_map_done(&s->heard);
    int_map_done(&s->others);
    (void)pthread_mutex_destroy(&s->lock);
    mem_free(s);
}

/* Rows ----------------------------------------------------------------------------------------- */

/* Its row, made if there is room; NULL: there is none. */
static struct row *need(struct int_map *m, uint64_t key)
{
    struct row *r = int_map_get(m, key);
    return r || m->count >= DOMAIN_SUMS_MAX ? r : int_map_need(m, key, NULL);
}

/* Telling and hearing -------------------------------------------------------------------------- */

void domain_sums_ours(struct domain_sums *s, const struct domain_sum *d)
{
    (void)pthread_mutex_lock(&s->lock);
    struct row *r = need(&s->ours, d->domain);
    if (r)
        *r = (struct row){d->pages, d->bytes, true};
    (void)pthread_mutex_unlock(&s->lock);
}

/* Those from the cursor on; `news`: that have changed since they were told. */
static size_t tell_some(struct domain_sums *s, struct domain_sum *ret, size_t most, bool news)
{
    size_t count = 0;
    for (size_t looked = 0; looked < s->ours.count && looked < LOOK_AT && count < most; looked++) {
        uint64_t domain;
        struct row *r = int_map_next(&s->ours, &s->cursor, &domain);
        if (!r) { /* round and round */
            s->cursor = 0;
            r = int_map_next(&s->ours, &s->cursor, &domain);
        }
        if (news && !r->is_news)
            continue;
        r->is_news = false;
        ret[count++] = (struct domain_sum){domain, r->pages, r->bytes};
    }
    return count;
}

size_t domain_sums_tell(struct domain_sums *s, struct domain_sum *ret, size_t most)
{
    (void)pthread_mutex_lock(&s->lock);
    size_t count = tell_some(s, ret, most, true);
    if (!count)
        count = tell_some(s, ret, most, false);
    (void)pthread_mutex_unlock(&s->lock);
    return count;
}

void domain_sums_heard(struct domain_sums *s, uint64_t agent, const struct domain_sum *d)
{
    (void)pthread_mutex_lock(&s->lock);
    struct row *sum = need(&s->others, d->domain);
    struct row *of = sum ? need(&s->heard, hash64_mix(agent) ^ d->domain) : NULL;
    if (of) { /* what comes and what goes: sums wrap around and back */
        sum->pages += d->pages - of->pages;
        sum->bytes += d->bytes - of->bytes;
        of->pages = d->pages;
        of->bytes = d->bytes;
    }
    (void)pthread_mutex_unlock(&s->lock);
}

void domain_sums_others(struct domain_sums *s, struct domain_sum *ret)
{
    (void)pthread_mutex_lock(&s->lock);
    const struct row *r = int_map_get(&s->others, ret->domain);
    ret->pages = r ? r->pages : 0;
    ret->bytes = r ? r->bytes : 0;
    (void)pthread_mutex_unlock(&s->lock);
}
