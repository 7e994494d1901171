/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/pool_options.h"

#include "net/link.h"
#include "pool/lanes.h"

#define ROW(kind, field, ...) OPTION_##kind##_ROW(struct pool_options, field, __VA_ARGS__)
const struct option pool_options[] = {
    ROW(BOOL, is_pool, "pool", "no", "any number of processes, which dial the manager"),
    ROW(DURATION, timings.ping_ms, "ping", "2s", "time between two pings of a member", .min = 10),
    ROW(DURATION, timings.fence_ms, "fence", "8s",
        "without an answer to a ping for so long a member begins no request"),
    ROW(DURATION, timings.abort_ms, "abort", "10s", "and then breaks off its open ones"),
    ROW(DURATION, timings.dead_ms, "dead", "15s",
        "without a ping for so long others get what the member had"),
    ROW(DURATION, timings.visit_ms, "visit", "30m",
        "a member that needs longer for one message is dropped", .max = POOL_MOST_MS),
    ROW(COUNT, window, "window", "64",
        "messages that each pair of a shard of the manager and of a member has under way", .min = 1,
        .max = POOL_MAX_WINDOW),
    ROW(COUNT, batch, "batch", "1", "messages that are sent together", .min = 1,
        .max = POOL_MAX_WINDOW),
    ROW(DURATION, batch_ms, "batch-wait", "10ms", "no message waits longer for others"),
    ROW(SIZE, frame_bytes, "frame-size", "256M", "most bytes of a message", .min = 1 << 16,
        .max = LINK_MAX_FRAME_BYTES),
    {0},
};
#undef ROW
