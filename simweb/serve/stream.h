/* SPDX-License-Identifier: Apache-2.0 */
/* stream: bytes to and from one client, plain or TLS, never blocking.
 *
 * A stream owns its socket. RC_AGAIN means "not now": stream_wants_write() says whether the loop
 * has to wait for writability (TLS may want to write in order to read). */
#ifndef SERVE_STREAM_H
#define SERVE_STREAM_H

#include "base/str.h"

struct stream;

struct stream_kind {
    /* RC_OK with *ret_n > 0; RC_AGAIN; RC_CLOSED: orderly end; RC_IO: reset or broken. */
    enum rc (*read)(struct stream *s, char *to, size_t room, size_t *ret_n);
    enum rc (*write)(struct stream *s, struct str bytes, size_t *ret_n);
    bool (*wants_write)(const struct stream *s);
    /* An orderly end: close_notify (unless the mood says no) and FIN. Frees it. */
    void (*close)(struct stream *s);
    /* RST. Frees it. */
    void (*reset)(struct stream *s);
};

struct stream {
    const struct stream_kind *kind;
    int fd;
    bool is_tls;
    bool is_h2;      /* ALPN chose h2; known once the first read returned RC_OK */
    bool is_resumed; /* a TLS session of before; known likewise */
    struct str sni;  /* absent without TLS or SNI; the stream's own */
};

/* Takes the socket, which is non-blocking. NULL without memory (the socket is closed then). */
struct stream *stream_plain(int fd);

#endif
