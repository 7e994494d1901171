/* SPDX-License-Identifier: Apache-2.0 */
/* place: everything of the ordinary web that has a URL, as numbers, and the way there and back.
 *
 *   http://www.heron12.test:8080/garden/quiet-river-17.html  <->  {host 24, PLACE_PAGE, page 17}
 *
 * A URL written here is already in the form a crawler normalises to: lower-case host, no default
 * port, percent-encoded, no fragment. place_of() knows a URL only in exactly that form (the path as
 * it stands on the request line); any other path is no place, a 404. */
#ifndef WORLD_PLACE_H
#define WORLD_PLACE_H

#include "world/world.h"

#include "base/buf.h"

enum place_kind {
    PLACE_NONE,
    PLACE_PAGE,          /* page 0 is the home page, "/" */
    PLACE_IMAGE,         /* image `nth` of a page, 0..page.images; a copy shows its original's */
    PLACE_STYLE,         /* the host's style sheet; names one image by url() */
    PLACE_STYLE_IMAGE,   /* that image */
    PLACE_SCRIPT,        /* the host's script; names nothing a crawler could find */
    PLACE_ICON,          /* /favicon.ico, linked from every page's head */
    PLACE_ROBOTS,        /* /robots.txt */
    PLACE_SITEMAP_INDEX, /* /sitemap.xml */
    PLACE_SITEMAP,       /* part `nth` of it, gzip'd for odd parts */
    PLACE_FEED,          /* /feed.xml, RSS or Atom by host; linked by rel=alternate */
    PLACE_KINDS_
};

struct place {
    uint32_t host;
    enum place_kind kind;
    uint32_t page;
    uint32_t nth;
};

/* What a page is. Exactly one; page 0 is always PAGE_NORMAL. */
enum page_role {
    PAGE_NORMAL,
    PAGE_DUPLICATE,      /* the bytes of page `same_as` */
    PAGE_NEAR_DUPLICATE, /* those with a sentence changed */
    PAGE_REDIRECT,       /* answers `status` with a Location of `target` */
    PAGE_FORBIDDEN,      /* robots.txt disallows it; stands below /private/ */
    PAGE_NOFOLLOW,       /* says nofollow, by meta or by header; its links are not followed */
};

/* The character encodings pages come in, by label. */
enum page_charset {
    CHARSET_UTF8,
    CHARSET_WINDOWS_1252,
    CHARSET_SHIFT_JIS,
    CHARSET_KOI8_R,
    CHARSET_UTF16LE, /* with a byte order mark */
    CHARSET_COUNT_
};
enum charset_said { CHARSET_IN_HEADER, CHARSET_IN_META, CHARSET_IN_BOTH, CHARSET_UNSAID };

struct page {
    enum page_role role;
    uint32_t same_as;     /* of a (near) duplicate: the normal page before it; also its looks */
    bool has_duplicate;   /* a page before the next normal one copies it; so no link is relative */
    struct place target;  /* of a redirect: a normal page, never another redirect */
    uint16_t status;      /* of a redirect: 301, 302, 303, 307, 308 */
    bool nofollow_header; /* of PAGE_NOFOLLOW: X-Robots-Tag instead of meta */
    enum page_charset charset;
    enum charset_said charset_said;
    bool has_base;   /* <base href> of the host's root, and links relative to that */
    uint32_t bytes;  /* how long the body should be, about */
    uint32_t images; /* on it */
    bool changes;
    double change_per_ms; /* the rate of the Poisson process, all kinds of change together */
};

/* Hosts ------------------------------------------------------------------------------------- */

/* "www.heron12.test", without port. */
void host_name(const struct world *w, uint32_t host, struct buf *out);

/* The host with that name (any case, a trailing dot allowed), or -1. */
int64_t host_of(const struct world *w, struct str name);

/* Which registrable domain a host belongs to; hosts of one domain are numbered in a row. */
uint32_t host_domain(const struct world *w, uint32_t host);

/* Its IPv4 address, in the order of the machine: 127.1.0.0 upwards, several hosts on each, at most
 * WORLD_MAX_ADDRESSES of them (with the suffix "localhost" always 127.0.0.1, where browsers look).
 */
uint32_t host_address(const struct world *w, uint32_t host);

/* How many different addresses all hosts together have: 127.1.0.0 + [0, count), or that one. */
uint32_t world_addresses(const struct world *w);

uint32_t host_pages(const struct world *w, uint32_t host);
bool host_is_https(const struct world *w, uint32_t host);

/* What the host's robots.txt says; the truth that content writes down and the oracle obeys. */
struct host_robots {
    bool exists;             /* else 404: all allowed */
    bool forbids_private;    /* Disallow: /private/ (true whenever it exists) */
    uint32_t crawl_delay_ms; /* 0 = none said */
    uint32_t sitemaps;       /* parts of the sitemap; 0 = none */
    bool names_sitemap;      /* by a Sitemap line */
};
struct host_robots host_robots(const struct world *w, uint32_t host);

/* Pages and their paths --------------------------------------------------------------------- */

struct page page_of(const struct world *w, uint32_t host, uint32_t page);

/* "/garden/quiet-river-17.html", with the query if there is one. */
void place_path(const struct world *w, struct place p, struct buf *out);

/* "http://www.heron12.test:8080/garden/quiet-river-17.html" */
void place_url(const struct world *w, struct place p, struct buf *out);

/* "http://www.heron12.test:8080", or "//…" when `scheme_less`. */
void host_origin(const struct world *w, uint32_t host, bool scheme_less, struct buf *out);

/* The inverse of place_path. */
struct place place_of(const struct world *w, uint32_t host, struct str path_and_query);

/* The place of a URL that is written as this web writes it; without a path it is the home page. The
 * scheme and the port are not looked at. */
struct place place_of_url(const struct world *w, struct str url);

/* Which pages part `nth` of the host's sitemap lists: [*ret_from, *ret_to). Forbidden pages,
 * redirects and duplicates in the range are left out by whoever writes or walks it. */
void sitemap_range(const struct world *w, uint32_t host, uint32_t nth, uint32_t *ret_from,
                   uint32_t *ret_to);
bool sitemap_lists(const struct world *w, uint32_t host, uint32_t page);

/* How many of the host's newest (highest numbered) pages its feed lists. */
enum { FEED_ITEMS = 10 };

#endif
