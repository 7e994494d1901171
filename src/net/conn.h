/* SPDX-License-Identifier: Apache-2.0 */
/* conn: one connection to one origin at one address, plain or over TLS, that never blocks.
 *
 * It knows bytes and readiness; its users handle requests, time and reuse. Its user sets
 * `watch.ready` and `user`, and asks with conn_wait() what to be called for. Where the server chose
 * HTTP/2 (`h2`), requests and answers are still written and read as HTTP/1.1's text: frames are
 * between here and the socket. */
#ifndef NET_CONN_H
#define NET_CONN_H

#include "base/heap.h"
#include "base/loop.h"
#include "net/address.h"
#include "net/h2.h"
#include "net/tls.h"

struct conn {
    struct watch watch;
    void *user;
    struct loop *loop;
    struct tls_link *link; /* NULL: plain, or not yet */
    struct h2 *h2;         /* NULL: HTTP/1.1 */
    struct address peer;
    uint16_t port;
    bool is_https;
    bool offers_h2; /* set before the handshake */
    bool is_unverified;
    bool is_broken;  /* no polite end */
    unsigned events; /* waited for */
    uint64_t key;    /* hash of scheme, host and port */
    /* the pool's */
    struct heap_node end, use;
    struct conn *same, *neighbour;
    uint64_t idle_ms; /* since then it waits */
    uint64_t group;   /* address_group() of the peer */
    /* set before it is given to the pool */
    uint64_t server_keep_ms; /* the server keeps it so long; 0: it does not say */
    /* the origin's host */
    size_t host_n;
    char host[];
};

enum conn_io {
    CONN_DONE,    /* some bytes, or the step is over */
    CONN_WAITS,   /* conn_wait() has been told for what */
    CONN_ENDED,   /* the other end has finished; HTTP/2: the answer is whole */
    CONN_BROKE,   /* reset, or closed without close_notify; HTTP/2: closed within the answer */
    CONN_REFUSED, /* TLS: the handshake or the certificate; `why`. HTTP/2: see h2_state() */
    CONN_FAILED,  /* no memory or descriptor of our own */
};

uint64_t conn_key(bool is_https, struct str host, uint16_t port);
bool conn_is_to(const struct conn *c, bool is_https, struct str host, uint16_t port);

/* Not connected yet. NULL without memory. `host` is copied. */
struct conn *conn_open(struct loop *loop, bool is_https, struct str host, uint16_t port);
void conn_close(struct conn *c);

/* Begins to connect to one address, after an earlier one failed perhaps. CONN_WAITS, or at once
 * CONN_BROKE (`why`) or CONN_FAILED. */
enum conn_io conn_dial(struct conn *c, const struct address *to, const char **ret_why);

/* The socket is writable: CONN_DONE, or CONN_BROKE (`why`). The peer must be the address dialled.
 */
enum conn_io conn_dialled(struct conn *c, const char **ret_why);

/* Steps through the handshake. */
enum conn_io conn_shake(struct conn *c, struct tls *tls, const char **ret_why);

/* After the handshake: speaks HTTP/2 from now on, if that was chosen. False: no memory. */
bool conn_agree(struct conn *c, const struct h2_limits *limits);

/* Before the first conn_write() of each request, with all of it. False: no memory. */
bool conn_ask(struct conn *c, struct str request);

enum conn_io conn_read(struct conn *c, char *to, size_t room, size_t *ret_n);
enum conn_io conn_write(struct conn *c, struct str bytes, size_t *ret_n);

/* The other end does not go on, as conn_read() said by `end`: whether it had not received the last
 * bytes that were written when it said so. Whatever ends a connection in order acknowledges what
 * came before; of a reset nothing is known, and it counts as seen. */
bool conn_is_unseen(const struct conn *c, enum conn_io end);

/* The rest of the answer is not wanted. HTTP/2: its stream is reset, if it is still under way; what
 * is then not written waits for the next write. HTTP/1.1 has no such message: the connection is
 * closed. */
void conn_leave(struct conn *c);

/* Nothing came while nothing was asked, and the other end is still there. HTTP/2's frames about
 * the connection itself are answered. */
bool conn_is_quiet(struct conn *c);

/* Calls `watch.ready` for these events from now on. False: no memory. */
bool conn_wait(struct conn *c, unsigned events);

#endif
