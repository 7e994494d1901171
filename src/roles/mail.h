/* SPDX-License-Identifier: Apache-2.0 */
/* mail: from the agent's thread to the shards, in order.
 *
 * A mailbox stands for a shard. Mail that comes before the shard's step peer-links has opened the
 * mailbox waits in it. The step is woken once, however much mail there is. A closed mailbox takes
 * no more; what is in it stays for the step that closed it. */
#ifndef ROLES_MAIL_H
#define ROLES_MAIL_H

#include "base/buf.h"
#include "flow/part.h"

#include <pthread.h>

enum mail_kind {
    MAIL_RECORDS, /* a batch of records that was journalled: to be merged */
    MAIL_FORGET,  /* names of hosts, each behind its length: they have been handed over */
    MAIL_EMPTY,   /* the frontier is to be emptied */
    MAIL_ABORT,   /* open transfers end now */
    MAIL_WALK,    /* `walk` is to go a step on */
    MAIL_OVER,    /* the crawl is over */
    MAIL_FAILED,  /* the agent has: bytes say why */
};

struct mail_walk;
struct mail {
    struct mail *next;
    enum mail_kind kind;
    unsigned epoch; /* the ledger's */
    uint64_t batch; /* likewise, of MAIL_RECORDS */
    enum rc rc;     /* of MAIL_FAILED */
    struct buf bytes;
    struct mail_walk *walk; /* borrowed */
};

enum { MAIL_MAX_BYTES = 64 << 20 };
struct mail *mail_new(enum mail_kind kind, unsigned epoch, struct str bytes); /* NULL: no memory */
void mail_free(struct mail *m);

struct mailbox {
    struct loop_task task;
    pthread_mutex_t lock; /* guards the rest */
    struct mail *first, *last;
    struct instance *at; /* NULL: the step has not opened it */
    bool is_woken, is_closed;
};

void mailbox_init(struct mailbox *b);
void mailbox_done(struct mailbox *b);

/* Takes the mail; false: it is closed, and the mail is gone. Any thread. */
bool mailbox_put(struct mailbox *b, struct mail **m);

/* On the shard's thread. */
void mailbox_open(struct mailbox *b, struct instance *at);
void mailbox_close(struct mailbox *b);
struct mail *mailbox_take(struct mailbox *b); /* NULL: there is none */

#endif
