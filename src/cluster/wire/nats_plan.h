/* SPDX-License-Identifier: Apache-2.0 */
/* nats_plan: the NATS servers of a cluster as planned: machines, agents, and their logins.
 *
 * `orbweaver cluster init` makes the plan, `cluster add` and `remove` change it, and the
 * configuration of every server follows from it (provision/nats_config.h), so all servers agree.
 * The plan holds one password, which servers tell each other; of all others it holds hashes.
 *
 * JetStream runs on one server, or on three or five that are fixed for ever; servers that are added
 * later carry messages and store none. Two machines cannot have a majority, so a plan of two is
 * refused. */
#ifndef CLUSTER_WIRE_NATS_PLAN_H
#define CLUSTER_WIRE_NATS_PLAN_H

#include "base/buf.h"
#include "bus/secret.h"

enum {
    NATS_MAX_NAME_BYTES = 32,
    NATS_MAX_HOST_BYTES = 253,
    NATS_MAX_FOLDER_BYTES = NATS_MAX_HOST_BYTES + 6,
    NATS_MAX_MACHINES = 128,
    NATS_MAX_AGENTS = 1024,
    NATS_PLAN_MAX_BYTES = 1 << 20,
    NATS_ROUTE_PORT = 6222,
    NATS_CLIENT_PORT = 4222,
};

/* The writer of control entries. No agent may have this name. */
#define NATS_OPERATOR "operator"

/* A machine with a NATS server. */
struct nats_machine {
    char host[NATS_MAX_HOST_BYTES + 1]; /* as the other machines reach it */
    uint16_t route_port;                /* where other servers connect, with TLS */
    uint16_t client_port;               /* where its own agents connect, on loopback */
    bool keeps;                         /* it stores JetStream's data */
};

/* A login that sends in an account of its own and hears as a user of the crawl's account. */
struct nats_user {
    char name[NATS_MAX_NAME_BYTES + 1];
    uint32_t machine;
    struct secret_hash say, hear;
};

struct nats_plan {
    char crawl[NATS_MAX_NAME_BYTES + 1];
    uint64_t stream_bytes; /* the largest size of an agent's stream, on each server that keeps it */
    /* the password that servers tell each other, beside their certificates */
    struct secret route;
    struct secret_hash admin;
    struct nats_user operator;
    struct nats_machine machines[NATS_MAX_MACHINES];
    struct nats_user agents[NATS_MAX_AGENTS];
    uint32_t machine_count, agent_count;
};

/* Lower-case letters, digits, '-', '_', at most 32 bytes: a name is a token of a subject, and a
 * part of a stream's name, whose other parts are in capitals. A crawl's name has no '_', so that
 * streams of two crawls cannot have the same name. */
bool nats_name_is_good(struct str name);
bool nats_crawl_is_good(struct str name);

/* "HOST[:ROUTEPORT[:CLIENTPORT]]": a name or an IPv4 address. RC_INVALID. */
MUST_CHECK enum rc nats_machine_read(struct str text, struct nats_machine *ret);

/* Adds the machine unless it is there; *ret_at is its index. RC_INVALID; RC_LIMIT; RC_EXISTS: one
 * of its ports belongs to another machine of the same host. */
MUST_CHECK enum rc nats_plan_machine(struct nats_plan *p, struct str text, uint32_t *ret_at);

/* Decides which machines store data: the first `stores`; 0 means as many as possible (1 or 3).
 * RC_INVALID: there are two machines; or `stores` is not 1, 3 or 5, is more than there are
 * machines, or is 1 of several. */
MUST_CHECK enum rc nats_plan_stores(struct nats_plan *p, uint64_t stores);

/* nats_plan_agent: the agent, or NULL. nats_plan_remove: false if it was not there. */
struct nats_user *nats_plan_agent(struct nats_plan *p, struct str name);
bool nats_plan_remove(struct nats_plan *p, struct str name);

/* RC_INVALID (the name), RC_EXISTS, RC_LIMIT. */
MUST_CHECK enum rc nats_plan_add(struct nats_plan *p, struct str name, uint32_t machine,
                                 struct nats_user **ret);

/* How many copies of a stream there are: 1 or 3. */
uint32_t nats_plan_copies(const struct nats_plan *p);

/* The folder of a machine's files: its host, with the port if it is not NATS_ROUTE_PORT. */
void nats_machine_folder(const struct nats_machine *p, struct buf *out);

/* The plan as JSON, and back. Everything is checked. RC_INVALID, RC_VERSION, RC_LIMIT; *ret_why
 * says what is wrong. */
void nats_plan_write(const struct nats_plan *p, struct buf *out);
MUST_CHECK enum rc nats_plan_read(struct str json, struct nats_plan *ret, const char **ret_why);

#endif
