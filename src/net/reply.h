/* SPDX-License-Identifier: Apache-2.0 */
/* reply: reads one answer out of the bytes of a connection: interim heads, the head, the body.
 *
 *     reply_init(&r, &limits, false);
 *     state = reply_read(&r, everything_so_far);      as bytes come
 *     state = reply_end(&r, was_clean);               when no more will
 *
 * The caller keeps all bytes since the start of the answer in one piece, which may move and grow;
 * the reply remembers positions. What it says is the same however the bytes were cut. */
#ifndef NET_REPLY_H
#define NET_REPLY_H

#include "net/head.h"

struct reply_limits {
    uint64_t head_bytes; /* of all heads together */
    uint64_t line_bytes;
    uint64_t header_count; /* lines, of all heads together */
    uint64_t interim_most;
    uint64_t body_bytes; /* as it came, chunks and all */
};

enum reply_state {
    REPLY_MORE,
    REPLY_WHOLE,
    REPLY_TOO_LONG, /* the body is longer than `body_bytes` */
    REPLY_BROKEN,   /* the body ended before its end, or a chunk is none */
    REPLY_CLOSED,   /* the end came before the head was whole */
    REPLY_REFUSED,  /* no HTTP, or beyond a limit of the head */
};

struct reply {
    struct reply_limits limits;
    enum reply_state state;
    const char *why;
    bool to_head;
    bool is_h2;             /* text of net/h2.h: the body goes to the end, whatever the head says */
    bool in_body;           /* the head is whole */
    size_t head_at, head_n; /* the last head among the bytes */
    size_t body_n;          /* the body stands behind it */
    struct head head;       /* once in_body */
    struct framing framing;
    size_t at; /* read so far; bytes behind a whole answer are not part of it */
    /* private */
    size_t line_at;
    uint64_t lines, interims;
};

/* `to_head`: the request was HEAD. */
void reply_init(struct reply *r, const struct reply_limits *limits, bool to_head);

/* `all`: every byte since the start. */
enum reply_state reply_read(struct reply *r, struct str all);

/* The connection has ended: `clean` by FIN (and, over TLS, close_notify). */
enum reply_state reply_end(struct reply *r, bool clean);

/* Whether the connection may serve again: whole, the head allows it, nothing is left over of the
 * `all_bytes` that came. */
bool reply_keeps(const struct reply *r, size_t all_bytes);

#endif
