/* SPDX-License-Identifier: Apache-2.0 */
/* nats_reply: reads the answers of the servers; bytes in, numbers out.
 *
 * An answer comes from a server, but any account may have written a message that is read: nothing
 * here trusts it. */
#ifndef BUS_NATS_REPLY_H
#define BUS_NATS_REPLY_H

#include "base/str.h"

enum { NATS_REPLY_MAX_BYTES = 64 << 10 };

struct nats_reply_ack {
    enum rc rc; /* as in bus_event: RC_OK, RC_AGAIN, RC_LIMIT, RC_INVALID */
    uint64_t sequence;
    bool is_repeat;
};

/* Reads the answer to an append: {"stream":"S","seq":7,"duplicate":true} or {"error":{...}}.
 * Anything else is RC_INVALID. */
struct nats_reply_ack nats_reply_ack_read(struct str json);

/* Reads the answer to a request of the servers' administration ($JS.API…): RC_OK, RC_EXISTS (a
 * stream of that name with other settings), or as above. *ret_why gets the server's words, cut to
 * `why_bytes` with its NUL. */
enum rc nats_reply_admin_read(struct str json, char *ret_why, size_t why_bytes);

/* "2026-11-16T17:49:53.602252008Z" as milliseconds since 1970. RC_INVALID. */
MUST_CHECK enum rc nats_reply_stamp_read(struct str text, uint64_t *ret_ms);

/* Whether the text can be a subject: tokens of printable bytes without white space, joined by dots,
 * at most BUS_MAX_SUBJECT_BYTES; `*` and a last `>` only if `wild`. */
bool nats_subject_is_good(struct str subject, bool wild);

/* A stream's name: letters, digits, '-', '_'. */
bool nats_stream_is_good(struct str name);

#endif
