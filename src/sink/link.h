/* SPDX-License-Identifier: Apache-2.0 */
/* link: frames over TLS on a thread that may block: the agent's sender and each connection of the
 * archive machine have one of their own. Every wait ends, by a time limit or by `stop`. */
#ifndef SINK_LINK_H
#define SINK_LINK_H

#include "net/tls.h"
#include "sink/frame.h"

#include <stdatomic.h>

enum { SINK_LINK_DIAL_MS = 10000 }; /* for connecting, and for the handshake */

struct sink_link;

/* Connects to a name or address; `tls` accepts only its authority. RC_CLOSED: `why`. RC_AGAIN:
 * `stop`. */
MUST_CHECK enum rc sink_link_dial(struct tls *tls, const char *host, uint16_t port,
                                  const _Atomic bool *stop, struct sink_link **ret,
                                  struct buf *why);

/* Takes a socket that was accepted, also after a failure. RC_CLOSED: `why`. */
MUST_CHECK enum rc sink_link_accept(struct tls *tls, int fd, const _Atomic bool *stop,
                                    struct sink_link **ret, struct buf *why);

void sink_link_close(struct sink_link *l); /* accepts NULL */

/* Both wait at most `wait_ms` for the whole frame. RC_CLOSED: the other end is gone, or too slow
 * (sink_link_why). RC_AGAIN: `stop`. */
MUST_CHECK enum rc sink_link_say(struct sink_link *l, const struct sink_frame *f, uint64_t wait_ms);

/* RC_INVALID: no frame, or one longer than `max_bytes`. *ret is valid until the next hear. */
MUST_CHECK enum rc sink_link_hear(struct sink_link *l, size_t max_bytes, uint64_t wait_ms,
                                  struct sink_frame *ret);

/* Why it is closed; never NULL. */
const char *sink_link_why(const struct sink_link *l);

#endif
