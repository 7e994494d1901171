/* SPDX-License-Identifier: Apache-2.0 */
/* agent_internal: the agent of a cluster in this process, as its own files see it.
 *
 *   cluster_nats.c   the part: options, opening, the operations of roles/cluster.h
 *   loop.c           the agent's thread
 *   peer_request.c   requests to and from other agents, and the operator's requests
 *   guests.c         turns of hosts that agents lend each other
 *   peer_links.c     the step that brings other agents' links to their shards
 *   view.c           the cluster as this agent sees it, as JSON
 *   port.c           the crawl as the agent sees it (cluster/protocol/port.h), over the ledger
 *   frontier_walk.c  part of the port: walks over the frontiers
 *   mail_walk.c      one step of such a walk, on its shard
 *   seed_paths.c     part of the port: the seed paths of pages, and which agent has them
 *   room.c           the agent's weight, by the room on its disk
 *   share.c          budgets that all agents share, addresses that several agents ask
 *   namesake.c       another process with this agent's name
 *   lost.c           captures that were lost with a disk
 *
 * Only the agent's thread changes the agent; shards read it. Both hold `lock` meanwhile, shards for
 * a few look-ups. While the agent's thread waits for a shard (a walk) it does not hold the lock. */
#ifndef AGENT_AGENT_INTERNAL_H
#define AGENT_AGENT_INTERNAL_H

#include "agent/guests.h"
#include "agent/mail_walk.h"
#include "agent/peer_request_internal.h"
#include "bus/bus_nats.h"
#include "cluster/protocol/agent.h"
#include "cluster/roster/capacity.h"
#include "cluster/wire/nats_login.h"
#include "host/address_peers.h"
#include "roles/addresses.h"
#include "roles/budget.h"
#include "roles/cluster.h"
#include "roles/ledger.h"
#include "roles/scope.h"

struct cluster_settings {
    struct str cluster;     /* the server; "": this process crawls alone */
    struct str agent;       /* its name */
    struct str credentials; /* the folder of its login */
    uint64_t weight;
    uint64_t quota_bytes, look_ms;
    uint64_t poll_ms, wait_ms;
    uint64_t untold_most;
    bool leave, refetch_lost;
};

/* The agent's thread. */
struct cluster_thread {
    pthread_t id;
    int wake;                 /* an eventfd: a write makes the thread look */
    pthread_mutex_t stopping; /* guards is_running */
    bool is_running;
    _Atomic bool is_stopping;
};

/* The agent's weight follows the disk's room. */
struct cluster_room {
    uint64_t quota_bytes; /* 0: none */
    uint64_t every_ms, look_ms;
    struct capacity capacity;
    uint32_t ordinary, weight_said;
    bool is_said;
};

/* Hosts that are checked out. */
struct cluster_claims {
    uint64_t now, before; /* in this generation; in earlier ones */
};

enum cluster_waiting {
    WAITING_NOT,
    WAITING_SERVER,   /* no server is connected */
    WAITING_STREAMS,  /* a server is connected, and the roster's stream does not answer */
    WAITING_ENTRIES,  /* the stream has lost entries, which the agents bring back */
    WAITING_FOUNDING, /* the stream is empty, and this agent has never read an entry */
    WAITING_RENEWAL,
};

/* What the log and the shards were told last, so that each event is told once. */
struct cluster_said {
    bool over; /* the shards know that the crawl is over, or has failed */
    bool pause, no_loopback;
    uint64_t epoch, settled;
    enum agent_state state;
    enum cluster_waiting waiting;
    uint64_t state_ms;
    uint64_t first_inc; /* the directory's first incarnation, as state/agent has it */
};

/* The wait for the roster at the start. */
struct cluster_start {
    bool has_begun;               /* the agent has read the roster */
    uint64_t wait_ms, give_up_ms; /* 0: wait for ever */
};

struct cluster_namesake {
    char host[256]; /* "": the other process has not answered */
    uint64_t pid, began_ms, next_ms;
    bool is_said;
};

/* The addresses that this agent asks most. */
struct cluster_busiest {
    uint64_t next_ms;
    size_t count;
    uint64_t groups[ADDRESS_PEERS_MOST];
};

/* The journal as the agent's outbox reads it, and the batch that was read last. */
struct cluster_reader {
    struct ledger_outbox *outbox;
    struct record *links;
    size_t link_room;
    struct record outcome[3];
    char seed_path_room[URL_ROOM_BYTES]; /* text of a record in `outcome` */
    uint64_t keep, keep_said; /* the journal is needed from here; the same, as journalled */
    bool is_hurried;          /* the agent waits for the disk */
};

/* A walk over the frontiers of all shards. */
struct cluster_tour {
    struct mail_walk walk;
    unsigned shard;
    struct str rest; /* of walk.bytes */
};
struct cluster_tours {
    struct cluster_tour of[2];      /* by enum port_walk */
    struct history_cursor *history; /* of PORT_WALK_OWN, behind the frontiers */
    struct arena *history_arena;
};

struct cluster_part {
    struct cluster_service service;
    struct cluster_service *alone; /* answers instead without --cluster; NULL with a cluster */
    struct port port;
    struct ledger_service *ledger;
    struct scope_service *scope;
    struct budget *budget;
    struct addresses_service *addresses;
    struct log *log;
    unsigned shards;
    struct nats_login login;
    struct bus *bus;
    struct cluster_thread thread;
    struct guests *guests;
    _Atomic bool refetch_lost;
    struct cluster_lost *lost;
    _Atomic uint64_t lists; /* of seeds, on their way to the journal */

    pthread_mutex_t lock; /* guards the agent, its room and the claims */
    struct agent *agent;
    struct cluster_room room;
    struct cluster_claims claims;

    /* Only the agent's thread uses the rest. */
    struct cluster_said said;
    struct cluster_start start;
    struct cluster_namesake namesake;
    uint64_t paused_ms;  /* since when outcomes are untold and no host is checked out; 0: not so */
    uint64_t looked_ms;  /* when the status was last read */
    uint64_t began_ms;   /* when this process started, by the wall clock */
    uint64_t limited_ms; /* since when a limit of the crawl is reached; 0: it is not */
    struct address_peers *peers; /* the addresses that other agents ask */
    struct cluster_busiest busiest;
    struct cluster_reader reader;
    struct buf mine, foreign, scratch;
    struct sent_filter *told; /* the URLs that other agents have told lately, and are journalled */
    struct cluster_tours tours;
};

static inline struct cluster_part *cluster_of_port(struct port *p)
{
    return EVENT_OF(p, struct cluster_part, port);
}

/* loop.c */
MUST_CHECK enum rc cluster_loop_start(struct cluster_part *c);
void cluster_loop_stop(struct cluster_part *c); /* may be called again */

/* view.c: operations of struct cluster_ops */
void cluster_view(struct cluster_service *s, struct jsonw *j);
void cluster_former(struct cluster_service *s, struct str name, struct jsonw *j);
bool cluster_owner(struct cluster_service *s, uint64_t host_hash, char *name);
size_t cluster_others(struct cluster_service *s, char (*names)[PEER_NAME_BYTES + 1], size_t most);
void cluster_ask_leave(struct cluster_service *s);
bool cluster_is_suspect(struct cluster_service *s, struct str name);

/* port.c */
extern const struct port_ops cluster_port_ops;
MUST_CHECK enum rc cluster_port_open(struct cluster_part *c);
void cluster_port_close(struct cluster_part *c);
/* Journals the first batch: from then on the directory belongs to a cluster. */
MUST_CHECK enum rc cluster_port_found(struct cluster_part *c);
bool cluster_port_is_founded(struct cluster_part *c);
/* Mails every shard; false: no memory. */
MUST_CHECK bool cluster_mail_all(struct cluster_part *c, enum mail_kind kind, unsigned epoch);

/* Journals records of our own URLs that are fetched again (is_again), and mails them to their
 * shards. */
MUST_CHECK enum rc cluster_port_again(struct cluster_part *c, struct str batch);

/* Whether the record's fingerprint is that of its URL. */
bool cluster_matches_url(struct cluster_part *c, const struct record *r, struct url_room room,
                         struct url *ret);

/* seed_paths.c */
struct batch;
/* The operation `forward` of cluster_ops. */
MUST_CHECK enum rc cluster_forward(struct cluster_service *s, const struct candidate *c,
                                   struct str agent);
/* The seed path of a page that is done. False: no agent needs it. */
bool cluster_read_seed_path(struct cluster_part *c, const struct batch *b, struct record *ret);
/* The shorter seed path of a page whose links were judged again here. It is sent when the links are
 * safe, as the record of a done page is: an agent that has it does not judge the links again. */
bool cluster_read_new_seed_path(struct cluster_part *c, const struct batch *b, struct record *ret);
/* Where a seed_path or shorter record that arrived goes: to the shards, back to its owner, or
 * nowhere. It may change r->where. */
enum cluster_taken { TAKEN_IN, TAKEN_BACK, TAKEN_NOT };
enum cluster_taken cluster_take_seed_path(struct cluster_part *c, struct record *r);

/* lost.c */
MUST_CHECK enum rc cluster_lost_open(struct cluster_part *c);
/* stops its thread, after the agent's: it only asks */
void cluster_lost_stop(struct cluster_part *c);
void cluster_lost_close(struct cluster_part *c);
/* Whether lost captures may have to be fetched again. The lock is held, as in all that the agent's
 * thread does. */
bool cluster_lost_waits(struct cluster_part *c);
void cluster_lost_say(struct cluster_part *c, struct jsonw *j);
uint64_t cluster_first_of(struct cluster_service *s, struct str name);

/* namesake.c; only the agent's thread calls it */
/* asks the other process where it runs */
void cluster_namesake_look(struct cluster_part *c, uint64_t now_ms);
bool cluster_namesake_event(struct cluster_part *c, const struct bus_event *e);
void cluster_namesake_why(struct cluster_part *c, struct buf *out); /* why this agent ends */
/* logs that this agent continues */
void cluster_namesake_say(struct cluster_part *c, bool is_seen);

/* room.c */
void cluster_room_look(struct cluster_part *c);

/* share.c */
struct port_used cluster_used(struct port *p);
void cluster_share_others(struct port *p, const struct port_used *sum);
size_t cluster_tell_domains(struct port *p, struct heartbeat_domain *ret, size_t most);
void cluster_heard_domain(struct port *p, uint64_t agent, const struct heartbeat_domain *d);
size_t cluster_tell_addresses(struct port *p, uint64_t *ret, size_t most);
void cluster_heard_addresses(struct port *p, uint64_t agent, const uint64_t *list, size_t count);
/* Whether a limit of the whole crawl is reached, and has been for `for_ms`, so that all agents
 * could hear of it. */
bool cluster_is_limited(struct cluster_part *c, uint64_t for_ms);

/* frontier_walk.c */
enum rc cluster_walk(struct port *p, enum port_walk which, uint64_t *at, struct record *ret,
                     size_t most, size_t *ret_count);
enum rc cluster_forget(struct port *p);

#endif
