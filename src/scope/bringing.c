/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/bringing.h"

#include "discovery/seed_path.h"

enum { QUEUED_BYTES = 24 }; /* of a URL in its queue, beside its path and seed_path (url_queue.h) */

/* A sitemap that a page names as its feed is a link of a page. */
static bool is_listed(const struct bringing *b, const struct found_link *l)
{
    if (l->hop == HOP_LISTED)
        return true;
    return l->hop == HOP_PREREQUISITE &&
           (b->is_robots || b->is_sitemap || seed_path_listings(l->seed_path) > 1);
}

/* The crawl reads robots.txt every day. Only the shard of another host can tell whether a sitemap
 * of that host is new, so each reading has an allowance of its own for these. */
static struct brought *account_of(struct bringing *b, const struct found_link *l)
{
    bool is_own = str_eq(l->host, b->host_name);
    return b->host && (is_own || !b->is_robots) ? b->host : &b->once;
}

enum bring_verdict bringing_listed(struct bringing *b, const struct found_link *l)
{
    if (!is_listed(b, l) || b->asks.knows(b->asks.ctx, l->host_hash, l->fingerprint))
        return BRING_OK;
    return bring_listed(&b->limits, account_of(b, l), l->seed_path);
}

enum bring_verdict bringing_new(struct bringing *b, const struct found_link *l)
{
    if (!b->host)
        return BRING_OK;
    bool is_own = str_eq(l->host, b->host_name);
    if (is_own && b->asks.queue_is_full(b->asks.ctx, b->own, b->own_bytes))
        return BRING_QUEUE;
    enum bring_verdict verdict = bring_url(&b->limits, b->host, l->href.n);
    if (verdict != BRING_OK)
        return verdict;
    b->own += is_own;
    b->own_bytes += is_own ? l->path.n + l->seed_path.n + QUEUED_BYTES : 0;
    return BRING_OK;
}

bool bringing_is_first(uint8_t *told, enum bring_verdict v)
{
    uint8_t bit = (uint8_t)(1u << v);
    bool is_first = !(*told & bit);
    *told |= bit;
    return is_first;
}
