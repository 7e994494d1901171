/* SPDX-License-Identifier: Apache-2.0 */
#include "html/page.h"

#include "base/mem.h"
#include "html/names_internal.h"
#include "html/page_internal.h"

enum {
    DEFAULT_MAX_LINKS = 50000,
    DEFAULT_MAX_TAGS = 1 << 18,
    DEFAULT_MAX_TEXT_BYTES = 4 << 20,
    DEFAULT_MAX_ANCHOR_BYTES = 512,
    DEFAULT_MAX_DATA_URL_BYTES = 128,
    ROOM_MAX_BYTES = 1 << 30, /* the lists and texts have limits of their own */
};

/* The elements whose text is not visible, a bit each. */
static unsigned hidden_bit(enum element e)
{
    switch (e) {
    case ELEMENT_SCRIPT:
        return 1 << 0;
    case ELEMENT_STYLE:
        return 1 << 1;
    case ELEMENT_TITLE:
        return 1 << 2;
    case ELEMENT_TEMPLATE:
        return 1 << 3;
    case ELEMENT_NOSCRIPT:
        return 1 << 4;
    case ELEMENT_IFRAME:
        return 1 << 5;
    case ELEMENT_NOEMBED:
        return 1 << 6;
    case ELEMENT_NOFRAMES:
        return 1 << 7;
    case ELEMENT_DATALIST:
        return 1 << 8;
    default:
        return 0;
    }
}

/* Tells the tokenizer which events no handler needs at this point of the page. */
static void listen(struct page_reader *r)
{
    bool ends = page_wants(r, PAGE_TAGS | PAGE_TEXT | PAGE_ANCHORS) || r->in_style || r->in_title;
    bool text = r->wants_text || r->in_style || r->in_title;
    tokenizer_mute(r->tokenizer, !text, !ends);
}

static void note_tag(struct page_reader *r, const struct html_tag *tag)
{
    if (r->page.tag_count == r->options.max_tags) {
        r->page.tags_cut = true;
        return;
    }
    struct page_tag *t = (struct page_tag *)(void *)buf_reserve(&r->tags, sizeof *t);
    if (!t) {
        page_fail(r, buf_rc(&r->tags));
        return;
    }
    bool is_void = (element_trait_bits[tag->element] & ELEMENT_VOID) ||
                   (tag->self_closing &&
                    (tag->element == ELEMENT_OTHER || tokenizer_tag_is_empty(r->tokenizer)));
    t->kind = tag->is_end ? PAGE_TAG_END : is_void ? PAGE_TAG_VOID : PAGE_TAG_START;
    t->name =
        tag->element ? element_name(tag->element) : page_keep(r, html_name(tag->name, &r->scratch));
    r->tags.n += sizeof *t;
    r->page.tag_count++;
}

/* The open a element ends: its link gets the text. */
static void anchor_end(struct page_reader *r)
{
    if (r->anchor_at == NO_ANCHOR)
        return;
    struct page_link *links = (struct page_link *)(void *)r->links.p;
    links[r->anchor_at].text = page_keep(r, buf_str(&r->anchor_room));
    if (buf_rc(&r->anchor_room) != RC_OK)
        page_fail(r, buf_rc(&r->anchor_room));
    r->anchor_at = NO_ANCHOR;
    r->wants_text = page_wants(r, PAGE_TEXT);
    listen(r);
}

/* An a element that was left open ends with the table cell it is in. */
static void table_follow(struct page_reader *r, const struct html_tag *tag)
{
    bool is_table = tag->element == ELEMENT_TABLE;
    if (r->tables && r->tables == r->anchor_tables && (!is_table || tag->is_end))
        anchor_end(r);
    if (is_table && !tag->is_end)
        r->tables++;
    else if (is_table && r->tables)
        r->tables--;
}

static void text_break(struct page_reader *r)
{
    squeeze_break(&r->text);
    if (r->anchor_at != NO_ANCHOR)
        squeeze_space(&r->anchor);
}

static bool is_table_part(enum element e)
{
    return e == ELEMENT_TABLE || e == ELEMENT_TD || e == ELEMENT_TH || e == ELEMENT_TR ||
           e == ELEMENT_TBODY || e == ELEMENT_THEAD || e == ELEMENT_TFOOT || e == ELEMENT_CAPTION;
}

/* Which element's text comes next, and whether it is visible. */
static void text_follow(struct page_reader *r, const struct html_tag *tag, unsigned traits)
{
    if (traits & ELEMENT_BLOCK)
        text_break(r);
    if (is_table_part(tag->element))
        table_follow(r, tag);
    if (tag->element == ELEMENT_BODY)
        r->hidden = 0;
    unsigned bit =
        traits & ELEMENT_HIDDEN || tag->element == ELEMENT_NOSCRIPT ? hidden_bit(tag->element) : 0;
    if (tag->is_end || (bit && tokenizer_tag_is_empty(r->tokenizer)))
        r->hidden &= ~bit;
    else
        r->hidden |= bit;
}

static void style_end(struct page_reader *r, const struct html_tag *tag)
{
    r->in_style = false;
    listen(r);
    if (buf_rc(&r->style_room) == RC_NOMEM)
        page_fail(r, RC_NOMEM);
    struct html_tag bare = {.element = tag->element, .name = tag->name};
    struct str css = buf_str(&r->style_room);
    page_css(r, &bare, r->style_cut ? page_css_trim(css) : css, ATTR_OTHER);
}

static void style_begin(struct page_reader *r)
{
    if (tokenizer_tag_is_empty(r->tokenizer))
        return;
    buf_clear(&r->style_room);
    r->style_bytes = 0;
    r->style_cut = false;
    r->in_style = page_wants(r, PAGE_LINKS);
    listen(r);
}

static void title_begin(struct page_reader *r)
{
    if (r->title_done || !page_wants(r, PAGE_HEAD) || tokenizer_tag_is_empty(r->tokenizer))
        return;
    r->in_title = true;
    listen(r);
    squeeze_begin(&r->title, &r->title_room, PAGE_MAX_TITLE_BYTES);
}

static void title_end(struct page_reader *r)
{
    if (!r->in_title)
        return;
    r->in_title = false;
    listen(r);
    if (buf_rc(&r->title_room) != RC_OK)
        page_fail(r, buf_rc(&r->title_room));
    if (r->title_room.n == 0)
        return; /* empty, or the title of an svg element, whose text is not RCDATA */
    r->title_done = true;
    r->page.title = page_keep(r, buf_str(&r->title_room));
}

static bool is_head_element(enum element e)
{
    return e == ELEMENT_META || e == ELEMENT_BASE || e == ELEMENT_HTML || e == ELEMENT_LINK;
}

static enum rc on_start(void *ctx, const struct html_tag *tag)
{
    struct page_reader *r = ctx;
    unsigned traits = element_trait_bits[tag->element];
    if (page_wants(r, PAGE_TAGS))
        note_tag(r, tag);
    if (page_wants(r, PAGE_TEXT | PAGE_ANCHORS))
        text_follow(r, tag, traits);
    if (tag->element == ELEMENT_A)
        anchor_end(r);
    else if (tag->element == ELEMENT_STYLE)
        style_begin(r);
    else if (tag->element == ELEMENT_TITLE)
        title_begin(r);
    else if (is_head_element(tag->element))
        page_head_element(r, tag);
    bool may_link = (traits & ELEMENT_LINKS) || (tag->attr_bits & html_attr_bit(STR("style")));
    if (may_link && page_wants(r, PAGE_LINKS))
        page_links_of(r, tag);
    if (r->anchor_at != NO_ANCHOR && tag->element == ELEMENT_A) {
        if (tokenizer_tag_is_empty(r->tokenizer))
            anchor_end(r);
        listen(r);
    }
    return r->rc;
}

static enum rc on_end(void *ctx, const struct html_tag *tag)
{
    struct page_reader *r = ctx;
    if (page_wants(r, PAGE_TAGS))
        note_tag(r, tag);
    if (page_wants(r, PAGE_TEXT | PAGE_ANCHORS))
        text_follow(r, tag, element_trait_bits[tag->element]);
    if (tag->element == ELEMENT_A)
        anchor_end(r);
    else if (tag->element == ELEMENT_STYLE && r->in_style)
        style_end(r, tag);
    else if (tag->element == ELEMENT_TITLE)
        title_end(r);
    return r->rc;
}

static void style_text(struct page_reader *r, const struct html_text *text)
{
    struct str raw = str_first(text->raw, PAGE_MAX_STYLE_BYTES - r->style_bytes);
    r->style_bytes += raw.n;
    if (raw.n < text->raw.n)
        r->style_cut = r->page.links_cut = true;
    html_decode(raw, text->kind, false, &r->style_room);
}

static enum rc on_text(void *ctx, const struct html_text *text)
{
    struct page_reader *r = ctx;
    if (r->in_style) {
        style_text(r, text);
        return r->rc;
    }
    bool visible = r->wants_text && !r->hidden;
    bool title = r->in_title && text->kind == HTML_RCDATA;
    if (!visible && !title)
        return r->rc;
    struct str s = html_text(text, &r->scratch);
    if (!text->plain && buf_rc(&r->scratch) != RC_OK)
        return buf_rc(&r->scratch);
    if (title)
        squeeze_add(&r->title, s);
    if (visible && page_wants(r, PAGE_TEXT))
        squeeze_add(&r->text, s);
    if (visible && r->anchor_at != NO_ANCHOR)
        squeeze_add(&r->anchor, s);
    return r->rc;
}

static const struct html_handler handler = {
    .start_tag = on_start,
    .end_tag = on_end,
    .text = on_text,
};

enum { ROOM_COUNT = 9 };

static void list_rooms(struct page_reader *r, struct buf *ret[ROOM_COUNT])
{
    struct buf **to = ret;
    *to++ = &r->links;
    *to++ = &r->tags;
    *to++ = &r->text_room;
    *to++ = &r->title_room;
    *to++ = &r->anchor_room;
    *to++ = &r->alt_room;
    *to++ = &r->scratch;
    *to++ = &r->scratch2;
    *to++ = &r->style_room;
}

enum rc page_reader_open(struct page_reader **ret)
{
    struct buf *rooms[ROOM_COUNT];
    struct page_reader *r = mem_zero(1, sizeof *r);
    if (!r)
        return RC_NOMEM;
    enum rc rc = tokenizer_open(&handler, r, NULL, &r->tokenizer);
    if (rc != RC_OK) {
        mem_free(r);
        return rc;
    }
    list_rooms(r, rooms);
    for (size_t i = 0; i < ROOM_COUNT; i++)
        buf_init(rooms[i], ROOM_MAX_BYTES);
    *ret = r;
    return RC_OK;
}

void page_reader_close(struct page_reader *r)
{
    struct buf *rooms[ROOM_COUNT];
    if (!r)
        return;
    list_rooms(r, rooms);
    for (size_t i = 0; i < ROOM_COUNT; i++)
        buf_done(rooms[i]);
    tokenizer_close(r->tokenizer);
    mem_free(r);
}

static void fill_defaults(struct page_options *o)
{
    o->max_links = o->max_links ? o->max_links : DEFAULT_MAX_LINKS;
    o->max_tags = o->max_tags ? o->max_tags : DEFAULT_MAX_TAGS;
    o->max_text_bytes = o->max_text_bytes ? o->max_text_bytes : DEFAULT_MAX_TEXT_BYTES;
    o->max_data_url_bytes =
        o->max_data_url_bytes ? o->max_data_url_bytes : DEFAULT_MAX_DATA_URL_BYTES;
    o->max_anchor_bytes = o->max_anchor_bytes ? o->max_anchor_bytes : DEFAULT_MAX_ANCHOR_BYTES;
}

void page_begin(struct page_reader *r, const struct page_options *options, struct arena *arena)
{
    struct html_options how = {.follow_content = true, .xml = options->xml};
    tokenizer_reset(r->tokenizer, &how);
    r->options = *options;
    fill_defaults(&r->options);
    r->arena = arena;
    r->rc = RC_OK;
    r->page = (struct page){0};
    buf_clear(&r->links);
    buf_clear(&r->tags);
    squeeze_begin(&r->text, &r->text_room, r->options.max_text_bytes);
    r->anchor_at = NO_ANCHOR;
    r->tables = 0;
    r->hidden = 0;
    r->in_title = r->in_style = r->title_done = false;
    r->wants_text = page_wants(r, PAGE_TEXT);
    listen(r);
}

enum rc page_feed(struct page_reader *r, struct str utf8)
{
    enum rc rc = tokenizer_feed(r->tokenizer, utf8);
    return rc != RC_OK ? rc : r->rc;
}

/* A list as it stands in a buf, in the arena. */
static void *keep_list(struct page_reader *r, const struct buf *b)
{
    if (b->n == 0)
        return NULL;
    void *to = arena_alloc(r->arena, b->n);
    if (!to)
        page_fail(r, RC_NOMEM);
    else
        memcpy(to, b->p, b->n);
    return to;
}

enum rc page_end(struct page_reader *r, struct page *ret)
{
    enum rc rc = tokenizer_finish(r->tokenizer);
    if (rc != RC_OK)
        return rc;
    anchor_end(r);
    title_end(r);
    if (r->in_style)
        style_end(r, &(struct html_tag){.element = ELEMENT_STYLE});
    if (buf_rc(&r->text_room) != RC_OK)
        page_fail(r, buf_rc(&r->text_room));
    r->page.text = page_keep(r, buf_str(&r->text_room));
    r->page.text_cut = r->text.cut;
    r->page.links = keep_list(r, &r->links);
    r->page.tags = keep_list(r, &r->tags);
    if (r->rc == RC_OK)
        *ret = r->page;
    return r->rc;
}

enum rc page_read(struct page_reader *r, const struct page_options *options, struct str utf8,
                  struct arena *arena, struct page *ret)
{
    page_begin(r, options, arena);
    enum rc rc = page_feed(r, utf8);
    return rc != RC_OK ? rc : page_end(r, ret);
}
