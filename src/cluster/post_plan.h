/* SPDX-License-Identifier: Apache-2.0 */
/* post_plan: the post office of a cluster as it was decided: machines, agents, who may log in.
 *
 * `orbweaver cluster init` makes it, `cluster add` and `remove` change it, and every server's
 * configuration follows from it (post_config.h), so all servers agree. It holds no password but
 * the one that servers tell each other; of the others it holds hashes.
 *
 * JetStream stands on one server, or on three or five that are fixed for ever; servers that come
 * later carry messages and keep none. Two machines cannot keep a majority, so there is no such
 * cluster. */
#ifndef CLUSTER_POST_PLAN_H
#define CLUSTER_POST_PLAN_H

#include "base/buf.h"
#include "bus/secret.h"

enum {
    POST_MAX_NAME_BYTES = 32,
    POST_MAX_HOST_BYTES = 253,
    POST_MAX_FOLDER_BYTES = POST_MAX_HOST_BYTES + 6,
    POST_MAX_PLACES = 128,
    POST_MAX_AGENTS = 1024,
    POST_PLAN_MAX_BYTES = 1 << 20,
    POST_ROUTE_PORT = 6222,
    POST_CLIENT_PORT = 4222,
};

/* Nobody else may be called so: the writer of control entries. */
#define POST_OPERATOR "operator"

/* A machine with a server. */
struct post_place {
    char host[POST_MAX_HOST_BYTES + 1]; /* as the other machines reach it */
    uint16_t route_port;                /* where other servers connect, with TLS */
    uint16_t client_port;               /* where its own agents do, on loopback */
    bool keeps;                         /* it has a part of JetStream */
};

/* Who speaks in an account of its own and hears as a user of the crawl's. */
struct post_person {
    char name[POST_MAX_NAME_BYTES + 1];
    uint32_t place;
    struct secret_hash say, hear;
};

struct post_plan {
    char crawl[POST_MAX_NAME_BYTES + 1];
    uint64_t stream_bytes; /* how much an agent's stream may hold, on each server that keeps it */
    struct secret route;   /* what servers tell each other, beside their certificates */
    struct secret_hash admin;
    struct post_person operator;
    struct post_place places[POST_MAX_PLACES];
    struct post_person agents[POST_MAX_AGENTS];
    uint32_t place_count, agent_count;
};

/* Lower-case letters, digits, '-', '_', at most 32: it is a token of a subject, and a part of a
 * stream's name, whose other names are in capitals. A crawl's has no '_', so that no two streams of
 * two crawls have the same name. */
bool post_name_is_good(struct str name);
bool post_crawl_is_good(struct str name);

/* "HOST[:ROUTEPORT[:CLIENTPORT]]": a name or an IPv4 address. RC_INVALID. */
MUST_CHECK enum rc post_place_read(struct str text, struct post_place *ret);

/* Adds it unless it is there: *ret_at says where. RC_INVALID; RC_LIMIT; RC_EXISTS: the same ports
 * of the same host, otherwise paired. */
MUST_CHECK enum rc post_plan_place(struct post_plan *p, struct str text, uint32_t *ret_at);

/* Decides who keeps: the first `stores` places, 0 meaning as many as there can be (1 or 3).
 * RC_INVALID: there are two places, or `stores` is not 1, 3 or 5, or more than places, or 1 of
 * many. */
MUST_CHECK enum rc post_plan_stores(struct post_plan *p, uint64_t stores);

/* The agent, or NULL; removing says whether it was there. */
struct post_person *post_plan_agent(struct post_plan *p, struct str name);
bool post_plan_remove(struct post_plan *p, struct str name);

/* RC_INVALID (the name), RC_EXISTS, RC_LIMIT. */
MUST_CHECK enum rc post_plan_add(struct post_plan *p, struct str name, uint32_t place,
                                 struct post_person **ret);

/* How many copies of a stream there are: 1 or 3. */
uint32_t post_plan_copies(const struct post_plan *p);

/* The folder of a machine's files: its host, with the port if that is not the usual one. */
void post_place_folder(const struct post_place *p, struct buf *out);

/* As JSON, and back; all is checked. RC_INVALID, RC_VERSION, RC_LIMIT; *ret_why says what. */
void post_plan_write(const struct post_plan *p, struct buf *out);
MUST_CHECK enum rc post_plan_read(struct str json, struct post_plan *ret, const char **ret_why);

#endif
