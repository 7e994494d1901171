/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/operate/fetch_page.h"
#include "discovery/seed_path.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "fetch/media.h"
#include "fetch/x_robots.h"
#include "frontier/frontier.h"
#include "host/pace.h"
#include "html/charset.h"
#include "html/css.h"
#include "html/page.h"
#include "net/head.h"
#include "reading/html_links.h"
#include "url/encoding.h"
#include "url/normalise.h"

enum { SNIFFED_BYTES = 1445, UTF8_BYTES = 300 << 20 };

static void set(json_t *to, const char *key, json_t *value)
{
    (void)json_object_set_new(to, key, value);
}

/* jansson refuses text that is not UTF-8, and a server may send any bytes. */
json_t *json_str(struct str s)
{
    struct buf clean = {.max = s.n * 3 + 16};
    if (!s.p)
        return json_null();
    buf_utf8_clean(&clean, s);
    json_t *text = json_stringn(buf_str(&clean).p, clean.n);
    buf_done(&clean);
    return text ? text : json_null();
}

static json_t *robots_words(unsigned bits)
{
    json_t *list = json_array();
    if (bits & PAGE_NOINDEX)
        (void)json_array_append_new(list, json_string("noindex"));
    if (bits & PAGE_NOFOLLOW)
        (void)json_array_append_new(list, json_string("nofollow"));
    if (bits & PAGE_NOARCHIVE)
        (void)json_array_append_new(list, json_string("noarchive"));
    return list;
}

/* Links ---------------------------------------------------------------------------------------- */

struct linking {
    const struct fetch_page *p;
    struct url_parser parser;
    struct url base;
    json_t *links;
    char *room;
    char base_room[URL_ROOM_BYTES];
};

/* Only the rules of the page's own origin are known here. */
static bool robots_forbid(const struct fetch_page *p, const struct url *u)
{
    return p->rules && str_eq(url_before_path(u), url_before_path(p->url)) &&
           !robots_check(p->rules, url_path_query(u)).allowed;
}

/* `hop`: as the crawl follows it from a seed; 0: it does not. */
static void add_link(struct linking *l, struct str raw, const char *kind, char hop,
                     const char *why_not)
{
    json_t *one = json_object();
    struct url u;
    bool is_url = url_parse(&l->parser, raw, &l->base, (struct url_room){l->room, URL_ROOM_BYTES},
                            &u) == RC_OK;
    if (is_url)
        url_normalise(&u, URL_RULES_DEFAULT);
    if (is_url && !why_not && robots_forbid(l->p, &u))
        why_not = "robots.txt forbids it";
    set(one, "url", json_str(is_url ? url_href(&u) : raw));
    set(one, "kind", json_string(kind));
    bool follows = is_url && hop && !why_not;
    enum scope_verdict verdict =
        follows ? scope_check(l->p->scope, &u, str_make(&hop, 1)) : SCOPE_NOT_HTTP;
    set(one, "follows", json_boolean(follows && verdict == SCOPE_IN));
    const char *why = !is_url               ? url_reason_text(l->parser.reason)
                      : why_not             ? why_not
                      : !hop                ? "nothing to fetch"
                      : verdict != SCOPE_IN ? scope_verdict_text(verdict)
                                            : "in scope";
    set(one, "why", json_string(why));
    (void)json_array_append_new(l->links, one);
}

static bool open_linking(struct linking *l, const struct fetch_page *p, json_t *links)
{
    *l = (struct linking){.p = p, .parser = {.idn = p->idn}, .base = *p->url, .links = links};
    l->room = arena_alloc(p->arena, URL_ROOM_BYTES);
    return l->room != NULL;
}

static void add_page_links(struct linking *l, const struct page *page, unsigned bits)
{
    struct url base;
    if (page->base.p &&
        url_parse(&l->parser, page->base, l->p->url,
                  (struct url_room){l->base_room, sizeof l->base_room}, &base) == RC_OK &&
        base.kind != URL_OTHER)
        l->base = base;
    for (size_t i = 0; i < page->link_count; i++) {
        const struct page_link *link = &page->links[i];
        char hop = html_link_hop(link);
        bool is_embed = hop == HOP_EMBED;
        const char *why_not = is_embed               ? NULL
                              : bits & PAGE_NOFOLLOW ? "the page says nofollow"
                              : link->nofollow       ? "the link says nofollow"
                                                     : NULL;
        add_link(l, link->url, page_link_kind_name(link->kind), hop, why_not);
    }
}

/* Pages ---------------------------------------------------------------------------------------- */

static enum rc read_html(struct linking *l, struct str type, bool is_xml, unsigned x_bits,
                         json_t *to)
{
    static const char *const sources[] = {"the byte order mark", "the Content-Type header",
                                          "the page itself", "the look of its bytes", "nothing"};
    const struct fetch_page *p = l->p;
    struct charset_guess g = charset_guess(p->fetched->text, type);
    struct buf utf8 = {.max = UTF8_BYTES};
    struct page_reader *reader = NULL;
    struct page page;
    struct page_options o = {.parts = PAGE_LINKS | PAGE_HEAD, .xml = is_xml, .agent = p->agent};
    struct str text = str_from(p->fetched->text, g.bom_bytes);
    enum rc rc = strcmp(g.name, "UTF-8") != 0 ? charset_to_utf8(g.name, text, &utf8) : RC_OK;
    rc = rc ? rc : page_reader_open(&reader);
    if (rc == RC_OK)
        rc = page_read(reader, &o, utf8.n ? buf_str(&utf8) : text, p->arena, &page);
    if (rc == RC_OK) {
        set(to, "charset", json_string(g.name));
        set(to, "charset_from", json_string(sources[g.source]));
        set(to, "title", json_str(page.title));
        set(to, "description", json_str(page.description));
        set(to, "language", json_str(page.language));
        set(to, "canonical", json_str(page.canonical));
        set(to, "meta_robots", robots_words(page.robots));
        if (url_encoding_open(str_c(g.name), &l->parser.encoding))
            l->parser.encoding = NULL;
        add_page_links(l, &page, page.robots | x_bits);
        url_encoding_close(l->parser.encoding);
        l->parser.encoding = NULL;
    }
    page_reader_close(reader);
    buf_done(&utf8);
    return rc;
}

static void read_css(struct linking *l)
{
    struct buf scratch = {.max = 64 << 10};
    struct css_scan scan;
    struct css_url url;
    css_scan_init(&scan, l->p->fetched->text, &scratch);
    while (css_scan_next(&scan, &url))
        add_link(l, url.raw, "css", HOP_EMBED, NULL);
    buf_done(&scratch);
}

static enum rc read_body(struct linking *l, struct str type, unsigned x_bits, json_t *report)
{
    const struct fetched *f = l->p->fetched;
    struct str start = str_first(f->text, SNIFFED_BYTES);
    enum media media = f->decoded.is_unknown ? MEDIA_OTHER : media_of(type, start);
    json_t *page = json_object();
    enum rc rc = RC_OK;
    set(report, "page", page);
    set(page, "media", json_string(media_name(media)));
    set(page, "said", json_str(media_type(type)));
    set(page, "looks_like", json_str(media_identify(start)));
    set(page, "codings", json_integer(f->decoded.layers));
    set(page, "text_bytes", json_integer((json_int_t)f->text.n));
    if (f->decoded.why)
        set(page, "note", json_string(f->decoded.why));
    if (media == MEDIA_HTML || media == MEDIA_XHTML)
        rc = read_html(l, type, media == MEDIA_XHTML, x_bits, page);
    else if (media == MEDIA_CSS)
        read_css(l);
    return rc;
}

/* The answer ----------------------------------------------------------------------------------- */

static json_t *timing_json(const struct http_timing *t)
{
    return json_pack("{s:I,s:I,s:I,s:I}", "connect_us", (json_int_t)t->connect_us, "tls_us",
                     (json_int_t)t->tls_us, "first_byte_us", (json_int_t)t->first_byte_us,
                     "total_us", (json_int_t)t->total_us);
}

static void answer_json(const struct http_answer *a, json_t *report)
{
    static const char *const cuts[] = {NULL, "length", "time", "disconnect"};
    char room[ADDRESS_TEXT_BYTES];
    struct buf peer = buf_on(room, sizeof room);
    json_t *to = json_object();
    set(report, "answer", to);
    set(to, "outcome", json_string(http_outcome_name(a->outcome)));
    if (a->why)
        set(to, "why", json_string(a->why));
    if (!a->head.n)
        return;
    address_print(&a->peer, &peer);
    set(to, "status", json_integer(a->status));
    set(to, "from", json_str(buf_str(&peer)));
    set(to, "head", json_str(a->head));
    set(to, "body_bytes", json_integer((json_int_t)a->body.n));
    set(to, "bytes", json_integer((json_int_t)a->bytes_in));
    set(to, "timing", timing_json(&a->timing));
    set(to, "chunked", json_boolean(a->is_chunked));
    set(to, "reused", json_boolean(a->is_reused));
    set(to, "http2", json_boolean(a->is_h2));
    set(to, "tls_unverified", json_boolean(a->tls_unverified));
    if (a->cut)
        set(to, "cut_by", json_string(cuts[a->cut]));
}

static bool is_redirect(uint16_t status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

enum rc fetch_page_report(const struct fetch_page *p, json_t *report)
{
    const struct http_answer *a = &p->fetched->answer;
    struct buf scratch = {.max = 64 << 10};
    json_t *links = json_array();
    struct linking *l = mem_zero(1, sizeof *l);
    enum rc rc = l && open_linking(l, p, links) ? RC_OK : RC_NOMEM;
    answer_json(a, report);
    set(report, "links", links);
    if (rc == RC_OK && a->head.n) {
        unsigned bits = x_robots_read(a->head, p->agent, &scratch);
        struct str to = head_get(a->head, STR("Location"), &scratch);
        set(report, "x_robots", robots_words(bits));
        if (is_redirect(a->status) && to.p)
            add_link(l, to, "redirect", HOP_REDIRECT, NULL);
        else
            rc = read_body(l, head_get(a->head, STR("Content-Type"), &scratch), bits, report);
    }
    buf_done(&scratch);
    mem_free(l);
    return rc;
}
