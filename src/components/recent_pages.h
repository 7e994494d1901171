/* SPDX-License-Identifier: Apache-2.0 */
/* recent_pages: the URLs of pages that were settled lately, by fingerprint: the history learns of
 * them only when they are durable, and what they link to may be fetched before that. For all
 * shards; a newer page may push out an older one. */
#ifndef COMPONENTS_RECENT_PAGES_H
#define COMPONENTS_RECENT_PAGES_H

#include "base/arena.h"

struct recent_pages;

/* NULL without memory. */
struct recent_pages *recent_pages_open(void);
void recent_pages_close(struct recent_pages *r);

/* Without memory it is not remembered. Any thread, as the next. */
void recent_pages_put(struct recent_pages *r, uint64_t fingerprint, struct str url);

/* A copy in the arena; absent if it is not known. */
struct str recent_pages_get(struct recent_pages *r, uint64_t fingerprint, struct arena *arena);

#endif
