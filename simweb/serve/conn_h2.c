/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/conn.h"

#include "base/mem.h"

enum { GIVE_BYTES = 64 * 1024, WRITES_A_TURN = 64, PACE_MS = 10, LOOK_AGAIN_MS = 1000 };

/* nghttp2 allows fewer streams at once than H2_MOST_OPEN; one that did not fit would merely end
 * without its status. */
static uint64_t on_request(void *ctx, const struct request *q, struct reply *r)
{
    struct conn *c = ctx;
    c->visitor.is_resumed = c->stream->is_resumed;
    uint64_t ticket = c->asks->answer(c->asks->ctx, q, &c->visitor, poller_now_us(), r);
    c->visitor.nth_on_conn++;
    if (c->h2_open_count < H2_MOST_OPEN)
        c->h2_open[c->h2_open_count++] =
            (struct h2_open){.ticket = ticket, .status = r->status, .backoff_ms = r->backoff_ms};
    return ticket;
}

static struct h2_open take_open(struct conn *c, uint64_t ticket)
{
    for (uint32_t i = 0; i < c->h2_open_count; i++) {
        if (c->h2_open[i].ticket == ticket) {
            struct h2_open found = c->h2_open[i];
            c->h2_open[i] = c->h2_open[--c->h2_open_count];
            return found;
        }
    }
    return (struct h2_open){.ticket = ticket};
}

/* Its last bytes stand in our buffer and are not yet written: the stamp is before the write. */
static void on_ended(void *ctx, uint64_t ticket, uint64_t bytes, bool whole)
{
    struct conn *c = ctx;
    struct h2_open open = take_open(c, ticket);
    bool left = !whole && !c->h2_ours;
    struct conn_end e = {
        .ticket = ticket,
        .end_us = left ? poller_seen_us(c->all->loop) : poller_now_us(),
        .bytes = bytes,
        .status = open.status,
        .end = whole  ? SIGHT_WHOLE
               : left ? SIGHT_CLIENT_LEFT
                      : SIGHT_WE_ENDED,
        .backoff_ms = open.backoff_ms,
    };
    c->asks->ended(c->asks->ctx, &e);
}

void conn_h2_begin(struct conn *c, struct str bytes)
{
    struct str sni = c->stream->sni;
    struct h2_asks asks = {.answer = on_request,
                           .ended = on_ended,
                           .ctx = c,
                           .endless_bytes = c->all->settings.endless_bytes};
    c->h2_open = mem_alloc(H2_MOST_OPEN * sizeof *c->h2_open);
    c->h2 = c->h2_open ? h2_open(c->asks->h2_mood(c->asks->ctx, sni), sni, asks) : NULL;
    c->h2_ours = true;
    if (c->asks->bandwidth)
        c->h2_rate = c->asks->bandwidth(c->asks->ctx, sni);
    if (c->h2)
        conn_h2_take(c, bytes);
    else
        conn_over(c, true);
}

void conn_h2_end(struct conn *c)
{
    h2_close(c->h2);
    c->h2 = NULL;
    mem_free(c->h2_open);
    c->h2_open = NULL;
}

/* After a protocol error what it still has to say goes out, and h2_is_over is true. */
void conn_h2_take(struct conn *c, struct str bytes)
{
    c->h2_ours = false; /* what it takes back or breaks off */
    enum rc rc = h2_take(c->h2, bytes, poller_now_us() / 1000);
    c->h2_ours = true;
    if (rc == RC_NOMEM)
        conn_over(c, true);
}

/* How many bytes may be given now: all, or what the bandwidth makes of a few ms. */
static size_t may_give(const struct conn *c, uint64_t now_ms)
{
    if (!c->h2_rate)
        return GIVE_BYTES;
    if (now_ms < c->h2_next_ms)
        return 0;
    uint64_t slice = c->h2_rate * PACE_MS / 1000 + 1;
    return slice < GIVE_BYTES ? (size_t)slice : GIVE_BYTES;
}

/* Whether there is something to write: what is left, or what h2 gives. */
static bool fill(struct conn *c, uint64_t now_ms)
{
    if (c->input_at < c->input.n)
        return true;
    size_t most = may_give(c, now_ms);
    buf_clear(&c->input);
    c->input_at = 0;
    if (!most)
        return false;
    h2_give(c->h2, now_ms, most, &c->input);
    if (c->h2_rate && c->input.n)
        c->h2_next_ms = now_ms + c->input.n * 1000 / c->h2_rate + 1;
    return c->input.n > 0;
}

static enum rc write_some(struct conn *c)
{
    struct str rest = str_from(buf_str(&c->input), c->input_at);
    size_t n = 0;
    enum rc rc = c->stream->kind->write(c->stream, rest, &n);
    c->input_at += n;
    if (n > 0)
        c->active_ms = poller_now_us() / 1000;
    return rc;
}

/* It takes nothing: not from the socket, or no stream of it has a window for more. */
static bool is_stuck(const struct conn *c)
{
    return c->h2_blocked || (c->h2_open_count > 0 && h2_wake_ms(c->h2) == UINT64_MAX);
}

static void wake_later(struct conn *c, uint64_t now_ms)
{
    uint64_t wake_ms = h2_wake_ms(c->h2);
    if (is_stuck(c))
        wake_ms = now_ms + LOOK_AGAIN_MS; /* for patience; the client wakes it before */
    else if (wake_ms <= now_ms)
        wake_ms = now_ms; /* it has more right now: the next turn of the loop */
    if (c->h2_rate && c->h2_next_ms > now_ms && wake_ms < c->h2_next_ms)
        wake_ms = c->h2_next_ms;
    uint64_t idle_ms = c->active_ms + c->all->settings.idle_ms;
    if (wake_ms == UINT64_MAX && c->h2_open_count == 0 && now_ms >= idle_ms)
        conn_over(c, false);
    else if (is_stuck(c) && now_ms >= c->active_ms + c->all->settings.patience_ms)
        conn_over(c, true); /* it takes nothing and says nothing */
    else if (wake_ms > idle_ms && idle_ms > now_ms)
        conn_wake_at(c, idle_ms);
    else
        conn_wake_at(c, wake_ms < UINT64_MAX ? wake_ms : now_ms + c->all->settings.idle_ms);
}

void conn_h2_go_on(struct conn *c)
{
    uint64_t now_ms = poller_now_us() / 1000;
    enum rc rc = RC_OK;
    for (int i = 0; i < WRITES_A_TURN && rc == RC_OK && fill(c, now_ms); i++)
        rc = buf_rc(&c->input) == RC_OK ? write_some(c) : RC_NOMEM;
    c->h2_blocked = rc == RC_AGAIN;
    c->h2_ours = rc != RC_IO; /* which means that the client is gone */
    if (rc != RC_OK && rc != RC_AGAIN)
        conn_over(c, true);
    else if (rc == RC_OK && c->input_at == c->input.n && h2_is_over(c->h2))
        conn_over(c, false);
    else
        wake_later(c, now_ms);
}
