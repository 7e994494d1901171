/* SPDX-License-Identifier: Apache-2.0 */
#include "frontier/seen.h"

#include "base/mem.h"

enum { FIRST_SLOTS = 16 };

void seen_done(struct seen_set *s)
{
    mem_free(s->slots);
    mem_free(s->links);
    *s = (struct seen_set){.counts_links = s->counts_links};
}

/* Where the key is, or the free slot where it would go. The set has slots, one of them free. */
static uint64_t *find(const struct seen_set *s, uint64_t key)
{
    uint32_t at = seen_slot(s, key);
    while (s->slots[at] && s->slots[at] != key)
        at = at + 1 == s->slot_count ? 0 : at + 1;
    return &s->slots[at];
}

bool seen_has(const struct seen_set *s, uint64_t fingerprint)
{
    return s->count && *find(s, seen_key(fingerprint)) != 0;
}

/* Three quarters may be taken. */
static uint64_t room_of(uint64_t slots)
{
    return slots / 4 * 3;
}

static uint64_t slots_for(uint64_t needed, uint64_t first)
{
    uint64_t wanted = first;
    while (room_of(wanted) < needed)
        wanted += wanted / 2;
    return wanted;
}

/* All that `from` has is in `to`. */
static void copy_links(const struct seen_set *from, struct seen_set *to)
{
    for (uint32_t i = 0; i < from->slot_count; i++)
        if (from->slots[i])
            to->links[find(to, from->slots[i]) - to->slots] = from->links[i];
}

static enum rc resize(struct seen_set *s, uint64_t slots)
{
    if (slots > UINT32_MAX / 2)
        return RC_LIMIT;
    struct seen_set other = {
        .slot_count = (uint32_t)slots, .count = s->count, .counts_links = s->counts_links};
    other.slots = mem_zero(other.slot_count, sizeof *other.slots);
    other.links = s->counts_links ? mem_zero(other.slot_count, 1) : NULL;
    if (!other.slots || (s->counts_links && !other.links)) {
        seen_done(&other);
        return RC_NOMEM;
    }
    for (uint32_t i = 0; i < s->slot_count; i++)
        if (s->slots[i])
            *find(&other, s->slots[i]) = s->slots[i];
    if (s->links)
        copy_links(s, &other);
    mem_free(s->slots);
    mem_free(s->links);
    *s = other;
    return RC_OK;
}

static enum rc grow(struct seen_set *s, uint64_t needed)
{
    return resize(s, slots_for(needed, s->slot_count ? s->slot_count : FIRST_SLOTS));
}

void seen_fit(struct seen_set *s)
{
    uint64_t wanted = slots_for(s->count, FIRST_SLOTS);
    if (!s->count)
        seen_done(s);
    else if (wanted <= s->slot_count / 2)
        (void)!resize(s, wanted);
}

enum rc seen_reserve(struct seen_set *s, uint32_t more)
{
    uint64_t needed = (uint64_t)s->count + more;
    return needed <= room_of(s->slot_count) ? RC_OK : grow(s, needed);
}

void seen_put(struct seen_set *s, uint64_t fingerprint)
{
    uint64_t key = seen_key(fingerprint);
    uint64_t *slot = find(s, key);
    s->count += *slot == 0;
    *slot = key;
}

uint8_t seen_links(const struct seen_set *s, uint64_t fingerprint)
{
    if (!s->count || !s->links)
        return 0;
    const uint64_t *slot = find(s, seen_key(fingerprint));
    return *slot ? s->links[slot - s->slots] : 0;
}

void seen_add_links(struct seen_set *s, uint64_t fingerprint, unsigned pages)
{
    const uint64_t *slot = s->count && s->links ? find(s, seen_key(fingerprint)) : NULL;
    if (!slot || !*slot)
        return;
    uint8_t *links = &s->links[slot - s->slots];
    *links = (uint8_t)(pages < (unsigned)(UINT8_MAX - *links) ? *links + pages : UINT8_MAX);
}

/* Whether a key whose search begins at `home` may stand at `to` instead of `from`: only if `to` is
 * not before its home. All three on a circle; from `to` to `from` no slot is free. */
static bool may_move(uint32_t home, uint32_t to, uint32_t from)
{
    return to <= from ? home <= to || home > from : home <= to && home > from;
}

bool seen_remove(struct seen_set *s, uint64_t fingerprint)
{
    if (!s->count)
        return false;
    uint64_t *slot = find(s, seen_key(fingerprint));
    if (!*slot)
        return false;
    uint32_t hole = (uint32_t)(slot - s->slots);
    uint32_t at = hole;
    for (;;) {
        at = at + 1 == s->slot_count ? 0 : at + 1;
        if (!s->slots[at])
            break;
        if (may_move(seen_slot(s, s->slots[at]), hole, at)) {
            s->slots[hole] = s->slots[at];
            if (s->links)
                s->links[hole] = s->links[at];
            hole = at;
        }
    }
    s->slots[hole] = 0;
    if (s->links)
        s->links[hole] = 0;
    s->count--;
    return true;
}

size_t seen_bytes(const struct seen_set *s)
{
    return s->slot_count * (sizeof *s->slots + (s->links ? sizeof *s->links : 0));
}
