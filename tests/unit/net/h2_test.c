/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP/2 against frames written by hand (h2_frames.h), and against a server of nghttp2. */
#include "net/h2.h"

#include "base/mem.h"
#include "h2_frames.h"
#include "lib/test.h"

#include <nghttp2/nghttp2.h>

#define REQUEST "GET /a HTTP/1.1\r\nHost: x.test\r\nAccept: */*\r\nConnection: close\r\n\r\n"
#define OK "HTTP/1.1 200 \r\n"

static const struct h2_limits usual = {.head_bytes = 2000, .header_count = 20};
static const char *const state_names[] = {"idle",  "asked",  "ended", "unseen",
                                          "reset", "broken", "nomem"};

/* All of the text, fed in pieces; nothing that is owed is written. */
static enum h2_state feed(struct h2 *h, struct str bytes, size_t step, size_t room,
                          struct buf *text)
{
    char to[H2_TAKE_BYTES];
    while (bytes.n) {
        size_t n;
        struct str piece = str_first(bytes, step);
        (void)h2_take(h, piece, to, room, &n);
        assert_true(n <= room);
        do {
            buf_add(text, str_make(to, n));
            n = h2_give(h, to, room);
        } while (n);
        bytes = str_from(bytes, piece.n);
    }
    return h2_state(h);
}

struct row {
    const char *name;
    const char *script;
    enum h2_state state;
    const char *text;
    const char *why; /* part of it */
};

static const struct row rows[] = {
    {"a page", "s|h200;content-type=text/html|dhe|Dllo", H2_ENDED,
     OK "content-type: text/html\r\n\r\nhello", NULL},
    {"a head alone", "s|H204", H2_ENDED, "HTTP/1.1 204 \r\n\r\n", NULL},
    {"fields keep their order, the same name twice too", "s|H200;b=1;a=2;b=3;set-cookie=x",
     H2_ENDED, OK "b: 1\r\na: 2\r\nb: 3\r\nset-cookie: x\r\n\r\n", NULL},
    {"an empty value", "s|H200;a=", H2_ENDED, OK "a: \r\n\r\n", NULL},
    {"interim heads come first", "s|h100|h103;link=x|h200;a=b|Dx", H2_ENDED,
     "HTTP/1.1 100 \r\n\r\nHTTP/1.1 103 \r\nlink: x\r\n\r\n" OK "a: b\r\n\r\nx", NULL},
    {"trailers are left out", "s|h200|dx|H;sum=1", H2_ENDED, OK "\r\nx", NULL},
    {"a head in three frames", "s|e200;a=b|c;c=d|C;e=f|Dx", H2_ENDED,
     OK "a: b\r\nc: d\r\ne: f\r\n\r\nx", NULL},
    {"frames that mean nothing here", "s|u|p|w|h200|p|dx|u|z|p|s|D", H2_ENDED, OK "\r\nx", NULL},
    {"what follows is not the answer's", "s|h200|Dx|p|s|w", H2_ENDED, OK "\r\nx", NULL},
    {"not yet", "s|h200|dx", H2_ASKED, OK "\r\nx", NULL},
    {"a length that is true", "s|h200;content-length=2|dx|Dy", H2_ENDED,
     OK "content-length: 2\r\n\r\nxy", NULL},
    {"a length that is too long", "s|h200;content-length=3|dx|Dy", H2_RESET,
     OK "content-length: 3\r\n\r\nxy", "PROTOCOL_ERROR"},
    {"a length that is too short", "s|h200;content-length=1|dx|Dy", H2_RESET,
     OK "content-length: 1\r\n\r\nx", "PROTOCOL_ERROR"},
    {"the same in one frame", "s|h200;content-length=3|Dxyz.|p", H2_RESET,
     OK "content-length: 3\r\n\r\nxyz", "PROTOCOL_ERROR"},
    {"the same with padding", "s|h200;content-length=3|Yxyz.|p", H2_RESET,
     OK "content-length: 3\r\n\r\nxyz", "PROTOCOL_ERROR"},
    {"padding is not the body's", "s|h200;content-length=3|yx|Yyz", H2_ENDED,
     OK "content-length: 3\r\n\r\nxyz", NULL},
    {"two lengths", "s|h200;content-length=1;content-length=2|dx", H2_RESET, NULL, "header"},
    {"fields of a connection", "s|h200;transfer-encoding=chunked|dx", H2_RESET, NULL, "header"},
    {"no status", "s|h;a=b|Dx", H2_RESET, NULL, "messaging"},
    {"a switch of protocols", "s|h101|Dx", H2_RESET, NULL, "header"},
    {"a status that is none", "s|h20;a=b|Dx", H2_RESET, NULL, "header"},
    {"a name in capitals", "s|H200;A=b;c=d", H2_RESET, NULL, "header"},
    {"a name with a blank is dropped", "s|H200;a b=c;c=d", H2_ENDED, OK "c: d\r\n\r\n", NULL},
    {"a line end in a value is dropped", "s|H200;a=b\r\nc: d;e=f", H2_ENDED, OK "e: f\r\n\r\n",
     NULL},
    {"RST_STREAM", "s|r2", H2_RESET, "", "INTERNAL_ERROR"},
    {"RST_STREAM within the body", "s|h200|dx|r0|p", H2_RESET, OK "\r\nx", "too early"},
    {"RST_STREAM behind the end", "s|h200|Dx|r0", H2_ENDED, OK "\r\nx", NULL},
    {"refused", "s|r7", H2_UNSEEN, "", "REFUSED_STREAM"},
    {"GOAWAY instead of an answer", "s|g0,0", H2_UNSEEN, "", "REFUSED_STREAM"},
    {"GOAWAY and the answer", "s|g1,0|h200|Dx", H2_ENDED, OK "\r\nx", NULL},
    {"HTTP/1.1", "xHTTP/1.1 400 Bad Request\r\n\r\n", H2_BROKEN, "", ""},
    {"no SETTINGS first", "p|s|h200|Dx", H2_BROKEN, "", ""},
    {"a body before its head", "s|dx", H2_BROKEN, "", ""},
    {"CONTINUATION of nothing", "s|C;a=b", H2_BROKEN, "", ""},
    {"something between a head's frames", "s|e200|p", H2_BROKEN, OK, ""},
    {"a push", "s|q200|h200|Dx", H2_BROKEN, "", ""},
    {"a flood of SETTINGS", "s|s*1000|h200|Dx", H2_BROKEN, "", "frames without data"},
    {"a flood of PING", "s|h200|p*1000|Dx", H2_BROKEN, OK "\r\n", "frames without data"},
    {"a flood of empty DATA", "s|h200|d*1000|Dx", H2_BROKEN, OK "\r\n", "frames without data"},
    {"a flood of padding", "s|h200|z*1000|Dx", H2_BROKEN, OK "\r\n", "frames without data"},
    {"a flood of unknown frames", "s|u*1000|h200|Dx", H2_BROKEN, "", "frames without data"},
    {"a flood of interim heads", "s|h100*1000|h200|Dx", H2_BROKEN, NULL, "too"},
    {"too many fields",
     "s|H200;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;"
     "a=b;a=b;a=b;a=b;a=b",
     H2_BROKEN, NULL, "too many header lines"},
    {"too many fields that are dropped",
     "s|H200;a b=c;a b=c;a b=c;a b=c;a b=c;a b=c;a b=c;a b=c;a b=c;a b=c;a b=c;a b=c;a b=c;a b=c;a "
     "b=c;a b=c;a b=c;a b=c;a b=c;a b=c",
     H2_BROKEN, NULL, "too many header lines"},
};

static void check_row(const struct row *row, struct str bytes, size_t step, size_t room)
{
    struct h2 *h = h2_open(&usual);
    struct buf text;
    buf_init(&text, 1 << 20);
    assert_non_null(h);
    assert_int_equal(h2_ask(h, STR(REQUEST)), H2_ASKED);
    enum h2_state state = feed(h, bytes, step, room, &text);
    if (state != row->state)
        print_message("# why: %s\n", h2_why(h) ? h2_why(h) : "-");
    assert_string_equal(state_names[state], state_names[row->state]);
    if (row->text)
        assert_str(buf_str(&text), str_c(row->text));
    assert_true(state <= H2_ENDED || h2_why(h));
    if (row->why && !strstr(h2_why(h), row->why))
        fail_msg("%s: %s", row->name, h2_why(h));
    h2_close(h);
    buf_done(&text);
}

static void answers_are_as_the_table_says_however_they_are_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf bytes;
        buf_init(&bytes, 1 << 20);
        h2_frames_add(&bytes, rows[i].script, 1);
        print_message("# %s\n", rows[i].name);
        check_row(&rows[i], buf_str(&bytes), H2_TAKE_BYTES, H2_TAKE_BYTES);
        check_row(&rows[i], buf_str(&bytes), 1, H2_TAKE_BYTES);
        check_row(&rows[i], buf_str(&bytes), 7, 1);
        check_row(&rows[i], buf_str(&bytes), H2_TAKE_BYTES, 5);
        buf_done(&bytes);
    }
}

/* One field of 400 bytes into HPACK's table, then a byte for each time it is meant again. */
static void bomb(struct buf *bytes, const char *name)
{
    struct buf block;
    buf_init(&block, 1 << 16);
    buf_add(&block, STR("\x88\x40"));
    buf_byte(&block, (char)strlen(name));
    buf_add(&block, str_c(name));
    buf_add(&block, STR("\x7f\x91\x02")); /* 127 + 273 */
    buf_fill(&block, 'b', 400);
    buf_fill(&block, (char)0xbe, 10000);
    h2_frames_add(bytes, "s", 1);
    h2_frame_add(bytes, 1, 4, 1, buf_str(&block));
    buf_done(&block);
}

static void what_hpack_unfolds_is_bounded(void **state)
{
    (void)state;
    static const char *const names[] = {"x-bomb", "x dropped"};
    for (int i = 0; i < 2; i++) {
        struct row row = {names[i], NULL, H2_BROKEN, NULL, "the head is too long"};
        struct buf bytes;
        buf_init(&bytes, 1 << 20);
        bomb(&bytes, names[i]);
        check_row(&row, buf_str(&bytes), H2_TAKE_BYTES, H2_TAKE_BYTES);
        check_row(&row, buf_str(&bytes), 1, H2_TAKE_BYTES);
        buf_done(&bytes);
    }
}

static void trailers_have_the_same_limits(void **state)
{
    (void)state;
    struct row row = {"trailers", NULL, H2_BROKEN, OK "\r\nx", "too many header lines"};
    struct buf bytes;
    buf_init(&bytes, 1 << 20);
    h2_frames_add(&bytes,
                  "s|h200|dx|H;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;a=b;"
                  "a=b;a=b;a=b;a=b",
                  1);
    check_row(&row, buf_str(&bytes), H2_TAKE_BYTES, H2_TAKE_BYTES);
    buf_done(&bytes);
}

static enum h2_state take(struct h2 *h, const char *script, uint32_t stream, struct buf *text)
{
    struct buf bytes;
    buf_init(&bytes, 1 << 20);
    h2_frames_add(&bytes, script, stream);
    enum h2_state state = feed(h, buf_str(&bytes), H2_TAKE_BYTES, H2_TAKE_BYTES, text);
    buf_done(&bytes);
    return state;
}

static void a_connection_serves_until_the_farewell(void **state)
{
    (void)state;
    struct h2 *h = h2_open(&usual);
    struct buf text;
    buf_init(&text, 10000);
    assert_true(h2_may_ask(h));
    for (uint32_t stream = 1; stream < 7; stream += 2) {
        buf_clear(&text);
        assert_int_equal(h2_ask(h, STR(REQUEST)), H2_ASKED);
        assert_false(h2_may_ask(h));
        assert_int_equal(take(h, stream == 1 ? "s|h200|Dx" : "h200|Dx", stream, &text), H2_ENDED);
        assert_str(buf_str(&text), STR(OK "\r\nx"));
        assert_true(h2_has_head(h));
        assert_int_equal(take(h, "p", 0, &text), H2_ENDED);
        assert_true(h2_may_ask(h));
    }
    assert_int_equal(take(h, "g5,0", 0, &text), H2_ENDED);
    assert_false(h2_may_ask(h));
    assert_int_equal(h2_ask(h, STR(REQUEST)), H2_UNSEEN);
    h2_close(h);
    buf_done(&text);
}

static void a_flood_while_nothing_is_asked_ends_it(void **state)
{
    (void)state;
    struct h2 *h = h2_open(&usual);
    struct buf text;
    buf_init(&text, 10000);
    assert_int_equal(h2_ask(h, STR(REQUEST)), H2_ASKED);
    assert_int_equal(take(h, "s|h200|Dx|p*1000", 1, &text), H2_ENDED);
    assert_false(h2_may_ask(h));
    h2_close(h);
    buf_done(&text);
}

/* RFC 9113: RST_STREAM is type 3, CANCEL is code 8. What was on its way of the
 * stream is passed over, up to a limit, and the connection serves again. */
static void an_answer_may_be_left(void **state)
{
    (void)state;
    static const char reset[] = {0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 8};
    struct h2 *h = h2_open(&usual);
    struct buf text;
    buf_init(&text, 1000);
    assert_non_null(h);
    assert_int_equal(h2_ask(h, STR(REQUEST)), H2_ASKED);
    assert_int_equal(take(h, "s|h200;content-length=9|dabc", 1, &text), H2_ASKED);
    h2_wrote(h, h2_pending(h).n);
    h2_leave(h);
    assert_str(h2_pending(h), str_make(reset, sizeof reset));
    h2_wrote(h, h2_pending(h).n);
    assert_int_equal(h2_state(h), H2_ENDED);
    assert_true(h2_may_ask(h));
    buf_clear(&text);
    assert_int_equal(take(h, "dabc|Dxyz", 1, &text), H2_ENDED);
    assert_int_equal(text.n, 0);
    assert_true(h2_may_ask(h));
    assert_int_equal(h2_ask(h, STR(REQUEST)), H2_ASKED);
    assert_int_equal(take(h, "h200|Dnew", 3, &text), H2_ENDED);
    assert_str(buf_str(&text), STR(OK "\r\nnew"));
    h2_close(h);
    buf_done(&text);
}

static void half_a_frame_is_left_over(void **state)
{
    (void)state;
    struct h2 *h = h2_open(&usual);
    struct buf text;
    buf_init(&text, 10000);
    assert_int_equal(h2_ask(h, STR(REQUEST)), H2_ASKED);
    assert_int_equal(take(h, "s|h200|Dx|x123", 1, &text), H2_ENDED);
    assert_false(h2_may_ask(h));
    h2_close(h);
    buf_done(&text);
}

static void an_end_without_an_answer_is_a_fault_behind_a_farewell_alone(void **state)
{
    (void)state;
    static const struct {
        const char *script;
        enum h2_state end;
    } ends[] = {{"s", H2_ASKED},
                {"s|g1,0", H2_BROKEN},
                {"s|g1,11|h100", H2_BROKEN},
                {"s|g1,0|h200|dx", H2_ASKED}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct h2 *h = h2_open(&usual);
        struct buf text;
        buf_init(&text, 10000);
        assert_int_equal(h2_ask(h, STR(REQUEST)), H2_ASKED);
        assert_int_equal(take(h, ends[i].script, 1, &text), H2_ASKED);
        assert_int_equal(h2_end(h), ends[i].end);
        h2_close(h);
        buf_done(&text);
    }
}

/* A server that never reads makes us owe it more and more. */
static void what_is_owed_is_bounded(void **state)
{
    (void)state;
    struct h2 *h = h2_open(&usual);
    char to[H2_TAKE_BYTES];
    struct buf bytes;
    size_t n, turns = 0;
    buf_init(&bytes, 10000);
    assert_int_equal(h2_ask(h, STR(REQUEST)), H2_ASKED);
    h2_frames_add(&bytes, "s|h200", 1);
    while (h2_take(h, buf_str(&bytes), to, sizeof to, &n) == H2_ASKED) {
        assert_true(h2_pending(h).n <= H2_PENDING_BYTES && turns++ < 100000);
        buf_clear(&bytes);
        h2_frames_add(&bytes, "p|dx", 1);
    }
    assert_int_equal(h2_state(h), H2_BROKEN);
    assert_string_equal(h2_why(h), "the server causes more replies than it reads");
    h2_close(h);
    buf_done(&bytes);
}

static void a_request_that_is_none_is_not_sent(void **state)
{
    (void)state;
    struct h2 *h = h2_open(&usual);
    assert_int_equal(h2_ask(h, STR("GET / HTTP/1.1\r\n\r\n")), H2_BROKEN);
    assert_false(h2_may_ask(h));
    h2_close(h);
    h2_close(NULL);
}

/* ---- a server of nghttp2 ---- */

struct server {
    nghttp2_session *session;
    struct buf seen; /* "name=value|" */
    size_t body_left;
};

static int server_field(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                        size_t name_n, const uint8_t *value, size_t value_n, uint8_t flags,
                        void *ctx)
{
    struct server *s = ctx;
    (void)session, (void)frame, (void)flags;
    buf_printf(&s->seen, "%.*s=%.*s|", (int)name_n, (const char *)name, (int)value_n,
               (const char *)value);
    return 0;
}

static ssize_t server_body(nghttp2_session *session, int32_t id, uint8_t *to, size_t room,
                           uint32_t *flags, nghttp2_data_source *source, void *ctx)
{
    struct server *s = ctx;
    size_t n = room < s->body_left ? room : s->body_left;
    (void)session, (void)id, (void)source;
    memset(to, 'x', n);
    s->body_left -= n;
    if (s->body_left == 0)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)n;
}

static int server_frame(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
    (void)ctx;
    nghttp2_nv status = {(uint8_t *)(uintptr_t) ":status", (uint8_t *)(uintptr_t) "200", 7, 3, 0};
    nghttp2_data_provider body = {.read_callback = server_body};
    if (frame->hd.type != NGHTTP2_HEADERS)
        return 0;
    return nghttp2_submit_response(session, frame->hd.stream_id, &status, 1, &body);
}

static void server_open(struct server *s, size_t body_bytes)
{
    nghttp2_session_callbacks *calls;
    *s = (struct server){.body_left = body_bytes};
    buf_init(&s->seen, 10000);
    assert_int_equal(nghttp2_session_callbacks_new(&calls), 0);
    nghttp2_session_callbacks_set_on_header_callback(calls, server_field);
    nghttp2_session_callbacks_set_on_frame_recv_callback(calls, server_frame);
    assert_int_equal(nghttp2_session_server_new(&s->session, calls, s), 0);
    nghttp2_session_callbacks_del(calls);
    assert_int_equal(nghttp2_submit_settings(s->session, 0, NULL, 0), 0);
}

/* Back and forth until neither end has anything to send. Returns the most that came at once. */
static size_t converse(struct server *s, struct h2 *h, struct buf *text)
{
    size_t most = 0, came;
    do {
        const uint8_t *bytes;
        ssize_t n;
        struct str out = h2_pending(h);
        assert_int_equal(nghttp2_session_mem_recv(s->session, (const uint8_t *)out.p, out.n),
                         out.n);
        h2_wrote(h, out.n);
        came = 0;
        while ((n = nghttp2_session_mem_send(s->session, &bytes)) > 0) {
            for (ssize_t at = 0; at < n; at += H2_TAKE_BYTES)
                (void)feed(
                    h,
                    str_first(str_make((const char *)bytes + at, (size_t)(n - at)), H2_TAKE_BYTES),
                    H2_TAKE_BYTES, H2_TAKE_BYTES, text);
            came += (size_t)n;
        }
        most = came > most ? came : most;
    } while (came || h2_pending(h).n);
    return most;
}

static void a_server_sees_the_request_in_lower_case(void **state)
{
    (void)state;
    struct server s;
    struct h2 *h = h2_open(&usual);
    struct buf text;
    buf_init(&text, 10000);
    server_open(&s, 5);
    assert_int_equal(h2_ask(h, STR(REQUEST)), H2_ASKED);
    assert_true(str_starts(h2_pending(h), STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")));
    (void)converse(&s, h, &text);
    assert_str(buf_str(&s.seen),
               STR(":method=GET|:scheme=https|:authority=x.test|:path=/a|accept=*/*|"));
    assert_str(buf_str(&text), STR(OK "\r\nxxxxx"));
    assert_int_equal(h2_state(h), H2_ENDED);
    nghttp2_session_del(s.session);
    buf_done(&s.seen);
    h2_close(h);
    buf_done(&text);
}

/* What we owe is written between the server's turns, so that one ends where the window does. */
static void a_long_body_comes_by_windows(void **state)
{
    (void)state;
    enum { BODY = 5 << 20 };
    struct server s;
    struct h2 *h = h2_open(&usual);
    struct buf text;
    buf_init(&text, BODY + 10000);
    server_open(&s, BODY);
    assert_int_equal(h2_ask(h, STR(REQUEST)), H2_ASKED);
    size_t most = converse(&s, h, &text);
    assert_int_equal(h2_state(h), H2_ENDED);
    assert_int_equal(text.n, BODY + sizeof OK - 1 + 2);
    assert_true(most <= H2_WINDOW_BYTES + (H2_WINDOW_BYTES >> 8));
    nghttp2_session_del(s.session);
    buf_done(&s.seen);
    h2_close(h);
    buf_done(&text);
}

static enum rc one_answer(void *ctx)
{
    const struct buf *bytes = ctx;
    struct h2 *h = h2_open(&usual);
    char to[64];
    size_t n;
    if (!h)
        return RC_NOMEM;
    enum h2_state state = h2_ask(h, STR(REQUEST));
    if (state == H2_ASKED)
        state = h2_take(h, buf_str(bytes), to, 20, &n);
    if (state != H2_ENDED && state != H2_NOMEM)
        fail_msg("%s: %s", state_names[state], h2_why(h));
    h2_close(h);
    return state == H2_ENDED ? RC_OK : RC_NOMEM;
}

static void without_memory_nothing_is_lost(void **state)
{
    (void)state;
    struct buf bytes;
    buf_init(&bytes, 10000);
    h2_frames_add(&bytes, "s|p|h100|e200;a=b|C;c=d|dhello|w|H;e=f", 1);
    test_each_allocation_fails(one_answer, &bytes);
    buf_done(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_as_the_table_says_however_they_are_cut),
        cmocka_unit_test(what_hpack_unfolds_is_bounded),
        cmocka_unit_test(trailers_have_the_same_limits),
        cmocka_unit_test(a_connection_serves_until_the_farewell),
        cmocka_unit_test(a_flood_while_nothing_is_asked_ends_it),
        cmocka_unit_test(an_answer_may_be_left),
        cmocka_unit_test(half_a_frame_is_left_over),
        cmocka_unit_test(an_end_without_an_answer_is_a_fault_behind_a_farewell_alone),
        cmocka_unit_test(what_is_owed_is_bounded),
        cmocka_unit_test(a_request_that_is_none_is_not_sent),
        cmocka_unit_test(a_server_sees_the_request_in_lower_case),
        cmocka_unit_test(a_long_body_comes_by_windows),
        cmocka_unit_test(without_memory_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
