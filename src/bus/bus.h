/* SPDX-License-Identifier: Apache-2.0 */
/* bus: how agents of one crawl reach each other. Replicated NATS servers hold streams of messages,
 * and carry messages that need not be kept.
 *
 *   say      to all listeners; may be lost, delayed, doubled          heartbeats
 *   append   to the stream that keeps the subject; acknowledged       roster, inboxes, outcomes
 *   get      the first message of a stream at or behind a number      reading, without consumers
 *   ask      one listener answers, or none does                       status, url, bundles
 *
 * No call blocks. A call only begins something; its result is an event that bus_poll hands out on
 * the caller's thread. Calls that have an end carry the caller's `ticket`, and each ends with
 * exactly one BUS_DONE, whatever happens to the connection (then with RC_AGAIN: the call may have
 * had its effect or not). The bounds are BUS_MAX_* below. Past BUS_MAX_OPEN, and while there is no
 * connection, a call returns RC_AGAIN and begins nothing. A payload that is too large, or a bad
 * subject: RC_INVALID.
 *
 * There are two kinds: nats (bus_nats.h; only its files include the library) and simulated
 * (bus_sim.h). There is no compare-and-set on purpose: on these servers it is not atomic. */
#ifndef BUS_BUS_H
#define BUS_BUS_H

#include "base/rc.h"
#include "base/str.h"

enum {
    BUS_MAX_PAYLOAD_BYTES = 768 << 10, /* of one message; a server accepts 1 MB with headers */
    BUS_MAX_SUBJECT_BYTES = 512,
    BUS_MAX_OPEN = 1024, /* calls that have not ended */
};

enum bus_event_kind {
    BUS_UP,    /* connected, for the first time or again: messages may have been missed before */
    BUS_DOWN,  /* the connection is lost; the bus tries again for ever */
    BUS_HEARD, /* a message on a subject that is listened to */
    BUS_ASKED, /* a request: bus_answer with `reply` at most once */
    BUS_DONE,  /* a call has ended */
};

struct bus_event {
    enum bus_event_kind kind;
    uint64_t ticket; /* of BUS_DONE */
    /* Of BUS_DONE. RC_OK. RC_AGAIN: no answer in time, no leader, no such stream, no listener
     * (between accounts the servers report none of these and stay silent), or the connection was
     * lost; the call may have had its effect. RC_NOT_FOUND: no such message (for a get perhaps only
     * on a server that lags), or no listener, where the servers report it. RC_LIMIT: the stream is
     * full. RC_INVALID: refused. RC_CORRUPT (get): there is a message that cannot be read; ask
     * behind the number asked for. */
    enum rc rc;
    uint64_t sequence; /* append: the message's number; get: the number of the message found */
    uint64_t stamp_ms; /* get: the server's wall clock when it was appended */
    bool is_repeat;    /* append: the stream has lately had this id, and took no second copy */
    /* of get, HEARD, ASKED and an answer; borrowed until poll returns */
    struct str subject, payload;
    uint64_t reply; /* of BUS_ASKED */
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

/* Accepts NULL. Open calls end without an event. */
static inline void bus_close(struct bus *b)
{
    if (b)
        b->ops->close(b);
}

/* From now on BUS_HEARD and BUS_ASKED come for that subject, also after a reconnection. A "*"
 * stands for one token, ">" at the end for the rest. RC_AGAIN, RC_NOMEM, RC_INVALID. */
MUST_CHECK static inline enum rc bus_listen(struct bus *b, struct str subject)
{
    return b->ops->listen(b, subject);
}

/* RC_OK does not mean that a listener heard it. */
MUST_CHECK static inline enum rc bus_say(struct bus *b, struct str subject, struct str payload)
{
    return b->ops->say(b, subject, payload);
}

/* `id` is the hash of the bytes. An append of the same bytes within the servers' window returns the
 * sequence of the first copy. That is only an optimisation: merging is idempotent. */
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

/* Hands out at most `most` events; returns how many. */
static inline size_t bus_poll(struct bus *b, void (*each)(void *ctx, const struct bus_event *e),
                              void *ctx, size_t most)
{
    return b->ops->poll(b, each, ctx, most);
}

/* For a caller that is connected but does not hear: closes the hearing connection and makes it
 * anew. BUS_DOWN and BUS_UP come. */
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
