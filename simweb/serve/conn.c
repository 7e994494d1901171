/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/conn.h"

#include "base/hash.h"
#include "base/mem.h"

#include <sys/epoll.h>
#include <sys/socket.h>

static uint64_t now_ms(void)
{
    return poller_now_us() / 1000;
}

/* All of them ------------------------------------------------------------------------------- */

struct conns *conns_open(struct poller *l, const struct conns_settings *s)
{
    struct conns *all = mem_zero(1, sizeof *all);
    if (!all)
        return NULL;
    all->loop = l;
    all->settings = *s;
    all->room = mem_alloc(CONN_ROOM_BYTES);
    if (!all->room) {
        mem_free(all);
        return NULL;
    }
    return all;
}

void conns_close(struct conns *all)
{
    if (!all)
        return;
    while (all->first)
        conn_over(all->first, false);
    conns_sweep(all);
    while (all->idle) {
        struct answering *a = all->idle;
        all->idle = a->next;
        reply_done(&a->reply);
        mem_free(a);
    }
    mem_free(all->room);
    mem_free(all);
}

uint64_t conns_count(const struct conns *all)
{
    return all->count;
}

void conns_sweep(struct conns *all)
{
    while (all->over) {
        struct conn *c = all->over;
        all->over = c->next;
        buf_done(&c->input);
        mem_free(c);
    }
}

/* A reply that others used before: its memory is warm. */
static struct answering *answering_take(struct conns *all)
{
    struct answering *a = all->idle;
    if (a) {
        all->idle = a->next;
        all->idle_count--;
        reply_clear(&a->reply);
        return a;
    }
    a = mem_alloc(sizeof *a);
    if (a)
        reply_init(&a->reply);
    return a;
}

static void answering_give(struct conns *all, struct answering *a)
{
    if (all->idle_count < CONN_IDLE_ANSWERS && a->reply.bytes.cap <= CONN_IDLE_REPLY_BYTES) {
        a->next = all->idle;
        all->idle = a;
        all->idle_count++;
        return;
    }
    reply_done(&a->reply);
    mem_free(a);
}

/* One of them ------------------------------------------------------------------------------- */

void conn_watch(struct conn *c, uint32_t events)
{
    if (!c->stream || c->watched == events) /* over, or so already */
        return;
    if (poller_change(c->all->loop, c->stream->fd, events, &c->watch) == RC_OK)
        c->watched = events;
    else
        conn_over(c, true);
}

void conn_wake_at(struct conn *c, uint64_t moment_ms)
{
    if (c->state != CONN_OVER && poller_timer(c->all->loop, &c->timer, moment_ms) != RC_OK)
        conn_over(c, true);
}

/* The idle timer is left standing while requests come and go; when it rings it looks again. */
static void wake_when_idle(struct conn *c)
{
    uint64_t due_ms = c->active_ms + c->all->settings.idle_ms;
    if (!c->timer.node.at || c->timer.node.key > due_ms)
        conn_wake_at(c, due_ms);
}

static void tell_end(struct conn *c, enum sight_end end, uint64_t end_us)
{
    const struct answering *a = c->on;
    struct conn_end e = {
        .ticket = c->ticket,
        .end_us = end_us > a->steps.end_us ? end_us : a->steps.end_us,
        .bytes = a->steps.sent,
        .status = a->reply.status,
        .end = end,
        .backoff_ms = a->reply.backoff_ms,
    };
    c->asks->ended(c->asks->ctx, &e);
    answering_give(c->all, c->on);
    c->on = NULL;
    c->ticket = 0;
}

static void unlink_conn(struct conn *c)
{
    if (c->before)
        c->before->next = c->next;
    else
        c->all->first = c->next;
    if (c->next)
        c->next->before = c->before;
    c->all->count--;
}

void conn_over(struct conn *c, bool by_reset)
{
    if (c->state == CONN_OVER)
        return;
    if (c->on)
        tell_end(c, SIGHT_WE_ENDED, 0);
    conn_h2_end(c);
    c->state = CONN_OVER;
    poller_timer_stop(c->all->loop, &c->timer);
    if (by_reset)
        c->stream->kind->reset(c->stream);
    else
        c->stream->kind->close(c->stream);
    c->stream = NULL;
    unlink_conn(c);
    c->next = c->all->over;
    c->all->over = c;
}

/* The client is gone, or as good as. */
static void client_left(struct conn *c)
{
    if (c->on)
        tell_end(c, SIGHT_CLIENT_LEFT, poller_seen_us(c->all->loop));
    c->h2_ours = false;
    conn_over(c, false);
}

/* An orderly end. With bytes of the client unread a plain close would become a reset, which may
 * take the end of the answer with it. */
static void end_orderly(struct conn *c)
{
    if (c->stream->is_tls || !c->has_body || shutdown(c->stream->fd, SHUT_WR)) {
        conn_over(c, false);
        return;
    }
    c->state = CONN_LINGERING;
    conn_watch(c, EPOLLIN | EPOLLRDHUP);
    conn_wake_at(c, now_ms() + CONN_LINGER_MS);
}

static void linger(struct conn *c)
{
    size_t n;
    for (int i = 0; i < CONN_READS_A_TURN; i++) {
        enum rc rc = c->stream->kind->read(c->stream, c->all->room, CONN_ROOM_BYTES, &n);
        if (rc == RC_AGAIN)
            return;
        if (rc != RC_OK) {
            conn_over(c, false);
            return;
        }
    }
}

/* Answering --------------------------------------------------------------------------------- */

static void read_on(struct conn *c)
{
    c->state = CONN_READING;
    c->active_ms = now_ms();
    wake_when_idle(c);
}

static void answer_over(struct conn *c)
{
    bool keeps = c->on->reply.keep_alive && c->keep_alive && !c->has_body;
    tell_end(c, SIGHT_WHOLE, 0);
    if (keeps)
        read_on(c);
    else
        end_orderly(c);
}

static void answer_ends(struct conn *c, bool by_reset)
{
    tell_end(c, SIGHT_WE_ENDED, 0);
    if (by_reset)
        conn_over(c, true);
    else
        end_orderly(c);
}

/* As far as it goes now. Only then is the loop asked to watch for anything else. */
static void answer_on(struct conn *c)
{
    struct steps *s = &c->on->steps;
    uint64_t now_us = poller_now_us();
    switch (steps_run(s, c->stream, now_us)) {
    case STEPS_OVER:
        answer_over(c);
        return;
    case STEPS_WRITABLE:
        conn_watch(c, EPOLLOUT | (c->watched == EPOLLOUT ? 0 : (uint32_t)EPOLLRDHUP));
        conn_wake_at(c, now_us / 1000 + c->all->settings.patience_ms);
        return;
    case STEPS_TIME:
        conn_watch(c, EPOLLRDHUP);
        conn_wake_at(c, s->due_ms);
        return;
    case STEPS_CLOSE:
        answer_ends(c, false);
        return;
    case STEPS_RESET:
        answer_ends(c, true);
        return;
    case STEPS_BROKEN:
        client_left(c);
        return;
    }
}

static void begin_steps(struct conn *c, struct str host, uint64_t now_us)
{
    struct steps_limits limits = {.endless_bytes = c->all->settings.endless_bytes,
                                  .patience_ms = c->all->settings.patience_ms};
    if (c->asks->bandwidth)
        limits.bytes_per_s = c->asks->bandwidth(c->asks->ctx, host);
    c->state = CONN_ANSWERING;
    steps_begin(&c->on->steps, &c->on->reply, limits, now_us);
    enum rc rc = buf_rc(&c->on->reply.bytes);
    if (rc == RC_OK) {
        answer_on(c);
        return;
    }
    log_warn(c->all->settings.log, "reply.failed", LOG_STR("host", host), LOG_RC(rc));
    conn_over(c, true);
}

static bool is_body_told(const struct request *q)
{
    struct str length = request_header(q, STR("Content-Length"));
    return request_header(q, STR("Transfer-Encoding")).p || (length.p && !str_eq(length, STR("0")));
}

/* Which of the requests before it the witness holds it against. */
static void note_pipelined(struct conn *c, struct str host, bool was_waiting)
{
    uint64_t hash = hash64(host);
    c->visitor.is_pipelined = was_waiting;
    c->visitor.is_pipelined_host = was_waiting && hash == c->host_hash;
    c->host_hash = hash;
}

static void answer(struct conn *c, struct request *q, bool was_waiting)
{
    uint64_t now_us = poller_now_us();
    note_pipelined(c, q->host, was_waiting);
    c->on = answering_take(c->all);
    if (!c->on) {
        conn_over(c, true);
        return;
    }
    c->has_body = is_body_told(q);
    q->is_https = c->stream->is_tls;
    q->sni = c->stream->sni;
    q->keep_alive = c->keep_alive = q->keep_alive && !c->has_body;
    c->visitor.is_resumed = c->stream->is_resumed;
    c->ticket = c->asks->answer(c->asks->ctx, q, &c->visitor, now_us, &c->on->reply);
    c->visitor.nth_on_conn++;
    begin_steps(c, q->host, now_us);
}

/* What is no request is told so, and nothing more is heard from it. */
static void refuse(struct conn *c, struct str bytes, enum rc why)
{
    uint16_t status = why == RC_LIMIT ? 431 : 400;
    log_warn(c->all->settings.log, "request.refused", LOG_U64("status", status),
             LOG_STR("begins", str_first(bytes, CONN_SHOWN_BYTES)));
    c->on = answering_take(c->all);
    if (!c->on) {
        conn_over(c, true);
        return;
    }
    c->ticket = 0;
    c->has_body = true; /* whatever it sends now */
    c->on->reply.keep_alive = false;
    char room[64];
    struct buf date = buf_on(room, sizeof room);
    if (c->asks->wall_ms) {
        buf_add(&date, STR("Date: "));
        buf_http_date(&date, c->asks->wall_ms(c->asks->ctx, poller_now_us()));
        buf_add(&date, STR("\r\n"));
    }
    reply_page(&c->on->reply, status, "text/plain", buf_str(&date),
               status == 431 ? STR("The request's head is too long.\n")
                             : STR("That is no HTTP/1.1 request.\n"));
    begin_steps(c, STR_NONE, poller_now_us());
}

/* Requests ---------------------------------------------------------------------------------- */

/* Answers the requests in `bytes`, one after another, as long as each is answered at once. Returns
 * what is left. `were_waiting`: they all came before the last answer was out; if not, those behind
 * the first did. */
static struct str serve_requests(struct conn *c, struct str bytes, bool were_waiting)
{
    while (c->state == CONN_READING && bytes.n) {
        struct request *q = &c->all->request;
        size_t used = 0;
        enum rc rc = request_read(bytes, q, &used);
        if (rc == RC_AGAIN)
            break;
        if (rc == RC_OK)
            answer(c, q, were_waiting);
        else
            refuse(c, bytes, rc);
        bytes = str_from(bytes, used);
        were_waiting = true;
    }
    return bytes;
}

/* Keeps what is left for later: bytes of the shared room, or the end of `input` itself. */
static void keep_input(struct conn *c, struct str rest)
{
    if (c->state == CONN_OVER)
        return;
    if (c->input.n) {
        memmove(c->input.p, rest.p, rest.n);
        c->input.n = rest.n;
    } else {
        buf_add(&c->input, rest);
    }
    if (buf_rc(&c->input) != RC_OK)
        conn_over(c, true);
}

/* What stands in `input`: requests that waited behind another, or a head that may be whole now. */
static void serve_input(struct conn *c, bool were_waiting)
{
    if (c->state == CONN_READING && c->input.n)
        keep_input(c, serve_requests(c, buf_str(&c->input), were_waiting));
}

/* A head that comes in pieces is looked at again only when a line has ended. */
static void take_bytes(struct conn *c, struct str bytes)
{
    if (c->h2) {
        conn_h2_take(c, bytes);
    } else if (!c->input.n) {
        keep_input(c, serve_requests(c, bytes, false));
    } else {
        buf_add(&c->input, bytes);
        if (buf_rc(&c->input) != RC_OK)
            conn_over(c, true);
        else if (str_find(bytes, '\n') < bytes.n || c->input.n >= REQUEST_MAX_BYTES)
            serve_input(c, false);
    }
}

static void take_first_bytes(struct conn *c, struct str bytes)
{
    if (c->stream->is_h2 && !c->h2)
        conn_h2_begin(c, bytes);
    else
        take_bytes(c, bytes);
}

/* TLS may hold bytes that the loop knows nothing of, so it is read until it has no more. */
static void read_input(struct conn *c)
{
    for (int i = 0; i < CONN_READS_A_TURN && c->state == CONN_READING; i++) {
        size_t n = 0;
        enum rc rc = c->stream->kind->read(c->stream, c->all->room, CONN_ROOM_BYTES, &n);
        if (rc == RC_AGAIN)
            return;
        if (rc != RC_OK) {
            client_left(c);
            return;
        }
        c->active_ms = now_ms();
        take_first_bytes(c, str_make(c->all->room, n));
        if (c->state == CONN_OVER || !c->stream->is_tls)
            return;
    }
}

static void watch_input(struct conn *c)
{
    bool wants_write = c->stream->kind->wants_write(c->stream) || (c->h2 && c->h2_blocked);
    conn_watch(c, EPOLLIN | EPOLLRDHUP | (wants_write ? (uint32_t)EPOLLOUT : 0));
}

static void go_on(struct conn *c)
{
    if (c->state == CONN_ANSWERING) {
        answer_on(c);
        serve_input(c, true);
    }
    if (c->state == CONN_READING)
        read_input(c);
    if (c->state == CONN_READING && c->h2)
        conn_h2_go_on(c);
    if (c->state == CONN_READING)
        watch_input(c);
}

/* The loop's calls -------------------------------------------------------------------------- */

/* A client may say that it sends no more and still take its answer. While bytes wait for it, it is
 * believed; one that is gone for good resets them soon enough. */
static bool half_closed(struct conn *c, uint32_t events)
{
    if (!(c->watched & EPOLLOUT) || (events & (EPOLLHUP | EPOLLERR)))
        return false;
    conn_watch(c, EPOLLOUT);
    return true;
}

static void on_ready(struct watch *w, uint32_t events)
{
    struct conn *c = (struct conn *)((char *)w - offsetof(struct conn, watch));
    bool leaves = events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
    if (c->state == CONN_OVER)
        return;
    if (c->state == CONN_LINGERING)
        linger(c);
    else if (c->state != CONN_ANSWERING || !leaves)
        go_on(c);
    /* Also one whose request and farewell came together: its answer waits for nobody. */
    if (c->state == CONN_ANSWERING && leaves && !half_closed(c, events))
        client_left(c);
}

static void on_time(struct timer *t)
{
    struct conn *c = (struct conn *)t;
    uint64_t now = now_ms();
    if (c->state == CONN_LINGERING)
        conn_over(c, false);
    else if (c->state == CONN_ANSWERING && (c->watched & EPOLLOUT))
        answer_ends(c, true); /* the client takes nothing, and patience is over */
    else if (c->state == CONN_ANSWERING || c->h2)
        go_on(c);
    else if (now >= c->active_ms + c->all->settings.idle_ms)
        end_orderly(c);
    else
        wake_when_idle(c);
}

/* The one that has been silent longest, between two requests. */
static struct conn *longest_idle(const struct conns *all)
{
    struct conn *found = NULL;
    for (struct conn *c = all->first; c; c = c->next)
        if (c->state == CONN_READING && !c->h2 && c->visitor.nth_on_conn && !c->input.n &&
            (!found || c->active_ms < found->active_ms))
            found = c;
    return found;
}

static bool has_room(struct conns *all)
{
    if (all->count >= all->settings.most) {
        struct conn *c = longest_idle(all);
        if (c)
            conn_over(c, false);
    }
    return all->count < all->settings.most;
}

static struct conn *conn_make(struct conns *all, struct stream *stream, uint32_t address,
                              const struct conn_asks *asks)
{
    struct conn *c = has_room(all) ? mem_zero(1, sizeof *c) : NULL;
    if (!c)
        return NULL;
    c->all = all;
    c->stream = stream;
    c->asks = asks;
    c->timer.due = on_time;
    c->watch.ready = on_ready;
    c->visitor = (struct visitor){.connection = ++all->numbers, .address = address};
    c->active_ms = now_ms();
    c->watched = EPOLLIN | EPOLLRDHUP;
    buf_init(&c->input, REQUEST_MAX_BYTES + 2 * CONN_ROOM_BYTES);
    c->next = all->first;
    if (c->next)
        c->next->before = c;
    all->first = c;
    all->count++;
    return c;
}

void conns_take(struct conns *all, struct stream **stream, uint32_t address,
                const struct conn_asks *asks)
{
    struct stream *taken = *stream;
    struct conn *c = conn_make(all, taken, address, asks);
    *stream = NULL;
    if (!c)
        taken->kind->reset(taken);
    else if (poller_watch(all->loop, taken->fd, c->watched, &c->watch) != RC_OK)
        conn_over(c, true);
    else
        wake_when_idle(c);
}
