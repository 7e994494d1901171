/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot: one bucket as bytes, and back.
 *
 *   "OWBUCKET" version bucket hosts fingerprints             the head
 *   known era gone fingerprint …                             of version 2: `gone` fingerprints
 *   name origins due extra, then for each class its URLs     a host, `hosts` times
 *   fingerprint …                                            8 bytes each
 *   pages …                                                  of version 3: a byte each
 *   hash                                                     of everything before
 *
 * The URL that is out stands at the head of its queue, so a snapshot taken at any moment has it.
 * Moments are written as wall clock, since the flow's clock begins anew with each process; read
 * back, one further away than `most_wait_ms` is cut to that, so that a clock that jumped freezes
 * no host. Integers are little endian or varints. */
#ifndef FRONTIER_SNAPSHOT_H
#define FRONTIER_SNAPSHOT_H

#include "frontier/frontier.h"

enum {
    SNAPSHOT_VERSION = 1,
    SNAPSHOT_VERSION_STORE = 2, /* with what a bucket adds to a store (frontier/seen_store.h) */
    SNAPSHOT_VERSION_LINKS = 3, /* with the number of pages that link to each URL */
    SNAPSHOT_MAX_EXTRA_BYTES = 1 << 20
};

/* Both clocks at one moment, and what others keep on a host (host_extra). */
struct snapshot_context {
    uint64_t now_ms, wall_ms;
    uint64_t most_wait_ms;
    void (*write_extra)(void *ctx, const struct host *h, struct buf *out); /* NULL: nothing */
    /* NULL: passed over. *ret_bytes: memory that it takes now. */
    enum rc (*read_extra)(void *ctx, struct host *h, struct str bytes, size_t *ret_bytes);
    /* A host that is read back is asked no earlier than this; NULL: at its own moment. */
    uint64_t (*not_before)(void *ctx, const struct host *h);
    void *ctx;
};

/* Appends the snapshot of a bucket; an empty bucket has one too. Failures stick in `out`. */
void snapshot_write(const struct frontier *f, unsigned bucket, const struct snapshot_context *c,
                    struct buf *out);

/* Whether there is nothing in the bucket that a snapshot could keep. */
bool snapshot_is_empty(const struct frontier *f, unsigned bucket);

/* The bucket that a snapshot says it is of; FRONTIER_BUCKETS or more: it is none. */
unsigned snapshot_bucket(struct str bytes);

/* The same moment, for each clock; those that have passed are 0. */
uint64_t snapshot_wall_ms(const struct snapshot_context *c, uint64_t due_ms);
uint64_t snapshot_due_ms(const struct snapshot_context *c, uint64_t wall_ms);

/* Fills the bucket that the snapshot is of, which must be empty here. RC_CORRUPT: it is no whole
 * snapshot, or not of this shard; RC_VERSION; RC_EXISTS; RC_NOMEM; RC_UNSUPPORTED: it was made with
 * a store of fingerprints, and the frontier has none. On failure the bucket is empty again. */
MUST_CHECK enum rc snapshot_read(struct frontier *f, struct str bytes,
                                 const struct snapshot_context *c);

#endif
