/* SPDX-License-Identifier: Apache-2.0 */
/* Our side against a client of nghttp2, both in memory. */
#include "lib/test.h"

#include "base/mem.h"
#include "serve/h2.h"
#include "serve/h2_moods.h"

#include <nghttp2/nghttp2.h>
#include <stdio.h>

enum {
    MAX_BYTES = 16 * 1024 * 1024,
    MAX_HEAD_BYTES = 64 * 1024, /* the client's limit */
    GIVE_BYTES = 64 * 1024,
    STREAMS = 8,
};

/* What the server was asked for and how it answers ------------------------------------------ */

struct ended {
    uint64_t ticket, bytes;
    bool whole;
};

struct web {
    void (*write)(struct reply *r);
    char asked[256]; /* "GET host /target header=value" of the latest request */
    uint64_t tickets;
    struct ended ended[STREAMS * 2];
    unsigned ended_count;
};

static uint64_t answer(void *ctx, const struct request *q, struct reply *r)
{
    struct web *w = ctx;
    struct str agent = request_header(q, STR("User-Agent"));
    snprintf(w->asked, sizeof w->asked, STR_FMT " " STR_FMT " " STR_FMT " " STR_FMT " %d%d",
             STR_ARG(q->method), STR_ARG(q->host), STR_ARG(q->target), STR_ARG(agent), q->is_h2,
             q->is_https);
    assert_str(q->sni, STR("www.heron1.test"));
    w->write(r);
    return ++w->tickets;
}

static void ended(void *ctx, uint64_t ticket, uint64_t bytes, bool whole)
{
    struct web *w = ctx;
    assert_true(w->ended_count < sizeof w->ended / sizeof *w->ended);
    w->ended[w->ended_count++] = (struct ended){ticket, bytes, whole};
}

/* The client -------------------------------------------------------------------------------- */

struct got {
    struct buf head; /* "name=value;" */
    struct buf body;
    bool is_closed;
    uint32_t error;
};

struct both {
    struct web web;
    struct h2 *h2;
    nghttp2_session *client;
    struct got got[STREAMS];
    uint64_t now_ms;
    bool got_goaway;
    int error; /* of the client's reading */
};

static struct got *got_of(struct both *b, int32_t id)
{
    assert_in_range(id / 2, 0, STREAMS - 1);
    return &b->got[id / 2];
}

static int client_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                         size_t name_bytes, const uint8_t *value, size_t value_bytes, uint8_t flags,
                         void *ctx)
{
    struct got *g = got_of(ctx, frame->hd.stream_id);
    (void)session, (void)flags;
    if (g->head.n > MAX_HEAD_BYTES)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    buf_printf(&g->head, "%.*s=%.*s;", (int)name_bytes, (const char *)name, (int)value_bytes,
               (const char *)value);
    return 0;
}

static int client_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes,
                       size_t n, void *ctx)
{
    (void)session, (void)flags;
    buf_add(&got_of(ctx, id)->body, str_make((const char *)bytes, n));
    return 0;
}

static int client_closed(nghttp2_session *session, int32_t id, uint32_t error, void *ctx)
{
    struct got *g = got_of(ctx, id);
    (void)session;
    g->is_closed = true;
    g->error = error;
    return 0;
}

static int client_frame(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
    (void)session;
    if (frame->hd.type == NGHTTP2_GOAWAY)
        ((struct both *)ctx)->got_goaway = true;
    return 0;
}

static void client_open(struct both *b)
{
    nghttp2_session_callbacks *calls;
    assert_int_equal(nghttp2_session_callbacks_new(&calls), 0);
    nghttp2_session_callbacks_set_on_header_callback(calls, client_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, client_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(calls, client_closed);
    nghttp2_session_callbacks_set_on_frame_recv_callback(calls, client_frame);
    assert_int_equal(nghttp2_session_client_new(&b->client, calls, b), 0);
    nghttp2_session_callbacks_del(calls);
    assert_int_equal(nghttp2_submit_settings(b->client, 0, NULL, 0), 0);
    for (size_t i = 0; i < STREAMS; i++) {
        buf_init(&b->got[i].head, MAX_BYTES);
        buf_init(&b->got[i].body, MAX_BYTES);
    }
}

static void both_open(struct both *b, enum h2_mood mood, void (*write)(struct reply *r))
{
    *b = (struct both){.web.write = write, .now_ms = 1000};
    struct h2_asks asks = {
        .answer = answer, .ended = ended, .ctx = &b->web, .endless_bytes = 1000 * 1000};
    b->h2 = h2_open(mood, STR("www.heron1.test"), asks);
    assert_non_null(b->h2);
    client_open(b);
}

static void both_close(struct both *b)
{
    h2_close(b->h2);
    b->h2 = NULL;
    nghttp2_session_del(b->client);
    for (size_t i = 0; i < STREAMS; i++) {
        buf_done(&b->got[i].head);
        buf_done(&b->got[i].body);
    }
}

static nghttp2_nv pair(const char *name, const char *value)
{
    return (nghttp2_nv){(uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, strlen(name),
                        strlen(value), NGHTTP2_NV_FLAG_NONE};
}

static int32_t get(struct both *b, const char *method, const char *path)
{
    nghttp2_nv pairs[] = {pair(":method", method), pair(":scheme", "https"),
                          pair(":authority", "www.heron1.test:8443"), pair(":path", path),
                          pair("user-agent", "a test")};
    int32_t id = nghttp2_submit_request(b->client, NULL, pairs, 5, NULL, NULL);
    assert_true(id > 0);
    return id;
}

static size_t client_to_server(struct both *b)
{
    const uint8_t *bytes;
    size_t all = 0;
    ssize_t n;
    while ((n = nghttp2_session_mem_send(b->client, &bytes)) > 0) {
        all += (size_t)n;
        assert_rc(h2_take(b->h2, str_make((const char *)bytes, (size_t)n), b->now_ms), RC_OK);
    }
    return all;
}

static size_t server_to_client(struct both *b)
{
    struct buf out;
    buf_init(&out, MAX_BYTES);
    h2_give(b->h2, b->now_ms, GIVE_BYTES, &out);
    assert_rc(buf_rc(&out), RC_OK);
    size_t all = out.n;
    if (all > 0 && !b->error) {
        ssize_t n = nghttp2_session_mem_recv(b->client, (const uint8_t *)out.p, out.n);
        if (n < 0)
            b->error = (int)n;
    }
    buf_done(&out);
    return all;
}

/* Until neither has anything to say at this moment. */
static void talk(struct both *b)
{
    for (int i = 0; i < 10000; i++) {
        size_t moved = client_to_server(b) + server_to_client(b);
        if (moved == 0 || b->error)
            return;
    }
    fail_msg("they never stop");
}

static void assert_ended(const struct both *b, unsigned nth, uint64_t bytes, bool whole)
{
    assert_true(nth < b->web.ended_count);
    assert_int_equal(b->web.ended[nth].bytes, bytes);
    assert_int_equal(b->web.ended[nth].whole, whole);
}

/* Answers ----------------------------------------------------------------------------------- */

static void write_page(struct reply *r)
{
    reply_page(r, 200, "text/html", STR("Connection: keep-alive\r\nX-More: 1\r\n"),
               STR("<p>hello"));
}

static void write_chunked(struct reply *r)
{
    reply_send(r, STR("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: "
                      "chunked\r\nContent-Type: text/plain\r\n\r\n5\r\nhe"));
    reply_send(r, STR("llo\r\n1;ext=\"1\"\r\n \r\n00A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nand "
                      "what nobody reads"));
}

static void write_long(struct reply *r)
{
    reply_send(r, STR("HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n"));
    reply_repeat(r, STR("0123456789"), 300000);
}

static void write_until_close(struct reply *r)
{
    reply_send(r, STR("HTTP/1.1 200 OK\r\n\r\nto the end"));
    reply_close(r);
}

static void write_not_modified(struct reply *r)
{
    reply_send(r, STR("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n"));
}

static void write_late(struct reply *r)
{
    reply_wait(r, 500);
    reply_send(r, STR("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n"));
    reply_drip(r, STR("abcdef"), 2, 1000);
    reply_wait(r, 50);
    reply_send(r, STR("g"));
}

static void write_cut(struct reply *r)
{
    reply_send(r, STR("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"));
    reply_close(r);
}

static void write_cut_chunk(struct reply *r)
{
    reply_send(r, STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\nX"));
}

static void write_reset(struct reply *r)
{
    reply_send(r, STR("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"));
    reply_wait(r, 10);
    reply_reset(r);
}

static void write_garbage(struct reply *r)
{
    reply_send(r, STR("<html>no head at all</html>\r\n\r\n"));
}

static void write_nothing(struct reply *r)
{
    reply_close(r);
}

static void write_endless(struct reply *r)
{
    reply_send(r, STR("HTTP/1.1 200 OK\r\n\r\n"));
    reply_repeat(r, STR("0123456789"), 0);
}

/* Tests ------------------------------------------------------------------------------------- */

static void a_page_arrives_whole(void **state)
{
    (void)state;
    struct both b;
    both_open(&b, H2_GOOD, write_page);
    int32_t id = get(&b, "GET", "/garden/?q=1");
    talk(&b);
    struct got *g = got_of(&b, id);
    assert_string_equal(b.web.asked, "GET www.heron1.test /garden/?q=1 a test 11");
    assert_str(buf_str(&g->head), STR(":status=200;content-type=text/html;content-length=8;"
                                      "x-more=1;"));
    assert_str(buf_str(&g->body), STR("<p>hello"));
    assert_true(g->is_closed && g->error == 0);
    assert_int_equal(b.web.ended_count, 1);
    assert_ended(&b, 0, 8, true);
    assert_false(h2_is_over(b.h2));
    assert_int_equal(h2_wake_ms(b.h2), UINT64_MAX);
    both_close(&b);
    assert_int_equal(b.web.ended_count, 1);
}

static void bodies_of_every_kind_become_data(void **state)
{
    (void)state;
    static const struct {
        void (*write)(struct reply *r);
        const char *method;
        struct str body;
    } rows[] = {
        {write_chunked, "GET", STR("hello 0123456789")},
        {write_until_close, "GET", STR("to the end")},
        {write_not_modified, "GET", STR("")},
        {write_long, "HEAD", STR("")},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct both b;
        both_open(&b, H2_GOOD, rows[i].write);
        int32_t id = get(&b, rows[i].method, "/");
        talk(&b);
        struct got *g = got_of(&b, id);
        assert_true(g->is_closed && g->error == 0);
        assert_str(buf_str(&g->body), rows[i].body);
        assert_ended(&b, 0, rows[i].body.n, true);
        assert_true(str_find_str(buf_str(&g->head), STR("transfer")) == g->head.n);
        both_close(&b);
    }
}

static void long_bodies_wait_for_the_clients_window(void **state)
{
    (void)state;
    struct both b;
    both_open(&b, H2_GOOD, write_long);
    int32_t first = get(&b, "GET", "/1"), second = get(&b, "GET", "/2");
    client_to_server(&b);
    while (server_to_client(&b) > 0)
        ;
    size_t before = got_of(&b, first)->body.n + got_of(&b, second)->body.n;
    assert_in_range(before, 60000, 65535); /* what a client takes unasked */
    assert_int_equal(b.web.ended_count, 0);
    talk(&b);
    assert_int_equal(got_of(&b, first)->body.n, 3000000);
    assert_int_equal(got_of(&b, second)->body.n, 3000000);
    assert_ended(&b, 0, 3000000, true);
    assert_ended(&b, 1, 3000000, true);
    both_close(&b);
}

static void waits_and_drips_take_their_time(void **state)
{
    (void)state;
    static const struct {
        uint64_t ms;
        size_t body;
    } rows[] = {{1499, 0}, {1500, 2}, {2499, 2}, {2500, 4}, {3500, 6}, {3549, 6}, {3550, 7}};
    struct both b;
    both_open(&b, H2_GOOD, write_late);
    int32_t id = get(&b, "GET", "/");
    talk(&b);
    struct got *g = got_of(&b, id);
    assert_int_equal(g->head.n, 0);
    assert_int_equal(h2_wake_ms(b.h2), 1500);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        b.now_ms = rows[i].ms;
        talk(&b);
        assert_int_equal(g->body.n, rows[i].body);
        assert_int_equal(g->is_closed, rows[i].body == 7);
    }
    assert_str(buf_str(&g->body), STR("abcdefg"));
    assert_ended(&b, 0, 7, true);
    both_close(&b);
}

static void answers_that_break_off_reset_their_stream_alone(void **state)
{
    (void)state;
    static void (*const rows[])(struct reply * r) = {write_cut,     write_cut_chunk, write_reset,
                                                     write_garbage, write_nothing,   reply_hold};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct both b;
        both_open(&b, H2_GOOD, rows[i]);
        int32_t id = get(&b, "GET", "/");
        talk(&b);
        b.now_ms += 10;
        talk(&b);
        struct got *g = got_of(&b, id);
        assert_true(g->is_closed);
        assert_int_equal(g->error, NGHTTP2_INTERNAL_ERROR);
        assert_int_equal(b.web.ended_count, 1);
        assert_false(b.web.ended[0].whole);
        b.web.write = write_page;
        id = get(&b, "GET", "/again");
        talk(&b);
        assert_str(buf_str(&got_of(&b, id)->body), STR("<p>hello"));
        both_close(&b);
    }
}

static void an_endless_body_ends_at_the_limit(void **state)
{
    (void)state;
    struct both b;
    both_open(&b, H2_GOOD, write_endless);
    int32_t id = get(&b, "GET", "/");
    talk(&b);
    assert_true(got_of(&b, id)->is_closed);
    assert_in_range(got_of(&b, id)->body.n, 999000, 1000010);
    both_close(&b);
}

static void a_client_that_cancels_is_told_of(void **state)
{
    (void)state;
    struct both b;
    both_open(&b, H2_GOOD, write_long);
    int32_t id = get(&b, "GET", "/"), left_open = get(&b, "GET", "/");
    client_to_server(&b);
    server_to_client(&b);
    assert_int_equal(nghttp2_submit_rst_stream(b.client, 0, id, NGHTTP2_CANCEL), 0);
    client_to_server(&b);
    assert_int_equal(b.web.ended_count, 1);
    assert_int_equal(b.web.ended[0].ticket, 1);
    assert_false(b.web.ended[0].whole);
    (void)left_open;
    both_close(&b);
    assert_int_equal(b.web.ended_count, 2); /* the one still open ends with the connection */
    assert_false(b.web.ended[1].whole);
}

static void a_head_too_large_is_refused(void **state)
{
    (void)state;
    struct both b;
    both_open(&b, H2_GOOD, write_page);
    nghttp2_nv pairs[150] = {pair(":method", "GET"), pair(":scheme", "https"),
                             pair(":authority", "www.heron1.test"), pair(":path", "/")};
    for (size_t i = 4; i < 150; i++)
        pairs[i] = pair("x-one-more", "header");
    int32_t id = nghttp2_submit_request(b.client, NULL, pairs, 150, NULL, NULL);
    talk(&b);
    assert_str(buf_str(&got_of(&b, id)->head), STR(":status=431;"));
    assert_int_equal(b.web.tickets, 0);
    both_close(&b);
}

static void what_is_no_http2_is_an_error(void **state)
{
    (void)state;
    struct both b;
    both_open(&b, H2_GOOD, write_page);
    assert_rc(h2_take(b.h2, STR("GET / HTTP/1.1\r\nHost: www.heron1.test\r\n\r\n"), 0), RC_INVALID);
    assert_true(h2_is_over(b.h2));
    both_close(&b);
}

static void after_goaway_the_first_stream_is_the_last(void **state)
{
    (void)state;
    struct both b;
    both_open(&b, H2_GOAWAY, write_page);
    int32_t first = get(&b, "GET", "/1"), second = get(&b, "GET", "/2");
    talk(&b);
    assert_true(b.got_goaway);
    assert_str(buf_str(&got_of(&b, first)->body), STR("<p>hello"));
    assert_true(got_of(&b, second)->is_closed);
    assert_int_equal(got_of(&b, second)->error, NGHTTP2_REFUSED_STREAM); /* safe to try again */
    assert_int_equal(b.web.tickets, 1);
    assert_true(h2_is_over(b.h2));
    both_close(&b);
}

static void an_early_goaway_comes_instead_of_the_answer(void **state)
{
    (void)state;
    struct both b;
    both_open(&b, H2_GOAWAY_EARLY, write_page);
    int32_t id = get(&b, "GET", "/");
    talk(&b);
    assert_true(b.got_goaway);
    assert_true(got_of(&b, id)->is_closed);
    assert_int_equal(got_of(&b, id)->error, NGHTTP2_REFUSED_STREAM); /* safe to try again */
    assert_int_equal(got_of(&b, id)->body.n, 0);
    assert_ended(&b, 0, 0, false);
    assert_true(h2_is_over(b.h2));
    both_close(&b);
}

static void every_stream_is_reset(void **state)
{
    (void)state;
    struct both b;
    both_open(&b, H2_RST_STREAM, write_page);
    for (unsigned i = 0; i < 3; i++) {
        int32_t id = get(&b, "GET", "/");
        talk(&b);
        assert_true(got_of(&b, id)->is_closed);
        assert_int_equal(got_of(&b, id)->error, NGHTTP2_INTERNAL_ERROR);
        assert_int_equal(got_of(&b, id)->body.n, 0);
        assert_ended(&b, i, 0, false);
    }
    assert_false(h2_is_over(b.h2));
    both_close(&b);
}

/* Everything the server says after the first request, until it has ended. */
static size_t flood_whole(struct both *b)
{
    size_t all = 0;
    get(b, "GET", "/");
    client_to_server(b);
    for (int i = 0; i < 100000 && !h2_is_over(b->h2); i++) {
        struct buf out;
        buf_init(&out, MAX_BYTES);
        assert_int_equal(h2_wake_ms(b->h2), 0);
        h2_give(b->h2, b->now_ms, GIVE_BYTES, &out);
        assert_rc(h2_take(b->h2, STR("whatever the client says"), b->now_ms), RC_OK);
        all += out.n;
        buf_done(&out);
    }
    assert_true(h2_is_over(b->h2));
    return all;
}

static void floods_come_to_an_end(void **state)
{
    (void)state;
    static const struct {
        enum h2_mood mood;
        size_t bytes;
    } rows[] = {{H2_SETTINGS_FLOOD, H2_FLOOD_FRAMES * 15UL},
                {H2_CONTINUATION_FLOOD, H2_FLOOD_FRAMES * 20UL},
                {H2_HPACK_BOMB, H2_BOMB_FRAMES * (16384UL + 9)}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct both b;
        both_open(&b, rows[i].mood, write_page);
        assert_in_range(flood_whole(&b), rows[i].bytes - 100, rows[i].bytes + 100);
        assert_int_equal(b.web.tickets, 1);
        both_close(&b);
        assert_int_equal(b.web.ended_count, 1);
        assert_false(b.web.ended[0].whole);
    }
}

static void a_wary_client_gives_up_on_floods(void **state)
{
    (void)state;
    static const enum h2_mood rows[] = {H2_SETTINGS_FLOOD, H2_CONTINUATION_FLOOD, H2_HPACK_BOMB};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct both b;
        both_open(&b, rows[i], write_page);
        get(&b, "GET", "/");
        client_to_server(&b);
        bool is_over = false;
        for (int k = 0; k < 1000 && !is_over; k++) {
            server_to_client(&b);
            is_over = b.error || !nghttp2_session_want_read(b.client) || got_of(&b, 1)->is_closed;
        }
        assert_true(is_over);
        both_close(&b);
    }
}

/* Memory ------------------------------------------------------------------------------------ */

/* The client's own allocations are not ours, so its bytes are recorded first. */
static struct buf recorded;

static int record(void **state)
{
    (void)state;
    struct both b;
    const uint8_t *bytes;
    ssize_t n;
    both_open(&b, H2_GOOD, write_page);
    buf_init(&recorded, MAX_BYTES);
    get(&b, "GET", "/");
    get(&b, "GET", "/");
    while ((n = nghttp2_session_mem_send(b.client, &bytes)) > 0)
        buf_add(&recorded, str_make((const char *)bytes, (size_t)n));
    both_close(&b);
    return recorded.rc ? -1 : 0;
}

static int forget_record(void **state)
{
    (void)state;
    buf_done(&recorded);
    return 0;
}

static enum rc live(void *ctx)
{
    struct web web = {.write = *(bool *)ctx ? write_chunked : write_page};
    struct buf out;
    struct h2_asks asks = {.answer = answer, .ended = ended, .ctx = &web};
    struct h2 *h = h2_open(H2_GOOD, STR("www.heron1.test"), asks);
    if (!h)
        return RC_NOMEM;
    buf_init(&out, MAX_BYTES);
    enum rc rc = h2_take(h, buf_str(&recorded), 5);
    h2_give(h, 5, GIVE_BYTES, &out);
    bool is_whole = web.ended_count == 2 && web.ended[0].whole && web.ended[1].whole;
    if (h2_is_over(h) || out.rc || !is_whole)
        rc = RC_NOMEM;
    h2_close(h);
    buf_done(&out);
    assert_int_equal(web.ended_count, web.tickets);
    return rc;
}

static void without_memory_every_answer_still_ends(void **state)
{
    (void)state;
    bool is_chunked = false;
    test_each_allocation_fails(live, &is_chunked);
    is_chunked = true;
    test_each_allocation_fails(live, &is_chunked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_arrives_whole),
        cmocka_unit_test(bodies_of_every_kind_become_data),
        cmocka_unit_test(long_bodies_wait_for_the_clients_window),
        cmocka_unit_test(waits_and_drips_take_their_time),
        cmocka_unit_test(answers_that_break_off_reset_their_stream_alone),
        cmocka_unit_test(an_endless_body_ends_at_the_limit),
        cmocka_unit_test(a_client_that_cancels_is_told_of),
        cmocka_unit_test(a_head_too_large_is_refused),
        cmocka_unit_test(what_is_no_http2_is_an_error),
        cmocka_unit_test(after_goaway_the_first_stream_is_the_last),
        cmocka_unit_test(an_early_goaway_comes_instead_of_the_answer),
        cmocka_unit_test(every_stream_is_reset),
        cmocka_unit_test(floods_come_to_an_end),
        cmocka_unit_test(a_wary_client_gives_up_on_floods),
        cmocka_unit_test_setup_teardown(without_memory_every_answer_still_ends, record,
                                        forget_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
