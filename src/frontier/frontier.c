/* SPDX-License-Identifier: Apache-2.0 */
#include "frontier/frontier.h"

#include "base/mem.h"
#include "frontier/frontier_internal.h"
#include "frontier/seen_store.h"

enum {
    BATCH = 64, /* candidates looked up together */
    ALL_CLASSES = (1 << FRONTIER_CLASSES) - 1,
    MOST_LOWERED = 64, /* URLs that move to a worse list before one is checked out */
};

struct frontier *frontier_open(const struct frontier_settings *s, unsigned shard, unsigned shards)
{
    struct frontier *f = mem_zero(1, sizeof *f);
    if (!f)
        return NULL;
    f->settings = *s;
    f->shard = shard;
    f->shards = shards;
    f->next_sequence = 1;
    heap_init(&f->wake, s->max_hosts);
    for (unsigned i = 0; i < FRONTIER_CLASSES; i++)
        heap_init(&f->ready[i], s->max_hosts);
    for (unsigned i = 0; i < FRONTIER_CLASSES; i++)
        heap_init(&f->preferred[i], s->max_hosts);
    f->buckets = mem_zero(FRONTIER_BUCKETS, sizeof(void *));
    f->away = mem_zero(FRONTIER_BUCKETS, sizeof(void *));
    if (s->order != ORDER_BREADTH)
        f->listing = listing_open(s->order, s->order_half);
    size_t recent = s->store ? s->store->recent : 0;
    if (recent)
        f->store_recent = mem_zero(recent, sizeof *f->store_recent);
    if (!f->buckets || !f->away || (recent && !f->store_recent) ||
        (s->order != ORDER_BREADTH && !f->listing)) {
        frontier_close(f);
        return NULL;
    }
    return f;
}

void frontier_close(struct frontier *f)
{
    if (!f)
        return;
    for (unsigned i = 0; f->buckets && i < FRONTIER_BUCKETS; i++) {
        if (f->buckets[i])
            bucket_done(f->buckets[i], &f->counts.bytes);
        mem_free(f->buckets[i]);
    }
    swap_close(f);
    mem_free(f->buckets);
    mem_free(f->store_recent);
    listing_close(f->listing);
    heap_done(&f->wake);
    for (unsigned i = 0; i < FRONTIER_CLASSES; i++)
        heap_done(&f->ready[i]);
    for (unsigned i = 0; i < FRONTIER_CLASSES; i++)
        heap_done(&f->preferred[i]);
    mem_free(f);
}

/* Where a host is ---------------------------------------------------------------------------- */

enum rc frontier_heaps_reserve(struct frontier *f)
{
    enum rc rc = heap_reserve(&f->wake, f->counts.hosts + 1);
    for (unsigned i = 0; i < FRONTIER_CLASSES && rc == RC_OK; i++)
        rc = heap_reserve(&f->ready[i], f->counts.hosts + 1);
    return rc;
}

static void must_add(struct heap *h, struct heap_node *n, uint64_t key, uint64_t order)
{
    n->key = key;
    n->order = order;
    enum rc rc = heap_add(h, n);
    (void)rc; /* there is room: frontier_heaps_reserve */
}

static bool is_preferred(const struct frontier *f, const struct host_class *c, uint8_t origin)
{
    const struct frontier_preference *p = &f->preference;
    struct origin o = host_origin_at(c->host, origin);
    return p->prefers(p->ctx, host_name(c->host), o.port, o.is_https);
}

static struct heap *ready_heap(struct frontier *f, unsigned class, const struct host *h)
{
    return h->preferred & 1u << class ? &f->preferred[class] : &f->ready[class];
}

static void set_preferred(struct host *h, unsigned class, bool is)
{
    h->preferred = (uint8_t)((h->preferred & ~(1u << class)) | (unsigned)is << class);
}

/* A class of a host that is ready, with its head, joins a heap. */
static void join_ready(struct frontier *f, struct host_class *c, unsigned class,
                       const struct url_entry *head)
{
    struct heap *p = &f->preferred[class];
    set_preferred(c->host, class,
                  f->preference.prefers && is_preferred(f, c, head->origin) &&
                      heap_reserve(p, p->count + 1) == RC_OK);
    must_add(ready_heap(f, class, c->host), &c->node, head->sequence, 0);
}

/* The classes in which a host that is ready stands in a heap. */
static unsigned offered_in(const struct frontier *f, struct host *h)
{
    return f->listing && h->more ? listing_offered(f->listing, h) : ALL_CLASSES;
}

static void make_ready(struct frontier *f, struct host *h)
{
    h->state = HOST_READY;
    f->counts.ready++;
    unsigned offered = offered_in(f, h);
    for (unsigned i = 0; i < FRONTIER_CLASSES; i++) {
        struct host_class *c = host_class_of(h, i);
        struct url_entry head;
        if (c && offered & 1u << i && url_queue_head(&c->queue, &head))
            join_ready(f, c, i, &head);
    }
}

static void make_waiting(struct frontier *f, struct host *h)
{
    h->state = HOST_WAITING;
    f->counts.waiting++;
    must_add(&f->wake, &h->first.node, h->due_ms, h->host_hash);
}

void frontier_take_up(struct frontier *f, struct host *h)
{
    if (h->state == HOST_WAITING) {
        heap_remove(&f->wake, &h->first.node);
        f->counts.waiting--;
    } else if (h->state == HOST_READY) {
        for (unsigned i = 0; i < FRONTIER_CLASSES; i++) {
            struct host_class *c = host_class_of(h, i);
            if (c)
                heap_remove(ready_heap(f, i, h), &c->node);
        }
        f->counts.ready--;
    }
    h->state = HOST_IDLE;
}

void frontier_put_down(struct frontier *f, struct host *h, uint64_t now_ms)
{
    if (!h->queued || frontier_bucket_of(f, h)->is_leaving)
        h->state = HOST_IDLE;
    else if (h->due_ms > now_ms)
        make_waiting(f, h);
    else
        make_ready(f, h);
}

/* A bucket's hosts are taken out of the heaps first. */
static void take_up_all(struct frontier *f, const struct bucket *b)
{
    for (uint32_t i = 0; i < b->host_slots; i++)
        if (b->hosts[i])
            frontier_take_up(f, b->hosts[i]);
}

void frontier_empty(struct frontier *f, unsigned bucket)
{
    if (f->buckets[bucket])
        take_up_all(f, f->buckets[bucket]);
    frontier_bucket_drop(f, bucket);
    swap_forget_recent(f);
}

/* Admitting ---------------------------------------------------------------------------------- */

static struct bucket *bucket_open(const struct frontier *f, uint64_t now_ms)
{
    struct bucket *b = mem_zero(1, sizeof *b);
    if (!b)
        return NULL;
    b->bytes = sizeof *b;
    b->since_ms = now_ms;
    b->seen.counts_links = listing_counts(f->listing);
    if (f->settings.store && !(b->overlay = overlay_open(f->era, &b->bytes))) {
        mem_free(b);
        return NULL;
    }
    return b;
}

struct bucket *frontier_bucket_need(struct frontier *f, unsigned bucket, uint64_t now_ms)
{
    struct bucket **b = &f->buckets[bucket];
    if (!*b && (*b = bucket_open(f, now_ms)))
        f->counts.bytes += (*b)->bytes;
    return *b;
}

void frontier_bucket_drop(struct frontier *f, unsigned bucket)
{
    struct bucket *b = f->buckets[bucket];
    if (!b)
        return;
    f->counts.hosts -= b->host_count;
    f->counts.known -= bucket_known(b);
    f->counts.queued -= b->queued;
    for (uint32_t i = 0; i < b->host_slots; i++)
        f->counts.bytes -= b->hosts[i] ? b->hosts[i]->extra_bytes : 0;
    bucket_done(b, &f->counts.bytes);
    f->counts.bytes -= sizeof *b;
    mem_free(b);
    f->buckets[bucket] = NULL;
}

void frontier_each_host(const struct frontier *f, void (*each)(void *ctx, const struct host *h),
                        void *ctx)
{
    for (unsigned bucket = 0; bucket < FRONTIER_BUCKETS; bucket++) {
        const struct bucket *b = f->buckets[bucket];
        for (uint32_t i = 0; b && i < b->host_slots; i++)
            if (b->hosts[i])
                each(ctx, b->hosts[i]);
    }
}

struct host *frontier_host_make(struct frontier *f, struct bucket *b, uint64_t host_hash,
                                struct str name, enum admitted *ret_why)
{
    struct host *h = bucket_host(b, host_hash, name);
    *ret_why = ADMITTED_NEW;
    if (h)
        return h;
    if (f->counts.hosts + f->swapped_sums.hosts >= f->settings.max_hosts) {
        *ret_why = ADMITTED_HOSTS_FULL;
        return NULL;
    }
    if (frontier_heaps_reserve(f))
        return NULL;
    h = bucket_add_host(b, host_hash, name, &f->counts.bytes);
    f->counts.hosts += h != NULL;
    return h;
}

/* A class that got its first URL while the host is ready joins that class's heap. */
static void queue_grew(struct frontier *f, struct host *h, unsigned class, uint64_t now_ms)
{
    struct url_entry head;
    h->queued++;
    f->counts.queued++;
    struct host_class *c = host_class_of(h, class);
    if (h->state == HOST_IDLE)
        frontier_put_down(f, h, now_ms);
    else if (h->state == HOST_READY && !c->node.at && offered_in(f, h) & 1u << class &&
             url_queue_head(&c->queue, &head))
        join_ready(f, c, class, &head);
}

static enum rc push(struct frontier *f, struct host *h, const struct candidate *c, unsigned number)
{
    uint64_t *bytes = &f->counts.bytes;
    struct host_class *class = host_class_need(h, number, bytes);
    struct url_entry e = {.sequence = f->next_sequence,
                          .via = c->via,
                          .path = c->path,
                          .seed_path = str_first(c->seed_path, FRONTIER_MAX_SEED_PATH)};
    if (!class)
        return RC_NOMEM;
    enum rc rc = host_origin_number(h, (struct origin){c->port, c->is_https}, &e.origin, bytes);
    if (rc == RC_OK)
        rc = url_queue_push(&class->queue, &e, bytes);
    f->next_sequence += rc == RC_OK;
    f->has_lists |= number != 0;
    return rc;
}

bool frontier_host_is_full(const struct frontier *f, const struct host *h, uint64_t more,
                           uint64_t more_bytes)
{
    uint64_t most_bytes = f->settings.max_host_queue_bytes;
    return h->queued + more >= f->settings.max_host_queue ||
           (most_bytes && host_queue_bytes(h) + more_bytes >= most_bytes);
}

static enum rc admit_new(struct frontier *f, struct bucket *b, const struct candidate *c,
                         uint64_t now_ms, enum admitted *ret)
{
    size_t before = seen_bytes(&b->seen);
    enum rc rc = seen_reserve(&b->seen, 1);
    f->counts.bytes += seen_bytes(&b->seen) - before;
    struct host *h = rc ? NULL : frontier_host_make(f, b, c->host_hash, c->host, ret);
    if (!h)
        return rc ? rc : *ret == ADMITTED_HOSTS_FULL ? RC_OK : RC_NOMEM;
    if (frontier_host_is_full(f, h, 0, 0)) {
        *ret = ADMITTED_HOST_FULL;
        return RC_OK;
    }
    unsigned class = f->listing ? listing_class(f, c) : c->class;
    rc = push(f, h, c, class);
    if (rc == RC_LIMIT) {
        *ret = ADMITTED_HOST_FULL;
        return RC_OK;
    }
    if (rc)
        return rc;
    seen_put(&b->seen, c->fingerprint);
    bucket_learnt(f, b, c->fingerprint);
    if (b->seen.links && c->via)
        seen_add_links(&b->seen, c->fingerprint, 1);
    b->queued++;
    queue_grew(f, h, class, now_ms);
    return RC_OK;
}

/* A link of another page, which did not know that the URL is known. What a journal says again was
 * counted before. */
static void known_again(const struct frontier *f, struct bucket *b, const struct candidate *c)
{
    if (b->seen.links && c->via && c->class != ORDER_REVISITS && !f->settings.replays)
        seen_add_links(&b->seen, c->fingerprint, 1);
}

enum rc frontier_admit_one(struct frontier *f, const struct candidate *c, uint64_t now_ms,
                           enum admitted *ret)
{
    unsigned bucket = frontier_bucket(c->host_hash);
    struct bucket *b = f->buckets[bucket];
    *ret = ADMITTED_KNOWN;
    if (b && seen_has(&b->seen, c->fingerprint)) {
        known_again(f, b, c);
        return RC_OK;
    }
    if (!b && f->away[bucket])
        return swap_admit(f, bucket, c, ret);
    if (!b && !(b = frontier_bucket_need(f, bucket, now_ms)))
        return RC_NOMEM;
    bool is_stored = false;
    enum rc rc = b->overlay ? overlay_has(f, b, c->fingerprint, &is_stored) : RC_OK;
    if (rc || is_stored)
        return rc;
    uint64_t before = f->counts.bytes;
    rc = admit_new(f, b, c, now_ms, ret);
    b->bytes += f->counts.bytes - before;
    return rc;
}

/* Two passes bring near what the third will look at: the buckets, then their slots. */
static void prefetch(const struct frontier *f, const struct candidate *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        __builtin_prefetch(f->buckets[frontier_bucket(list[i].host_hash)]);
    for (size_t i = 0; i < count; i++) {
        const struct bucket *b = f->buckets[frontier_bucket(list[i].host_hash)];
        if (b)
            seen_prefetch(&b->seen, list[i].fingerprint);
    }
}

enum rc frontier_admit(struct frontier *f, const struct candidate *list, size_t count,
                       uint64_t now_ms, enum admitted *ret, size_t *ret_done)
{
    size_t near = 0;
    for (*ret_done = 0; *ret_done < count; ++*ret_done) {
        if (*ret_done == near) {
            size_t more = count - near < BATCH ? count - near : BATCH;
            prefetch(f, list + near, more);
            near += more;
        }
        enum rc rc = frontier_admit_one(f, &list[*ret_done], now_ms, &ret[*ret_done]);
        if (rc)
            return rc;
    }
    return RC_OK;
}

bool frontier_is_mine(const struct frontier *f, uint64_t host_hash)
{
    return frontier_bucket(host_hash) % f->shards == f->shard;
}

bool frontier_knows(const struct frontier *f, uint64_t host_hash, uint64_t fingerprint)
{
    const struct bucket *b = f->buckets[frontier_bucket(host_hash)];
    if (!b && f->away[frontier_bucket(host_hash)])
        return swap_knows(f, fingerprint);
    bool knows = b && seen_has(&b->seen, fingerprint);
    if (!knows && b && b->overlay && overlay_has(f, b, fingerprint, &knows))
        return false; /* the admission fails as well */
    return knows;
}

/* Checkout and checkin
 * ------------------------------------------------------------------------------ */

static void wake_due(struct frontier *f, uint64_t now_ms)
{
    struct heap_node *n;
    while ((n = heap_first(&f->wake)) && n->key <= now_ms) {
        struct host_class *c = (struct host_class *)(void *)n; /* node is its first member */
        frontier_take_up(f, c->host);
        make_ready(f, c->host);
    }
}

void frontier_prefer(struct frontier *f, struct frontier_preference p)
{
    f->preference = p;
}

/* Whether it still is; if not, it joins the others. */
static bool stays_preferred(struct frontier *f, struct host_class *c, unsigned class)
{
    struct url_entry head;
    if (f->preference.prefers && url_queue_head(&c->queue, &head) &&
        is_preferred(f, c, head.origin))
        return true;
    heap_remove(&f->preferred[class], &c->node);
    set_preferred(c->host, class, false);
    must_add(&f->ready[class], &c->node, c->node.key, 0);
    return false;
}

/* Of one class. A host that was ready while it was preferred is looked at once more, and each only
 * once until it is ready the next time. */
static struct heap_node *first_of_class(struct frontier *f, unsigned class)
{
    struct heap_node *p;
    while ((p = heap_first(&f->preferred[class]))) {
        const struct heap_node *n = heap_first(&f->ready[class]);
        if (n && p->key > n->key && p->key - n->key > FRONTIER_MAX_BYPASS)
            break;
        if (stays_preferred(f, (struct host_class *)(void *)p, class))
            return p;
    }
    return heap_first(&f->ready[class]);
}

static struct host_class *first_ready(struct frontier *f, unsigned class, unsigned *ret_class)
{
    for (unsigned i = 0; i < FRONTIER_CLASSES; i++) {
        unsigned at = (class + i) % FRONTIER_CLASSES;
        struct heap_node *n = first_of_class(f, at);
        if (n) {
            *ret_class = at;
            return (struct host_class *)(void *)n;
        }
    }
    return NULL;
}

/* The class with the lowest head sequence: of a crawl that had lists, and has none any more. */
static unsigned oldest_class(struct frontier *f)
{
    unsigned found = 0;
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < FRONTIER_CLASSES; i++) {
        const struct heap_node *n = first_of_class(f, i);
        if (n && n->key < least) {
            least = n->key;
            found = i;
        }
    }
    return found;
}

/* The class that has the turn, or the best behind it. A head that has become worth less goes to a
 * worse list first, so that it is not taken for what it was. */
static struct host_class *first_listed(struct frontier *f, unsigned turn, unsigned *ret_class)
{
    unsigned lowered = 0;
    for (unsigned i = 0; i <= FRONTIER_CLASSES; i++) {
        unsigned at = i ? i - 1 : turn, to;
        struct heap_node *n;
        while ((n = first_of_class(f, at))) {
            struct host_class *c = (struct host_class *)(void *)n;
            if (lowered == MOST_LOWERED || !listing_is_low(f, c, at, &to))
                break;
            frontier_take_up(f, c->host);
            lowered = listing_lowered(f, c, at) ? lowered + 1 : MOST_LOWERED;
            make_ready(f, c->host);
        }
        *ret_class = at;
        if (n)
            return (struct host_class *)(void *)n;
    }
    return NULL;
}

static void fill_checkout(struct host_class *c, unsigned class, struct checkout *ret)
{
    struct url_entry e = {0};
    (void)url_queue_head(&c->queue, &e);
    struct origin o = host_origin_at(c->host, e.origin);
    *ret = (struct checkout){
        .host = c->host,
        .host_name = host_name(c->host),
        .path = e.path,
        .sequence = e.sequence,
        .via = e.via,
        .port = o.port,
        .is_https = o.is_https,
        .class = (uint8_t) class,
        .seed_path = e.seed_path,
    };
}

/* A host that is ready, in the class in which it was found. */
static void check_out(struct frontier *f, struct host_class *c, unsigned found,
                      struct checkout *ret)
{
    frontier_take_up(f, c->host);
    c->host->state = HOST_OUT;
    c->host->checkout_class = (uint8_t)found;
    f->counts.out++;
    struct bucket *b = frontier_bucket_of(f, c->host);
    b->out++;
    b->is_fresh = false;
    fill_checkout(c, found, ret);
}

enum rc frontier_checkout(struct frontier *f, unsigned class, uint64_t now_ms, struct checkout *ret)
{
    wake_due(f, now_ms);
    unsigned found = 0;
    struct host_class *c = first_ready(f, class, &found);
    if (!c)
        return RC_AGAIN;
    check_out(f, c, found, ret);
    return RC_OK;
}

enum rc frontier_checkout_next(struct frontier *f, uint64_t now_ms, struct checkout *ret)
{
    if (!f->listing && !f->has_lists)
        return frontier_checkout(f, 0, now_ms, ret);
    wake_due(f, now_ms);
    if (!f->counts.ready) /* no turn is lost while all hosts wait */
        return RC_AGAIN;
    unsigned found = 0;
    struct host_class *c = f->listing ? first_listed(f, listing_turn(f), &found)
                                      : first_ready(f, oldest_class(f), &found);
    if (!c)
        return RC_AGAIN;
    if (f->listing)
        listing_taken(c->host, found);
    check_out(f, c, found, ret);
    return RC_OK;
}

uint64_t frontier_due_ms(const struct frontier *f)
{
    if (f->counts.ready)
        return 0;
    struct heap_node *n = heap_first(&f->wake);
    uint64_t due_ms = n ? n->key : UINT64_MAX, swap_ms = swap_due_ms(f);
    return due_ms < swap_ms ? due_ms : swap_ms;
}

struct host *frontier_first_waiting(const struct frontier *f, uint64_t *ret_due_ms)
{
    struct heap_node *n = heap_first(&f->wake);
    if (!n)
        return NULL;
    struct host_class *first =
        (struct host_class *)(void *)((char *)n - offsetof(struct host_class, node));
    *ret_due_ms = n->key;
    return first->host;
}

/* The head to the end, with a new sequence. If there is no memory for that it stays. */
static void put_last(struct frontier *f, struct host_class *c)
{
    struct url_entry e;
    if (c->queue.count < 2 || !url_queue_head(&c->queue, &e))
        return;
    e.sequence = f->next_sequence;
    if (url_queue_push(&c->queue, &e, &f->counts.bytes))
        return;
    f->next_sequence++;
    url_queue_pop(&c->queue, &f->counts.bytes);
}

void frontier_checkin(struct frontier *f, struct checkout *l, enum checkin how, uint64_t due_ms)
{
    struct host *h = l->host;
    struct host_class *c = host_class_of(h, h->checkout_class);
    struct bucket *b = frontier_bucket_of(f, h);
    uint64_t before = f->counts.bytes;
    f->counts.out--;
    b->out--;
    f->swap.has_left |= b->is_leaving && !b->out;
    if (how == CHECKIN_DONE) {
        url_queue_pop(&c->queue, &f->counts.bytes);
        h->queued--;
        b->queued--;
        f->counts.queued--;
    } else if (how == CHECKIN_LAST) {
        put_last(f, c);
    }
    b->bytes += f->counts.bytes - before;
    if (due_ms > h->due_ms)
        h->due_ms = due_ms;
    frontier_put_down(f, h, 0);
    l->host = NULL;
}

void frontier_hold(struct frontier *f, struct host *h, uint64_t due_ms)
{
    if (due_ms <= h->due_ms)
        return;
    h->due_ms = due_ms;
    if (h->state == HOST_OUT)
        return;
    frontier_take_up(f, h);
    frontier_put_down(f, h, 0);
}

struct host *frontier_host(const struct frontier *f, uint64_t host_hash, struct str name)
{
    const struct bucket *b = f->buckets[frontier_bucket(host_hash)];
    return b ? bucket_host(b, host_hash, name) : NULL;
}

void frontier_extra_bytes(struct frontier *f, struct host *h, size_t bytes)
{
    uint32_t now = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
    uint64_t change = (uint64_t)now - h->extra_bytes; /* wraps where it is less */
    f->counts.bytes += change;
    frontier_bucket_of(f, h)->bytes += change;
    h->extra_bytes = now;
}

struct frontier_counts frontier_counts(const struct frontier *f)
{
    struct frontier_counts all = f->counts;
    all.hosts += f->swapped_sums.hosts;
    all.known += f->swapped_sums.known;
    all.queued += f->swapped_sums.queued;
    all.bytes += f->swap.inbox_bytes + f->swap.flight_bytes;
    all.bytes += f->swap.recent_count * sizeof *f->swap.recent;
    all.bytes += f->listing ? sizeof *f->listing : 0;
    all.bytes += f->store_recent ? f->settings.store->recent * sizeof *f->store_recent : 0;
    for (unsigned i = 0; i < SWAP_LOOKERS; i++)
        all.bytes += f->swap.looks[i].file.cap + f->swap.looks[i].inbox.cap;
    return all;
}
