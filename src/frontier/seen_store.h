/* SPDX-License-Identifier: Apache-2.0 */
/* seen_store: keeps fingerprints of known URLs outside of the buckets, in a database or a filter.
 * A frontier without one keeps every fingerprint in its bucket.
 *
 *   known = young ∪ (store − gone)
 *
 * With a store a bucket keeps only the young fingerprints, which the store does not have yet, and
 * the gone ones, which the store may have and which are not known any more. Its snapshot has both.
 * The store may get them only when a snapshot that lists them counts: what the journal brings after
 * that snapshot is admitted again by a replay, and a store that knew it would have it refused, with
 * nothing in the queue. So the owner of frontier and store, for each snapshot:
 *
 *   frontier_store_list    with each bucket's snapshot: what the store is to get
 *   (the snapshot counts, and then the store gets it, durably)
 *   frontier_store_took    the buckets drop it
 *
 * A crash at any point leaves fingerprints in both at most, which changes nothing. A bucket that is
 * swapped out takes its young and gone ones along, and lists them when it is back.
 *
 * Eras: all buckets that are new get the frontier's era, and a store answers for one era only. To
 * forget everything the owner empties the buckets and begins the next era. */
#ifndef FRONTIER_SEEN_STORE_H
#define FRONTIER_SEEN_STORE_H

#include "frontier/frontier.h"

struct seen_store {
    /* Whether it has a fingerprint of that era. On any shard's thread. On failure that cannot be
     * told, and the admission fails with the same. */
    enum rc (*has)(void *ctx, uint32_t era, uint64_t fingerprint, bool *ret);
    void *ctx;
    bool only_grows; /* nothing can be taken out of it: buckets keep the gone ones */
    size_t recent;   /* fingerprints that each frontier remembers as stored, to ask less often: a
                        power of two, or 0 */
};

uint32_t frontier_era(const struct frontier *f);
void frontier_set_era(struct frontier *f, uint32_t era);

/* Appends to `out` the fingerprints that the store is to get from a bucket in memory, whose
 * snapshot is part of that generation. Without memory it appends nothing, which is right as
 * well. */
void frontier_store_list(struct frontier *f, unsigned bucket, uint64_t generation, struct buf *out);

/* The store has everything that was listed for snapshots up to that generation. Buckets drop it, a
 * few of them in each call. True: there is more to drop. */
bool frontier_store_took(struct frontier *f, uint64_t generation);

/* A list as it stands in the bytes: takes the first off their front. False: there is none. */
struct seen_store_list {
    uint32_t era;
    uint32_t added, removed;
    const char *fingerprints; /* `added` of them, then `removed`, 8 bytes each, little endian */
};
bool seen_store_next(struct str *lists, struct seen_store_list *ret);

#endif
