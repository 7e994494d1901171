/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_talk: what agents ask each other, and what the operator tells all of them.
 *
 *   another agent, the operator ─ ask ─► the agent's thread ─► cluster_talk_next ─► whoever answers
 *   whoever asks here ─► cluster_talk_ask ─► the agent's thread ─► the bus ─► another agent
 *   the control log (cluster/control_log.h) ─► cluster_talk_next ─► whoever does it
 *   where a seed redirects to ─► cluster_talk_join ─► the control log ─► everybody's scope
 *
 * The agent's thread alone speaks with the bus. All others leave what they want in here and wait
 * for a limited time. Questions past TALK_QUESTIONS are dropped: who asked hears nothing. What is
 * asked and answered is text; here nobody looks into it. */
#ifndef COMPONENTS_CLUSTER_TALK_H
#define COMPONENTS_CLUSTER_TALK_H

#include "base/buf.h"

enum {
    TALK_QUESTIONS = 32,
    TALK_QUESTION_BYTES = 64 << 10,
    TALK_ASKS = 64, /* open at a time */
    TALK_NAME_BYTES = 64,
    TALK_MAX_JOINS = 4096,
};

struct cluster_talk;

/* Somebody's ask, or an entry of the control log that is to be done. */
enum talk_kind { TALK_NOTHING, TALK_QUESTION, TALK_CONTROL };
struct talk_item {
    enum talk_kind kind;
    char from[TALK_NAME_BYTES + 1]; /* the servers vouch for it */
    bool is_old;                    /* of control: it was said before this process ran */
    uint64_t reply;
    struct buf text; /* the taker's: talk_item_done */
};
void talk_item_done(struct talk_item *i);

/* Waits at most wait_ms for the next. A control entry comes again until it was said to be done. */
enum talk_kind cluster_talk_next(struct cluster_talk *t, uint64_t wait_ms, struct talk_item *ret);
void cluster_talk_answer(struct cluster_talk *t, const struct talk_item *q, struct str answer);
void cluster_talk_done(struct cluster_talk *t);

/* Asks several at the same time and waits until each has answered or `most_ms` are over. Each `rc`:
 * RC_OK with the answer, RC_AGAIN: none came, RC_CLOSED: the crawl ends, RC_NOMEM, RC_INVALID. The
 * caller frees the answers. */
struct talk_ask {
    char to[TALK_NAME_BYTES + 1];
    uint64_t most_ms; /* for this one; 0: as for all */
    enum rc rc;
    bool has_ended;
    struct buf answer;
};
void cluster_talk_ask(struct cluster_talk *t, struct str question, struct talk_ask *asks,
                      size_t count, uint64_t most_ms);

/* A URL that joins the scope: everybody is told, until the log has it. */
void cluster_talk_join(struct cluster_talk *t, struct str url);

#endif
