/* SPDX-License-Identifier: Apache-2.0 */
#include "frontier/move.h"

#include "base/hash.h"
#include "frontier/frontier_internal.h"

enum { MOST_URL_BYTES = 8 + FRONTIER_MAX_HOST_BYTES + 6 + FRONTIER_MAX_PATH_BYTES };

/* URLs by their parts ------------------------------------------------------------------------- */

enum rc move_fingerprint(struct str host, bool is_https, uint16_t port, struct str path,
                         struct buf *room, uint64_t *ret)
{
    buf_clear(room);
    buf_add(room, is_https ? STR("https://") : STR("http://"));
    buf_add(room, host);
    if (port) {
        buf_byte(room, ':');
        buf_u64(room, port);
    }
    buf_add(room, path);
    if (buf_rc(room))
        return buf_rc(room);
    *ret = hash64(buf_str(room));
    return RC_OK;
}

static enum rc entry_fingerprint(const struct host *h, const struct url_entry *e, struct buf *room,
                                 uint64_t *ret)
{
    struct origin o = host_origin_at(h, e->origin);
    return move_fingerprint(host_name(h), o.is_https, o.port, e->path, room, ret);
}

/* Whether an entry is the one that is checked out: it stays at the head until it is checked in. */
static bool is_checked_out(const struct host *h, unsigned class, const struct url_queue *q,
                           const struct url_entry *e)
{
    struct url_entry head;
    return h->state == HOST_OUT && h->checkout_class == class && url_queue_head(q, &head) &&
           head.sequence == e->sequence;
}

/* Telling ------------------------------------------------------------------------------------- */

void move_walk_done(struct move_walk *w)
{
    buf_done(&w->names);
    frontier_close(w->aside);
    *w = (struct move_walk){0};
}

static uint64_t wall_of(const struct snapshot_context *c, uint64_t due_ms)
{
    return due_ms > c->now_ms ? c->wall_ms + (due_ms - c->now_ms) : 0;
}

/* The names of a bucket's hosts that are another's: hosts come and go between two steps, and the
 * table's order with them. */
static enum rc list_names(const struct frontier *f, struct move_walk *w, const struct move_taker *t)
{
    const struct bucket *b = f->buckets[w->bucket];
    w->names.max = SIZE_MAX / 2;
    buf_clear(&w->names);
    w->at = 0;
    for (uint32_t i = 0; b && i < b->host_slots; i++) {
        const struct host *h = b->hosts[i];
        if (!h || t->is_mine(t->ctx, h->host_hash))
            continue;
        buf_byte(&w->names, (char)h->name_bytes);
        buf_add(&w->names, host_name(h));
    }
    return buf_rc(&w->names);
}

static enum rc tell_host(const struct host *h, const struct snapshot_context *c,
                         const struct move_taker *t)
{
    struct buf extra = {.max = SNAPSHOT_MAX_EXTRA_BYTES};
    if (c->write_extra)
        c->write_extra(c->ctx, h, &extra);
    enum rc rc = buf_rc(&extra);
    struct moving_host told = {.name = host_name(h),
                               .host_hash = h->host_hash,
                               .due_wall_ms = wall_of(c, h->due_ms),
                               .extra = buf_str(&extra),
                               .queued = h->queued -
                                         (h->state == HOST_OUT && h->checkout_class != HOST_LENT),
                               .is_out = h->state == HOST_OUT};
    if (rc == RC_OK)
        t->host(t->ctx, &told);
    buf_done(&extra);
    return rc;
}

/* The URLs of one class behind what was told already. */
static enum rc tell_class(struct host *h, struct move_walk *w, const struct move_taker *t,
                          size_t *left)
{
    const struct host_class *c = host_class_of(h, w->class);
    struct buf room = {.max = MOST_URL_BYTES};
    struct url_walk at = url_queue_walk(c ? &c->queue : &(struct url_queue){0});
    struct url_entry e;
    enum rc rc = RC_OK;
    while (rc == RC_OK && *left && url_walk_next(&at, &e)) {
        struct moving_url told = {
            .path = e.path, .seed_path = e.seed_path, .via = e.via, .class = (uint8_t)w->class};
        struct origin o = host_origin_at(h, e.origin);
        if (e.sequence < w->from_sequence || is_checked_out(h, w->class, &c->queue, &e))
            continue;
        told.port = o.port;
        told.is_https = o.is_https;
        rc = entry_fingerprint(h, &e, &room, &told.fingerprint);
        if (rc)
            break;
        t->url(t->ctx, &told);
        w->from_sequence = e.sequence + 1;
        --*left;
    }
    buf_done(&room);
    return rc;
}

static enum rc tell_urls(struct host *h, struct move_walk *w, const struct move_taker *t,
                         size_t *left)
{
    enum rc rc = RC_OK;
    while (rc == RC_OK && *left && w->class < FRONTIER_CLASSES) {
        rc = tell_class(h, w, t, left);
        if (rc == RC_OK && *left) {
            w->class ++;
            w->from_sequence = 0;
        }
    }
    return rc;
}

/* Goes on with the name at w->at; steps behind it when it is over. */
static enum rc tell_name(struct frontier *f, struct move_walk *w, const struct snapshot_context *c,
                         const struct move_taker *t, size_t *left)
{
    struct str name = str_make(w->names.p + w->at + 1, (uint8_t)w->names.p[w->at]);
    struct host *h = frontier_host(f, hash64(name), name);
    enum rc rc = RC_OK;
    if (!h || !w->is_inside)
        --*left;
    if (h && !w->is_inside) {
        rc = tell_host(h, c, t);
        w->class = 0;
        w->from_sequence = 0;
        w->is_inside = rc == RC_OK;
    }
    if (h && rc == RC_OK)
        rc = tell_urls(h, w, t, left);
    if (rc || (h && w->class < FRONTIER_CLASSES))
        return rc;
    w->is_inside = false;
    w->at += 1 + name.n;
    if (h)
        t->over(t->ctx, h->host_hash, name, h->state == HOST_OUT);
    return RC_OK;
}

static enum rc next_bucket(struct frontier *f, struct move_walk *w, const struct move_taker *t,
                           size_t *left)
{
    const struct bucket *b = f->buckets[w->bucket];
    enum rc rc = list_names(f, w, t);
    if (rc)
        return rc;
    size_t looked_at = 1 + (b ? b->host_count : 0);
    *left -= looked_at < *left ? looked_at : *left;
    w->bucket++;
    return RC_OK;
}

/* The frontier in which a walk looks at a bucket: what was read aside, if the walk began there, or
 * `f`. A walk that has begun in memory goes on aside when the bucket was swapped out: a host's URLs
 * keep their order. RC_AGAIN: it is being read. */
static enum rc choose_frontier(struct frontier *f, struct move_walk *w, unsigned bucket,
                               const struct snapshot_context *c, struct frontier **ret)
{
    enum rc rc = RC_OK;
    if (w->aside && w->aside_bucket != bucket) {
        frontier_close(w->aside);
        w->aside = NULL;
    }
    if (!w->aside && f->away[bucket]) {
        rc = frontier_look(f, bucket, w->looker, c, &w->aside);
        w->aside_bucket = bucket;
    }
    *ret = w->aside ? w->aside : f;
    return rc;
}

static enum rc step_on(struct frontier *f, struct move_walk *w, const struct snapshot_context *c,
                       const struct move_taker *t, size_t *left)
{
    struct frontier *from;
    bool is_in = w->at < w->names.n;
    enum rc rc = choose_frontier(f, w, is_in ? w->bucket - 1 : w->bucket, c, &from);
    if (rc)
        return rc;
    return is_in ? tell_name(from, w, c, t, left) : next_bucket(from, w, t, left);
}

enum rc move_step(struct frontier *f, struct move_walk *w, const struct snapshot_context *c,
                  const struct move_taker *t, size_t most, bool *ret_is_over)
{
    size_t left = most;
    enum rc rc = RC_OK;
    *ret_is_over = false;
    while (rc == RC_OK && left && !*ret_is_over) {
        if (w->at < w->names.n || w->bucket < FRONTIER_BUCKETS)
            rc = step_on(f, w, c, t, &left);
        else
            *ret_is_over = true;
    }
    w->waits = rc == RC_AGAIN;
    return w->waits ? RC_OK : rc;
}

/* Forgetting ---------------------------------------------------------------------------------- */

static size_t longest_url(struct host *h)
{
    size_t longest = 0;
    for (unsigned i = 0; i < FRONTIER_CLASSES; i++) {
        const struct host_class *c = host_class_of(h, i);
        struct url_walk w = url_queue_walk(c ? &c->queue : &(struct url_queue){0});
        struct url_entry e;
        while (url_walk_next(&w, &e))
            longest = e.path.n > longest ? e.path.n : longest;
    }
    return longest + h->name_bytes + 8 + 6;
}

static enum rc forget_urls(struct frontier *f, struct bucket *b, struct host *h, struct buf *room)
{
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < FRONTIER_CLASSES && rc == RC_OK; i++) {
        const struct host_class *c = host_class_of(h, i);
        struct url_walk w = url_queue_walk(c ? &c->queue : &(struct url_queue){0});
        struct url_entry e;
        uint64_t fingerprint;
        while (rc == RC_OK && url_walk_next(&w, &e))
            if (entry_fingerprint(h, &e, room, &fingerprint) == RC_OK)
                rc = bucket_unknow(f, b, fingerprint);
    }
    return rc;
}

enum rc move_forget(struct frontier *f, uint64_t host_hash, struct str name)
{
    struct host *h = frontier_host(f, host_hash, name);
    if (frontier_is_swapped(f, host_hash))
        return frontier_forget_later(f, host_hash, name);
    if (!h)
        return RC_OK;
    if (h->state == HOST_OUT)
        return RC_AGAIN;
    struct buf room = {.max = MOST_URL_BYTES};
    if (!buf_reserve(&room, longest_url(h)))
        return RC_NOMEM;
    struct bucket *b = f->buckets[frontier_bucket(host_hash)];
    enum rc rc = forget_urls(f, b, h, &room);
    swap_forget_recent(f);
    if (rc) {
        buf_done(&room);
        return rc;
    }
    frontier_take_up(f, h);
    frontier_extra_bytes(f, h, 0);
    uint64_t before = f->counts.bytes;
    f->counts.queued -= h->queued;
    b->queued -= h->queued;
    f->counts.hosts--;
    bucket_remove_host(b, h, &f->counts.bytes);
    b->bytes += f->counts.bytes - before;
    buf_done(&room);
    return RC_OK;
}

/* What others have done ----------------------------------------------------------------------- */

/* One that is taken out of the middle stays as bytes and the walk goes on; with the head, chunks
 * may go, and it begins again at the new one. */
static enum rc drop_done(struct frontier *f, struct host *h, unsigned class,
                         const struct seen_set *done)
{
    struct host_class *c = host_class_of(h, class);
    struct buf room = {.max = MOST_URL_BYTES};
    struct url_entry e, head;
    enum rc rc = RC_OK;
    struct url_walk w = url_queue_walk(c ? &c->queue : &(struct url_queue){0});
    while (rc == RC_OK && url_walk_next(&w, &e)) {
        uint64_t fingerprint = 0;
        rc = entry_fingerprint(h, &e, &room, &fingerprint);
        if (rc || !seen_has(done, fingerprint) || is_checked_out(h, class, &c->queue, &e))
            continue;
        bool is_head = url_queue_head(&c->queue, &head) && head.sequence == e.sequence;
        url_queue_take_out(&c->queue, &w, &f->counts.bytes);
        h->queued--;
        frontier_bucket_of(f, h)->queued--;
        f->counts.queued--;
        if (is_head)
            w = url_queue_walk(&c->queue);
    }
    buf_done(&room);
    return rc;
}

static enum rc drop_queued(struct frontier *f, struct host *h, const struct seen_set *done)
{
    bool is_out = h->state == HOST_OUT;
    enum rc rc = RC_OK;
    if (!is_out)
        frontier_take_up(f, h);
    for (unsigned i = 0; i < FRONTIER_CLASSES && rc == RC_OK; i++)
        rc = drop_done(f, h, i, done);
    if (!is_out)
        frontier_put_down(f, h, 0);
    return rc;
}

/* Those that were known may be queued; the others become known. */
static enum rc know(struct frontier *f, struct bucket *b, const uint64_t *fingerprints,
                    size_t count, struct seen_set *ret_known)
{
    size_t before = seen_bytes(&b->seen);
    enum rc rc = count < UINT32_MAX ? seen_reserve(&b->seen, (uint32_t)count) : RC_LIMIT;
    f->counts.bytes += seen_bytes(&b->seen) - before;
    if (rc == RC_OK)
        rc = seen_reserve(ret_known, (uint32_t)count);
    for (size_t i = 0; rc == RC_OK && i < count; i++) {
        bool is_known = false;
        rc = bucket_knows(f, b, fingerprints[i], &is_known);
        if (rc == RC_OK && is_known) {
            seen_put(ret_known, fingerprints[i]);
        } else if (rc == RC_OK) {
            seen_put(&b->seen, fingerprints[i]);
            bucket_learnt(f, b, fingerprints[i]);
        }
    }
    return rc;
}

/* Into the inbox of a swapped bucket. */
static enum rc leave(struct frontier *f, uint64_t host_hash, struct str name,
                     const uint64_t *fingerprints, size_t count,
                     enum rc (*one)(struct frontier *f, uint64_t host_hash, struct str name,
                                    uint64_t fingerprint))
{
    enum rc rc = RC_OK;
    for (size_t i = 0; i < count && rc == RC_OK; i++)
        rc = one(f, host_hash, name, fingerprints[i]);
    return rc;
}

enum rc move_done(struct frontier *f, uint64_t host_hash, struct str name,
                  const uint64_t *fingerprints, size_t count)
{
    if (frontier_is_swapped(f, host_hash))
        return leave(f, host_hash, name, fingerprints, count, frontier_done_later);
    struct bucket *b = frontier_bucket_need(f, frontier_bucket(host_hash), 0);
    struct host *h = frontier_host(f, host_hash, name);
    struct seen_set known = {0};
    uint64_t before = f->counts.bytes;
    enum rc rc = b ? know(f, b, fingerprints, count, &known) : RC_NOMEM;
    if (rc == RC_OK && known.count && h && h->queued)
        rc = drop_queued(f, h, &known);
    if (b)
        b->bytes += f->counts.bytes - before;
    seen_done(&known);
    return rc;
}

/* Everything that waits for a host, or is out. */
static enum rc note_queued(struct host *h, struct seen_set *ret)
{
    struct buf room = {.max = MOST_URL_BYTES};
    enum rc rc = seen_reserve(ret, h->queued + 1);
    for (unsigned i = 0; i < FRONTIER_CLASSES && rc == RC_OK; i++) {
        const struct host_class *c = host_class_of(h, i);
        struct url_walk w = url_queue_walk(c ? &c->queue : &(struct url_queue){0});
        struct url_entry e;
        uint64_t fingerprint;
        while (rc == RC_OK && url_walk_next(&w, &e)) {
            rc = entry_fingerprint(h, &e, &room, &fingerprint);
            rc = rc ? rc : seen_reserve(ret, 1);
            if (rc == RC_OK)
                seen_put(ret, fingerprint);
        }
    }
    buf_done(&room);
    return rc;
}

enum rc move_unknow(struct frontier *f, uint64_t host_hash, struct str name,
                    const uint64_t *fingerprints, size_t count)
{
    struct bucket *b = f->buckets[frontier_bucket(host_hash)];
    struct host *h = frontier_host(f, host_hash, name);
    struct seen_set queued = {0};
    if (frontier_is_swapped(f, host_hash))
        return leave(f, host_hash, name, fingerprints, count, frontier_unknow_later);
    enum rc rc = h ? note_queued(h, &queued) : RC_OK;
    swap_forget_recent(f);
    for (size_t i = 0; b && rc == RC_OK && i < count; i++)
        if (!seen_has(&queued, fingerprints[i]))
            rc = bucket_unknow(f, b, fingerprints[i]);
    seen_done(&queued);
    return rc;
}

/* What others know of a host ------------------------------------------------------------------- */

static enum rc host_need(struct frontier *f, const struct move_record *r, uint64_t now_ms,
                         struct host **ret)
{
    *ret = frontier_host(f, r->host_hash, r->name);
    if (*ret)
        return RC_OK;
    if (f->counts.hosts + f->swapped_sums.hosts >= f->settings.max_hosts)
        return RC_LIMIT;
    struct bucket *b = frontier_bucket_need(f, frontier_bucket(r->host_hash), now_ms);
    enum rc rc = b ? frontier_heaps_reserve(f) : RC_NOMEM;
    if (rc)
        return rc;
    uint64_t before = f->counts.bytes;
    *ret = bucket_add_host(b, r->host_hash, r->name, &f->counts.bytes);
    b->bytes += f->counts.bytes - before;
    f->counts.hosts += *ret != NULL;
    return *ret ? RC_OK : RC_NOMEM;
}

static uint64_t due_of(const struct snapshot_context *c, uint64_t wall_ms)
{
    if (wall_ms <= c->wall_ms)
        return 0;
    uint64_t wait = wall_ms - c->wall_ms;
    return c->now_ms + (wait < c->most_wait_ms ? wait : c->most_wait_ms);
}

enum rc move_host(struct frontier *f, const struct move_record *r, const struct snapshot_context *c)
{
    struct host *h;
    if (!r->name.n || r->name.n > FRONTIER_MAX_HOST_BYTES)
        return RC_INVALID;
    if (frontier_is_swapped(f, r->host_hash))
        return frontier_host_later(f, r->host_hash, r->name, r->extra, r->next_wall_ms);
    enum rc rc = host_need(f, r, c->now_ms, &h);
    if (rc)
        return rc;
    frontier_hold(f, h, due_of(c, r->next_wall_ms));
    bool is_newer = !r->is_newer || r->is_newer(r->ctx, h, r->time_ms, r->extra);
    if (!r->extra.n || !c->read_extra || !is_newer)
        return RC_OK;
    size_t bytes = h->extra_bytes;
    rc = c->read_extra(c->ctx, h, r->extra, &bytes);
    frontier_extra_bytes(f, h, bytes);
    return rc;
}
