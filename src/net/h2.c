/* SPDX-License-Identifier: Apache-2.0 */
#include "net/h2.h"

#include "base/buf.h"
#include "base/mem_nghttp2.h"
#include "net/h2_fields.h"

#include <assert.h>

enum { FRAME_HEAD_BYTES = 9, TYPE_AT = 3, FLAGS_AT = 4 };

/* The frame that is coming in. */
struct frame {
    unsigned char head[FRAME_HEAD_BYTES];
    uint32_t have;  /* of the head */
    uint32_t left;  /* of the payload */
    bool has_begun; /* bytes of the payload have come */
    bool had_body;  /* it brought bytes of the answer's body */
};

struct h2 {
    nghttp2_session *session;
    struct h2_limits limits;
    enum h2_state state;
    const char *why;
    bool is_dead;    /* no more bytes are taken */
    bool is_leaving; /* the server sent GOAWAY */
    bool is_final;   /* the head that is coming in is no 1xx */
    bool has_head;
    int32_t stream;
    uint64_t head_bytes, lines; /* of this answer, so far */
    uint64_t length_left;       /* of the body, where the head says how long it is */
    uint32_t spare_frames;
    struct frame frame;
    char *to; /* the caller's, within h2_take() */
    size_t room, given;
    struct buf text; /* what did not fit there */
    size_t text_at;
    struct buf out;
    size_t out_at;
};

/* ---- ending ---- */

/* The first reason counts, but no memory, which may look like the server's doing, before any. An
 * answer that is whole already stays so. */
static void stop(struct h2 *h, enum h2_state state, const char *why)
{
    h->is_dead = true;
    if (h->state == H2_ENDED || (h->state > H2_ENDED && state != H2_NOMEM))
        return;
    h->state = state;
    h->why = why;
}

static void stop_for(struct h2 *h, int error)
{
    if (error == NGHTTP2_ERR_NOMEM)
        stop(h, H2_NOMEM, "no memory");
    else
        stop(h, H2_BROKEN, nghttp2_strerror(error));
}

static int refuse(struct h2 *h, const char *why)
{
    stop(h, H2_BROKEN, why);
    return NGHTTP2_ERR_CALLBACK_FAILURE;
}

/* ---- text ---- */

/* 0, or what a callback returns to stop everything. */
static int put_text(struct h2 *h, struct str s)
{
    size_t left = h->text.n ? 0 : h->room - h->given, n = s.n < left ? s.n : left;
    if (n)
        memcpy(h->to + h->given, s.p, n);
    h->given += n;
    if (n < s.n)
        buf_add(&h->text, str_from(s, n));
    if (buf_rc(&h->text) == RC_OK)
        return 0;
    stop(h, H2_NOMEM, "no memory");
    return NGHTTP2_ERR_CALLBACK_FAILURE;
}

static int count_line(struct h2 *h, uint64_t bytes)
{
    h->head_bytes += bytes;
    h->lines++;
    if (h->head_bytes > h->limits.head_bytes)
        return refuse(h, "the head is too long");
    return h->lines > h->limits.header_count ? refuse(h, "too many header lines") : 0;
}

/* nghttp2 has looked already; but a line end in a field would make two fields of one. */
static bool has_line_end(struct str s)
{
    return str_find(s, '\n') < s.n || str_find(s, '\r') < s.n || str_find(s, '\0') < s.n;
}

static int put_line(struct h2 *h, struct str name, struct str between, struct str value,
                    struct str end)
{
    int error = count_line(h, name.n + between.n + value.n + end.n);
    if (!error && (has_line_end(name) || has_line_end(value)))
        error = refuse(h, "a line end within a field");
    const struct str parts[] = {name, between, value, end};
    for (int i = 0; i < 4 && !error && !h->has_head; i++)
        error = put_text(h, parts[i]);
    return error;
}

/* ---- what nghttp2 tells ---- */

static bool is_ours(const struct h2 *h, int32_t stream)
{
    return stream == h->stream && h->state == H2_ASKED;
}

static int on_field(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                    size_t name_n, const uint8_t *value, size_t value_n, uint8_t flags, void *ctx)
{
    struct h2 *h = ctx;
    struct str n = {(const char *)name, name_n}, v = {(const char *)value, value_n};
    (void)session, (void)flags;
    if (!is_ours(h, frame->hd.stream_id))
        return 0;
    if (str_eq(n, STR("content-length")) && str_to_u64(v, &h->length_left) != RC_OK)
        h->length_left = 0; /* and nghttp2 refuses the head */
    if (!str_eq(n, STR(":status")))
        return put_line(h, n, STR(": "), v, STR("\r\n"));
    h->is_final = v.n > 0 && v.p[0] != '1';
    return put_line(h, STR("HTTP/1.1"), STR(" "), v, STR(" \r\n"));
}

/* A field that nghttp2 drops costs as much as another. */
static int on_bad_field(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                        size_t name_n, const uint8_t *value, size_t value_n, uint8_t flags,
                        void *ctx)
{
    (void)session, (void)frame, (void)name, (void)value, (void)flags;
    return count_line(ctx, name_n + value_n);
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes,
                   size_t n, void *ctx)
{
    struct h2 *h = ctx;
    (void)session, (void)flags;
    if (!is_ours(h, stream))
        return 0;
    if (!h->has_head)
        return refuse(h, "a body before its head");
    h->frame.had_body |= n > 0;
    h->length_left -= n < h->length_left ? n : h->length_left;
    return put_text(h, str_make((const char *)bytes, n));
}

static int on_headers(struct h2 *h)
{
    if (h->has_head)
        return 0; /* trailers */
    h->has_head = h->is_final;
    h->head_bytes += 2;
    return put_text(h, STR("\r\n"));
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
    struct h2 *h = ctx;
    int error = 0;
    (void)session;
    if (frame->hd.type == NGHTTP2_GOAWAY)
        h->is_leaving = true;
    if (!is_ours(h, frame->hd.stream_id) ||
        (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA))
        return 0;
    if (frame->hd.type == NGHTTP2_HEADERS)
        error = on_headers(h);
    if (!error && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        h->state = H2_ENDED;
    return error;
}

static int on_bad_frame(nghttp2_session *session, const nghttp2_frame *frame, int error, void *ctx)
{
    struct h2 *h = ctx;
    (void)session, (void)frame;
    if (!h->why)
        h->why = nghttp2_strerror(error);
    return 0;
}

/* An answer that ended as it should is not under way any more. */
static int on_stream_close(nghttp2_session *session, int32_t stream, uint32_t error, void *ctx)
{
    struct h2 *h = ctx;
    (void)session;
    if (!is_ours(h, stream))
        return 0;
    h->state = error == NGHTTP2_REFUSED_STREAM ? H2_UNSEEN : H2_RESET;
    if (!h->why)
        h->why = error ? nghttp2_http2_strerror(error) : "the stream ended too early";
    return 0;
}

/* Our own head cannot be sent: the request is too long, or there is no memory. nghttp2 says the
 * latter as a failure to compress, for which there is no other reason. */
static int on_unsent(nghttp2_session *session, const nghttp2_frame *frame, int error, void *ctx)
{
    (void)session;
    if (frame->hd.type == NGHTTP2_HEADERS)
        stop_for(ctx, error == NGHTTP2_ERR_HEADER_COMP ? NGHTTP2_ERR_NOMEM : error);
    return 0;
}

/* ---- opening ---- */

static nghttp2_session *session_make(struct h2 *h)
{
    nghttp2_mem mem = MEM_NGHTTP2;
    nghttp2_session_callbacks *calls;
    nghttp2_session *session = NULL;
    if (nghttp2_session_callbacks_new(&calls))
        return NULL;
    nghttp2_session_callbacks_set_on_header_callback(calls, on_field);
    nghttp2_session_callbacks_set_on_invalid_header_callback(calls, on_bad_field);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(calls, on_frame);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(calls, on_bad_frame);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(calls, on_unsent);
    nghttp2_session_callbacks_set_on_stream_close_callback(calls, on_stream_close);
    int error = nghttp2_session_client_new3(&session, calls, h, NULL, &mem);
    nghttp2_session_callbacks_del(calls);
    return error ? NULL : session;
}

static bool say_settings(struct h2 *h)
{
    uint64_t list = h->limits.head_bytes;
    const nghttp2_settings_entry entries[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, H2_WINDOW_BYTES},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, list < UINT32_MAX ? (uint32_t)list : UINT32_MAX},
    };
    return nghttp2_submit_settings(h->session, NGHTTP2_FLAG_NONE, entries, 3) == 0 &&
           nghttp2_session_set_local_window_size(h->session, NGHTTP2_FLAG_NONE, 0,
                                                 H2_WINDOW_BYTES) == 0;
}

struct h2 *h2_open(const struct h2_limits *limits)
{
    struct h2 *h = mem_zero(1, sizeof *h);
    if (!h)
        return NULL;
    uint64_t text = limits->head_bytes < SIZE_MAX / 4 ? limits->head_bytes : SIZE_MAX / 4;
    h->limits = *limits;
    h->spare_frames = H2_SPARE_FRAMES;
    buf_init(&h->text, (size_t)text + H2_TAKE_BYTES);
    buf_init(&h->out, H2_PENDING_BYTES);
    h->session = session_make(h);
    if (!h->session || !say_settings(h)) {
        h2_close(h);
        return NULL;
    }
    return h;
}

void h2_close(struct h2 *h)
{
    if (!h)
        return;
    h->state = H2_NOMEM; /* the callbacks of streams that end now are ignored */
    nghttp2_session_del(h->session);
    buf_done(&h->text);
    buf_done(&h->out);
    mem_free(h);
}

/* ---- bytes out ---- */

static void collect(struct h2 *h)
{
    const uint8_t *bytes;
    ssize_t n = 0;
    while (buf_rc(&h->out) == RC_OK && (n = nghttp2_session_mem_send(h->session, &bytes)) > 0)
        buf_add(&h->out, str_make((const char *)bytes, (size_t)n));
    if (n < 0)
        stop_for(h, (int)n);
    else if (buf_rc(&h->out) == RC_NOMEM)
        stop(h, H2_NOMEM, "no memory");
    else if (buf_rc(&h->out) != RC_OK)
        stop(h, H2_BROKEN, "the server causes more replies than it reads");
}

struct str h2_pending(const struct h2 *h)
{
    return str_from(buf_str(&h->out), h->out_at);
}

void h2_wrote(struct h2 *h, size_t n)
{
    h->out_at += n;
    assert(h->out_at <= h->out.n);
    if (h->out_at < h->out.n)
        return;
    buf_clear(&h->out);
    h->out_at = 0;
}

/* nghttp2 takes no const; it copies, and writes names in lower case. */
static int32_t submit(struct h2 *h, const struct h2_fields *f)
{
    nghttp2_nv pairs[H2_FIELDS_MOST];
    for (size_t i = 0; i < f->count; i++)
        pairs[i] = (nghttp2_nv){(uint8_t *)(uintptr_t)f->at[i].name.p,
                                (uint8_t *)(uintptr_t)f->at[i].value.p, f->at[i].name.n,
                                f->at[i].value.n, NGHTTP2_NV_FLAG_NONE};
    return nghttp2_submit_request(h->session, NULL, pairs, f->count, NULL, NULL);
}

bool h2_may_ask(const struct h2 *h)
{
    return (h->state == H2_IDLE || h->state == H2_ENDED) && !h->is_dead && !h->is_leaving &&
           h->frame.have == 0 && h->text.n == 0 &&
           nghttp2_session_check_request_allowed(h->session);
}

enum h2_state h2_ask(struct h2 *h, struct str request)
{
    struct h2_fields fields;
    if (!h2_may_ask(h)) {
        h->why = "the server sent GOAWAY";
        return h->state = H2_UNSEEN;
    }
    h->state = H2_ASKED;
    h->why = NULL;
    h->is_final = h->has_head = false;
    h->head_bytes = h->lines = h->length_left = 0;
    h->spare_frames = H2_SPARE_FRAMES;
    h->stream = h2_fields_read(request, &fields) == RC_OK ? submit(h, &fields)
                                                          : NGHTTP2_ERR_INVALID_ARGUMENT;
    if (h->stream > 0)
        collect(h);
    else
        stop_for(h, h->stream);
    return h->state;
}

/* ---- bytes in ---- */

static void feed(struct h2 *h, const void *bytes, size_t n)
{
    ssize_t taken = nghttp2_session_mem_recv(h->session, bytes, n);
    if (taken < 0)
        stop_for(h, (int)taken);
}

/* Called between frames and behind their heads, never within: our replies, and so which streams are
 * closed, must not depend on how the bytes were cut. Where nghttp2 itself ends the session it sends
 * GOAWAY and wants nothing any more. */
static void send_replies(struct h2 *h)
{
    if (!h->is_dead)
        collect(h);
    if (!h->is_dead && !nghttp2_session_want_read(h->session))
        stop(h, H2_BROKEN, h->why ? h->why : "no HTTP/2");
}

static void frame_begins(struct h2 *h)
{
    const unsigned char *head = h->frame.head;
    h->frame.left = (uint32_t)head[0] << 16 | (uint32_t)head[1] << 8 | head[2];
    h->frame.had_body = h->frame.has_begun = false;
    if (h->spare_frames-- == 0)
        stop(h, H2_BROKEN, "too many frames without data");
    else if (head[TYPE_AT] == NGHTTP2_PUSH_PROMISE)
        stop(h, H2_BROKEN, "a push, which our SETTINGS forbid"); /* nghttp2 waits for their ACK */
    else
        feed(h, head, FRAME_HEAD_BYTES);
    send_replies(h);
}

static void frame_over(struct h2 *h)
{
    h->frame.have = 0;
    if (h->frame.had_body)
        h->spare_frames += h->spare_frames + 2 <= H2_SPARE_FRAMES ? 2 : 1;
    send_replies(h);
}

static size_t take_frame_head(struct h2 *h, struct str bytes)
{
    struct frame *f = &h->frame;
    size_t n = str_first(bytes, FRAME_HEAD_BYTES - f->have).n;
    memcpy(f->head + f->have, bytes.p, n);
    f->have += (uint32_t)n;
    if (f->have == FRAME_HEAD_BYTES)
        frame_begins(h);
    return n;
}

/* A body that is longer than its head says is refused piece by piece: the last good byte and the
 * first bad one must not come in the same piece. The length of padding stands before the body. */
static size_t piece_limit(const struct h2 *h)
{
    const struct frame *f = &h->frame;
    if (f->head[TYPE_AT] != NGHTTP2_DATA || h->length_left == 0)
        return f->left;
    if ((f->head[FLAGS_AT] & NGHTTP2_FLAG_PADDED) && !f->has_begun)
        return 1;
    return h->length_left < f->left ? (size_t)h->length_left : f->left;
}

static size_t take_payload(struct h2 *h, struct str bytes)
{
    size_t n = str_first(bytes, piece_limit(h)).n;
    h->frame.left -= (uint32_t)n;
    h->frame.has_begun = true;
    feed(h, bytes.p, n);
    return n;
}

/* Returns how many bytes it took. */
static size_t take_piece(struct h2 *h, struct str bytes)
{
    struct frame *f = &h->frame;
    size_t n = f->have < FRAME_HEAD_BYTES ? take_frame_head(h, bytes) : take_payload(h, bytes);
    if (f->have == FRAME_HEAD_BYTES && f->left == 0)
        frame_over(h);
    return n;
}

enum h2_state h2_take(struct h2 *h, struct str bytes, char *to, size_t room, size_t *ret_n)
{
    assert(bytes.n <= H2_TAKE_BYTES);
    h->to = to;
    h->room = room;
    h->given = 0;
    while (bytes.n && !h->is_dead && h->state <= H2_ENDED)
        bytes = str_from(bytes, take_piece(h, bytes));
    *ret_n = h->given;
    return h->state;
}

size_t h2_give(struct h2 *h, char *to, size_t room)
{
    struct str left = str_from(buf_str(&h->text), h->text_at);
    size_t n = left.n < room ? left.n : room;
    if (n == 0)
        return 0;
    memcpy(to, left.p, n);
    h->text_at += n;
    if (h->text_at == h->text.n) {
        buf_clear(&h->text);
        h->text_at = 0;
    }
    return n;
}

void h2_leave(struct h2 *h)
{
    buf_clear(&h->text);
    h->text_at = 0;
    if (h->state != H2_ASKED)
        return;
    h->state = H2_ENDED; /* before the stream closes: that is no fault */
    h->length_left = 0;
    int error = nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, h->stream, NGHTTP2_CANCEL);
    if (error)
        h->is_dead = true;
    else
        collect(h);
}

enum h2_state h2_end(struct h2 *h)
{
    h->is_dead = true;
    if (h->state == H2_ASKED && h->is_leaving && !h->has_head) {
        h->state = H2_BROKEN;
        h->why = "GOAWAY instead of an answer";
    }
    return h->state;
}

enum h2_state h2_state(const struct h2 *h)
{
    return h->state;
}

bool h2_has_head(const struct h2 *h)
{
    return h->has_head;
}

const char *h2_why(const struct h2 *h)
{
    return h->why;
}
