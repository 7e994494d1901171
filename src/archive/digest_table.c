/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/digest_table.h"

#include "base/list.h"
#include "base/mem.h"

#include <pthread.h>

struct payload {
    struct payload *chain; /* in its slot */
    struct list_node use;
    struct digest digest;
    struct warc_id id;
    int64_t date_ms;
    size_t uri_bytes;
    char uri[];
};

struct slot {
    struct payload *first;
};

/* The lock guards all of it. */
struct stripe {
    pthread_mutex_t lock;
    struct slot *slots;
    size_t slot_count, slots_most; /* powers of two */
    struct list uses;              /* the latest first */
    uint64_t bytes, max_bytes, count;
};

struct digest_table {
    struct stripe stripes[DIGEST_TABLE_STRIPES];
};

/* About the size of a payload with its share of a slot and of the allocator's own. */
enum { PAYLOAD_COST = sizeof(struct payload) + 16, USUAL_COST = PAYLOAD_COST + 80 };

enum { FIRST_SLOTS = 16 };

static bool stripe_init(struct stripe *s, uint64_t max_bytes)
{
    s->slot_count = s->slots_most = FIRST_SLOTS;
    while (s->slots_most < max_bytes / USUAL_COST && s->slots_most < (size_t)1 << 30)
        s->slots_most *= 2;
    s->max_bytes = max_bytes;
    (void)pthread_mutex_init(&s->lock, NULL);
    s->slots = mem_zero(s->slot_count, sizeof *s->slots);
    return s->slots;
}

struct digest_table *digest_table_open(uint64_t max_bytes)
{
    struct digest_table *t = mem_zero(1, sizeof *t);
    bool ok = t;
    for (size_t i = 0; t && i < DIGEST_TABLE_STRIPES; i++)
        ok = stripe_init(&t->stripes[i], max_bytes / DIGEST_TABLE_STRIPES) && ok;
    if (!ok) {
        digest_table_close(t);
        return NULL;
    }
    return t;
}

static void stripe_done(struct stripe *s)
{
    for (struct list_node *n = s->uses.first, *next; n; n = next) {
        next = n->next;
        mem_free(LIST_OF(n, struct payload, use));
    }
    mem_free(s->slots);
    (void)pthread_mutex_destroy(&s->lock);
}

void digest_table_close(struct digest_table *t)
{
    for (size_t i = 0; t && i < DIGEST_TABLE_STRIPES; i++)
        stripe_done(&t->stripes[i]);
    mem_free(t);
}

/* A digest is as good as a hash: its first bytes choose the slot, another the stripe. */
static struct stripe *stripe_of(struct digest_table *t, const struct digest *d)
{
    return &t->stripes[d->bytes[8] % DIGEST_TABLE_STRIPES];
}

static struct payload **slot_of(struct stripe *s, const struct digest *d)
{
    uint64_t hash;
    memcpy(&hash, d->bytes, sizeof hash);
    return &s->slots[hash & (s->slot_count - 1)].first;
}

static struct payload *find_payload(struct stripe *s, const struct digest *d)
{
    struct payload *p = *slot_of(s, d);
    while (p && !digest_eq(&p->digest, d))
        p = p->chain;
    return p;
}

static void use(struct stripe *s, struct payload *p)
{
    list_remove(&s->uses, &p->use);
    list_add_first(&s->uses, &p->use);
}

static void drop_oldest(struct stripe *s)
{
    struct payload *p = LIST_OF(s->uses.last, struct payload, use), **at = slot_of(s, &p->digest);
    while (*at != p)
        at = &(*at)->chain;
    *at = p->chain;
    list_remove(&s->uses, &p->use);
    s->bytes -= PAYLOAD_COST + p->uri_bytes;
    s->count--;
    mem_free(p);
}

/* Twice as many slots. Without memory the chains become longer instead. */
static void more_slots(struct stripe *s)
{
    struct slot *slots = mem_zero(2 * s->slot_count, sizeof *slots);
    if (!slots)
        return;
    mem_free(s->slots);
    s->slots = slots;
    s->slot_count *= 2;
    for (struct list_node *n = s->uses.first; n; n = n->next) {
        struct payload *p = LIST_OF(n, struct payload, use), **slot = slot_of(s, &p->digest);
        p->chain = *slot;
        *slot = p;
    }
}

static void add(struct stripe *s, const struct digest *d, const struct digest_ref *ref)
{
    uint64_t cost = PAYLOAD_COST + ref->uri.n;
    struct payload *p = cost <= s->max_bytes ? mem_zero(1, sizeof *p + ref->uri.n) : NULL;
    if (!p)
        return;
    while (s->uses.last && s->bytes + cost > s->max_bytes)
        drop_oldest(s);
    if (s->count == s->slot_count && s->slot_count < s->slots_most)
        more_slots(s);
    p->digest = *d;
    p->id = ref->id;
    p->date_ms = ref->date_ms;
    p->uri_bytes = ref->uri.n;
    memcpy(p->uri, ref->uri.p, ref->uri.n);
    struct payload **slot = slot_of(s, d);
    p->chain = *slot;
    *slot = p;
    list_add_first(&s->uses, &p->use);
    s->bytes += cost;
    s->count++;
}

void digest_table_put(struct digest_table *t, const struct digest *d, const struct digest_ref *ref)
{
    if (ref->uri.n == 0 || ref->uri.n > DIGEST_TABLE_MAX_URI)
        return;
    struct stripe *s = stripe_of(t, d);
    (void)pthread_mutex_lock(&s->lock);
    struct payload *p = find_payload(s, d);
    if (p)
        use(s, p);
    else
        add(s, d, ref);
    (void)pthread_mutex_unlock(&s->lock);
}

bool digest_table_get(struct digest_table *t, const struct digest *d, struct buf *uri_room,
                      struct digest_ref *ret)
{
    struct stripe *s = stripe_of(t, d);
    buf_clear(uri_room);
    (void)pthread_mutex_lock(&s->lock);
    struct payload *p = find_payload(s, d);
    if (p) {
        use(s, p);
        buf_add(uri_room, str_make(p->uri, p->uri_bytes));
        *ret = (struct digest_ref){.id = p->id, .date_ms = p->date_ms, .uri = buf_str(uri_room)};
    }
    (void)pthread_mutex_unlock(&s->lock);
    return p && buf_rc(uri_room) == RC_OK;
}

uint64_t digest_table_count(struct digest_table *t)
{
    uint64_t count = 0;
    for (size_t i = 0; i < DIGEST_TABLE_STRIPES; i++) {
        (void)pthread_mutex_lock(&t->stripes[i].lock);
        count += t->stripes[i].count;
        (void)pthread_mutex_unlock(&t->stripes[i].lock);
    }
    return count;
}

uint64_t digest_table_bytes(struct digest_table *t)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < DIGEST_TABLE_STRIPES; i++) {
        (void)pthread_mutex_lock(&t->stripes[i].lock);
        bytes += t->stripes[i].bytes + t->stripes[i].slot_count * sizeof(struct slot);
        (void)pthread_mutex_unlock(&t->stripes[i].lock);
    }
    return bytes;
}
