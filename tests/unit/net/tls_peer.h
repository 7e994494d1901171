/* SPDX-License-Identifier: Apache-2.0 */
/* tls_peer: a server over TLS for tests, in a thread of its own, that chooses the protocol it is
 * told to choose, offered or not, and answers by scripts: one connection after another.
 *
 * An answer of a connection that chose "h2" is a script of h2_frames.h, sent when the next request
 * has come; of any other, text. A last '!' ends the connection behind it; a last '~' sends a PING
 * every few milliseconds from then on. Else it waits for the other end to close. */
#ifndef TESTS_UNIT_NET_TLS_PEER_H
#define TESTS_UNIT_NET_TLS_PEER_H

#include "base/str.h"

#include <openssl/ssl.h>
#include <pthread.h>
#include <stdatomic.h>

enum { TLS_PEER_ANSWERS = 3, TLS_PEER_VISITS = 4 };

struct tls_visit {
    const char *chooses; /* NULL: nothing; "!": the alert no_application_protocol */
    const char *answers[TLS_PEER_ANSWERS];
};

struct tls_peer {
    const struct tls_visit *visits; /* until one without answers, or `count` */
    bool repeats;                   /* the first, again and again */
    const struct tls_visit *visit;
    SSL_CTX *context;
    int listener;
    uint16_t port;
    pthread_t thread;
    _Atomic bool stopping;
    _Atomic unsigned accepted;
    bool offered_h2[TLS_PEER_VISITS]; /* by the client, for the first visits; after tls_peer_stop()
                                       */
};

/* Listens on 127.0.0.1. */
void tls_peer_start(struct tls_peer *p, const struct tls_visit *visits, bool repeats);
void tls_peer_stop(struct tls_peer *p);

#endif
