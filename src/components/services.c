/* SPDX-License-Identifier: Apache-2.0 */
#include "components/services.h"

#include "base/clock.h"

uint64_t ledger_service_elapsed_ms(struct ledger_service *s)
{
    uint64_t now_ms = clock_now_ms(s->clock);
    return s->earlier_ms + (now_ms > s->begun_ms ? now_ms - s->begun_ms : 0);
}

void ledger_service_gauge(struct ledger_service *s, unsigned shard)
{
    struct frontier_counts c = frontier_counts(ledger_frontier(s->ledger, shard));
    struct crawl_shard_counts *to = &s->counts.shards[shard % CRAWL_MAX_SHARDS];
    atomic_store_explicit(&to->queued, c.queued, memory_order_relaxed);
    atomic_store_explicit(&to->unsorted, c.unsorted, memory_order_relaxed);
    atomic_store(&to->work, c.queued + c.unsorted);
}

struct str ledger_service_url(struct ledger_service *s, uint64_t fingerprint, struct arena *arena)
{
    struct history *h = ledger_history(s->ledger);
    struct past past;
    if (!fingerprint)
        return STR_NONE;
    struct str url = recent_pages_get(s->recent, fingerprint, arena);
    if (!url.p && h && history_get(h, fingerprint, arena, &past) == RC_OK)
        url = past.url;
    return url;
}
