/* SPDX-License-Identifier: Apache-2.0 */
#include "net/exchange.h"

#include "base/mem.h"

#include <time.h>

enum {
    READ_LEAST_BYTES = 16 << 10, /* room for a read into an exchange's own */
    READ_MOST_BYTES = 1 << 20, /* at a time, so that a promised length costs no memory in advance */
    SMALL_BODY_BYTES = 1 << 20, /* bodies that are never cut for want of memory */
    READS_A_TURN = 32,          /* then the others have their turn */
    MOST_DIALS = 16,
    KEEP_MARGIN_MS = 1000,
};

static uint64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* Sums of settings, where "for ever" may be written as a huge number. */
static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- ending ---- */

static void release(struct exchange *x)
{
    loop_timer_stop(x->h->loop, &x->timer);
    if (x->conn)
        x->conn->is_broken = true;
    conn_close(x->conn);
    x->conn = NULL;
    x->ask->running = NULL;
    x->h->counts.running--;
}

/* Says how much memory the exchange holds now. */
static void count_held(struct exchange *x, uint64_t bytes)
{
    x->h->held_bytes = x->h->held_bytes - x->held_bytes + bytes;
    x->held_bytes = bytes;
}

static void exchange_free(struct exchange *x)
{
    count_held(x, 0);
    buf_done(&x->in);
    mem_free(x);
}

/* After `done` the engine is not touched, and the ask may be on its way again. */
static void finish(struct exchange *x)
{
    struct http_ask *ask = x->ask;
    x->answer.timing.total_us = now_us() - x->start_us;
    x->answer.is_not_chunked = x->reply.framing.is_not_chunked;
    release(x);
    ask->done(ask, &x->answer);
    exchange_free(x);
}

static void fail(struct exchange *x, enum http_outcome outcome, const char *why)
{
    x->answer.outcome = outcome;
    x->answer.why = why;
    finish(x);
}

static bool asks_to_close(struct str request)
{
    char room[256];
    struct buf scratch = buf_on(room, sizeof room);
    struct str list = head_get(request, STR("Connection"), &scratch), item;
    while (head_list_next(&list, &item))
        if (str_eq_nocase(item, STR("close")))
            return true;
    return false;
}

/* A little less than the server says: so it is not asked at the moment at which it closes. */
static uint64_t server_keep_ms(uint64_t said_s)
{
    uint64_t said_ms = said_s * 1000;
    return said_ms - least(said_ms / 4, KEEP_MARGIN_MS);
}

static void keep_connection(struct exchange *x, size_t all_bytes)
{
    bool may_serve = x->conn->h2 ? h2_may_ask(x->conn->h2) : reply_keeps(&x->reply, all_bytes);
    if (x->sent < x->ask->request.n || !may_serve || asks_to_close(x->ask->request))
        return;
    x->conn->server_keep_ms = server_keep_ms(x->reply.head.keep_s);
    pool_give(&x->h->pool, &x->conn);
}

/* The head is whole: with `all`, it and what came of the body is the answer. */
static void finish_body(struct exchange *x, struct str all, enum http_outcome outcome,
                        enum http_cut cut, const char *why)
{
    const struct reply *r = &x->reply;
    struct http_answer *a = &x->answer;
    a->outcome = outcome;
    a->cut = cut;
    a->why = why;
    a->status = r->head.status;
    a->is_h2 = r->is_h2;
    a->head = str_first(str_from(all, r->head_at), r->head_n);
    a->body = str_first(str_from(all, r->head_at + r->head_n), r->body_n);
    a->is_chunked = r->framing.kind == FRAMING_CHUNKED;
    keep_connection(x, all.n);
    finish(x);
}

static void finish_reply(struct exchange *x, struct str all)
{
    const struct reply *r = &x->reply;
    switch (r->state) {
    case REPLY_WHOLE:
        finish_body(x, all, HTTP_WHOLE, HTTP_CUT_NONE, NULL);
        break;
    case REPLY_TOO_LONG:
        finish_body(x, all, HTTP_TRUNCATED, HTTP_CUT_LENGTH, r->why);
        break;
    case REPLY_BROKEN:
        finish_body(x, all, HTTP_TRUNCATED, HTTP_CUT_DISCONNECT, r->why);
        break;
    case REPLY_CLOSED:
        fail(x, HTTP_CLOSED, r->why);
        break;
    default:
        fail(x, HTTP_NOT_HTTP, r->why);
    }
}

/* ---- time ---- */

static uint64_t deadline_ms(const struct exchange *x)
{
    const struct http_settings *s = &x->h->settings;
    uint64_t total = plus(x->start_ms, s->total_ms), idle = plus(x->byte_ms, s->idle_ms);
    switch (x->phase) {
    case PHASE_CONNECT:
        return least(total, x->address_until_ms);
    case PHASE_TLS:
        return least(total, plus(x->phase_ms, s->tls_ms));
    case PHASE_SEND:
        return least(total, idle);
    case PHASE_FIRST:
        return least(total, plus(x->phase_ms, s->first_byte_ms));
    case PHASE_HEAD:
        return least(total, least(idle, plus(x->phase_ms, s->head_ms)));
    case PHASE_BODY:
        return least(least(total, idle),
                     s->least_rate ? plus(x->window_ms, s->rate_window_ms) : UINT64_MAX);
    case PHASE_OVER:
        break;
    }
    return 0;
}

/* Sets the timer if it would ring too late. False: no memory. */
static bool arm(struct exchange *x)
{
    uint64_t at = x->has_more ? 0 : deadline_ms(x);
    if (x->timer.node.at && x->timer.node.key <= at)
        return true;
    return loop_timer(x->h->loop, &x->timer, at) == RC_OK;
}

static bool enter(struct exchange *x, enum phase phase, uint64_t now_ms)
{
    x->phase = phase;
    x->phase_ms = x->byte_ms = x->window_ms = now_ms;
    return arm(x);
}

/* ---- connecting ---- */

static bool out_of_memory(struct exchange *x)
{
    x->answer.outcome = HTTP_FAILED;
    x->answer.why = "no memory";
    return false;
}

/* Idle connections give way to one that is needed now. */
static bool has_descriptor(struct exchange *x)
{
    const struct http *h = x->h;
    uint64_t most = h->settings.sockets_most;
    while (most && (uint64_t)h->counts.running + h->pool.count > most)
        if (!pool_drop_one(&x->h->pool))
            return false;
    return true;
}

static bool out_of_descriptors(struct exchange *x)
{
    x->answer.outcome = HTTP_FAILED;
    x->answer.why = "no descriptor";
    return false;
}

/* The next address that is allowed and does not fail at once. False: none, and the answer says
 * why. */
static bool dial_next(struct exchange *x, uint64_t now_ms)
{
    const struct http_ask *ask = x->ask;
    struct http_answer *a = &x->answer;
    uint32_t count = ask->address_count < MOST_DIALS ? ask->address_count : MOST_DIALS;
    uint64_t until = plus(x->phase_ms, x->h->settings.connect_ms);
    while (x->next_address < count && now_ms < until) {
        const struct address *to = &ask->addresses[x->next_address++];
        if (!guard_allows(ask->guard, to))
            continue;
        x->was_dialled = true;
        a->peer = *to;
        enum conn_io io = conn_dial(x->conn, to, &a->why);
        if (io == CONN_FAILED && pool_drop_one(&x->h->pool))
            io = conn_dial(x->conn, to, &a->why);
        if (io == CONN_FAILED) {
            a->outcome = HTTP_FAILED;
            return false;
        }
        /* Those that follow must have their share of the time. */
        x->address_until_ms = now_ms + (until - now_ms) / (count - x->next_address + 1);
        if (io == CONN_WAITS)
            return arm(x) || out_of_memory(x);
    }
    a->outcome = x->was_dialled ? HTTP_NO_CONNECT : HTTP_REFUSED_ADDRESS;
    if (!x->was_dialled)
        a->why = count ? "the address is not allowed" : "no address";
    return false;
}

static void on_ready(struct watch *w, unsigned events);

static uint64_t *h1_only_slot(const struct exchange *x, uint64_t *ret_key)
{
    *ret_key = conn_key(x->ask->is_https, x->ask->host, x->ask->port);
    return &x->h->h1_only[*ret_key % H1_ONLY_SLOTS];
}

static enum http_offer offer_of(const struct exchange *x)
{
    uint64_t key;
    unsigned version = x->h->settings.http;
    if (!x->ask->is_https || version == HTTP_VERSION_1)
        return HTTP_OFFER_NONE;
    if (version == HTTP_VERSION_AUTO && !x->ask->offers_h2)
        return HTTP_OFFER_POSSIBLE;
    return *h1_only_slot(x, &key) == key ? HTTP_OFFER_NONE : HTTP_OFFER_MADE;
}

/* A fresh connection. False as dial_next(). */
static bool connect_fresh(struct exchange *x, uint64_t now_ms)
{
    const struct http_ask *ask = x->ask;
    x->answer.is_reused = false;
    x->next_address = 0;
    x->sent = 0;
    x->phase = PHASE_CONNECT;
    x->phase_ms = now_ms;
    if (!has_descriptor(x))
        return out_of_descriptors(x);
    x->conn = conn_open(x->h->loop, ask->is_https, ask->host, ask->port);
    if (!x->conn)
        return out_of_memory(x);
    x->answer.offer = offer_of(x);
    x->conn->offers_h2 = x->answer.offer == HTTP_OFFER_MADE;
    x->conn->watch.ready = on_ready;
    x->conn->user = x;
    return dial_next(x, now_ms);
}

static void begin_again(struct exchange *x)
{
    x->conn->is_broken = true;
    conn_close(x->conn);
    x->conn = NULL;
    if (!connect_fresh(x, x->h->loop->now_ms))
        finish(x);
}

/* Whether a request that HTTP/2 failed is sent once more over HTTP/1.1. Not under `auto`: HTTP/2 is
 * then spoken because the host refuses HTTP/1.1. */
static bool falls_back(const struct exchange *x)
{
    return x->h->settings.http == HTTP_VERSION_2;
}

/* HTTP/2 is at fault: what came of the answer is forgotten. */
static void fall_back(struct exchange *x)
{
    uint64_t key, *slot = h1_only_slot(x, &key);
    *slot = key;
    x->h->counts.fell_back++;
    x->answer.bytes_in = x->answer.timing.first_byte_us = 0;
    buf_clear(&x->in);
    const struct reply_limits limits = x->reply.limits;
    reply_init(&x->reply, &limits, x->reply.to_head);
    x->is_judged = x->is_peeked = false;
    begin_again(x);
}

/* The server has closed a connection that had served before at the moment we asked, and has not
 * received the request: it is sent once more. A server that had received it has seen a request of
 * this host's turn, so the next one waits for the next turn. */
static bool has_crossed(const struct exchange *x, enum conn_io end)
{
    return x->answer.is_reused && !x->is_retried && (!x->sent || conn_is_unseen(x->conn, end));
}

/* The connection has ended. */
static void lost(struct exchange *x, struct str all, enum conn_io end)
{
    if (all.n || !has_crossed(x, end)) {
        (void)reply_end(&x->reply, end == CONN_ENDED);
        finish_reply(x, all);
        return;
    }
    x->is_retried = true;
    x->h->counts.retried++;
    begin_again(x);
}

/* HTTP/2 refused to go on. A request that the server did not process, on a connection that had
 * served before, has met its GOAWAY: that is no fault of HTTP/2. */
static void lost_h2(struct exchange *x, struct str all)
{
    bool is_unseen = h2_state(x->conn->h2) == H2_UNSEEN && x->answer.is_reused && !x->is_retried;
    if (is_unseen) {
        lost(x, all, CONN_REFUSED);
    } else if (falls_back(x)) {
        fall_back(x);
    } else {
        (void)reply_end(&x->reply, false);
        finish_reply(x, all);
    }
}

/* ---- sending ---- */

/* False: no memory. A connection that broke shows itself to the next read, with what it still has
 * to say. */
static bool send_more(struct exchange *x, uint64_t now_ms)
{
    struct str left = str_from(x->ask->request, x->sent);
    size_t n = 0;
    enum conn_io io = CONN_DONE;
    while (left.n && (io = conn_write(x->conn, left, &n)) == CONN_DONE) {
        x->sent += n;
        x->h->counts.bytes_out += n;
        x->byte_ms = now_ms;
        left = str_from(left, n);
    }
    if (io == CONN_FAILED)
        return false;
    if (io == CONN_WAITS)
        return true;
    return conn_wait(x->conn, EPOLLIN) && (x->phase != PHASE_SEND || enter(x, PHASE_FIRST, now_ms));
}

static bool send_request(struct exchange *x, uint64_t now_ms)
{
    x->reply.is_h2 = x->conn->h2 != NULL;
    return enter(x, PHASE_SEND, now_ms) && conn_ask(x->conn, x->ask->request) &&
           send_more(x, now_ms);
}

/* ---- reading ---- */

/* Where the next bytes go: behind those that are kept, or into the engine's buffer. False: no
 * memory. */
static bool room_for_read(struct exchange *x, size_t shared_n, char **ret_to, size_t *ret_bytes)
{
    if (!x->in.n) {
        *ret_bytes = SHARED_BYTES - shared_n;
        *ret_to = x->h->shared + shared_n;
        return true;
    }
    uint64_t want = framing_missing(&x->reply.framing);
    if (want < READ_LEAST_BYTES && x->reply.framing.kind != FRAMING_LENGTH)
        want = READ_LEAST_BYTES;
    want = least(want ? want : 1, READ_MOST_BYTES);
    *ret_bytes = (size_t)least(want, x->in.max - x->in.n);
    *ret_to = buf_reserve(&x->in, *ret_bytes);
    return *ret_to != NULL;
}

/* The shared buffer is needed by others, or full: the exchange keeps its bytes itself, in a piece
 * that the rest of a promised length fits into. */
static bool keep_bytes(struct exchange *x, struct str bytes)
{
    uint64_t missing = framing_missing(&x->reply.framing);
    x->in.max = (size_t)least(
        plus(plus(x->reply.limits.head_bytes, x->reply.limits.body_bytes), READ_LEAST_BYTES),
        SIZE_MAX / 4);
    if (!buf_reserve(&x->in, bytes.n + (size_t)least(missing, READ_MOST_BYTES)))
        x->in.rc = RC_OK; /* then at least these */
    buf_add(&x->in, bytes);
    return buf_rc(&x->in) == RC_OK;
}

static void note_bytes(struct exchange *x, size_t n)
{
    uint64_t now_ms = x->h->loop->now_ms;
    x->h->counts.bytes_in += n;
    x->answer.bytes_in += n;
    x->byte_ms = now_ms;
    if (x->phase <= PHASE_FIRST) {
        x->answer.timing.first_byte_us = now_us() - x->start_us;
        x->phase = PHASE_HEAD;
        x->phase_ms = now_ms;
    }
}

static void enter_body(struct exchange *x)
{
    if (x->phase == PHASE_HEAD && x->reply.in_body) {
        x->phase = PHASE_BODY;
        x->window_ms = x->h->loop->now_ms;
        x->window_bytes = 0;
    }
}

/* No more now: what came stays for the next time. */
static void pause_reading(struct exchange *x, struct str shared)
{
    enter_body(x);
    bool waits = x->sent == x->ask->request.n || conn_wait(x->conn, EPOLLIN | EPOLLOUT);
    if (!waits || (shared.n && !keep_bytes(x, shared)) || !arm(x))
        fail(x, HTTP_FAILED, "no memory");
}

enum read_step { READ_ON, READ_PAUSE, READ_GONE }; /* the exchange is over and its memory is free */

static enum read_step gone_without_memory(struct exchange *x)
{
    fail(x, HTTP_FAILED, "no memory");
    return READ_GONE;
}

/* All that is coming takes more memory than it may, and this is not a small part of it. */
static bool is_too_much(struct exchange *x)
{
    uint64_t most = x->h->settings.body_memory;
    if (x->in.cap != x->held_bytes)
        count_held(x, x->in.cap);
    return most && x->h->held_bytes > most && x->in.n > SMALL_BODY_BYTES && x->reply.in_body;
}

/* Whether the head, now or earlier, was found good. It is judged before anything is made of the
 * body, so that the end is the same however the bytes were cut. */
static bool is_wanted(struct exchange *x, struct str all)
{
    const struct reply *r = &x->reply;
    if (!x->ask->wants || !r->in_body || x->is_judged)
        return true;
    x->is_judged = true;
    return x->ask->wants(x->ask, r->head.status, str_first(str_from(all, r->head_at), r->head_n));
}

/* Whether the start of the body, now or earlier, was found good. However the bytes were cut, `peek`
 * sees the same ones. */
static bool is_promising(struct exchange *x, struct str all)
{
    const struct reply *r = &x->reply;
    const struct http_ask *ask = x->ask;
    if (!ask->peek || !r->in_body || x->is_peeked || r->body_n < ask->peek_bytes)
        return true;
    x->is_peeked = true;
    struct str rest = str_from(all, r->head_at);
    return ask->peek(x->ask, r->head.status, str_first(rest, r->head_n),
                     str_first(str_from(rest, r->head_n), (size_t)ask->peek_bytes),
                     r->framing.kind == FRAMING_CHUNKED);
}

static void finish_unwanted(struct exchange *x, struct str all)
{
    x->reply.body_n = 0;
    conn_leave(x->conn);
    finish_body(x, all, HTTP_UNWANTED, HTTP_CUT_NONE, NULL);
}

/* `all` has grown by `n` bytes. A plain socket that gave less than there was room for is empty; TLS
 * says when it is. */
static enum read_step take_bytes(struct exchange *x, struct str all, size_t n, size_t room)
{
    note_bytes(x, n);
    enum reply_state state = reply_read(&x->reply, all);
    if (!is_wanted(x, all) || !is_promising(x, all)) {
        finish_unwanted(x, all);
        return READ_GONE;
    }
    if (state == REPLY_MORE && is_too_much(x)) {
        finish_body(x, all, HTTP_TRUNCATED, HTTP_CUT_LENGTH, "bodies take too much memory");
        return READ_GONE;
    }
    if (state == REPLY_MORE)
        return n < room && !x->conn->link ? READ_PAUSE : READ_ON;
    if (x->reply.state == REPLY_REFUSED && x->conn->h2 && falls_back(x))
        fall_back(x);
    else
        finish_reply(x, all);
    return READ_GONE;
}

static enum read_step read_once(struct exchange *x, size_t *shared_n)
{
    char *to;
    size_t room, n;
    if (*shared_n == SHARED_BYTES) {
        if (!keep_bytes(x, str_make(x->h->shared, *shared_n)))
            return gone_without_memory(x);
        *shared_n = 0;
    }
    if (!room_for_read(x, *shared_n, &to, &room))
        return gone_without_memory(x);
    enum conn_io io = conn_read(x->conn, to, room, &n);
    *(x->in.n ? &x->in.n : shared_n) += n;
    struct str all = x->in.n ? buf_str(&x->in) : str_make(x->h->shared, *shared_n);
    if (io == CONN_DONE)
        return take_bytes(x, all, n, room);
    if (io == CONN_WAITS)
        return READ_PAUSE;
    if (io == CONN_FAILED)
        return gone_without_memory(x);
    if (io == CONN_REFUSED && x->conn->h2)
        lost_h2(x, all);
    else
        lost(x, all, io);
    return READ_GONE;
}

/* Reads what is there, up to a number of reads. The exchange may be gone afterwards. */
static void read_more(struct exchange *x)
{
    size_t shared_n = 0;
    enum read_step step = READ_ON;
    x->has_more = false;
    for (int i = 0; i < READS_A_TURN && step == READ_ON; i++)
        step = read_once(x, &shared_n);
    if (step == READ_GONE)
        return;
    x->has_more = step == READ_ON;
    pause_reading(x, str_make(x->h->shared, shared_n));
}

/* ---- events ---- */

static void on_shaking(struct exchange *x, uint64_t now_ms)
{
    const char *why = "the handshake failed";
    enum conn_io io = conn_shake(x->conn, x->h->tls, &why);
    if (io == CONN_WAITS)
        return;
    if (io == CONN_FAILED) {
        fail(x, HTTP_FAILED, why);
    } else if (io != CONN_DONE) {
        x->answer.no_protocol = tls_has_no_protocol(x->conn->link);
        fail(x, HTTP_NO_TLS, why);
    } else {
        x->answer.timing.tls_us = now_us() - x->start_us;
        x->answer.tls_unverified = x->conn->is_unverified;
        x->h->counts.resumed += tls_is_resumed(x->conn->link);
        const struct h2_limits limits = {x->reply.limits.head_bytes, x->reply.limits.header_count};
        if (!conn_agree(x->conn, &limits) || !send_request(x, now_ms))
            fail(x, HTTP_FAILED, "no memory");
    }
}

static void on_connected(struct exchange *x, uint64_t now_ms)
{
    x->h->counts.connected++;
    x->answer.timing.connect_us = now_us() - x->start_us;
    bool ok = x->ask->is_https ? enter(x, PHASE_TLS, now_ms) : send_request(x, now_ms);
    if (!ok)
        fail(x, HTTP_FAILED, "no memory");
    else if (x->ask->is_https)
        on_shaking(x, now_ms);
}

static void on_dialled(struct exchange *x, uint64_t now_ms)
{
    const char *why;
    if (conn_dialled(x->conn, &why) == CONN_DONE) {
        x->answer.why = NULL;
        on_connected(x, now_ms);
        return;
    }
    x->answer.why = why;
    if (!dial_next(x, now_ms))
        finish(x);
}

static void on_ready(struct watch *w, unsigned events)
{
    struct conn *c = EVENT_OF(w, struct conn, watch);
    struct exchange *x = c->user;
    uint64_t now_ms = x->h->loop->now_ms;
    if (x->phase == PHASE_CONNECT)
        on_dialled(x, now_ms);
    else if (x->phase == PHASE_TLS)
        on_shaking(x, now_ms);
    else if (x->sent < x->ask->request.n && !send_more(x, now_ms))
        fail(x, HTTP_FAILED, "no memory");
    else if ((events & ~(unsigned)EPOLLOUT) || c->link)
        read_more(x);
}

/* Whether the body came too slowly; if not, the next window begins. */
static bool is_too_slow(struct exchange *x, uint64_t now_ms)
{
    const struct http_settings *s = &x->h->settings;
    uint64_t passed = now_ms - x->window_ms, taken = x->reply.framing.taken_bytes;
    if (s->least_rate == 0 || passed < s->rate_window_ms)
        return false;
    double rate = (double)(taken - x->window_bytes) * 1000 / (double)passed;
    x->window_ms = now_ms;
    x->window_bytes = taken;
    return rate < (double)s->least_rate;
}

static void time_out_body(struct exchange *x, uint64_t now_ms)
{
    const struct http_settings *s = &x->h->settings;
    bool is_total = now_ms >= plus(x->start_ms, s->total_ms);
    bool is_idle = now_ms >= plus(x->byte_ms, s->idle_ms);
    if (is_too_slow(x, now_ms) || is_total || is_idle)
        finish_body(x, buf_str(&x->in), HTTP_TRUNCATED, HTTP_CUT_TIME,
                    is_total  ? "the fetch took too long"
                    : is_idle ? "the body stalled"
                              : "the body came too slowly");
    else if (!arm(x))
        fail(x, HTTP_FAILED, "no memory");
}

static void time_out(struct exchange *x, uint64_t now_ms)
{
    static const char *const texts[] = {
        [PHASE_TLS] = "the handshake took too long",
        [PHASE_SEND] = "the request was not taken",
        [PHASE_FIRST] = "no first byte",
        [PHASE_HEAD] = "the head took too long",
    };
    switch (x->phase) {
    case PHASE_OVER:
        finish(x);
        break;
    case PHASE_CONNECT:
        x->answer.why = "connection timed out";
        if (!dial_next(x, now_ms))
            finish(x);
        break;
    case PHASE_BODY:
        time_out_body(x, now_ms);
        break;
    default:
        fail(x, HTTP_TIMEOUT, texts[x->phase]);
    }
}

/* Rings when a limit may be reached. Where the loop itself was late, the bytes may be there
 * already: so a limit counts only if it still holds in the turn after. */
static void on_timer(struct timer *t, uint64_t now_ms)
{
    struct exchange *x = EVENT_OF(t, struct exchange, timer);
    if (x->has_more) {
        read_more(x);
        return;
    }
    bool is_due = now_ms >= deadline_ms(x), was_due = x->was_due;
    x->was_due = is_due;
    if (is_due && (was_due || x->phase == PHASE_OVER))
        time_out(x, now_ms);
    else if (!arm(x))
        fail(x, HTTP_FAILED, "no memory");
}

/* ---- beginning ---- */

struct exchange *exchange_open(struct http *h, struct http_ask *ask)
{
    struct exchange *x = mem_zero(1, sizeof *x);
    if (!x)
        return NULL;
    const struct http_settings *s = &h->settings;
    struct reply_limits limits = {s->head_bytes, s->line_bytes, s->header_count, s->interim_most,
                                  ask->body_bytes};
    x->h = h;
    x->ask = ask;
    x->timer.due = on_timer;
    x->start_ms = clock_now_ms(h->loop->clock);
    x->start_us = now_us();
    reply_init(&x->reply, &limits, str_starts(ask->request, STR("HEAD ")));
    ask->running = x;
    h->counts.running++;
    return x;
}

/* A connection that speaks HTTP/1.1 serves an offer of h2 only if the server had the choice. */
static bool may_use(const struct conn *c, enum http_offer offer)
{
    return offer == HTTP_OFFER_MADE ? c->offers_h2 : !c->h2;
}

static bool use_idle(struct exchange *x)
{
    const struct http_ask *ask = x->ask;
    x->conn = pool_take(&x->h->pool, ask->is_https, ask->host, ask->port, ask->addresses,
                        ask->address_count, ask->guard);
    x->answer.offer = offer_of(x);
    if (x->conn && !may_use(x->conn, x->answer.offer)) {
        conn_close(x->conn);
        x->conn = NULL;
    }
    if (!x->conn)
        return false;
    x->conn->watch.ready = on_ready;
    x->conn->user = x;
    x->answer.is_reused = true;
    x->answer.peer = x->conn->peer;
    x->answer.tls_unverified = x->conn->is_unverified;
    x->h->counts.reused++;
    return true;
}

bool exchange_begin(struct exchange *x)
{
    if (use_idle(x))
        return send_request(x, x->start_ms);
    if (connect_fresh(x, x->start_ms))
        return true;
    x->phase = PHASE_OVER; /* `done` is called from the loop */
    return arm(x);
}

void exchange_drop(struct exchange *x)
{
    release(x);
    exchange_free(x);
}
