/* SPDX-License-Identifier: Apache-2.0 */
/* sink/here: archive files stay in the crawl's directory. */
#include "roles/sink.h"

#include "flow/part.h"

static struct sink_service here; /* constant */

static void *sink_here_provide(struct instance *self)
{
    (void)self;
    return &here;
}

const struct part part_sink_here = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "here",
    .help = "archive files stay in the crawl's directory",
    .where = PART_ON_ONE_SHARD,
    .provides = SINK_INTERFACE,
    .provide = sink_here_provide,
};
