/* SPDX-License-Identifier: Apache-2.0 */
/* sniff: what the first bytes of a body show. Internal to fetch. */
#ifndef FETCH_SNIFF_H
#define FETCH_SNIFF_H

#include "base/str.h"

/* Bytes that no text has (MIME Sniffing, 3: binary data bytes). A byte order mark of UTF-16 makes
 * it text. */
bool sniff_is_binary(struct str start);

/* The type of a file that begins with a mark of its own: images, documents, archives, sound, films,
 * fonts, programs. Absent: there is none. */
struct str sniff_mark(struct str start);

enum sniff_markup {
    SNIFF_NO_MARKUP,
    SNIFF_HTML_PIECE, /* begins with a tag of HTML or a comment */
    SNIFF_HTML_PAGE,  /* begins as pages do: document type, html, head, title, body */
    SNIFF_XHTML,      /* an XML declaration and <html> */
    SNIFF_SITEMAP,    /* urlset, sitemapindex, rss, feed, rdf:RDF */
    SNIFF_SVG,
    SNIFF_XML, /* any other root */
};

/* By the first tag behind white space, byte order mark, declarations and comments. */
enum sniff_markup sniff_markup(struct str start);

/* Whether a tag, comment or declaration begins anywhere in it. */
bool sniff_has_tag(struct str start);

/* UTF-16 by its mark, or by the zeroes around its first "<". */
bool sniff_is_utf16(struct str start);

#endif
