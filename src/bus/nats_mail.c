/* SPDX-License-Identifier: Apache-2.0 */
#include "bus/nats_mail.h"

#include "base/mem.h"
#include "base/queue.h"
#include "bus/bus_nats.h"

#include <sys/eventfd.h>
#include <unistd.h>

struct note {
    struct note *next; /* of those that were taken out */
    natsMsg *msg;
};

enum rc mail_open(struct nats_mail *m)
{
    m->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    m->replies = mpsc_open(MAIL_MAX_REPLIES);
    m->heard = mpsc_open(BUS_NATS_HEARD_MAX);
    if (m->event_fd < 0)
        return RC_IO;
    return m->replies && m->heard ? RC_OK : RC_NOMEM;
}

void mail_wake(struct nats_mail *m)
{
    uint64_t one = 1;
    if (!atomic_exchange(&m->is_awake, true))
        (void)!write(m->event_fd, &one, sizeof one);
}

void mail_drain(struct nats_mail *m)
{
    uint64_t count;
    (void)!read(m->event_fd, &count, sizeof count);
    atomic_store(&m->is_awake, false);
}

/* Putting in ----------------------------------------------------------------------------------- */

static bool push(struct nats_mail *m, struct mpsc *queue, natsMsg *msg)
{
    struct note *n = mem_zero(1, sizeof *n);
    if (n) {
        n->msg = msg;
        if (mpsc_push(queue, n) == RC_OK) {
            mail_wake(m);
            return true;
        }
    }
    mem_free(n);
    return false;
}

void mail_put_reply(struct nats_mail *m, natsMsg *msg)
{
    if (atomic_fetch_add(&m->reply_count, 1) < MAIL_MAX_REPLIES && push(m, m->replies, msg))
        return;
    atomic_fetch_sub(&m->reply_count, 1);
    atomic_fetch_add(&m->replies_lost, 1);
    natsMsg_Destroy(msg);
}

void mail_put_heard(struct nats_mail *m, natsMsg *msg)
{
    size_t bytes = (size_t)natsMsg_GetDataLength(msg);
    if (atomic_fetch_add(&m->heard_count, 1) < BUS_NATS_HEARD_MAX &&
        bytes <= BUS_MAX_PAYLOAD_BYTES &&
        atomic_load(&m->heard_bytes) + bytes <= BUS_NATS_HEARD_MAX_BYTES) {
        atomic_fetch_add(&m->heard_bytes, bytes);
        if (push(m, m->heard, msg))
            return;
        atomic_fetch_sub(&m->heard_bytes, bytes);
    }
    atomic_fetch_sub(&m->heard_count, 1);
    atomic_fetch_add(&m->heard_lost, 1);
    natsMsg_Destroy(msg);
}

/* Taking out ----------------------------------------------------------------------------------- */

static natsMsg *pop(struct nats_mail *m, struct mpsc *queue)
{
    struct note *n = mpsc_pop(queue);
    if (!n)
        return NULL;
    n->next = m->shown;
    m->shown = n;
    return n->msg;
}

natsMsg *mail_next_reply(struct nats_mail *m)
{
    natsMsg *msg = pop(m, m->replies);
    if (msg)
        atomic_fetch_sub(&m->reply_count, 1);
    return msg;
}

natsMsg *mail_next_heard(struct nats_mail *m)
{
    natsMsg *msg = pop(m, m->heard);
    if (msg) {
        atomic_fetch_sub(&m->heard_count, 1);
        atomic_fetch_sub(&m->heard_bytes, (size_t)natsMsg_GetDataLength(msg));
    }
    return msg;
}

static void free_read(struct nats_mail *m)
{
    while (m->read) {
        struct note *n = m->read;
        m->read = n->next;
        natsMsg_Destroy(n->msg);
        mem_free(n);
    }
    m->read_count = m->read_bytes = 0;
}

void mail_forget(struct nats_mail *m)
{
    while (m->shown) {
        struct note *n = m->shown;
        m->shown = n->next;
        n->next = m->read;
        m->read = n;
        m->read_count++;
        m->read_bytes += (size_t)natsMsg_GetDataLength(n->msg);
    }
    if (m->read_count >= MAIL_MAX_READ || m->read_bytes >= MAIL_MAX_READ_BYTES)
        free_read(m);
}

void mail_close(struct nats_mail *m)
{
    while ((m->replies && pop(m, m->replies)) || (m->heard && pop(m, m->heard)))
        ;
    mail_forget(m);
    free_read(m);
    mpsc_close(m->replies);
    mpsc_close(m->heard);
    if (m->event_fd >= 0)
        (void)close(m->event_fd);
}
