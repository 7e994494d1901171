/* SPDX-License-Identifier: Apache-2.0 */
/* link: frames between two machines that have a secret in common.
 *
 * TCP with TLS 1.3, whose key is the secret (RFC 8446, 2.2: a pre-shared key, with ECDHE): each end
 * proves to the other that it knows the secret, a third party can neither read nor write, and
 * recorded traffic stays unreadable even if the secret leaks later. There are no certificates, so
 * there is nothing to sign, to name or to expire. An end that has the secret is trusted with
 * everything. Where each of many has a secret of its own, the secret has a name: the end that
 * accepts then knows which one came.
 *
 * Nothing here waits. `happened` is called from the loop whenever there may be frames, room or an
 * end; it may close the link. Frames come whole and in order, or the link is gone. */
#ifndef NET_LINK_H
#define NET_LINK_H

#include "base/buf.h"
#include "base/event.h"
#include "net/address.h"

enum {
    LINK_MIN_SECRET_BYTES = 32,
    LINK_MAX_SECRET_BYTES = 1024,
    LINK_MAX_NAME_BYTES = 32,
    LINK_MAX_FRAME_BYTES = 512 << 20,
    LINK_BACKLOG_BYTES = 256 << 10, /* past it nothing more should be put, or is read */
};

struct digest;
struct loop;
struct link_context;

/* RC_INVALID: a secret of another length than between the two above. */
MUST_CHECK enum rc link_context_open(struct str secret, struct link_context **ret);
/* To dial an end that has keys by name. RC_INVALID also for the length of the name. */
MUST_CHECK enum rc link_context_open_named(struct str name, struct str secret,
                                           struct link_context **ret);
/* To accept those whose name has a key (link_key() of its secret). `find` is asked in each handshake;
 * false: there is none. */
struct link_keys {
    bool (*find)(void *ctx, struct str name, struct digest *ret_key);
    void *ctx;
};
MUST_CHECK enum rc link_context_open_keys(struct link_keys keys, struct link_context **ret);
MUST_CHECK enum rc link_key(struct str secret, struct digest *ret);
void link_context_close(struct link_context *c); /* no link is open */

/* "127.0.0.1:7001" or "[::1]:7001": an address, no name. RC_INVALID. */
struct link_address {
    struct address address;
    uint16_t port;
};
MUST_CHECK enum rc link_address_read(struct str text, struct link_address *ret);

/* A listening socket for loop_watch; RC_IO with errno as it was left. */
MUST_CHECK enum rc link_listen(const struct link_address *at, int *ret_fd);

struct link {
    void (*happened)(struct link *l);
    void *owner; /* the caller's */
    /* Most bytes of a frame that it receives; 0: LINK_MAX_FRAME_BYTES. The caller may change it. */
    size_t frame_bytes;
    /* The rest is the link's. */
    struct link_context *context;
    struct loop *loop;
    struct watch watch;
    void *tls;
    struct buf in, out;
    size_t in_at, out_at; /* bytes that were handed out, bytes that were sent */
    uint64_t received;    /* bytes, since it was opened */
    unsigned events;
    bool is_gone, is_proven, wants_write;
    const char *why; /* the reason, once the link is gone */
    char name[LINK_MAX_NAME_BYTES +
              1]; /* of the other end's key, once it is proven; "": it has none */
};

/* The caller's memory, zeroed but for happened and owner. Dialling begins a connection; accepting
 * takes the next one that waits at `listen_fd` (RC_AGAIN: none). A link that was not opened, or
 * that failed to, may be closed. */
MUST_CHECK enum rc link_dial(struct link *l, struct link_context *c, struct loop *loop,
                             const struct link_address *to);
MUST_CHECK enum rc link_accept(struct link *l, struct link_context *c, struct loop *loop,
                               int listen_fd);
void link_close(struct link *l);

/* Moves a link to another thread's loop: leave on the old thread, enter on the new one. Nothing else is
 * called between the two, but link_close() on the thread that holds it. */
void link_leave(struct link *l);
MUST_CHECK enum rc link_enter(struct link *l, struct loop *loop);

/* The next frame, borrowed until the next call for this link; false: none is whole yet. */
bool link_next(struct link *l, struct str *ret_frame);
/* Whether the first part of a frame is here that link_next would give. */
bool link_has_frame(const struct link *l);

/* Appends a frame, of pieces one behind the other. Never refuses while the link stands; a link that
 * finds no memory is gone. What was put goes out together at the next flush: a small frame costs
 * far less than a call to the system. */
void link_put(struct link *l, const struct str *pieces, size_t count);
void link_flush(struct link *l);

/* Bytes that were put and have not been taken by the system. */
static inline size_t link_backlog(const struct link *l)
{
    return l->out.n - l->out_at;
}

/* Reads on, after frames were taken. */
void link_pump(struct link *l);

/* Ends the link in order: sends the frames that are left, then the end of the stream, and waits
 * until the other end has closed too, at most `most_ms`. Only link_close() may follow. It blocks,
 * so no shard's thread may call it. */
void link_finish(struct link *l, int most_ms);

#endif
