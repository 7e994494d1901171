/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/h2.h"

#include "base/list.h"
#include "base/mem_nghttp2.h"
#include "serve/h2_body.h"
#include "serve/h2_moods.h"

enum { MOST_STREAMS = 100, MOST_REPLY_HEADERS = 1000 };

/* A place in the text of the request's head, which moves while it grows. */
struct span {
    uint32_t at;
    uint32_t n;
};

struct asked {
    struct buf text; /* "name: value" lines, pseudo headers too */
    struct span method, path, authority;
    struct span names[REQUEST_MAX_HEADERS], values[REQUEST_MAX_HEADERS];
    uint32_t count;
    bool is_too_large;
};

enum h2_state {
    H2_ASKING,  /* the request is not whole */
    H2_HEAD,    /* the head of the answer is waited for */
    H2_BODY,    /* nghttp2 reads the body */
    H2_PAUSING, /* it does not: nothing before body.due_ms */
    H2_TOLD,    /* `ended` was called, or there is no answer that could end */
};

struct h2_stream {
    struct h2 *h2;
    struct list_node node;
    int32_t id;
    enum h2_state state;
    bool is_head; /* the method is HEAD */
    uint64_t ticket;
    uint64_t bytes; /* of the body, handed over */
    struct asked asked;
    struct reply reply;
    struct h2_body body;
};

struct h2 {
    nghttp2_session *session;
    enum h2_mood mood;
    struct h2_asks asks;
    struct list streams;
    struct h2_flood flood;
    bool is_flooding;
    bool is_leaving; /* said GOAWAY; later streams are closed by it, unanswered */
    bool is_broken;
    uint64_t now_ms;
    size_t sni_bytes;
    bool has_sni;
    char sni[];
};

/* Streams ----------------------------------------------------------------------------------- */

static struct h2_stream *stream_open(struct h2 *h, int32_t id)
{
    struct h2_stream *s = mem_zero(1, sizeof *s);
    if (!s)
        return NULL;
    s->h2 = h;
    s->id = id;
    buf_init(&s->asked.text, REQUEST_MAX_BYTES);
    reply_init(&s->reply);
    h2_body_init(&s->body, &s->reply, h->asks.endless_bytes);
    list_add_first(&h->streams, &s->node);
    return s;
}

static void stream_tell_end(struct h2_stream *s, bool whole)
{
    bool is_answered = s->state != H2_ASKING && s->state != H2_TOLD;
    s->state = H2_TOLD;
    if (is_answered)
        s->h2->asks.ended(s->h2->asks.ctx, s->ticket, s->bytes, whole);
}

static void stream_close(struct h2_stream *s)
{
    stream_tell_end(s, false);
    list_remove(&s->h2->streams, &s->node);
    h2_body_done(&s->body);
    reply_done(&s->reply);
    buf_done(&s->asked.text);
    mem_free(s);
}

/* Without memory for the frame the whole connection goes. */
static void stream_reset(struct h2_stream *s)
{
    stream_tell_end(s, false);
    if (nghttp2_submit_rst_stream(s->h2->session, NGHTTP2_FLAG_NONE, s->id, NGHTTP2_INTERNAL_ERROR))
        s->h2->is_broken = true;
}

/* The request ------------------------------------------------------------------------------- */

static struct span span_add(struct buf *text, struct str s)
{
    struct span span = {(uint32_t)text->n, (uint32_t)s.n};
    buf_add(text, s);
    return span;
}

static struct str span_str(const struct asked *a, struct span s)
{
    return str_first(str_from(buf_str(&a->text), s.at), s.n);
}

static void asked_add(struct asked *a, struct str name, struct str value)
{
    struct span at_name = span_add(&a->text, name);
    buf_add(&a->text, STR(": "));
    struct span at_value = span_add(&a->text, value);
    buf_add(&a->text, STR("\r\n"));
    if (a->text.rc || a->is_too_large) {
        a->is_too_large = true;
        return;
    }
    if (str_eq(name, STR(":method")))
        a->method = at_value;
    else if (str_eq(name, STR(":path")))
        a->path = at_value;
    else if (str_eq(name, STR(":authority")))
        a->authority = at_value;
    if (str_starts(name, STR(":")))
        return;
    if (a->count == REQUEST_MAX_HEADERS) {
        a->is_too_large = true;
        return;
    }
    a->names[a->count] = at_name;
    a->values[a->count++] = at_value;
}

static struct str without_port(struct str authority)
{
    if (str_starts(authority, STR("[")))
        return str_first(authority, str_find(authority, ']') + 1);
    return str_first(authority, str_find(authority, ':'));
}

static void request_make(const struct h2_stream *s, struct request *q)
{
    const struct asked *a = &s->asked;
    *q = (struct request){.keep_alive = true, .is_https = true, .is_h2 = true};
    q->method = span_str(a, a->method);
    q->target = span_str(a, a->path);
    q->sni = s->h2->has_sni ? str_make(s->h2->sni, s->h2->sni_bytes) : STR_NONE;
    q->raw = buf_str(&a->text);
    q->header_count = a->count;
    for (uint32_t i = 0; i < a->count; i++)
        q->headers[i] = (struct header){span_str(a, a->names[i]), span_str(a, a->values[i])};
    struct str host = a->authority.n ? span_str(a, a->authority) : request_header(q, STR("host"));
    q->host = without_port(host);
}

/* The answer -------------------------------------------------------------------------------- */

/* RFC 9113, 8.2.2: what concerns the connection has no place in a stream. */
static bool is_of_connection(struct str name)
{
    return str_eq_nocase(name, STR("connection")) || str_eq_nocase(name, STR("keep-alive")) ||
           str_eq_nocase(name, STR("transfer-encoding")) || str_eq_nocase(name, STR("upgrade")) ||
           str_eq_nocase(name, STR("proxy-connection"));
}

/* nghttp2 takes no const; it copies, and writes the names in lower case in its copy. */
static nghttp2_nv pair(struct str name, struct str value)
{
    return (nghttp2_nv){(uint8_t *)(uintptr_t)name.p, (uint8_t *)(uintptr_t)value.p, name.n,
                        value.n, NGHTTP2_NV_FLAG_NONE};
}

/* The status and headers of a head as pairs, at most MOST_REPLY_HEADERS; 0: it has no status. */
static size_t pairs_of(struct str head, nghttp2_nv *pairs)
{
    struct str line = str_take_until(&head, '\n'), name, value;
    struct str status = str_first(str_from(line, 9), 3);
    size_t count = 0;
    uint64_t number;
    if (status.n != 3 || str_to_u64(status, &number) || number < 200)
        return 0;
    pairs[count++] = pair(STR(":status"), status);
    while (count < MOST_REPLY_HEADERS && head_next(&head, &name, &value))
        if (!is_of_connection(name))
            pairs[count++] = pair(name, value);
    return count;
}

static ssize_t on_body(nghttp2_session *session, int32_t id, uint8_t *to, size_t room,
                       uint32_t *flags, nghttp2_data_source *source, void *ctx)
{
    struct h2_stream *s = source->ptr;
    size_t n = 0;
    (void)session, (void)id, (void)ctx;
    enum rc rc = h2_body_read(&s->body, s->h2->now_ms, (char *)to, room, &n);
    s->bytes += n;
    if (rc == RC_AGAIN) {
        s->state = H2_PAUSING;
        return NGHTTP2_ERR_DEFERRED;
    }
    if (rc != RC_OK && rc != RC_CLOSED)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (rc == RC_CLOSED || h2_body_is_over(&s->body)) {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
        stream_tell_end(s, true);
    }
    return (ssize_t)n;
}

static bool has_body(const struct h2_stream *s, struct str status)
{
    return !s->is_head && !str_eq(status, STR("204")) && !str_eq(status, STR("304")) &&
           !h2_body_is_over(&s->body);
}

static void submit(struct h2_stream *s, struct str head)
{
    nghttp2_nv *pairs = mem_alloc(MOST_REPLY_HEADERS * sizeof *pairs);
    size_t count = pairs ? pairs_of(head, pairs) : 0;
    int error = NGHTTP2_ERR_INVALID_ARGUMENT;
    if (count > 0 && has_body(s, str_first(str_from(head, 9), 3))) {
        nghttp2_data_provider body = {.source.ptr = s, .read_callback = on_body};
        s->state = H2_BODY;
        error = nghttp2_submit_response(s->h2->session, s->id, pairs, count, &body);
    } else if (count > 0) {
        error = nghttp2_submit_response(s->h2->session, s->id, pairs, count, NULL);
        stream_tell_end(s, error == 0);
    }
    mem_free(pairs);
    if (error)
        stream_reset(s);
}

/* As soon as the steps let the head go. */
static void begin_answer(struct h2_stream *s)
{
    struct str head;
    enum rc rc =
        s->reply.bytes.rc ? s->reply.bytes.rc : h2_body_head(&s->body, s->h2->now_ms, &head);
    if (rc == RC_OK)
        submit(s, head);
    else if (rc != RC_AGAIN)
        stream_reset(s);
}

static void leave(struct h2 *h, int32_t last)
{
    h->is_leaving = true;
    if (nghttp2_submit_goaway(h->session, NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, NULL, 0))
        h->is_broken = true;
}

/* What a whole request meets on this host. */
static void answer(struct h2_stream *s)
{
    struct h2 *h = s->h2;
    struct request q;
    request_make(s, &q);
    s->is_head = str_eq(q.method, STR("HEAD"));
    s->state = H2_HEAD;
    s->ticket = h->asks.answer(h->asks.ctx, &q, &s->reply);
    if (h2_mood_floods(h->mood)) {
        h->is_flooding = true;
        h->flood = (struct h2_flood){.mood = h->mood, .stream = (uint32_t)s->id};
        return;
    }
    if (h->mood == H2_RST_STREAM) {
        stream_reset(s);
        return;
    }
    if (h->mood == H2_GOAWAY_EARLY) {
        leave(h, 0);
        return;
    }
    if (h->mood == H2_GOAWAY)
        leave(h, s->id);
    begin_answer(s);
}

static void refuse(struct h2_stream *s)
{
    nghttp2_nv status = pair(STR(":status"), STR("431"));
    s->state = H2_TOLD;
    if (nghttp2_submit_response(s->h2->session, s->id, &status, 1, NULL))
        stream_reset(s);
}

/* What nghttp2 tells ------------------------------------------------------------------------ */

static bool is_request(const nghttp2_frame *frame)
{
    return frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
    if (!is_request(frame))
        return 0;
    struct h2_stream *s = stream_open(ctx, frame->hd.stream_id);
    if (!s)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (nghttp2_session_set_stream_user_data(session, s->id, s)) {
        stream_close(s);
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_bytes, const uint8_t *value, size_t value_bytes, uint8_t flags,
                     void *ctx)
{
    struct h2_stream *s = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    (void)flags, (void)ctx;
    if (s && is_request(frame))
        asked_add(&s->asked, str_make((const char *)name, name_bytes),
                  str_make((const char *)value, value_bytes));
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
    struct h2 *h = ctx;
    bool may_end = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    struct h2_stream *s =
        may_end ? nghttp2_session_get_stream_user_data(session, frame->hd.stream_id) : NULL;
    if (!s || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM) || s->state != H2_ASKING ||
        h->is_flooding || h->is_leaving)
        return 0;
    if (s->asked.is_too_large)
        refuse(s);
    else
        answer(s);
    return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t error, void *ctx)
{
    struct h2_stream *s = nghttp2_session_get_stream_user_data(session, id);
    (void)error, (void)ctx;
    if (s)
        stream_close(s);
    return 0;
}

/* Opening ----------------------------------------------------------------------------------- */

static nghttp2_session *session_make(struct h2 *h)
{
    nghttp2_mem mem = MEM_NGHTTP2;
    nghttp2_session_callbacks *calls;
    nghttp2_session *session = NULL;
    if (nghttp2_session_callbacks_new(&calls))
        return NULL;
    nghttp2_session_callbacks_set_on_begin_headers_callback(calls, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(calls, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(calls, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(calls, on_stream_close);
    int error = nghttp2_session_server_new3(&session, calls, h, NULL, &mem);
    nghttp2_session_callbacks_del(calls);
    return error ? NULL : session;
}

static bool settings_say(struct h2 *h)
{
    const nghttp2_settings_entry entries[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, MOST_STREAMS},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, REQUEST_MAX_BYTES},
    };
    return nghttp2_submit_settings(h->session, NGHTTP2_FLAG_NONE, entries, 2) == 0;
}

struct h2 *h2_open(enum h2_mood mood, struct str sni, struct h2_asks asks)
{
    struct h2 *h = mem_zero(1, sizeof *h + sni.n);
    if (!h)
        return NULL;
    h->mood = mood;
    h->asks = asks;
    h->has_sni = sni.p != NULL;
    h->sni_bytes = sni.n;
    if (sni.p)
        memcpy(h->sni, sni.p, sni.n);
    h->session = session_make(h);
    if (!h->session || !settings_say(h)) {
        h2_close(h);
        return NULL;
    }
    return h;
}

void h2_close(struct h2 *h)
{
    if (!h)
        return;
    while (h->streams.first)
        stream_close(LIST_OF(h->streams.first, struct h2_stream, node));
    nghttp2_session_del(h->session);
    mem_free(h);
}

/* Bytes ------------------------------------------------------------------------------------- */

enum rc h2_take(struct h2 *h, struct str bytes, uint64_t now_ms)
{
    h->now_ms = now_ms;
    if (h->is_flooding)
        return RC_OK;
    if (h->is_broken)
        return RC_INVALID;
    ssize_t n = nghttp2_session_mem_recv(h->session, (const uint8_t *)bytes.p, bytes.n);
    if (n >= 0)
        return RC_OK;
    h->is_broken = true;
    return n == NGHTTP2_ERR_NOMEM ? RC_NOMEM : RC_INVALID;
}

static bool is_due(const struct h2_stream *s, uint64_t now_ms)
{
    return (s->state == H2_HEAD || s->state == H2_PAUSING) && s->body.due_ms <= now_ms;
}

static void wake(struct h2 *h)
{
    for (struct list_node *n = h->streams.first, *next; n; n = next) {
        struct h2_stream *s = LIST_OF(n, struct h2_stream, node);
        next = n->next;
        if (!is_due(s, h->now_ms))
            continue;
        if (s->state == H2_HEAD) {
            begin_answer(s);
            continue;
        }
        s->state = H2_BODY;
        if (nghttp2_session_resume_data(h->session, s->id))
            stream_reset(s);
    }
}

void h2_give(struct h2 *h, uint64_t now_ms, size_t most, struct buf *out)
{
    size_t start = out->n;
    const uint8_t *bytes;
    ssize_t n = 1;
    h->now_ms = now_ms;
    if (!h->is_flooding)
        wake(h);
    while (n > 0 && out->n - start < most && !out->rc) {
        n = nghttp2_session_mem_send(h->session, &bytes);
        if (n > 0)
            buf_add(out, str_make((const char *)bytes, (size_t)n));
    }
    if (n < 0 || out->rc)
        h->is_broken = true;
    if (h->is_flooding && n == 0)
        h2_flood_give(&h->flood, most, out);
}

uint64_t h2_wake_ms(const struct h2 *h)
{
    uint64_t wake_ms = UINT64_MAX;
    if (h->is_broken)
        return wake_ms;
    if (h->is_flooding)
        return h2_flood_is_over(&h->flood) ? wake_ms : 0;
    if (nghttp2_session_want_write(h->session))
        return 0;
    for (struct list_node *n = h->streams.first; n; n = n->next) {
        const struct h2_stream *s = LIST_OF(n, struct h2_stream, node);
        if ((s->state == H2_HEAD || s->state == H2_PAUSING) && s->body.due_ms < wake_ms)
            wake_ms = s->body.due_ms;
    }
    return wake_ms;
}

bool h2_is_over(const struct h2 *h)
{
    if (h->is_broken)
        return true;
    if (h->is_flooding)
        return h2_flood_is_over(&h->flood);
    return !nghttp2_session_want_read(h->session) && !nghttp2_session_want_write(h->session);
}
