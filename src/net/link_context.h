/* SPDX-License-Identifier: Apache-2.0 */
/* link context: OpenSSL's half of link.h. */
#ifndef NET_LINK_CONTEXT_H
#define NET_LINK_CONTEXT_H

#include "net/link.h"

#include <openssl/ssl.h>

/* For a socket; NULL: no memory. *fd is borrowed until SSL_free. */
SSL *link_context_tls(struct link_context *c, int *fd, bool accepts);

/* Whether the other end has proved that it knows the secret. After the handshake. */
bool link_tls_is_proven(SSL *ssl);

#endif
