/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/domain_sums.h"

#include "base/hash.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdbool.h>

enum { FIRST_ROWS = 256, LOOK_AT = 4096 };

struct row {
    struct domain_sum is; /* `domain` is the table's key */
    bool is_used, is_news;
};
struct table {
    struct row *rows; /* open addressing */
    size_t room;      /* a power of two */
    size_t count;
};

struct domain_sums {
    pthread_mutex_t lock; /* guards everything */
    struct table ours;    /* by domain */
    struct table heard;   /* by agent and domain */
    struct table others;  /* by domain: all agents of `heard` together */
    size_t cursor;        /* in `ours`: who is told next */
};

struct domain_sums *domain_sums_open(void)
{
    struct domain_sums *s = mem_zero(1, sizeof *s);
    if (s)
        (void)pthread_mutex_init(&s->lock, NULL);
    return s;
}

void domain_sums_close(struct domain_sums *s)
{
    if (!s)
        return;
    mem_free(s->ours.rows);
    mem_free(s->heard.rows);
    mem_free(s->others.rows);
    (void)pthread_mutex_destroy(&s->lock);
    mem_free(s);
}

/* Rows ----------------------------------------------------------------------------------------- */

static struct row *find(const struct table *t, uint64_t key)
{
    size_t at = (size_t)hash64_mix(key) & (t->room - 1);
    while (t->rows[at].is_used && t->rows[at].is.domain != key)
        at = (at + 1) & (t->room - 1);
    return &t->rows[at];
}

static bool grow(struct table *t)
{
    struct table more = {.room = t->room ? t->room * 2 : FIRST_ROWS, .count = t->count};
    more.rows = mem_zero(more.room, sizeof *more.rows);
    if (!more.rows)
        return false;
    for (size_t i = 0; i < t->room; i++)
        if (t->rows[i].is_used)
            *find(&more, t->rows[i].is.domain) = t->rows[i];
    mem_free(t->rows);
    *t = more;
    return true;
}

/* Its row, made if there is room; NULL: there is none. */
static struct row *need(struct table *t, uint64_t key)
{
    struct row *r = t->room ? find(t, key) : NULL;
    if (r && r->is_used)
        return r;
    bool is_tight = !t->room || t->count >= t->room / 4 * 3;
    if (t->count >= DOMAIN_SUMS_MAX || (is_tight && !grow(t)))
        return NULL;
    r = find(t, key);
    *r = (struct row){.is = {.domain = key}, .is_used = true};
    t->count++;
    return r;
}

/* Telling and hearing -------------------------------------------------------------------------- */

void domain_sums_ours(struct domain_sums *s, const struct domain_sum *d)
{
    (void)pthread_mutex_lock(&s->lock);
    struct row *r = need(&s->ours, d->domain);
    if (r) {
        r->is = *d;
        r->is_news = true;
    }
    (void)pthread_mutex_unlock(&s->lock);
}

/* Those from the cursor on; `news`: that have changed since they were told. */
static size_t tell_some(struct domain_sums *s, struct domain_sum *ret, size_t most, bool news)
{
    struct table *t = &s->ours;
    size_t count = 0;
    for (size_t i = 0; i < t->room && i < LOOK_AT && count < most; i++) {
        struct row *r = &t->rows[s->cursor++ & (t->room - 1)];
        if (!r->is_used || (news && !r->is_news))
            continue;
        r->is_news = false;
        ret[count++] = r->is;
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

void domain_sums_heard(struct domain_sums *s, uint64_t who, const struct domain_sum *d)
{
    (void)pthread_mutex_lock(&s->lock);
    struct row *sum = need(&s->others, d->domain);
    struct row *of = sum ? need(&s->heard, hash64_mix(who) ^ d->domain) : NULL;
    if (of) { /* what comes and what goes: sums wrap around and back */
        sum->is.pages += d->pages - of->is.pages;
        sum->is.bytes += d->bytes - of->is.bytes;
        of->is.pages = d->pages;
        of->is.bytes = d->bytes;
    }
    (void)pthread_mutex_unlock(&s->lock);
}

void domain_sums_others(struct domain_sums *s, struct domain_sum *ret)
{
    (void)pthread_mutex_lock(&s->lock);
    const struct row *r = s->others.room ? find(&s->others, ret->domain) : NULL;
    ret->pages = r && r->is_used ? r->is.pages : 0;
    ret->bytes = r && r->is_used ? r->is.bytes : 0;
    (void)pthread_mutex_unlock(&s->lock);
}
