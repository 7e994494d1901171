/* SPDX-License-Identifier: Apache-2.0 */
/* control_server: a running crawl can be asked and told, over DIR/run/control.sock.
 *
 * A thread of its own reads requests (control_request.h), one a line, and answers each with one
 * line. It never touches what shards own: what it wants of them it asks (components/calls.h). At
 * most CONTROL_CLIENTS at a time: for one more the one that is silent longest is closed, of the
 * process that has most (base/newcomers.h); so is one that is silent for a minute. Who asked for
 * the stop gets the last status when the crawl has ended, and the end of the connection when the
 * process has. */
#ifndef CLI_CONTROL_SERVER_H
#define CLI_CONTROL_SERVER_H

#include "cli/control_request.h"
#include "components/cluster.h"
#include "components/services.h"
#include "flow/flow.h"

struct crawl_keep;

enum { CONTROL_CLIENTS = 16, CONTROL_IDLE_MS = 60 * 1000 };

struct control_setup { /* all borrowed until the close */
    const char *dir;
    struct flow *flow;
    const struct wiring *wiring;
    struct ledger_service *ledger;
    struct scope_service *scope;
    struct cluster_service *cluster; /* NULL, or alone: there are no others */
    struct crawl_keep *keep;         /* what `set` changes is kept there */
    struct log *log;
};

struct control_server;

/* The flow is open, so the crawl's lock is held. RC_INVALID, RC_IO, RC_NOMEM, RC_LIMIT; `why`. */
MUST_CHECK enum rc control_server_open(const struct control_setup *s, struct control_server **ret,
                                       struct buf *why);
/* The flow has ended: who waits for that is told. Accepts NULL. */
void control_server_close(struct control_server *s);

/* control_answer.c: appends the answer to one request, with its LF. True: the rest of the answer is
 * the end of the crawl. `recent` as control_status. */
enum control_by {
    CONTROL_BY_OWNER,    /* over the socket */
    CONTROL_BY_PEER,     /* another agent, or the operator: may ask, and is answered by us alone */
    CONTROL_BY_OPERATOR, /* through the control log: may tell */
    CONTROL_BY_RECORD,   /* the same, said before we ran: stop and drain are not for us */
    CONTROL_BYS_
};
struct control_rate {
    uint64_t fetched, over_ms; /* of the last seconds */
};
/* *ret_rc: what was answered, as a failure or not. */
bool control_answer(const struct control_setup *s, struct control_rate recent, struct str line,
                    enum control_by by, struct buf *out, enum rc *ret_rc);

/* control_status.c: the crawl's state as one JSON object, with what it waits for. */
void control_status(const struct control_setup *s, struct control_rate recent, bool has_ended,
                    struct buf *out);

/* The same of every agent: ours, with "cluster":{"agent":…,"login":…,"others":[…]}. */
void control_status_of_all(const struct control_setup *s, struct control_rate recent,
                           struct buf *out);

/* control_set.c: RC_INVALID, RC_NOT_FOUND, RC_UNSUPPORTED, RC_CLOSED, RC_NOMEM with `why`. */
MUST_CHECK enum rc control_set(const struct control_setup *s, const struct control_request *r,
                               struct buf *out, struct buf *why);

/* control_url.c: everything known of a URL; RC_INVALID and RC_CLOSED with `why`. */
MUST_CHECK enum rc control_url(const struct control_setup *s, struct str url, struct buf *out,
                               struct buf *why);

/* control_cluster.c: what concerns other agents. A question to all of them, each answer as a member
 * {"agent":…,"answer":…} or {"agent":…,"error":…} of an array. */
bool control_is_clustered(const struct control_setup *s);
/* This agent: with its login's folder for its owner, and what became of agent `whom`, if named. */
void control_agent(const struct control_setup *s, bool is_owner, struct str whom, struct buf *out);
void control_cluster(const struct control_setup *s, struct buf *out);
void control_ask_others(const struct control_setup *s, struct str question, struct jsonw *j);
/* A URL of another's host: the owner's answer; false: it is ours. */
/* With what was told of other archives; for another agent also with this agent's name, and where
 * the archive has it. */
MUST_CHECK enum rc control_url_in_cluster(const struct control_setup *s, struct str url,
                                          bool is_peers, struct buf *out, struct buf *why);
bool control_url_elsewhere(const struct control_setup *s, struct str url, struct buf *out,
                           struct buf *why, enum rc *ret);

/* control_peers.c: a thread that answers other agents and does what the operator says to all. */
struct control_peers;
MUST_CHECK enum rc control_peers_open(const struct control_setup *s, struct control_peers **ret);
void control_peers_close(struct control_peers *p); /* accepts NULL */

#endif
