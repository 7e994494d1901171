/* SPDX-License-Identifier: Apache-2.0 */
/* What the two files of the simulated post office (bus_sim.h) share.
 *
 * post_sim.c is the office: its streams and what they keep, what travels and for how long, appends
 * and gets as the servers answer them, and what befalls the servers.
 * bus_sim.c is the connections: the simulated struct bus, its calls, what is said and heard, and
 * what befalls a connection.
 *
 * A parcel belongs to the heap while it travels; then to its client, if that keeps it. A closed
 * client stays until the office closes, for what it has sent may still arrive. */
#ifndef BUS_SIM_INSIDE_H
#define BUS_SIM_INSIDE_H

#include "base/heap.h"
#include "base/map.h"
#include "base/rng.h"
#include "bus/bus_sim.h"

enum { MAX_STREAMS = 4096, MAX_LISTENS = 8 };

struct stream {
    struct str name, prefix;
    struct post_message *messages;
    size_t count, cap;
    uint64_t split_at, more; /* of the copy that differs; 0: none does */
    uint64_t hole;           /* 0: none */
    bool leads;
};

enum travel { TO_SERVER_APPEND, TO_SERVER_GET, TO_CLIENT, TO_RECONNECT };

/* Something on its way. Owns its text: subject, then payload. */
struct parcel_sim {
    struct heap_node node;
    enum travel travel;
    struct client *client;
    uint64_t life;
    struct bus_event event;
    int stream;
    uint64_t id;
    bool is_answerless; /* its acknowledgement is lost */
    struct parcel_sim *next;
    char text[];
};

struct said; /* bus_sim.c */

struct client {
    struct bus bus;
    void *owner;
    struct said **heard; /* gathered, in order */
    size_t heard_count, heard_cap;
    struct post *post;
    struct client *next;
    uint64_t life;
    bool is_closed, is_up, is_cut;
    struct str listens[MAX_LISTENS];
    size_t listen_count;
    uint64_t open[BUS_MAX_OPEN];
    size_t open_count;
    struct parcel_sim *ready, **ready_tail;
    uint64_t last_ms;                   /* arrival of the latest thing sent to it */
    uint64_t lag_from_ms, lag_until_ms; /* reads nothing that is younger */
    int lag_stream;
};

struct post {
    struct rng rng;
    struct heap heap;
    uint64_t serial, now_ms, wall_ms, leaderless_ms, missing_ms;
    struct stream streams[MAX_STREAMS];
    int stream_count;
    struct map by_name, by_prefix; /* places in streams, plus one */
    bool gathers;
    struct client *clients;
    struct post_odds odds;
    uint64_t faults[POST_FAULTS];
    void (*taken)(void *ctx, int stream, uint64_t sequence);
    void *taken_ctx;
};

/* post_sim.c */
bool sim_chance(struct post *o, unsigned of_thousand);
struct str sim_copy(struct str s);                                   /* p is NULL: no memory */
int sim_stream_of_subject(const struct post *o, struct str subject); /* -1: none */
int sim_stream_of_name(const struct post *o, struct str name);       /* -1: none */
bool sim_subject_matches(struct str subject, struct str filter);
/* NULL: no memory. */
struct parcel_sim *sim_parcel_make(enum travel travel, struct client *c, struct str subject,
                                   struct str payload);
void sim_parcel_send(struct post *o, struct parcel_sim *p, uint64_t after_ms); /* takes it */
uint64_t sim_travel_ms(struct post *o);
void sim_to_client(struct post *o, struct client *c, const struct bus_event *e,
                   uint64_t ms); /* copies */

/* bus_sim.c */
void sim_client_go_down(struct client *c);                                /* its open calls end */
void sim_client_come_back(struct post *o, struct client *c, uint64_t ms); /* after so long */
void sim_client_reconnect(struct client *c);                              /* it has come back */
bool sim_client_arrive(struct client *c, struct parcel_sim *p); /* true: it has taken the parcel */

#endif
