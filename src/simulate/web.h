/* SPDX-License-Identifier: Apache-2.0 */
/* web: the pages of a simulated crawl: hosts, each with a delay, URLs, and their links, all from a
 * seed. Every URL can be reached from the seeds, which are the first URLs. */
#ifndef SIMULATE_WEB_H
#define SIMULATE_WEB_H

#include "cluster/wire/records.h"

enum { WEB_HOST_BYTES = 24, WEB_PATH_BYTES = 16, WEB_SEEDS = 3 };

struct web_host {
    char name[WEB_HOST_BYTES];
    uint64_t host_hash;
    uint64_t delay_ms;
};

struct web_url {
    uint32_t host;
    uint32_t first_link, link_count;
    char path[WEB_PATH_BYTES];
};

struct web {
    struct web_host *hosts;
    struct web_url *urls;
    uint32_t *links;
    uint32_t host_count, url_count, link_count;
};

struct web_shape {
    uint32_t hosts, urls;
    uint64_t least_delay_ms, delays_ms; /* the least delay of a host, and the range above it */
};
MUST_CHECK enum rc web_init(struct web *w, uint64_t seed, const struct web_shape *shape);
void web_done(struct web *w);

/* A record of that URL or host; its strings belong to the web. */
struct record web_url_record(const struct web *w, uint32_t url);
struct record web_host_record(const struct web *w, uint32_t host);
/* The URL or host of a record; UINT32_MAX: not one of this web. */
uint32_t web_url_of(const struct web *w, const struct record *r);
uint32_t web_host_of(const struct web *w, const struct record *r);

#endif
