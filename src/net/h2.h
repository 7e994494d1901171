/* SPDX-License-Identifier: Apache-2.0 */
/* h2: HTTP/2 on one connection, our side, one request after another; bytes in, bytes out, no I/O.
 * nghttp2 stands behind this header.
 *
 *     h2_ask(h, request);                             a head of HTTP/1.1
 *     write h2_pending(h), then h2_wrote(h, n);       whenever there is something
 *     state = h2_take(h, bytes, to, room, &n);        what the server sent
 *     n = h2_give(h, to, room);                       text that did not fit, before the next bytes
 *
 * What comes out is text as HTTP/1.1 would have it: "HTTP/1.1 200 ", the fields in their order, an
 * empty line, then the body without frames; 1xx heads stand in front, trailers are left out. It
 * ends with the state, not with a length.
 *
 * Limits: heads and trailers of an answer have at most `head_bytes` as text and `header_count`
 * fields, so that what HPACK unfolds stays small; H2_SPARE_FRAMES frames that bring no byte of a
 * body may come, and one more for each that does; what we owe the server stays under
 * H2_PENDING_BYTES; windows are H2_WINDOW_BYTES. The result is the same however the bytes are cut:
 * frames are handed on one by one, and what they make us say is said between them. */
#ifndef NET_H2_H
#define NET_H2_H

#include "base/str.h"

enum {
    H2_TAKE_BYTES = 16 << 10, /* at a time; a record of TLS */
    H2_SPARE_FRAMES = 256,
    H2_PENDING_BYTES = 128 << 10,
    H2_WINDOW_BYTES = 1 << 20,
};

struct h2_limits {
    uint64_t head_bytes, header_count;
};

enum h2_state {
    H2_IDLE,   /* nothing has been asked */
    H2_ASKED,  /* the answer is on its way */
    H2_ENDED,  /* it is whole */
    H2_UNSEEN, /* the server says that it has not looked at the request */
    H2_RESET,  /* the answer was broken off, or its fields or length are wrong */
    H2_BROKEN, /* the connection breaks the rules, or a limit */
    H2_NOMEM,
};

struct h2;

/* NULL without memory. */
struct h2 *h2_open(const struct h2_limits *limits);
void h2_close(struct h2 *h);

/* Nothing is under way, nothing is left over, and the server has not sent GOAWAY. */
bool h2_may_ask(const struct h2 *h);

/* H2_ASKED, or H2_UNSEEN, H2_BROKEN, H2_NOMEM at once. `request` may go. */
enum h2_state h2_ask(struct h2 *h, struct str request);

/* Takes up to H2_TAKE_BYTES, and nothing any more once the state is past H2_ENDED. *ret_n bytes of
 * text stand at `to`; more may be waiting for h2_give(). */
enum h2_state h2_take(struct h2 *h, struct str bytes, char *to, size_t room, size_t *ret_n);
size_t h2_give(struct h2 *h, char *to, size_t room);

/* The rest of the answer is not wanted: the stream is reset, unless it has ended, and text that
 * waits is dropped. What the server had sent of it already is passed over as it comes. */
void h2_leave(struct h2 *h);

/* The connection has ended. An answer under way stays H2_ASKED; it becomes H2_BROKEN if the server
 * sent GOAWAY instead. */
enum h2_state h2_end(struct h2 *h);

/* What is to be sent, borrowed until the next call; h2_wrote() takes `n` bytes off its front. */
struct str h2_pending(const struct h2 *h);
void h2_wrote(struct h2 *h, size_t n);

enum h2_state h2_state(const struct h2 *h);
bool h2_has_head(const struct h2 *h);   /* the final one is whole */
const char *h2_why(const struct h2 *h); /* past H2_ENDED; constant text */

#endif
