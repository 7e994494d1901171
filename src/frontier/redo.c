/* SPDX-License-Identifier: Apache-2.0 */
#include "frontier/redo.h"

#include "frontier/frontier_internal.h"

/* An entry that came with a snapshot has the sequence of the checkout and stands in the part of the
 * queue that is in order; one admitted since then has a number that says nothing. A checkout whose
 * sequence is above the snapshot's may be of an entry that was put last since, which no journal
 * says: only its path tells. */
static bool find(const struct frontier *f, const struct host *h, const struct url_queue *q,
                 const struct redo *r, bool by_path, struct url_walk *w, struct url_entry *ret)
{
    if (!q->count)
        return false;
    by_path |= r->by_path || r->sequence >= f->snapshot_sequence;
    uint64_t snapshots_below = by_path ? 0 : f->snapshot_sequence;
    bool only_snapshots = q->last_sequence < snapshots_below;
    *w = url_queue_walk(q);
    while (url_walk_next(w, ret)) {
        if (only_snapshots && ret->sequence > r->sequence)
            return false;
        struct origin o = host_origin_at(h, ret->origin);
        bool may_be = ret->sequence == r->sequence || ret->sequence >= snapshots_below;
        if (may_be && o.port == r->port && o.is_https == r->is_https && str_eq(ret->path, r->path))
            return true;
    }
    return false;
}

static struct host_class *find_in_classes(const struct frontier *f, struct host *h,
                                          const struct redo *r, bool by_path, struct url_walk *w,
                                          struct url_entry *ret)
{
    for (unsigned i = 0; i < FRONTIER_CLASSES; i++) {
        struct host_class *c = host_class_of(h, (r->class + i) % FRONTIER_CLASSES);
        if (c && find(f, h, &c->queue, r, by_path, w, ret))
            return c;
    }
    return NULL;
}

/* Where it is. NULL: it is not queued. It may have another sequence than when it was checked out,
 * though the snapshot has it, if it moved behind the moment at which its bucket was written: a host
 * of several origins puts URLs back without a word in the journal, and with lists a URL that is
 * worth less moves to another list (frontier/listing.h), as does a link that is admitted again. */
static struct host_class *find_class(const struct frontier *f, struct host *h, const struct redo *r,
                                     struct url_walk *w, struct url_entry *ret)
{
    struct host_class *c = find_in_classes(f, h, r, false, w, ret);
    bool may_have_moved = f->has_lists || h->origin_count > 1;
    return c || !may_have_moved ? c : find_in_classes(f, h, r, true, w, ret);
}

/* To the end with a new sequence, as frontier_checkin does. */
static void move_last(struct frontier *f, struct url_queue *q, const struct url_walk *w,
                      struct url_entry *e)
{
    if (q->count < 2)
        return;
    e->sequence = f->next_sequence;
    if (url_queue_push(q, e, &f->counts.bytes))
        return;
    f->next_sequence++;
    url_queue_take_out(q, w, &f->counts.bytes);
}

static void redo_url(struct frontier *f, struct host *h, const struct redo *r)
{
    struct url_walk w;
    struct url_entry e;
    struct host_class *c = r->how == CHECKIN_AGAIN ? NULL : find_class(f, h, r, &w, &e);
    if (!c)
        return;
    if (r->how == CHECKIN_LAST) {
        move_last(f, &c->queue, &w, &e);
        return;
    }
    url_queue_take_out(&c->queue, &w, &f->counts.bytes);
    h->queued--;
    frontier_bucket_of(f, h)->queued--;
    f->counts.queued--;
}

void frontier_redo(struct frontier *f, const struct redo *r)
{
    struct host *h = frontier_host(f, r->host_hash, r->host);
    if (!h || h->state == HOST_OUT)
        return;
    uint64_t before = f->counts.bytes;
    frontier_take_up(f, h);
    redo_url(f, h, r);
    frontier_bucket_of(f, h)->bytes += f->counts.bytes - before;
    if (r->due_ms > h->due_ms)
        h->due_ms = r->due_ms;
    frontier_put_down(f, h, 0);
}

void frontier_hold_all(struct frontier *f, uint64_t due_ms)
{
    for (unsigned b = 0; b < FRONTIER_BUCKETS; b++)
        for (uint32_t i = 0; f->buckets[b] && i < f->buckets[b]->host_slots; i++)
            if (f->buckets[b]->hosts[i])
                frontier_hold(f, f->buckets[b]->hosts[i], due_ms);
}

void frontier_limit(struct frontier *f, const struct frontier_settings *s)
{
    f->settings = *s;
    f->settings.replays = false;
}
