/* SPDX-License-Identifier: Apache-2.0 */
/* nats_mail: answers and messages from the library's threads that the bus has not handed out yet.
 * Both queues are bounded; what does not fit is lost and counted. `event_fd` wakes the reader.
 *
 * Any thread puts messages in; one thread takes them out, and they stay readable until
 * mail_forget(). */
#ifndef BUS_NATS_MAIL_H
#define BUS_NATS_MAIL_H

#include "base/rc.h"
#include "bus/bus.h"

#include <nats/nats.h>
#include <stdatomic.h>
#include <stddef.h>

enum { MAIL_MAX_REPLIES = 2 * BUS_MAX_OPEN };

struct note;
struct nats_mail {
    struct mpsc *replies, *heard;
    _Atomic size_t heard_count, heard_bytes, reply_count;
    _Atomic uint64_t heard_lost, replies_lost;
    _Atomic bool is_awake; /* event_fd has been written to since mail_drain() */
    int event_fd;

    struct note *shown; /* taken out; only the reader uses it */
};

/* `m` is zeroed. RC_NOMEM, RC_IO; mail_close() must follow in any case. */
MUST_CHECK enum rc mail_open(struct nats_mail *m);
void mail_close(struct nats_mail *m);

void mail_wake(struct nats_mail *m);
void mail_put_reply(struct nats_mail *m, natsMsg *msg); /* takes the message, or drops it */
void mail_put_heard(struct nats_mail *m, natsMsg *msg);

/* call it before reading: what comes later wakes again */
void mail_drain(struct nats_mail *m);
natsMsg *mail_next_reply(struct nats_mail *m); /* NULL: none */
natsMsg *mail_next_heard(struct nats_mail *m);
void mail_forget(struct nats_mail *m); /* frees what was taken out */

#endif
