/* SPDX-License-Identifier: Apache-2.0 */
/* nats_server: a nats-server as a child of this process, for `cluster up`.
 *
 * It is started in the folder of its configuration, writes to a log there, and dies with the
 * thread that started it (PR_SET_PDEATHSIG): that thread must live as long as the server should. */
#ifndef PROVISION_NATS_SERVER_H
#define PROVISION_NATS_SERVER_H

#include "base/buf.h"

#include <sys/types.h>

struct nats_server {
    pid_t pid; /* 0: none */
};

/* Starts it and waits until its ports are open, at most `wait_ms`. RC_NOT_FOUND: no such program or
 * folder; RC_CLOSED: it ended at once (its log has the reason: a port in use, a configuration that
 * it refuses); RC_AGAIN: it was not ready in time, and was stopped; RC_IO; `why`. */
MUST_CHECK enum rc nats_server_start(struct nats_server *s, const char *folder, uint64_t wait_ms,
                                     struct buf *why);

/* Whether it still runs. */
bool nats_server_runs(struct nats_server *s);

/* Sends it SIGTERM, after 10 s SIGKILL, and waits for its end. Accepts one that does not run. */
void nats_server_stop(struct nats_server *s);

#endif
