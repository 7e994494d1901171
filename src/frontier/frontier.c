/* SPDX-License-Identifier: Apache-2.0 */
#include "frontier/frontier.h"

#include "base/mem.h"
#include "frontier/inside.h"

enum { BATCH = 64 }; /* candidates looked up together */

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
    f->buckets = mem_zero(FRONTIER_BUCKETS, sizeof(void *));
    f->away = mem_zero(FRONTIER_BUCKETS, sizeof(void *));
    if (!f->buckets || !f->away) {
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
    rest_close(f);
    mem_free(f->buckets);
    heap_done(&f->wake);
    for (unsigned i = 0; i < FRONTIER_CLASSES; i++)
        heap_done(&f->ready[i]);
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

static void make_ready(struct frontier *f, struct host *h)
{
    h->state = HOST_READY;
    f->counts.ready++;
    for (unsigned i = 0; i < FRONTIER_CLASSES; i++) {
        struct host_class *c = host_class_of(h, i);
        struct url_entry head;
        if (c && url_queue_head(&c->queue, &head))
            must_add(&f->ready[i], &c->node, head.sequence, 0);
    }
}

static void make_waiting(struct frontier *f, struct host *h)
{
    h->state = HOST_WAITING;
    f->counts.waiting++;
    must_add(&f->wake, &h->first.node, h->due_ms, h->position);
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
                heap_remove(&f->ready[i], &c->node);
        }
        f->counts.ready--;
    }
    h->state = HOST_IDLE;
}

void frontier_settle_down(struct frontier *f, struct host *h, uint64_t now_ms)
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
    rest_forget_recent(f);
}

/* Admitting ---------------------------------------------------------------------------------- */

struct bucket *frontier_bucket_need(struct frontier *f, unsigned bucket, uint64_t now_ms)
{
    struct bucket **b = &f->buckets[bucket];
    if (!*b) {
        *b = mem_zero(1, sizeof **b);
        if (!*b)
            return NULL;
        f->counts.bytes += sizeof **b;
        (*b)->bytes = sizeof **b;
        (*b)->since_ms = now_ms;
    }
    return *b;
}

void frontier_bucket_drop(struct frontier *f, unsigned bucket)
{
    struct bucket *b = f->buckets[bucket];
    if (!b)
        return;
    f->counts.hosts -= b->host_count;
    f->counts.known -= b->seen.count;
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

static struct host *host_need(struct frontier *f, struct bucket *b, const struct candidate *c,
                              enum admitted *ret_why)
{
    struct host *h = bucket_host(b, c->position, c->host);
    *ret_why = ADMITTED_NEW;
    if (h)
        return h;
    if (f->counts.hosts + f->at_rest.hosts >= f->settings.max_hosts) {
        *ret_why = ADMITTED_HOSTS_FULL;
        return NULL;
    }
    if (frontier_heaps_reserve(f))
        return NULL;
    h = bucket_add_host(b, c->position, c->host, &f->counts.bytes);
    f->counts.hosts += h != NULL;
    return h;
}

/* A class that got its first URL while the host is ready joins that class's heap. */
static void queue_grew(struct frontier *f, struct host *h, unsigned class, uint64_t sequence,
                       uint64_t now_ms)
{
    h->queued++;
    f->counts.queued++;
    struct host_class *c = host_class_of(h, class);
    if (h->state == HOST_IDLE)
        frontier_settle_down(f, h, now_ms);
    else if (h->state == HOST_READY && !c->node.at)
        must_add(&f->ready[class], &c->node, sequence, 0);
}

static enum rc push(struct frontier *f, struct host *h, const struct candidate *c)
{
    uint64_t *bytes = &f->counts.bytes;
    struct host_class *class = host_class_need(h, c->class, bytes);
    struct url_entry e = {.sequence = f->next_sequence,
                          .via = c->via,
                          .path = c->path,
                          .hops = str_first(c->hops, FRONTIER_MAX_HOPS)};
    if (!class)
        return RC_NOMEM;
    enum rc rc = host_origin_number(h, (struct origin){c->port, c->is_https}, &e.origin, bytes);
    if (rc == RC_OK)
        rc = url_queue_push(&class->queue, &e, bytes);
    f->next_sequence += rc == RC_OK;
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
    struct host *h = rc ? NULL : host_need(f, b, c, ret);
    if (!h)
        return rc ? rc : *ret == ADMITTED_HOSTS_FULL ? RC_OK : RC_NOMEM;
    if (frontier_host_is_full(f, h, 0, 0)) {
        *ret = ADMITTED_HOST_FULL;
        return RC_OK;
    }
    uint64_t sequence = f->next_sequence;
    rc = push(f, h, c);
    if (rc == RC_LIMIT) {
        *ret = ADMITTED_HOST_FULL;
        return RC_OK;
    }
    if (rc)
        return rc;
    seen_put(&b->seen, c->fingerprint);
    f->counts.known++;
    b->queued++;
    queue_grew(f, h, c->class, sequence, now_ms);
    return RC_OK;
}

enum rc frontier_admit_one(struct frontier *f, const struct candidate *c, uint64_t now_ms,
                           enum admitted *ret)
{
    unsigned bucket = frontier_bucket(c->position);
    struct bucket *b = f->buckets[bucket];
    *ret = ADMITTED_KNOWN;
    if (b && seen_has(&b->seen, c->fingerprint))
        return RC_OK;
    if (!b && f->away[bucket])
        return rest_admit(f, bucket, c, ret);
    if (!b && !(b = frontier_bucket_need(f, bucket, now_ms)))
        return RC_NOMEM;
    uint64_t before = f->counts.bytes;
    enum rc rc = admit_new(f, b, c, now_ms, ret);
    b->bytes += f->counts.bytes - before;
    return rc;
}

/* Two passes bring near what the third will look at: the buckets, then their slots. */
static void prefetch(const struct frontier *f, const struct candidate *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        __builtin_prefetch(f->buckets[frontier_bucket(list[i].position)]);
    for (size_t i = 0; i < count; i++) {
        const struct bucket *b = f->buckets[frontier_bucket(list[i].position)];
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

bool frontier_is_mine(const struct frontier *f, uint64_t position)
{
    return frontier_bucket(position) % f->shards == f->shard;
}

bool frontier_knows(const struct frontier *f, uint64_t position, uint64_t fingerprint)
{
    const struct bucket *b = f->buckets[frontier_bucket(position)];
    if (!b && f->away[frontier_bucket(position)])
        return rest_knows(f, fingerprint);
    return b && seen_has(&b->seen, fingerprint);
}

/* Lending ------------------------------------------------------------------------------------ */

static void wake_due(struct frontier *f, uint64_t now_ms)
{
    struct heap_node *n;
    while ((n = heap_first(&f->wake)) && n->key <= now_ms) {
        struct host_class *c = (struct host_class *)(void *)n; /* node is its first member */
        frontier_take_up(f, c->host);
        make_ready(f, c->host);
    }
}

static struct host_class *first_ready(const struct frontier *f, unsigned class, unsigned *ret_class)
{
    for (unsigned i = 0; i < FRONTIER_CLASSES; i++) {
        unsigned at = (class + i) % FRONTIER_CLASSES;
        struct heap_node *n = heap_first(&f->ready[at]);
        if (n) {
            *ret_class = at;
            return (struct host_class *)(void *)n;
        }
    }
    return NULL;
}

static void fill_lent(struct host_class *c, unsigned class, struct lent *ret)
{
    struct url_entry e = {0};
    (void)url_queue_head(&c->queue, &e);
    struct origin o = host_origin_at(c->host, e.origin);
    *ret = (struct lent){
        .host = c->host,
        .host_name = host_name(c->host),
        .path = e.path,
        .sequence = e.sequence,
        .via = e.via,
        .port = o.port,
        .is_https = o.is_https,
        .class = (uint8_t) class,
        .hops = e.hops,
    };
}

enum rc frontier_lend(struct frontier *f, unsigned class, uint64_t now_ms, struct lent *ret)
{
    wake_due(f, now_ms);
    unsigned found = 0;
    struct host_class *c = first_ready(f, class, &found);
    if (!c)
        return RC_AGAIN;
    frontier_take_up(f, c->host);
    c->host->state = HOST_OUT;
    c->host->lent_class = (uint8_t)found;
    f->counts.out++;
    struct bucket *b = frontier_bucket_of(f, c->host);
    b->out++;
    b->is_fresh = false;
    fill_lent(c, found, ret);
    return RC_OK;
}

uint64_t frontier_due_ms(const struct frontier *f)
{
    if (f->counts.ready)
        return 0;
    struct heap_node *n = heap_first(&f->wake);
    uint64_t due_ms = n ? n->key : UINT64_MAX, rest_ms = rest_due_ms(f);
    return due_ms < rest_ms ? due_ms : rest_ms;
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

/* The head to the end, with a new place in the order. If there is no memory for that it stays. */
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

void frontier_settle(struct frontier *f, struct lent *l, enum settle how, uint64_t due_ms)
{
    struct host *h = l->host;
    struct host_class *c = host_class_of(h, h->lent_class);
    struct bucket *b = frontier_bucket_of(f, h);
    uint64_t before = f->counts.bytes;
    f->counts.out--;
    b->out--;
    f->rest.has_left |= b->is_leaving && !b->out;
    if (how == SETTLE_DONE) {
        url_queue_pop(&c->queue, &f->counts.bytes);
        h->queued--;
        b->queued--;
        f->counts.queued--;
    } else if (how == SETTLE_LAST) {
        put_last(f, c);
    }
    b->bytes += f->counts.bytes - before;
    if (due_ms > h->due_ms)
        h->due_ms = due_ms;
    frontier_settle_down(f, h, 0);
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
    frontier_settle_down(f, h, 0);
}

struct host *frontier_host(const struct frontier *f, uint64_t position, struct str name)
{
    const struct bucket *b = f->buckets[frontier_bucket(position)];
    return b ? bucket_host(b, position, name) : NULL;
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
    all.hosts += f->at_rest.hosts;
    all.known += f->at_rest.known;
    all.queued += f->at_rest.queued;
    all.bytes += f->rest.inbox_bytes + f->rest.flight_bytes;
    all.bytes += f->rest.recent_count * sizeof *f->rest.recent;
    for (unsigned i = 0; i < REST_LOOKERS; i++)
        all.bytes += f->rest.looks[i].file.cap + f->rest.looks[i].inbox.cap;
    return all;
}
