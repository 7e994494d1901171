/* SPDX-License-Identifier: Apache-2.0 */
/* bring: how much one host may bring into the crawl: sitemaps, the URLs they list, and the bytes of
 * all URLs found on its pages that were new.
 *
 * The host that names a URL is charged, not the host of the URL. Only new URLs are charged, so a
 * host may name known URLs as often as it likes. The counts are durable (host/host_record.h): a
 * crash gives no host a second allowance.
 *
 * A listing is a document that lists URLs: robots.txt, a sitemap, an index of sitemaps, a feed. A
 * host that names listings in listings without end is held by three numbers: how deep they nest,
 * how many of them it names, how many URLs they list. Nothing here allocates or reads a clock.
 */
#ifndef HOST_BRING_H
#define HOST_BRING_H

#include "base/str.h"

struct bring_limits { /* 0 = no limit */
    uint64_t sitemap_depth;
    uint64_t sitemaps;
    uint64_t sitemap_urls;
    uint64_t url_bytes;
};

/* What a host has brought. */
struct brought {
    uint64_t sitemaps;     /* that its listings name */
    uint64_t sitemap_urls; /* pages that its listings name */
    uint64_t url_bytes;    /* of new URLs, by listings and pages */
};

enum bring_verdict {
    BRING_OK,
    BRING_NESTED,       /* listings in listings, too deep */
    BRING_SITEMAPS,     /* the host has named all the sitemaps that it may */
    BRING_SITEMAP_URLS, /* and all the pages that it may by sitemaps */
    BRING_URL_BYTES,    /* the host has brought all the bytes of URLs that it may */
    BRING_QUEUE,        /* the host's queue is full (frontier.h) */
    BRING_VERDICTS_
};

/* The option that sets the limit: "sitemap-depth", "host-sitemaps", … */
const char *bring_verdict_key(enum bring_verdict v);

/* A new URL that a listing names: the last letter of its seed_path is P or X. BRING_OK: it is
 * charged. A host that has named all its pages may not name a sitemap either, for no page of it
 * would be taken. */
enum bring_verdict bring_listed(const struct bring_limits *l, struct brought *b,
                                struct str seed_path);

/* A new URL of `bytes` bytes. BRING_OK: it is charged. */
enum bring_verdict bring_url(const struct bring_limits *l, struct brought *b, size_t bytes);

#endif
