/* SPDX-License-Identifier: Apache-2.0 */
/* page: what a crawler wants of an HTML page: its links, head, text and tags, in one walk.
 *
 *     struct page_reader *r;                        one per thread, reused for every page
 *     rc = page_reader_open(&r);
 *     struct page_options o = {.parts = PAGE_LINKS | PAGE_HEAD};
 *     page_begin(r, &o, arena);
 *     rc = page_feed(r, utf8_piece); ...
 *     rc = page_end(r, &page);                      page and all it points to are in the arena
 *
 * References are as written: character references are decoded, nothing is resolved, trimmed or
 * judged. `base` is the first <base href>, to be resolved against the page's own URL and to resolve
 * the rest against. data:, javascript: and mailto: come like any other, a data:
 * URL up to its own limit.
 *
 * Markup in comments gives no links, also not in conditional comments (no browser since 2015 reads
 * them). In <noscript> it does, as for a client without scripts; in <template> too. Markup inside
 * script, style, title, textarea, iframe and noembed is text.
 *
 * Visible text leaves out script, style, template, noscript, title, datalist, iframe, noembed and
 * noframes; white space is made single, and a line feed stands where a block element begins or
 * ends. Attributes such as alt are not in it. NUL and control characters count as white space;
 * no-break spaces stay.
 *
 * Only what `parts` names is done, and paid for. Limits cut and set a flag, never fail. */
#ifndef HTML_PAGE_H
#define HTML_PAGE_H

#include "base/arena.h"
#include "html/names.h"

enum page_parts {
    PAGE_LINKS = 1 << 0,   /* links, base, canonical, robots */
    PAGE_ANCHORS = 1 << 1, /* with their text (a: its content; area, img: alt) */
    PAGE_LAZY = 1 << 2,    /* also what scripts load later: data-src, data-srcset and the like */
    PAGE_HEAD = 1 << 3,    /* title, description, language, canonical, robots */
    PAGE_TEXT = 1 << 4,    /* visible text */
    PAGE_TAGS = 1 << 5,    /* the tags in order */
    PAGE_ALL = (1 << 6) - 1,
};

enum page_link_kind {
    PAGE_NAV = 1,   /* a, area: somewhere a person goes */
    PAGE_FRAME,     /* iframe, frame, portal: a page within the page */
    PAGE_REFRESH,   /* meta refresh */
    PAGE_FORM,      /* form action, method GET only */
    PAGE_EMBED,     /* img, script, media, object, icon, preload: what rendering needs */
    PAGE_STYLE,     /* link rel=stylesheet, @import */
    PAGE_CSS,       /* url() in a style element or attribute */
    PAGE_CANONICAL, /* link rel=canonical */
    PAGE_ALTERNATE, /* link rel=alternate: see hreflang */
    PAGE_LINK,      /* link with any other rel */
    PAGE_HINT,      /* link rel=dns-prefetch, preconnect: an origin, no page */
    PAGE_MANIFEST,  /* html manifest, link rel=manifest */
    PAGE_CITE,      /* cite, longdesc */
    PAGE_SOCIAL,    /* og:image, og:url, twitter:image, ... */
    PAGE_LATER,     /* PAGE_LAZY */
    PAGE_KIND_COUNT
};

/* "nav", "frame", ... */
const char *page_link_kind_name(enum page_link_kind kind);

struct page_link {
    struct str url;
    struct str rel;          /* as written; absent if there is none */
    struct str text;         /* PAGE_ANCHORS; white space made single */
    struct str hreflang;     /* of link and a; absent if there is none */
    struct str element_name; /* lower case */
    enum element element;
    enum attribute attribute; /* ATTR_OTHER for the content of a style element */
    enum page_link_kind kind;
    bool nofollow; /* rel has it */
    bool is_feed;  /* PAGE_ALTERNATE whose type is RSS's, Atom's or RDF's */
};

enum page_robots {
    PAGE_NOINDEX = 1 << 0,
    PAGE_NOFOLLOW = 1 << 1,
    PAGE_NOARCHIVE = 1 << 2,
};

enum page_tag_kind { PAGE_TAG_START, PAGE_TAG_VOID, PAGE_TAG_END };

/* VOID: an element without content (br, or path/ inside svg). The change library makes its letter
 * codes of START and VOID, its level counts of all three (change/codes.h). Ends that a page leaves
 * out are not added. */
struct page_tag {
    struct str name; /* lower case */
    enum page_tag_kind kind;
};

struct page {
    struct page_link *links; /* in the order of the page */
    size_t link_count;
    struct page_tag *tags;
    size_t tag_count;
    struct str base;        /* absent if there is none; likewise the next four */
    struct str canonical;   /* the first */
    struct str title;       /* the first that has text, white space made single */
    struct str description; /* likewise */
    struct str language;    /* lang of html, else meta content-language */
    struct str text;        /* "" if there is none or it was not asked for */
    unsigned robots;        /* bits of enum page_robots, all meta elements together */
    bool links_cut; /* also when a tag or style element was cut: a reference cut off is not given */
    bool text_cut, tags_cut;
};

/* Zeros mean the defaults. */
struct page_options {
    unsigned parts;          /* bits of enum page_parts */
    bool xml;                /* XHTML: see html_options */
    struct str agent;        /* a meta of this name counts like "robots"; any case; may be absent */
    size_t max_links;        /* 50,000 */
    size_t max_tags;         /* 262,144 */
    size_t max_text_bytes;   /* 4 MiB */
    size_t max_anchor_bytes; /* 512 */
    size_t max_data_url_bytes; /* 128, as it is never fetched */
};

enum {
    PAGE_MAX_TITLE_BYTES = 2048,    /* title and description */
    PAGE_MAX_STYLE_BYTES = 1 << 20, /* of one style element; the rest is not looked at */
};

struct page_reader;

MUST_CHECK enum rc page_reader_open(struct page_reader **ret);
void page_reader_close(struct page_reader *r);

/* `arena` must live until page_end; options->agent likewise. May be called again at any time, for
 * another page. */
void page_begin(struct page_reader *r, const struct page_options *options, struct arena *arena);

/* RC_NOMEM also when the arena is full; it sticks. */
MUST_CHECK enum rc page_feed(struct page_reader *r, struct str utf8);

/* On RC_OK fills *ret; its pointers lead into the arena. Otherwise *ret is untouched. */
MUST_CHECK enum rc page_end(struct page_reader *r, struct page *ret);

/* All of it at once. */
MUST_CHECK enum rc page_read(struct page_reader *r, const struct page_options *options,
                             struct str utf8, struct arena *arena, struct page *ret);

/* What "noindex, nofollow" means, in bits of enum page_robots: for meta elements and for the
 * X-Robots-Tag header (without its agent prefix). */
unsigned page_robots_read(struct str content);

#endif
