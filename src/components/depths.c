/* SPDX-License-Identifier: Apache-2.0 */
#include "components/depths.h"

#include "base/hash.h"
#include "base/mem.h"

enum { FIRST_SLOTS = 1024, MAX_DEPTH = 255 };

struct depth_slot {
    uint64_t fingerprint;
    char *better;  /* hops of a way that is shorter than the one it will be asked for by */
    uint8_t depth; /* of the shortest */
    bool is_used, is_done;
    bool is_again; /* it was done, and is to be asked for again */
};

struct depths {
    struct depth_slot *slots; /* open addressing */
    uint32_t slot_count;      /* a power of two */
    uint32_t count, max;
    bool keeps_ways;
    struct depth_slot last; /* whose hops were handed out */
};

struct depths *depths_open(uint32_t max_urls, bool keeps_ways)
{
    struct depths *d = mem_zero(1, sizeof *d);
    if (!d)
        return NULL;
    d->max = max_urls;
    d->keeps_ways = keeps_ways;
    d->slot_count = FIRST_SLOTS;
    d->slots = mem_zero(d->slot_count, sizeof *d->slots);
    if (d->slots)
        return d;
    mem_free(d);
    return NULL;
}

void depths_close(struct depths *d)
{
    if (!d)
        return;
    for (uint32_t i = 0; i < d->slot_count; i++)
        mem_free(d->slots[i].better);
    mem_free(d->slots);
    mem_free(d->last.better);
    mem_free(d);
}

static struct depth_slot *find(struct depth_slot *slots, uint32_t slot_count, uint64_t fingerprint)
{
    uint32_t at = (uint32_t)fingerprint & (slot_count - 1);
    while (slots[at].is_used && slots[at].fingerprint != fingerprint)
        at = (at + 1) & (slot_count - 1);
    return &slots[at];
}

static bool grow(struct depths *d)
{
    uint32_t more = d->slot_count * 2;
    struct depth_slot *slots = mem_zero(more, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t i = 0; i < d->slot_count; i++)
        if (d->slots[i].is_used)
            *find(slots, more, d->slots[i].fingerprint) = d->slots[i];
    mem_free(d->slots);
    d->slots = slots;
    d->slot_count = more;
    return true;
}

static uint8_t bounded(unsigned depth)
{
    return (uint8_t)(depth < MAX_DEPTH ? depth : MAX_DEPTH);
}

/* Its slot, made if there is room; NULL: there is none. */
static struct depth_slot *need(struct depths *d, uint64_t fingerprint, unsigned depth)
{
    struct depth_slot *s = find(d->slots, d->slot_count, fingerprint);
    if (s->is_used)
        return s;
    if (d->count >= d->max || (d->count >= d->slot_count / 4 * 3 && !grow(d)))
        return NULL;
    s = find(d->slots, d->slot_count, fingerprint);
    *s = (struct depth_slot){.fingerprint = fingerprint, .depth = bounded(depth), .is_used = true};
    d->count++;
    return s;
}

static void keep_hops(struct depth_slot *s, struct str hops)
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
    uint32_t count = d->count;
    struct depth_slot *s = need(d, fingerprint, depth);
    if (s && d->count > count && d->keeps_ways)
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
    const struct depth_slot *s = find(d->slots, d->slot_count, fingerprint);
    return s->is_used ? s->depth <= bounded(depth) : d->count >= d->max;
}

struct str depths_way(const struct depths *d, uint64_t fingerprint, struct str hops)
{
    const struct depth_slot *s = find(d->slots, d->slot_count, fingerprint);
    return s->is_used && !s->is_done && s->better ? str_c(s->better) : hops;
}

bool depths_done(struct depths *d, uint64_t fingerprint, unsigned depth, struct str *ret_hops)
{
    struct depth_slot *s = need(d, fingerprint, depth);
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
    struct depth_slot *s = need(d, fingerprint, depth);
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
    *s = (struct depth_slot){
        .fingerprint = fingerprint, .depth = bounded(depth), .is_used = true, .is_done = true};
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
    struct depth_slot *s = need(d, fingerprint, MAX_DEPTH);
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
    const struct depth_slot *s = find(d->slots, d->slot_count, fingerprint);
    return s->is_used && s->is_again && s->depth < bounded(depth);
}

void depths_far(struct depths *d, uint64_t fingerprint)
{
    struct depth_slot *s = find(d->slots, d->slot_count, fingerprint);
    if (s->is_used && s->is_done)
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
    struct depth_slot *s = find(d->slots, d->slot_count, fingerprint);
    if (!s->is_used || s->is_done || !s->better)
        return false;
    s->is_done = true;
    mem_free(d->last.better);
    d->last = *s;
    s->better = NULL;
    *ret_hops = str_c(d->last.better);
    return true;
}
