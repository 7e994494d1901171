/* SPDX-License-Identifier: Apache-2.0 */
#include "net/pool.h"

#include "base/mem.h"

enum { MOST_SLOTS = 1 << 20 };

static struct conn *oldest(const struct pool *p)
{
    return p->ages.first ? LIST_OF(p->ages.first, struct conn, age) : NULL;
}

/* Closes what has waited too long, then sleeps until the next one has. */
static void expire(struct pool *p, uint64_t now_ms)
{
    const struct conn *c;
    while ((c = oldest(p)) && now_ms - c->idle_ms >= p->keep_ms)
        (void)pool_drop_oldest(p);
    if (c && loop_timer(p->loop, &p->timer, c->idle_ms + p->keep_ms) != RC_OK)
        while (pool_drop_oldest(p))
            ; /* nothing would ever close them */
}

static void on_timer(struct timer *t, uint64_t now_ms)
{
    expire(EVENT_OF(t, struct pool, timer), now_ms);
}

enum rc pool_init(struct pool *p, struct loop *loop, uint64_t most, uint64_t keep_ms)
{
    *p = (struct pool){.loop = loop, .keep_ms = keep_ms, .timer.due = on_timer};
    p->most = most < MOST_SLOTS ? (uint32_t)most : MOST_SLOTS;
    for (p->slot_count = 16; p->slot_count < p->most;)
        p->slot_count *= 2;
    p->slots = mem_zero(p->slot_count, sizeof(struct conn *));
    return p->slots ? RC_OK : RC_NOMEM;
}

void pool_done(struct pool *p)
{
    while (pool_drop_oldest(p))
        ;
    if (p->loop)
        loop_timer_stop(p->loop, &p->timer);
    mem_free(p->slots);
    p->slots = NULL;
}

static struct conn **slot_of(struct pool *p, uint64_t key)
{
    return &p->slots[key & (p->slot_count - 1)];
}

static void take_out(struct pool *p, struct conn *c)
{
    struct conn **at = slot_of(p, c->key);
    while (*at != c)
        at = &(*at)->same;
    *at = c->same;
    c->same = NULL;
    list_remove(&p->ages, &c->age);
    p->count--;
}

bool pool_drop_oldest(struct pool *p)
{
    struct conn *c = oldest(p);
    if (!c)
        return false;
    take_out(p, c);
    conn_close(c);
    return true;
}

/* TLS may have something to say of its own; anything else ends it. */
static void on_ready(struct watch *w, unsigned events)
{
    struct conn *c = EVENT_OF(w, struct conn, watch);
    (void)events;
    if (conn_is_quiet(c))
        return;
    take_out(c->user, c);
    conn_close(c);
}

void pool_give(struct pool *p, struct conn **given)
{
    struct conn *c = *given;
    *given = NULL;
    if (p->most == 0 || !conn_wait(c, EPOLLIN)) {
        conn_close(c);
        return;
    }
    if (p->count >= p->most)
        (void)pool_drop_oldest(p);
    c->watch.ready = on_ready;
    c->user = p;
    c->idle_ms = p->loop->now_ms;
    list_add_last(&p->ages, &c->age);
    struct conn **at = slot_of(p, c->key);
    c->same = *at;
    *at = c;
    p->count++;
    if (!p->timer.node.at)
        expire(p, p->loop->now_ms);
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
    struct conn *c = *slot_of(p, conn_key(is_https, host, port));
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
