/* SPDX-License-Identifier: Apache-2.0 */
/* nats_mail: answers and messages from the library's threads that the bus has not handed out yet.
 * Both queues are bounded; what does not fit is lost and counted. `event_fd` wakes the reader.
 *
 * Any thread puts messages in; one thread takes them out, and they stay readable until
 * mail_forget(). What was read is freed some messages at a time: the library wakes a thread of its
 * own to free it, which for each message costs as much as bringing it. */
#ifndef BUS_NATS_MAIL_H
#define BUS_NATS_MAIL_H

#include "base/rc.h"
#include "bus/bus.h"

#include <nats/nats.h>
#include <stdatomic.h>
#include <stddef.h>

enum {
    MAIL_MAX_REPLIES = 2 * BUS_MAX_OPEN,
    MAIL_MAX_READ = 64, /* messages that were read and are not freed */
    MAIL_MAX_READ_BYTES = 1 << 20,
};

struct note;
struct nats_mail {
    struct mpsc *replies, *heard;
    _Atomic size_t heard_count, heard_bytes, reply_count;
    _Atomic uint64_t heard_lost, replies_lost;
    _Atomic bool is_awake; /* event_fd has been written to since mail_drain() */
    int event_fd;

    /* Only the reader uses the rest. */
    struct note *shown; /* taken out */
    struct note *read;  /* not needed any more, and not freed */
    size_t read_count, read_bytes;
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
void mail_forget(struct nats_mail *m); /* what was taken out is not read any more */

#endif
