/* SPDX-License-Identifier: Apache-2.0 */
/* inside: the frontier as its own files see it. */
#ifndef FRONTIER_INSIDE_H
#define FRONTIER_INSIDE_H

#include "frontier/bucket.h"

struct frontier {
    struct frontier_settings settings;
    unsigned shard, shards;
    struct bucket **buckets; /* FRONTIER_BUCKETS; NULL = empty, or another shard's */
    struct heap wake;        /* first.node of waiting hosts, by due_ms */
    struct heap ready[FRONTIER_CLASSES];
    uint64_t next_sequence;
    uint64_t image_sequence; /* all that came from images is below */
    struct frontier_counts counts;
};

/* The bucket, made if absent; NULL without memory. */
struct bucket *frontier_bucket_need(struct frontier *f, unsigned bucket);

/* Empties a bucket, its hosts being in no heap and none of them out. */
void frontier_bucket_drop(struct frontier *f, unsigned bucket);

/* Every heap gets room for one more host, so that moving hosts about cannot fail. */
MUST_CHECK enum rc frontier_heaps_reserve(struct frontier *f);

/* Takes a host that is not out from whatever heap it is in; it must then be put down again. */
void frontier_take_up(struct frontier *f, struct host *h);

/* Puts a host that is in no heap and not out where it belongs now. */
void frontier_settle_down(struct frontier *f, struct host *h, uint64_t now_ms);

#endif
