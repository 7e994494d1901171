/* SPDX-License-Identifier: Apache-2.0 */
/* sender: one connection of an agent to the archive machine. It sends whole files, one after the
 * other, each from the offset that the machine gives. */
#ifndef SINK_SENDER_H
#define SINK_SENDER_H

#include "disk/disk.h"
#include "sink/frame.h"
#include "sink/login.h"

#include <stdatomic.h>

enum { SINK_SENDER_WAIT_MS = 120000 }; /* for an answer, and between two WORKING */

struct sink_sender;

/* `login_file` is the file that `login` was read from: only its authority is accepted. Both are
 * borrowed for the call. RC_CLOSED: no answer; RC_LOCKED: the login is refused; RC_AGAIN: `stop`;
 * `why`. */
MUST_CHECK enum rc sink_sender_open(const struct sink_login *login, const char *login_file,
                                    const _Atomic bool *stop, struct sink_sender **ret,
                                    struct buf *why);
void sink_sender_close(struct sink_sender *s); /* accepts NULL */

/* Sends a file; on RC_OK it is durable there. RC_CLOSED: the connection is over; a new one may
 * continue. RC_DISK_FULL, RC_EXISTS (another file has that name), RC_UNSUPPORTED (too large),
 * RC_AGAIN (busy, the bytes arrived wrong, or `stop`): refused, and the connection is still
 * good. Any other code comes from the disk here. `why` says more. *sent counts bytes as they are
 * taken. */
MUST_CHECK enum rc sink_sender_put(struct sink_sender *s, struct disk *d, const char *path,
                                   enum sink_what what, struct str name, _Atomic uint64_t *sent,
                                   struct buf *why);

#endif
