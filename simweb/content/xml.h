/* SPDX-License-Identifier: Apache-2.0 */
/* xml: the small files beside the pages: sitemaps, feeds, and robots.txt. All UTF-8. */
#ifndef CONTENT_XML_H
#define CONTENT_XML_H

#include "world/links.h"
#include "world/version.h"

void robots_txt_write(const struct world *w, uint32_t host, struct buf *out);

/* The index of a host's sitemaps, or the sitemap, of `links`; lastmod as of `version`. Compressing
 * the odd parts is left to the caller. */
void sitemap_index_write(const struct world *w, const struct links *links, struct version version,
                         struct buf *out);
void sitemap_write(const struct world *w, const struct links *links, struct version version,
                   struct buf *out);

/* The URL of a place with & as &amp;. */
void xml_url(const struct world *w, struct place p, struct buf *out);

/* Text with & and < as references. */
void xml_text(struct str text, struct buf *out);

/* "2025-03-01T12:00:00Z" (W3C, RFC 3339), and "Sat, 01 Mar 2025 12:00:00 GMT" (RFC 822). */
void date_write_w3c(uint64_t wall_ms, struct buf *out);
void date_write_822(uint64_t wall_ms, struct buf *out);

#endif
