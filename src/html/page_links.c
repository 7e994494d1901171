/* SPDX-License-Identifier: Apache-2.0 */
/* Which attribute of which element is a reference, and of what kind. */
#include "html/css.h"
#include "html/names_internal.h"
#include "html/page_internal.h"
#include "html/srcset.h"

/* How a value is written. The low bits of a rule are its kind. */
enum {
    KIND_BITS = 0x3f,
    AS_SET = 0x40 /* srcset */,
    AS_LIST = 0x80 /* one URL, or some, by ", " */
};

static const uint8_t rules[ELEMENT_COUNT][ATTR_COUNT] = {
    [ELEMENT_A] = {[ATTR_HREF] = PAGE_NAV, [ATTR_XLINK_HREF] = PAGE_NAV},
    [ELEMENT_AREA] = {[ATTR_HREF] = PAGE_NAV},
    [ELEMENT_APPLET] = {[ATTR_ARCHIVE] = PAGE_EMBED},
    [ELEMENT_AUDIO] = {[ATTR_SRC] = PAGE_EMBED, [ATTR_DATA_SRC] = PAGE_LATER | AS_LIST},
    [ELEMENT_BGSOUND] = {[ATTR_SRC] = PAGE_EMBED},
    [ELEMENT_BLOCKQUOTE] = {[ATTR_CITE] = PAGE_CITE},
    [ELEMENT_BODY] = {[ATTR_BACKGROUND] = PAGE_EMBED},
    [ELEMENT_COMMAND] = {[ATTR_ICON] = PAGE_EMBED},
    [ELEMENT_DEL] = {[ATTR_CITE] = PAGE_CITE},
    [ELEMENT_EMBED] = {[ATTR_SRC] = PAGE_EMBED},
    [ELEMENT_FORM] = {[ATTR_ACTION] = PAGE_FORM},
    [ELEMENT_FRAME] = {[ATTR_SRC] = PAGE_FRAME, [ATTR_LONGDESC] = PAGE_CITE},
    [ELEMENT_HTML] = {[ATTR_MANIFEST] = PAGE_MANIFEST},
    [ELEMENT_IFRAME] = {[ATTR_SRC] = PAGE_FRAME,
                        [ATTR_LONGDESC] = PAGE_CITE,
                        [ATTR_DATA_SRC] = PAGE_LATER | AS_LIST},
    [ELEMENT_IMAGE] = {[ATTR_SRC] = PAGE_EMBED,
                       [ATTR_SRCSET] = PAGE_EMBED | AS_SET,
                       [ATTR_HREF] = PAGE_EMBED,
                       [ATTR_XLINK_HREF] = PAGE_EMBED},
    [ELEMENT_IMG] = {[ATTR_SRC] = PAGE_EMBED,
                     [ATTR_SRCSET] = PAGE_EMBED | AS_SET,
                     [ATTR_LOWSRC] = PAGE_EMBED,
                     [ATTR_DYNSRC] = PAGE_EMBED,
                     [ATTR_LONGDESC] = PAGE_CITE,
                     [ATTR_DATA_SRC] = PAGE_LATER | AS_LIST,
                     [ATTR_DATA_SRC_SMALL] = PAGE_LATER | AS_LIST,
                     [ATTR_DATA_SRC_MEDIUM] = PAGE_LATER | AS_LIST,
                     [ATTR_DATA_FULL_SRC] = PAGE_LATER | AS_LIST,
                     [ATTR_DATA_LAZY] = PAGE_LATER | AS_LIST,
                     [ATTR_DATA_LAZY_SRC] = PAGE_LATER | AS_LIST,
                     [ATTR_DATA_ORIGINAL] = PAGE_LATER | AS_LIST,
                     [ATTR_DATA_SRCSET] = PAGE_LATER | AS_SET,
                     [ATTR_DATA_LAZY_SRCSET] = PAGE_LATER | AS_SET,
                     [ATTR_DATA_ORIGINAL_SET] = PAGE_LATER | AS_SET},
    [ELEMENT_INPUT] = {[ATTR_SRC] = PAGE_EMBED},
    [ELEMENT_INS] = {[ATTR_CITE] = PAGE_CITE},
    [ELEMENT_LINK] = {[ATTR_HREF] = PAGE_LINK, [ATTR_IMAGESRCSET] = PAGE_EMBED | AS_SET},
    [ELEMENT_OBJECT] = {[ATTR_DATA] = PAGE_EMBED},
    [ELEMENT_PORTAL] = {[ATTR_SRC] = PAGE_FRAME},
    [ELEMENT_Q] = {[ATTR_CITE] = PAGE_CITE},
    [ELEMENT_SCRIPT] =
        {[ATTR_SRC] = PAGE_EMBED, [ATTR_HREF] = PAGE_EMBED, [ATTR_XLINK_HREF] = PAGE_EMBED},
    [ELEMENT_SOURCE] = {[ATTR_SRC] = PAGE_EMBED,
                        [ATTR_SRCSET] = PAGE_EMBED | AS_SET,
                        [ATTR_DATA_SRC] = PAGE_LATER | AS_LIST,
                        [ATTR_DATA_SRCSET] = PAGE_LATER | AS_SET,
                        [ATTR_DATA_LAZY_SRCSET] = PAGE_LATER | AS_SET,
                        [ATTR_DATA_ORIGINAL_SET] = PAGE_LATER | AS_SET},
    [ELEMENT_TABLE] = {[ATTR_BACKGROUND] = PAGE_EMBED},
    [ELEMENT_TBODY] = {[ATTR_BACKGROUND] = PAGE_EMBED},
    [ELEMENT_TD] = {[ATTR_BACKGROUND] = PAGE_EMBED},
    [ELEMENT_TFOOT] = {[ATTR_BACKGROUND] = PAGE_EMBED},
    [ELEMENT_TH] = {[ATTR_BACKGROUND] = PAGE_EMBED},
    [ELEMENT_THEAD] = {[ATTR_BACKGROUND] = PAGE_EMBED},
    [ELEMENT_TR] = {[ATTR_BACKGROUND] = PAGE_EMBED},
    [ELEMENT_TRACK] = {[ATTR_SRC] = PAGE_EMBED},
    [ELEMENT_USE] = {[ATTR_HREF] = PAGE_EMBED, [ATTR_XLINK_HREF] = PAGE_EMBED},
    [ELEMENT_VIDEO] = {[ATTR_SRC] = PAGE_EMBED,
                       [ATTR_POSTER] = PAGE_EMBED,
                       [ATTR_DATA_SRC] = PAGE_LATER | AS_LIST},
};

/* What link rel=... is; the first row that is in the list of words decides. */
static const struct {
    struct str rel;
    enum page_link_kind kind;
} rel_kinds[] = {
    {{"canonical", 9}, PAGE_CANONICAL},  {{"stylesheet", 10}, PAGE_STYLE},
    {{"icon", 4}, PAGE_EMBED},           {{"apple-touch-icon", 16}, PAGE_EMBED},
    {{"mask-icon", 9}, PAGE_EMBED},      {{"preload", 7}, PAGE_EMBED},
    {{"modulepreload", 13}, PAGE_EMBED}, {{"manifest", 8}, PAGE_MANIFEST},
    {{"dns-prefetch", 12}, PAGE_HINT},   {{"preconnect", 10}, PAGE_HINT},
    {{"alternate", 9}, PAGE_ALTERNATE},
};

bool page_has_word(struct str list, struct str word)
{
    while (list.n >= word.n) {
        list = str_trim(list);
        size_t n = 0;
        while (n < list.n && !ascii_is_space(list.p[n]))
            n++;
        if (n == word.n && str_starts_nocase(list, word))
            return true;
        if (n == list.n)
            return false;
        list = str_from(list, n + 1);
    }
    return false;
}

static enum page_link_kind kind_of_rel(struct str rel)
{
    for (size_t i = 0; i < sizeof rel_kinds / sizeof *rel_kinds; i++)
        if (page_has_word(rel, rel_kinds[i].rel))
            return rel_kinds[i].kind;
    return PAGE_LINK;
}

struct str page_attr(struct page_reader *r, const struct html_tag *tag, struct str name,
                     struct buf *scratch)
{
    const struct html_attr *attr = html_find_attr(tag, name);
    if (!attr)
        return STR_NONE;
    struct str value = html_value(attr, scratch);
    if (!attr->plain && buf_rc(scratch) != RC_OK)
        page_fail(r, buf_rc(scratch));
    return value;
}

/* An attribute kept in the arena, absent if the tag has none. */
static struct str keep_attr(struct page_reader *r, const struct html_tag *tag, struct str name)
{
    struct str value = page_attr(r, tag, name, &r->scratch2);
    return value.p ? page_keep(r, value) : value;
}

static bool is_data_url(struct str url)
{
    return str_starts_nocase(str_trim(url), STR("data:"));
}

/* A data: URL is never fetched, so only its start is kept; other URLs are kept whole. */
static struct str keep_url(struct page_reader *r, struct str url)
{
    size_t max = r->options.max_data_url_bytes;
    if (url.n > max && is_data_url(url))
        url.n = max;
    return page_keep(r, url);
}

static struct page_link *link_room(struct page_reader *r)
{
    if (r->page.link_count == r->options.max_links) {
        r->page.links_cut = true;
        return NULL;
    }
    char *room = buf_reserve(&r->links, sizeof(struct page_link));
    if (!room) {
        page_fail(r, buf_rc(&r->links));
        return NULL;
    }
    r->links.n += sizeof(struct page_link);
    r->page.link_count++;
    return (struct page_link *)(void *)room;
}

static struct str name_of(struct page_reader *r, const struct html_tag *tag)
{
    if (tag->element)
        return element_name(tag->element);
    return page_keep(r, html_name(tag->name, &r->scratch2));
}

struct page_link *page_link_add(struct page_reader *r, const struct html_tag *tag, struct str url,
                                enum attribute attribute, enum page_link_kind kind)
{
    struct page_link *link = link_room(r);
    if (!link)
        return NULL;
    struct str kept = keep_url(r, url); /* first: the scratch it may be in is used below */
    *link = (struct page_link){.url = kept,
                               .element_name = name_of(r, tag),
                               .element = tag->element,
                               .attribute = attribute,
                               .kind = kind};
    if (tag->attr_count > 1) {
        link->rel = keep_attr(r, tag, STR("rel"));
        link->nofollow = link->rel.n >= 8 && page_has_word(link->rel, STR("nofollow"));
        link->hreflang = keep_attr(r, tag, STR("hreflang"));
    }
    return link;
}

void page_css(struct page_reader *r, const struct html_tag *tag, struct str css,
              enum attribute attribute)
{
    struct css_scan scan;
    struct css_url found;
    buf_clear(&r->scratch2);
    css_scan_init(&scan, css, &r->scratch2);
    while (r->rc == RC_OK && css_scan_next(&scan, &found))
        (void)page_link_add(r, tag, found.raw, attribute, found.is_import ? PAGE_STYLE : PAGE_CSS);
    if (buf_rc(&r->scratch2) == RC_NOMEM)
        page_fail(r, RC_NOMEM);
    buf_clear(&r->scratch2);
}

/* The text of an image or an area is its alternative. */
static void add_alt(struct page_reader *r, const struct html_tag *tag, struct page_link *link)
{
    struct str alt = page_attr(r, tag, STR("alt"), &r->scratch2);
    if (!alt.p)
        return;
    struct squeeze s;
    squeeze_begin(&s, &r->alt_room, r->options.max_anchor_bytes);
    squeeze_add(&s, alt);
    link->text = page_keep(r, buf_str(&r->alt_room));
}

static bool is_feed_type(struct str type)
{
    static const struct str types[] = {
        {"application/rss+xml", 19}, {"application/atom+xml", 20}, {"application/rdf+xml", 19}};
    type = str_trim(type);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (str_starts_nocase(type, types[i]))
            return true;
    return false;
}

static void add_one(struct page_reader *r, const struct html_tag *tag, struct str url,
                    enum attribute attribute, unsigned rule)
{
    enum page_link_kind kind = rule & KIND_BITS;
    size_t at = r->page.link_count;
    struct page_link *link = page_link_add(r, tag, url, attribute, kind);
    if (!link)
        return;
    if (kind == PAGE_LINK)
        link->kind = kind_of_rel(link->rel);
    if (link->kind == PAGE_ALTERNATE)
        link->is_feed = is_feed_type(page_attr(r, tag, STR("type"), &r->scratch2));
    if (link->kind == PAGE_CANONICAL && !r->page.canonical.p)
        r->page.canonical = link->url;
    if (!page_wants(r, PAGE_ANCHORS))
        return;
    if (tag->element == ELEMENT_A) {
        r->anchor_at = (ptrdiff_t)at;
        r->anchor_tables = r->tables;
        squeeze_begin(&r->anchor, &r->anchor_room, r->options.max_anchor_bytes);
        r->wants_text = true;
    } else if (tag->element == ELEMENT_IMG || tag->element == ELEMENT_AREA) {
        add_alt(r, tag, link);
    }
}

/* `cut`: the end of the value is missing, so the last address of a list is not taken. */
static void add_value(struct page_reader *r, const struct html_tag *tag, struct str value, bool cut,
                      enum attribute attribute, unsigned rule)
{
    bool list = (rule & AS_LIST) && str_find_str(value, STR(", ")) < value.n;
    if (!list && !(rule & AS_SET)) {
        if (!cut || is_data_url(value))
            add_one(r, tag, value, attribute, rule);
        else
            r->page.links_cut = true;
        return;
    }
    struct str url;
    r->page.links_cut |= cut;
    while (r->rc == RC_OK && srcset_next(&value, &url))
        if (!cut || value.n)
            add_one(r, tag, url, attribute, rule);
}

static bool attr_is(struct page_reader *r, const struct html_tag *tag, struct str name,
                    struct str value)
{
    return str_eq_nocase(str_trim(page_attr(r, tag, name, &r->scratch2)), value);
}

/* Elements whose reference counts only in one of their forms. */
static bool tag_counts(struct page_reader *r, const struct html_tag *tag)
{
    if (tag->element == ELEMENT_FORM)
        return !attr_is(r, tag, STR("method"), STR("post")) &&
               !attr_is(r, tag, STR("method"), STR("dialog"));
    if (tag->element == ELEMENT_INPUT)
        return attr_is(r, tag, STR("type"), STR("image"));
    return true;
}

/* Some attributes count only inside svg, others only outside. The first of href and xlink:href
 * counts. */
static bool is_elsewhere(const struct page_reader *r, const struct html_tag *tag,
                         enum attribute attribute)
{
    bool svg_only = attribute == ATTR_XLINK_HREF || tag->element == ELEMENT_USE ||
                    (tag->element == ELEMENT_SCRIPT && attribute == ATTR_HREF) ||
                    (tag->element == ELEMENT_IMAGE && attribute == ATTR_HREF);
    if (svg_only && !tokenizer_tag_is_foreign(r->tokenizer))
        return true;
    return attribute == ATTR_XLINK_HREF && html_find_attr(tag, STR("href"));
}

static size_t tag_bytes(const struct html_tag *tag)
{
    size_t bytes = 0;
    for (size_t i = 0; i < tag->attr_count; i++)
        bytes += tag->attrs[i].name.n + tag->attrs[i].value.n;
    return bytes;
}

static bool value_is_cut(const struct html_tag *tag, const struct html_attr *attr)
{
    if (!tag->cut)
        return false;
    bool is_last = attr == &tag->attrs[tag->attr_count - 1];
    return attr->value.n == HTML_MAX_VALUE_BYTES ||
           (is_last && tag_bytes(tag) == HTML_MAX_TAG_BYTES);
}

/* Whether the tag may have had more attributes, which were dropped. */
static bool attrs_are_cut(const struct html_tag *tag)
{
    return tag->cut && (tag->attr_count == HTML_MAX_ATTRS ||
                        tag_bytes(tag) + HTML_MAX_NAME_BYTES >= HTML_MAX_TAG_BYTES);
}

static void page_rules(struct page_reader *r, const struct html_tag *tag)
{
    const uint8_t *row = rules[tag->element];
    for (size_t i = 0; i < tag->attr_count && r->rc == RC_OK; i++) {
        const struct html_attr *attr = &tag->attrs[i];
        /* the bytes up to the value's end are there, whatever the name's length */
        bool readable = attr->value.p + attr->value.n - attr->name.p >= 8;
        enum attribute attribute = attribute_find_fast(attr->name, readable);
        unsigned rule = row[attribute];
        if (!rule || ((rule & KIND_BITS) == PAGE_LATER && !page_wants(r, PAGE_LAZY)))
            continue;
        if (is_elsewhere(r, tag, attribute) || !tag_counts(r, tag))
            continue;
        struct str value = html_value(attr, &r->scratch);
        if (!attr->plain && buf_rc(&r->scratch) != RC_OK)
            page_fail(r, buf_rc(&r->scratch));
        else
            add_value(r, tag, value, value_is_cut(tag, attr), attribute, rule);
    }
}

static void style_attr(struct page_reader *r, const struct html_tag *tag)
{
    struct str css = page_attr(r, tag, STR("style"), &r->scratch);
    if (!css.p || str_find_str(css, STR("(")) == css.n)
        return;
    if (value_is_cut(tag, html_find_attr(tag, STR("style")))) {
        r->page.links_cut = true;
        css = page_css_trim(css);
    }
    page_css(r, tag, css, ATTR_STYLE);
}

void page_links_of(struct page_reader *r, const struct html_tag *tag)
{
    if (element_trait_bits[tag->element] & ELEMENT_LINKS)
        page_rules(r, tag);
    if (tag->attr_bits & html_attr_bit(STR("style")))
        style_attr(r, tag);
    r->page.links_cut |= attrs_are_cut(tag);
}

static const char *const kind_names[PAGE_KIND_COUNT] = {
    [PAGE_NAV] = "nav",   [PAGE_FRAME] = "frame",         [PAGE_REFRESH] = "refresh",
    [PAGE_FORM] = "form", [PAGE_EMBED] = "embed",         [PAGE_STYLE] = "style",
    [PAGE_CSS] = "css",   [PAGE_CANONICAL] = "canonical", [PAGE_ALTERNATE] = "alternate",
    [PAGE_LINK] = "link", [PAGE_HINT] = "hint",           [PAGE_MANIFEST] = "manifest",
    [PAGE_CITE] = "cite", [PAGE_SOCIAL] = "social",       [PAGE_LATER] = "later",
};

const char *page_link_kind_name(enum page_link_kind kind)
{
    return kind > 0 && kind < PAGE_KIND_COUNT ? kind_names[kind] : "";
}
