/* SPDX-License-Identifier: Apache-2.0 */
/* control_log: the operator's requests to all agents, and the URLs that agents' seeds redirect to,
 * read in the servers' order.
 *
 * Each process reads the stream from its first message and keeps no cursor. Doing an entry again is
 * harmless (paused or not, another value, a known seed), so an agent that comes later or was away
 * ends up like the others, and an older disk that was put back forgets nothing. Only requests to
 * running agents (stop, drain) must not be done again: `is_old` says that the entry was there
 * before this process.
 *
 * Entries come one at a time: the next is read when the caller has done the last
 * (control_log_done). After a reconnection the last message is compared again. If the servers have
 * lost it, everything is read from the first message again, and entries that were old stay old.
 *
 * No I/O but the bus, no clock. The caller hands in the events whose ticket is
 * control_log_is_mine. */
#ifndef CLUSTER_WIRE_CONTROL_LOG_H
#define CLUSTER_WIRE_CONTROL_LOG_H

#include "bus/bus.h"

#include "base/buf.h"

enum {
    CONTROL_LOG_NAME_BYTES = 64,
    CONTROL_LOG_STREAM_BYTES = 160,
    CONTROL_LOG_LOST_MS = 10000, /* a last message that is not found for this long is lost */
};

/* All tickets of the control log have this bit, and no others. */
#define CONTROL_LOG_TICKET (UINT64_C(1) << 63)

struct control_entry {
    /* true: a request as the control socket takes it; false: a URL that joins the scope */
    bool is_operators;
    bool is_old; /* it was there before this process */
    char writer[CONTROL_LOG_NAME_BYTES + 1];
    uint64_t sequence;
    struct str text; /* valid until control_log_done */
};

struct control_log { /* the caller's memory; the fields are private */
    struct bus *bus;
    char stream[CONTROL_LOG_STREAM_BYTES];
    uint64_t poll_ms, due_ms;
    uint64_t serial, asked; /* of the open call; the sequence asked for */
    bool is_open, is_up, is_unsure, is_read, has_entry;
    uint64_t unsure_ms;
    uint64_t next, last, last_hash; /* sequence to read next; sequence and hash of the last one */
    uint64_t newest_ms;             /* stamp of the newest message that was ever read */
    uint64_t junk;
    struct control_entry entry;
    struct buf payload;
};

/* The bus is borrowed. RC_INVALID: the name of the crawl is not valid. */
MUST_CHECK enum rc control_log_init(struct control_log *l, struct bus *b, struct str crawl,
                                    uint64_t poll_ms);
void control_log_free(struct control_log *l);

/* For BUS_UP, BUS_DOWN, and BUS_DONE with such a ticket. */
static inline bool control_log_is_mine(uint64_t ticket)
{
    return (ticket & CONTROL_LOG_TICKET) != 0;
}
void control_log_event(struct control_log *l, const struct bus_event *e, uint64_t now_ms);

/* Asks for the next entry when it is due. */
void control_log_turn(struct control_log *l, uint64_t now_ms);

/* The entry to be done; NULL: none. */
const struct control_entry *control_log_entry(const struct control_log *l);
void control_log_done(struct control_log *l);

/* The log was read, and done, to its end once. */
bool control_log_is_read(const struct control_log *l);

#endif
