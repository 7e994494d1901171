/* SPDX-License-Identifier: Apache-2.0 */
/* digests: the result of each seed of a simulation when its file was written. A change that is not
 * meant to change the protocol shows with them that it does not.
 *
 *     SEED OUTCOME MESSAGES     32 bits each, in hex
 *
 * OUTCOME covers every number that `simulate cluster --seeds SEED` prints, MESSAGES the subject and
 * the bytes of every message that the streams took, in order; in pool_digests.txt the same of
 * `simulate pool`, and of the frames that arrived. Neither covers the words that the command
 * prints. $ORB_DIGESTS=FILE writes the digests of the seeds that run to FILE. */
#ifndef TESTS_SIMULATE_DIGESTS_H
#define TESTS_SIMULATE_DIGESTS_H

#include "simulate/pool_runs.h"
#include "simulate/runs.h"

#include <stdio.h>

enum { DIGESTS_SEEDS = 2000 };

struct digest {
    uint32_t outcome, messages;
};

struct digests {
    const char *path;
    struct digest *rows; /* of seeds 1 to DIGESTS_SEEDS */
    FILE *out;           /* NULL: compare */
    uint64_t differ;
};

/* `path` of tests/. Fails the test if that file does not have every seed once. */
void digests_open(struct digests *d, const char *path);
/* The callbacks `seen` of struct runs_settings and struct pool_runs_settings. Seeds that the file
 * does not have are skipped. */
void digests_seen(void *ctx, uint64_t seed, const struct world_report *r);
void digests_seen_pool(void *ctx, uint64_t seed, const struct pool_world_report *r);
/* Returns how many seeds differed; the first ones are named. */
uint64_t digests_close(struct digests *d);

#endif
