/* SPDX-License-Identifier: Apache-2.0 */
/* nats_client: sends requests through the NATS servers with a login, and waits for the answers. */
#ifndef PROVISION_NATS_CLIENT_H
#define PROVISION_NATS_CLIENT_H

#include "bus/bus.h"
#include "cluster/wire/nats_login.h"

#include "base/buf.h"

struct nats_client_call {
    const char *subject; /* borrowed */
    struct str text;     /* borrowed */
    enum rc rc;
    bool has_ended;
    struct buf answer; /* the caller's: buf_done */
};

struct nats_client {
    struct bus *bus;
    bool is_up;
    struct nats_client_call *calls;
    size_t count;
};

/* Connects, and waits at most `wait_ms` until a server accepts the login: RC_AGAIN if none does;
 * `why`. Close it in any case. */
MUST_CHECK enum rc nats_client_open(struct nats_client *c, const struct nats_login *l,
                                    uint64_t wait_ms, struct buf *why);
void nats_client_close(
    struct nats_client *c); /* accepts a zeroed one; main ends the library, once */

/* Sends all at once and waits until each has ended, after most_ms at the latest. At most 512. */
void nats_client_ask(struct nats_client *c, struct nats_client_call *calls, size_t count,
                     uint64_t most_ms);
/* The same, but returns early when `is_enough` says so; the calls that are missing then have not
 * ended. */
void nats_client_ask_until(struct nats_client *c, struct nats_client_call *calls, size_t count,
                           uint64_t most_ms, bool (*is_enough)(void *ctx), void *ctx);

/* Tries until a stream has taken it, for at most wait_ms. */
MUST_CHECK enum rc nats_client_append(struct nats_client *c, const char *subject, struct str text,
                                      uint64_t wait_ms);

#endif
