/* SPDX-License-Identifier: Apache-2.0 */
/* tls: what HTTP needs of TLS, over a socket that does not block. OpenSSL stands behind this
 * header.
 *
 * TLS 1.2 and newer; the name is sent (SNI) and must be in the certificate, an address likewise;
 * "http/1.1" is offered (ALPN), behind "h2" where wanted, and a server that chooses anything else
 * is refused. A bounded number of sessions is remembered by host and port, so that the next
 * connection there is cheaper. One thread owns a tls and all its links.
 *
 * The other end of a connection, for programs of our own on two machines (src/sink), has a tls of
 * its own kind: TLS 1.3, no sessions, and each of its links may have its own thread. */
#ifndef NET_TLS_H
#define NET_TLS_H

#include "base/buf.h"

enum { TLS_SESSIONS = 2048 }; /* remembered (net/tls_sessions.h): 10 MB, at worst 40 */

enum tls_result {
    TLS_OK,
    TLS_WANTS_READ,
    TLS_WANTS_WRITE,
    TLS_ENDED, /* the other end said so (close_notify) */
    TLS_CUT,   /* the connection ended or broke without saying so */
    TLS_FAILED /* `why`: the handshake, the certificate, or a malformed record */
};

struct tls;
struct tls_link;

/* `ca_file` absent: the system's authorities. RC_INVALID: `why` says what is wrong with it. */
MUST_CHECK enum rc tls_open(struct str ca_file, bool insecure, struct tls **ret, struct buf *why);
void tls_close(struct tls *t);

/* A server's, with its certificate and key: PEM files. RC_INVALID: `why`. */
MUST_CHECK enum rc tls_open_server(const char *cert_file, const char *key_file, struct tls **ret,
                                   struct buf *why);
/* For a socket that was accepted, which stays the caller's. */
MUST_CHECK enum rc tls_link_accept(struct tls *t, int fd, struct tls_link **ret);

/* For a connected socket, which stays the caller's. `host` is a name or an address, as in a URL. */
MUST_CHECK enum rc tls_link_open(struct tls *t, int fd, struct str host, uint16_t port,
                                 bool offers_h2, struct tls_link **ret);
/* `politely`: says close_notify, if that does not block. */
void tls_link_close(struct tls_link *l, bool politely);

/* To be called again when the socket is as wanted. `ret_why` is set on TLS_FAILED and TLS_CUT. */
enum tls_result tls_shake(struct tls_link *l, const char **ret_why);
enum tls_result tls_read(struct tls_link *l, char *to, size_t room, size_t *ret_n);
enum tls_result tls_write(struct tls_link *l, struct str bytes, size_t *ret_n);

/* After the handshake: the certificate did not verify, and was accepted all the same. */
bool tls_is_unverified(const struct tls_link *l);
/* The server chose HTTP/2. */
bool tls_is_h2(const struct tls_link *l);
/* The handshake failed because the server speaks none of the protocols that were offered: it said
 * so by the alert no_application_protocol (RFC 7301, 3.2). */
bool tls_has_no_protocol(const struct tls_link *l);
/* It resumed a session. */
bool tls_is_resumed(const struct tls_link *l);

#endif
