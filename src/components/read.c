/* SPDX-License-Identifier: Apache-2.0 */
/* read: what an answer says: its text, and everything it refers to, as written.
 *
 * A redirect is a reference. HTML, style sheets, sitemaps and feeds are known by their bytes before
 * their type. Nothing here judges: whether a reference is a URL and belongs to the crawl is
 * intake's business. */
#include "components/services.h"
#include "components/visit.h"

#include "base/mem.h"
#include "fetch/decode.h"
#include "fetch/x_robots.h"
#include "html/charset.h"
#include "html/css.h"
#include "html/page.h"
#include "html/refresh.h"
#include "sitemap/sitemap.h"

enum { DECODED_RATIO = 1000, SNIFFED_BYTES = 1445 };

struct read_settings {
    struct str user_agent;
    uint64_t text_bytes;
    uint64_t links, sitemap_urls;
    bool follow_nofollow;
    struct option_list keywords;
};

#define ROW(kind, field, ...) OPTION_##kind##_ROW(struct read_settings, field, __VA_ARGS__)
static const struct option read_options[] = {
    ROW(TEXT, user_agent, "user-agent", "orbweaver", "whose meta elements count"),
    ROW(SIZE, text_bytes, "text-size", "100M", "a body is unpacked to so many bytes at most",
        .min = 1 << 10, .max = UINT64_C(1) << 30),
    ROW(COUNT, links, "links", "50k", "references taken from a page", .min = 1,
        .max = VISIT_MAX_REFERENCES),
    ROW(COUNT, sitemap_urls, "sitemap-urls", "50k", "references taken from a sitemap or feed",
        .min = 1, .max = VISIT_MAX_REFERENCES),
    ROW(BOOL, follow_nofollow, "follow-nofollow", "no", "follow links that say nofollow"),
    ROW(LIST, keywords, "keywords", NULL, "if there are any, also reads texts, for focus",
        .arg = "WORD,..."),
    {0},
};
#undef ROW

struct read_part {
    struct decoder *decoder;
    struct page_reader *reader;
    struct buf body;    /* codings undone */
    struct buf utf8;    /* of HTML that was in another encoding */
    struct buf gunzip;  /* of a sitemap */
    struct buf scratch; /* small things */
};

static void read_close(struct instance *self)
{
    struct read_part *r = self->state;
    decoder_close(r->decoder);
    page_reader_close(r->reader);
    buf_done(&r->body);
    buf_done(&r->utf8);
    buf_done(&r->gunzip);
    buf_done(&r->scratch);
    mem_free(r);
}

static enum rc read_open(struct instance *self, struct buf *why)
{
    (void)why;
    const struct read_settings *s = self->settings;
    struct read_part *r = mem_zero(1, sizeof *r);
    if (!r)
        return RC_NOMEM;
    self->state = r;
    buf_init(&r->body, s->text_bytes);
    buf_init(&r->utf8, 3 * s->text_bytes);
    buf_init(&r->gunzip, SITEMAP_MAX_BYTES);
    buf_init(&r->scratch, 64 << 10);
    enum rc rc = decoder_open(&r->decoder);
    if (rc == RC_OK)
        rc = page_reader_open(&r->reader);
    if (rc)
        read_close(self);
    return rc;
}

/* Large buffers are for the rare page: they are not kept. */
enum { KEPT_BUFFER_BYTES = 4 << 20 };
static void calm(struct buf *b)
{
    size_t max = b->max;
    if (b->cap <= KEPT_BUFFER_BYTES)
        return;
    buf_done(b);
    buf_init(b, max);
}

/* HTML ----------------------------------------------------------------------------------------- */

/* The letter of a link's kind; 0: not a thing to fetch. A feed is as deep as its page, like a
 * sitemap: what it lists is one deeper. */
static char hop_of(const struct page_link *link)
{
    if (link->is_feed)
        return HOP_PREREQUISITE;
    switch (link->kind) {
    case PAGE_NAV:
    case PAGE_FRAME:
    case PAGE_REFRESH:
    case PAGE_CANONICAL:
    case PAGE_ALTERNATE:
    case PAGE_LINK:
        return HOP_LINK;
    case PAGE_EMBED:
    case PAGE_STYLE:
    case PAGE_CSS:
    case PAGE_MANIFEST:
        return HOP_EMBED;
    default:
        return 0;
    }
}

/* "a/@href". The same few come again and again, so each is printed once a page. */
struct context {
    enum element element;
    enum attribute attribute;
    struct str text;
};

static struct str context_of(struct visit *v, const struct page_link *link, struct context *last)
{
    if (last->text.p && last->element == link->element && last->attribute == link->attribute &&
        link->element != ELEMENT_OTHER)
        return last->text;
    bool is_style = link->attribute == ATTR_OTHER;
    const struct str pieces[] = {link->element_name, STR("/@"),
                                 is_style ? STR("css") : attribute_name(link->attribute)};
    *last = (struct context){link->element, link->attribute, arena_join(v->arena, pieces, 3)};
    return last->text;
}

static void refer_links(const struct read_settings *s, struct visit *v, const struct page *page)
{
    struct context context = {0};
    bool none = (v->robots_bits & PAGE_NOFOLLOW) && !s->follow_nofollow;
    for (size_t i = 0; i < page->link_count; i++) {
        const struct page_link *link = &page->links[i];
        char hop = hop_of(link);
        bool is_embed = hop == HOP_EMBED;
        bool skips = !hop || (!is_embed && (none || (link->nofollow && !s->follow_nofollow)));
        if (v->reference_count >= s->links) {
            v->is_cut = true;
            return;
        }
        if (skips)
            continue;
        if (!visit_refer(v, link->url, hop, context_of(v, link, &context)))
            return;
        v->references[v->reference_count - 1].anchor = link->text;
    }
}

static enum rc read_html(struct read_part *r, const struct read_settings *s, struct visit *v,
                         struct str type)
{
    struct charset_guess g = charset_guess(v->text, type);
    struct str text = str_from(v->text, g.bom_bytes);
    v->charset = g.name;
    if (strcmp(g.name, "UTF-8") != 0) {
        buf_clear(&r->utf8);
        enum rc rc = charset_to_utf8(g.name, text, &r->utf8);
        if (rc == RC_NOMEM)
            return rc;
        text = buf_str(&r->utf8);
    }
    unsigned texts = s->keywords.count ? PAGE_TEXT | PAGE_ANCHORS : 0;
    texts |= v->is_compared ? PAGE_TEXT | PAGE_TAGS : 0;
    struct page_options o = {.parts = PAGE_LINKS | PAGE_HEAD | texts,
                             .xml = v->media == MEDIA_XHTML,
                             .agent = request_robots_token(s->user_agent)};
    struct page page;
    enum rc rc = page_read(r->reader, &o, text, v->arena, &page);
    if (rc)
        return rc;
    v->text = text;
    v->visible = page.text;
    v->tags = page.tags_cut || page.text_cut ? NULL : page.tags;
    v->tag_count = page.tag_count;
    v->title = page.title;
    v->base = page.base;
    v->robots_bits |= page.robots;
    v->is_cut |= page.links_cut;
    v->is_page = v->end.status == 200;
    refer_links(s, v, &page);
    return RC_OK;
}

/* Others --------------------------------------------------------------------------------------- */

static enum rc read_css(struct read_part *r, struct visit *v)
{
    struct css_scan scan;
    struct css_url url;
    buf_clear(&r->scratch);
    css_scan_init(&scan, v->text, &r->scratch);
    while (css_scan_next(&scan, &url)) {
        struct str raw = arena_dup(v->arena, url.raw);
        if (!raw.p || !visit_refer(v, raw, HOP_EMBED, STR("css/url")))
            break;
    }
    return RC_OK;
}

/* What is taken from a sitemap: so many references, and VISIT_MAX_LINK_BYTES of text. */
struct sitemap_taking {
    struct visit *v;
    uint64_t most;
    size_t bytes;
};

/* Pages of other hosts are not taken from a sitemap (F81); resolving decides which those are, so it
 * is intake that leaves them out. */
static enum rc on_entry(void *ctx, const struct sitemap_entry *e)
{
    struct sitemap_taking *t = ctx;
    struct visit *v = t->v;
    bool is_page = e->kind == SITEMAP_PAGE || e->kind == SITEMAP_ALTERNATE;
    char hop = (char)(e->kind == SITEMAP_CHILD ? HOP_PREREQUISITE : is_page ? HOP_LISTED : 0);
    if (!hop)
        return RC_OK;
    t->bytes += e->loc.n;
    if (v->reference_count >= t->most || t->bytes > VISIT_MAX_LINK_BYTES) {
        v->is_cut = true;
        return RC_LIMIT;
    }
    struct str raw = arena_dup(v->arena, e->loc);
    return raw.p && visit_refer(v, raw, hop, STR("sitemap/loc")) ? RC_OK : RC_LIMIT;
}

static enum rc read_sitemap(struct read_part *r, const struct read_settings *s, struct visit *v,
                            struct str type)
{
    struct decode_report report;
    struct sitemap_reader *reader = NULL;
    struct str text = v->text;
    enum rc rc = decoder_gunzip(r->decoder, v->text, SITEMAP_MAX_BYTES, &r->gunzip, &text, &report);
    struct sitemap_taking taking = {.v = v, .most = s->sitemap_urls};
    struct sitemap_options o = {.charset = charset_param(type), .emit = on_entry, .ctx = &taking};
    if (rc == RC_OK)
        rc = sitemap_open(&o, &reader);
    if (rc)
        return rc;
    rc = sitemap_add(reader, text);
    if (rc == RC_OK)
        rc = sitemap_finish(reader, v->answer->outcome == HTTP_WHOLE);
    v->is_cut |= sitemap_summary(reader)->entries_cut || sitemap_summary(reader)->bytes_cut;
    sitemap_close(reader);
    return rc == RC_LIMIT ? RC_OK : rc;
}

static enum rc read_text(struct read_part *r, const struct read_settings *s, struct visit *v)
{
    const struct http_answer *a = v->answer;
    struct decode_report report;
    struct decode_input in = {
        .body = a->body,
        .is_chunked = a->is_chunked && !a->is_not_chunked,
        .content_encoding = v->heads.encoding,
        .max_bytes = s->text_bytes,
        .max_ratio = DECODED_RATIO,
    };
    enum rc rc = decoder_run(r->decoder, &in, &r->body, &v->text, &report);
    if (rc)
        return rc;
    v->note = report.why;
    struct str start = str_first(v->text, SNIFFED_BYTES);
    struct str type = v->heads.type;
    v->media = report.is_unknown ? MEDIA_OTHER : media_of(type, start);
    v->identified = media_identify(start);
    if (visit_is_sitemap(v))
        return read_sitemap(r, s, v, type);
    if (v->media == MEDIA_HTML || v->media == MEDIA_XHTML)
        return read_html(r, s, v, type);
    return v->media == MEDIA_CSS ? read_css(r, v) : RC_OK;
}

/* Headers -------------------------------------------------------------------------------------- */

static bool is_redirect(uint16_t status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* True: the answer leads elsewhere, and its body is of no interest. */
static bool read_redirect(struct visit *v)
{
    if (!is_redirect(v->end.status))
        return false;
    if (!v->heads.location.p)
        return false;
    (void)visit_refer(v, v->heads.location, HOP_REDIRECT, STR("Location"));
    return true;
}

static void read_refresh(const struct read_settings *s, struct visit *v)
{
    struct str to;
    bool none = (v->robots_bits & PAGE_NOFOLLOW) && !s->follow_nofollow;
    if (v->heads.refresh.p && !none && refresh_url(v->heads.refresh, &to))
        (void)visit_refer(v, to, HOP_LINK, STR("Refresh"));
}

/* A part of a page is none (F33), and an error says nothing of the site. */
static bool is_readable(const struct visit *v)
{
    uint16_t status = v->end.status;
    return (status >= 200 && status < 300 && status != 206) || is_redirect(status);
}

static void read_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct read_part *r = self->state;
    const struct read_settings *s = self->settings;
    struct visit *v = visit_of(m);
    enum rc rc = RC_OK;
    if (v->answer && !v->has_other_type && is_readable(v) && !read_redirect(v)) {
        if (v->heads.x_robots.p)
            v->robots_bits =
                x_robots_read(v->answer->head, request_robots_token(s->user_agent), &r->scratch);
        read_refresh(s, v);
        rc = read_text(r, s, v);
    }
    if (rc == RC_NOMEM)
        v->note = "no memory to read it";
    part_emit(self, 0, m);
    calm(&r->body);
    calm(&r->utf8);
    calm(&r->gunzip);
}

const struct part part_read = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "read",
    .help = "finds what an answer says and refers to",
    .inlets = (const struct part_port[]){{"in", VISIT_TYPE, "answers", false}, {0}},
    .outlets = (const struct part_port[]){{"out", VISIT_TYPE, "with references", false}, {0}},
    .options = read_options,
    .settings_bytes = sizeof(struct read_settings),
    .open = read_open,
    .close = read_close,
    .handle = read_handle,
};
