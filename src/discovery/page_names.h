/* SPDX-License-Identifier: Apache-2.0 */
/* page_names: the URLs of pages that disposition has seen lately, by fingerprint. The history has a
 * page once it is durable. The crawl may fetch a link of the page before that. All shards use one.
 * A newer page may push out an older one. */
#ifndef DISCOVERY_PAGE_NAMES_H
#define DISCOVERY_PAGE_NAMES_H

#include "base/arena.h"

struct page_names;

/* NULL without memory. */
struct page_names *page_names_open(void);
void page_names_close(struct page_names *r);

/* Any thread may call these two. Without memory the page is not kept. */
void page_names_put(struct page_names *r, uint64_t fingerprint, struct str url);

/* A copy in the arena; absent: the page is not here, or there is no memory. */
struct str page_names_get(struct page_names *r, uint64_t fingerprint, struct arena *arena);

#endif
