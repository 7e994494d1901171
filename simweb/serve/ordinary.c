/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/ordinary.h"

#include "base/mem.h"

enum {
    BODY_MAX_BYTES = REPLY_MAX_BYTES / 2,
    LENGTH_DIGITS = 5, /* most pages are 10 to 99 KB; others are moved by a byte or two */
    DATE_BYTES = 29,
    ETAG_BYTES = 32,
};

/* What world_chance is asked for here. */
enum purpose {
    CHANCE_CHUNKED = 0x5e01,
    CHANCE_CHUNK_SIZE,
    CHANCE_CODED,
    CHANCE_CODING,
    CHANCE_VALIDATORS,
    CHANCE_RETRY_STATUS,
    CHANCE_RETRY_FORM,
    CHANCE_LOCATION,
};

struct ordinary {
    const struct world *world;
    const struct server_settings *settings;
    struct content *content;
    struct limit *limit; /* NULL: any number of requests */
    struct buf body;     /* of answers that cannot be rendered in place; and Locations */
    struct buf unframed; /* what is cut into chunks */
    uint64_t date_s;     /* the second that `date` says */
    char date[DATE_BYTES];
};

/* An answer while it is made. */
struct answer {
    struct ordinary *o;
    const struct ordinary_query *q;
    struct reply *r;
    struct page page; /* of PLACE_PAGE */
    struct version version;
    struct content_facts facts;
    enum coding coding;
    bool is_coded_host;
    char etag[ETAG_BYTES]; /* with its quotes; NUL behind it */
};

struct ordinary *ordinary_open(const struct world *w, const struct server_settings *s)
{
    struct ordinary *o = mem_zero(1, sizeof *o);
    if (!o)
        return NULL;
    o->world = w;
    o->settings = s;
    buf_init(&o->body, BODY_MAX_BYTES);
    buf_init(&o->unframed, BODY_MAX_BYTES);
    o->content = content_open(w);
    if (s->rate_limit > 0)
        o->limit = limit_open(world_settings(w)->hosts, s->rate_limit, s->rate_burst);
    if (!o->content || (s->rate_limit > 0 && !o->limit)) {
        ordinary_close(o);
        return NULL;
    }
    return o;
}

void ordinary_close(struct ordinary *o)
{
    if (!o)
        return;
    content_close(o->content);
    limit_close(o->limit);
    buf_done(&o->body);
    buf_done(&o->unframed);
    mem_free(o);
}

const struct content *ordinary_content(const struct ordinary *o)
{
    return o->content;
}

static bool host_has(const struct ordinary *o, enum purpose p, uint32_t host, double share)
{
    return world_share(world_chance(o->world, p, host, 0), share);
}

/* Heads ------------------------------------------------------------------------------------- */

static struct str date_now(struct ordinary *o, uint64_t wall_ms)
{
    if (wall_ms / 1000 != o->date_s) {
        struct buf text = buf_on(o->date, sizeof o->date);
        buf_http_date(&text, wall_ms);
        o->date_s = wall_ms / 1000;
    }
    return str_make(o->date, DATE_BYTES);
}

static void header(struct reply *r, struct str name, struct str value)
{
    buf_add(&r->bytes, name);
    buf_add(&r->bytes, value);
    buf_add(&r->bytes, STR("\r\n"));
}

/* The lines that every answer has. */
static void head_begin(struct ordinary *o, const struct ordinary_query *q, uint16_t status,
                       struct reply *r)
{
    r->status = status;
    r->keep_alive = q->request->keep_alive;
    if (status == 200)
        buf_add(&r->bytes, STR("HTTP/1.1 200 OK\r\n"));
    else
        buf_printf(&r->bytes, "HTTP/1.1 %u %s\r\n", status, status_text(status));
    header(r, STR("Date: "), date_now(o, q->wall_ms));
    buf_add(&r->bytes, STR("Server: simweb\r\n"));
    if (!q->request->keep_alive)
        buf_add(&r->bytes, STR("Connection: close\r\n"));
    else if (q->request->is_http10)
        buf_add(&r->bytes, STR("Connection: keep-alive\r\n"));
}

static bool is_head(const struct ordinary_query *q)
{
    return str_eq(q->request->method, STR("HEAD"));
}

/* The head's end and a body that is at hand. */
static void head_end(const struct ordinary_query *q, struct str type, struct str body,
                     struct reply *r)
{
    header(r, STR("Content-Type: "), type);
    buf_add(&r->bytes, STR("Content-Length: "));
    buf_u64(&r->bytes, body.n);
    buf_add(&r->bytes, STR("\r\n\r\n"));
    if (!is_head(q))
        buf_add(&r->bytes, body);
}

void ordinary_refuse(struct ordinary *o, const struct ordinary_query *q, uint16_t status,
                     struct reply *r)
{
    char room[512];
    struct buf body = buf_on(room, sizeof room);
    size_t begun = reply_begin(r);
    buf_printf(&body,
               "<!DOCTYPE html>\n<html lang=\"en\">\n<head><title>%u %s</title></head>\n"
               "<body><h1>%s</h1></body>\n</html>\n",
               status, status_text(status), status_text(status));
    head_begin(o, q, status, r);
    if (status == 405)
        buf_add(&r->bytes, STR("Allow: GET, HEAD\r\n"));
    head_end(q, STR("text/html; charset=utf-8"), buf_str(&body), r);
    reply_end(r, begun);
}

/* Redirects and limits ---------------------------------------------------------------------- */

static void redirect(struct ordinary *o, const struct ordinary_query *q, uint16_t status,
                     struct str url, struct reply *r)
{
    size_t begun = reply_begin(r);
    head_begin(o, q, status, r);
    header(r, STR("Location: "), url);
    head_end(q, STR("text/plain; charset=utf-8"), STR("It is elsewhere.\n"), r);
    reply_end(r, begun);
}

/* A host says all its own redirects as whole URLs, or those within itself as paths. */
static void redirect_page(const struct answer *a)
{
    struct buf *url = &a->o->body;
    struct place to = a->page.target;
    buf_clear(url);
    if (to.host == a->q->host && host_has(a->o, CHANCE_LOCATION, a->q->host, 0.5))
        place_path(a->o->world, to, url);
    else
        place_url(a->o->world, to, url);
    redirect(a->o, a->q, a->page.status, buf_str(url), a->r);
}

/* https-only hosts send http there, and the other way round. */
static void redirect_scheme(struct ordinary *o, const struct ordinary_query *q, struct reply *r)
{
    buf_clear(&o->body);
    host_origin(o->world, q->host, false, &o->body);
    buf_add(&o->body, q->request->target);
    redirect(o, q, 301, buf_str(&o->body), r);
}

/* Seconds, or a date that whole seconds away; what it asks for is what the reply says. */
static void retry_after(struct ordinary *o, const struct ordinary_query *q, uint64_t wait_ms,
                        struct reply *r)
{
    uint64_t until_s = (q->wall_ms + wait_ms + 999) / 1000;
    buf_add(&r->bytes, STR("Retry-After: "));
    if (q->true_time && host_has(o, CHANCE_RETRY_FORM, q->host, 0.5)) {
        buf_http_date(&r->bytes, until_s * 1000);
        r->backoff_ms = until_s * 1000 - q->wall_ms;
    } else {
        buf_u64(&r->bytes, (wait_ms + 999) / 1000);
        r->backoff_ms = (wait_ms + 999) / 1000 * 1000;
    }
    buf_add(&r->bytes, STR("\r\n"));
}

/* robots.txt costs a token and is never refused: a refusal would change what may be fetched. */
static bool is_over_limit(struct ordinary *o, const struct ordinary_query *q, struct reply *r)
{
    uint64_t wait_ms = o->limit ? limit_take(o->limit, q->host, q->now_us / 1000) : 0;
    if (!wait_ms || str_eq(q->request->target, STR("/robots.txt")))
        return false;
    size_t begun = reply_begin(r);
    head_begin(o, q, host_has(o, CHANCE_RETRY_STATUS, q->host, 0.5) ? 429 : 503, r);
    retry_after(o, q, wait_ms, r);
    head_end(q, STR("text/plain; charset=utf-8"), STR("Later, please.\n"), r);
    reply_end(r, begun);
    return true;
}

/* Codings and conditions -------------------------------------------------------------------- */

/* The host's favourite if the client takes it, else whichever it takes. */
static enum coding choose_coding(const struct answer *a)
{
    static const enum coding orders[][3] = {
        {CODING_GZIP, CODING_BR, CODING_ZSTD},
        {CODING_BR, CODING_GZIP, CODING_ZSTD},
        {CODING_ZSTD, CODING_GZIP, CODING_BR},
    };
    struct str accept = request_header(a->q->request, STR("Accept-Encoding"));
    if (!a->is_coded_host || !a->facts.codable || !accept.p)
        return CODING_IDENTITY;
    const enum coding *order = orders[world_chance(a->o->world, CHANCE_CODING, a->q->host, 0) % 3];
    for (int i = 0; i < 3; i++)
        if (request_accepts(a->q->request, STR("Accept-Encoding"), str_c(coding_name(order[i]))))
            return order[i];
    return CODING_IDENTITY;
}

/* Another coding is another representation, with another tag (RFC 9110 8.8.3.3). */
static void write_etag(struct answer *a)
{
    static const char hex[] = "0123456789abcdef";
    char *to = a->etag;
    *to++ = '"';
    for (int shift = 60; shift >= 0; shift -= 4)
        *to++ = hex[a->facts.etag >> shift & 15];
    if (a->coding != CODING_IDENTITY) {
        struct str name = str_first(str_c(coding_name(a->coding)), 8);
        *to++ = '-';
        memcpy(to, name.p, name.n);
        to += name.n;
    }
    *to++ = '"';
    *to = '\0';
}

enum validators { VALIDATORS_BOTH, VALIDATORS_ETAG, VALIDATORS_DATE };

static enum validators host_validators(const struct answer *a)
{
    uint64_t ten = world_chance(a->o->world, CHANCE_VALIDATORS, a->q->host, 0) % 10;
    return ten == 0 ? VALIDATORS_ETAG : ten == 1 ? VALIDATORS_DATE : VALIDATORS_BOTH;
}

/* W/"x" and "x" are the same here (RFC 9110 13.1.2). */
static bool lists_etag(struct str list, struct str etag)
{
    if (str_eq(list, STR("*")))
        return true;
    while (list.p) {
        struct str one = str_trim(str_take_until(&list, ','));
        if (str_starts(one, STR("W/")))
            one = str_from(one, 2);
        if (str_eq(one, etag))
            return true;
    }
    return false;
}

/* A host that gives no ETag knows no If-None-Match, and likewise. A date that is still to come says
 * nothing: the clock was turned back since, and what is here now is another page. */
static bool is_unchanged(const struct answer *a)
{
    enum validators v = host_validators(a);
    struct str tags = request_header(a->q->request, STR("If-None-Match"));
    struct str since = request_header(a->q->request, STR("If-Modified-Since"));
    uint64_t since_ms;
    if (tags.p && v != VALIDATORS_DATE)
        return lists_etag(tags, str_c(a->etag));
    if (!since.p || v == VALIDATORS_ETAG || http_date_read(since, &since_ms) != RC_OK)
        return false;
    return a->facts.changed_ms / 1000 <= since_ms / 1000 && since_ms <= a->q->wall_ms;
}

/* The lines that a 304 has as well as a 200. */
static void validator_lines(const struct answer *a)
{
    enum validators v = host_validators(a);
    if (v != VALIDATORS_DATE)
        header(a->r, STR("ETag: "), str_c(a->etag));
    if (v != VALIDATORS_ETAG) {
        buf_add(&a->r->bytes, STR("Last-Modified: "));
        buf_http_date(&a->r->bytes, a->facts.changed_ms);
        buf_add(&a->r->bytes, STR("\r\n"));
    }
    if (a->is_coded_host && a->facts.codable)
        buf_add(&a->r->bytes, STR("Vary: Accept-Encoding\r\n"));
}

static void answer_unchanged(const struct answer *a)
{
    size_t begun = reply_begin(a->r);
    head_begin(a->o, a->q, 304, a->r);
    validator_lines(a);
    buf_add(&a->r->bytes, STR("\r\n"));
    reply_end(a->r, begun);
}

/* Bodies ------------------------------------------------------------------------------------ */

static void head_of_place(const struct answer *a)
{
    head_begin(a->o, a->q, 200, a->r);
    header(a->r, STR("Content-Type: "), str_c(a->facts.type));
    validator_lines(a);
    if (a->coding != CODING_IDENTITY)
        header(a->r, STR("Content-Encoding: "), str_c(coding_name(a->coding)));
    if (a->facts.robots_tag)
        header(a->r, STR("X-Robots-Tag: "), str_c(a->facts.robots_tag));
}

/* A home page with a fault below it gets the link there; so do its copies. */
static bool links_to_fault(const struct answer *a)
{
    return a->q->mounted && a->q->place.kind == PLACE_PAGE &&
           (a->q->place.page == 0 ||
            ((a->page.role == PAGE_DUPLICATE || a->page.role == PAGE_NEAR_DUPLICATE) &&
             a->page.same_as == 0));
}

/* Where </body> begins, in a page of one byte a character; the end if it is not said. */
static size_t body_end(struct str page)
{
    for (size_t at = page.n; at-- > 0;)
        if (page.p[at] == '<' && str_starts_nocase(str_from(page, at), STR("</body")))
            return at;
    return page.n;
}

static void add_fault_link(const struct answer *a, struct buf *page, size_t from)
{
    char room[256];
    struct buf link = buf_on(room, sizeof room);
    bool is_wide = a->page.charset == CHARSET_UTF16LE;
    buf_printf(&link, "<p><a href=\"/f%s/\">Here something goes wrong on purpose.</a></p>\n",
               a->q->mounted->id + 1);
    if (is_wide) {
        for (size_t i = 0; i < link.n; i++) {
            buf_byte(page, link.p[i]);
            buf_byte(page, '\0');
        }
        return;
    }
    size_t at = from + body_end(str_from(buf_str(page), from)), n = link.n;
    if (!buf_reserve(page, n))
        return;
    memmove(page->p + at + n, page->p + at, page->n - at);
    memcpy(page->p + at, link.p, n);
    page->n += n;
}

static void write_linked_body(const struct answer *a, struct buf *out)
{
    struct buf *page = &a->o->body;
    buf_clear(page);
    content_body(a->o->content, a->q->place, a->version, CODING_IDENTITY, page);
    add_fault_link(a, page, 0);
    enum rc rc = buf_rc(page);
    if (rc == RC_OK && a->coding != CODING_IDENTITY)
        rc = content_encode(a->coding, buf_str(page), out);
    else
        buf_add(out, buf_str(page));
    if (rc != RC_OK && out->rc == RC_OK)
        out->rc = rc;
}

static void write_body(const struct answer *a, struct buf *out)
{
    if (links_to_fault(a))
        write_linked_body(a, out);
    else
        content_body(a->o->content, a->q->place, a->version, a->coding, out);
}

/* The body is rendered right behind the head, whose length is filled in afterwards; only if it has
 * another number of digits than foreseen is the body moved. */
static void answer_whole(const struct answer *a)
{
    struct buf *out = &a->r->bytes;
    size_t begun = reply_begin(a->r);
    head_of_place(a);
    buf_add(out, STR("Content-Length: "));
    size_t gap = out->n;
    buf_add(out, STR("00000\r\n\r\n"));
    size_t body = out->n;
    write_body(a, out);
    char room[24];
    struct buf digits = buf_on(room, sizeof room);
    buf_u64(&digits, out->n - body);
    if (is_head(a->q) && buf_rc(out) == RC_OK)
        out->n = body;
    if (!buf_reserve(out, sizeof room))
        return;
    if (digits.n != LENGTH_DIGITS)
        memmove(out->p + gap + digits.n, out->p + gap + LENGTH_DIGITS,
                out->n - gap - LENGTH_DIGITS);
    memcpy(out->p + gap, digits.p, digits.n);
    out->n = out->n + digits.n - LENGTH_DIGITS;
    reply_end(a->r, begun);
}

static void add_chunk(struct buf *out, struct str bytes)
{
    buf_printf(out, "%zx\r\n", bytes.n);
    buf_add(out, bytes);
    buf_add(out, STR("\r\n"));
}

/* In one chunk, in chunks of 8 KB, or in many of odd sizes, by host. */
static void answer_in_chunks(const struct answer *a)
{
    static const size_t sizes[] = {SIZE_MAX, 8192, 1009};
    size_t size = sizes[world_chance(a->o->world, CHANCE_CHUNK_SIZE, a->q->host, 0) % 3];
    struct buf *out = &a->r->bytes, *body = &a->o->unframed;
    size_t begun = reply_begin(a->r);
    head_of_place(a);
    buf_add(out, STR("Transfer-Encoding: chunked\r\n\r\n"));
    if (!is_head(a->q)) {
        buf_clear(body);
        write_body(a, body);
        if (buf_rc(body) != RC_OK && out->rc == RC_OK)
            out->rc = buf_rc(body);
        for (struct str rest = buf_str(body); rest.n; rest = str_from(rest, size))
            add_chunk(out, str_first(rest, size));
        buf_add(out, STR("0\r\n\r\n"));
    }
    reply_end(a->r, begun);
}

static void answer_place(struct ordinary *o, const struct ordinary_query *q, struct reply *r)
{
    struct answer a = {.o = o, .q = q, .r = r};
    if (q->place.kind == PLACE_PAGE)
        a.page = page_of(o->world, q->host, q->place.page);
    if (a.page.role == PAGE_REDIRECT) {
        redirect_page(&a);
        return;
    }
    a.version = place_version(o->world, q->place, q->wall_ms);
    a.facts = content_facts(o->content, q->place, a.version);
    a.is_coded_host = host_has(o, CHANCE_CODED, q->host, o->settings->coded);
    a.coding = choose_coding(&a);
    write_etag(&a);
    if (is_unchanged(&a))
        answer_unchanged(&a);
    else if (!q->request->is_http10 && !q->request->is_h2 &&
             host_has(o, CHANCE_CHUNKED, q->host, o->settings->chunked))
        answer_in_chunks(&a);
    else
        answer_whole(&a);
}

static bool has_body(const struct request *q)
{
    struct str length = request_header(q, STR("Content-Length"));
    return request_header(q, STR("Transfer-Encoding")).p || (length.p && !str_eq(length, STR("0")));
}

void ordinary_answer(struct ordinary *o, const struct ordinary_query *q, struct reply *r)
{
    bool is_get = str_eq(q->request->method, STR("GET")) || is_head(q);
    if (is_over_limit(o, q, r))
        return;
    if (q->request->is_https != host_is_https(o->world, q->host))
        redirect_scheme(o, q, r);
    else if (!is_get)
        ordinary_refuse(o, q, 405, r);
    else if (has_body(q->request))
        ordinary_refuse(o, q, 400, r);
    else if (q->place.kind == PLACE_NONE)
        ordinary_refuse(o, q, 404, r);
    else
        answer_place(o, q, r);
}
