/* SPDX-License-Identifier: Apache-2.0 */
/* A visit on its way to another place. First what its home gave it, then what parts have found out:
 * only the latter is put into the visit that stayed at home. Each section has its two functions
 * side by side, which must agree. A text is its length 4 and its bytes, or ABSENT; one that C reads
 * ends with a NUL. The bytes that came are copied once, as a whole, and everything points there. */
#include "visit/visit_host.h"

#include "base/taker.h"
#include "fetch/media.h"
#include "html/page.h"
#include "order/pvalue.h"

#define ABSENT UINT32_MAX
#define MOST_DATE_MS (INT64_C(253402300799) * 1000 + 999) /* the end of the year 9999 */

/* Another machine says these, and they stay: in lines of logs, in the journal, in the history. What parts
 * of ours make of a page is far shorter. */
enum {
    MOST_WORDS_BYTES = 4 << 10,
    MOST_TITLE_BYTES = 64 << 10,
    MOST_CODES_BYTES = 4 << 10,
    MOST_HEAD_BYTES = 1 << 20,
    MOST_CODE = 99999,
};

static void add_text(struct buf *out, struct str s)
{
    buf_le32(out, s.p ? (uint32_t)s.n : ABSENT);
    if (s.p)
        buf_add(out, s);
}

static struct str take_text(struct taker *t)
{
    uint32_t n = take_u32(t);
    return n == ABSENT ? STR_NONE : take_bytes(t, n);
}

static struct str take_short(struct taker *t, size_t most_bytes)
{
    struct str s = take_text(t);
    t->bad |= s.n > most_bytes;
    return s;
}

static void add_words(struct buf *out, const char *words)
{
    add_text(out, words ? str_make(words, strlen(words) + 1) : STR_NONE);
}

static const char *take_words(struct taker *t)
{
    struct str s = take_short(t, MOST_WORDS_BYTES);
    t->bad |= s.p && (!s.n || s.p[s.n - 1] != '\0');
    return t->bad ? NULL : s.p;
}

static void add_bool(struct buf *out, bool b)
{
    buf_byte(out, b);
}

/* A number below `end`. */
static unsigned take_below(struct taker *t, unsigned end)
{
    unsigned n = take_u8(t);
    t->bad |= n >= end;
    return n < end ? n : 0;
}

static bool take_bool(struct taker *t)
{
    return take_below(t, 2);
}

static void add_address(struct buf *out, const struct address *a)
{
    add_bool(out, a->is_v6);
    buf_add(out, str_make((const char *)a->bytes, sizeof a->bytes));
}

static struct address take_address(struct taker *t)
{
    struct address a = {.is_v6 = take_bool(t)};
    struct str bytes = take_bytes(t, sizeof a.bytes);
    if (bytes.n)
        memcpy(a.bytes, bytes.p, sizeof a.bytes);
    return a;
}

static struct str take_media_type(struct taker *t)
{
    struct str s = take_text(t);
    t->bad |= s.p && !str_eq(media_type(s), s);
    return s;
}

/* However long another machine says: `now` plus it is a moment, and not one in a thousand years. */
static uint64_t take_wait(struct taker *t)
{
    uint64_t ms = take_u64(t);
    return ms < PACE_MOST_WAIT_MS ? ms : PACE_MOST_WAIT_MS;
}

/* As wide as crawl.log has it. */
static int take_code(struct taker *t)
{
    int32_t code = (int32_t)take_u32(t);
    t->bad |= code < -MOST_CODE || code > MOST_CODE;
    return code;
}

static int64_t take_date(struct taker *t)
{
    int64_t ms = (int64_t)take_u64(t);
    t->bad |= ms < 0 || ms > MOST_DATE_MS;
    return ms;
}

/* What its home gave it ------------------------------------------------------------------------ */

static void add_checkout(struct buf *out, const struct checkout *c)
{
    add_text(out, c->host_name);
    add_text(out, c->path);
    add_text(out, c->seed_path);
    buf_le64(out, c->sequence);
    buf_le64(out, c->via);
    buf_le16(out, c->port);
    add_bool(out, c->is_https);
    buf_byte(out, (char)c->class);
}

static struct checkout take_checkout(struct taker *t)
{
    struct checkout c = {.host_name = take_text(t)};
    c.path = take_text(t);
    c.seed_path = take_text(t);
    c.sequence = take_u64(t);
    c.via = take_u64(t);
    c.port = take_u16(t);
    c.is_https = take_bool(t);
    c.class = (uint8_t)take_below(t, FRONTIER_CLASSES);
    return c;
}

/* As far as a server is asked about it, or a page compared with it. */
static void add_history(struct buf *out, const struct history_entry *p)
{
    add_bool(out, p->has_digest);
    buf_add(out, str_make((const char *)p->digest.bytes, DIGEST_SHA1_BYTES));
    buf_le64(out, (uint64_t)p->captured_ms);
    add_text(out, p->etag);
    add_text(out, p->last_modified);
    add_text(out, p->codes);
}

static struct history_entry take_history(struct taker *t)
{
    struct history_entry p = {.has_digest = take_bool(t)};
    struct str digest = take_bytes(t, DIGEST_SHA1_BYTES);
    p.digest.kind = DIGEST_SHA1;
    if (digest.n)
        memcpy(p.digest.bytes, digest.p, DIGEST_SHA1_BYTES);
    p.captured_ms = (int64_t)take_u64(t);
    p.etag = take_text(t);
    p.last_modified = take_text(t);
    p.codes = take_text(t);
    return p;
}

static void add_standing(struct buf *out, const struct host_standing *s)
{
    add_bool(out, s->is_stranger);
    add_bool(out, s->has_several_origins);
    buf_le32(out, s->tries); /* an earlier version had those of its origin apart */
    buf_le32(out, s->origin_failures);
    buf_le32(out, s->tries);
    buf_le32(out, s->failures);
    buf_le64(out, s->crawl_delay_ms);
    buf_byte(out, (char)s->http);
}

static struct host_standing take_standing(struct taker *t)
{
    struct host_standing s = {.is_stranger = take_bool(t)};
    s.has_several_origins = take_bool(t);
    (void)take_u32(t);
    s.origin_failures = take_u32(t);
    s.tries = take_u32(t);
    s.failures = take_u32(t);
    s.crawl_delay_ms = take_u64(t);
    s.http = take_below(t, HOST_HTTP_STATES_);
    return s;
}

static void add_given(struct buf *out, const struct visit *v)
{
    struct host_standing standing = visit_standing(v);
    buf_byte(out, (char)v->kind);
    add_text(out, url_href(&v->turn.url));
    buf_le64(out, v->turn.fingerprint);
    buf_byte(out, (char)v->turn.robots_redirects);
    add_checkout(out, &v->turn.checkout);
    add_bool(out, v->turn.has_history);
    add_history(out, &v->turn.history);
    add_bool(out, v->turn.is_compared);
    add_standing(out, &standing);
    buf_byte(out, (char)v->route.address_count);
    for (uint32_t i = 0; i < v->route.address_count; i++)
        add_address(out, &v->route.addresses[i]);
}

/* Into a visit that is then read no further than this, or not at all. */
static struct str take_given(struct taker *t, struct visit *v)
{
    v->kind = take_below(t, VISIT_ROBOTS_REDIRECT); /* the first two */
    struct str href = take_text(t);
    v->turn.fingerprint = take_u64(t);
    v->turn.robots_redirects = take_u8(t);
    v->turn.checkout = take_checkout(t);
    v->turn.has_history = take_bool(t);
    v->turn.history = take_history(t);
    v->turn.is_compared = take_bool(t);
    v->turn.standing = take_standing(t);
    v->route.address_count = take_below(t, VISIT_MAX_ADDRESSES + 1);
    for (uint32_t i = 0; i < v->route.address_count; i++)
        v->route.addresses[i] = take_address(t);
    return href;
}

/* A crawler has normalised the URL, so it needs neither IDN nor encodings. */
static enum rc name_copy(struct visit *v, struct str href)
{
    struct url_parser parser = {0};
    size_t room_bytes = href.n + 32;
    char *room = href.n && href.n <= URL_MAX_BYTES ? arena_alloc(v->arena, room_bytes) : NULL;
    if (!room)
        return href.n && href.n <= URL_MAX_BYTES ? RC_NOMEM : RC_INVALID;
    enum rc rc = url_parse(&parser, href, NULL, (struct url_room){room, room_bytes}, &v->turn.url);
    return rc == RC_OK || rc == RC_NOMEM ? rc : RC_INVALID;
}

/* What was found out --------------------------------------------------------------------------- */

static void add_http_version(struct buf *out, const struct host_http_end *e)
{
    buf_byte(out, (char)e->outcome);
    buf_byte(out, (char)e->offer);
    add_bool(out, e->is_h2);
    add_bool(out, e->is_refusal);
}

static struct host_http_end take_http_version(struct taker *t)
{
    struct host_http_end e = {.outcome = take_below(t, HTTP_OUTCOMES_)};
    e.offer = take_below(t, HTTP_OFFER_MADE + 1);
    e.is_h2 = take_bool(t);
    e.is_refusal = take_bool(t);
    return e;
}

static void add_end(struct buf *out, const struct visit *v)
{
    const struct pace_end *e = &v->answer.end;
    const struct pace_verdict *d = &v->answer.verdict;
    buf_byte(out, (char)e->dns);
    buf_byte(out, (char)e->http);
    buf_le16(out, e->status);
    add_bool(out, e->has_retry_after);
    buf_le64(out, e->retry_after_ms);
    add_bool(out, e->is_unasked_304);
    add_bool(out, e->is_stranger);
    add_http_version(out, &e->http_version);
    add_bool(out, e->asks_other_version);
    add_bool(out, v->answer.has_verdict);
    buf_byte(out, (char)d->next);
    buf_le32(out, (uint32_t)d->code);
    buf_le64(out, d->wait_ms);
    buf_le32(out, d->tries);
    buf_le32(out, d->failures);
}

static void take_end(struct taker *t, struct visit *v)
{
    v->answer.end = (struct pace_end){.dns = take_below(t, DNS_TIMEOUT + 1)};
    v->answer.end.http = take_below(t, HTTP_OUTCOMES_);
    v->answer.end.status = take_u16(t);
    v->answer.end.has_retry_after = take_bool(t);
    v->answer.end.retry_after_ms = take_wait(t);
    v->answer.end.is_unasked_304 = take_bool(t);
    v->answer.end.is_stranger = take_bool(t);
    v->answer.end.http_version = take_http_version(t);
    v->answer.end.asks_other_version = take_bool(t);
    v->answer.has_verdict = take_bool(t);
    v->answer.verdict = (struct pace_verdict){.next = take_below(t, PACE_DEAD + 1)};
    v->answer.verdict.code = (int32_t)take_u32(t);
    v->answer.verdict.wait_ms = take_wait(t);
    v->answer.verdict.tries = take_u32(t);
    v->answer.verdict.failures = take_u32(t);
}

enum { IS_CHUNKED = 1, IS_NOT_CHUNKED = 2, IS_H2 = 4, IS_REUSED = 8, UNVERIFIED = 16, BITS = 31 };

/* The body, or what there is instead of it. */
static void add_packed(struct buf *out, const struct visit_packed *p)
{
    add_bool(out, p->is_set);
    if (!p->is_set)
        return;
    buf_le64(out, p->body_bytes);
    add_bool(out, p->has_body);
    if (!p->has_body)
        return;
    add_text(out, p->body.deflated.stream);
    buf_le32(out, p->body.deflated.crc);
    buf_add(out, str_make((const char *)p->body.digest.bytes, DIGEST_SHA1_BYTES));
    buf_le64(out, p->body.entity_bytes);
}

static struct visit_packed take_packed(struct taker *t)
{
    struct visit_packed p = {.is_set = take_bool(t)};
    if (!p.is_set)
        return p;
    p.body_bytes = take_u64(t);
    p.has_body = take_bool(t);
    if (!p.has_body)
        return p;
    p.body.deflated.stream = take_text(t);
    p.body.deflated.bytes = p.body_bytes;
    p.body.deflated.crc = take_u32(t);
    struct str digest = take_bytes(t, DIGEST_SHA1_BYTES);
    p.body.digest.kind = DIGEST_SHA1;
    if (digest.n)
        memcpy(p.body.digest.bytes, digest.p, DIGEST_SHA1_BYTES);
    p.body.entity_bytes = take_u64(t);
    t->bad |= !p.body.deflated.stream.n;
    return p;
}

static void add_answer(struct buf *out, const struct http_answer *a, bool has_body)
{
    add_bool(out, a != NULL);
    if (!a)
        return;
    buf_byte(out, (char)a->outcome);
    buf_byte(out, (char)a->cut);
    add_words(out, a->why);
    buf_le16(out, a->status);
    add_text(out, a->head);
    add_text(out, has_body && a->body.p ? a->body : STR(""));
    buf_byte(out, (char)((a->is_chunked ? IS_CHUNKED : 0) |
                         (a->is_not_chunked ? IS_NOT_CHUNKED : 0) | (a->is_h2 ? IS_H2 : 0) |
                         (a->is_reused ? IS_REUSED : 0) | (a->tls_unverified ? UNVERIFIED : 0)));
    add_address(out, &a->peer);
    buf_le64(out, a->timing.connect_us);
    buf_le64(out, a->timing.tls_us);
    buf_le64(out, a->timing.first_byte_us);
    buf_le64(out, a->timing.total_us);
    buf_le64(out, a->bytes_in);
}

static void take_answer(struct taker *t, struct visit *v)
{
    v->answer.http = NULL;
    v->answer.heads = (struct visit_heads){0};
    if (!take_bool(t))
        return;
    struct http_answer *a = arena_zero(v->arena, sizeof *a);
    if (!a) {
        t->bad = true;
        return;
    }
    a->outcome = take_below(t, HTTP_OUTCOMES_);
    a->cut = take_below(t, HTTP_CUT_DISCONNECT + 1);
    a->why = take_words(t);
    a->status = take_u16(t);
    a->head = take_short(t, MOST_HEAD_BYTES);
    a->body = take_text(t);
    unsigned bits = take_below(t, BITS + 1);
    a->is_chunked = bits & IS_CHUNKED;
    a->is_not_chunked = bits & IS_NOT_CHUNKED;
    a->is_h2 = bits & IS_H2;
    a->is_reused = bits & IS_REUSED;
    a->tls_unverified = bits & UNVERIFIED;
    a->peer = take_address(t);
    a->timing.connect_us = take_u64(t);
    a->timing.tls_us = take_u64(t);
    a->timing.first_byte_us = take_u64(t);
    a->timing.total_us = take_u64(t);
    a->bytes_in = take_u64(t);
    t->bad |= !a->head.n || !a->body.p;
    v->answer.http = a;
    if (!t->bad)
        visit_read_heads(v);
}

/* The text is mostly a stretch of the body: that need not go twice. */
static bool is_within(struct str part, const struct http_answer *a)
{
    return part.p && a && a->body.p && part.p >= a->body.p && part.n <= a->body.n &&
           (size_t)(part.p - a->body.p) <= a->body.n - part.n;
}

static void add_stretch(struct buf *out, struct str s, const struct http_answer *a)
{
    bool is_part = is_within(s, a);
    add_bool(out, is_part);
    if (!is_part) {
        add_text(out, s);
        return;
    }
    buf_le64(out, (uint64_t)(s.p - a->body.p));
    buf_le64(out, s.n);
}

static struct str take_stretch(struct taker *t, const struct http_answer *a)
{
    if (!take_bool(t))
        return take_text(t);
    struct taker body = {.rest = a ? a->body : STR("")};
    (void)take_bytes(&body, take_u64(t));
    struct str s = take_bytes(&body, take_u64(t));
    t->bad |= body.bad || !a;
    return s;
}

enum { IS_UNWANTED = 1, HAS_WORTH = 2 }; /* of a reference */

static void add_references(struct buf *out, const struct visit *v)
{
    buf_le32(out, (uint32_t)v->parsed.reference_count);
    add_bool(out, v->parsed.has_urls);
    for (size_t i = 0; i < v->parsed.reference_count; i++) {
        const struct link_reference *r = &v->parsed.references[i];
        add_text(out, r->raw);
        add_text(out, r->context);
        add_text(out, r->anchor);
        buf_byte(out, r->hop);
        buf_byte(out, (char)((r->is_unwanted ? IS_UNWANTED : 0) | (r->worth ? HAS_WORTH : 0)));
        if (r->worth)
            buf_le16(out, r->worth);
    }
}

static void take_references(struct taker *t, struct visit *v)
{
    uint32_t count = take_u32(t), redirects = 0;
    v->parsed.has_urls = take_bool(t);
    v->parsed.reference_count = v->parsed.reference_room = 0;
    v->parsed.references = NULL;
    if (count > VISIT_MAX_REFERENCES || count > t->rest.n)
        t->bad = true;
    for (uint32_t i = 0; i < count && !t->bad; i++) {
        struct str raw = take_text(t), context = take_text(t), anchor = take_text(t);
        char hop = (char)take_u8(t);
        unsigned bits = take_below(t, (IS_UNWANTED | HAS_WORTH) + 1);
        uint16_t worth = bits & HAS_WORTH ? take_u16(t) : 0;
        redirects += hop == HOP_REDIRECT;
        t->bad |= worth > ORDER_VALUE_MAX || redirects > 1; /* an answer has one Location */
        if (t->bad || !raw.p || !hop_is_known(hop) || !visit_refer(v, raw, hop, context)) {
            t->bad = true;
            return;
        }
        v->parsed.references[i].anchor = anchor;
        v->parsed.references[i].is_unwanted = bits & IS_UNWANTED;
        v->parsed.references[i].worth = worth;
    }
}

static void add_tags(struct buf *out, const struct visit *v)
{
    add_bool(out, v->parsed.tags != NULL);
    buf_le32(out, v->parsed.tags ? (uint32_t)v->parsed.tag_count : 0);
    for (size_t i = 0; v->parsed.tags && i < v->parsed.tag_count; i++) {
        add_text(out, v->parsed.tags[i].name);
        buf_byte(out, (char)v->parsed.tags[i].kind);
    }
}

static void take_tags(struct taker *t, struct visit *v)
{
    bool has_tags = take_bool(t);
    uint32_t count = take_u32(t);
    v->parsed.tags = NULL;
    v->parsed.tag_count = 0;
    if (count > t->rest.n / 5 || (count && !has_tags)) /* each takes that much */
        t->bad = true;
    struct page_tag *list =
        has_tags && !t->bad ? arena_alloc(v->arena, count * sizeof *list + 1) : NULL;
    for (uint32_t i = 0; i < count && list && !t->bad; i++) {
        list[i].name = take_text(t);
        list[i].kind = take_below(t, PAGE_TAG_END + 1);
        t->bad |= !list[i].name.p;
    }
    t->bad |= has_tags && !list;
    v->parsed.tags = list;
    v->parsed.tag_count = list ? count : 0;
}

/* No step behind pack-answer reads them. */
static void add_texts(struct buf *out, const struct visit *v)
{
    add_stretch(out, v->parsed.text, v->answer.http);
    add_text(out, v->parsed.visible);
    add_tags(out, v);
}

static void take_texts(struct taker *t, struct visit *v)
{
    v->parsed.text = take_stretch(t, v->answer.http);
    v->parsed.visible = take_text(t);
    take_tags(t, v);
}

static void add_page(struct buf *out, const struct visit *v)
{
    uint64_t score;
    memcpy(&score, &v->judged.score, sizeof score);
    buf_byte(out, (char)v->parsed.media);
    if (!v->packed.is_set)
        add_texts(out, v);
    add_text(out, v->parsed.title);
    add_text(out, v->parsed.base);
    add_words(out, v->parsed.charset);
    add_references(out, v);
    buf_byte(out, (char)v->parsed.robots_bits);
    add_bool(out, v->parsed.is_cut);
    add_bool(out, v->parsed.is_page);
    add_text(out, v->parsed.identified);
    add_words(out, v->parsed.note);
    buf_le64(out, score);
    add_bool(out, v->judged.is_unkept);
    add_bool(out, v->is_dropped);
    buf_le32(out, (uint32_t)v->judged.unwanted_count);
    add_text(out, v->judged.codes);
    buf_byte(out, (char)v->judged.what_changed);
}

static void take_page(struct taker *t, struct visit *v)
{
    v->parsed.media = take_below(t, MEDIA_COUNT_);
    if (!v->packed.is_set)
        take_texts(t, v);
    v->parsed.title = take_short(t, MOST_TITLE_BYTES);
    v->parsed.base = take_text(t);
    v->parsed.charset = take_words(t);
    take_references(t, v);
    v->parsed.robots_bits = take_below(t, (PAGE_NOINDEX | PAGE_NOFOLLOW | PAGE_NOARCHIVE) + 1);
    v->parsed.is_cut = take_bool(t);
    v->parsed.is_page = take_bool(t);
    v->parsed.identified = take_short(t, MOST_WORDS_BYTES);
    v->parsed.note = take_words(t);
    uint64_t score = take_u64(t);
    memcpy(&v->judged.score, &score, sizeof score);
    v->judged.is_unkept = take_bool(t);
    v->is_dropped = take_bool(t);
    v->judged.unwanted_count = take_u32(t);
    v->judged.codes = take_short(t, MOST_CODES_BYTES);
    v->judged.what_changed = take_below(t, (HISTORY_STRUCTURE | HISTORY_TEXT | HISTORY_MARKUP) + 1);
    t->bad |= !(v->judged.score >= -1 && v->judged.score <= 1e9); /* nor no number at all */
}

static void add_found(struct buf *out, const struct visit *v)
{
    buf_byte(out, (char)v->state);
    buf_le32(out, (uint32_t)v->code);
    add_words(out, v->why);
    buf_le64(out, v->route.later_ms);
    add_text(out, v->answer.request);
    buf_le64(out, (uint64_t)v->answer.date_ms);
    buf_le64(out, v->answer.uncounted_bytes);
    add_text(out, v->answer.mime);
    add_bool(out, v->answer.has_other_type);
    add_end(out, v);
    add_packed(out, &v->packed);
    add_answer(out, v->answer.http, !v->packed.is_set);
    add_page(out, v);
}

static void take_found(struct taker *t, struct visit *v)
{
    v->state = take_below(t, VISIT_ENDED + 1);
    v->code = take_code(t);
    v->why = take_words(t);
    v->route.later_ms = take_wait(t);
    v->answer.request = take_short(t, MOST_HEAD_BYTES);
    v->answer.date_ms = take_date(t);
    v->answer.uncounted_bytes = take_u64(t);
    v->answer.mime = take_media_type(t);
    v->answer.has_other_type = take_bool(t);
    take_end(t, v);
    v->packed = take_packed(t);
    take_answer(t, v);
    take_page(t, v);
    t->bad |= v->packed.is_set && !v->answer.http;
}

/* The whole ------------------------------------------------------------------------------------ */

enum rc visit_pack(const struct message *m, struct buf *out)
{
    const struct visit *v = (const struct visit *)(const void *)m;
    if ((v->kind != VISIT_PAGE && v->kind != VISIT_ROBOTS) || v->stored.is_kept ||
        v->judged.links.count)
        return RC_UNSUPPORTED; /* they are of the ledger that made them */
    add_given(out, v);
    add_found(out, v);
    return buf_rc(out);
}

static enum rc fill(struct visit *v, struct str bytes, bool is_home)
{
    struct visit given;
    visit_warm(v);
    bytes = arena_dup(v->arena, bytes);
    if (!bytes.p)
        return RC_NOMEM;
    struct taker t = {.rest = bytes};
    struct str href = take_given(&t, is_home ? &given : v);
    take_found(&t, v);
    if (t.bad || t.rest.n || (is_home && given.kind != v->kind))
        return RC_INVALID;
    if (is_home && v->kind == VISIT_ROBOTS)
        v->answer.has_verdict = false; /* robots judges it, when its rules are known */
    if (is_home)                       /* the part that put it off says for how long */
        return v->state == VISIT_LATER && !v->route.later_ms ? RC_INVALID : RC_OK;
    if (v->turn.checkout.path.n > FRONTIER_MAX_PATH_BYTES ||
        v->turn.checkout.host_name.n > FRONTIER_MAX_HOST_BYTES || !v->turn.checkout.host_name.n ||
        v->turn.checkout.seed_path.n > FRONTIER_MAX_SEED_PATH)
        return RC_INVALID;
    return name_copy(v, href);
}

enum rc visit_unpack(struct str bytes, struct message **m)
{
    struct visit *v = *m ? visit_of(*m) : visit_open(VISIT_PAGE, NULL);
    if (!v)
        return RC_NOMEM;
    enum rc rc = fill(v, bytes, *m != NULL);
    if (rc && !*m)
        message_end(&v->head);
    else
        *m = &v->head;
    return rc;
}

/* What write-warc joins to a record is looked into before it is used. */
enum rc visit_check(struct message *m, uint64_t most_bytes)
{
    struct visit *v = visit_of(m);
    if (!v->packed.has_body)
        return RC_OK;
    struct packed_body_tools *tools = v->pool ? v->pool->checker : NULL;
    if (!tools && !(tools = packed_body_tools_open()))
        return RC_NOMEM;
    enum rc rc = packed_body_check(tools, v->answer.http->head, &v->packed.body, most_bytes);
    if (v->pool)
        v->pool->checker = tools;
    else
        packed_body_tools_close(tools);
    return rc;
}

/* A copy that came back may have been put into it in part: all of that is undone. */
void visit_lost(struct message *m, bool is_blamed)
{
    struct visit *v = visit_of(m);
    uint64_t begun_ms = v->answer.begun_ms;
    v->answer = (struct visit_answer){.begun_ms = begun_ms};
    v->parsed = (struct visit_parsed){0};
    v->judged = (struct visit_judged){.score = -1};
    v->packed = (struct visit_packed){0};
    v->is_dropped = false;
    v->code = 0;
    v->why = "the member that had it is gone";
    v->state = VISIT_LOST;
    v->route.is_blamed = is_blamed;
    v->route.later_ms = 0;
}

/* All that may point into an answer comes back with the copy. */
void visit_stay(struct message *m)
{
    struct visit *v = visit_of(m);
    v->answer.http = NULL;
    v->answer.heads = (struct visit_heads){0};
    v->parsed.text = v->parsed.visible = v->parsed.title = v->parsed.base = v->parsed.identified =
        STR_NONE;
    v->parsed.tags = NULL;
    v->parsed.references = NULL;
    v->parsed.tag_count = v->parsed.reference_count = v->parsed.reference_room = 0;
    v->packed = (struct visit_packed){0};
}
