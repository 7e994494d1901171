/* SPDX-License-Identifier: Apache-2.0 */
#include "content/content.h"

#include "content/cache.h"
#include "content/coding.h"
#include "content/feed.h"
#include "content/looks.h"
#include "content/purpose.h"
#include "content/sheet.h"
#include "content/xml.h"
#include "world/put.h"

#include "base/mem.h"

enum { CACHE_BYTES = 32 << 20, BODY_BYTES = 64 << 20 };

struct content {
    const struct world *world;
    struct pool *pools[TONGUE_COUNT_][INK_COUNT_]; /* made when first needed; NULL until then */
    struct cache *cache;
    struct sheet *sheet; /* for the page at hand */
    struct links *links;
    struct buf body; /* before it is coded */
};

static struct pool *content_pool(struct content *c, enum tongue tongue, enum ink ink)
{
    struct pool **at = &c->pools[tongue][ink];
    if (!*at) {
        uint64_t seed = world_chance(c->world, PURPOSE_POOL, tongue, ink == INK_ASCII);
        *at = pool_open(tongue, ink, world_settings(c->world)->demo, seed);
    }
    return *at;
}

struct content *content_open(const struct world *w)
{
    struct content *c = mem_zero(1, sizeof *c);
    if (!c)
        return NULL;
    c->world = w;
    c->body.max = BODY_BYTES;
    c->cache = cache_open(CACHE_BYTES);
    c->sheet = mem_alloc(sizeof *c->sheet);
    c->links = mem_alloc(sizeof *c->links);
    bool good = c->cache && c->sheet && c->links && content_pool(c, TONGUE_ENGLISH, INK_UTF8) &&
                content_pool(c, TONGUE_ENGLISH, INK_ASCII);
    if (good)
        return c;
    content_close(c);
    return NULL;
}

void content_close(struct content *c)
{
    if (!c)
        return;
    for (unsigned t = 0; t < TONGUE_COUNT_; t++)
        for (unsigned i = 0; i < INK_COUNT_; i++)
            pool_close(c->pools[t][i]);
    cache_close(c->cache);
    mem_free(c->sheet);
    mem_free(c->links);
    buf_done(&c->body);
    mem_free(c);
}

/* Facts -------------------------------------------------------------------------------------- */

static bool page_is_copy(const struct page *p)
{
    return p->role == PAGE_DUPLICATE || p->role == PAGE_NEAR_DUPLICATE;
}

static const char *page_type(const struct page *p)
{
    static const char *const types[CHARSET_COUNT_] = {
        [CHARSET_UTF8] = "text/html; charset=utf-8",
        [CHARSET_WINDOWS_1252] = "text/html; charset=windows-1252",
        [CHARSET_SHIFT_JIS] = "text/html; charset=shift_jis",
        [CHARSET_KOI8_R] = "text/html; charset=koi8-r",
        [CHARSET_UTF16LE] = "text/html; charset=utf-16le",
    };
    bool said = p->charset_said == CHARSET_IN_HEADER || p->charset_said == CHARSET_IN_BOTH;
    return said ? types[p->charset] : "text/html";
}

static const char *file_type(const struct world *w, struct place p)
{
    switch (p.kind) {
    case PLACE_STYLE:
        return "text/css";
    case PLACE_SCRIPT:
        return "text/javascript";
    case PLACE_ROBOTS:
        return "text/plain; charset=utf-8";
    case PLACE_SITEMAP_INDEX:
        return "application/xml";
    case PLACE_SITEMAP:
        return p.nth & 1 ? "application/gzip" : "application/xml";
    case PLACE_FEED:
        return feed_is_atom(w, p.host) ? "application/atom+xml" : "application/rss+xml";
    default:
        return image_type(w, p);
    }
}

static bool is_codable(struct place p)
{
    switch (p.kind) {
    case PLACE_IMAGE:
    case PLACE_STYLE_IMAGE:
    case PLACE_ICON:
        return false;
    case PLACE_SITEMAP:
        return !(p.nth & 1);
    default:
        return true;
    }
}

/* Of what the bytes depend on. A page shows its images by name, so theirs is not part of its. */
static uint64_t tag_of(const struct world *w, struct place p, struct version v)
{
    bool is_image = p.kind == PLACE_IMAGE;
    uint64_t place = (uint64_t)p.host << 32 | p.page;
    uint64_t state = is_image ? v.image : (uint64_t)v.structure << 32 | v.text;
    if (p.kind != PLACE_IMAGE && p.kind != PLACE_PAGE)
        state = v.changed_ms;
    return world_chance(w, PURPOSE_ETAG, place,
                        hash64_mix(state) + (uint64_t)p.nth * PLACE_KINDS_ + p.kind);
}

struct content_facts content_facts(const struct content *c, struct place p, struct version v)
{
    struct content_facts f = {.etag = tag_of(c->world, p, v), .changed_ms = v.changed_ms};
    f.codable = is_codable(p);
    if (p.kind == PLACE_PAGE) {
        struct page page = page_of(c->world, p.host, p.page);
        f.type = page_type(&page);
        f.robots_tag = page.role == PAGE_NOFOLLOW && page.nofollow_header ? "nofollow" : NULL;
    } else {
        f.type = file_type(c->world, p);
    }
    return f;
}

/* Bodies ------------------------------------------------------------------------------------- */

/* Which text a page has: its own tongue if the ink has letters for it, else English. */
static enum tongue tongue_of(const struct world *w, uint32_t host, uint32_t page, enum ink ink)
{
    static const enum tongue own[INK_COUNT_] = {
        [INK_1252] = TONGUE_LATIN, [INK_SHIFT_JIS] = TONGUE_JAPANESE, [INK_KOI8] = TONGUE_RUSSIAN};
    enum tongue t = page_words(w, host, page).tongue;
    return ink == INK_UTF8 || own[ink] == t ? t : TONGUE_ENGLISH;
}

/* All that a page is, before its first byte; false without memory. */
static bool sheet_begin(struct content *c, struct place p, struct version v, struct buf *out)
{
    struct sheet *s = c->sheet;
    const struct world *w = c->world;
    s->world = w;
    s->at = p;
    s->page = page_of(w, p.host, p.page);
    bool copy = page_is_copy(&s->page);
    s->original = copy ? s->page.same_as : p.page;
    s->version = v;
    s->seed = world_chance(w, PURPOSE_PAGE, p.host, s->original);
    s->has_mark = s->page.charset == CHARSET_UTF16LE ||
                  (s->page.charset == CHARSET_UTF8 && s->page.charset_said == CHARSET_UNSAID &&
                   (sheet_chance(s, SHEET_MARK) & 1));
    s->ink = ink_of(&s->page, s->has_mark);
    s->is_demo_index = world_settings(w)->demo && p.host == 0 && s->original == 0;
    s->tongue = tongue_of(w, p.host, s->original, s->ink);
    s->pool = content_pool(c, s->tongue, s->ink);
    bool guessed = s->page.charset_said == CHARSET_UNSAID && !s->has_mark;
    href_page_init(&s->href, w, p, s->page.has_base, copy || s->page.has_duplicate,
                   guessed ? INK_ASCII : s->ink);
    s->links = c->links;
    links_of(w, p, s->links);
    s->drift = 0;
    s->out = out;
    s->span_count = 0;
    sheet_name_site(s);
    return s->pool != NULL;
}

static void page_write(struct content *c, struct place p, struct version v, struct buf *out)
{
    if (!sheet_begin(c, p, v, out)) {
        out->rc = RC_NOMEM;
        return;
    }
    if (c->sheet->page.charset != CHARSET_UTF16LE) {
        c->sheet->drift = (int64_t)out->n; /* what the caller had there is none of the page */
        html_write(c->sheet);
        return;
    }
    buf_clear(&c->body);
    c->sheet->out = &c->body;
    html_write(c->sheet);
    PUT(out, "\xff\xfe");
    ink_widen(buf_str(&c->body), out);
    if (out->rc == RC_OK)
        out->rc = c->body.rc;
}

static void sitemap_part_write(struct content *c, struct place p, struct version v, struct buf *out)
{
    if (!(p.nth & 1)) {
        sitemap_write(c->world, c->links, v, out);
        return;
    }
    struct buf text = {.max = BODY_BYTES};
    sitemap_write(c->world, c->links, v, &text);
    enum rc rc = text.rc == RC_OK ? content_encode(CODING_GZIP, buf_str(&text), out) : text.rc;
    if (out->rc == RC_OK)
        out->rc = rc;
    buf_done(&text);
}

static void identity_write(struct content *c, struct place p, struct version v, struct buf *out)
{
    const struct world *w = c->world;
    switch (p.kind) {
    case PLACE_PAGE:
        page_write(c, p, v, out);
        break;
    case PLACE_IMAGE:
    case PLACE_STYLE_IMAGE:
    case PLACE_ICON:
        image_write(w, p, v, out);
        break;
    case PLACE_STYLE:
        style_write(w, p.host, out);
        break;
    case PLACE_SCRIPT:
        script_write(w, p.host, out);
        break;
    case PLACE_ROBOTS:
        robots_txt_write(w, p.host, out);
        break;
    case PLACE_SITEMAP_INDEX:
        links_of(w, p, c->links);
        sitemap_index_write(w, c->links, v, out);
        break;
    case PLACE_SITEMAP:
        links_of(w, p, c->links);
        sitemap_part_write(c, p, v, out);
        break;
    case PLACE_FEED:
        links_of(w, p, c->links);
        feed_write(w, p.host, v, c->links, out);
        break;
    case PLACE_NONE:
    case PLACE_KINDS_:
        break;
    }
}

/* The body of a place, in c->body. UTF-16 is made in c->body itself, so it goes through another. */
static void body_prepare(struct content *c, struct place p, struct version v, struct buf *body)
{
    buf_clear(body);
    identity_write(c, p, v, body);
}

/* Compressed on the spot, once for as long as the cache remembers it. */
static void body_from_cache(struct content *c, struct place p, struct version v, enum coding coding,
                            struct buf *out)
{
    uint64_t key = hash64_mix(tag_of(c->world, p, v) + (uint64_t)coding);
    struct str known = cache_get(c->cache, key);
    if (known.p) {
        put(out, known);
        return;
    }
    struct buf body = {.max = BODY_BYTES};
    size_t start = out->n;
    body_prepare(c, p, v, &body);
    enum rc rc = body.rc == RC_OK ? content_encode(coding, buf_str(&body), out) : body.rc;
    buf_done(&body);
    if (out->rc == RC_OK)
        out->rc = rc;
    if (out->rc == RC_OK)
        cache_put(c->cache, key, str_make(out->p + start, out->n - start));
}

/* Pages are put together from pieces that are compressed already; all but those of UTF-16, whose
 * bytes are not the pieces'. */
static bool is_stitched(const struct content *c, struct place p)
{
    return p.kind == PLACE_PAGE && page_of(c->world, p.host, p.page).charset != CHARSET_UTF16LE;
}

void content_body(struct content *c, struct place p, struct version v, enum coding coding,
                  struct buf *out)
{
    static void (*const stitches[CODING_COUNT_])(struct pool *, struct str, const struct span *,
                                                 uint32_t, struct buf *) = {
        [CODING_GZIP] = gzip_stitch, [CODING_ZSTD] = zstd_stitch, [CODING_BR] = br_stitch};
    struct sheet *s = c->sheet;
    if (coding == CODING_IDENTITY) {
        identity_write(c, p, v, out);
        return;
    }
    if (!is_stitched(c, p)) {
        body_from_cache(c, p, v, coding, out);
        return;
    }
    body_prepare(c, p, v, &c->body);
    if (c->body.rc == RC_OK)
        stitches[coding](s->pool, buf_str(&c->body), s->spans, s->span_count, out);
    else
        out->rc = c->body.rc;
}

/* Words -------------------------------------------------------------------------------------- */

void content_title(const struct content *c, uint32_t host, uint32_t page, struct buf *out)
{
    struct page p = page_of(c->world, host, page);
    page_title_write(c->world, host, page_is_copy(&p) ? p.same_as : page, out);
    PUT(out, " - ");
    site_name_write(c->world, host, out);
}

void content_text(const struct content *c, uint64_t chance, size_t bytes, struct buf *out)
{
    const struct pool *pool = c->pools[TONGUE_ENGLISH][INK_ASCII];
    size_t start = out->n;
    for (uint64_t i = 0; out->rc == RC_OK && out->n - start < bytes; i++) {
        if (i)
            put_byte(out, ' ');
        uint32_t piece = pool_pick(pool, PIECE_SENTENCE, hash64_mix(chance + i));
        put(out, pool_piece(pool, piece));
    }
}
