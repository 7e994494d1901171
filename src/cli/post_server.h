/* SPDX-License-Identifier: Apache-2.0 */
/* post_server: a nats-server as a child of this process, for `cluster up`.
 *
 * It is started in the folder of its configuration, writes to a log there, and dies with the
 * thread that started it (PR_SET_PDEATHSIG): that thread must live as long as the server should. */
#ifndef CLI_POST_SERVER_H
#define CLI_POST_SERVER_H

#include "base/buf.h"

#include <sys/types.h>

struct post_server {
    pid_t pid; /* 0: none */
};

/* Starts it and waits until its ports are open, at most `wait_ms`. RC_NOT_FOUND: no such program or
 * folder; RC_CLOSED: it ended at once (the log says why: a port that is taken, a configuration that
 * it refuses); RC_AGAIN: it is not ready in time, and was stopped; RC_IO. `why` says it for a
 * person. */
MUST_CHECK enum rc post_server_start(struct post_server *s, const char *folder, uint64_t wait_ms,
                                     struct buf *why);

/* Whether it still runs. */
bool post_server_runs(struct post_server *s);

/* Ends it by its own id, in order if it does so within 10 s, and waits. Accepts one that is not
 * there. */
void post_server_stop(struct post_server *s);

#endif
