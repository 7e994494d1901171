/* SPDX-License-Identifier: Apache-2.0 */
#include "admission/sitemaps.h"

#include "frontier/swap.h"
#include "ledger/host_records.h"

/* The rules of the origin, if the crawl reads its sitemaps. */
static const struct robots *rules_of(const struct frontier *f, const struct candidate *c)
{
    const struct host *h = frontier_host(f, c->host_hash, c->host);
    const struct host_record *record = h ? host_record_if(h) : NULL;
    const struct host_robots *r = record ? host_robots_of(record, c->is_https, c->port) : NULL;
    return r && record->is_listed ? r->rules : NULL;
}

enum sitemaps sitemaps_of(const struct frontier *f, const struct candidate *c,
                          const struct robots **ret_rules)
{
    const struct robots *rules = rules_of(f, c);
    struct str url;
    if (frontier_is_swapped(f, c->host_hash))
        return SITEMAPS_SWAPPED;
    if (!rules || !robots_sitemap(rules, 0, &url))
        return SITEMAPS_NONE;
    *ret_rules = rules;
    return SITEMAPS_NAMED;
}
