/* SPDX-License-Identifier: Apache-2.0 */
/* bus: how agents of one crawl reach each other: a replicated post office that holds streams of
 * messages, and carries what need not be kept.
 *
 *   say      to all listeners; may be lost, delayed, doubled          heartbeats
 *   append   to the stream that keeps the subject; acknowledged       roster, inboxes, outcomes
 *   get      the first message of a stream at or behind a number      reading, without consumers
 *   ask      one listener answers, or none does                       status, url, bundles
 *
 * Nothing here waits. A call only begins something; what comes of it is an event that bus_poll
 * hands out on the caller's thread. Calls that have an end carry the caller's `ticket`, and each
 * ends with exactly one BUS_DONE, whatever happens to the connection (RC_AGAIN then: it may have
 * happened or not). Bounds: BUS_MAX_* below; past BUS_MAX_OPEN, and while there is no connection, a
 * call gives RC_AGAIN and begins nothing; too large or not a subject: RC_INVALID.
 *
 * The kinds: nats (bus_nats.h, the only file that includes the library) and simulated (bus_sim.h).
 * No compare-and-set exists here on purpose: on these servers it is not atomic. */
#ifndef BUS_BUS_H
#define BUS_BUS_H

#include "base/rc.h"
#include "base/str.h"

enum {
    BUS_MAX_PAYLOAD_BYTES = 768 << 10, /* of one message; a server takes 1 MB with its headers */
    BUS_MAX_SUBJECT_BYTES = 512,
    BUS_MAX_OPEN = 1024, /* calls that have not ended */
};

enum bus_event_kind {
    BUS_UP,    /* connected, at first or again: what was heard before may have holes */
    BUS_DOWN,  /* the connection is gone; it is tried again for ever */
    BUS_HEARD, /* somebody said something on a subject that is listened to */
    BUS_ASKED, /* somebody asks: bus_answer with `reply`, once, or never */
    BUS_DONE,  /* a call of ours has ended */
};

struct bus_event {
    enum bus_event_kind kind;
    uint64_t ticket; /* of BUS_DONE */
    /* Of BUS_DONE: RC_OK; RC_AGAIN: no answer in time, no leader, no such stream, nobody who may be
     * asked (over accounts the servers say none of these, they are silent), connection lost: it may
     * have happened; RC_NOT_FOUND: no message there (of get: perhaps only on a server that lags),
     * nobody to ask, where the servers say so; RC_LIMIT: the stream is full; RC_INVALID: refused;
     * RC_CORRUPT (get): there is a message that cannot be read: ask behind the number asked for. */
    enum rc rc;
    uint64_t sequence; /* append: where it stands; get: of the message */
    uint64_t stamp_ms; /* get: the server's wall clock when it was appended */
    bool is_repeat;    /* append: the stream has had this id lately, and took no second copy */
    struct str subject, payload; /* get, HEARD, ASKED, ask's answer; borrowed until poll returns */
    uint64_t reply;              /* of BUS_ASKED */
};

struct bus;
struct bus_ops {
    const char *name;
    void (*close)(struct bus *b);
    enum rc (*listen)(struct bus *b, struct str subject);
    enum rc (*say)(struct bus *b, struct str subject, struct str payload);
    enum rc (*append)(struct bus *b, uint64_t ticket, struct str subject, uint64_t id,
                      struct str payload);
    enum rc (*get)(struct bus *b, uint64_t ticket, struct str stream, uint64_t sequence,
                   struct str subject);
    enum rc (*ask)(struct bus *b, uint64_t ticket, struct str subject, struct str payload,
                   uint64_t timeout_ms);
    enum rc (*answer)(struct bus *b, uint64_t reply, struct str payload);
    size_t (*poll)(struct bus *b, void (*each)(void *ctx, const struct bus_event *e), void *ctx,
                   size_t most);
    int (*fd)(struct bus *b);
    void (*anew)(struct bus *b); /* optional */
};
struct bus {
    const struct bus_ops *ops;
};

/* Accepts NULL. Calls that are open end without an event. */
static inline void bus_close(struct bus *b)
{
    if (b)
        b->ops->close(b);
}

/* From now on BUS_HEARD and BUS_ASKED come of that subject (one "*" stands for one token, ">" at
 * the end for the rest); also after a reconnection. RC_AGAIN, RC_NOMEM, RC_INVALID. */
MUST_CHECK static inline enum rc bus_listen(struct bus *b, struct str subject)
{
    return b->ops->listen(b, subject);
}

/* RC_OK does not mean that anybody heard it. */
MUST_CHECK static inline enum rc bus_say(struct bus *b, struct str subject, struct str payload)
{
    return b->ops->say(b, subject, payload);
}

/* `id` is the hash of the bytes: who appends the same bytes again within the servers' window gets
 * the first copy's sequence. An optimisation only: merging is idempotent. */
MUST_CHECK static inline enum rc bus_append(struct bus *b, uint64_t ticket, struct str subject,
                                            uint64_t id, struct str payload)
{
    return b->ops->append(b, ticket, subject, id, payload);
}

/* The first message at or behind `sequence` whose subject matches ("" = any). */
MUST_CHECK static inline enum rc bus_get(struct bus *b, uint64_t ticket, struct str stream,
                                         uint64_t sequence, struct str subject)
{
    return b->ops->get(b, ticket, stream, sequence, subject);
}

MUST_CHECK static inline enum rc bus_ask(struct bus *b, uint64_t ticket, struct str subject,
                                         struct str payload, uint64_t timeout_ms)
{
    return b->ops->ask(b, ticket, subject, payload, timeout_ms);
}

MUST_CHECK static inline enum rc bus_answer(struct bus *b, uint64_t reply, struct str payload)
{
    return b->ops->answer(b, reply, payload);
}

/* Hands out at most `most` events; how many there were. */
static inline size_t bus_poll(struct bus *b, void (*each)(void *ctx, const struct bus_event *e),
                              void *ctx, size_t most)
{
    return b->ops->poll(b, each, ctx, most);
}

/* For whoever has reason to think that it is connected and does not hear: what is listened by is
 * given up and made anew, and BUS_DOWN and BUS_UP come. */
static inline void bus_anew(struct bus *b)
{
    if (b->ops->anew)
        b->ops->anew(b);
}

/* Readable while there may be events; -1: the caller's own loop delivers them (simulated). */
static inline int bus_fd(struct bus *b)
{
    return b->ops->fd(b);
}

#endif
