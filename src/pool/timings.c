/* SPDX-License-Identifier: Apache-2.0 */
#include "pool/timings.h"

#include "base/buf.h"

enum { TENTHS = 10, ABORT_TENTHS = 9 };

/* Without a product that could be too large. */
static uint64_t latest_abort(uint64_t dead_ms)
{
    return dead_ms / TENTHS * ABORT_TENTHS + dead_ms % TENTHS * ABORT_TENTHS / TENTHS;
}

static enum rc refuse(struct buf *why, const char *wanted, uint64_t first_ms, uint64_t second_ms)
{
    if (why)
        buf_printf(why, "%s: %llu ms, %llu ms", wanted, (unsigned long long)first_ms,
                   (unsigned long long)second_ms);
    return RC_INVALID;
}

enum rc pool_timings_check(const struct pool_timings *t, struct buf *why)
{
    if (!t->ping_ms || t->ping_ms > t->fence_ms / 2)
        return refuse(why, "ping must be at least 1 ms, and at most half of fence", t->ping_ms,
                      t->fence_ms);
    if (t->fence_ms >= t->abort_ms)
        return refuse(why, "fence must come before abort", t->fence_ms, t->abort_ms);
    if (t->abort_ms > latest_abort(t->dead_ms))
        return refuse(why, "abort must be at most nine tenths of dead", t->abort_ms, t->dead_ms);
    if (t->dead_ms >= t->visit_ms)
        return refuse(why, "dead must be shorter than visit", t->dead_ms, t->visit_ms);
    if (t->visit_ms > POOL_MOST_MS)
        return refuse(why, "visit must be at most a day", t->visit_ms, POOL_MOST_MS);
    return RC_OK;
}

uint64_t pool_timings_quiet_ms(const struct pool_timings *t, uint64_t delay_ms)
{
    return t->dead_ms + delay_ms;
}
