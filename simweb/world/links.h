/* SPDX-License-Identifier: Apache-2.0 */
/* links: what a place links to, and in which form the HTML writes it.
 *
 * Every page of a host is reached from its home page in `depth` steps or fewer along tree links:
 * with branching b, normal page q links to pages b·q+1 … b·next, where next is the normal page
 * after q (so pages that are no way on, copies and redirects and such, leave nobody unreachable).
 * Every host is reached from host 0 likewise, home page to home page. The rest are chosen by
 * chance, with the Zipf exponent, up to the page's number of links. */
#ifndef WORLD_LINKS_H
#define WORLD_LINKS_H

#include "world/place.h"

enum link_kind {
    LINK_A,          /* <a href>; a place in the list of kinds a crawl follows */
    LINK_AREA,       /* <area href> in an image map */
    LINK_IFRAME,     /* <iframe src> */
    LINK_REFRESH,    /* <meta http-equiv=refresh>, at most one, with a delay */
    LINK_A_NOFOLLOW, /* <a rel=nofollow>: known, not followed */
    LINK_IMAGE,      /* <img src> or one candidate of a srcset: what a page needs */
    LINK_STYLE,      /* <link rel=stylesheet> */
    LINK_SCRIPT,     /* <script src> */
    LINK_ICON,       /* <link rel=icon> */
    LINK_FEED,       /* <link rel=alternate type=application/rss+xml> */
    LINK_CSS_URL,    /* url() in a style sheet */
    LINK_LISTED,     /* <loc> of a sitemap, <link> of a feed */
    LINK_LOCATION    /* of a redirect */
};

/* How the HTML writes the reference; never changes what it resolves to. */
enum link_form {
    FORM_ABSOLUTE,
    FORM_ROOT,     /* /garden/x.html */
    FORM_RELATIVE, /* x.html, ../x.html; only where the page allows it */
    FORM_PROTOCOL, /* //host:port/x.html */
    FORM_COUNT_
};
enum link_quirk {                       /* bits */
                  QUIRK_ENTITIES = 1,   /* & as &amp; or &#38;, / as &#x2F; */
                  QUIRK_UNQUOTED = 2,   /* href=x, only where the value allows it */
                  QUIRK_SINGLE = 4,     /* href='x' */
                  QUIRK_UPPER = 8,      /* <A HREF=...> */
                  QUIRK_SPACES = 16,    /* white space around the value */
                  QUIRK_FRAGMENT = 32,  /* #part behind it */
                  QUIRK_RAW_CHARS = 64, /* é instead of %C3%A9, in the page's own charset */
                  QUIRK_DOTS = 128,     /* ./ or a detour over .. */
                  QUIRK_SRCSET = 256, /* an image: a candidate in the srcset of the one before it */
};

struct link {
    struct place to;
    enum link_kind kind;
    enum link_form form;
    unsigned quirks;
};

struct links {
    struct link list[WORLD_MAX_LINKS];
    uint32_t count;
};

/* All links of a place, in the order they stand on it: everything a correct crawler finds there. A
 * near duplicate has those of its original. A PLACE_SITEMAP_INDEX lists its sitemaps, those and the
 * feed list pages (LINK_LISTED). Links to faults' hosts are not among them (faults/fault.h). */
void links_of(const struct world *w, struct place from, struct links *ret);

#endif
