/* SPDX-License-Identifier: Apache-2.0 */
/* bus_sim: a post office of the imagination: streams, connections and everything that goes wrong
 * with them, all from one seed and on the caller's time.
 *
 *     struct post *o = post_open(seed);
 *     post_stream(o, STR("ORB_c_ant"), STR("orb.c.j.ant."));
 *     struct bus *b = post_connect(o);            BUS_UP comes as the first event
 *     ... post_next_ms(o), post_step(o, now) deliver; bus_poll(b) hands out
 *
 * Requests and answers travel for some milliseconds, each for its own time, so they overtake each
 * other. By chance (struct post_odds) a request or an acknowledgement is lost, a request arrives
 * long after its caller has given up, a get is answered by a server that lags, what is said is
 * lost, doubled or late. By order (post_cut, post_lag, post_no_leader, post_power_cut, post_wipe)
 * connections break, nobody leads, a server lags for long, servers lose the ends of streams, or all
 * of them. Every kind is counted where it happens. */
#ifndef BUS_BUS_SIM_H
#define BUS_BUS_SIM_H

#include "bus/bus.h"

/* Of a thousand. */
struct post_odds {
    unsigned request_lost, ack_lost, slow, stale, say_lost, say_doubled, say_late;
};

enum post_fault {
    POST_REQUEST_LOST,
    POST_ACK_LOST,
    POST_SLOW,
    POST_STALE,
    POST_LAGS,
    POST_SAY_LOST,
    POST_SAY_DOUBLED,
    POST_SAY_LATE,
    POST_REORDERED,
    POST_REPEAT,
    POST_CUT,
    POST_NO_LEADER,
    POST_POWER_CUT,
    POST_WIPE,
    POST_OTHER_COPY,
    POST_FAULTS
};
extern const char *const post_fault_names[POST_FAULTS];

struct post_message {
    uint64_t stamp_ms, id;
    struct str subject, payload;
};

struct post;
struct post *post_open(uint64_t seed, uint64_t wall_ms);
void post_close(struct post *o); /* after all its connections */
void post_set_odds(struct post *o, const struct post_odds *odds);
const uint64_t *post_faults(const struct post *o); /* [POST_FAULTS] */

/* Keeps every subject that begins so. The number of the stream; -1: no memory. */
int post_stream(struct post *o, struct str name, struct str prefix);
uint64_t post_length(const struct post *o, int stream);
const struct post_message *post_at(const struct post *o, int stream, uint64_t sequence);
/* Told of every message that a stream has taken. */
void post_watch(struct post *o, void (*taken)(void *ctx, int stream, uint64_t sequence), void *ctx);
/* As an operator, at once. */
MUST_CHECK enum rc post_append(struct post *o, struct str subject, struct str payload,
                               uint64_t now_ms);

struct bus *post_connect(struct post *o, uint64_t now_ms); /* NULL: no memory */
/* Whose it is: the caller's, for whoever post_step speaks of. */
void post_set_owner(struct bus *b, void *owner);
void *post_owner(struct bus *b);
/* For many connections: what is said in time is not an event of its own for each of a thousand who
 * hear it, but lies there until they poll for another reason. Lost, doubled and late as ever. */
void post_gather(struct post *o);

/* When something happens next; UINT64_MAX: never. Does the first thing that is due, and says for
 * which bus there is something to poll (NULL: none). */
uint64_t post_next_ms(const struct post *o);
struct bus *post_step(struct post *o, uint64_t now_ms);

/* The connection breaks, or comes back. */
void post_cut(struct post *o, struct bus *b, bool is_cut, uint64_t now_ms);
/* Until then it reads that stream (-1: all) from a server that gets nothing new. */
void post_lag(struct post *o, struct bus *b, int stream, uint64_t until_ms, uint64_t now_ms);
/* No append succeeds until then. */
void post_no_leader(struct post *o, uint64_t until_ms);
/* The servers lose the last `messages` of a stream, and all connections for a while. */
void post_power_cut(struct post *o, int stream, uint64_t messages, uint64_t now_ms);
/* The servers lose everything: all streams, which are missing until an operator makes them, empty,
 * at `until_ms`; and all connections for a while. */
void post_wipe(struct post *o, uint64_t until_ms, uint64_t now_ms);
/* From here on one of three copies of that stream has `more` messages twice, so that all that come
 * later have other numbers there; and reads are answered by any copy. `leads`: appends are
 * acknowledged with that copy's numbers. */
void post_split(struct post *o, int stream, uint64_t more, bool leads);
/* One of three copies has the one before in the place of a message to come. */
void post_hole(struct post *o, int stream, uint64_t ahead);
/* After which message a copy differs; UINT64_MAX: all are the same. */
uint64_t post_split_at(const struct post *o, int stream);

#endif
