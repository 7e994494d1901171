/* SPDX-License-Identifier: Apache-2.0 */
#include "roles/ledger.h"

void ledger_service_gauge(struct ledger_service *s, unsigned shard)
{
    struct frontier_counts c = frontier_counts(ledger_frontier(s->ledger, shard));
    struct crawl_shard_counts *to = &s->counts.shards[shard % CRAWL_MAX_SHARDS];
    atomic_store_explicit(&to->queued, c.queued, memory_order_relaxed);
    atomic_store_explicit(&to->unsorted, c.unsorted, memory_order_relaxed);
    atomic_store(&to->work, c.queued + c.unsorted);
}

void ledger_service_gauge_frontier(struct ledger_service *s, unsigned shard)
{
    const struct frontier *frontier = ledger_frontier(s->ledger, shard);
    struct frontier_counts c = frontier_counts(frontier);
    struct crawl_shard_counts *to = &s->counts.shards[shard % CRAWL_MAX_SHARDS];
    atomic_store_explicit(&to->hosts, c.hosts, memory_order_relaxed);
    atomic_store_explicit(&to->known, c.known, memory_order_relaxed);
    atomic_store_explicit(&to->out, c.out, memory_order_relaxed);
    atomic_store_explicit(&to->waiting, c.waiting, memory_order_relaxed);
    atomic_store_explicit(&to->ready, c.ready, memory_order_relaxed);
    atomic_store_explicit(&to->swapped, c.swapped, memory_order_relaxed);
    atomic_store_explicit(&to->memory_bytes, c.bytes, memory_order_relaxed);
    atomic_store_explicit(&to->due_ms, frontier_due_ms(frontier), memory_order_relaxed);
    ledger_service_gauge(s, shard);
}

struct str ledger_service_url(struct ledger_service *s, uint64_t fingerprint, struct arena *arena)
{
    struct history *h = ledger_history(s->ledger);
    struct history_entry history;
    if (!fingerprint)
        return STR_NONE;
    struct str url = page_names_get(s->names, fingerprint, arena);
    if (!url.p && h && history_get(h, fingerprint, arena, &history) == RC_OK)
        url = history.url;
    return url;
}
