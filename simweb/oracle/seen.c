/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/seen.h"

#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>

/* From the lowest bit: kind, number in the page, page, host; above them the state. The parts of a
 * sitemap, more than a page has images, are counted where the page would stand. */
enum { KIND_BITS = 4, NTH_BITS = 6, PAGE_BITS = 24, HOST_BITS = 27, KEY_BITS = 61 };
#define KEY_MASK ((UINT64_C(1) << KEY_BITS) - 1)

_Static_assert(KIND_BITS + NTH_BITS + PAGE_BITS + HOST_BITS == KEY_BITS, "a key is 61 bits");
_Static_assert(WORLD_MAX_HOSTS <= 1 << HOST_BITS, "a host fits");
_Static_assert(WORLD_MAX_PAGES <= 1 << PAGE_BITS, "a page fits");
_Static_assert(WORLD_MAX_IMAGES <= 1 << NTH_BITS, "an image fits");
_Static_assert(PLACE_MOUNT < 1 << KIND_BITS, "a kind fits");

uint64_t place_key(struct place p)
{
    uint64_t page = p.kind == PLACE_SITEMAP ? p.nth : p.page;
    uint64_t nth = p.kind == PLACE_SITEMAP ? 0 : p.nth;
    return (uint64_t)p.host << (KIND_BITS + NTH_BITS + PAGE_BITS) | page << (KIND_BITS + NTH_BITS) |
           nth << KIND_BITS | (uint64_t)p.kind;
}

static uint32_t bits_of(uint64_t key, unsigned from, unsigned count)
{
    return (uint32_t)(key >> from & ((UINT64_C(1) << count) - 1));
}

struct place key_place(uint64_t key)
{
    struct place p = {
        .kind = (enum place_kind)bits_of(key, 0, KIND_BITS),
        .nth = bits_of(key, KIND_BITS, NTH_BITS),
        .page = bits_of(key, KIND_BITS + NTH_BITS, PAGE_BITS),
        .host = bits_of(key, KIND_BITS + NTH_BITS + PAGE_BITS, HOST_BITS),
    };
    if (p.kind == PLACE_SITEMAP) {
        p.nth = p.page;
        p.page = 0;
    }
    return p;
}

void seen_init(struct seen *s)
{
    *s = (struct seen){0};
}

void seen_done(struct seen *s)
{
    mem_free(s->slots);
    *s = (struct seen){0};
}

/* Where the key is, or the free slot where it belongs. */
static uint64_t slot_of(const uint64_t *slots, uint64_t slot_count, uint64_t key)
{
    uint64_t at = hash64_mix(key) & (slot_count - 1);
    while (slots[at] && (slots[at] & KEY_MASK) != key)
        at = (at + 1) & (slot_count - 1);
    return at;
}

static enum rc seen_grow(struct seen *s)
{
    enum { FIRST_SLOTS = 1024 };
    uint64_t slot_count = s->slot_count ? 2 * s->slot_count : FIRST_SLOTS;
    uint64_t *slots = mem_zero(slot_count, sizeof *slots);
    if (!slots)
        return RC_NOMEM;
    for (uint64_t i = 0; i < s->slot_count; i++)
        if (s->slots[i])
            slots[slot_of(slots, slot_count, s->slots[i] & KEY_MASK)] = s->slots[i];
    mem_free(s->slots);
    s->slots = slots;
    s->slot_count = slot_count;
    return RC_OK;
}

enum rc seen_raise(struct seen *s, uint64_t key, enum seen_state state, enum seen_state *ret_before)
{
    assert(key && key <= KEY_MASK);
    if (4 * (s->count + 1) > 3 * s->slot_count) {
        enum rc rc = s->count < SEEN_MAX ? seen_grow(s) : RC_LIMIT;
        if (rc)
            return rc;
    }
    uint64_t *slot = &s->slots[slot_of(s->slots, s->slot_count, key)];
    enum seen_state before = (enum seen_state)(*slot >> KEY_BITS);
    if (before == SEEN_NOT && s->count++ >= SEEN_MAX)
        return RC_LIMIT;
    if (before < state)
        *slot = key | (uint64_t)state << KEY_BITS;
    *ret_before = before;
    return RC_OK;
}

enum seen_state seen_get(const struct seen *s, uint64_t key)
{
    if (!s->slots)
        return SEEN_NOT;
    return (enum seen_state)(s->slots[slot_of(s->slots, s->slot_count, key)] >> KEY_BITS);
}

void keys_done(struct keys *k)
{
    mem_free(k->list);
    *k = (struct keys){0};
}

enum rc keys_add(struct keys *k, uint64_t key)
{
    enum { FIRST_ROOM = 256 };
    if (k->count == k->room) {
        uint64_t room = k->room ? 2 * k->room : FIRST_ROOM;
        if (k->count >= 2 * SEEN_MAX)
            return RC_LIMIT;
        uint64_t *list = mem_resize(k->list, room * sizeof *list);
        if (!list)
            return RC_NOMEM;
        k->list = list;
        k->room = room;
    }
    k->list[k->count++] = key;
    return RC_OK;
}
