/* SPDX-License-Identifier: Apache-2.0 */
/* pool: connections that wait for their next request.
 *
 *     slots  [ . c . c ]──same──► c          found by scheme, host and port
 *     ages   oldest ◄─► c ◄─► newest         closed from the oldest on
 *
 * At most `most` are kept, none longer than `keep_ms`. One that the other end closes, or says
 * anything on, is closed. */
#ifndef NET_POOL_H
#define NET_POOL_H

#include "net/conn.h"

struct pool {
    struct loop *loop;
    struct conn **slots;
    uint32_t slot_count; /* a power of two */
    uint32_t count, most;
    uint64_t keep_ms;
    struct list ages; /* the oldest first */
    struct timer timer;
};

MUST_CHECK enum rc pool_init(struct pool *p, struct loop *loop, uint64_t most, uint64_t keep_ms);
void pool_done(struct pool *p);

/* Keeps it or, when there is no room, closes it and others; the giver's pointer is emptied. */
void pool_give(struct pool *p, struct conn **c);

/* A connection to that origin, at one of the addresses and allowed by the guard, on which nothing
 * has come; the caller's, or NULL. */
struct conn *pool_take(struct pool *p, bool is_https, struct str host, uint16_t port,
                       const struct address *addresses, uint32_t count, const struct guard *guard);

/* Closes the one that has waited longest; false if there is none. */
bool pool_drop_oldest(struct pool *p);

#endif
