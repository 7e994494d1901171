/* SPDX-License-Identifier: Apache-2.0 */
/* link context: OpenSSL's half of link.h. */
#ifndef NET_LINK_CONTEXT_H
#define NET_LINK_CONTEXT_H

#include "net/link.h"

#include <openssl/ssl.h>

/* For a socket; NULL: no memory. Until SSL_free *fd is borrowed, and `name`, which has room for
 * LINK_MAX_NAME_BYTES and a NUL: what the other end says is its name. */
SSL *link_context_tls(struct link_context *c, int *fd, bool accepts, char *name);

/* Whether the other end has proved that it knows the secret. After the handshake. */
bool link_tls_is_proven(SSL *ssl);

#endif
