/* SPDX-License-Identifier: Apache-2.0 */
#include "components/depths.h"

#include "base/hash.h"
#include "base/int_map.h"
#include "base/mem.h"

enum { MAX_DEPTH = 255 };

struct depth {
    char *better;  /* hops of a way that is shorter than the one it will be asked for by */
    uint8_t depth; /* of the shortest */
    bool is_done;
    bool is_again; /* it was done, and is to be asked for again */
};

struct depths {
    struct int_map urls; /* by fingerprint: struct depth */
    uint32_t max;
    bool keeps_ways;
    struct depth last; /* whose hops were handed out */
};

struct depths *depths_open(uint32_t max_urls, bool keeps_ways)
{
    struct depths *d = mem_zero(1, sizeof *d);
    if (!d)
        return NULL;
    d->max = max_urls;
    d->keeps_ways = keeps_ways;
    d->urls = INT_MAP(sizeof(struct depth));
    return d;
}

void depths_close(struct depths *d)
{
    if (!d)
        return;
    size_t at = 0;
    uint64_t fingerprint;
    for (struct depth *s; (s = int_map_next(&d->urls, &at, &fingerprint));)
        mem_free(s->better);
    int_map_done(&d->urls);
    mem_free(d->last.better);
    mem_free(d);
}

static uint8_t bounded(unsigned depth)
{
    return (uint8_t)(depth < MAX_DEPTH ? depth : MAX_DEPTH);
}

/* What is known of it, made if there is room; NULL: there is none. */
static struct depth *need(struct depths *d, uint64_t fingerprint, unsigned depth)
{
    struct depth *s = int_map_get(&d->urls, fingerprint);
    if (s || d->urls.count >= d->max)
        return s;
    s = int_map_need(&d->urls, fingerprint, NULL);
    if (s)
        s->depth = bounded(depth);
    return s;
}

static void keep_hops(struct depth *s, struct str hops)
{
    char *copy = mem_alloc(hops.n + 1);
    if (!copy) /* the shorter way is forgotten: no more is lost than without this table */
        return;
    if (hops.n)
        memcpy(copy, hops.p, hops.n);
    copy[hops.n] = 0;
    mem_free(s->better);
    s->better = copy;
}

enum nearer depths_found(struct depths *d, uint64_t fingerprint, unsigned depth, struct str hops)
{
    size_t count = d->urls.count;
    struct depth *s = need(d, fingerprint, depth);
    if (s && d->urls.count > count && d->keeps_ways)
        keep_hops(s, hops);
    if (!s || bounded(depth) >= s->depth)
        return NEARER_NOT;
    s->depth = bounded(depth);
    if (s->is_done)
        return NEARER_DONE;
    keep_hops(s, hops);
    return NEARER_WAITING;
}

void depths_waits(struct depths *d, uint64_t fingerprint)
{
    (void)need(d, fingerprint, MAX_DEPTH);
}

bool depths_knows(const struct depths *d, uint64_t fingerprint, unsigned depth)
{
    const struct depth *s = int_map_get(&d->urls, fingerprint);
    return s ? s->depth <= bounded(depth) : d->urls.count >= d->max;
}

struct str depths_way(const struct depths *d, uint64_t fingerprint, struct str hops)
{
    const struct depth *s = int_map_get(&d->urls, fingerprint);
    return s && !s->is_done && s->better ? str_c(s->better) : hops;
}

bool depths_done(struct depths *d, uint64_t fingerprint, unsigned depth, struct str *ret_hops)
{
    struct depth *s = need(d, fingerprint, depth);
    if (!s)
        return false;
    s->is_done = true;
    s->is_again = false;
    mem_free(d->last.better);
    d->last = *s;
    s->better = NULL;
    if (s->depth > bounded(depth))
        s->depth = bounded(depth);
    *ret_hops = str_c(d->last.better ? d->last.better : "");
    return d->last.better && d->last.depth < bounded(depth);
}

bool depths_told(struct depths *d, uint64_t fingerprint, unsigned depth, struct str *ret_hops)
{
    struct depth *s = need(d, fingerprint, depth);
    *ret_hops = STR("");
    if (!s)
        return false;
    if (s->is_done) {
        s->depth = s->depth < bounded(depth) ? s->depth : bounded(depth);
        return false;
    }
    bool is_nearer = s->better && s->depth < bounded(depth);
    mem_free(d->last.better);
    d->last = *s;
    *s = (struct depth){.depth = bounded(depth), .is_done = true};
    if (is_nearer)
        *ret_hops = str_c(d->last.better);
    return is_nearer;
}

bool depths_is_done(struct depths *d, uint64_t fingerprint, struct str *ret_hops)
{
    return depths_told(d, fingerprint, MAX_DEPTH, ret_hops);
}

void depths_again(struct depths *d, uint64_t fingerprint)
{
    struct depth *s = need(d, fingerprint, MAX_DEPTH);
    if (!s)
        return;
    s->is_again = true;
    if (!s->is_done)
        return;
    s->is_done = false;
    s->depth = MAX_DEPTH;
}

bool depths_waits_again(const struct depths *d, uint64_t fingerprint, unsigned depth)
{
    const struct depth *s = int_map_get(&d->urls, fingerprint);
    return s && s->is_again && s->depth < bounded(depth);
}

void depths_far(struct depths *d, uint64_t fingerprint)
{
    struct depth *s = int_map_get(&d->urls, fingerprint);
    if (s && s->is_done)
        s->depth = MAX_DEPTH;
}

uint64_t depths_note(uint64_t fingerprint)
{
    return hash64_mix(fingerprint ^ UINT64_C(0x6e6561726572));
}

uint64_t depths_origin(uint64_t position, bool is_https, uint16_t port)
{
    return hash64_mix(position ^ hash64_mix(((uint64_t)port << 1 | is_https) + 1));
}

bool depths_take(struct depths *d, uint64_t fingerprint, struct str *ret_hops)
{
    struct depth *s = int_map_get(&d->urls, fingerprint);
    if (!s || s->is_done || !s->better)
        return false;
    s->is_done = true;
    mem_free(d->last.better);
    d->last = *s;
    s->better = NULL;
    *ret_hops = str_c(d->last.better);
    return true;
}
