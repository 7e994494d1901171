/* SPDX-License-Identifier: Apache-2.0 */
/* tls: the simulated web's own certificate authority and its servers' side of TLS.
 *
 * The authority's key and certificate are made once and kept in the folder (ca.pem for clients to
 * trust, ca.key, 0600); a certificate for a name is made when a client first asks for the name and
 * kept in a bounded cache. All of OpenSSL's libssl stands behind this header; it writes to sockets
 * without MSG_NOSIGNAL, so the program has to ignore SIGPIPE. */
#ifndef SERVE_TLS_H
#define SERVE_TLS_H

#include "faults/mood.h"
#include "serve/stream.h"

struct tls;

/* How the host of that name (lower case; absent: no SNI) treats a handshake. */
struct tls_asks {
    struct mood (*mood)(void *ctx, struct str name);
    void *ctx;
    /* The same where there is no SNI, by the address (order of the machine) that was called: a host
     * that needs SNI, or stalls, does so then too. NULL: mood with an absent name. */
    struct mood (*mood_at)(void *ctx, uint32_t address);
};

/* RC_IO, RC_DISK_FULL: the folder cannot be used; RC_CORRUPT: its ca.key or ca.pem is no such. */
MUST_CHECK enum rc tls_open(const char *folder, struct tls_asks asks, struct tls **ret);
void tls_close(struct tls *t);

/* Takes the socket. The handshake happens inside read and write. NULL without memory (the socket is
 * closed then). A read takes all there is, up to the room: what is left over is not announced by
 * the socket, so a read that filled its room has to be repeated.
 *
 * Without SNI the certificate is for the address that was called. A host that stalls (TLS_STALL)
 * or storms (TLS_ALERTS) never gets beyond RC_AGAIN; TLS_OLD lowers OpenSSL's security level to 0
 * for that connection, without which TLS 1.0 cannot be spoken. */
struct stream *tls_stream(struct tls *t, int fd);

#endif
