/* SPDX-License-Identifier: Apache-2.0 */
/* cluster inside: the agent of a cluster in this process, as its own files see it.
 *
 *   cluster_nats.c   the part: options, opening, what components ask
 *   cluster_loop.c   the agent's thread
 *   cluster_talk.c   questions to and from others, the operator's words
 *   cluster_view.c   the cluster as this agent sees it, as JSON
 *   cluster_port.c   the crawl as the agent sees it (cluster/port.h), over the ledger
 *   cluster_walk.c   of that: looking at the frontiers
 *   cluster_ways.c   of that: by which ways pages were asked for, and who has them
 *   cluster_room.c   its weight, by the room on its disk
 *   cluster_share.c  budgets that all agents share, addresses that several ask
 *   cluster_namesake.c  another process with this agent's name
 *   cluster_lost.c   captures that were lost with a disk
 *
 * Only the agent's thread changes the agent; shards look at it. Both hold `lock` meanwhile, shards
 * for a few look-ups. While the agent's thread waits for a shard (a walk) it has let go of it. */
#ifndef COMPONENTS_CLUSTER_INSIDE_H
#define COMPONENTS_CLUSTER_INSIDE_H

#include "bus/bus_nats.h"
#include "cluster/agent.h"
#include "cluster/capacity.h"
#include "cluster/post_login.h"
#include "components/cluster.h"
#include "components/cluster_talk_inside.h"
#include "components/mail_walk.h"
#include "components/services.h"
#include "fetch/address_peers.h"

struct cluster_settings {
    struct str cluster;     /* the server; "" = this process crawls alone */
    struct str agent;       /* its name */
    struct str credentials; /* the folder of its login */
    uint64_t weight;
    uint64_t quota_bytes, look_ms;
    uint64_t poll_ms, wait_ms;
    uint64_t untold_most;
    bool leave, refetch_lost;
};

struct cluster_part {
    struct cluster_service service;
    struct cluster_service *alone; /* without --cluster: it answers instead; NULL: there is one */
    struct port port;
    struct ledger_service *ledger;
    struct scope_service *scope;
    struct budget *budget;
    struct addresses_service *addresses;
    struct log *log;
    unsigned shards;
    struct post_login login;

    struct bus *bus;
    int wake; /* an eventfd: somebody wants the agent's thread to look */
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t stopping; /* guards has_thread */
    _Atomic bool is_stopping;
    _Atomic bool refetch_lost;
    struct cluster_lost *lost;
    _Atomic uint64_t lists; /* seeds on their way to the journal */

    pthread_mutex_t lock; /* guards the agent, its room and the loans */
    struct agent *agent;
    struct cluster_room {
        uint64_t quota_bytes; /* 0: none */
        uint64_t every_ms, look_ms;
        struct capacity capacity;
        uint32_t ordinary, weight_said;
        bool is_said;
    } room;
    uint64_t open_now, open_before; /* loans of this generation; of earlier ones */

    /* The agent's thread's: */
    bool is_deaf_said;
    bool is_pause_said;
    uint64_t paused_ms; /* since when nothing is lent, for outcomes are untold; 0: it is */
    bool is_told;       /* the shards know that it is over, or has failed */
    bool has_begun;     /* it has read the roster */
    uint64_t wait_ms, give_up_ms; /* for that, at a start; 0: for ever */
    uint64_t looked_ms, said_ms;
    uint64_t epoch_said, settled_said;
    enum agent_state state_said;
    enum cluster_waiting {
        WAITING_NOT,
        WAITING_SERVER,   /* none is connected */
        WAITING_STREAMS,  /* one is, and the roster's stream does not answer */
        WAITING_ENTRIES,  /* the stream is there, and has lost entries that agents bring back */
        WAITING_FOUNDING, /* it is empty, and this agent has never read anything else */
        WAITING_RENEWAL,
    } waiting_said;
    struct cluster_namesake {
        char host[256]; /* "": it has not said */
        uint64_t pid, began_ms, next_ms;
        bool is_said;
    } namesake;
    uint64_t began_ms;           /* this process's part, by the wall clock */
    uint64_t limited_ms;         /* since when a limit is reached; 0 = none */
    struct address_peers *peers; /* what they ask */
    struct cluster_busiest {
        uint64_t next_ms;
        size_t count;
        uint64_t groups[ADDRESS_PEERS_MOST];
    } busiest; /* what we ask */
    struct ledger_outbox *outbox;
    struct record *links; /* of the batch that was read */
    size_t link_room;
    struct record outcome[3];
    char way_room[URL_ROOM_BYTES]; /* of a record in `links` */
    uint64_t keep, keep_said;
    bool is_hurried; /* the agent waits for the disk */
    struct buf mine, foreign, scratch;
    struct cluster_tour {
        struct mail_walk walk;
        unsigned shard;
        struct str rest;         /* of walk.bytes */
    } tours[2];                  /* by enum port_walk */
    uint64_t first_said;         /* the directory's first incarnation, as state/agent has it */
    struct history_cursor *past; /* of a walk over everything, behind the frontiers */
    struct arena *past_arena;
};

static inline struct cluster_part *cluster_of_port(struct port *p)
{
    return EVENT_OF(p, struct cluster_part, port);
}

/* cluster_loop.c */
MUST_CHECK enum rc cluster_loop_start(struct cluster_part *c);
void cluster_loop_stop(struct cluster_part *c); /* once; then it is a word */

/* cluster_view.c: of struct cluster_ops */
void cluster_view(struct cluster_service *s, struct jsonw *j);
void cluster_past(struct cluster_service *s, struct str name, struct jsonw *j);
bool cluster_owner(struct cluster_service *s, uint64_t position, char *name);
size_t cluster_others(struct cluster_service *s, char (*names)[TALK_NAME_BYTES + 1], size_t most);
void cluster_ask_leave(struct cluster_service *s);
bool cluster_is_suspect(struct cluster_service *s, struct str name);

/* cluster_port.c */
extern const struct port_ops cluster_port_ops;
MUST_CHECK enum rc cluster_port_open(struct cluster_part *c);
void cluster_port_close(struct cluster_part *c);
/* The directory is a cluster's from its first batch on, whatever comes of it. */
MUST_CHECK enum rc cluster_port_found(struct cluster_part *c);
bool cluster_port_is_founded(struct cluster_part *c);
/* Mail for every shard; false without memory. */
MUST_CHECK bool cluster_mail_all(struct cluster_part *c, enum mail_kind kind, unsigned epoch);

/* Records of URLs that are ours and asked for again (is_again): journalled, and to their shards. */
MUST_CHECK enum rc cluster_port_again(struct cluster_part *c, struct str batch);

/* Whether the record's fingerprint is that of its URL. */
bool cluster_is_true(struct cluster_part *c, const struct record *r, struct url_room room,
                     struct url *ret);

/* cluster_ways.c */
struct batch;
/* cluster_ops.forward. */
MUST_CHECK enum rc cluster_forward(struct cluster_service *s, const struct candidate *c,
                                   struct str who);
/* Of a page that is done: by which way it was asked for. False: nobody needs to know. */
bool cluster_read_way(struct cluster_part *c, const struct batch *b, struct record *way);
/* Of a page whose links were judged again here: the shorter way. Like that of a page that is done
 * it is told when its links are safe: who hears it has no reason to judge them again. */
bool cluster_read_new_way(struct cluster_part *c, const struct batch *b, struct record *way);
/* Where a record that came to us goes: to the shards, on to others, or nowhere. A way; it may
 * change who has its page. */
enum cluster_taken { TAKEN_IN, TAKEN_BACK, TAKEN_NOT };
enum cluster_taken cluster_take_way(struct cluster_part *c, struct record *r);

/* cluster_lost.c */
MUST_CHECK enum rc cluster_lost_open(struct cluster_part *c);
void cluster_lost_stop(struct cluster_part *c); /* its thread, behind the agent's: it only asks */
void cluster_lost_close(struct cluster_part *c);
/* Whether something may be lost that is to be asked for again; with the lock, as all the agent's
 * thread does. */
bool cluster_lost_waits(struct cluster_part *c);
void cluster_lost_say(struct cluster_part *c, struct jsonw *j);
uint64_t cluster_first_of(struct cluster_service *s, struct str name);

/* cluster_namesake.c, the agent's thread's */
void cluster_namesake_look(struct cluster_part *c, uint64_t now_ms); /* asks where it is */
bool cluster_namesake_event(struct cluster_part *c, const struct bus_event *e);
void cluster_namesake_why(struct cluster_part *c, struct buf *out); /* this agent ends */
void cluster_namesake_say(struct cluster_part *c, bool is_seen);    /* this agent goes on */

/* cluster_room.c */
void cluster_room_look(struct cluster_part *c);

/* cluster_share.c */
struct port_used cluster_used(struct port *p);
void cluster_share_others(struct port *p, const struct port_used *sum);
size_t cluster_tell_domains(struct port *p, struct heartbeat_domain *ret, size_t most);
void cluster_heard_domain(struct port *p, uint64_t who, const struct heartbeat_domain *d);
size_t cluster_tell_addresses(struct port *p, uint64_t *ret, size_t most);
void cluster_heard_addresses(struct port *p, uint64_t who, const uint64_t *list, size_t count);
/* Whether a limit of the whole crawl is reached, and everybody has had the time to hear it. */
bool cluster_is_limited(struct cluster_part *c, uint64_t for_ms);

/* cluster_walk.c */
enum rc cluster_walk(struct port *p, enum port_walk which, uint64_t *token, struct record *ret,
                     size_t most, size_t *ret_count);
enum rc cluster_forget(struct port *p);

#endif
