/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_talk inside: what the agent's thread sees of the talk (components/cluster_talk.h). */
#ifndef COMPONENTS_CLUSTER_TALK_INSIDE_H
#define COMPONENTS_CLUSTER_TALK_INSIDE_H

#include "cluster/control_log.h"
#include "components/cluster_talk.h"
#include "components/services.h"

#include <pthread.h>
#include <stdatomic.h>

struct talk_reply {
    uint64_t reply;
    struct buf text;
};
struct talk_slot { /* an ask that is open; `is` and `question` are the asker's, who waits */
    struct talk_ask *is;
    struct str question;
    uint64_t ticket, most_ms;
    bool is_begun;
};
struct talk_join {
    struct talk_join *next;
    size_t bytes;
    char url[];
};

struct cluster_talk {
    /* The agent's thread's: */
    struct bus *bus;
    struct scope_service *scope;
    struct log *log;
    struct str crawl, name; /* borrowed */
    int wake;               /* an eventfd: writing it makes the agent's thread look */
    uint64_t serial, said_ms, join_ms;
    bool is_join_open;

    _Atomic bool is_ready; /* the control log was read and done once: fetching may begin */

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    bool is_closed;
    struct control_log log_of_control;
    bool has_control, is_control_out, is_control_done, is_control_old;
    char control_from[TALK_NAME_BYTES + 1];
    struct buf control_text;
    struct talk_item questions[TALK_QUESTIONS];
    size_t question_count;
    struct talk_reply replies[TALK_QUESTIONS];
    size_t reply_count;
    struct talk_slot asks[TALK_ASKS];
    struct talk_join *joins; /* not known to be in the log */
    size_t join_count;
};

struct cluster_talk_setup { /* all borrowed */
    struct bus *bus;
    struct scope_service *scope;
    struct log *log;
    struct str crawl, name;
    int wake;
    uint64_t poll_ms;
};

MUST_CHECK enum rc cluster_talk_open(const struct cluster_talk_setup *s, struct cluster_talk **ret);
void cluster_talk_free(struct cluster_talk *t); /* accepts NULL */
/* The agent's thread has ended: nobody waits any more. */
void cluster_talk_close(struct cluster_talk *t);

/* True: the event is of the talk, and nobody else's. */
bool cluster_talk_event(struct cluster_talk *t, const struct bus_event *e, uint64_t now_ms);
void cluster_talk_turn(struct cluster_talk *t, uint64_t now_ms);

#endif
