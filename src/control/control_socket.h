/* SPDX-License-Identifier: Apache-2.0 */
/* control_socket: DIR/run/control.sock, over which only the owner of a crawl steers it.
 *
 * The folder is 0700 and the socket 0600, and a client must be the crawl's user or root: the kernel
 * says so (SO_PEERCRED). The path may have any length. */
#ifndef CONTROL_CONTROL_SOCKET_H
#define CONTROL_CONTROL_SOCKET_H

#include "base/buf.h"

/* Listens, and replaces the socket of a dead crawl; the caller holds the crawl's lock. *ret_run
 * is the folder, for control_unlisten. RC_INVALID: the folder is another user's; RC_IO; `why`. */
MUST_CHECK enum rc control_listen(const char *dir, int *ret_fd, int *ret_run, struct buf *why);
void control_unlisten(int fd, int run);

/* Whether the other end may steer; *ret_process is its process. */
bool control_peer_may(int fd, uint64_t *ret_process);

/* Connects. RC_NOT_FOUND: no crawl runs there; RC_LOCKED: it is another user's; RC_IO; `why`. */
MUST_CHECK enum rc control_connect(const char *dir, int *ret_fd, struct buf *why);

#endif
