/* SPDX-License-Identifier: Apache-2.0 */
#include "sitemap/record.h"

#include "base/utf8.h"
#include "sitemap/date.h"
#include "sitemap/refs.h"
#include "sitemap/value.h"

bool record_is_url(struct str s)
{
    return str_starts_nocase(s, STR("http://")) || str_starts_nocase(s, STR("https://"));
}

/* Emitting */

static void emit(struct record *r, const struct sitemap_entry *entry)
{
    bool is_extra = entry->kind > SITEMAP_CHILD;
    uint32_t *count = is_extra ? &r->summary->extras : &r->summary->entries;
    if (r->summary->entries >= r->max_entries || (is_extra && *count >= r->max_extras)) {
        *(is_extra ? &r->summary->extras_cut : &r->summary->entries_cut) += 1;
        return;
    }
    if (r->rc)
        return;
    *count += 1;
    r->rc = r->emit(r->ctx, entry);
}

static void emit_extra(struct record *r, enum sitemap_kind kind, struct str loc, struct str lang)
{
    struct sitemap_entry extra = {.kind = kind,
                                  .number = r->entry.number,
                                  .loc = loc,
                                  .priority_permille = SITEMAP_NO_PRIORITY,
                                  .lang = lang};
    emit(r, &extra);
}

static void record_clear(struct record *r, enum sitemap_kind kind)
{
    r->entry = (struct sitemap_entry){
        .kind = kind, .number = r->entry.number, .priority_permille = SITEMAP_NO_PRIORITY};
    r->other = STR_NONE;
    r->date_rank = 0;
    r->inside = EL_NONE;
}

static void record_open(struct record *r, enum sitemap_kind kind)
{
    record_clear(r, kind);
    r->entry.number++;
    r->is_open = true;
}

static void record_close(struct record *r)
{
    if (!r->is_open)
        return;
    r->is_open = false;
    r->inside = EL_NONE;
    if (r->entry.loc.n == 0)
        r->entry.loc = r->other;
    if (r->entry.loc.n == 0) {
        r->summary->without_loc++;
        return;
    }
    r->entry.has_lastmod_ms = sitemap_date_parse(r->entry.lastmod, &r->entry.lastmod_ms);
    emit(r, &r->entry);
}

/* Capturing */

static void capture_begin(struct record *r, enum field field, enum element element)
{
    struct capture *c = &r->capture;
    *c = (struct capture){.field = field, .element = element, .max = SITEMAP_LOC_MAX_BYTES};
    if (field == FIELD_LOC || field == FIELD_OWN) {
        c->room = r->loc_room;
    } else if (field == FIELD_OTHER) {
        c->room = r->other_room;
    } else if (field == FIELD_EXTRA) {
        c->room = r->extra_room;
    } else {
        c->room = field == FIELD_LASTMOD ? r->date_room : r->word_room;
        c->max = SITEMAP_DATE_MAX_BYTES;
    }
    r->xml->want_text = true;
}

static void capture_drop(struct record *r)
{
    r->capture.field = FIELD_NONE;
    r->xml->want_text = false;
}

void record_text(void *ctx, struct str piece)
{
    struct capture *c = &((struct record *)ctx)->capture;
    if (piece.n > c->max - c->n)
        c->is_over = true;
    if (c->is_over)
        return;
    memcpy(c->room + c->n, piece.p, piece.n);
    c->n += piece.n;
}

void record_text_end(void *ctx, bool is_cdata)
{
    struct record *r = ctx;
    struct capture *c = &r->capture;
    if (!is_cdata && c->n > c->run)
        c->n = c->run + refs_decode(c->room + c->run, c->n - c->run, &r->summary->refs_dropped);
    c->run = c->n;
}

/* Trimmed and made valid UTF-8, in `room`; absent where it then has no room. */
static struct str value_of(struct record *r, char *room, size_t n, size_t max)
{
    struct str s = value_trim(str_make(room, n));
    if (utf8_valid(s) == s.n)
        return s;
    struct buf clean = buf_on(r->clean_room, max);
    buf_utf8_clean(&clean, s);
    if (buf_rc(&clean) != RC_OK)
        return STR_NONE;
    memcpy(room, clean.p, clean.n);
    return str_make(room, clean.n);
}

/* A URL longer than its room is dropped, never cut: half a URL is another URL. */
static struct str url_of(struct record *r, char *room, size_t n, bool is_over)
{
    struct str s = is_over ? STR_NONE : value_of(r, room, n, SITEMAP_LOC_MAX_BYTES);
    r->summary->too_long += s.p ? 0 : 1;
    return s;
}

static void capture_keep(struct record *r, const struct capture *c)
{
    if (c->field <= FIELD_EXTRA) {
        struct str url = url_of(r, c->room, c->n, c->is_over);
        if (c->field == FIELD_LOC || (c->field == FIELD_OWN && record_is_url(url)))
            r->entry.loc = url;
        else if (c->field == FIELD_OTHER && record_is_url(url))
            r->other = url;
        else if (c->field == FIELD_EXTRA && url.n)
            emit_extra(r, c->kind, url, STR_NONE);
        return;
    }
    struct str word = c->is_over ? STR_NONE : value_of(r, c->room, c->n, c->max);
    if (c->field == FIELD_CHANGEFREQ) {
        r->entry.changefreq = value_changefreq(word);
    } else if (c->field == FIELD_PRIORITY) {
        r->entry.priority_permille = value_priority(word);
    } else {
        r->entry.lastmod = word;
        r->date_rank = word.p ? c->date_rank : 0;
    }
}

static void capture_end(struct record *r)
{
    struct capture c = r->capture;
    if (c.field == FIELD_NONE)
        return;
    capture_drop(r);
    /* What is too long to be white space or a URL was no URL of a <loc> that is missing. */
    if (c.field == FIELD_OWN && c.is_over)
        return;
    capture_keep(r, &c);
}

/* Attributes */

struct attrs {
    struct str href, url, rel, lang, type, medium, about;
};

static struct attrs attrs_of(struct str text)
{
    struct attrs a = {0};
    const struct {
        struct str name;
        struct str *value;
    } wanted[] = {
        {STR("href"), &a.href},   {STR("url"), &a.url},       {STR("rel"), &a.rel},
        {STR("type"), &a.type},   {STR("hreflang"), &a.lang}, {STR("medium"), &a.medium},
        {STR("about"), &a.about},
    };
    struct str name, value;
    while (xml_attr_next(&text, &name, &value))
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if (!wanted[i].value->p && str_eq_nocase(name, wanted[i].name))
                *wanted[i].value = value;
    return a;
}

/* The value of an attribute as a URL in `room`; absent if there is none. */
static struct str attr_url(struct record *r, struct str value, char *room)
{
    if (value.n == 0)
        return STR_NONE;
    if (value.n > SITEMAP_LOC_MAX_BYTES) {
        r->summary->too_long++;
        return STR_NONE;
    }
    memcpy(room, value.p, value.n);
    return url_of(r, room, refs_decode(room, value.n, &r->summary->refs_dropped), false);
}

/* A tag of a language, which has letters, digits and hyphens; absent for anything else. */
static struct str attr_lang(struct str value)
{
    value = str_trim(value);
    for (size_t i = 0; i < value.n; i++)
        if (!ascii_is_alnum(value.p[i]) && value.p[i] != '-' && value.p[i] != '_')
            return STR_NONE;
    return value.n <= SITEMAP_DATE_MAX_BYTES ? value : STR_NONE;
}

static void attr_media(struct record *r, const struct attrs *a, bool is_image)
{
    struct str url = attr_url(r, a->url.p ? a->url : a->href, r->extra_room);
    is_image |= str_starts_nocase(a->type, STR("image/")) || str_eq_nocase(a->medium, STR("image"));
    if (url.n)
        emit_extra(r, is_image ? SITEMAP_IMAGE : SITEMAP_MEDIA, url, STR_NONE);
}

static bool rel_is(struct str rel, struct str what)
{
    while (rel.p)
        if (str_eq_nocase(str_trim(str_take_until(&rel, ' ')), what))
            return true;
    return false;
}

/* <link href> of Atom, also within RSS, and <xhtml:link> of a sitemap. */
static void link_by_attrs(struct record *r, const struct attrs *a)
{
    bool is_feed = r->format == SITEMAP_RSS || r->format == SITEMAP_ATOM;
    if (is_feed && rel_is(a->rel, STR("enclosure"))) {
        attr_media(r, a, false);
        return;
    }
    if (a->rel.n && !rel_is(a->rel, STR("alternate")))
        return;
    if (is_feed && r->entry.loc.n == 0) {
        r->entry.loc = attr_url(r, a->href, r->loc_room);
        return;
    }
    struct str url = attr_url(r, a->href, r->extra_room);
    if (url.n)
        emit_extra(r, SITEMAP_ALTERNATE, url, attr_lang(a->lang));
}

/* Tags that begin */

static void begin_record(struct record *r, enum element element, const struct xml_tag *tag)
{
    record_close(r);
    record_open(r, element == EL_SITEMAP ? SITEMAP_CHILD : SITEMAP_PAGE);
    if (element == EL_ITEM) {
        struct attrs a = attrs_of(tag->attrs);
        struct str about = attr_url(r, a.about, r->other_room);
        r->other = record_is_url(about) ? about : STR_NONE;
    }
    if (tag->is_empty)
        record_close(r);
    else if (element == EL_URL || element == EL_SITEMAP)
        capture_begin(r, FIELD_OWN, element);
}

static void begin_loc(struct record *r)
{
    if (r->inside == EL_IMAGE) {
        capture_begin(r, FIELD_EXTRA, EL_LOC);
        r->capture.kind = SITEMAP_IMAGE;
    } else if (r->inside == EL_NONE) {
        enum sitemap_kind kind = r->is_open                   ? r->entry.kind
                                 : r->format == SITEMAP_INDEX ? SITEMAP_CHILD
                                                              : SITEMAP_PAGE;
        if (r->entry.loc.n)
            record_close(r);
        if (!r->is_open)
            record_open(r, kind);
        capture_begin(r, FIELD_LOC, EL_LOC);
    }
}

static void begin_date(struct record *r, enum element element, uint8_t rank)
{
    if (!r->is_open || r->inside || rank <= r->date_rank)
        return;
    capture_begin(r, FIELD_LASTMOD, element);
    r->capture.date_rank = rank;
    r->entry.lastmod = STR_NONE; /* its room is written over */
}

static void begin_field(struct record *r, enum field field, enum element element)
{
    if (r->is_open && !r->inside)
        capture_begin(r, field, element);
}

static void begin_link(struct record *r, const struct xml_tag *tag)
{
    if (!r->is_open || r->inside)
        return;
    struct attrs a = attrs_of(tag->attrs);
    if (a.href.p)
        link_by_attrs(r, &a);
    else if (r->format == SITEMAP_RSS && r->entry.loc.n == 0)
        capture_begin(r, FIELD_LOC, EL_LINK);
}

static void begin_video_loc(struct record *r, enum element element)
{
    if (!r->is_open)
        return;
    capture_begin(r, FIELD_EXTRA, element);
    r->capture.kind = element == EL_THUMBNAIL_LOC ? SITEMAP_IMAGE : SITEMAP_MEDIA;
}

/* <enclosure url>, <media:content url>, <media:thumbnail url> */
static void begin_media(struct record *r, enum element element, const struct xml_tag *tag)
{
    if (!r->is_open || r->inside)
        return;
    struct attrs a = attrs_of(tag->attrs);
    if (a.url.p)
        attr_media(r, &a, element == EL_THUMBNAIL);
    else if (element == EL_CONTENT && !tag->is_empty)
        r->inside = EL_CONTENT;
}

static void begin_part(struct record *r, enum element element)
{
    if (r->is_open && !r->inside)
        r->inside = element;
}

static enum sitemap_format format_of(enum element element)
{
    switch (element) {
    case EL_URLSET:
    case EL_URL:
        return SITEMAP_URLSET;
    case EL_SITEMAPINDEX:
    case EL_SITEMAP:
        return SITEMAP_INDEX;
    case EL_RSS:
    case EL_RDF:
    case EL_ITEM:
        return SITEMAP_RSS;
    case EL_FEED:
    case EL_ENTRY:
        return SITEMAP_ATOM;
    case EL_HTML:
        return SITEMAP_HTML;
    default:
        return SITEMAP_NONE;
    }
}

/* Whether an element begins a record in files of this format: RSS has a <url> in its <image>. */
static bool is_record(const struct record *r, enum element element)
{
    switch (element) {
    case EL_URL:
    case EL_SITEMAP:
        return r->format == SITEMAP_URLSET || r->format == SITEMAP_INDEX;
    case EL_ITEM:
        return r->format == SITEMAP_RSS;
    case EL_ENTRY:
        return r->format == SITEMAP_ATOM;
    default:
        return false;
    }
}

static bool is_map(const struct record *r)
{
    return r->format == SITEMAP_URLSET || r->format == SITEMAP_INDEX;
}

static void begin_of_map(struct record *r, enum element element)
{
    switch (element) {
    case EL_LOC:
        begin_loc(r);
        break;
    case EL_LASTMOD:
        begin_date(r, element, 2);
        break;
    case EL_CHANGEFREQ:
        begin_field(r, FIELD_CHANGEFREQ, element);
        break;
    case EL_PRIORITY:
        begin_field(r, FIELD_PRIORITY, element);
        break;
    case EL_CONTENT_LOC:
    case EL_PLAYER_LOC:
    case EL_THUMBNAIL_LOC:
        begin_video_loc(r, element);
        break;
    default:
        break;
    }
}

static void begin_of_feed(struct record *r, enum element element, const struct xml_tag *tag)
{
    switch (element) {
    case EL_GUID:
    case EL_ID:
        if (r->other.n == 0) /* the first that is a URL stays in its room */
            begin_field(r, FIELD_OTHER, element);
        break;
    case EL_ENCLOSURE:
    case EL_THUMBNAIL:
    case EL_CONTENT:
        begin_media(r, element, tag);
        break;
    case EL_PUBDATE:
    case EL_UPDATED:
    case EL_MODIFIED:
        begin_date(r, element, 2);
        break;
    case EL_DATE:
    case EL_PUBLISHED:
    case EL_ISSUED:
    case EL_CREATED:
        begin_date(r, element, 1);
        break;
    default:
        break;
    }
}

/* Looks at each byte once, however often it is asked. */
static bool is_blank(struct capture *c)
{
    if (value_trim(str_make(c->room + c->blank, c->n - c->blank)).n)
        return false;
    c->blank = c->n;
    return true;
}

/* <loc><url>http://...</url></loc> is seen in the wild: such a <url> begins nothing. */
static bool is_within_loc(struct record *r, enum element element)
{
    struct capture *c = &r->capture;
    if (c->field != FIELD_LOC || (element != EL_URL && element != EL_SITEMAP) || !is_map(r))
        return false;
    if (c->nested == UINT8_MAX || c->is_over || !is_blank(c))
        return false;
    c->nested++;
    return true;
}

static void tag_begins(struct record *r, enum element element, const struct xml_tag *tag)
{
    if (!tag->is_empty && is_within_loc(r, element))
        return;
    capture_end(r);
    if (is_record(r, element))
        begin_record(r, element, tag);
    else if (element == EL_LINK)
        begin_link(r, tag);
    else if (element >= EL_IMAGE && element <= EL_SOURCE && !tag->is_empty)
        begin_part(r, element);
    else if (is_map(r))
        begin_of_map(r, element);
    else
        begin_of_feed(r, element, tag);
    if (tag->is_empty)
        capture_end(r);
}

/* Tags that end */

static void tag_ends(struct record *r, enum element element)
{
    struct capture *c = &r->capture;
    if (c->field && c->nested && (element == EL_URL || element == EL_SITEMAP)) {
        c->nested--;
        return;
    }
    capture_end(r);
    if (element == r->inside)
        r->inside = EL_NONE;
    else if (is_record(r, element) || (element >= EL_URLSET && element <= EL_FEED))
        record_close(r);
}

void record_html(void *ctx)
{
    struct record *r = ctx;
    if (r->format == SITEMAP_NONE)
        r->format = SITEMAP_HTML;
}

void record_tag(void *ctx, const struct xml_tag *tag)
{
    struct record *r = ctx;
    if (r->format == SITEMAP_HTML)
        return;
    enum element element = element_of(tag->local);
    if (r->capture.field == FIELD_OWN && !tag->is_end)
        capture_end(r);
    if (element == EL_NONE)
        return;
    if (r->format == SITEMAP_NONE && !tag->is_end)
        r->format = format_of(element);
    if (r->format == SITEMAP_NONE || r->format == SITEMAP_HTML)
        return;
    if (tag->is_end)
        tag_ends(r, element);
    else
        tag_begins(r, element, tag);
}

void record_line(struct record *r, struct str line, bool is_over)
{
    memcpy(r->loc_room, line.p, line.n);
    r->entry.number++;
    struct str url = url_of(r, r->loc_room, line.n, is_over);
    if (!url.p || url.n == 0)
        return;
    record_clear(r, SITEMAP_PAGE);
    r->entry.loc = url;
    if (record_is_url(url))
        emit(r, &r->entry);
    else
        r->summary->without_loc++;
}

void record_finish(struct record *r, bool text_is_whole)
{
    if (text_is_whole)
        capture_end(r);
    else
        capture_drop(r);
    record_close(r);
}
