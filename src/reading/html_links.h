/* SPDX-License-Identifier: Apache-2.0 */
/* html_links: which links of an HTML page the crawl may follow, each with its letter of the seed
 * path and its context.
 *
 *     <a href=x>           L  a/@href             links, frames, refreshes, canonical URLs
 *     <img src=x>          E  img/@src            what a browser needs to show the page
 *     <link rel=alternate type=application/rss+xml href=x>
 *                          P  link/@href          a feed: the URLs that it lists are one deeper
 *     <style>              E  style/@css          an address in a style sheet
 *
 * Forms, hints of origins, citations and images for social networks are not taken. */
#ifndef READING_HTML_LINKS_H
#define READING_HTML_LINKS_H

#include "reading/settings.h"
#include "visit/visit.h"

/* The letter by which the crawl follows the link; 0: it does not. */
char html_link_hop(const struct page_link *link);

/* Appends the links of `page` to the references of `parsed`, in the order of the page. Left out are
 * links that say nofollow, and all links if `parsed->robots_bits` says so; what the page needs to
 * be shown stays. Past s->links references, or without memory, the rest is dropped and is_cut is
 * set. The list and the contexts are in `arena`; addresses and anchors are the page's. */
void html_links_refer(const struct page *page, const struct reading_settings *s,
                      struct arena *arena, struct visit_parsed *parsed);

#endif
