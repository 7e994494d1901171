/* SPDX-License-Identifier: Apache-2.0 */
/* http_peer: a server for tests that does exactly what a list of steps says, in a thread of its
 * own, on a loopback port that the kernel chose. A step that waits longer than a few seconds ends
 * it. */
#ifndef TESTS_UNIT_NET_HTTP_PEER_H
#define TESTS_UNIT_NET_HTTP_PEER_H

#include "base/str.h"

#include <pthread.h>
#include <stdatomic.h>

enum peer_do {
    PEER_END,    /* closes everything */
    PEER_ACCEPT, /* ends the connection before, if any, and takes the next */
    PEER_READ,   /* a request's head */
    PEER_SEND,   /* `bytes`, `times` or once */
    PEER_DRIP,   /* `bytes`, one after another, some milliseconds apart */
    PEER_RESET,  /* ends the connection by RST */
    PEER_PAUSE,  /* some milliseconds */
    PEER_SMALL,  /* connections take few bytes that are not read, up to the next PEER_CROSS */
    PEER_CROSS,  /* waits for may_go_on, then ends its direction (FIN); it has read nothing */
    PEER_HOLD,   /* waits until the other end closes */
    PEER_AGAIN,  /* from the first step on, until no connection comes any more (peer_stop) */
};

struct peer_step {
    enum peer_do what;
    struct str bytes;
    unsigned times;
};

struct peer {
    const struct peer_step *steps;
    int listener, spare; /* `spare` holds the same port on 127.0.0.1 without listening */
    int fd;
    uint16_t port;
    pthread_t thread;
    _Atomic unsigned accepted, requests;
    _Atomic uint64_t sent_bytes; /* that the kernel took */
    _Atomic bool stopping, may_go_on;
};

/* Listens on 127.0.0.2. */
void peer_start(struct peer *p, const struct peer_step *steps);
/* Waits for the thread's end. */
void peer_stop(struct peer *p);

#endif
