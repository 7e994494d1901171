/* SPDX-License-Identifier: Apache-2.0 */
/* bloom: a set of fingerprints that takes a few bits for each, and at times takes a new one for one
 * that it has.
 *
 *   filter   block block …         a fingerprint belongs to one block of 64 bytes (a cache line)
 *   block    8 words of 64 bits    and sets `hashes` of its 512 bits
 *
 * What was added is always found. What was not added is found by mistake with a probability, the
 * loss, that grows with the number of fingerprints: the filter is made so large that the loss stays
 * below what was asked for until `expected` fingerprints are in it. Nothing can be taken out.
 *
 * One thread at a time adds; any number of others may ask meanwhile. */
#ifndef STORE_BLOOM_H
#define STORE_BLOOM_H

#include "base/buf.h"

struct bloom;

#define BLOOM_LEAST_LOSS 1e-9
#define BLOOM_MOST_LOSS 0.1
enum { BLOOM_BLOCK_BYTES = 64 };

/* How a filter is laid out: bytes of it that were kept are good for the same layout only. */
struct bloom_shape {
    uint64_t blocks;
    unsigned hashes;
};
/* `loss` from BLOOM_LEAST_LOSS to BLOOM_MOST_LOSS. */
struct bloom_shape bloom_shape(uint64_t expected, double loss);

/* An empty filter; NULL without memory, or if the shape makes no sense. */
struct bloom *bloom_open(struct bloom_shape s);
struct bloom_shape bloom_shape_of(const struct bloom *b);
void bloom_close(struct bloom *b);

bool bloom_has(const struct bloom *b, uint64_t fingerprint);
void bloom_add(struct bloom *b, uint64_t fingerprint);
void bloom_clear(struct bloom *b);

uint64_t bloom_count(const struct bloom *b); /* of fingerprints that were added and not there */
uint64_t bloom_bytes(const struct bloom *b); /* of memory; a multiple of BLOOM_BLOCK_BYTES */

/* The probability that the next new fingerprint is taken for a known one; and how many of those
 * that have come so far were, as the mean of all possible crawls. */
double bloom_loss(const struct bloom *b);
double bloom_lost(const struct bloom *b);

/* A piece of the filter as bytes (little endian words), and back: `at` and the piece's length are
 * multiples of BLOOM_BLOCK_BYTES. A filter is whole when all pieces and the count are in.
 * RC_CORRUPT: the piece reaches past the end. */
void bloom_write(const struct bloom *b, uint64_t at, size_t bytes, struct buf *out);
MUST_CHECK enum rc bloom_read(struct bloom *b, uint64_t at, struct str bytes);
void bloom_set_count(struct bloom *b, uint64_t count);

#endif
