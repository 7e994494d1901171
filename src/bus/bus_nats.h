/* SPDX-License-Identifier: Apache-2.0 */
/* bus_nats: the bus over nats-server with JetStream (2.9, libnats 3.4).
 *
 * An agent has two connections to the server on its own machine: one speaks, in an account of its
 * own that imports only what the agent may say; one hears, as a user of the crawl's account that
 * may only subscribe and answer. That is what makes the writer in a subject true
 * (docs/cluster.md). With one login, one connection does both.
 *
 *   caller's thread        bus_append ... ─► libnats ─► server
 *   libnats' threads       copy nothing: the message itself goes into a bounded queue, a
 *                          descriptor is made readable, return (nats_mail.h)
 *   caller's thread        bus_poll hands it out
 *   a keeper per connection  (nats_link.h) connects, waits for the end of the connection, connects
 *                          again, for ever. The library's own reconnecting is off: it gives up
 *                          after two refusals, and sends late what was meant for the former one.
 *
 * A call waits only while the local server does not read: at most 1.5 s, then the connection
 * counts as lost. Every call of a lost connection ends with RC_AGAIN.
 *
 * What a stored message says of itself: whoever wrote it may have put any header into it, also
 * those that the servers put behind it when it is read. Only the last of a name is the servers'
 * own, and only that one is believed. A message whose header cannot be read at all ends a get with
 * RC_CORRUPT: the reader asks again behind the number that it asked for.
 *
 * An id goes to the servers as a digest of it, the subject and our password: else an agent that
 * guesses another's bytes could use up the other's id, and the other's message would be taken for
 * a repeat and dropped. */
#ifndef BUS_BUS_NATS_H
#define BUS_BUS_NATS_H

#include "base/log.h"
#include "bus/bus.h"

enum {
    BUS_NATS_HEARD_MAX = 4096,           /* messages said by others and not yet handed out, */
    BUS_NATS_HEARD_MAX_BYTES = 64 << 20, /* past either they are lost, and counted */
    BUS_NATS_MAX_LISTENS = 16,
    BUS_NATS_MAX_REPLIES = 1024, /* asked and not answered; the oldest are forgotten first */
};

struct bus_nats_login {
    struct str user, password;
};

struct bus_nats_options {
    struct str url; /* "nats://127.0.0.1:4222" */
    struct bus_nats_login say;
    struct bus_nats_login hear; /* absent user: as say, on the same connection */
    uint64_t timeout_ms;        /* of append and get; 0: 5 s */
    struct log *log;            /* borrowed; NULL: none */
};

struct bus_nats_counts {
    uint64_t connected;    /* times, of both connections */
    uint64_t heard_lost;   /* for want of room */
    uint64_t replies_lost; /* likewise; their calls end by time */
    uint64_t refused;      /* times the server said that something is not allowed */
};

/* Returns before anything is connected: BUS_UP says when. RC_NOMEM, RC_IO, RC_INVALID (no url or
 * user, or too long). */
MUST_CHECK enum rc bus_nats_open(const struct bus_nats_options *o, struct bus **ret);

struct bus_nats_counts bus_nats_counts(const struct bus *b);

/* Ends the library's own threads: once, when no bus is open and none will be. */
void bus_nats_end(void);

#endif
