/* SPDX-License-Identifier: Apache-2.0 */
/* post_timings: when somebody counts as silent, fenced or dead, as `cluster streams` and `cluster
 * up` take them. They are the roster's first entry and hold for all agents, so they count the first
 * time only. */
#ifndef CLI_POST_TIMINGS_H
#define CLI_POST_TIMINGS_H

#include "base/options.h"

struct post_timings {
    uint64_t beat_ms, renew_ms, suspect_ms, fence_ms, abort_ms, dead_ms;
};

#define POST_TIMING_ROW_(t, f, key, usual, help) \
    OPTION_DURATION_ROW(t, f, key, usual, help, .min = 1, .max = 86400000)
/* Rows for a struct t with a member `timings`. */
#define POST_TIMING_ROWS(t)                                                \
    POST_TIMING_ROW_(t, timings.beat_ms, "beat", "1s",                     \
                     "agents tell each other of themselves so often"),     \
        POST_TIMING_ROW_(t, timings.renew_ms, "renew", "5s",               \
                         "and write into the roster so often"),            \
        POST_TIMING_ROW_(t, timings.suspect_ms, "suspect", "6s",           \
                         "who is not heard so long is looked at"),         \
        POST_TIMING_ROW_(t, timings.fence_ms, "fence", "45s",              \
                         "who cannot write so long asks nobody any more"), \
        POST_TIMING_ROW_(t, timings.abort_ms, "abort", "55s",              \
                         "and so long: breaks off what is open"),          \
        POST_TIMING_ROW_(t, timings.dead_ms, "dead", "60s",                \
                         "who has not written so long may be declared dead")

#endif
