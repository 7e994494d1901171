/* SPDX-License-Identifier: Apache-2.0 */
/* cluster/alone: one machine crawls, and everything is its own. */
#include "components/cluster.h"

static struct cluster_service alone = {.is_alone = true}; /* nobody writes to it */

static void *cluster_alone_provide(struct instance *self)
{
    (void)self;
    return &alone;
}

const struct part part_cluster_alone = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "alone",
    .help = "one machine crawls, and everything is its own",
    .where = PART_ON_ONE_SHARD,
    .provides = CLUSTER_INTERFACE,
    .is_of_one_place = true,
    .provide = cluster_alone_provide,
};
