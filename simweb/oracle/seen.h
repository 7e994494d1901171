/* SPDX-License-Identifier: Apache-2.0 */
/* seen: every place an oracle has met, eight bytes each, and how well it is known.
 *
 *   slots  [ . key . . key . key . ]     open addressing, power of two, at most 3/4 full
 *
 * A key is a place as one number of 61 bits, never 0; the three bits above it are what is known of
 * it. What is known only ever rises. Inside this folder only. */
#ifndef ORACLE_SEEN_H
#define ORACLE_SEEN_H

#include "world/place.h"

enum seen_state {
    SEEN_NOT,
    SEEN_NOFOLLOW, /* only by links that say nofollow */
    SEEN_DEEP,     /* by a link to follow, on a page too deep */
    SEEN_NEXT,     /* waits for the next level */
    SEEN_NOW,      /* has its turn in this level, or had it */
    SEEN_TOLD,     /* never to be fetched, and said so */
};

#define SEEN_MAX (UINT64_C(50) * 1000 * 1000)

/* One more than the kinds of place: what is below a sprinkled fault's mount, all of it together. */
enum { PLACE_MOUNT = PLACE_KINDS_ };

uint64_t place_key(struct place p);
struct place key_place(uint64_t key);

struct seen {
    uint64_t *slots;
    uint64_t slot_count;
    uint64_t count;
};

void seen_init(struct seen *s);
void seen_done(struct seen *s);

/* Raises what is known of a key to `state`, if that is more; *ret_before is what it was. RC_LIMIT
 * past SEEN_MAX. */
MUST_CHECK enum rc seen_raise(struct seen *s, uint64_t key, enum seen_state state,
                              enum seen_state *ret_before);
enum seen_state seen_get(const struct seen *s, uint64_t key);

/* A list of keys that grows; at most twice SEEN_MAX of them. */
struct keys {
    uint64_t *list;
    uint64_t count, room;
};
void keys_done(struct keys *k);
MUST_CHECK enum rc keys_add(struct keys *k, uint64_t key);

#endif
