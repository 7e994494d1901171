/* SPDX-License-Identifier: Apache-2.0 */
#include "frontier/listing.h"

#include "base/mem.h"
#include "frontier/frontier_internal.h"
#include "frontier/move.h"

enum { MOST_URL_BYTES = 8 + FRONTIER_MAX_HOST_BYTES + 6 + FRONTIER_MAX_PATH_BYTES };

struct listing *listing_open(enum order_kind kind, uint64_t half)
{
    struct listing *l = mem_zero(1, sizeof *l);
    if (!l)
        return NULL;
    l->kind = kind;
    l->half = half;
    return l;
}

void listing_close(struct listing *l)
{
    mem_free(l);
}

/* Values ------------------------------------------------------------------------------------- */

/* A host's bucket is chosen by its hash, so the other shards know about as much. */
static uint64_t known_to_all(const struct frontier *f)
{
    return (f->counts.known + f->swapped_sums.known) * f->shards;
}

static int value_of(const struct frontier *f, uint32_t forward, uint32_t back)
{
    return order_pvalue(forward, back, known_to_all(f), f->listing->half);
}

unsigned listing_class(const struct frontier *f, const struct candidate *c)
{
    struct listing *l = f->listing;
    if (l->kind != ORDER_PRIORITY)
        return c->class;
    if (c->forward)
        order_forward_learn(&l->forward, c->host_hash, c->path, c->forward - 1u);
    if (c->class == ORDER_REVISITS)
        return c->class;
    uint32_t forward = order_forward_expect(&l->forward, c->host_hash, c->path);
    return order_lists_admit(&l->lists, value_of(f, forward, c->via != 0));
}

void frontier_learn(struct frontier *f, uint64_t host_hash, struct str path, uint32_t links)
{
    if (listing_counts(f->listing))
        order_forward_learn(&f->listing->forward, host_hash, path, links);
}

void frontier_linked_again(struct frontier *f, uint64_t host_hash, uint64_t fingerprint,
                           unsigned pages)
{
    struct bucket *b = f->buckets[frontier_bucket(host_hash)];
    if (b && listing_counts(f->listing))
        seen_add_links(&b->seen, fingerprint, pages);
}

enum order_kind frontier_order(const struct frontier *f)
{
    return f->listing ? f->listing->kind : ORDER_BREADTH;
}

bool frontier_worth(const struct frontier *f, uint64_t host_hash, uint64_t fingerprint,
                    struct str path, struct frontier_worth *ret)
{
    const struct bucket *b = f->buckets[frontier_bucket(host_hash)];
    if (!b || !listing_counts(f->listing))
        return false;
    ret->forward = order_forward_expect(&f->listing->forward, host_hash, path);
    ret->back = seen_links(&b->seen, fingerprint);
    ret->value = value_of(f, ret->forward, ret->back);
    return true;
}

/* Turns -------------------------------------------------------------------------------------- */

static unsigned waiting_in(struct host *h)
{
    unsigned bits = h->first.queue.count != 0;
    for (unsigned i = 1; h->more && i < FRONTIER_CLASSES; i++)
        bits |= (unsigned)(host_class_of(h, i)->queue.count != 0) << i;
    return bits;
}

unsigned listing_offered(const struct listing *l, struct host *h)
{
    return order_offered(h->passes, waiting_in(h), l->kind);
}

void listing_taken(struct host *h, unsigned class)
{
    if (h->more)
        order_passed(&h->passes, class, waiting_in(h));
}

unsigned listing_turn(struct frontier *f)
{
    bool has_revisits = f->ready[ORDER_REVISITS].count || f->preferred[ORDER_REVISITS].count;
    return order_wheel_turn(&f->listing->wheel, f->listing->kind, has_revisits);
}

/* At a head ---------------------------------------------------------------------------------- */

/* Without memory for its name it stays where it is. */
static bool worth_of_head(const struct frontier *f, const struct host_class *c,
                          const struct url_entry *head, struct frontier_worth *ret)
{
    const struct host *h = c->host;
    struct origin o = host_origin_at(h, head->origin);
    struct buf room = {.max = MOST_URL_BYTES};
    uint64_t fingerprint = 0;
    bool has = move_fingerprint(host_name(h), o.is_https, o.port, head->path, &room,
                                &fingerprint) == RC_OK &&
               frontier_worth(f, h->host_hash, fingerprint, head->path, ret);
    buf_done(&room);
    return has;
}

bool listing_is_low(const struct frontier *f, const struct host_class *c, unsigned class,
                    unsigned *ret_to)
{
    struct url_entry head;
    struct frontier_worth worth;
    *ret_to = class;
    if (!listing_counts(f->listing) || class >= ORDER_LISTS - 1 ||
        !url_queue_head(&c->queue, &head) || !worth_of_head(f, c, &head, &worth))
        return false;
    *ret_to = order_lists_best(&f->listing->lists, worth.value);
    return *ret_to > class;
}

bool listing_lowered(struct frontier *f, struct host_class *c, unsigned class)
{
    unsigned to;
    struct url_entry head;
    if (!listing_is_low(f, c, class, &to) || !url_queue_head(&c->queue, &head))
        return false;
    uint64_t before = f->counts.bytes;
    struct host_class *lower = host_class_need(c->host, to, &f->counts.bytes);
    head.sequence = f->next_sequence;
    bool is_moved = lower && url_queue_push(&lower->queue, &head, &f->counts.bytes) == RC_OK;
    f->next_sequence += is_moved;
    if (is_moved)
        url_queue_pop(&c->queue, &f->counts.bytes);
    frontier_bucket_of(f, c->host)->bytes += f->counts.bytes - before;
    return is_moved;
}
