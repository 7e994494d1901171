/* SPDX-License-Identifier: Apache-2.0 */
/* control_socket: DIR/run/control.sock, by which the owner of a crawl, and nobody else, steers it.
 *
 * The folder is 0700 and the socket 0600, and who connects must be the crawl's user or root by the
 * kernel's word (SO_PEERCRED). A path of any length will do. */
#ifndef CLI_CONTROL_SOCKET_H
#define CLI_CONTROL_SOCKET_H

#include "base/buf.h"

/* Listens; a socket that a dead crawl left is replaced, so the crawl's lock must be held. *ret_run
 * is the folder, for control_unlisten. RC_INVALID (somebody else's folder), RC_IO; `why`. */
MUST_CHECK enum rc control_listen(const char *dir, int *ret_fd, int *ret_run, struct buf *why);
void control_unlisten(int fd, int run);

/* Whether the other end may steer. */
bool control_peer_may(int fd, uint64_t *ret_process);

/* Connects. RC_NOT_FOUND: no crawl runs there; RC_LOCKED: it is another user's; RC_IO; `why`. */
MUST_CHECK enum rc control_connect(const char *dir, int *ret_fd, struct buf *why);

#endif
