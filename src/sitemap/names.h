/* SPDX-License-Identifier: Apache-2.0 */
/* names: the elements that mean something in sitemaps and feeds, by local name in any case. */
#ifndef SITEMAP_NAMES_H
#define SITEMAP_NAMES_H

#include "base/str.h"

enum element {
    EL_NONE,
    /* roots */
    EL_URLSET,
    EL_SITEMAPINDEX,
    EL_RSS,
    EL_RDF,
    EL_FEED,
    EL_HTML,
    /* records */
    EL_URL,
    EL_SITEMAP,
    EL_ITEM,
    EL_ENTRY,
    /* URLs */
    EL_LOC,
    EL_LINK,
    EL_GUID,
    EL_ID,
    EL_ENCLOSURE,
    EL_CONTENT_LOC,
    EL_PLAYER_LOC,
    EL_THUMBNAIL_LOC,
    EL_THUMBNAIL,
    /* dates and hints */
    EL_LASTMOD,
    EL_PUBDATE,
    EL_DATE,
    EL_UPDATED,
    EL_MODIFIED,
    EL_PUBLISHED,
    EL_ISSUED,
    EL_CREATED,
    EL_CHANGEFREQ,
    EL_PRIORITY,
    /* parts of a record whose insides mean something else */
    EL_IMAGE,
    EL_VIDEO,
    EL_NEWS,
    EL_PAGEMAP,
    EL_SOURCE,
    EL_CONTENT,
};

enum element element_of(struct str local);

#endif
