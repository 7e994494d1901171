/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate/web.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_LINKS = 6 };

static void make_host(struct web_host *h, uint32_t i, const struct web_shape *shape, struct rng *r)
{
    (void)snprintf(h->name, sizeof h->name, "h%u.example", i);
    h->host_hash = hash64(str_c(h->name));
    h->delay_ms = shape->least_delay_ms + rng_below(r, shape->delays_ms);
}

/* A page links to some pages at random, and to those that are first found on it. */
static void make_links(struct web *w, struct rng *r)
{
    for (uint32_t u = 0; u < w->url_count; u++) {
        struct web_url *at = &w->urls[u];
        at->first_link = w->link_count;
        for (uint32_t v = u * 2 + WEB_SEEDS; v < u * 2 + WEB_SEEDS + 2 && v < w->url_count; v++)
            w->links[w->link_count++] = v;
        for (uint64_t more = rng_below(r, MAX_LINKS - 2); more > 0; more--)
            w->links[w->link_count++] = (uint32_t)rng_below(r, w->url_count);
        at->link_count = w->link_count - at->first_link;
    }
}

enum rc web_init(struct web *w, uint64_t seed, const struct web_shape *shape)
{
    uint32_t hosts = shape->hosts, urls = shape->urls;
    struct rng r;
    *w = (struct web){.host_count = hosts, .url_count = urls};
    w->hosts = mem_zero(hosts, sizeof *w->hosts);
    w->urls = mem_zero(urls, sizeof *w->urls);
    w->links = mem_zero((size_t)urls * MAX_LINKS, sizeof *w->links);
    if (!w->hosts || !w->urls || !w->links) {
        web_done(w);
        return RC_NOMEM;
    }
    rng_init(&r, seed);
    for (uint32_t i = 0; i < hosts; i++)
        make_host(&w->hosts[i], i, shape, &r);
    for (uint32_t i = 0; i < urls; i++) {
        w->urls[i].host = (uint32_t)rng_below(&r, hosts);
        (void)snprintf(w->urls[i].path, sizeof w->urls[i].path, "/%u", i);
    }
    make_links(w, &r);
    return RC_OK;
}

void web_done(struct web *w)
{
    mem_free(w->hosts);
    mem_free(w->urls);
    mem_free(w->links);
    *w = (struct web){0};
}

struct record web_url_record(const struct web *w, uint32_t url)
{
    const struct web_host *h = &w->hosts[w->urls[url].host];
    return (struct record){.kind = RECORD_URL,
                           .host_hash = h->host_hash,
                           .host = str_c(h->name),
                           .fingerprint = url + 1,
                           .path = str_c(w->urls[url].path)};
}

struct record web_host_record(const struct web *w, uint32_t host)
{
    return (struct record){.kind = RECORD_HOST,
                           .host_hash = w->hosts[host].host_hash,
                           .host = str_c(w->hosts[host].name)};
}

uint32_t web_url_of(const struct web *w, const struct record *r)
{
    bool ours = r->kind != RECORD_HOST && r->fingerprint && r->fingerprint <= w->url_count;
    return ours ? (uint32_t)(r->fingerprint - 1) : UINT32_MAX;
}

uint32_t web_host_of(const struct web *w, const struct record *r)
{
    uint64_t number = UINT64_MAX;
    if (r->kind != RECORD_HOST || r->host.n < 2 ||
        str_to_u64(str_make(r->host.p + 1, str_find(r->host, '.') - 1), &number))
        return UINT32_MAX;
    return number < w->host_count ? (uint32_t)number : UINT32_MAX;
}
