/* SPDX-License-Identifier: Apache-2.0 */
/* sitemaps: does an origin name sitemaps that the crawl reads? Its robots.txt names them, and its
 * host's record has the rules and says whether the crawl has queued them (--no-sitemaps does not).
 * The record is in memory with its host. */
#ifndef ADMISSION_SITEMAPS_H
#define ADMISSION_SITEMAPS_H

#include "frontier/frontier.h"
#include "robots/robots.h"

enum sitemaps {
    SITEMAPS_NONE,
    SITEMAPS_NAMED,
    SITEMAPS_SWAPPED, /* its host is swapped to disk: it may name some */
};

/* Of the origin of `c`. Of SITEMAPS_NAMED *ret_rules name at least one (robots_sitemap); borrowed
 * from the host's record. */
enum sitemaps sitemaps_of(const struct frontier *f, const struct candidate *c,
                          const struct robots **ret_rules);

#endif
