/* SPDX-License-Identifier: Apache-2.0 */
/* bucket: everything of the hosts whose host_hashes begin with the same 12 bits. */
#ifndef FRONTIER_BUCKET_H
#define FRONTIER_BUCKET_H

#include "frontier/host.h"
#include "frontier/overlay.h"
#include "frontier/seen.h"

struct bucket {
    struct seen_set seen;    /* what it knows; with an overlay, of that the young */
    struct overlay *overlay; /* NULL without a store (frontier/seen_store.h) */
    struct host **hosts;     /* open addressing by host_hash, NULL = free */
    uint32_t host_slots;     /* a power of two */
    uint32_t host_count;
    /* For the choice of what is swapped out (frontier/swap.h): */
    uint32_t out;      /* of its hosts */
    uint64_t queued;   /* of all its hosts */
    uint64_t bytes;    /* memory */
    uint64_t since_ms; /* it is resident */
    bool is_wanted;    /* it was loaded because a caller asked for it, who has a second to come */
    bool is_leaving;   /* its hosts are in no heap: none is checked out any more */
    bool is_fresh;     /* it was loaded with a host ready, and nothing of it was checked out yet */
    bool is_stuck;     /* it has no snapshot that fits: it is never swapped out */
};

/* Frees all it holds, not itself. */
void bucket_done(struct bucket *b, uint64_t *bytes);

/* The host of that name, or NULL. Two names may have one host_hash. */
struct host *bucket_host(const struct bucket *b, uint64_t host_hash, struct str name);

/* A new one, which is not there yet; NULL without memory. */
struct host *bucket_add_host(struct bucket *b, uint64_t host_hash, struct str name,
                             uint64_t *bytes);

/* Takes one out that is in no heap, and frees it. */
void bucket_remove_host(struct bucket *b, struct host *h, uint64_t *bytes);

#endif
