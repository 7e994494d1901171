/* SPDX-License-Identifier: Apache-2.0 */
/* listing: reads sitemaps, indexes of sitemaps and feeds.
 *
 * The pages that they list have the letter X, further sitemaps the letter P. Images and media are
 * not taken. URLs of other hosts are references, too: only a resolved URL says its host, so
 * judge-links leaves them out (F81). */
#ifndef READING_LISTING_H
#define READING_LISTING_H

#include "reading/settings.h"
#include "reading/tools.h"
#include "visit/visit.h"

/* Reads v->parsed.text, which body_read() has set and visit_is_sitemap() takes for a listing; a file
 * that is gzip by its name alone is unpacked. Past s->sitemap_urls references, or past
 * VISIT_MAX_LINK_BYTES of their text, the rest is dropped and is_cut is set. What was read before a
 * failure stays. */
MUST_CHECK enum rc listing_read(struct reading_tools *t, const struct reading_settings *s,
                                struct visit *v);

#endif
