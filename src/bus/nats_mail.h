/* SPDX-License-Identifier: Apache-2.0 */
/* nats_mail: what the library's threads brought and nobody has seen yet: answers, and what was
 * heard. Both are bounded; what is too much is lost and counted. Who waits on `event_fd` is woken.
 *
 * Any thread puts something in; one thread takes it out, and what it took stays readable until
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

    struct note *shown; /* taken out; the taker's alone */
};

/* `m` is zeroed; RC_NOMEM, RC_IO, and mail_close() in any case. */
MUST_CHECK enum rc mail_open(struct nats_mail *m);
void mail_close(struct nats_mail *m);

void mail_wake(struct nats_mail *m);
void mail_put_reply(struct nats_mail *m, natsMsg *msg); /* takes the message, or loses it */
void mail_put_heard(struct nats_mail *m, natsMsg *msg);

void mail_drain(struct nats_mail *m);          /* before looking: what comes since wakes again */
natsMsg *mail_next_reply(struct nats_mail *m); /* NULL: none */
natsMsg *mail_next_heard(struct nats_mail *m);
void mail_forget(struct nats_mail *m); /* what was taken */

#endif
