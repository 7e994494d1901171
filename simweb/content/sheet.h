/* SPDX-License-Identifier: Apache-2.0 */
/* sheet: one page while it is written: what it is, what it must hold, and where its bytes go.
 *
 *   content.c fills the sheet ──► html.c ──► head.c, body.c ──► elements.c ──► href.c
 *
 * Which elements a page has follows from the page and v.structure, which sentences from the page
 * and v.text. So that longer sentences push no paragraph off the page, the plan is made with the
 * lengths of the first version: `drift` is how much longer the page is than planned. */
#ifndef CONTENT_SHEET_H
#define CONTENT_SHEET_H

#include "content/href.h"
#include "content/pool.h"

#include "world/version.h"

#include "base/hash.h"

enum { SHEET_MAX_SPANS = 4096, SPAN_LEAST_BYTES = 256 };

/* A piece of the pool that was copied to `at`: it can be sent ready compressed. */
struct span {
    uint32_t at, piece;
};

struct sheet {
    const struct world *world;
    struct pool *pool;
    struct place at;   /* where it is served */
    uint32_t original; /* whose words it has: its own number unless it is a copy */
    struct page page;
    struct version version;
    uint64_t seed; /* of all choices on it */
    bool has_mark; /* a byte order mark comes first */
    bool is_demo_index;
    enum ink ink;
    enum tongue tongue;
    struct href_page href;
    struct links *links;
    uint16_t body[WORLD_MAX_LINKS]; /* those of links that stand in the body, in order */
    uint32_t body_count;
    int64_t drift;
    struct buf *out;
    char site[400]; /* the name of the page's own site as text: links to its home page say it */
    size_t site_bytes;
    struct span spans[SHEET_MAX_SPANS];
    uint32_t span_count;
};

enum sheet_purpose {
    SHEET_MARK = 1,
    SHEET_HEAD,
    SHEET_LEAD,
    SHEET_FOOT,
    SHEET_BOX,
    SHEET_LINKS = 1 << 16,
    SHEET_PIECES = 2 << 16,
    SHEET_SECTIONS = 3 << 16,
};

static inline uint64_t sheet_chance(const struct sheet *s, uint64_t purpose)
{
    return hash64_mix(s->seed + purpose * UINT64_C(0x9e3779b97f4a7c15));
}

/* html.c: the whole page into s->out, as the ink has it (UTF-16 comes later). */
void html_write(struct sheet *s);

/* head.c: <!doctype> to </head>. */
void head_write(struct sheet *s);

/* body.c: <body> to </body>. */
void body_write(struct sheet *s);

/* elements.c: */

/* A piece of the pool. */
void sheet_piece(struct sheet *s, uint32_t piece);

/* Fills in s->site. */
void sheet_name_site(struct sheet *s);

/* UTF-8 text in the page's ink, with < > & as character references. */
void sheet_text(struct sheet *s, struct str utf8);

/* <a>inner</a>; without inner HTML some words for the target. */
void anchor_write(struct sheet *s, const struct link *l, struct str inner);

/* <img>. If `other` is there, it is the second candidate of a srcset. Appends usemap if named. */
void image_element_write(struct sheet *s, const struct link *l, const struct link *other,
                         struct str alt, struct str usemap);

void area_write(struct sheet *s, const struct link *l, uint64_t nth, struct str alt);
void iframe_write(struct sheet *s, const struct link *l);

/* text.c: */

/* The title of a page without the site's name, and that name; UTF-8. A copy has words of its own
 * here: see content_title for the title it shows. */
void page_title_write(const struct world *w, uint32_t host, uint32_t page, struct buf *out);
void site_name_write(const struct world *w, uint32_t host, struct buf *out);

#endif
