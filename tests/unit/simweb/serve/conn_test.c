/* SPDX-License-Identifier: Apache-2.0 */
/* Connections over a pair of sockets: the loop is run for a moment, then what the client got is
 * looked at. */
#include "lib/test.h"

#include "serve/conn.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_ENDS = 16 };

struct scene {
    struct poller *loop;
    struct conns *conns;
    struct conn_asks asks;
    struct timer timer; /* ends a run of the loop */
    int client;
    struct buf got;
    struct conn_end ends[MOST_ENDS];
    uint32_t end_count;
    uint32_t asked;
};

/* "/hold", "/close", "/reset", "/long", and a page that repeats its path for all else. */
static uint64_t on_request(void *ctx, const struct request *q, const struct visitor *v,
                           uint64_t now_us, struct reply *r)
{
    struct scene *s = ctx;
    (void)v;
    (void)now_us;
    s->asked++;
    r->keep_alive = q->keep_alive;
    if (str_eq(q->target, STR("/long")))
        reply_repeat(r, STR("0123456789abcdef"), 1 << 20);
    else
        reply_page(r, 200, "text/plain", STR_NONE, q->target);
    if (str_eq(q->target, STR("/hold")))
        reply_hold(r);
    else if (str_eq(q->target, STR("/close")))
        reply_close(r);
    else if (str_eq(q->target, STR("/reset")))
        reply_reset(r);
    return s->asked;
}

static void on_ended(void *ctx, const struct conn_end *e)
{
    struct scene *s = ctx;
    assert_true(s->end_count < MOST_ENDS);
    s->ends[s->end_count++] = *e;
}

static void on_time(struct timer *t)
{
    struct scene *s = (struct scene *)((char *)t - offsetof(struct scene, timer));
    poller_stop(s->loop);
}

static void sweep(void *ctx)
{
    const struct scene *s = ctx;
    conns_sweep(s->conns);
}

static void scene_done(struct scene *s)
{
    if (s->client >= 0)
        (void)close(s->client);
    conns_close(s->conns);
    if (s->loop)
        poller_timer_stop(s->loop, &s->timer);
    poller_close(s->loop);
    buf_done(&s->got);
}

static enum rc scene_init(struct scene *s)
{
    struct conns_settings settings = {
        .most = 2, .idle_ms = 60000, .endless_bytes = 1 << 20, .patience_ms = 60000};
    int pair[2];
    *s = (struct scene){.client = -1, .got.max = 64 << 20, .timer.due = on_time};
    s->asks = (struct conn_asks){.answer = on_request, .ended = on_ended, .ctx = s};
    s->loop = poller_open(10);
    s->conns = s->loop ? conns_open(s->loop, &settings) : NULL;
    if (!s->conns || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair)) {
        scene_done(s);
        return RC_NOMEM;
    }
    poller_after(s->loop, sweep, s);
    s->client = pair[1];
    struct stream *stream = stream_plain(pair[0]);
    if (!stream) {
        scene_done(s);
        return RC_NOMEM;
    }
    conns_take(s->conns, &stream, 1, &s->asks);
    assert_null(stream);
    return RC_OK;
}

/* Runs the loop for a few ms and takes what came. The reader closed is as good as empty. */
static enum rc run(struct scene *s)
{
    enum rc rc = poller_timer(s->loop, &s->timer, poller_now_us() / 1000 + 5);
    if (rc == RC_OK)
        rc = poller_run(s->loop);
    char room[4096];
    ssize_t n;
    while ((n = recv(s->client, room, sizeof room, 0)) > 0)
        buf_add(&s->got, str_make(room, (size_t)n));
    return rc;
}

static void say(const struct scene *s, const char *text)
{
    size_t n = strlen(text);
    assert_int_equal(send(s->client, text, n, MSG_NOSIGNAL), (ssize_t)n);
}

static bool is_over(const struct scene *s)
{
    char byte;
    return conns_count(s->conns) == 0 && recv(s->client, &byte, 1, 0) == 0;
}

static void requests_in_pieces_and_in_heaps_are_answered_one_by_one(void **state)
{
    (void)state;
    struct scene s;
    assert_rc(scene_init(&s), RC_OK);
    say(&s, "GET /a HTTP/1.1\r\nHo");
    assert_rc(run(&s), RC_OK);
    assert_int_equal(s.got.n, 0);
    say(&s, "st: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\nGET /c HTTP/1.1\r\nHost: x\r\n\r\nGE");
    assert_rc(run(&s), RC_OK);
    say(&s, "T /d HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_rc(run(&s), RC_OK);
    assert_int_equal(s.asked, 4);
    assert_int_equal(s.end_count, 4);
    for (uint64_t i = 0; i < 4; i++) {
        assert_int_equal(s.ends[i].ticket, i + 1);
        assert_int_equal(s.ends[i].end, SIGHT_WHOLE);
        assert_int_equal(s.ends[i].status, 200);
    }
    assert_true(str_ends(buf_str(&s.got), STR("/d")));
    assert_true(is_over(&s));
    scene_done(&s);
}

static void ends_are_told_as_what_they_were(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        bool client_leaves;
        enum sight_end end;
    } rows[] = {
        {"GET /close HTTP/1.1\r\nHost: x\r\n\r\n", false, SIGHT_WE_ENDED},
        {"GET /reset HTTP/1.1\r\nHost: x\r\n\r\n", false, SIGHT_WE_ENDED},
        {"GET /hold HTTP/1.1\r\nHost: x\r\n\r\n", true, SIGHT_CLIENT_LEFT},
        {"GET /long HTTP/1.1\r\nHost: x\r\n\r\n", true, SIGHT_CLIENT_LEFT},
        {"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", true, SIGHT_WHOLE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene s;
        assert_rc(scene_init(&s), RC_OK);
        uint64_t before_us = poller_now_us();
        say(&s, rows[i].head);
        assert_rc(run(&s), RC_OK);
        if (rows[i].client_leaves) {
            assert_int_equal(close(s.client), 0);
            s.client = -1;
            assert_rc(poller_timer(s.loop, &s.timer, poller_now_us() / 1000 + 5), RC_OK);
            assert_rc(poller_run(s.loop), RC_OK);
        }
        assert_int_equal(s.end_count, 1);
        assert_int_equal(s.ends[0].end, rows[i].end);
        assert_in_range(s.ends[0].end_us, before_us, poller_now_us());
        assert_int_equal(conns_count(s.conns), 0);
        scene_done(&s);
    }
}

static void a_long_answer_comes_whole_through_a_narrow_socket(void **state)
{
    (void)state;
    struct scene s;
    assert_rc(scene_init(&s), RC_OK);
    say(&s, "GET /long HTTP/1.1\r\nHost: x\r\n\r\n");
    for (int i = 0; i < 2000 && s.end_count == 0; i++)
        assert_rc(run(&s), RC_OK);
    assert_rc(run(&s), RC_OK);
    assert_int_equal(s.got.n, 16 << 20);
    assert_int_equal(s.ends[0].bytes, 16 << 20);
    assert_int_equal(s.ends[0].end, SIGHT_WHOLE);
    scene_done(&s);
}

static void what_is_no_request_is_refused_and_not_told(void **state)
{
    (void)state;
    struct scene s;
    assert_rc(scene_init(&s), RC_OK);
    say(&s, "nonsense\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_rc(run(&s), RC_OK);
    assert_int_equal(s.asked, 0);
    assert_true(str_starts(buf_str(&s.got), STR("HTTP/1.1 400 ")));
    scene_done(&s);
}

static void beyond_the_most_the_longest_idle_goes_or_else_the_new_one(void **state)
{
    (void)state;
    struct scene s;
    int second[2], third[2], fourth[2];
    char byte;
    assert_rc(scene_init(&s), RC_OK);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, second), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, third), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fourth), 0);
    say(&s, "GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_rc(run(&s), RC_OK);
    struct stream *stream = stream_plain(second[0]);
    conns_take(s.conns, &stream, 1, &s.asks);
    stream = stream_plain(third[0]); /* the first, which had its answer, makes room */
    conns_take(s.conns, &stream, 1, &s.asks);
    assert_int_equal(conns_count(s.conns), 2);
    assert_int_equal(recv(s.client, &byte, 1, 0), 0);
    stream = stream_plain(fourth[0]); /* the others have not yet asked */
    conns_take(s.conns, &stream, 1, &s.asks);
    assert_int_equal(conns_count(s.conns), 2);
    assert_true(recv(fourth[1], &byte, 1, 0) <= 0);
    (void)close(second[1]);
    (void)close(third[1]);
    (void)close(fourth[1]);
    scene_done(&s);
}

/* Each allocation on the way from the first byte to the answer: it ends, or is answered. */
static enum rc ask_in_pieces(void *ctx)
{
    struct scene s;
    (void)ctx;
    enum rc rc = scene_init(&s);
    if (rc != RC_OK)
        return rc;
    (void)send(s.client, "GET /a HTTP/1.1\r\nHo", 19, MSG_NOSIGNAL);
    rc = run(&s);
    (void)send(s.client, "st: x\r\n\r\nGET /b", 15, MSG_NOSIGNAL);
    if (rc == RC_OK)
        rc = run(&s);
    if (rc == RC_OK && (buf_rc(&s.got) != RC_OK || s.end_count == 0))
        rc = RC_NOMEM;
    scene_done(&s);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(ask_in_pieces, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_in_pieces_and_in_heaps_are_answered_one_by_one),
        cmocka_unit_test(ends_are_told_as_what_they_were),
        cmocka_unit_test(a_long_answer_comes_whole_through_a_narrow_socket),
        cmocka_unit_test(what_is_no_request_is_refused_and_not_told),
        cmocka_unit_test(beyond_the_most_the_longest_idle_goes_or_else_the_new_one),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
