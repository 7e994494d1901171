/* SPDX-License-Identifier: Apache-2.0 */
/* peer_request_internal: peer requests as the agent's thread sees them (roles/peer_request.h). */
#ifndef AGENT_PEER_REQUEST_INTERNAL_H
#define AGENT_PEER_REQUEST_INTERNAL_H

#include "cluster/wire/control_log.h"
#include "roles/peer_request.h"
#include "roles/scope.h"

#include <pthread.h>
#include <stdatomic.h>

struct peer_reply {
    uint64_t reply;
    struct buf text;
};
struct peer_open_ask { /* an open ask; `is` and `question` belong to the asker, which waits */
    struct peer_ask *is;
    struct str question;
    uint64_t ticket, most_ms;
    bool is_begun;
};
struct peer_join {
    struct peer_join *next;
    size_t bytes;
    char url[];
};

struct peer_requests {
    /* Only the agent's thread uses these: */
    struct bus *bus;
    struct scope_service *scope;
    struct log *log;
    struct str crawl, name; /* borrowed */
    int wake;               /* an eventfd: a write makes the agent's thread look */
    uint64_t serial, said_ms, join_ms;
    bool is_join_open;

    _Atomic bool is_ready; /* the control log was read and done once: fetching may begin */

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    bool is_closed;
    struct control_log log_of_control;
    bool has_control, is_control_out, is_control_done, is_control_old;
    char control_from[PEER_NAME_BYTES + 1];
    struct buf control_text;
    struct peer_item questions[PEER_QUESTIONS];
    size_t question_count;
    struct peer_reply replies[PEER_QUESTIONS];
    size_t reply_count;
    struct peer_open_ask asks[PEER_ASKS];
    struct peer_join *joins; /* URLs that are not known to be in the log */
    size_t join_count;
};

struct peer_requests_setup { /* all borrowed */
    struct bus *bus;
    struct scope_service *scope;
    struct log *log;
    struct str crawl, name;
    int wake;
    uint64_t poll_ms;
};

MUST_CHECK enum rc peer_requests_open(const struct peer_requests_setup *s,
                                      struct peer_requests **ret);
void peer_requests_free(struct peer_requests *t); /* accepts NULL */
/* The agent's thread has ended: wakes all that wait. */
void peer_requests_close(struct peer_requests *t);

/* True: the event belongs to a peer request, and to nothing else. */
bool peer_requests_event(struct peer_requests *t, const struct bus_event *e, uint64_t now_ms);
void peer_requests_turn(struct peer_requests *t, uint64_t now_ms);

#endif
