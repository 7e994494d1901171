/* SPDX-License-Identifier: Apache-2.0 */
/* feed: /feed.xml, the newest pages of a host. */
#ifndef CONTENT_FEED_H
#define CONTENT_FEED_H

#include "world/links.h"
#include "world/version.h"

/* RSS 2.0 or Atom, by host. */
bool feed_is_atom(const struct world *w, uint32_t host);

/* Appends it as of `version`; `links` are those of the place. UTF-8. */
void feed_write(const struct world *w, uint32_t host, struct version version,
                const struct links *links, struct buf *out);

#endif
