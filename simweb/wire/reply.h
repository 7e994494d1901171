/* SPDX-License-Identifier: Apache-2.0 */
/* reply: what to do to a connection, step by step. A page is one step; a fault is a few.
 *
 *     reply_send(r, STR("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"));
 *     reply_wait(r, 3000);
 *     reply_reset(r);
 *
 * The bytes of all steps stand one behind the other in `bytes`, so a page is written straight into
 * it. When the steps are through and the last was none of close, reset and hold, the connection is
 * ready for its next request if `keep_alive`, else it is closed. Failures (no memory, too many
 * steps) stick in bytes.rc; the server then closes the connection and says so in its log. */
#ifndef WIRE_REPLY_H
#define WIRE_REPLY_H

#include "base/buf.h"

enum reply_limits {
    REPLY_MAX_BYTES = 256 * 1024 * 1024, /* memory of one reply; longer ones repeat */
    REPLY_MAX_STEPS = 64,
};

enum step_kind {
    STEP_SEND,   /* the next `bytes` */
    STEP_DRIP,   /* the next `bytes`, `chunk` of them every `ms` */
    STEP_REPEAT, /* the next `bytes`, `times` over; 0 = until the client goes, at most the server's
                    own limit (--endless) */
    STEP_WAIT,   /* `ms` of silence */
    STEP_CLOSE,  /* an orderly end (FIN; with TLS close_notify, unless the host's mood says no) */
    STEP_RESET,  /* RST */
    STEP_HOLD,   /* nothing ever again: until the client goes or --patience is over */
};

struct step {
    enum step_kind kind;
    size_t bytes;
    size_t chunk;
    uint64_t times;
    uint64_t ms;
};

struct reply {
    struct buf bytes;
    struct step steps[REPLY_MAX_STEPS];
    uint32_t step_count;
    bool keep_alive;
    uint16_t status;     /* for the witness */
    uint64_t backoff_ms; /* the reply asks its host to be left alone that long; 0 = it does not */
};

void reply_init(struct reply *r);  /* once; keep_alive is true */
void reply_clear(struct reply *r); /* ready for the next, memory kept */
void reply_done(struct reply *r);

/* Each adds a step, or grows the last one where that is the same. */
void reply_send(struct reply *r, struct str bytes);
void reply_sendf(struct reply *r, const char *format, ...) PRINTF_LIKE(2, 3);
void reply_drip(struct reply *r, struct str bytes, size_t chunk, uint64_t every_ms);
void reply_repeat(struct reply *r, struct str bytes, uint64_t times);
void reply_wait(struct reply *r, uint64_t ms);
void reply_close(struct reply *r);
void reply_reset(struct reply *r);
void reply_hold(struct reply *r);

/* For bodies rendered in place: append to r->bytes directly between these two. */
size_t reply_begin(struct reply *r);
void reply_end(struct reply *r, size_t begun);

/* A whole plain answer: status line, Content-Type, Content-Length, `more` header lines (each with
 * its CR LF, may be empty), body. For answers that are not in themselves odd. */
void reply_page(struct reply *r, uint16_t status, const char *type, struct str more,
                struct str body);

/* What answers HEAD: the page that was added last, without the `bytes` of its body. */
void reply_drop_body(struct reply *r, size_t bytes);

/* "OK" for 200. */
const char *status_text(uint16_t status);

/* "Mon, 16 Nov 2026 10:00:00 GMT" */
void buf_http_date(struct buf *b, uint64_t wall_ms);

/* Milliseconds since 1970 of a date in any of the three forms; RC_INVALID. */
MUST_CHECK enum rc http_date_read(struct str text, uint64_t *ret_wall_ms);

#endif
