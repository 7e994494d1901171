/* SPDX-License-Identifier: Apache-2.0 */
/* shape: how large hosts are and how wide their trees of links. Inside this folder only. */
#ifndef WORLD_SHAPE_H
#define WORLD_SHAPE_H

#include "world/place.h"

enum shape_limits {
    SHAPE_MOST_LINKS = 1600,   /* in the body of a page; WORLD_MAX_LINKS holds the head's too */
    SHAPE_RUN = 8,             /* every such page is normal, so that the next one is near */
    SHAPE_MOST_BRANCHES = 200, /* of the tree of a host's pages: RUN of them in one page */
    SHAPE_MOST_HOST_BRANCHES = 100,
    SHAPE_SITEMAP_PAGES = 500, /* listed by one part of a sitemap, of all but huge hosts */
    SHAPE_MOST_SITEMAPS = 1000,
};

/* The pages of the host with that rank, 0 being the largest; `scale` by shape_scale. */
double shape_scale(const struct world_settings *s);
uint32_t shape_host_pages(const struct world_settings *s, double scale, uint64_t rank);
uint64_t shape_largest_host(const struct world_settings *s);

/* The smallest b with 1 + b + … + b^depth >= count. */
uint64_t shape_branching(uint64_t count, uint64_t depth);

/* Of a world: as above, and never beyond the limits. */
uint32_t host_branching(const struct world *w);
uint32_t page_branching(const struct world *w, uint32_t host);
double world_host_scale(const struct world *w);

/* The normal page at or before `page`, and the first one after it (the host's number of pages if
 * there is none). */
uint32_t page_normal_before(const struct world *w, uint32_t host, uint32_t page);
uint32_t page_normal_after(const struct world *w, uint32_t host, uint32_t page);

/* What a page is, without its other facts; by its key, where that is known. */
enum page_role page_role(const struct world *w, uint32_t host, uint32_t page);
enum page_role page_role_by(const struct world *w, uint32_t host, uint32_t page, uint64_t key);

/* By how much the page with that key is larger than the median, as an exponent of e. */
double page_size_exponent(const struct world *w, uint64_t key);

#endif
