/* SPDX-License-Identifier: Apache-2.0 */
/* conn: one client: its stream, the requests it sends, the answer that is on its way.
 *
 *   READING ──head──► ANSWERING ──whole, keep-alive──► READING
 *      │ idle, closed     │ step, client left           ▲
 *      ▼                  ▼                             │ pipelined requests wait in `input`
 *    (over) ◄── LINGERING (said all, hears out what the client still sends)
 *
 * An answer that goes out with one write needs no memory of the connection's own: the reply is
 * rendered into one of a few that all connections share. HTTP/2 is conn_h2.c. */
#ifndef SERVE_CONN_H
#define SERVE_CONN_H

#include "serve/h2.h"
#include "serve/poller.h"
#include "serve/site.h"
#include "serve/steps.h"

#include "base/log.h"

/* How an answer ended, for the witness. */
struct conn_end {
    uint64_t ticket;
    uint64_t end_us;
    uint64_t bytes;
    uint16_t status;
    enum sight_end end;
    uint64_t backoff_ms;
};

/* Who answers; the web, or the control port. */
struct conn_asks {
    /* Fills the reply, a wait before the first byte included; returns the ticket. */
    uint64_t (*answer)(void *ctx, const struct request *q, const struct visitor *v, uint64_t now_us,
                       struct reply *r);
    uint64_t (*bandwidth)(void *ctx, struct str host); /* bytes/s, 0 = no limit; may be NULL */
    void (*ended)(void *ctx, const struct conn_end *e);
    enum h2_mood (*h2_mood)(void *ctx, struct str sni);
    uint64_t (*wall_ms)(void *ctx, uint64_t now_us); /* for what conn itself says; may be NULL */
    void *ctx;
};

struct conns_settings {
    uint64_t most; /* connections; beyond it the longest idle one is closed, or the new one */
    uint64_t idle_ms;
    uint64_t endless_bytes;
    uint64_t patience_ms;
    struct log *log; /* borrowed; may be NULL */
};

struct conns;

/* NULL without memory. The loop is borrowed; conns is told of poller_after by its owner. */
struct conns *conns_open(struct poller *l, const struct conns_settings *s);
void conns_close(struct conns *all); /* every connection, without farewell */

/* Takes the stream; `address` is ours. `asks` is borrowed for as long as the connection lives. */
void conns_take(struct conns *all, struct stream **stream, uint32_t address,
                const struct conn_asks *asks);

/* Frees what ended since the last call: for poller_after. */
void conns_sweep(struct conns *all);

uint64_t conns_count(const struct conns *all);

/* What follows is shared by conn.c and conn_h2.c alone ------------------------------------- */

enum conn_state { CONN_READING, CONN_ANSWERING, CONN_LINGERING, CONN_OVER };

/* An answer on its way. */
struct answering {
    struct reply reply;
    struct steps steps;
    struct answering *next; /* of those that nobody uses */
};

/* One of HTTP/2: what the witness will want to know at its end. */
struct h2_open {
    uint64_t ticket;
    uint16_t status;
    uint64_t backoff_ms;
};
enum { H2_MOST_OPEN = 256 };

struct conn {
    struct timer timer; /* the first member, so that a timer is its connection */
    struct watch watch;
    struct conns *all;
    struct conn *next, *before;
    struct stream *stream;
    const struct conn_asks *asks;
    struct visitor visitor;
    enum conn_state state;
    uint32_t watched; /* events of epoll */
    uint64_t active_ms;
    struct buf input;     /* heads that are not whole yet, requests that wait; h2: bytes to write */
    size_t input_at;      /* h2: of those, written */
    struct answering *on; /* while ANSWERING */
    uint64_t ticket;
    uint64_t host_hash; /* of the last request's host */
    bool keep_alive;    /* the client's wish */
    bool has_body;      /* it sends more than its head, which nobody reads */
    struct h2 *h2;
    struct h2_open *h2_open; /* its answers on their way, H2_MOST_OPEN of them */
    uint32_t h2_open_count;
    bool h2_blocked;     /* bytes wait for the socket to take them */
    bool h2_ours;        /* what ends now is ended by us */
    uint64_t h2_rate;    /* bytes/s, 0 = any */
    uint64_t h2_next_ms; /* when more may be written by that rate */
};

struct conns {
    struct poller *loop;
    struct conns_settings settings;
    struct conn *first;
    struct conn *over; /* to be freed by the sweep */
    uint64_t count;
    uint64_t numbers; /* given out so far */
    struct answering *idle;
    uint32_t idle_count;
    struct request request; /* the one being answered; too large for every stack */
    char *room;             /* CONN_ROOM_BYTES, for one read at a time */
};

enum conn_limits {
    CONN_ROOM_BYTES = 64 * 1024,
    CONN_IDLE_ANSWERS = 64,              /* kept for reuse … */
    CONN_IDLE_REPLY_BYTES = 1024 * 1024, /* … with at most this much memory each */
    CONN_LINGER_MS = 2000,
    CONN_READS_A_TURN = 4096,
    CONN_SHOWN_BYTES = 100, /* of what is refused, in the log */
};

void conn_watch(struct conn *c, uint32_t events);
void conn_wake_at(struct conn *c, uint64_t moment_ms);
void conn_over(struct conn *c, bool by_reset);

/* HTTP/2: takes the first bytes; later ones, and whenever it may write or its time has come. */
void conn_h2_begin(struct conn *c, struct str bytes);
void conn_h2_take(struct conn *c, struct str bytes);
void conn_h2_go_on(struct conn *c);
void conn_h2_end(struct conn *c); /* nothing without HTTP/2 */

#endif
