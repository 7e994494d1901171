/* SPDX-License-Identifier: Apache-2.0 */
/* A stripe is a lock and a map of its own. When that is full it is made anew, without those entries
 * that say nothing any more, and larger only if it must.
 *
 * Which addresses are asked most is kept beside it in a few counters a stripe: a group that has
 * none takes the least one over with what it has counted ("space saving"), which is remembered as
 * what it may be too much. */
#include "host/permit_table.h"

#include "base/hash.h"
#include "base/int_map.h"
#include "base/mem.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum {
    CACHE_LINE = 64,
    STRIPE_BITS = 6,
    STRIPES = 1 << STRIPE_BITS,
    MOST_ENTRIES = 3 << 13, /* of a stripe: a million and a half in all, 80 MB */
    FULL_MS = 1000,         /* how long to stay away when there is no room or memory */
    BUSY_MS = 100,          /* how long a request may take, where another waits for its end */
    EARLY_PART = 8,         /* a request that comes early by this part of a delay is in turn */
    BUSY_SLOTS = 8,         /* of a stripe */
    BUSY_LEAST = 2,
};

struct entry {
    uint64_t next_ms;     /* the next request may begin */
    uint64_t promised_ms; /* the last moment given out */
    uint64_t others_ms;   /* until then: */
    uint32_t others;      /* agents that ask it too */
    uint32_t open;
};

struct busy {
    uint64_t group;
    uint32_t count, too_much;
};

struct stripe {
    pthread_mutex_t lock;   /* of all that follows */
    struct int_map entries; /* by group: struct entry */
    uint64_t full_until_ms; /* nothing new before: there was no room */
    struct busy busy[BUSY_SLOTS];
} __attribute__((aligned(CACHE_LINE)));

struct permit_table {
    _Atomic uint64_t conns, delay_ms;
    struct stripe stripes[STRIPES];
};

void permit_table_change(struct permit_table *t, uint64_t conns, uint64_t delay_ms)
{
    atomic_store_explicit(&t->conns, conns ? conns : 1, memory_order_relaxed);
    atomic_store_explicit(&t->delay_ms, delay_ms, memory_order_relaxed);
}

enum rc permit_table_open(uint64_t conns, uint64_t delay_ms, struct permit_table **ret)
{
    struct permit_table *t = mem_aligned(CACHE_LINE, sizeof *t);
    if (!t)
        return RC_NOMEM;
    memset(t, 0, sizeof *t);
    for (unsigned i = 0; i < STRIPES; i++) {
        pthread_mutex_init(&t->stripes[i].lock, NULL);
        t->stripes[i].entries = INT_MAP(sizeof(struct entry));
    }
    permit_table_change(t, conns, delay_ms);
    *ret = t;
    return RC_OK;
}

void permit_table_close(struct permit_table *t)
{
    if (!t)
        return;
    for (unsigned i = 0; i < STRIPES; i++) {
        pthread_mutex_destroy(&t->stripes[i].lock);
        int_map_done(&t->stripes[i].entries);
    }
    mem_free(t);
}

static bool is_needed(const struct entry *e, uint64_t now_ms)
{
    return e->open || e->next_ms > now_ms || e->promised_ms > now_ms;
}

static size_t count_needed(const struct stripe *s, uint64_t now_ms)
{
    size_t count = 0, at = 0;
    uint64_t group;
    for (const struct entry *e; (e = int_map_next(&s->entries, &at, &group));)
        count += is_needed(e, now_ms);
    return count;
}

/* Room for one more, at half as many again as are needed. False: no memory, or every entry of a
 * full stripe is needed. */
static bool make_room(struct stripe *s, uint64_t now_ms)
{
    size_t needed = count_needed(s, now_ms) + 1, wanted = needed + needed / 2, at = 0;
    uint64_t group;
    struct int_map anew = INT_MAP(sizeof(struct entry));
    if (needed > MOST_ENTRIES ||
        int_map_reserve(&anew, wanted < MOST_ENTRIES ? wanted : MOST_ENTRIES) != RC_OK)
        return false;
    for (const struct entry *e; (e = int_map_next(&s->entries, &at, &group));)
        if (is_needed(e, now_ms))
            *(struct entry *)int_map_need(&anew, group, NULL) = *e;
    int_map_done(&s->entries);
    s->entries = anew;
    return true;
}

/* The entry of a group, made if need be; NULL without room. */
static struct entry *entry_get(struct stripe *s, uint64_t group, uint64_t now_ms)
{
    struct entry *e = int_map_get(&s->entries, group);
    if (e || s->full_until_ms > now_ms)
        return e;
    if (int_map_is_full(&s->entries) && !make_room(s, now_ms)) {
        s->full_until_ms = now_ms + FULL_MS;
        return NULL;
    }
    return int_map_need(&s->entries, group, NULL); /* there is room */
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A moment behind all those that were given out before. */
static uint64_t promise(struct entry *e, bool is_busy, uint64_t delay_ms, uint64_t now_ms)
{
    uint64_t least = is_busy ? now_ms + later(delay_ms, BUSY_MS) : e->next_ms;
    uint64_t step = delay_ms ? delay_ms : 1;
    e->promised_ms = later(later(least, e->next_ms), e->promised_ms + step);
    return e->promised_ms;
}

static uint64_t entry_ask(struct entry *e, uint64_t conns, uint64_t delay_ms, uint64_t now_ms)
{
    bool is_busy = e->open >= conns;
    if (!is_busy && now_ms >= e->next_ms) {
        e->open++;
        e->next_ms = now_ms + delay_ms;
        return 0;
    }
    /* The request before came a little late: this one keeps its turn. */
    if (!is_busy && e->next_ms - now_ms <= delay_ms / EARLY_PART)
        return e->next_ms;
    return promise(e, is_busy, delay_ms, now_ms);
}

static void count_request(struct stripe *s, uint64_t group)
{
    struct busy *least = &s->busy[0];
    for (unsigned i = 0; i < BUSY_SLOTS; i++) {
        struct busy *b = &s->busy[i];
        if (b->count && b->group == group) {
            b->count++;
            return;
        }
        if (b->count < least->count)
            least = b;
    }
    *least = (struct busy){group, least->count + 1, least->count};
}

static struct stripe *stripe_of(struct permit_table *t, uint64_t group)
{
    return &t->stripes[hash64_mix(group) >> (64 - STRIPE_BITS)];
}

uint64_t permit_table_ask(struct permit_table *t, uint64_t group, uint64_t now_ms)
{
    uint64_t conns = atomic_load_explicit(&t->conns, memory_order_relaxed);
    uint64_t delay_ms = atomic_load_explicit(&t->delay_ms, memory_order_relaxed);
    struct stripe *s = stripe_of(t, group);
    pthread_mutex_lock(&s->lock);
    struct entry *e = entry_get(s, group, now_ms);
    if (e && e->others_ms > now_ms)
        delay_ms *= 1 + (uint64_t)e->others;
    uint64_t when = e ? entry_ask(e, conns, delay_ms, now_ms) : now_ms + FULL_MS;
    if (!when)
        count_request(s, group);
    pthread_mutex_unlock(&s->lock);
    return when;
}

void permit_table_others(struct permit_table *t, uint64_t group, uint32_t others, uint64_t until_ms)
{
    struct stripe *s = stripe_of(t, group);
    pthread_mutex_lock(&s->lock);
    struct entry *e = int_map_get(&s->entries, group);
    if (e) {
        e->others = others;
        e->others_ms = until_ms;
    }
    pthread_mutex_unlock(&s->lock);
}

/* What it surely counted, halved for the next time; 0: too little to speak of. */
static uint32_t take_count(struct busy *b)
{
    uint32_t sure = b->count - b->too_much;
    b->count /= 2;
    b->too_much /= 2;
    return sure >= BUSY_LEAST ? sure : 0;
}

/* Into a list that has the greatest first. */
static size_t insert(struct busy *list, size_t count, size_t most, struct busy b)
{
    size_t at = count;
    while (at > 0 && list[at - 1].count < b.count)
        at--;
    if (at == most)
        return count;
    size_t behind = (count < most ? count : most - 1) - at;
    memmove(list + at + 1, list + at, behind * sizeof *list);
    list[at] = b;
    return count < most ? count + 1 : count;
}

size_t permit_table_busiest(struct permit_table *t, uint64_t *ret, size_t most)
{
    struct busy list[STRIPES * BUSY_SLOTS];
    size_t count = 0;
    most = most < STRIPES * BUSY_SLOTS ? most : STRIPES * BUSY_SLOTS;
    for (unsigned i = 0; i < STRIPES; i++) {
        struct stripe *s = &t->stripes[i];
        pthread_mutex_lock(&s->lock);
        for (unsigned k = 0; k < BUSY_SLOTS; k++) {
            struct busy b = {s->busy[k].group, take_count(&s->busy[k]), 0};
            if (b.count)
                count = insert(list, count, most, b);
        }
        pthread_mutex_unlock(&s->lock);
    }
    for (size_t i = 0; i < count; i++)
        ret[i] = list[i].group;
    return count;
}

void permit_table_done(struct permit_table *t, uint64_t group, uint64_t now_ms)
{
    struct stripe *s = stripe_of(t, group);
    (void)now_ms; /* requests are counted from their beginnings */
    pthread_mutex_lock(&s->lock);
    struct entry *e = int_map_get(&s->entries, group);
    if (e && e->open)
        e->open--;
    pthread_mutex_unlock(&s->lock);
}
