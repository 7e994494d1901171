/* SPDX-License-Identifier: Apache-2.0 */
/* media: what a body is, by its first bytes and by what the server says (WHATWG MIME Sniffing, as
 * far as a crawler needs it). */
#ifndef FETCH_MEDIA_H
#define FETCH_MEDIA_H

#include "base/str.h"

enum media {
    MEDIA_OTHER, /* nothing to look for links in */
    MEDIA_HTML,
    MEDIA_XHTML,
    MEDIA_CSS,
    MEDIA_SITEMAP, /* a sitemap or feed in XML: by its root element, or by an XML type that is one
                    */
    MEDIA_TEXT,    /* plain text, JSON, scripts: readable, no links */
    MEDIA_IMAGE,
    MEDIA_COUNT_
};
const char *media_name(enum media m); /* "html" */

/* `content_type`: the header's value or absent. `start`: the first bytes of the decoded body, 1,445
 * or all. Binary that says it is text is MEDIA_OTHER (or MEDIA_IMAGE); HTML without a type, or as
 * text/plain when it plainly is a page, is MEDIA_HTML; a body of type text/css is MEDIA_CSS. */
enum media media_of(struct str content_type, struct str start);

/* The type that the bytes show ("image/png", "application/pdf", "text/html"), static; absent when
 * they show none: for WARC-Identified-Payload-Type. */
struct str media_identify(struct str start);

/* "text/html" of "Text/HTML; charset=x", borrowed, as written but without parameters and blanks; at
 * most 127 bytes of RFC 6838 characters, else absent. */
struct str media_type(struct str content_type);

#endif
