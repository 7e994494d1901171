/* SPDX-License-Identifier: Apache-2.0 */
/* http: one request out, one answer in, exactly as it came, without blocking.
 *
 *     ask.request = STR("GET /a HTTP/1.1\r\nHost: …\r\n…\r\n\r\n");   as it is sent and recorded
 *     http_start(engine, &ask);                                        … the loop runs …
 *     ask.done(&ask, &answer);                                         once
 *
 * The engine of a shard owns its connections: kept alive per (scheme, host, port, address), reused
 * only when nothing was left over, at most `idle_most` of them, those closed first that are needed
 * last (net/pool.h; net/keep.h has what the engine is told of that). It handles broken servers as
 * docs/faults.md lists them: what is no HTTP is refused, lengths that contradict each other are
 * refused, chunks end where they say, 1xx are skipped up to a limit, everything has a limit in
 * bytes and in time. It follows no redirect, sends no cookie, decodes no content, and connects to
 * no address that the guard refuses.
 *
 * Over TLS it can offer h2 (`http`), and speaks it where the server chooses it: still one request
 * at a time a connection, still given and answered as HTTP/1.1's text (h2.h), within the same
 * limits. With HTTP_VERSION_AUTO the ask says whether h2 is offered: the engine does not decide
 * which servers refuse HTTP/1.1, and asks none twice for that reason (host/host_http.h). Where
 * HTTP/2 itself fails (broken rules, floods, a head beyond its limits, RST_STREAM or GOAWAY instead
 * of an answer), with HTTP_VERSION_2 the request is asked once more over HTTP/1.1, and host and
 * port are remembered in a bounded table; otherwise the request has failed. */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include "base/loop.h"
#include "net/address.h"

enum http_version {
    HTTP_VERSION_AUTO, /* HTTP/1.1; h2 is offered where the ask says so */
    HTTP_VERSION_1,    /* h2 is never offered */
    HTTP_VERSION_2,    /* h2 is offered to all */
};

struct http_settings {
    uint64_t connect_ms;    /* each is a limit of its phase: until the connection is there */
    uint64_t tls_ms;        /* the handshake */
    uint64_t first_byte_ms; /* from the request's last byte to the answer's first */
    uint64_t head_ms;       /* the whole head, 1xx included */
    uint64_t idle_ms;       /* no byte for that long */
    uint64_t total_ms;      /* everything; then what came is truncated by time */
    uint64_t least_rate;    /* bytes/s of a body, over `rate_window_ms`; 0 = any */
    uint64_t rate_window_ms;
    uint64_t head_bytes;   /* of all heads of an answer together; 300 KB */
    uint64_t line_bytes;   /* of one header line; 100 KB */
    uint64_t header_count; /* 5,000 */
    uint64_t interim_most; /* 1xx answers; 20 */
    uint64_t body_memory;  /* of all bodies that are coming, together: past it those over a megabyte
                              are truncated by length; 0 = any */
    uint64_t keep_ms;      /* an idle connection is closed so long after its next request was due */
    uint64_t unused_ms;    /* or so long, if no other request is certain (net/keep.h) */
    uint64_t idle_most;    /* connections kept */
    uint64_t idle_at_address; /* of them, to one address; 0 = any */
    uint64_t sockets_most; /* connections in all; beyond it idle ones are closed, then requests fail
                              (HTTP_FAILED); no option: its owner knows the share (net/keep.h). 0 =
                              any */
    bool insecure;         /* certificates need not verify; it is recorded */
    struct str ca_file;    /* instead of the system's authorities; absent = those */
    unsigned http;         /* enum http_version */
};
extern const struct option http_options[];

enum http_outcome {
    HTTP_WHOLE,
    HTTP_UNWANTED,  /* the head alone: `wants` or `peek` said no; the rest was left where it was */
    HTTP_TRUNCATED, /* head and part of the body: `cut` says by what */
    HTTP_REFUSED_ADDRESS, /* the guard said no */
    HTTP_NO_CONNECT,      /* refused, unreachable, or connect_ms is over */
    HTTP_NO_TLS,          /* the handshake failed, or the certificate does not verify */
    HTTP_TIMEOUT,         /* in a phase after connecting, before the head was whole */
    HTTP_CLOSED,          /* closed or reset before the head was whole */
    HTTP_NOT_HTTP,        /* the answer breaks the rules: `why` */
    HTTP_FAILED, /* on our own side: no memory, no descriptor; nothing is known of the host */
    HTTP_OUTCOMES_
};
const char *http_outcome_name(enum http_outcome outcome); /* "not-http" */
enum http_cut { HTTP_CUT_NONE, HTTP_CUT_LENGTH, HTTP_CUT_TIME, HTTP_CUT_DISCONNECT };

/* Of h2, on the connection that the end is of. */
enum http_offer {
    HTTP_OFFER_NONE,     /* it cannot be offered: no TLS, HTTP_VERSION_1, or it has failed there */
    HTTP_OFFER_POSSIBLE, /* it was not, for the ask has no offers_h2 */
    HTTP_OFFER_MADE,
};

struct http_timing { /* microseconds from the start; 0 = not reached or not needed */
    uint64_t connect_us, tls_us, first_byte_us, total_us;
};

struct http_answer {
    enum http_outcome outcome;
    enum http_cut cut;
    const char *why; /* for the log: "two different Content-Length"; NULL when whole or unwanted */
    uint16_t status;
    struct str
        head; /* the last head, status line to empty line, as it came; borrowed as the next */
    struct str body; /* as it came: chunks and content coding kept, nothing behind the last chunk */
    bool is_chunked;
    bool is_not_chunked; /* it said so and was not: the body is plain, up to the close */
    enum http_offer offer;
    bool no_protocol; /* HTTP_NO_TLS because the server speaks none of the protocols offered */
    bool is_h2;     /* then head is written as HTTP/1.1, "HTTP/1.1 200 ", and body has no chunks */
    bool is_reused; /* the connection had served before */
    bool tls_unverified; /* accepted because of `insecure` */
    struct address peer;
    struct http_timing timing;
    uint64_t bytes_in; /* heads and body */
};

/* Caller's memory until `done`. */
struct http_ask {
    bool is_https;
    struct str host; /* for SNI and for reuse; without port */
    uint16_t port;
    const struct address *addresses; /* tried in turn within connect_ms */
    uint32_t address_count;
    const struct guard *guard; /* never NULL */
    bool offers_h2;            /* with HTTP_VERSION_AUTO */
    struct str request;        /* the whole head; no body */
    uint64_t body_bytes;       /* the most to take; past it truncated by length */
    /* NULL: any answer. Called once the head is whole and before more of the body is read: false
     * ends the transfer (HTTP_UNWANTED). The connection is closed, but for one whose answer had
     * come whole already; HTTP/2's stream is reset. `head` is gone after the call, and where HTTP/2
     * fails the head of the second answer is judged too. Nothing of the engine may be called. */
    bool (*wants)(struct http_ask *ask, uint16_t status, struct str head);
    /* NULL: nothing. Called once `peek_bytes` of the body are there, with these, chunks and coding
     * kept; a body that is shorter is not looked at. False ends the transfer as `wants` does, and the
     * same holds of the call. */
    bool (*peek)(struct http_ask *ask, uint16_t status, struct str head, struct str start,
                 bool is_chunked);
    uint64_t peek_bytes;
    /* The answer is the engine's and gone after the call, in which the ask may be used again. */
    void (*done)(struct http_ask *ask, const struct http_answer *answer);
    void *running; /* the engine's */
};

struct http;

/* RC_INVALID: a limit that may not be 0 is, or ca_file is no file of certificates; `why`. */
MUST_CHECK enum rc http_open(struct loop *loop, const struct http_settings *s, struct http **ret,
                             struct buf *why);
void http_close(struct http *h); /* nothing is running; not from `done` */

/* Begins; RC_NOMEM: `done` is not called. Otherwise it is, exactly once, from the loop. */
MUST_CHECK enum rc http_start(struct http *h, struct http_ask *ask);

/* Gives up: `done` is not called any more. */
void http_cancel(struct http *h, struct http_ask *ask);

struct http_counts {
    uint64_t started, connected, reused, retried, bytes_in, bytes_out;
    uint64_t resumed;   /* TLS sessions */
    uint64_t fell_back; /* from HTTP/2 to HTTP/1.1, by its own fault */
    uint32_t running, idle;
};
struct http_counts http_counts(const struct http *h);

#endif
