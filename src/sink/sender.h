/* SPDX-License-Identifier: Apache-2.0 */
/* sender: one connection of an agent to the archive machine, and files that go over it whole, one
 * after the other, each from where the machine says that it is missing. */
#ifndef SINK_SENDER_H
#define SINK_SENDER_H

#include "disk/disk.h"
#include "sink/frame.h"
#include "sink/login.h"

#include <stdatomic.h>

enum { SINK_SENDER_WAIT_MS = 120000 }; /* for an answer, and between two WORKING */

struct sink_sender;

/* `login_file` is where `login` was read from: its authority is the only one believed. Both are
 * borrowed for the call. RC_CLOSED: nobody answers; RC_LOCKED: the login is refused; RC_AGAIN:
 * `stop`; `why`. */
MUST_CHECK enum rc sink_sender_open(const struct sink_login *login, const char *login_file,
                                    const _Atomic bool *stop, struct sink_sender **ret,
                                    struct buf *why);
void sink_sender_close(struct sink_sender *s); /* accepts NULL */

/* Sends a file; on RC_OK it lasts there. RC_CLOSED: the connection is over; a new one may go on.
 * RC_DISK_FULL, RC_EXISTS (other bytes have that name), RC_UNSUPPORTED (too large), RC_AGAIN (busy, the
 * bytes arrived wrong, or `stop`): refused, and the connection is still good. Any other: of the
 * disk here. `why` says more. *sent counts bytes as they are taken. */
MUST_CHECK enum rc sink_sender_put(struct sink_sender *s, struct disk *d, const char *path,
                                   enum sink_what what, struct str name, _Atomic uint64_t *sent,
                                   struct buf *why);

#endif
