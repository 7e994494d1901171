/* SPDX-License-Identifier: Apache-2.0 */
/* sim_clock: the time that the simulated web has: started anywhere, at any speed, moved at will,
 * from WORLD_EPOCH_MS, before which its pages are not yet published, to the last moment that a date
 * in HTTP can name; there it stands. */
#ifndef SERVE_SIM_CLOCK_H
#define SERVE_SIM_CLOCK_H

#include "world/version.h"

#define SIM_CLOCK_FIRST_MS WORLD_EPOCH_MS
#define SIM_CLOCK_LAST_MS UINT64_C(253402300799999)

struct sim_clock {
    uint64_t wall_ms; /* the time it showed … */
    uint64_t at_us;   /* … at that monotonic moment */
    double speed;
};

/* `start_ms` 0 starts with the machine's own time. */
void sim_clock_init(struct sim_clock *c, uint64_t start_ms, double speed, uint64_t now_us);

uint64_t sim_clock_wall_ms(const struct sim_clock *c, uint64_t now_us);

/* Turns it on, or to a moment (back, too); further than it goes is as far as it goes. */
void sim_clock_advance(struct sim_clock *c, uint64_t now_us, uint64_t by_ms);
void sim_clock_set(struct sim_clock *c, uint64_t now_us, uint64_t wall_ms);

/* Whether it shows what the machine's clock shows, well within BACKOFF_SLACK_MS. */
bool sim_clock_is_true(const struct sim_clock *c, uint64_t now_us);

/* "2026-11-16T10:00:00Z", with or without milliseconds, time or 'Z'; or plain milliseconds since
 * 1970. RC_INVALID. */
MUST_CHECK enum rc moment_read(struct str text, uint64_t *ret_wall_ms);

#endif
