/* SPDX-License-Identifier: Apache-2.0 */
/* The engine against a server that does what a list says: reuse, retries, limits of bytes and time,
 * addresses, and what is left when memory fails. */
#include "net/http.h"

#include "base/mem.h"
#include "http_peer.h"
#include "http_rig.h"
#include "lib/test.h"
#include "net/keep.h"

#define L5 "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
#define ACCEPT                   \
    {                            \
        PEER_ACCEPT, STR_NONE, 0 \
    }
#define READ                   \
    {                          \
        PEER_READ, STR_NONE, 0 \
    }
#define SEND(literal)              \
    {                              \
        PEER_SEND, STR(literal), 1 \
    }
#define DRIP(literal)              \
    {                              \
        PEER_DRIP, STR(literal), 1 \
    }
#define RESET                   \
    {                           \
        PEER_RESET, STR_NONE, 0 \
    }
#define HOLD                   \
    {                          \
        PEER_HOLD, STR_NONE, 0 \
    }
#define PAUSE                   \
    {                           \
        PEER_PAUSE, STR_NONE, 0 \
    }
#define SMALL                   \
    {                           \
        PEER_SMALL, STR_NONE, 0 \
    }
#define CROSS                   \
    {                           \
        PEER_CROSS, STR_NONE, 0 \
    }
#define AGAIN                   \
    {                           \
        PEER_AGAIN, STR_NONE, 0 \
    }
#define END                   \
    {                         \
        PEER_END, STR_NONE, 0 \
    }

static const struct address first = {.bytes = {127, 0, 0, 1}}, second = {.bytes = {127, 0, 0, 2}};

/* One engine and one ask, against one peer. */
struct rig {
    struct http_rig h;
    struct peer peer;
    struct address addresses[2];
    unsigned chain; /* how often `done` asks again */
    bool was_in_start;
};

static void on_done(struct http_ask *ask, const struct http_answer *a)
{
    struct rig *r = EVENT_OF(ask, struct rig, h.ask);
    http_rig_note(ask, a);
    assert_false(r->was_in_start);
    assert_null(ask->running);
    if (r->chain) {
        r->chain--;
        assert_rc(http_start(r->h.http, ask), RC_OK);
    }
}

static void rig_init(struct rig *r, const struct peer_step *steps, const struct http_settings *s)
{
    *r = (struct rig){.addresses = {second, first}};
    peer_start(&r->peer, steps);
    http_rig_init(&r->h, s, r->peer.port, r->addresses);
    r->h.ask.done = on_done;
}

static void rig_done(struct rig *r)
{
    http_rig_done(&r->h);
    peer_stop(&r->peer);
}

static void run_until(struct rig *r, unsigned done)
{
    http_rig_run_until(&r->h, done);
}

static void run_until_none_idle(struct rig *r)
{
    for (int i = 0; i < HTTP_RIG_MOST_TURNS && http_counts(r->h.http).idle; i++)
        if (!loop_run(&r->h.loop))
            loop_wait(&r->h.loop);
    assert_int_equal(http_counts(r->h.http).idle, 0);
}

static void start(struct rig *r)
{
    r->was_in_start = true;
    assert_rc(http_start(r->h.http, &r->h.ask), RC_OK);
    r->was_in_start = false;
}

static void fetch(struct rig *r)
{
    start(r);
    run_until(r, r->h.done + 1 + r->chain);
}

static void expect(struct rig *r, enum http_outcome outcome, const char *body)
{
    if (r->h.answer.outcome != outcome)
        print_message("# why: %s\n", r->h.answer.why ? r->h.answer.why : "-");
    assert_string_equal(http_outcome_name(r->h.answer.outcome), http_outcome_name(outcome));
    assert_str(buf_str(&r->h.body), str_c(body));
    assert_int_equal(r->h.answer.why == NULL, outcome == HTTP_WHOLE);
}

static void an_answer_is_given_as_it_came(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {ACCEPT, READ, SEND(L5 "hello"), HOLD, END};
    struct http_settings s = http_rig_usual();
    struct rig r;
    rig_init(&r, steps, &s);
    fetch(&r);
    expect(&r, HTTP_WHOLE, "hello");
    assert_str(buf_str(&r.h.head), STR(L5));
    assert_int_equal(r.h.answer.status, 200);
    assert_true(address_eq(&r.h.answer.peer, &second));
    assert_int_equal(r.h.answer.bytes_in, sizeof L5 - 1 + 5);
    assert_true(r.h.answer.timing.connect_us <= r.h.answer.timing.first_byte_us);
    assert_true(r.h.answer.timing.first_byte_us <= r.h.answer.timing.total_us);
    assert_int_equal(http_counts(r.h.http).idle, 1);
    assert_int_equal(http_counts(r.h.http).bytes_out, sizeof HTTP_RIG_REQUEST - 1);
    rig_done(&r);
}

static void bytes_may_come_one_by_one(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {
        ACCEPT,
        READ,
        DRIP("HTTP/1.1 100 C\r\n\r\n" L5 "hello"),
        READ,
        DRIP("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"),
        HOLD,
        END};
    struct http_settings s = http_rig_usual();
    struct rig r;
    rig_init(&r, steps, &s);
    fetch(&r);
    expect(&r, HTTP_WHOLE, "hello");
    assert_str(buf_str(&r.h.head), STR(L5));
    fetch(&r);
    expect(&r, HTTP_WHOLE, "1\r\na\r\n0\r\n\r\n");
    assert_true(r.h.answer.is_chunked && r.h.answer.is_reused);
    rig_done(&r);
}

static void a_connection_serves_again_also_from_within_done(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {
        ACCEPT, READ, SEND(L5 "first"), READ, SEND(L5 "secnd"), READ, SEND(L5 "third"), HOLD, END};
    struct http_settings s = http_rig_usual();
    struct rig r;
    rig_init(&r, steps, &s);
    r.chain = 2;
    fetch(&r);
    expect(&r, HTTP_WHOLE, "third");
    assert_true(r.h.answer.is_reused);
    assert_int_equal(r.peer.accepted, 1);
    assert_int_equal(http_counts(r.h.http).connected, 1);
    assert_int_equal(http_counts(r.h.http).reused, 2);
    rig_done(&r);
}

struct reuse_row {
    const char *name;
    struct peer_step answer;
    struct str request;
    enum http_outcome outcome;
};

static const struct reuse_row reuse_rows[] = {
    {"F17: leftover bytes", SEND(L5 "hello" L5 "wrong"), STR(HTTP_RIG_REQUEST), HTTP_WHOLE},
    {"the server closes", SEND("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
     STR(HTTP_RIG_REQUEST), HTTP_WHOLE},
    {"we said that we close", SEND(L5 "hello"),
     STR("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), HTTP_WHOLE},
    {"F18: both framings",
     SEND("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
     STR(HTTP_RIG_REQUEST), HTTP_WHOLE},
    {"F32: behind a 304", SEND("HTTP/1.1 304 N\r\n\r\n" L5 "wrong"), STR(HTTP_RIG_REQUEST),
     HTTP_WHOLE},
    {"F14: refused", SEND("HTTP/1.1 200 OK\r\nContent-Length: 3,4\r\n\r\nabcd"),
     STR(HTTP_RIG_REQUEST), HTTP_NOT_HTTP},
    {"F20: a broken chunk",
     SEND("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\nx\r\n0\r\n\r\n"),
     STR(HTTP_RIG_REQUEST), HTTP_TRUNCATED},
};

static void a_connection_in_doubt_is_never_used_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof reuse_rows / sizeof *reuse_rows; i++) {
        const struct peer_step steps[] = {
            ACCEPT, READ, reuse_rows[i].answer, HOLD, ACCEPT, READ, SEND(L5 "right"), HOLD, END};
        struct http_settings s = http_rig_usual();
        struct rig r;
        print_message("# %s\n", reuse_rows[i].name);
        rig_init(&r, steps, &s);
        r.h.ask.request = reuse_rows[i].request;
        r.chain = 1;
        fetch(&r);
        expect(&r, HTTP_WHOLE, "right");
        assert_false(r.h.answer.is_reused);
        assert_int_equal(r.peer.accepted, 2);
        rig_done(&r);
    }
}

static void bytes_that_come_late_close_an_idle_connection(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {ACCEPT, READ, SEND(L5 "hello"), DRIP("     junk"),
                                             HOLD,   END};
    struct http_settings s = http_rig_usual();
    struct rig r;
    rig_init(&r, steps, &s);
    fetch(&r);
    run_until_none_idle(&r);
    rig_done(&r);
}

/* F6: whether by FIN or by RST, at once or later. */
static void a_request_that_the_server_has_seen_is_not_sent_again(void **state)
{
    (void)state;
    static const struct peer_step ends[] = {
        ACCEPT, READ, SEND(L5 "first"), READ, ACCEPT, READ, SEND(L5 "never"), HOLD, END};
    static const struct peer_step resets[] = {ACCEPT, READ, SEND(L5 "first"), READ, RESET,
                                              ACCEPT, READ, SEND(L5 "never"), HOLD, END};
    static const struct peer_step slow[] = {ACCEPT, READ, SEND(L5 "first"), READ, PAUSE,
                                            ACCEPT, READ, SEND(L5 "never"), HOLD, END};
    const struct peer_step *const all[] = {ends, resets, slow};
    struct http_settings s = http_rig_usual();
    for (int i = 0; i < 3; i++) {
        struct rig r;
        rig_init(&r, all[i], &s);
        r.chain = 1;
        fetch(&r);
        expect(&r, HTTP_CLOSED, "");
        assert_true(r.h.answer.is_reused);
        assert_int_equal(http_counts(r.h.http).retried, 0);
        assert_int_equal(r.peer.requests, 2);
        rig_done(&r);
    }
}

/* A request of which the server's kernel cannot take all: this end keeps the rest, and so knows
 * that the server has not received it when it closes. */
static struct str long_request(char *room, size_t bytes)
{
    struct buf b = buf_on(room, bytes);
    buf_add(&b, STR("GET / HTTP/1.1\r\nHost: x.test\r\nLong: "));
    buf_fill(&b, 'x', bytes - b.n - 4);
    buf_add(&b, STR("\r\n\r\n"));
    return buf_str(&b);
}

static void a_request_that_crosses_the_servers_end_is_sent_once_more(void **state)
{
    (void)state;
    static const struct peer_step good[] = {
        SMALL, ACCEPT, SEND(L5 "first"), CROSS, ACCEPT, READ, SEND(L5 "again"), HOLD, END};
    static const struct peer_step again[] = {SMALL,  ACCEPT, SEND(L5 "first"), CROSS, ACCEPT, READ,
                                             ACCEPT, READ,   SEND(L5 "never"), END};
    static char room[1 << 17];
    struct http_settings s = http_rig_usual();
    for (int i = 0; i < 2; i++) {
        struct rig r;
        rig_init(&r, i ? again : good, &s);
        r.h.ask.request = long_request(room, sizeof room);
        fetch(&r);
        expect(&r, HTTP_WHOLE, "first");
        start(&r);
        assert_true(http_counts(r.h.http).reused == 1);
        r.peer.may_go_on = true;
        run_until(&r, 2);
        expect(&r, i ? HTTP_CLOSED : HTTP_WHOLE, i ? "" : "again");
        assert_false(r.h.answer.is_reused);
        assert_int_equal(http_counts(r.h.http).retried, 1);
        assert_int_equal(r.peer.requests, 1);
        assert_int_equal(r.peer.accepted, 2);
        rig_done(&r);
    }
}

static void a_fresh_connection_that_dies_is_the_result(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {ACCEPT,           READ, RESET, ACCEPT, READ,
                                             SEND(L5 "never"), END};
    struct http_settings s = http_rig_usual();
    struct rig r;
    rig_init(&r, steps, &s);
    fetch(&r);
    expect(&r, HTTP_CLOSED, "");
    assert_int_equal(http_counts(r.h.http).retried, 0);
    rig_done(&r);
}

static void a_reused_connection_that_dies_after_a_byte_is_no_race(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {ACCEPT, READ, SEND(L5 "first"), READ, SEND("H"),
                                             ACCEPT, READ, SEND(L5 "never"), END};
    struct http_settings s = http_rig_usual();
    struct rig r;
    rig_init(&r, steps, &s);
    r.chain = 1;
    fetch(&r);
    expect(&r, HTTP_CLOSED, "");
    rig_done(&r);
}

struct outcome_row {
    const char *name;
    struct peer_step answer;
    enum http_outcome outcome;
    enum http_cut cut;
    const char *body;
};

static const struct outcome_row outcome_rows[] = {
    {"F16: an end before the length", SEND(L5 "hel"), HTTP_TRUNCATED, HTTP_CUT_DISCONNECT, "hel"},
    {"F09: longer than wanted",
     {PEER_SEND, STR("HTTP/1.1 200 OK\r\n\r\n0123456789abcdefghij"), 1},
     HTTP_TRUNCATED,
     HTTP_CUT_LENGTH,
     "0123456789"},
    {"exactly as long as wanted", SEND("HTTP/1.1 200 OK\r\n\r\n0123456789"), HTTP_WHOLE,
     HTTP_CUT_NONE, "0123456789"},
    {"F10: a head without end",
     {PEER_SEND, STR("HTTP/1.1 200 OK\r\nX: y\r\n"), 9000},
     HTTP_NOT_HTTP,
     HTTP_CUT_NONE,
     ""},
    {"F22: chunked that is not", SEND("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nplain"),
     HTTP_WHOLE, HTTP_CUT_NONE, "plain"},
    {"F31: interim answers without end",
     {PEER_SEND, STR("HTTP/1.1 100 C\r\n\r\n"), 100},
     HTTP_NOT_HTTP,
     HTTP_CUT_NONE,
     ""},
};

static void answers_end_as_the_table_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof outcome_rows / sizeof *outcome_rows; i++) {
        const struct outcome_row *row = &outcome_rows[i];
        const struct peer_step steps[] = {ACCEPT, READ, row->answer, END};
        struct http_settings s = http_rig_usual();
        struct rig r;
        print_message("# %s\n", row->name);
        rig_init(&r, steps, &s);
        r.h.ask.body_bytes = 10;
        fetch(&r);
        expect(&r, row->outcome, row->body);
        assert_int_equal(r.h.answer.cut, row->cut);
        assert_int_equal(r.h.answer.is_not_chunked, str_starts(str_c(row->name), STR("F22")));
        rig_done(&r);
    }
}

static void a_reset_cuts_a_body_without_length(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {ACCEPT,        READ,  SEND("HTTP/1.1 200 OK\r\n\r\n"),
                                             DRIP("half "), RESET, END};
    struct http_settings s = http_rig_usual();
    struct rig r;
    rig_init(&r, steps, &s);
    fetch(&r);
    assert_int_equal(r.h.answer.outcome, HTTP_TRUNCATED);
    assert_int_equal(r.h.answer.cut, HTTP_CUT_DISCONNECT);
    rig_done(&r);
}

struct time_row {
    const char *name;
    struct peer_step begin, answer;
    enum http_outcome outcome;
    const char *why;
    struct http_settings s; /* what is not 0 replaces the usual */
};

#define SLOWLY "0123456789012345678901234567890123456789012345678901234567890123456789"

static const struct time_row time_rows[] = {
    {"F03: no first byte", HOLD, END, HTTP_TIMEOUT, "no first byte", {.first_byte_ms = 30}},
    {"F07: a head a byte at a time",
     SEND("HTTP/1.1 200 OK\r\nA: "),
     DRIP(SLOWLY),
     HTTP_TIMEOUT,
     "the head took too long",
     {.head_ms = 30}},
    {"a head that stops",
     SEND("HTTP/1.1 200 OK\r\n"),
     HOLD,
     HTTP_TIMEOUT,
     "the head took too long",
     {.idle_ms = 30}},
    {"F31: an interim answer and nothing",
     SEND("HTTP/1.1 100 C\r\n\r\n"),
     HOLD,
     HTTP_TIMEOUT,
     "the head took too long",
     {.head_ms = 30}},
    {"F08: a body that stops",
     SEND(L5 "he"),
     HOLD,
     HTTP_TRUNCATED,
     "the body stalled",
     {.idle_ms = 30}},
    {"F08: a body for ever",
     SEND("HTTP/1.1 200 OK\r\n\r\n"),
     DRIP(SLOWLY SLOWLY SLOWLY),
     HTTP_TRUNCATED,
     "the fetch took too long",
     {.total_ms = 200}},
    {"F08: a body too slowly",
     SEND(L5 "he"),
     HOLD,
     HTTP_TRUNCATED,
     "the body came too slowly",
     {.least_rate = 1000, .rate_window_ms = 30}},
    {"a body too slowly, though bytes come",
     SEND("HTTP/1.1 200 OK\r\n\r\n"),
     DRIP(SLOWLY SLOWLY SLOWLY),
     HTTP_TRUNCATED,
     "the body came too slowly",
     {.least_rate = 10000, .rate_window_ms = 100}},
};

static struct http_settings settings_with(const struct http_settings *more)
{
    struct http_settings s = http_rig_usual();
    uint64_t *to[] = {&s.first_byte_ms, &s.head_ms,    &s.idle_ms,
                      &s.total_ms,      &s.least_rate, &s.rate_window_ms};
    const uint64_t *from[] = {&more->first_byte_ms, &more->head_ms,    &more->idle_ms,
                              &more->total_ms,      &more->least_rate, &more->rate_window_ms};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        if (*from[i])
            *to[i] = *from[i];
    return s;
}

static void each_phase_has_its_limit_in_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof time_rows / sizeof *time_rows; i++) {
        const struct time_row *row = &time_rows[i];
        struct http_settings s = settings_with(&row->s);
        const struct peer_step steps[] = {ACCEPT, READ, row->begin, row->answer, HOLD, END};
        struct rig r;
        print_message("# %s\n", row->name);
        rig_init(&r, steps, &s);
        fetch(&r);
        if (row->s.total_ms && r.h.answer.outcome == HTTP_TIMEOUT) {
            rig_done(&r); /* the machine was so slow that not even the head came */
            continue;
        }
        assert_string_equal(r.h.answer.why, row->why);
        assert_int_equal(r.h.answer.outcome, row->outcome);
        assert_int_equal(r.h.answer.cut,
                         row->outcome == HTTP_TRUNCATED ? HTTP_CUT_TIME : HTTP_CUT_NONE);
        rig_done(&r);
    }
}

static void a_body_that_is_fast_enough_is_whole(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {ACCEPT, READ, SEND("HTTP/1.1 200 OK\r\n\r\n"),
                                             DRIP("0123456789abcdefghij"), END};
    struct http_settings s = http_rig_usual();
    s.least_rate = 1;
    s.rate_window_ms = 20;
    struct rig r;
    rig_init(&r, steps, &s);
    fetch(&r);
    /* A window without a byte is possible on a machine that stands still; then it says so. */
    if (r.h.answer.outcome == HTTP_WHOLE)
        expect(&r, HTTP_WHOLE, "0123456789abcdefghij");
    else
        assert_string_equal(r.h.answer.why, "the body came too slowly");
    rig_done(&r);
}

static void the_guard_stands_before_every_address(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {ACCEPT, READ, SEND(L5 "hello"), READ, SEND(L5 "wrong"),
                                             HOLD,   END};
    static const struct str only[] = {{"127.0.0.2", 9}};
    struct option_list allow = {only, 1}, nothing = {only, 0};
    struct http_settings s = http_rig_usual();
    struct guard *narrow, *closed;
    struct buf why;
    struct rig r;
    buf_init(&why, 100);
    rig_init(&r, steps, &s);
    assert_rc(guard_open(&allow, &narrow, &why), RC_OK);
    assert_rc(guard_open(&nothing, &closed, &why), RC_OK);
    r.h.ask.guard = closed;
    fetch(&r);
    expect(&r, HTTP_REFUSED_ADDRESS, "");
    assert_int_equal(r.peer.accepted, 0);
    r.addresses[0] = first;
    r.addresses[1] = second;
    r.h.ask.address_count = 2;
    r.h.ask.guard = narrow;
    fetch(&r); /* past the first one, to the second */
    expect(&r, HTTP_WHOLE, "hello");
    assert_true(address_eq(&r.h.answer.peer, &second));
    r.h.ask.guard = closed;
    fetch(&r); /* nor is an idle connection there used */
    expect(&r, HTTP_REFUSED_ADDRESS, "");
    guard_close(narrow);
    guard_close(closed);
    buf_done(&why);
    rig_done(&r);
}

static void the_next_address_is_tried_when_one_refuses(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {ACCEPT, READ, SEND(L5 "hello"), HOLD, END};
    struct http_settings s = http_rig_usual();
    struct rig r;
    rig_init(&r, steps, &s);
    r.addresses[0] = first;
    r.addresses[1] = second;
    fetch(&r); /* the first alone */
    expect(&r, HTTP_NO_CONNECT, "");
    assert_string_equal(r.h.answer.why, "connection refused");
    r.h.ask.address_count = 2;
    fetch(&r);
    expect(&r, HTTP_WHOLE, "hello");
    assert_true(address_eq(&r.h.answer.peer, &second));
    r.h.ask.address_count = 0;
    fetch(&r);
    expect(&r, HTTP_REFUSED_ADDRESS, "");
    rig_done(&r);
}

static void an_idle_connection_is_used_for_its_own_origin_and_address_alone(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {
        ACCEPT, READ, SEND(L5 "hello"), HOLD, ACCEPT, READ, SEND(L5 "other"), HOLD, END};
    struct http_settings s = http_rig_usual();
    struct rig r;
    rig_init(&r, steps, &s);
    fetch(&r);
    r.addresses[0] = first;
    fetch(&r); /* the host has another address now */
    expect(&r, HTTP_NO_CONNECT, "");
    assert_int_equal(http_counts(r.h.http).idle, 1);
    r.addresses[0] = second;
    r.h.ask.host = STR("y.test");
    start(&r); /* waits: the peer holds the first connection until it is closed */
    assert_int_equal(http_counts(r.h.http).reused, 0);
    http_cancel(r.h.http, &r.h.ask);
    rig_done(&r);
}

static void idle_connections_are_few_and_do_not_stay(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {
        ACCEPT, READ, SEND(L5 "hello"), HOLD, ACCEPT, READ, SEND(L5 "other"), HOLD, END};
    struct http_settings s = http_rig_usual();
    s.idle_most = 1;
    s.keep_ms = 20;
    struct rig r;
    rig_init(&r, steps, &s);
    fetch(&r);
    assert_int_equal(http_counts(r.h.http).idle, 1);
    run_until_none_idle(&r);
    fetch(&r);
    expect(&r, HTTP_WHOLE, "other");
    assert_int_equal(r.peer.accepted, 2);
    rig_done(&r);
}

/* What the server says of its connection, and what its user knows of the next request. */
static void hints_say_how_long_a_connection_is_worth_keeping(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {
        ACCEPT, READ,
        SEND("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=40\r\nContent-Length: 5\r\n\r\nhello"), HOLD,
        AGAIN};
    static const struct {
        uint64_t wait_ms;
        bool is_kept;
    } rows[] = {{0, true}, {38000, true}, {39500, false}};
    struct http_settings s = http_rig_usual();
    for (int i = 0; i < 3; i++) {
        struct rig r;
        rig_init(&r, steps, &s);
        fetch(&r);
        const struct http_origin o = {r.h.ask.host, r.h.ask.port, r.h.ask.is_https};
        const struct http_origin other = {r.h.ask.host, r.h.ask.port, true};
        assert_true(http_is_warm(r.h.http, &o));
        assert_false(http_is_warm(r.h.http, &other));
        http_expect(r.h.http, &other, r.h.loop.now_ms + 200000,
                    true); /* of no connection there is */
        http_expect(r.h.http, &o, r.h.loop.now_ms + rows[i].wait_ms, true);
        assert_int_equal(http_is_warm(r.h.http, &o), rows[i].is_kept);
        assert_int_equal(http_counts(r.h.http).idle, rows[i].is_kept);
        rig_done(&r);
    }
}

static void a_server_that_keeps_it_for_0_s_is_believed(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {
        ACCEPT, READ,
        SEND("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=0\r\nContent-Length: 5\r\n\r\nhello"), HOLD,
        AGAIN};
    struct http_settings s = http_rig_usual();
    struct rig r;
    rig_init(&r, steps, &s);
    fetch(&r);
    expect(&r, HTTP_WHOLE, "hello");
    assert_int_equal(http_counts(r.h.http).idle, 0);
    rig_done(&r);
}

static enum http_outcome others_outcome;

static void on_other_done(struct http_ask *ask, const struct http_answer *a)
{
    (void)ask;
    others_outcome = a->outcome;
}

/* Idle connections give way; requests that are open do not. */
static void connections_are_as_many_as_descriptors(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {ACCEPT, READ, SEND(L5 "hello"), HOLD, AGAIN};
    struct http_settings s = http_rig_usual();
    s.sockets_most = 1;
    struct rig one, two;
    rig_init(&one, steps, &s);
    rig_init(&two, steps, &s);
    fetch(&one);
    assert_int_equal(http_counts(one.h.http).idle, 1);
    one.h.ask.port = two.peer.port;
    start(&one);
    assert_int_equal(http_counts(one.h.http).idle, 0);
    assert_false(http_has_room(one.h.http));
    struct http_rig *h = &one.h;
    struct http_ask other = h->ask;
    other.running = NULL;
    other.done = on_other_done;
    others_outcome = HTTP_OUTCOMES_;
    assert_rc(http_start(h->http, &other), RC_OK);
    for (int i = 0; i < HTTP_RIG_MOST_TURNS && others_outcome == HTTP_OUTCOMES_; i++) {
        loop_collect(&h->loop);
        (void)loop_run(&h->loop);
    }
    assert_int_equal(others_outcome, HTTP_FAILED);
    http_cancel(h->http, &h->ask);
    assert_true(http_has_room(h->http));
    rig_done(&one);
    rig_done(&two);
}

static void the_share_leaves_descriptors_to_others(void **state)
{
    (void)state;
    assert_int_equal(http_socket_share(20000, 2), 7500);
    assert_int_equal(http_socket_share(1024, 2), 384);
    assert_int_equal(http_socket_share(64, 2), 12);
    assert_int_equal(http_socket_share(1, 8), 1);
    assert_int_equal(http_socket_share(0, 0), 1);
    assert_true(http_socket_share(UINT64_MAX, 1) > UINT64_MAX / 2);
}

static void the_longest_idle_gives_way(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {ACCEPT, READ, SEND(L5 "hello"), HOLD, AGAIN};
    struct http_settings s = http_rig_usual();
    s.idle_most = 1;
    struct rig one, two;
    rig_init(&one, steps, &s);
    rig_init(&two, steps, &s);
    fetch(&one);
    one.h.ask.port = two.peer.port;
    fetch(&one);
    assert_int_equal(http_counts(one.h.http).idle, 1);
    assert_int_equal(http_counts(one.h.http).reused, 0);
    rig_done(&one);
    rig_done(&two);
}

static void a_cancelled_ask_is_not_heard_of_again(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {ACCEPT, READ, SEND(L5 "hel"), HOLD, AGAIN};
    struct http_settings s = http_rig_usual();
    struct rig r;
    rig_init(&r, steps, &s);
    for (int turns = 0; turns < 3; turns++) { /* at once, while connecting, while reading */
        start(&r);
        for (int i = 0; i < turns; i++) {
            loop_wait(&r.h.loop);
            (void)loop_run(&r.h.loop);
        }
        http_cancel(r.h.http, &r.h.ask);
        http_cancel(r.h.http, &r.h.ask);
        assert_int_equal(http_counts(r.h.http).running, 0);
    }
    assert_int_equal(r.h.done, 0);
    rig_done(&r);
}

static void a_failure_at_the_start_can_be_cancelled(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {END};
    struct http_settings s = http_rig_usual();
    struct rig r;
    rig_init(&r, steps, &s);
    r.h.ask.address_count = 0;
    start(&r);
    http_cancel(r.h.http, &r.h.ask);
    (void)loop_run(&r.h.loop);
    assert_int_equal(r.h.done, 0);
    rig_done(&r);
}

static void long_bodies_come_whole_in_every_framing(void **state)
{
    (void)state;
    enum { TIMES = 3000 }; /* of 1,000 bytes: more than buffers hold */
    static char thousand[1000], chunk[1007];
    memset(thousand, 'x', 1000);
    struct buf b = buf_on(chunk, sizeof chunk);
    buf_add(&b, STR("3e8\r\n"));
    buf_fill(&b, 'x', 1000);
    buf_add(&b, STR("\r\n"));
    const struct peer_step piece = {PEER_SEND, {thousand, 1000}, TIMES};
    const struct peer_step steps[] = {ACCEPT,
                                      READ,
                                      SEND("HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n"),
                                      piece,
                                      HOLD,
                                      ACCEPT,
                                      READ,
                                      SEND("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                                      {PEER_SEND, {chunk, 1007}, TIMES},
                                      SEND("0\r\n\r\n"),
                                      HOLD,
                                      ACCEPT,
                                      READ,
                                      SEND("HTTP/1.1 200 OK\r\n\r\n"),
                                      piece,
                                      END};
    static const size_t lengths[] = {3000000, 1007 * TIMES + 5, 3000000};
    struct http_settings s = http_rig_usual();
    s.idle_most = 0;
    struct rig r;
    rig_init(&r, steps, &s);
    for (int i = 0; i < 3; i++) {
        fetch(&r);
        assert_int_equal(r.h.answer.outcome, HTTP_WHOLE);
        assert_int_equal(r.h.body.n, lengths[i]);
        assert_int_equal(r.h.answer.is_chunked, i == 1);
        for (size_t at = 0; i != 1 && at < r.h.body.n; at++)
            assert_int_equal(r.h.body.p[at], 'x');
    }
    rig_done(&r);
}

static void a_long_request_is_sent_in_parts(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {ACCEPT, READ, SEND(L5 "hello"), HOLD, END};
    struct http_settings s = http_rig_usual();
    struct rig r;
    rig_init(&r, steps, &s);
    struct buf request;
    buf_init(&request, 16 << 20);
    buf_add(&request, STR("GET / HTTP/1.1\r\nX: "));
    buf_fill(&request, 'x', 8 << 20);
    buf_add(&request, STR("\r\n\r\n"));
    r.h.ask.request = buf_str(&request);
    fetch(&r);
    expect(&r, HTTP_WHOLE, "hello");
    assert_int_equal(http_counts(r.h.http).bytes_out, request.n);
    buf_done(&request);
    rig_done(&r);
}

static void settings_that_mean_nothing_are_refused(void **state)
{
    (void)state;
    struct http_settings s = {0};
    struct loop loop;
    struct http *h = NULL;
    struct arena *arena = arena_open(4096, 1 << 16);
    struct buf why;
    buf_init(&why, 1000);
    assert_rc(loop_init(&loop, clock_real()), RC_OK);
    assert_rc(http_open(&loop, &s, &h, &why), RC_INVALID);
    assert_str(buf_str(&why), STR("connect-timeout: expected more than 0"));
    assert_rc(options_default(http_options, &s, arena), RC_OK);
    s.ca_file = STR("/nowhere/ca.pem");
    assert_rc(http_open(&loop, &s, &h, &why), RC_INVALID);
    s.ca_file = STR_NONE;
    assert_null(h);
    assert_rc(http_open(&loop, &s, &h, &why), RC_OK);
    http_close(h);
    http_close(NULL);
    loop_done(&loop);
    arena_close(arena);
    buf_done(&why);
}

/* Two fetches with an engine of their own; a failure on our side is no memory. */
static enum rc fetch_twice(void *ctx)
{
    struct rig *r = ctx;
    struct http_settings s = http_rig_usual();
    struct http *before = r->h.http;
    struct buf why;
    struct loop loop = r->h.loop;
    buf_init(&why, 100);
    enum rc rc = loop_init(&r->h.loop, clock_real());
    if (rc == RC_OK)
        rc = http_open(&r->h.loop, &s, &r->h.http, &why);
    for (int i = 0; i < 2 && rc == RC_OK; i++) {
        rc = http_start(r->h.http, &r->h.ask);
        if (rc == RC_OK)
            run_until(r, r->h.done + 1);
        if (rc == RC_OK && r->h.answer.outcome != HTTP_WHOLE)
            rc = r->h.answer.outcome == HTTP_FAILED ? RC_NOMEM : RC_INVALID;
    }
    if (r->h.http != before)
        http_close(r->h.http);
    loop_done(&r->h.loop);
    r->h.http = before;
    r->h.loop = loop;
    buf_done(&why);
    return rc;
}

static void without_memory_an_ask_fails_and_nothing_is_lost(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {
        ACCEPT, READ, DRIP("HT"), SEND("TP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        HOLD,   AGAIN};
    struct http_settings s = http_rig_usual();
    struct rig r;
    rig_init(&r, steps, &s);
    r.h.ask.request = STR("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    buf_add(&r.h.head, STR("room")); /* so that copies allocate nothing */
    buf_fill(&r.h.head, 'x', 4096);
    buf_fill(&r.h.body, 'x', 4096);
    test_each_allocation_fails(fetch_twice, &r);
    rig_done(&r);
}

/* ---- what is not wanted ---- */

struct judge {
    struct rig rig;
    unsigned calls;
    uint16_t status;
    bool answer;
};

static bool on_head(struct http_ask *ask, uint16_t status, struct str head)
{
    struct judge *j = EVENT_OF(ask, struct judge, rig.h.ask);
    j->calls++;
    j->status = status;
    assert_true(str_starts(head, STR("HTTP/1.1 ")));
    assert_int_equal(head.p[head.n - 1], '\n');
    return j->answer;
}

static void judge_init(struct judge *j, const struct peer_step *steps, bool answer)
{
    struct http_settings s = http_rig_usual();
    *j = (struct judge){.answer = answer};
    rig_init(&j->rig, steps, &s);
    j->rig.h.ask.wants = on_head;
    j->rig.h.ask.body_bytes = 128 << 20;
}

/* 64 MB are said to come; what fits into the kernel's buffers is far less. */
static void a_body_that_is_not_wanted_is_left_where_it_is(void **state)
{
    (void)state;
    static char piece[1 << 20];
    const struct peer_step steps[] = {ACCEPT,
                                      READ,
                                      SEND("HTTP/1.1 103 Early\r\n\r\n"),
                                      SEND("HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n"),
                                      {PEER_SEND, {piece, sizeof piece}, 64},
                                      HOLD,
                                      END};
    struct judge j;
    judge_init(&j, steps, false);
    assert_rc(http_start(j.rig.h.http, &j.rig.h.ask), RC_OK);
    http_rig_run_until(&j.rig.h, 1);
    assert_int_equal(j.rig.h.answer.outcome, HTTP_UNWANTED);
    assert_null(j.rig.h.answer.why);
    assert_int_equal(j.rig.h.answer.status, 200);
    assert_int_equal(j.calls, 1); /* not for the 103 */
    assert_str(buf_str(&j.rig.h.head), STR("HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n"));
    assert_int_equal(j.rig.h.body.n, 0);
    assert_true(j.rig.h.answer.bytes_in < 1 << 20);
    assert_int_equal(http_counts(j.rig.h.http).idle, 0);
    rig_done(&j.rig);
    assert_true(j.rig.peer.sent_bytes < 32 << 20);
}

/* The head decides before anything of the body does, and what came whole costs no connection. */
static void what_is_not_wanted_ends_the_same_however_it_comes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct peer_step step;
        unsigned idle;
    } rows[] = {
        {"head and body at once", SEND(L5 "hello"), 1},
        {"byte by byte", DRIP(L5 "hello"), 0},
        {"no body", SEND("HTTP/1.1 204 No\r\n\r\n"), 1},
        {"a chunk that is none", SEND("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz"),
         0},
        {"leftover bytes", SEND(L5 "hello" L5 "wrong"), 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct peer_step steps[] = {ACCEPT, READ, rows[i].step, HOLD, END};
        struct judge j;
        print_message("# %s\n", rows[i].name);
        judge_init(&j, steps, false);
        assert_rc(http_start(j.rig.h.http, &j.rig.h.ask), RC_OK);
        http_rig_run_until(&j.rig.h, 1);
        assert_int_equal(j.rig.h.answer.outcome, HTTP_UNWANTED);
        assert_int_equal(j.rig.h.body.n, 0);
        assert_int_equal(j.calls, 1);
        assert_int_equal(http_counts(j.rig.h.http).idle, rows[i].idle);
        rig_done(&j.rig);
    }
}

static void what_is_wanted_comes_whole(void **state)
{
    (void)state;
    static const struct peer_step steps[] = {ACCEPT, READ, DRIP(L5 "hello"), HOLD, END};
    struct judge j;
    judge_init(&j, steps, true);
    assert_rc(http_start(j.rig.h.http, &j.rig.h.ask), RC_OK);
    http_rig_run_until(&j.rig.h, 1);
    expect(&j.rig, HTTP_WHOLE, "hello");
    assert_int_equal(j.calls, 1);
    rig_done(&j.rig);
}

/* A look at the start ------------------------------------------------------------------------- */

struct look {
    struct rig rig;
    bool answer, is_chunked;
    unsigned calls;
    char start[16];
    size_t start_n;
};

static bool on_start(struct http_ask *ask, uint16_t status, struct str head, struct str start,
                     bool is_chunked)
{
    struct rig *rig = EVENT_OF(ask, struct rig, h.ask);
    struct look *l = EVENT_OF(rig, struct look, rig);
    l->calls++;
    l->is_chunked = is_chunked;
    assert_int_equal(status, 200);
    assert_true(str_starts(head, STR("HTTP/1.1 200")));
    assert_true(start.n <= sizeof l->start);
    memcpy(l->start, start.p, start.n);
    l->start_n = start.n;
    return l->answer;
}

static void look_init(struct look *l, const struct peer_step *steps, bool answer)
{
    struct http_settings s = http_rig_usual();
    *l = (struct look){.answer = answer};
    rig_init(&l->rig, steps, &s);
    l->rig.h.ask.peek = on_start;
    l->rig.h.ask.peek_bytes = 5;
    l->rig.h.ask.body_bytes = 128 << 20;
}

#define L9 "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
#define CHUNKS "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

/* However its bytes come, the same ones are looked at, once, and a shorter body is not. */
static void the_start_of_a_body_is_looked_at_once(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct peer_step step;
        const char *start;
    } rows[] = {
        {"at once", SEND(L9 "123456789"), "12345"},
        {"byte by byte", DRIP(L9 "123456789"), "12345"},
        {"as long as the look", SEND(L5 "hello"), "hello"},
        {"chunks are kept", SEND(CHUNKS "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n"), "3\r\nab"},
        {"chunks byte by byte", DRIP(CHUNKS "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n"), "3\r\nab"},
        {"shorter", SEND("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhell"), NULL},
        {"no body", SEND("HTTP/1.1 204 No\r\n\r\n"), NULL},
    };
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        bool answer = i % 2;
        const struct peer_step steps[] = {ACCEPT, READ, rows[i / 2].step, HOLD, END};
        const char *start = rows[i / 2].start;
        struct look l;
        print_message("# %s\n", rows[i / 2].name);
        look_init(&l, steps, answer);
        assert_rc(http_start(l.rig.h.http, &l.rig.h.ask), RC_OK);
        http_rig_run_until(&l.rig.h, 1);
        bool is_missed = start && !answer;
        assert_int_equal(l.rig.h.answer.outcome, is_missed ? HTTP_UNWANTED : HTTP_WHOLE);
        assert_int_equal(l.calls, start != NULL);
        assert_true(!is_missed || l.rig.h.body.n == 0);
        if (start) {
            assert_str(str_make(l.start, l.start_n), str_c(start));
            assert_int_equal(l.is_chunked, i / 2 == 3 || i / 2 == 4);
        }
        rig_done(&l.rig);
    }
}

static void the_rest_of_a_body_that_misses_is_left_where_it_is(void **state)
{
    (void)state;
    static char piece[1 << 20];
    const struct peer_step steps[] = {ACCEPT,
                                      READ,
                                      SEND("HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n"),
                                      {PEER_SEND, {piece, sizeof piece}, 64},
                                      HOLD,
                                      END};
    struct look l;
    look_init(&l, steps, false);
    assert_rc(http_start(l.rig.h.http, &l.rig.h.ask), RC_OK);
    http_rig_run_until(&l.rig.h, 1);
    assert_int_equal(l.rig.h.answer.outcome, HTTP_UNWANTED);
    assert_true(l.rig.h.answer.bytes_in < 1 << 20);
    assert_int_equal(http_counts(l.rig.h.http).idle, 0);
    rig_done(&l.rig);
    assert_true(l.rig.peer.sent_bytes < 32 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_given_as_it_came),
        cmocka_unit_test(bytes_may_come_one_by_one),
        cmocka_unit_test(a_connection_serves_again_also_from_within_done),
        cmocka_unit_test(a_connection_in_doubt_is_never_used_again),
        cmocka_unit_test(bytes_that_come_late_close_an_idle_connection),
        cmocka_unit_test(a_request_that_the_server_has_seen_is_not_sent_again),
        cmocka_unit_test(a_request_that_crosses_the_servers_end_is_sent_once_more),
        cmocka_unit_test(a_fresh_connection_that_dies_is_the_result),
        cmocka_unit_test(a_reused_connection_that_dies_after_a_byte_is_no_race),
        cmocka_unit_test(answers_end_as_the_table_says),
        cmocka_unit_test(a_reset_cuts_a_body_without_length),
        cmocka_unit_test(each_phase_has_its_limit_in_time),
        cmocka_unit_test(a_body_that_is_fast_enough_is_whole),
        cmocka_unit_test(the_guard_stands_before_every_address),
        cmocka_unit_test(the_next_address_is_tried_when_one_refuses),
        cmocka_unit_test(an_idle_connection_is_used_for_its_own_origin_and_address_alone),
        cmocka_unit_test(idle_connections_are_few_and_do_not_stay),
        cmocka_unit_test(hints_say_how_long_a_connection_is_worth_keeping),
        cmocka_unit_test(a_server_that_keeps_it_for_0_s_is_believed),
        cmocka_unit_test(connections_are_as_many_as_descriptors),
        cmocka_unit_test(the_share_leaves_descriptors_to_others),
        cmocka_unit_test(the_longest_idle_gives_way),
        cmocka_unit_test(a_cancelled_ask_is_not_heard_of_again),
        cmocka_unit_test(a_failure_at_the_start_can_be_cancelled),
        cmocka_unit_test(long_bodies_come_whole_in_every_framing),
        cmocka_unit_test(a_long_request_is_sent_in_parts),
        cmocka_unit_test(settings_that_mean_nothing_are_refused),
        cmocka_unit_test(without_memory_an_ask_fails_and_nothing_is_lost),
        cmocka_unit_test(a_body_that_is_not_wanted_is_left_where_it_is),
        cmocka_unit_test(what_is_not_wanted_ends_the_same_however_it_comes),
        cmocka_unit_test(what_is_wanted_comes_whole),
        cmocka_unit_test(the_start_of_a_body_is_looked_at_once),
        cmocka_unit_test(the_rest_of_a_body_that_misses_is_left_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
