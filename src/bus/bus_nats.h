/* SPDX-License-Identifier: Apache-2.0 */
/* bus_nats: the bus over nats-server with JetStream (2.9, libnats 3.4).
 *
 * An agent has two connections to the server on its own machine. One sends, in an account of its
 * own that imports only what the agent may send; one hears, as a user of the crawl's account that
 * may only subscribe and answer. That guarantees the writer's name in a subject (docs/cluster.md).
 * With a single login, one connection does both.
 *
 *   caller's thread        bus_append ... ─► libnats ─► server
 *   libnats' threads       copy nothing: the message itself goes into a bounded queue, a
 *                          descriptor is made readable, return (nats_mail.h)
 *   caller's thread        bus_poll hands it out
 *   a keeper per connection  (nats_link.h) connects, waits for the end of the connection, connects
 *                          again, for ever. The library's own reconnecting is off: it gives up
 *                          after two refusals, and sends messages late that were meant for the
 *                          former connection.
 *
 * A call blocks only while the local server does not read: at most 1.5 s, then the connection
 * counts as lost. Every call of a lost connection ends with RC_AGAIN.
 *
 * The writer of a stored message may have put any header into it, also those that the servers
 * append when it is read. Only the last header of a name is the servers' own, and only that one is
 * used. A message whose header cannot be read ends a get with RC_CORRUPT: the reader asks again
 * behind the number that it asked for.
 *
 * The servers get an id as a digest of the id, the subject and our password. Otherwise an agent
 * that guesses another's bytes could use up the other's id, and the servers would drop the other's
 * message as a repeat. */
#ifndef BUS_BUS_NATS_H
#define BUS_BUS_NATS_H

#include "base/log.h"
#include "bus/bus.h"

enum {
    BUS_NATS_HEARD_MAX = 4096,           /* messages of others that are not handed out yet; */
    BUS_NATS_HEARD_MAX_BYTES = 64 << 20, /* past either bound they are lost, and counted */
    BUS_NATS_MAX_LISTENS = 16,
    /* requests that are not answered; the oldest are forgotten first */
    BUS_NATS_MAX_REPLIES = 1024,
};

struct bus_nats_login {
    struct str user, password;
};

struct bus_nats_options {
    struct str url; /* "nats://127.0.0.1:4222" */
    struct bus_nats_login say;
    struct bus_nats_login hear; /* no user: the same login and connection as `say` */
    uint64_t timeout_ms;        /* of append and get; 0: 5 s */
    struct log *log;            /* borrowed; NULL: none */
};

struct bus_nats_counts {
    uint64_t connected;    /* times, of both connections */
    uint64_t heard_lost;   /* no room */
    uint64_t replies_lost; /* no room; their calls time out */
    uint64_t refused;      /* how often the server reported that something is not allowed */
};

/* Returns before anything is connected: BUS_UP says when. RC_NOMEM, RC_IO, RC_INVALID (no url or
 * user, or too long). */
MUST_CHECK enum rc bus_nats_open(const struct bus_nats_options *o, struct bus **ret);

struct bus_nats_counts bus_nats_counts(const struct bus *b);

/* Why the last attempt to connect failed, in the library's words; "no attempt has ended yet". */
const char *bus_nats_failure(const struct bus *b);

/* Ends the library's own threads. Call it once, when no bus is open and none will be opened. */
void bus_nats_end(void);

#endif
