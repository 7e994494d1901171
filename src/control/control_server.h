/* SPDX-License-Identifier: Apache-2.0 */
/* control_server: answers requests to a running crawl, over DIR/run/control.sock.
 *
 *     client ──line──▶ control_server ──call──▶ a shard      (roles/call_queue.h)
 *     client ◀──line── control_server ◀─────── its answer
 *
 * A thread of its own reads requests (control_request.h), one a line, and answers each with one
 * line. It never touches what shards own, but asks the shard. There are at most CONTROL_CLIENTS
 * connections. For one more the server closes the connection that is silent longest, of the process
 * that has most (base/newcomers.h). It also closes one that is silent for a minute. A client that
 * asked for the stop gets the last status when the crawl has ended, and the end of the connection
 * when the process has. */
#ifndef CONTROL_CONTROL_SERVER_H
#define CONTROL_CONTROL_SERVER_H

#include "control/control_request.h"
#include "flow/flow.h"
#include "roles/cluster.h"
#include "roles/ledger.h"
#include "roles/members.h"
#include "roles/scope.h"

enum { CONTROL_CLIENTS = 16, CONTROL_IDLE_MS = 60 * 1000 };

/* How `set` writes a setting into the crawl's directory, for the next start. */
struct setting_save {
    /* From any thread. The value was found good; a failure is the callee's to log. */
    void (*setting)(void *ctx, struct str key, struct str value);
    void *ctx;
};

struct control_setup { /* all borrowed until the close */
    const char *dir;
    struct flow *flow;
    const struct wiring *wiring;
    struct ledger_service *ledger;
    struct scope_service *scope;
    struct cluster_service *cluster; /* NULL, or one without other agents */
    struct members_service *members; /* NULL: the wiring has no pool */
    const struct option *settings;   /* the table of what a person can set; `set KEY=...` */
    struct setting_save save;
    struct log *log;
};

struct control_server;

/* The flow is open, so the crawl's lock is held. RC_INVALID, RC_IO, RC_NOMEM, RC_LIMIT; `why`. */
MUST_CHECK enum rc control_server_open(const struct control_setup *s, struct control_server **ret,
                                       struct buf *why);
/* When the flow has ended. Sends the last status to clients that wait for it. Accepts NULL. */
void control_server_close(struct control_server *s);

/* Where a request comes from. */
enum control_by {
    CONTROL_BY_OWNER,    /* over the socket */
    CONTROL_BY_PEER,     /* another agent, or the operator: may ask this agent, and only this one */
    CONTROL_BY_OPERATOR, /* through the control log: may change the crawl */
    CONTROL_BY_RECORD,   /* the same, written before this agent ran: stop and drain do not count */
    CONTROL_BYS_
};
struct control_rate {
    uint64_t fetched, over_ms; /* of the last seconds */
};
/* control_answer.c: appends the answer to one request, with its LF. *ret_rc is RC_OK, or the
 * failure that was answered. True: a second line follows when the crawl has ended. */
bool control_answer(const struct control_setup *s, struct control_rate recent, struct str line,
                    enum control_by by, struct buf *out, enum rc *ret_rc);

/* control_status.c: the crawl's state as one JSON object, with the reason for waiting. */
void control_status(const struct control_setup *s, struct control_rate recent, bool has_ended,
                    struct buf *out);

/* The same of every agent: this one's, with "cluster":{"agent":…,"login":…,"others":[…]}. */
void control_status_of_all(const struct control_setup *s, struct control_rate recent,
                           struct buf *out);

/* control_set.c: RC_INVALID, RC_NOT_FOUND, RC_UNSUPPORTED, RC_CLOSED, RC_NOMEM with `why`. */
MUST_CHECK enum rc control_set(const struct control_setup *s, const struct control_request *r,
                               struct buf *out, struct buf *why);

/* control_url.c: everything known of a URL. RC_INVALID, RC_CLOSED, RC_AGAIN with `why`. */
MUST_CHECK enum rc control_url(const struct control_setup *s, struct str url, struct buf *out,
                               struct buf *why);

/* control_cluster.c: requests that concern other agents. */
bool control_is_clustered(const struct control_setup *s);
/* This agent's view: for its owner with the folder of its login; with the state of the agent
 * `former`, if it is named. */
void control_agent(const struct control_setup *s, bool is_owner, struct str former,
                   struct buf *out);
/* The same, with "others": the views of the other agents. */
void control_cluster(const struct control_setup *s, struct buf *out);
/* Asks all other agents; an array of {"agent":…,"answer":…} or {"agent":…,"error":…}. */
void control_ask_others(const struct control_setup *s, struct str question, struct jsonw *j);
/* A URL of this agent's, with captures that other agents have; for another agent (`is_peers`) also
 * with this agent's name and captures. */
MUST_CHECK enum rc control_url_in_cluster(const struct control_setup *s, struct str url,
                                          bool is_peers, struct buf *out, struct buf *why);
/* A URL whose host another agent owns: that agent's answer. False: this agent owns it. */
bool control_url_elsewhere(const struct control_setup *s, struct str url, struct buf *out,
                           struct buf *why, enum rc *ret);

/* control_peers.c: a thread that answers other agents and performs the operator's requests. */
struct control_peers;
MUST_CHECK enum rc control_peers_open(const struct control_setup *s, struct control_peers **ret);
void control_peers_close(struct control_peers *p); /* accepts NULL */

#endif
