/* SPDX-License-Identifier: Apache-2.0 */
/* int_set: 64-bit numbers, each at most once.
 *
 *     struct int_set s = {0};
 *     rc = int_set_add(&s, fingerprint, &is_new);
 *     int_set_done(&s);
 *
 *   slots  [ . 17 . . 4 9 . ]      open addressing, a power of two, at most 3/4 full, 8 bytes each
 *
 * Any number may be a key; 0 marks a free slot, so the key 0 is a bit of its own. Keys are mixed,
 * so counters and addresses are as good as hashes. A zeroed set is empty. The frontier has a set of
 * its own (frontier/seen.h), which grows by less and is nearly in order. */
#ifndef BASE_INT_SET_H
#define BASE_INT_SET_H

#include "base/hash.h"
#include "base/rc.h"

struct int_set {
    uint64_t *slots;   /* 0 = free */
    size_t slot_count; /* in use for now; a power of two, or 0 */
    size_t room;       /* slots that are allocated */
    size_t count;
    bool has_zero;
};

void int_set_done(struct int_set *s);

/* Empties it, with room for `count` keys. It takes what memory it had: a set that is emptied again
 * and again allocates only for its largest use, and clears only what the next use needs. RC_NOMEM
 * leaves it as it was. */
MUST_CHECK enum rc int_set_begin(struct int_set *s, size_t count);

/* RC_NOMEM leaves it as it was. */
MUST_CHECK enum rc int_set_add(struct int_set *s, uint64_t key, bool *ret_is_new);

/* Where the key is, or the free slot where it belongs; not for 0. The set has slots. */
static inline uint64_t *int_set_slot(const struct int_set *s, uint64_t key)
{
    size_t mask = s->slot_count - 1, at = (size_t)hash64_mix(key) & mask;
    while (s->slots[at] && s->slots[at] != key)
        at = (at + 1) & mask;
    return &s->slots[at];
}

static inline bool int_set_has(const struct int_set *s, uint64_t key)
{
    if (!key)
        return s->has_zero;
    return s->slot_count && *int_set_slot(s, key) != 0;
}

/* Room was made with int_set_begin(). False: it was there. */
static inline bool int_set_put(struct int_set *s, uint64_t key)
{
    uint64_t *slot = key ? int_set_slot(s, key) : NULL;
    if (slot ? *slot != 0 : s->has_zero)
        return false;
    if (slot)
        *slot = key;
    else
        s->has_zero = true;
    s->count++;
    return true;
}

#endif
