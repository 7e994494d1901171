/* SPDX-License-Identifier: Apache-2.0 */
/* control_log: what the operator has said to all agents, and where agents found that seeds
 * redirect to, read in the servers' order.
 *
 * Each process reads the stream from its first message and keeps no cursor: what stands there is
 * harmless when it is done again (paused or not, another value, a seed that is known), so who comes
 * later or was away ends like the others, and a disk that was put back forgets nothing. Only what
 * is meant for those who run (stop, drain) must not be done again: `is_old` says that it was there
 * before us.
 *
 * One entry at a time: the next is asked for when the caller has done it (control_log_done). After
 * a reconnection the last message is looked at again; if the servers have lost it, everything is
 * read from the first again, as old as it was.
 *
 * No I/O but the bus, no clock. The caller hands in events whose ticket is control_log_is_mine. */
#ifndef CLUSTER_CONTROL_LOG_H
#define CLUSTER_CONTROL_LOG_H

#include "bus/bus.h"

#include "base/buf.h"

enum {
    CONTROL_LOG_NAME_BYTES = 64,
    CONTROL_LOG_STREAM_BYTES = 160,
    CONTROL_LOG_LOST_MS = 10000, /* a last message that is not found for so long is lost */
};

/* Tickets of the control log have this bit; nobody else's do. */
#define CONTROL_LOG_TICKET (UINT64_C(1) << 63)

struct control_entry {
    bool is_operators; /* a request as the control socket takes it; else a URL that joins the scope
                        */
    bool is_old;       /* it was there when we came */
    char writer[CONTROL_LOG_NAME_BYTES + 1];
    uint64_t sequence;
    struct str text; /* good until control_log_done */
};

struct control_log { /* the caller's memory; all fields are the control log's own */
    struct bus *bus;
    char stream[CONTROL_LOG_STREAM_BYTES];
    uint64_t poll_ms, due_ms;
    uint64_t serial, asked; /* of the call that is open; the number asked for */
    bool is_open, is_up, is_unsure, is_read, has_entry;
    uint64_t unsure_ms;
    uint64_t next, last, last_hash; /* to read; that was read */
    uint64_t newest_ms;             /* stamp of the newest that was ever read */
    uint64_t junk;
    struct control_entry entry;
    struct buf payload;
};

/* The bus is borrowed. RC_INVALID: the crawl's name. */
MUST_CHECK enum rc control_log_init(struct control_log *l, struct bus *b, struct str crawl,
                                    uint64_t poll_ms);
void control_log_free(struct control_log *l);

/* BUS_UP, BUS_DOWN, and BUS_DONE with such a ticket. */
static inline bool control_log_is_mine(uint64_t ticket)
{
    return (ticket & CONTROL_LOG_TICKET) != 0;
}
void control_log_event(struct control_log *l, const struct bus_event *e, uint64_t now_ms);

/* Asks for the next one, if it is time. */
void control_log_turn(struct control_log *l, uint64_t now_ms);

/* The one that waits to be done; NULL: none. */
const struct control_entry *control_log_entry(const struct control_log *l);
void control_log_done(struct control_log *l);

/* It was read, and done, to its end once. */
bool control_log_is_read(const struct control_log *l);

#endif
