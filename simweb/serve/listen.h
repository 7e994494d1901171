/* SPDX-License-Identifier: Apache-2.0 */
/* listen: the sockets of all addresses the simulated web has, for http and https.
 *
 * Every address has sockets of its own, so that an address that refuses is simply one without. The
 * one that is silent has a socket whose filter drops every SYN before TCP sees it. */
#ifndef SERVE_LISTEN_H
#define SERVE_LISTEN_H

#include "faults/fault.h"
#include "serve/poller.h"

enum { ADDRESS_V6 = 1 }; /* how ::1 is told: as 0.0.0.1 */

struct listener {
    struct watch watch;
    struct listeners *all;
    int fd;
    uint32_t address; /* of ours */
    bool is_https;
};

struct listeners_asks {
    /* Takes the accepted socket, which is non-blocking. */
    void (*accepted)(void *ctx, const struct listener *from, int fd);
    void *ctx;
};

struct listeners;

struct listeners_wish {
    const struct world *world; /* its ports are not looked at */
    uint64_t http_port;        /* 0 = any that is free on all addresses */
    uint64_t https_port;
    uint64_t spare_files; /* what the process needs besides: connections and such */
};

/* Raises the limit on open files as far as it must and may. On failure `why` says which address or
 * limit it was and what to do. */
MUST_CHECK enum rc listeners_open(const struct listeners_wish *wish, struct poller *loop,
                                  struct listeners_asks asks, struct listeners **ret,
                                  struct buf *why);
void listeners_close(struct listeners *all);

uint16_t listeners_http_port(const struct listeners *all);
uint16_t listeners_https_port(const struct listeners *all);
bool listeners_have_v6(const struct listeners *all);

/* A socket of ours on 127.0.0.1 at a port (0 = any): SOCK_STREAM ones listen. -1: errno says why.
 */
int loopback_socket(int type, uint64_t port, uint16_t *ret_port);

#endif
