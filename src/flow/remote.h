/* SPDX-License-Identifier: Apache-2.0 */
/* remote: connections that lead from one place to another. Private to the framework.
 *
 * wiring_cut() puts a part at each end of such a connection: `out` where it begins, `in` where it
 * leads. The components beside them cannot tell. One provider for the process listens and has what
 * all ends share.
 *
 *   place A                                              place B
 *   x ─► out: keeps the message, sends a copy ──link──►  in: a source of copies ─► y
 *            ends it when it hears            ◄─────────  "ended": with all derived from it
 *
 * A message that was sent away stays here with its credits until the other place says that its copy
 * has ended there, with everything that descends from it. So a source's credits bound what is under
 * way at all places together, and a source with all credits back has nothing under way anywhere. A
 * copy charges what it carries to an account of its own (struct copy); when all of that has come
 * back, the copy has ended.
 *
 * A copy that goes on to a third place takes along where it comes from (struct home). One that
 * comes back home is put into the message that stayed there, which goes on in its place, and keeps
 * its credits: so the parts at home find what they had put into it. The first to come back counts;
 * others, which a restarted place has made, find no message waiting and end. Derived messages are
 * at home where they were made.
 *
 * Links. The out dials the place of the in, for ever. It names its place (hello) and is told what
 * has come through (welcome); then it sends all that was not, in order. Both ends have a session, a
 * random number for the life of a process. An in that meets another session of the same place turns
 * it away until all that came from the one before has ended. An in that has restarted knows of
 * nothing, and gets all again that has not ended.
 *
 * One shard: everything here runs on one thread. */
#ifndef FLOW_REMOTE_H
#define FLOW_REMOTE_H

#include "flow/flow_internal.h"
#include "flow/reception.h"

/* Where a message stayed behind. */
struct home {
    uint16_t place;
    uint16_t cut; /* of which connection */
    uint64_t session;
    uint64_t ticket; /* 1, 2, … in the order of sending */
};

/* What a copy's origin leads to, whichever kind of connection brought it. */
struct copy_head {
    struct credit_account account; /* first, so that a message's origin leads here */
    struct home home;              /* zeroed at a member of a pool: there is no third place */
    /* NULL: it may always go on. */
    bool (*may_go_on)(const struct copy_head *c, uint64_t now_ms);
};

static inline struct copy_head *copy_of(const struct message *m)
{
    return (struct copy_head *)(void *)m->origin;
}

/* remote_internal.c: the frames. Frames are read whole, or refused (RC_INVALID). */
enum frame_kind {
    FRAME_HELLO = 1, /* out → in, first */
    FRAME_WELCOME,   /* in → out, first */
    FRAME_REFUSED,   /* in → out instead: a text */
    FRAME_MESSAGE,   /* out → in */
    FRAME_ENDED,     /* in → out: tickets */
    FRAME_OVER,      /* out → in: the whole flow is */
};

struct hello {
    uint32_t abi;
    uint64_t wiring; /* a digest of it, the same at all places */
    uint16_t from, to, cut;
    uint64_t session;
};

struct welcome {
    uint64_t session;
    uint64_t last;   /* the last ticket that came through, of the session in the hello */
    struct str open; /* of those up to it that have not ended: 8 bytes each */
};

struct remote_head {
    uint64_t ticket;
    struct home home;
    uint64_t route;
    uint32_t credits;
};
enum { REMOTE_MAX_CREDITS = 1 << 30 };

uint8_t frame_kind(struct str frame); /* 0: an empty frame */
void hello_write(const struct hello *h, struct buf *out);
MUST_CHECK enum rc hello_read(struct str frame, struct hello *ret);
void welcome_write_head(const struct welcome *w, struct buf *out); /* then come the open ones */
MUST_CHECK enum rc welcome_read(struct str frame, struct welcome *ret);
void remote_head_write(const struct remote_head *h, struct buf *out); /* then comes the message */
MUST_CHECK enum rc remote_head_read(struct str frame, struct remote_head *ret,
                                    struct str *ret_message);

/* What wiring_cut() gives to the parts. */
struct remote_settings {
    const struct wiring_place *places;
    unsigned place_count, here;
    unsigned home;   /* where the sources are */
    uint64_t wiring; /* the digest */
    struct str secret;
    bool has_sources;
};
struct remote_end_settings {
    unsigned cut, peer; /* number of the connection in the whole wiring; the other place */
    const struct message_type *type;
};
extern const struct part part_remote, part_remote_out, part_remote_in;

/* remote.c: the provider. */
struct remote_out;
struct remote_in;
struct remote {
    struct instance *self;
    const struct remote_settings *settings;
    struct link_context *links;
    uint64_t session;
    struct reception reception;
    struct remote_out *outs; /* lists of those that are open */
    struct remote_in *ins;
    bool is_over; /* another place has said so */
};

/* remote_in.c: the link of a guest that said hello to this in; its fields are moved. */
struct remote_in *remote_in_find(struct remote *r, const struct hello *h);
void remote_in_take(struct remote_in *in, struct link *from, const struct hello *h);
void remote_in_over(struct remote *r); /* lets all ins come to their end */

/* remote_out.c */
/* The message that stayed, given away with its credits, or NULL: it is not waiting any more. */
struct message *remote_out_take_back(struct remote *r, const struct home *home);

/* Of a message that came from another place: where it stayed. NULL: it was made here. */
const struct home *remote_home(const struct message *m);

#endif
