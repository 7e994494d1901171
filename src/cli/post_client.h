/* SPDX-License-Identifier: Apache-2.0 */
/* post_client: a command that talks through the post office with somebody's login, and waits. */
#ifndef CLI_POST_CLIENT_H
#define CLI_POST_CLIENT_H

#include "bus/bus.h"
#include "cluster/post_login.h"

#include "base/buf.h"

struct post_client_call {
    const char *subject; /* borrowed */
    struct str text;     /* borrowed */
    enum rc rc;
    bool has_ended;
    struct buf answer; /* the caller's: buf_done */
};

struct post_client {
    struct bus *bus;
    bool is_up;
    struct post_client_call *calls;
    size_t count;
};

/* Waits until a server has let us in. EXIT_DONE, or says why not. */
int post_client_open(struct post_client *c, const struct post_login *l, uint64_t wait_ms);
void post_client_close(struct post_client *c); /* main ends the library, once */

/* All at the same time, until each has ended; none takes longer than most_ms. At most 512. */
void post_client_ask(struct post_client *c, struct post_client_call *calls, size_t count,
                     uint64_t most_ms);
/* The same, or until `is_enough` says that the others need not be waited for; they have not ended
 * then. */
void post_client_ask_until(struct post_client *c, struct post_client_call *calls, size_t count,
                           uint64_t most_ms, bool (*is_enough)(void *ctx), void *ctx);

/* Until a stream has taken it, or wait_ms are over. */
MUST_CHECK enum rc post_client_append(struct post_client *c, const char *subject, struct str text,
                                      uint64_t wait_ms);

#endif
