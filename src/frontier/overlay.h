/* SPDX-License-Identifier: Apache-2.0 */
/* overlay: what a bucket adds to a store of fingerprints (frontier/seen_store.h). The young ones
 * are the bucket's seen set. A bucket has an overlay exactly if its frontier has a store. */
#ifndef FRONTIER_OVERLAY_H
#define FRONTIER_OVERLAY_H

#include "frontier/seen.h"

struct bucket;
struct frontier;

struct overlay {
    struct seen_set gone;
    uint64_t known; /* URLs of the bucket, in the store too */
    uint32_t era;
    uint32_t added, removed; /* in `listed`, in this order */
    uint64_t *listed;        /* for the snapshot `generation`, 0 = for none */
    uint64_t generation;
};

/* NULL without memory. Memory is added to and taken from *bytes. */
struct overlay *overlay_open(uint32_t era, uint64_t *bytes);
void overlay_close(struct overlay *o, uint64_t *bytes);

/* Whether the store has a fingerprint that the bucket's seen set has not. */
MUST_CHECK enum rc overlay_has(const struct frontier *f, const struct bucket *b,
                               uint64_t fingerprint, bool *ret);

/* All of these also work on buckets without an overlay. Whether a bucket knows a fingerprint. */
MUST_CHECK enum rc bucket_knows(const struct frontier *f, const struct bucket *b,
                                uint64_t fingerprint, bool *ret);
uint64_t bucket_known(const struct bucket *b); /* how many it knows */
bool bucket_is_empty(const struct bucket *b);  /* no host, and nothing that it knows or masks */
/* A fingerprint that was unknown has been put into the bucket's seen set. */
void bucket_learnt(struct frontier *f, struct bucket *b, uint64_t fingerprint);
/* Makes a fingerprint unknown. RC_NOMEM: nothing has happened. */
MUST_CHECK enum rc bucket_unknow(struct frontier *f, struct bucket *b, uint64_t fingerprint);

#endif
