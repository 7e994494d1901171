/* SPDX-License-Identifier: Apache-2.0 */
/* h2: HTTP/2 on one connection, bytes in, bytes out; nghttp2 stands behind this header.
 *
 * Answers come from the same function as HTTP/1.1's: an HTTP/1.1 reply without odd steps is turned
 * into a HEADERS frame and DATA frames. Steps that make no sense inside a stream (reset, hold, …)
 * end the stream with RST_STREAM(INTERNAL_ERROR); waits and drips are honoured by h2_wake_ms. */
#ifndef SERVE_H2_H
#define SERVE_H2_H

#include "faults/mood.h"
#include "wire/reply.h"
#include "wire/request.h"

struct h2;

struct h2_asks {
    /* Answers one request: fills the reply (which h2 owns) and returns a ticket. */
    uint64_t (*answer)(void *ctx, const struct request *q, struct reply *r);
    /* That answer has ended: all handed over, or the client cancelled it. `bytes` of body. */
    void (*ended)(void *ctx, uint64_t ticket, uint64_t bytes, bool whole);
    void *ctx;
    uint64_t endless_bytes; /* what a repetition without end (STEP_REPEAT) gives of one answer */
};

/* `mood` decides how it misbehaves. NULL without memory. */
struct h2 *h2_open(enum h2_mood mood, struct str sni, struct h2_asks asks);
void h2_close(struct h2 *h); /* tells `ended` for every stream still open */

/* Bytes from the client. RC_INVALID: a protocol error; what h2_give has still goes out, then the
 * connection is closed. */
MUST_CHECK enum rc h2_take(struct h2 *h, struct str bytes, uint64_t now_ms);

/* Appends bytes for the client, up to about `most`; nothing if there is nothing now. */
void h2_give(struct h2 *h, uint64_t now_ms, size_t most, struct buf *out);

/* When h2_give may have something without the client sending first; UINT64_MAX: never; 0: it has
 * more right now. */
uint64_t h2_wake_ms(const struct h2 *h);

/* Nothing more to say or hear: close. */
bool h2_is_over(const struct h2 *h);

#endif
