/* SPDX-License-Identifier: Apache-2.0 */
/* page_internal: the inside of the page reader, shared by its source files only. */
#ifndef HTML_PAGE_INTERNAL_H
#define HTML_PAGE_INTERNAL_H

#include "html/page.h"
#include "html/squeeze.h"
#include "html/tokenizer.h"

enum { NO_ANCHOR = -1 };

struct page_reader {
    struct html_tokenizer *tokenizer;
    struct page_options options;
    struct arena *arena;
    enum rc rc;
    struct page page; /* what is known so far; lists are still in the buffers below */

    struct buf links, tags; /* arrays, copied into the arena at the end */
    struct buf text_room, title_room, anchor_room, alt_room, style_room;
    struct buf scratch, scratch2;
    struct squeeze text, title, anchor;

    ptrdiff_t anchor_at;            /* the open a element's index in links, or NO_ANCHOR */
    unsigned tables, anchor_tables; /* open tables, here and where that a element began */
    unsigned hidden;                /* a bit per open element whose text is not visible */
    size_t style_bytes;             /* of the open style element, raw */
    bool in_title, in_style, style_cut, title_done;
    bool wants_text; /* visible text is needed: for itself or for an anchor */
};

static inline bool page_wants(const struct page_reader *r, unsigned parts)
{
    return (r->options.parts & parts) != 0;
}

static inline void page_fail(struct page_reader *r, enum rc rc)
{
    if (r->rc == RC_OK)
        r->rc = rc;
}

/* Copies to the arena. A failure stays in r->rc. */
static inline struct str page_keep(struct page_reader *r, struct str s)
{
    struct str copy = arena_dup(r->arena, s);
    if (!copy.p)
        page_fail(r, RC_NOMEM);
    return copy;
}

/* The attribute's value, decoded; valid until the next call with the same scratch. Absent if the
 * tag has none. */
struct str page_attr(struct page_reader *r, const struct html_tag *tag, struct str name,
                     struct buf *scratch);

/* Adds a link; what the tag says about it (rel, hreflang, alt) is added too. */
struct page_link *page_link_add(struct page_reader *r, const struct html_tag *tag, struct str url,
                                enum attribute attribute, enum page_link_kind kind);

/* The links of a start tag's own attributes. */
void page_links_of(struct page_reader *r, const struct html_tag *tag);

/* A style sheet that was cut, without the address it may end in. */
static inline struct str page_css_trim(struct str css)
{
    while (css.n && css.p[css.n - 1] != ')')
        css.n--;
    return css;
}

/* url() and @import of a style element or attribute. */
void page_css(struct page_reader *r, const struct html_tag *tag, struct str css,
              enum attribute attribute);

void page_meta(struct page_reader *r, const struct html_tag *tag);
void page_head_element(struct page_reader *r, const struct html_tag *tag);

/* True if the list of words, separated by white space, has the word in any case. */
bool page_has_word(struct str list, struct str word);

#endif
