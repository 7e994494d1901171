/* SPDX-License-Identifier: Apache-2.0 */
/* clock/real: the kernel's clocks, which a flow has anyway; for wirings that say so. */
#include "base/clock.h"

#include "flow/part.h"

static void *real_provide(struct instance *self)
{
    (void)self;
    return clock_real();
}

const struct part part_clock_real = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "real",
    .help = "the clocks of the kernel",
    .where = PART_ON_ONE_SHARD,
    .provides = "clock",
    .provide = real_provide,
};
