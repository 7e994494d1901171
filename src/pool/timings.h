/* SPDX-License-Identifier: Apache-2.0 */
/* timings: when a member of a pool must stop asking, and when its manager may have others ask.
 *
 *   the member, from sending its last ping that was answered:
 *       0 ─── ping ─── ping ─── fence: starts nothing ─── abort: breaks off what is open
 *   the manager, from receiving that ping, which is later:
 *          0 ──────────────────────────────────────────────────── dead: its tickets are void
 *
 * Both count on a clock that goes on while a machine sleeps. `abort` stands so far before `dead`
 * that clocks of different speed do not turn the order round. */
#ifndef POOL_TIMINGS_H
#define POOL_TIMINGS_H

#include "base/rc.h"

#include <stdint.h>

struct buf;

struct pool_timings {
    uint64_t ping_ms;
    uint64_t fence_ms;
    uint64_t abort_ms;
    uint64_t dead_ms;
    uint64_t visit_ms; /* a ticket that is open for longer ends its member's lease */
};

enum { POOL_MOST_MS = 24 * 3600 * 1000 };

/* 0 < 2 ping <= fence, fence < abort, abort <= 9/10 dead, dead < visit <= POOL_MOST_MS. RC_INVALID:
 * `why`, which may be NULL, names the first that does not hold, with both values. */
MUST_CHECK enum rc pool_timings_check(const struct pool_timings *t, struct buf *why);

/* How long a manager has a host asked by no member after its own start: members that it has not
 * seen may still have a lease of the manager before. */
uint64_t pool_timings_quiet_ms(const struct pool_timings *t, uint64_t delay_ms);

#endif
