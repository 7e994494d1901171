/* SPDX-License-Identifier: Apache-2.0 */
#include "host/bring.h"

#include "discovery/seed_path.h"

const char *bring_verdict_key(enum bring_verdict v)
{
    static const char *const keys[BRING_VERDICTS_] = {
        [BRING_OK] = "none",
        [BRING_NESTED] = "sitemap-depth",
        [BRING_SITEMAPS] = "host-sitemaps",
        [BRING_SITEMAP_URLS] = "host-sitemap-urls",
        [BRING_URL_BYTES] = "host-url-size",
        [BRING_QUEUE] = "host-queue",
    };
    return (unsigned)v < BRING_VERDICTS_ ? keys[v] : "unknown";
}

static bool is_full(uint64_t used, uint64_t most)
{
    return most && used >= most;
}

enum bring_verdict bring_listed(const struct bring_limits *l, struct brought *b,
                                struct str seed_path)
{
    bool is_sitemap = seed_path_is_prerequisite(seed_path);
    if (l->sitemap_depth && seed_path_listings(seed_path) > l->sitemap_depth)
        return BRING_NESTED;
    if (is_sitemap && is_full(b->sitemaps, l->sitemaps))
        return BRING_SITEMAPS;
    if (is_full(b->sitemap_urls, l->sitemap_urls))
        return BRING_SITEMAP_URLS;
    b->sitemaps += is_sitemap;
    b->sitemap_urls += !is_sitemap;
    return BRING_OK;
}

enum bring_verdict bring_url(const struct bring_limits *l, struct brought *b, size_t bytes)
{
    if (is_full(b->url_bytes, l->url_bytes))
        return BRING_URL_BYTES;
    b->url_bytes += bytes;
    return BRING_OK;
}
