/* SPDX-License-Identifier: Apache-2.0 */
/* post_reply: what the servers answer, read; bytes in, numbers out.
 *
 * An answer comes from a server, but a message that is read may have been written by anybody with
 * an account: nothing here trusts it. */
#ifndef BUS_POST_REPLY_H
#define BUS_POST_REPLY_H

#include "base/str.h"

enum { POST_REPLY_MAX_BYTES = 64 << 10 };

struct post_ack {
    enum rc rc; /* as in bus_event: RC_OK, RC_AGAIN, RC_LIMIT, RC_INVALID */
    uint64_t sequence;
    bool is_repeat;
};

/* The answer to an append: {"stream":"S","seq":7,"duplicate":true} or {"error":{...}}. What is no
 * such answer is RC_INVALID. */
struct post_ack post_ack_read(struct str json);

/* The answer to a request of the servers' administration ($JS.API…): RC_OK, RC_EXISTS (a stream of
 * that name with other settings), or as above; *ret_why gets what the server says, cut to
 * `why_bytes` with its NUL. */
enum rc post_admin_read(struct str json, char *ret_why, size_t why_bytes);

/* "2026-11-16T17:49:53.602252008Z" as milliseconds since 1970. RC_INVALID. */
MUST_CHECK enum rc post_stamp_read(struct str text, uint64_t *ret_ms);

/* Whether it can be a subject: tokens of printable bytes without white space, joined by dots, at
 * most BUS_MAX_SUBJECT_BYTES; `*` and a last `>` only if `wild`. */
bool post_subject_is_good(struct str subject, bool wild);

/* A stream's name: letters, digits, '-', '_'. */
bool post_stream_is_good(struct str name);

#endif
