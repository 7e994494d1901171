/* SPDX-License-Identifier: Apache-2.0 */
#include "roles/mail.h"

#include "base/mem.h"

struct mail *mail_new(enum mail_kind kind, unsigned epoch, struct str bytes)
{
    struct mail *m = mem_zero(1, sizeof *m);
    if (!m)
        return NULL;
    m->kind = kind;
    m->epoch = epoch;
    buf_init(&m->bytes, MAIL_MAX_BYTES);
    buf_add(&m->bytes, bytes);
    if (buf_rc(&m->bytes) == RC_OK)
        return m;
    mail_free(m);
    return NULL;
}

void mail_free(struct mail *m)
{
    if (!m)
        return;
    buf_done(&m->bytes);
    mem_free(m);
}

/* It is on the shard's thread now: peer-links is a source, and is asked for what it has. */
static void run(struct loop_task *p)
{
    struct mailbox *b = EVENT_OF(p, struct mailbox, task);
    (void)pthread_mutex_lock(&b->lock);
    b->is_woken = false;
    struct instance *at = b->at;
    (void)pthread_mutex_unlock(&b->lock);
    if (at)
        part_ready(at);
}

void mailbox_init(struct mailbox *b)
{
    *b = (struct mailbox){.task = {.run = run}};
    (void)pthread_mutex_init(&b->lock, NULL);
}

void mailbox_done(struct mailbox *b)
{
    while (b->first) {
        struct mail *m = b->first;
        b->first = m->next;
        mail_free(m);
    }
    (void)pthread_mutex_destroy(&b->lock);
}

/* With the lock. */
static void wake(struct mailbox *b)
{
    if (!b->at || !b->first || b->is_woken)
        return;
    b->is_woken = true;
    part_add_task(b->at, &b->task);
}

bool mailbox_put(struct mailbox *b, struct mail **m)
{
    struct mail *mine = *m;
    *m = NULL;
    (void)pthread_mutex_lock(&b->lock);
    bool is_open = !b->is_closed;
    if (is_open) {
        mine->next = NULL;
        if (b->first)
            b->last->next = mine;
        else
            b->first = mine;
        b->last = mine;
        wake(b);
    }
    (void)pthread_mutex_unlock(&b->lock);
    if (!is_open)
        mail_free(mine);
    return is_open;
}

void mailbox_open(struct mailbox *b, struct instance *at)
{
    (void)pthread_mutex_lock(&b->lock);
    b->at = at;
    wake(b);
    (void)pthread_mutex_unlock(&b->lock);
}

void mailbox_close(struct mailbox *b)
{
    (void)pthread_mutex_lock(&b->lock);
    b->at = NULL;
    b->is_closed = true;
    (void)pthread_mutex_unlock(&b->lock);
}

struct mail *mailbox_take(struct mailbox *b)
{
    (void)pthread_mutex_lock(&b->lock);
    struct mail *m = b->first;
    if (m)
        b->first = m->next;
    (void)pthread_mutex_unlock(&b->lock);
    return m;
}
