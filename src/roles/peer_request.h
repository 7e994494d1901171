/* SPDX-License-Identifier: Apache-2.0 */
/* peer_requests: what agents ask each other, and what the operator tells all of them.
 *
 *   another agent, the operator ─ ask ─► the agent's thread ─► peer_requests_next ─► control
 *   control ─► peer_requests_ask ─► the agent's thread ─► the bus ─► another agent
 *   the control log (cluster/wire/control_log.h) ─► peer_requests_next ─► control
 *   where a seed redirects to ─► peer_requests_join ─► the control log ─► the scope of every agent
 *
 * The agent's thread alone speaks with the bus. All others leave their requests in here and wait
 * for a limited time. Questions past PEER_QUESTIONS are dropped: their askers get no answer.
 * Questions and answers are text, which this file does not look into. */
#ifndef ROLES_PEER_REQUEST_H
#define ROLES_PEER_REQUEST_H

#include "base/buf.h"

enum {
    PEER_QUESTIONS = 32,
    PEER_QUESTION_BYTES = 64 << 10,
    PEER_ASKS = 64, /* open at a time */
    PEER_NAME_BYTES = 64,
    PEER_MAX_JOINS = 4096,
};

struct peer_requests;

/* A request of another agent or the operator, or an entry of the control log that is to be done. */
enum peer_kind { PEER_NOTHING, PEER_QUESTION, PEER_CONTROL };
struct peer_item {
    enum peer_kind kind;
    char from[PEER_NAME_BYTES + 1]; /* the servers vouch for it */
    bool is_old;                    /* of control: it was said before this process ran */
    uint64_t reply;
    struct buf text; /* the taker's: peer_item_done */
};
void peer_item_done(struct peer_item *i);

/* Waits at most wait_ms for the next. A control entry comes again until it was said to be done. */
enum peer_kind peer_requests_next(struct peer_requests *t, uint64_t wait_ms, struct peer_item *ret);
void peer_requests_answer(struct peer_requests *t, const struct peer_item *q, struct str answer);
void peer_requests_done(struct peer_requests *t);

/* Asks several at the same time and waits until each has answered or `most_ms` are over. Each `rc`:
 * RC_OK with the answer, RC_AGAIN: none came, RC_CLOSED: the crawl ends, RC_NOMEM, RC_INVALID. The
 * caller frees the answers. */
struct peer_ask {
    char to[PEER_NAME_BYTES + 1];
    uint64_t most_ms; /* for this one; 0: as for all */
    enum rc rc;
    bool has_ended;
    struct buf answer;
};
void peer_requests_ask(struct peer_requests *t, struct str question, struct peer_ask *asks,
                       size_t count, uint64_t most_ms);

/* A URL that joins the scope: it is sent until the control log has it; then every agent reads it.
 */
void peer_requests_join(struct peer_requests *t, struct str url);

#endif
