/* SPDX-License-Identifier: Apache-2.0 */
#include "frontier/bucket.h"

#include "base/mem.h"

enum { FIRST_HOST_SLOTS = 8 };

void bucket_done(struct bucket *b, uint64_t *bytes)
{
    for (uint32_t i = 0; i < b->host_slots; i++)
        if (b->hosts[i])
            host_close(b->hosts[i], bytes);
    *bytes -= b->host_slots * sizeof(void *) + seen_bytes(&b->seen);
    mem_free(b->hosts);
    seen_done(&b->seen);
    overlay_close(b->overlay, bytes);
    *b = (struct bucket){0};
}

/* The bucket took the upper bits; the lower ones tell its hosts apart. */
static uint32_t slot_of(const struct bucket *b, uint64_t host_hash)
{
    return (uint32_t)host_hash & (b->host_slots - 1);
}

struct host *bucket_host(const struct bucket *b, uint64_t host_hash, struct str name)
{
    if (!b->host_count)
        return NULL;
    for (uint32_t at = slot_of(b, host_hash); b->hosts[at]; at = (at + 1) & (b->host_slots - 1))
        if (b->hosts[at]->host_hash == host_hash && str_eq(host_name(b->hosts[at]), name))
            return b->hosts[at];
    return NULL;
}

static void put_host(struct bucket *b, struct host *h)
{
    uint32_t at = slot_of(b, h->host_hash);
    while (b->hosts[at])
        at = (at + 1) & (b->host_slots - 1);
    b->hosts[at] = h;
}

static bool grow(struct bucket *b, uint64_t *bytes)
{
    struct bucket bigger = *b;
    bigger.host_slots = b->host_slots ? b->host_slots * 2 : FIRST_HOST_SLOTS;
    bigger.hosts = mem_zero(bigger.host_slots, sizeof(void *));
    if (!bigger.hosts)
        return false;
    for (uint32_t i = 0; i < b->host_slots; i++)
        if (b->hosts[i])
            put_host(&bigger, b->hosts[i]);
    *bytes += (bigger.host_slots - b->host_slots) * sizeof(void *);
    mem_free(b->hosts);
    *b = bigger;
    return true;
}

struct host *bucket_add_host(struct bucket *b, uint64_t host_hash, struct str name, uint64_t *bytes)
{
    if (b->host_count >= b->host_slots / 4 * 3 && !grow(b, bytes))
        return NULL;
    struct host *h = host_open(host_hash, name, bytes);
    if (!h)
        return NULL;
    put_host(b, h);
    b->host_count++;
    return h;
}

void bucket_remove_host(struct bucket *b, struct host *h, uint64_t *bytes)
{
    uint32_t mask = b->host_slots - 1;
    uint32_t at = slot_of(b, h->host_hash);
    while (b->hosts[at] != h)
        at = (at + 1) & mask;
    b->hosts[at] = NULL;
    b->host_count--;
    host_close(h, bytes);
    /* Those behind it, up to the next free slot, are put again: none of them may stand behind a
     * gap that a search would stop at. */
    for (at = (at + 1) & mask; b->hosts[at]; at = (at + 1) & mask) {
        struct host *moved = b->hosts[at];
        b->hosts[at] = NULL;
        put_host(b, moved);
    }
}
