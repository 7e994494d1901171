/* SPDX-License-Identifier: Apache-2.0 */
/* bringing: which of the URLs that a page names its host may bring (host/bring.h).
 *
 * Two steps ask. judge-links asks about what listings name, before it makes a link of it, so that a
 * URL over a limit takes no room in archive, graph or journal. disposition asks about every new
 * link, before it is journalled. Both count what is left out by its verdict (found_links.left_out).
 */
#ifndef SCOPE_BRINGING_H
#define SCOPE_BRINGING_H

#include "scope/link.h"

/* What only the frontier can answer. */
struct bringing_asks {
    void *ctx;
    /* Whether that URL is known for certain. */
    bool (*knows)(void *ctx, uint64_t host_hash, uint64_t fingerprint);
    /* Whether the queue of the page's host is full with `more` URLs of `more_bytes` bytes. */
    bool (*queue_is_full)(void *ctx, uint64_t more, uint64_t more_bytes);
};

/* One page, while its links are judged. */
struct bringing {
    struct bring_limits limits;
    struct bringing_asks asks;
    struct str host_name; /* of the page */
    struct brought *host; /* what that host has brought; NULL: it is not known */
    struct brought once;  /* what this page alone has brought, where nothing is durable */
    bool is_robots;       /* the page is a robots.txt */
    bool is_sitemap;      /* the page is read as a sitemap */
    uint64_t own;         /* links to the page's own host that were let through; their bytes */
    uint64_t own_bytes;
};

/* Whether the page, a listing or not, may name that link. */
enum bring_verdict bringing_listed(struct bringing *b, const struct found_link *l);

/* Whether a link that is new may go into the journal, and from there to its host's queue. */
enum bring_verdict bringing_new(struct bringing *b, const struct found_link *l);

/* Whether the host reaches that limit for the first time: the log says it once. `told`: bits of
 * enum bring_verdict, of that host. */
bool bringing_is_first(uint8_t *told, enum bring_verdict v);

#endif
