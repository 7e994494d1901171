/* SPDX-License-Identifier: Apache-2.0 */
#include "pool/lease.h"

void pool_lease_init(struct pool_lease *l)
{
    *l = (struct pool_lease){0};
}

void pool_lease_time(struct pool_lease *l, const struct pool_timings *t)
{
    l->timings = *t;
}

uint64_t pool_lease_send(struct pool_lease *l, uint64_t now_ms)
{
    l->last++;
    l->sent_ms[l->last % POOL_PINGS_OPEN] = now_ms;
    return l->last;
}

bool pool_lease_answer(struct pool_lease *l, uint64_t number)
{
    if (!number || number > l->last)
        return false;
    if (number <= l->answered || l->last - number >= POOL_PINGS_OPEN)
        return true;
    l->answered = number;
    l->good_ms = l->sent_ms[number % POOL_PINGS_OPEN];
    l->has_answer = true;
    return true;
}

void pool_lease_drop(struct pool_lease *l)
{
    l->has_answer = false;
}

enum pool_lease_state pool_lease_look(const struct pool_lease *l, uint64_t now_ms)
{
    if (!l->has_answer)
        return POOL_NO_LEASE;
    uint64_t age_ms = now_ms > l->good_ms ? now_ms - l->good_ms : 0;
    if (age_ms >= l->timings.abort_ms)
        return POOL_NO_LEASE;
    return age_ms >= l->timings.fence_ms ? POOL_FENCED : POOL_LEASE_GOOD;
}

uint64_t pool_lease_changes_ms(const struct pool_lease *l, uint64_t now_ms)
{
    switch (pool_lease_look(l, now_ms)) {
    case POOL_LEASE_GOOD:
        return l->good_ms + l->timings.fence_ms;
    case POOL_FENCED:
        return l->good_ms + l->timings.abort_ms;
    default:
        return UINT64_MAX;
    }
}
