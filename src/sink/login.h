/* SPDX-License-Identifier: Apache-2.0 */
/* login: the file with which an agent logs in to the archive machine, and what the machine keeps of
 * it. Only this file must be copied to the agent. It holds a secret, so its mode is 0600, and it
 * belongs only on the agent's machine.
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
MUST_CHECK enum rc sink_address_read(struct str text, struct sink_login *ret);

void sink_login_write(const struct sink_login *l, struct str authority, struct buf *out);
/* RC_INVALID. It does not check the certificate: net/tls.h reads it from the same file. */
MUST_CHECK enum rc sink_login_read(struct str text, struct sink_login *ret);

/* Whether one of the lines in `text` has that name and secret. */
bool sink_agents_know(struct str text, struct str name, struct str secret);
bool sink_agents_has(struct str text, struct str name);
/* Writes all lines but that of `name`; then a new line for `name`, unless `hash` is NULL. */
void sink_agents_write(struct str text, struct str name, const struct secret_hash *hash,
                       struct buf *out);

#endif
