/* SPDX-License-Identifier: Apache-2.0 */
/* What the two files of the simulated NATS servers (bus_sim.h) share.
 *
 * nats_sim.c has the servers: their streams, the messages on their way, appends and gets as the
 * servers answer them, and the faults of the servers. bus_sim.c has the connections: the simulated
 * struct bus, its calls, messages that are said and heard, and the faults of a connection.
 *
 * A parcel belongs to the heap while it travels, then to its client, if the client keeps it. A
 * closed client stays until the servers close, since what it has sent may still arrive. */
#ifndef BUS_SIM_INTERNAL_H
#define BUS_SIM_INTERNAL_H

#include "base/heap.h"
#include "base/map.h"
#include "base/rng.h"
#include "bus/bus_sim.h"

enum { MAX_STREAMS = 4096, MAX_LISTENS = 8 };

struct stream {
    struct str name, prefix;
    struct nats_sim_message *messages;
    size_t count, cap;
    uint64_t split_at, more; /* of the copy that differs; 0: none differs */
    uint64_t hole;           /* 0: none */
    bool leads;
};

enum travel { TO_SERVER_APPEND, TO_SERVER_GET, TO_CLIENT, TO_RECONNECT };

/* A message on its way. Owns its text: subject, then payload. */
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
    struct nats_sim *servers;
    struct client *next;
    uint64_t life;
    bool is_closed, is_up, is_cut;
    struct str listens[MAX_LISTENS];
    size_t listen_count;
    uint64_t open[BUS_MAX_OPEN];
    size_t open_count;
    struct parcel_sim *ready, **ready_tail;
    uint64_t last_ms;                   /* arrival of the latest parcel sent to it */
    uint64_t lag_from_ms, lag_until_ms; /* it reads no message that is younger */
    int lag_stream;
};

struct nats_sim {
    struct rng rng;
    struct heap heap;
    uint64_t serial, now_ms, wall_ms, leaderless_ms, missing_ms;
    struct stream streams[MAX_STREAMS];
    int stream_count;
    struct map by_name, by_prefix; /* indexes of streams, plus one */
    bool gathers;
    struct client *clients;
    struct nats_sim_odds odds;
    uint64_t faults[NATS_SIM_FAULTS];
    void (*taken)(void *ctx, int stream, uint64_t sequence);
    void *taken_ctx;
};

/* nats_sim.c */
bool sim_chance(struct nats_sim *o, unsigned of_thousand);
struct str sim_copy(struct str s);                                       /* p is NULL: no memory */
int sim_stream_of_subject(const struct nats_sim *o, struct str subject); /* -1: none */
int sim_stream_of_name(const struct nats_sim *o, struct str name);       /* -1: none */
bool sim_subject_matches(struct str subject, struct str filter);
/* NULL: no memory. */
struct parcel_sim *sim_parcel_make(enum travel travel, struct client *c, struct str subject,
                                   struct str payload);
void sim_parcel_send(struct nats_sim *o, struct parcel_sim *p, uint64_t after_ms); /* takes it */
uint64_t sim_travel_ms(struct nats_sim *o);
void sim_to_client(struct nats_sim *o, struct client *c, const struct bus_event *e,
                   uint64_t ms); /* copies */

/* bus_sim.c */
void sim_client_go_down(struct client *c); /* its open calls end */
void sim_client_come_back(struct nats_sim *o, struct client *c, uint64_t ms); /* after that time */
void sim_client_reconnect(struct client *c);                                  /* it has come back */
/* true: the client has taken the parcel */
bool sim_client_arrive(struct client *c, struct parcel_sim *p);

#endif
