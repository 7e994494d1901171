/* SPDX-License-Identifier: Apache-2.0 */
/* seen: the fingerprints of one bucket: which URLs are known.
 *
 * Open addressing, placed by the fingerprint's upper half, so the table is nearly in order of size;
 * it grows by half when three quarters are full, which keeps it at 11 to 16 bytes a fingerprint.
 * A zeroed set is empty.
 *
 * A set may count, in a byte beside each fingerprint, how many pages link to it; 255 stands for
 * that many or more. */
#ifndef FRONTIER_SEEN_H
#define FRONTIER_SEEN_H

#include "base/rc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seen_set {
    uint64_t *slots; /* 0 = free */
    uint32_t slot_count;
    uint32_t count;
    bool counts_links; /* set before the first fingerprint */
    uint8_t *links;    /* one a slot; NULL: they are not counted, or there are no slots */
};

void seen_done(struct seen_set *s);

bool seen_has(const struct seen_set *s, uint64_t fingerprint);

/* Makes room for `more` fingerprints. A caller that puts many in order of size reserves for all of
 * them first: in a table that is still small they would pile up at its end, and each would walk the
 * pile. RC_NOMEM leaves the set as it was, RC_LIMIT at 2^31. */
MUST_CHECK enum rc seen_reserve(struct seen_set *s, uint32_t more);

/* Puts in what is not there yet; room was reserved. */
void seen_put(struct seen_set *s, uint64_t fingerprint);

/* Takes one out, and says whether it was there. What follows it in the table moves up, so that
 * nothing is left behind that a search would have to pass over. */
bool seen_remove(struct seen_set *s, uint64_t fingerprint);

/* Of a set that counts links: how many pages link to a fingerprint (of one that is not there, 0),
 * and some more of them. */
uint8_t seen_links(const struct seen_set *s, uint64_t fingerprint);
void seen_add_links(struct seen_set *s, uint64_t fingerprint, unsigned pages);

size_t seen_bytes(const struct seen_set *s);

/* Gives back most of the memory that the set does not need any more; without memory for the smaller
 * table, none. */
void seen_fit(struct seen_set *s);

/* 0 stands for a free slot, so the fingerprint 0 is kept as 1: a chance of 2^-64 to be wrong. */
static inline uint64_t seen_key(uint64_t fingerprint)
{
    return fingerprint ? fingerprint : 1;
}

static inline uint32_t seen_slot(const struct seen_set *s, uint64_t key)
{
    return (uint32_t)((key >> 32) * s->slot_count >> 32);
}

/* Brings the slot's line near, for a lookup soon. */
static inline void seen_prefetch(const struct seen_set *s, uint64_t fingerprint)
{
    if (s->slot_count)
        __builtin_prefetch(&s->slots[seen_slot(s, seen_key(fingerprint))]);
}

#endif
