/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/mail_walk.h"

#include "cluster/wire/records.h"

void mail_walk_init(struct mail_walk *w)
{
    *w = (struct mail_walk){0};
    buf_init(&w->bytes, WALK_MAX_BYTES);
    buf_init(&w->names, WALK_MAX_BYTES);
    (void)pthread_mutex_init(&w->lock, NULL);
    (void)pthread_cond_init(&w->answered, NULL);
}

void mail_walk_done(struct mail_walk *w)
{
    move_walk_done(&w->at);
    buf_done(&w->bytes);
    buf_done(&w->names);
    (void)pthread_cond_destroy(&w->answered);
    (void)pthread_mutex_destroy(&w->lock);
}

/* Asking --------------------------------------------------------------------------------------- */

enum rc mail_walk_ask(struct mail_walk *w, struct mailbox *to)
{
    struct mail *m = mail_new(MAIL_WALK, 0, STR(""));
    if (!m)
        return RC_NOMEM;
    m->walk = w;
    (void)pthread_mutex_lock(&w->lock);
    bool is_asked = !w->is_closed;
    w->is_open = is_asked;
    (void)pthread_mutex_unlock(&w->lock);
    if (!is_asked)
        mail_free(m);
    else if (!mailbox_put(to, &m))
        return RC_CLOSED;
    (void)pthread_mutex_lock(&w->lock);
    while (w->is_open && !w->is_closed)
        (void)pthread_cond_wait(&w->answered, &w->lock);
    enum rc rc = w->is_closed ? RC_CLOSED : w->rc;
    (void)pthread_mutex_unlock(&w->lock);
    return rc;
}

void mail_walk_close(struct mail_walk *w)
{
    (void)pthread_mutex_lock(&w->lock);
    w->is_closed = true;
    (void)pthread_cond_broadcast(&w->answered);
    (void)pthread_mutex_unlock(&w->lock);
}

/* Walking -------------------------------------------------------------------------------------- */

/* move_step takes the hosts that are not mine. */
static bool is_passed(void *ctx, uint64_t host_hash)
{
    const struct mail_walk *w = ctx;
    return w->is_mine(w->ctx, host_hash) != w->wants_mine;
}

static void tell_host(void *ctx, const struct moving_host *h)
{
    struct mail_walk *w = ctx;
    struct record r = {.kind = RECORD_HOST,
                       .host_hash = h->host_hash,
                       .host = h->name,
                       .time_ms = w->wall_ms,
                       .next_wall_ms = h->due_wall_ms,
                       .state = h->extra.n <= RECORDS_MAX_STATE_BYTES ? h->extra : STR("")};
    w->host_hash = h->host_hash;
    w->host_bytes = h->name.n;
    memcpy(w->host, h->name.p, h->name.n);
    record_put(&w->bytes, &r);
}

static void tell_url(void *ctx, const struct moving_url *u)
{
    struct mail_walk *w = ctx;
    struct record r = {.kind = RECORD_URL,
                       .host_hash = w->host_hash,
                       .host = str_make(w->host, w->host_bytes),
                       .fingerprint = u->fingerprint,
                       .path = u->path,
                       .via = u->via,
                       .seed_path =
                           w->depth_index
                               ? depth_index_seed_path(w->depth_index, u->fingerprint, u->seed_path)
                               : u->seed_path,
                       .port = u->port,
                       .is_https = u->is_https,
                       .class = u->class,
                       .is_back = true};
    record_put(&w->bytes, &r);
}

static void tell_over(void *ctx, uint64_t host_hash, struct str name, bool is_out)
{
    struct mail_walk *w = ctx;
    (void)host_hash;
    if (is_out || w->wants_mine)
        return;
    buf_byte(&w->names, (char)name.n);
    buf_add(&w->names, name);
}

void mail_walk_step(struct mail_walk *w, struct ledger *l, unsigned shard,
                    const struct depth_index *d, uint64_t wall_ms)
{
    struct move_taker taker = {is_passed, tell_host, tell_url, tell_over, w};
    w->wall_ms = wall_ms;
    w->depth_index = d;
    w->at.looker = w->wants_mine;
    buf_clear(&w->bytes);
    record_batch_begin(&w->bytes,
                       &(struct record_batch){.is = BATCH_IS_RECORDS, .src = STR("walk")});
    enum rc rc = ledger_walk(l, shard, &w->at, &taker, WALK_STEP, &w->is_over);
    rc = rc ? rc : buf_rc(&w->bytes);
    (void)pthread_mutex_lock(&w->lock);
    w->rc = rc ? rc : buf_rc(&w->names);
    w->is_open = false;
    (void)pthread_cond_broadcast(&w->answered);
    (void)pthread_mutex_unlock(&w->lock);
}
