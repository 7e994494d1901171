/* SPDX-License-Identifier: Apache-2.0 */
/* pool options: what a wiring says of a place that is a pool: `crawlers: {pool: yes, dead: 30s}`. */
#ifndef FLOW_POOL_OPTIONS_H
#define FLOW_POOL_OPTIONS_H

#include "base/options.h"
#include "pool/timings.h"

struct pool_options {
    bool is_pool;
    struct pool_timings timings;
    uint64_t window;      /* messages that a lane may have open */
    uint64_t batch;       /* messages that are sent together, if they come soon enough */
    uint64_t batch_ms;    /* no message waits longer for others */
    uint64_t frame_bytes; /* of a message of a member */
};
extern const struct option pool_options[];

#endif
