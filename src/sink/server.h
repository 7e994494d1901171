/* SPDX-License-Identifier: Apache-2.0 */
/* server: the listening side of the archive machine. It gives each connection a thread of its own,
 * and requires TLS, a name and its secret.
 *
 *   most connections at once                SINK_SERVER_MAX
 *   of them, strangers: not logged in yet   SINK_SERVER_STRANGERS, of one address
 *                                           SINK_SERVER_STRANGERS_EACH; the oldest makes room for
 *                                           the next (base/newcomers.h)
 *   time of a stranger for its login        SINK_SERVER_HELLO_MS, the handshake included
 *   time for one frame, and between two     SINK_SERVER_FRAME_MS */
#ifndef SINK_SERVER_H
#define SINK_SERVER_H

#include "base/log.h"
#include "sink/session.h"

#include <netinet/in.h>
#include <stdatomic.h>

enum {
    SINK_SERVER_MAX = 64,
    SINK_SERVER_STRANGERS = 16,
    SINK_SERVER_STRANGERS_EACH = 8,
    SINK_SERVER_HELLO_MS = 10000,
    SINK_SERVER_FRAME_MS = 120000,
};

struct sink_server_settings {
    struct sockaddr_storage address; /* where to listen; port 0: any */
    socklen_t address_bytes;
    const char *cert_file, *key_file;
    struct sink_store *store;
    bool (*may)(void *ctx, struct str name, struct str secret); /* any thread */
    void *may_ctx;
    struct log *log;
};

struct sink_server;

/* Listens from here on. RC_IO, RC_INVALID; `why`. */
MUST_CHECK enum rc sink_server_open(const struct sink_server_settings *s, struct sink_server **ret,
                                    struct buf *why);
uint16_t sink_server_port(const struct sink_server *s);

/* Serves until `stop`, or until a sync fails (RC_SYNC). All connections have ended when it
 * returns. */
MUST_CHECK enum rc sink_server_run(struct sink_server *s, const _Atomic bool *stop);
void sink_server_close(struct sink_server *s); /* accepts NULL */

#endif
