/* SPDX-License-Identifier: Apache-2.0 */
#include "discovery/page_names.h"

#include "base/mem.h"

#include <pthread.h>

enum { STRIPES = 64, SLOTS = 1024, URL_BYTES = 2048 };

struct page {
    uint64_t fingerprint;
    uint32_t bytes, room;
    char *url;
};

struct stripe {
    pthread_mutex_t lock; /* guards pages */
    struct page pages[SLOTS];
};

struct page_names {
    struct stripe stripes[STRIPES];
};

struct page_names *page_names_open(void)
{
    struct page_names *r = mem_zero(1, sizeof *r);
    for (size_t i = 0; r && i < STRIPES; i++)
        pthread_mutex_init(&r->stripes[i].lock, NULL);
    return r;
}

void page_names_close(struct page_names *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < STRIPES; i++) {
        for (size_t slot = 0; slot < SLOTS; slot++)
            mem_free(r->stripes[i].pages[slot].url);
        pthread_mutex_destroy(&r->stripes[i].lock);
    }
    mem_free(r);
}

static struct stripe *stripe_of(struct page_names *r, uint64_t fingerprint)
{
    return &r->stripes[fingerprint % STRIPES];
}

static struct page *page_of(struct stripe *s, uint64_t fingerprint)
{
    return &s->pages[fingerprint / STRIPES % SLOTS];
}

static bool make_room(struct page *p, size_t bytes)
{
    if (bytes <= p->room)
        return true;
    char *url = mem_resize(p->url, bytes);
    if (!url)
        return false;
    p->url = url;
    p->room = (uint32_t)bytes;
    return true;
}

void page_names_put(struct page_names *r, uint64_t fingerprint, struct str url)
{
    if (url.n > URL_BYTES)
        return;
    struct stripe *s = stripe_of(r, fingerprint);
    pthread_mutex_lock(&s->lock);
    struct page *p = page_of(s, fingerprint);
    if (make_room(p, url.n)) {
        memcpy(p->url, url.p, url.n);
        p->bytes = (uint32_t)url.n;
        p->fingerprint = fingerprint;
    }
    pthread_mutex_unlock(&s->lock);
}

struct str page_names_get(struct page_names *r, uint64_t fingerprint, struct arena *arena)
{
    struct stripe *s = stripe_of(r, fingerprint);
    struct str found = STR_NONE;
    pthread_mutex_lock(&s->lock);
    const struct page *p = page_of(s, fingerprint);
    if (p->url && p->fingerprint == fingerprint)
        found = arena_dup(arena, str_make(p->url, p->bytes));
    pthread_mutex_unlock(&s->lock);
    return found;
}
