/* SPDX-License-Identifier: Apache-2.0 */
/* tls sessions: what servers gave us so that the next handshake is cheaper, by "host:port".
 *
 *     slots  [ . e . e ]──same──► e        found by the hash of the name
 *     ages   oldest ◄─► e ◄─► newest       at most `most`; the oldest goes first
 *
 * A session is found under the name it came from and no other: a resumed one is not verified again.
 * A ticket of TLS 1.3 is used once (RFC 8446, C.4: else an observer could tell that two connections
 * are of one client), and the connection brings the next. A session takes about 5 KB, with long
 * chains of certificates up to 20. One thread. OpenSSL's half of tls.h. */
#ifndef NET_TLS_SESSIONS_H
#define NET_TLS_SESSIONS_H

#include "base/list.h"
#include "base/str.h"

#include <openssl/ssl.h>

enum { TLS_SESSIONS_SLOTS = 2048 }; /* a power of two */

struct tls_session;

/* Zeroed but for `most` it is empty. */
struct tls_sessions {
    struct tls_session *slots[TLS_SESSIONS_SLOTS];
    struct list ages;
    uint32_t count, most;
};

void tls_sessions_done(struct tls_sessions *t);

/* Remembers it instead of an earlier one of that name. True: the reference is the table's. False:
 * no memory, and it stays the caller's. */
bool tls_sessions_put(struct tls_sessions *t, struct str name, SSL_SESSION *session);

/* A session to resume, of which the reference is the caller's; NULL: none. */
SSL_SESSION *tls_sessions_take(struct tls_sessions *t, struct str name);

#endif
