/* SPDX-License-Identifier: Apache-2.0 */
/* founding_timings: when an agent counts as silent, fenced or dead; options of `cluster streams`
 * and `cluster up`. The roster's first entry holds them for all agents, so they count the first
 * time only. */
#ifndef PROVISION_TIMINGS_H
#define PROVISION_TIMINGS_H

#include "base/options.h"

struct founding_timings {
    uint64_t heartbeat_ms, renew_ms, suspect_ms, fence_ms, abort_ms, dead_ms;
};

#define TIMING_ROW_(t, f, key, usual, ...) \
    OPTION_DURATION_ROW(t, f, key, usual, __VA_ARGS__, .min = 1, .max = 86400000)
/* Rows for a struct t with a member `timings`. */
#define TIMING_ROWS(t)                                                        \
    TIMING_ROW_(t, timings.heartbeat_ms, "heartbeat", "1s",                   \
                "time between two heartbeats of an agent", .former = "beat"), \
        TIMING_ROW_(t, timings.renew_ms, "renew", "5s",                       \
                    "time between two lease renewals in the roster"),         \
        TIMING_ROW_(t, timings.suspect_ms, "suspect", "6s",                   \
                    "suspect an agent after this long without a heartbeat"),  \
        TIMING_ROW_(t, timings.fence_ms, "fence", "45s",                      \
                    "stop fetching after this long without a lease renewal"), \
        TIMING_ROW_(t, timings.abort_ms, "abort", "55s",                      \
                    "break off open requests after this long without one"),   \
        TIMING_ROW_(t, timings.dead_ms, "dead", "60s",                        \
                    "declare an agent dead after this long without one")

#endif
