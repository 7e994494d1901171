/* SPDX-License-Identifier: Apache-2.0 */
/* exchange: one request under way, from http_start() to `done`; internal to the engine.
 *
 *   CONNECT ──► TLS ──► SEND ──► FIRST ──► HEAD ──► BODY ──► done
 *      │ next address    ▲ a connection that had served before begins here; if the server closed
 *      └──► CONNECT      │ it before it had received the request, the exchange begins again with
 *                          CONNECT, once
 *
 * The same with HTTP/2, whose answers come as HTTP/1.1's text (conn.h). Where the server breaks
 * HTTP/2's rules, the exchange begins again with CONNECT and HTTP/1.1 alone, and so do those that
 * follow to that host and port, while it is remembered.
 *
 * Each phase has its limit in time. One timer is set to the earliest moment at which a limit could
 * be reached and looks again when it comes, so that bytes cost no timers. What is read goes into
 * the engine's one buffer; only an answer that does not come in one go gets memory of its own. */
#ifndef NET_EXCHANGE_H
#define NET_EXCHANGE_H

#include "net/http.h"
#include "net/pool.h"
#include "net/reply.h"

enum { SHARED_BYTES = 128 << 10, H1_ONLY_SLOTS = 1024 };

enum phase {
    PHASE_CONNECT,
    PHASE_TLS,
    PHASE_SEND,
    PHASE_FIRST,
    PHASE_HEAD,
    PHASE_BODY,
    PHASE_OVER
};

struct http {
    struct loop *loop;
    struct http_settings settings;
    struct tls *tls;
    struct pool pool;
    struct http_counts counts;
    uint64_t held_bytes;             /* of all exchanges */
    uint64_t h1_only[H1_ONLY_SLOTS]; /* conn_key() of those; a newer one pushes an older one out */
    char shared[SHARED_BYTES];
};

struct exchange {
    struct http *h;
    struct http_ask *ask;
    struct conn *conn;
    struct timer timer;
    enum phase phase;
    bool is_retried;  /* a reused connection was closed unseen */
    bool is_judged;   /* `wants` has seen the head */
    bool is_peeked;   /* `peek` has seen the start of the body */
    bool has_more;    /* read on in the next turn */
    bool was_due;     /* a limit was reached a turn ago */
    bool was_dialled; /* at least one address was allowed */
    uint32_t next_address;
    uint64_t held_bytes; /* of `in`, as counted in h->held_bytes */
    uint64_t start_ms, start_us;
    uint64_t phase_ms;         /* when it began */
    uint64_t address_until_ms; /* when connecting to this address is given up */
    uint64_t byte_ms;          /* the last progress */
    uint64_t window_ms, window_bytes;
    size_t sent;
    struct reply reply;
    struct buf in; /* every byte of the answer, once it is more than one read */
    struct http_answer answer;
};

/* In phase CONNECT, doing nothing; counted as running. NULL without memory. */
struct exchange *exchange_open(struct http *h, struct http_ask *ask);

/* Uses an idle connection or makes one. False: no memory, to be dropped. */
bool exchange_begin(struct exchange *x);

/* Ends it without `done`. */
void exchange_drop(struct exchange *x);

#endif
