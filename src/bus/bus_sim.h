/* SPDX-License-Identifier: Apache-2.0 */
/* bus_sim: simulated NATS servers: streams, connections and all their faults, from one seed and on
 * the caller's time.
 *
 *     struct nats_sim *o = nats_sim_open(seed);
 *     nats_sim_stream(o, STR("ORB_c_ant"), STR("orb.c.j.ant."));
 *     struct bus *b = nats_sim_connect(o);            BUS_UP comes as the first event
 *     ... nats_sim_next_ms(o), nats_sim_step(o, now) deliver; bus_poll(b) hands out
 *
 * Requests and answers travel for some milliseconds, each for its own time, so they overtake each
 * other. By chance (struct nats_sim_odds) a request or an acknowledgement is lost, a request
 * arrives long after its caller has given up, a server that lags answers a get, a message to
 * listeners is lost, doubled or late. On request (nats_sim_cut, nats_sim_lag, nats_sim_no_leader,
 * nats_sim_power_cut, nats_sim_wipe) connections break, there is no leader, a server lags for long,
 * the servers lose the ends of streams, or all streams. Every kind of fault is counted where it
 * happens. */
#ifndef BUS_BUS_SIM_H
#define BUS_BUS_SIM_H

#include "bus/bus.h"

/* In a thousand. */
struct nats_sim_odds {
    unsigned request_lost, ack_lost, slow, stale, say_lost, say_doubled, say_late;
};

enum nats_sim_fault {
    NATS_SIM_REQUEST_LOST,
    NATS_SIM_ACK_LOST,
    NATS_SIM_SLOW,
    NATS_SIM_STALE,
    NATS_SIM_LAGS,
    NATS_SIM_SAY_LOST,
    NATS_SIM_SAY_DOUBLED,
    NATS_SIM_SAY_LATE,
    NATS_SIM_REORDERED,
    NATS_SIM_REPEAT,
    NATS_SIM_CUT,
    NATS_SIM_NO_LEADER,
    NATS_SIM_POWER_CUT,
    NATS_SIM_WIPE,
    NATS_SIM_OTHER_COPY,
    NATS_SIM_FAULTS
};
extern const char *const nats_sim_fault_names[NATS_SIM_FAULTS];

struct nats_sim_message {
    uint64_t stamp_ms, id;
    struct str subject, payload;
};

struct nats_sim;
struct nats_sim *nats_sim_open(uint64_t seed, uint64_t wall_ms);
void nats_sim_close(struct nats_sim *o); /* after all its connections */
void nats_sim_set_odds(struct nats_sim *o, const struct nats_sim_odds *odds);
const uint64_t *nats_sim_faults(const struct nats_sim *o); /* [NATS_SIM_FAULTS] */

/* Makes a stream that keeps every subject with this prefix. Returns its number; -1: no memory. */
int nats_sim_stream(struct nats_sim *o, struct str name, struct str prefix);
uint64_t nats_sim_length(const struct nats_sim *o, int stream);
const struct nats_sim_message *nats_sim_at(const struct nats_sim *o, int stream, uint64_t sequence);
/* `taken` is called for every message that a stream has taken. */
void nats_sim_watch(struct nats_sim *o, void (*taken)(void *ctx, int stream, uint64_t sequence),
                    void *ctx);
/* Appends as an operator, at once. */
MUST_CHECK enum rc nats_sim_append(struct nats_sim *o, struct str subject, struct str payload,
                                   uint64_t now_ms);

struct bus *nats_sim_connect(struct nats_sim *o, uint64_t now_ms); /* NULL: no memory */
/* The caller's own pointer: it tells which bus nats_sim_step returned. */
void nats_sim_set_owner(struct bus *b, void *owner);
void *nats_sim_owner(struct bus *b);
/* For many connections: a message to listeners that is not delayed is no event for each of a
 * thousand listeners, but waits until they poll for another reason. It may be lost, doubled and
 * late as before. */
void nats_sim_gather(struct nats_sim *o);

/* nats_sim_next_ms: when something happens next; UINT64_MAX: never. nats_sim_step: does the first
 * thing that is due; returns the bus that has something to poll (NULL: none). */
uint64_t nats_sim_next_ms(const struct nats_sim *o);
struct bus *nats_sim_step(struct nats_sim *o, uint64_t now_ms);

/* The connection breaks, or comes back. */
void nats_sim_cut(struct nats_sim *o, struct bus *b, bool is_cut, uint64_t now_ms);
/* Until then the client reads that stream (-1: all) from a server that gets nothing new. */
void nats_sim_lag(struct nats_sim *o, struct bus *b, int stream, uint64_t until_ms,
                  uint64_t now_ms);
/* No append succeeds until then. */
void nats_sim_no_leader(struct nats_sim *o, uint64_t until_ms);
/* The servers lose the last `messages` of a stream, and all connections for a while. */
void nats_sim_power_cut(struct nats_sim *o, int stream, uint64_t messages, uint64_t now_ms);
/* The servers lose everything: all streams, which are missing until an operator makes them anew and
 * empty at `until_ms`, and all connections for a while. */
void nats_sim_wipe(struct nats_sim *o, uint64_t until_ms, uint64_t now_ms);
/* From now on one of the three copies of that stream has `more` messages twice, so that all later
 * messages have other numbers there. Any copy answers a read. `leads`: appends are acknowledged
 * with that copy's numbers. */
void nats_sim_split(struct nats_sim *o, int stream, uint64_t more, bool leads);
/* In one of three copies a message to come is replaced by the one before it. */
void nats_sim_hole(struct nats_sim *o, int stream, uint64_t ahead);
/* The number behind which a copy differs; UINT64_MAX: all are the same. */
uint64_t nats_sim_split_at(const struct nats_sim *o, int stream);

#endif
