/* SPDX-License-Identifier: Apache-2.0 */
/* pool: connections that wait for their next request.
 *
 *     origins    [ . c . c ]──same──► c         found by scheme, host and port
 *     addresses  [ c . c . ]──neighbour──► c    counted by the machine at the other end
 *     ends       heap, the first to be closed   by the moment at which it is not kept any more
 *     uses       heap, the last to be needed    by the moment of the next request, if it is known
 *
 * A connection that is given is kept for `keep_ms`. Its user may then know more: with
 * pool_expect() the next request comes at a moment at the earliest, and the connection stays until
 * `keep_ms` after it; or `unused_ms`, if it may not come. A connection is closed at once if
 * the server would not keep it until that moment (Keep-Alive: timeout), or if the moment is more
 * than POOL_MOST_AWAIT_MS away: a machine between us and the server may forget it without a word.
 *
 * At most `most` wait, at most `most_at_address` of them to one machine (address_group()). Beyond
 * that, those go that no request is certain for, the longest idle first; then those that are
 * needed last. The one given last is judged when pool_expect() is called for it, or a turn later.
 * (To close the longest idle one instead would be the worst choice for hosts that are asked in
 * turn: each would be closed just before its turn.)
 *
 * One that the other end closes, or says anything on, is closed. */
#ifndef NET_POOL_H
#define NET_POOL_H

#include "net/conn.h"
#include "net/keep.h"

enum { POOL_MOST_AWAIT_MS = 120 * 1000 };

struct pool_settings {
    uint64_t most;            /* 0: none is kept */
    uint64_t most_at_address; /* 0: any number; a low one, for they are counted each time */
    uint64_t keep_ms;
    uint64_t unused_ms;
};

struct pool {
    struct loop *loop;
    struct pool_settings settings;
    struct conn **origins, **addresses;
    uint32_t slot_count; /* of each; a power of two */
    uint32_t count;
    struct heap ends, uses;
    struct conn *fresh; /* given last, and not expected yet */
    struct timer timer;
};

MUST_CHECK enum rc pool_init(struct pool *p, struct loop *loop, const struct pool_settings *s);
void pool_done(struct pool *p);

/* Keeps it or, when there is no room, closes it or others; the giver's pointer is emptied.
 * c->server_keep_ms says how long the server keeps it. */
void pool_give(struct pool *p, struct conn **c);

/* As http_expect(). */
void pool_expect(struct pool *p, const struct http_origin *o, uint64_t due_ms, bool is_certain);

/* Whether a connection to that origin waits. */
bool pool_has(const struct pool *p, const struct http_origin *o);

/* A connection to that origin, at one of the addresses and allowed by the guard, on which nothing
 * has come; the caller's, or NULL. */
struct conn *pool_take(struct pool *p, bool is_https, struct str host, uint16_t port,
                       const struct address *addresses, uint32_t count, const struct guard *guard);

/* Closes the one that is missed least; false if there is none. */
bool pool_drop_one(struct pool *p);

#endif
