/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/protocol/view.h"

#include "base/hash.h"
#include "cluster/protocol/agent_internal.h"

enum { SAMPLE = 8192 }; /* hosts; 2 to 3 ms */

const struct roster_agent *agent_view_owner(const struct agent *a, uint64_t host_hash)
{
    return agent_owner(a, host_hash);
}

static const struct peer *peer_of(const struct agent *a, const struct roster_agent *r)
{
    for (size_t i = 0; i < a->peers.count; i++)
        if (a->peers.list[i].inc == r->inc && strcmp(a->peers.list[i].name, r->name) == 0)
            return &a->peers.list[i];
    return NULL;
}

static struct view_member member_of(const struct agent *a, const struct roster_agent *r,
                                    uint64_t now_ms)
{
    struct view_member m = {.is = r};
    const struct peer *p = peer_of(a, r);
    bool is_living = r->state == ROSTER_LIVING || r->state == ROSTER_LEAVING;
    m.is_me = r->inc == a->inc && strcmp(r->name, a->name) == 0;
    if (!p || m.is_me)
        return m;
    m.is_heard = p->is_heard;
    m.silent_ms = now_ms > p->heard_ms ? now_ms - p->heard_ms : 0;
    m.is_suspect = is_living && m.silent_ms >= roster_timings(a->roster).suspect_ms;
    m.epoch = p->last.epoch;
    m.pages = p->last.pages;
    return m;
}

static void sample_shares(const struct agent *a, struct view_member *list, size_t count)
{
    for (uint64_t i = 0; i < SAMPLE; i++) {
        const struct roster_agent *owner = agent_owner(a, hash64_mix(i + 1));
        for (size_t k = 0; owner && k < count; k++)
            if (list[k].is == owner) {
                list[k].share += 1.0 / SAMPLE;
                break;
            }
    }
}

size_t agent_view(const struct agent *a, uint64_t now_ms, struct view_member *ret, size_t most)
{
    size_t count = roster_count(a->roster);
    if (count > most)
        count = most;
    for (size_t i = 0; i < count; i++)
        ret[i] = member_of(a, roster_at(a->roster, i), now_ms);
    sample_shares(a, ret, count);
    return count;
}
