/* SPDX-License-Identifier: Apache-2.0 */
/* login: the file with which an agent reaches the archive machine, and what that machine keeps of
 * it. The file is the only thing to copy; it holds a secret: 0600, and on no machine but its own.
 *
 *     # orbweaver sink: keep it secret
 *     server: archive.example:7447
 *     agent: a1
 *     secret: 48 hexadecimal digits
 *     -----BEGIN CERTIFICATE----- …                the authority that the machine must have
 *
 * The machine keeps lines of "NAME HASH". */
#ifndef SINK_LOGIN_H
#define SINK_LOGIN_H

#include "base/buf.h"
#include "bus/secret.h"

enum {
    SINK_MAX_HOST_BYTES = 253,
    SINK_MAX_NAME_BYTES = 32,
    SINK_LOGIN_MAX_BYTES = 32 << 10,
    SINK_AGENTS_MAX_BYTES = 1 << 20,
    SINK_PORT = 7447,
};

struct sink_login {
    char host[SINK_MAX_HOST_BYTES + 1];
    uint16_t port;
    char name[SINK_MAX_NAME_BYTES + 1];
    struct secret secret;
};

/* a-z, 0-9, '-' and '_', 1 to SINK_MAX_NAME_BYTES. */
bool sink_agent_is_good(struct str name);

/* "HOST" or "HOST:PORT", a name or an IPv4 address. RC_INVALID. */
MUST_CHECK enum rc sink_place_read(struct str text, struct sink_login *ret);

void sink_login_write(const struct sink_login *l, struct str authority, struct buf *out);
/* RC_INVALID. The certificate is not looked at: net/tls.h reads it from the same file. */
MUST_CHECK enum rc sink_login_read(struct str text, struct sink_login *ret);

/* `text` is all lines. Whether one of them has that name and secret. */
bool sink_agents_know(struct str text, struct str name, struct str secret);
bool sink_agents_has(struct str text, struct str name);
/* All lines but that of `name`; and that one anew, with `hash`, unless it is NULL. */
void sink_agents_write(struct str text, struct str name, const struct secret_hash *hash,
                       struct buf *out);

#endif
