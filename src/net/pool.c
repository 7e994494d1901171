/* SPDX-License-Identifier: Apache-2.0 */
#include "net/pool.h"

#include "base/mem.h"

enum { MOST_SLOTS = 1 << 20 };

static struct conn *of_end(struct heap_node *n)
{
    return n ? EVENT_OF(n, struct conn, end) : NULL;
}

static struct conn *of_use(struct heap_node *n)
{
    return n ? EVENT_OF(n, struct conn, use) : NULL;
}

static struct conn **origin_slot(const struct pool *p, uint64_t key)
{
    return &p->origins[key & (p->slot_count - 1)];
}

static struct conn **address_slot(const struct pool *p, const struct conn *c)
{
    return &p->addresses[(c->group * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (p->slot_count - 1)];
}

static void take_out(struct pool *p, struct conn *c)
{
    struct conn **at = origin_slot(p, c->key);
    while (*at != c)
        at = &(*at)->same;
    *at = c->same;
    for (at = address_slot(p, c); *at && *at != c;)
        at = &(*at)->neighbour;
    if (*at)
        *at = c->neighbour;
    c->same = c->neighbour = NULL;
    heap_remove(&p->ends, &c->end);
    heap_remove(&p->uses, &c->use);
    p->count--;
    if (p->fresh == c)
        p->fresh = NULL;
}

static void drop(struct pool *p, struct conn *c)
{
    take_out(p, c);
    conn_close(c);
}

bool pool_drop_one(struct pool *p)
{
    struct conn *c = of_use(heap_first(&p->uses));
    if (!c)
        return false;
    drop(p, c);
    return true;
}

/* Limits --------------------------------------------------------------------------------------- */

/* Whether a is missed less than b. */
static bool is_missed_less(const struct conn *a, const struct conn *b)
{
    return a->use.key != b->use.key ? a->use.key < b->use.key : a->use.order < b->use.order;
}

/* How many wait at the machine of `c`, and which of them is missed least. */
static uint64_t count_neighbours(const struct pool *p, const struct conn *c, struct conn **ret)
{
    uint64_t count = 0;
    *ret = NULL;
    for (struct conn *n = *address_slot(p, c); n; n = n->neighbour) {
        if (n->group != c->group)
            continue;
        count++;
        if (!*ret || is_missed_less(n, *ret))
            *ret = n;
    }
    return count;
}

/* Keeps the limits, now that nothing more will be known of the one that was given last. `c` may be
 * gone afterwards. */
static void settle(struct pool *p, const struct conn *c)
{
    struct conn *least;
    p->fresh = NULL;
    if (p->settings.most_at_address && count_neighbours(p, c, &least) > p->settings.most_at_address)
        drop(p, least);
    while (p->count > p->settings.most)
        (void)pool_drop_one(p);
}

static bool is_over(const struct pool *p, const struct conn *c)
{
    struct conn *least;
    return p->count > p->settings.most ||
           (p->settings.most_at_address &&
            count_neighbours(p, c, &least) > p->settings.most_at_address);
}

/* Time ----------------------------------------------------------------------------------------- */

/* Rings no later than at `moment_ms`. */
static void ring_at(struct pool *p, uint64_t moment_ms)
{
    if (p->timer.node.at && p->timer.node.key <= moment_ms)
        return;
    if (loop_timer(p->loop, &p->timer, moment_ms) != RC_OK)
        while (pool_drop_one(p))
            ; /* nothing would ever close them */
}

static void on_timer(struct timer *t, uint64_t now_ms)
{
    struct pool *p = EVENT_OF(t, struct pool, timer);
    struct conn *c;
    if (p->fresh)
        settle(p, p->fresh);
    while ((c = of_end(heap_first(&p->ends))) && c->end.key <= now_ms)
        drop(p, c);
    if (c)
        ring_at(p, c->end.key);
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The latest moment at which the server still has it. */
static uint64_t server_end_ms(const struct conn *c)
{
    return c->server_keep_ms ? plus(c->idle_ms, c->server_keep_ms) : UINT64_MAX;
}

/* The last to be needed is the first in the heap; before it stand those that no request is certain
 * for (0), the longest idle first. */
static uint64_t use_key(uint64_t due_ms)
{
    return UINT64_MAX - due_ms;
}

/* Life ----------------------------------------------------------------------------------------- */

enum rc pool_init(struct pool *p, struct loop *loop, const struct pool_settings *s)
{
    *p = (struct pool){.loop = loop, .settings = *s, .timer.due = on_timer};
    p->settings.most = least_of(s->most, MOST_SLOTS);
    for (p->slot_count = 16; p->slot_count < p->settings.most;)
        p->slot_count *= 2;
    heap_init(&p->ends, p->settings.most + 1);
    heap_init(&p->uses, p->settings.most + 1);
    p->origins = mem_zero(p->slot_count, sizeof(struct conn *));
    p->addresses = mem_zero(p->slot_count, sizeof(struct conn *));
    return p->origins && p->addresses ? RC_OK : RC_NOMEM;
}

void pool_done(struct pool *p)
{
    while (pool_drop_one(p))
        ;
    if (p->loop)
        loop_timer_stop(p->loop, &p->timer);
    heap_done(&p->ends);
    heap_done(&p->uses);
    mem_free(p->origins);
    mem_free(p->addresses);
    p->origins = p->addresses = NULL;
}

/* TLS may have something to say of its own; anything else ends it. */
static void on_ready(struct watch *w, unsigned events)
{
    struct conn *c = EVENT_OF(w, struct conn, watch);
    (void)events;
    if (!conn_is_quiet(c))
        drop(c->user, c);
}

static bool enter_heaps(struct pool *p, struct conn *c)
{
    uint64_t end_ms = plus(c->idle_ms, p->settings.keep_ms);
    c->end = (struct heap_node){.key = least_of(end_ms, server_end_ms(c))};
    c->use = (struct heap_node){.key = 0, .order = c->idle_ms};
    if (heap_add(&p->ends, &c->end) != RC_OK)
        return false;
    if (heap_add(&p->uses, &c->use) == RC_OK)
        return true;
    heap_remove(&p->ends, &c->end);
    return false;
}

void pool_give(struct pool *p, struct conn **given)
{
    struct conn *c = *given;
    *given = NULL;
    if (p->fresh)
        settle(p, p->fresh);
    c->idle_ms = p->loop->now_ms;
    if (p->settings.most == 0 || !conn_wait(c, EPOLLIN) || !enter_heaps(p, c)) {
        conn_close(c);
        return;
    }
    c->watch.ready = on_ready;
    c->user = p;
    c->group = address_group(&c->peer);
    struct conn **at = origin_slot(p, c->key);
    c->same = *at;
    *at = c;
    if (p->settings.most_at_address) { /* else the list of one machine might be long */
        at = address_slot(p, c);
        c->neighbour = *at;
        *at = c;
    }
    p->count++;
    p->fresh = c;
    ring_at(p, is_over(p, c) ? p->loop->now_ms : c->end.key);
}

/* Looking -------------------------------------------------------------------------------------- */

static struct conn *find(const struct pool *p, const struct http_origin *o)
{
    struct conn *c = *origin_slot(p, conn_key(o->is_https, o->host, o->port));
    while (c && !conn_is_to(c, o->is_https, o->host, o->port))
        c = c->same;
    return c;
}

bool pool_has(const struct pool *p, const struct http_origin *o)
{
    return p->count && find(p, o);
}

/* Whether waiting for `due_ms` makes no sense. */
static bool is_too_far(const struct pool *p, const struct conn *c, uint64_t due_ms)
{
    return due_ms >= server_end_ms(c) || due_ms > plus(p->loop->now_ms, POOL_MOST_AWAIT_MS);
}

void pool_expect(struct pool *p, const struct http_origin *o, uint64_t due_ms, bool is_certain)
{
    struct conn *c = p->count ? find(p, o) : NULL;
    if (!c)
        return;
    if (is_too_far(p, c, due_ms)) {
        drop(p, c);
        return;
    }
    uint64_t now_ms = p->loop->now_ms, from_ms = due_ms > now_ms ? due_ms : now_ms;
    uint64_t keep_ms = is_certain ? p->settings.keep_ms : p->settings.unused_ms;
    heap_move(&p->ends, &c->end, least_of(plus(from_ms, keep_ms), server_end_ms(c)));
    heap_move(&p->uses, &c->use, is_certain ? use_key(due_ms) : 0);
    uint64_t end_ms = c->end.key;
    if (c == p->fresh)
        settle(p, c);
    ring_at(p, end_ms);
}

static bool is_among(const struct address *a, const struct address *addresses, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (address_eq(a, &addresses[i]))
            return true;
    return false;
}

struct conn *pool_take(struct pool *p, bool is_https, struct str host, uint16_t port,
                       const struct address *addresses, uint32_t count, const struct guard *guard)
{
    struct conn *c = *origin_slot(p, conn_key(is_https, host, port));
    while (c) {
        struct conn *next = c->same;
        if (conn_is_to(c, is_https, host, port) && is_among(&c->peer, addresses, count) &&
            guard_allows(guard, &c->peer)) {
            take_out(p, c);
            if (conn_is_quiet(c))
                return c;
            conn_close(c);
        }
        c = next;
    }
    return NULL;
}
