/* SPDX-License-Identifier: Apache-2.0 */
/* Members stand in one list for ever, those that are present first and in the order of their
 * numbers. */
#include "pool/roll.h"

#include "base/list.h"
#include "base/mem.h"

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct pool_member {
    struct list_node node;
    struct pool_counts counts;
    struct pool_suspicion suspicion;
    _Atomic int up, open, window;
    _Atomic uint64_t heard_ms;
    _Atomic bool is_leaving;
    uint64_t boot, since_ms;
    unsigned lanes; /* 0: it is absent */
    size_t name_bytes;
    char name[POOL_MAX_NAME_BYTES + 1];
};

struct pool_roll {
    _Atomic uint64_t epoch;
    pthread_mutex_t lock;        /* of the lists, and of boot, since_ms and lanes of each member */
    struct list present, absent; /* present: in the order of registration */
};

struct pool_roll *pool_roll_open(void)
{
    struct pool_roll *r = mem_zero(1, sizeof *r);
    if (r)
        pthread_mutex_init(&r->lock, NULL);
    return r;
}

static struct pool_member *member_of(struct list_node *n)
{
    return n ? LIST_OF(n, struct pool_member, node) : NULL;
}

static void free_all(struct list *list)
{
    for (struct pool_member *m; (m = member_of(list->first)) != NULL;) {
        list_remove(list, &m->node);
        mem_free(m);
    }
}

void pool_roll_close(struct pool_roll *r)
{
    if (!r)
        return;
    free_all(&r->present);
    free_all(&r->absent);
    pthread_mutex_destroy(&r->lock);
    mem_free(r);
}

/* Presence: the lock is held ------------------------------------------------------------------- */

static struct pool_member *find(const struct list *list, struct str name)
{
    for (struct list_node *n = list->first; n; n = n->next)
        if (str_eq(str_make(member_of(n)->name, member_of(n)->name_bytes), name))
            return member_of(n);
    return NULL;
}

static void change(struct pool_roll *r)
{
    atomic_fetch_add_explicit(&r->epoch, 1, memory_order_release);
}

static enum rc need_absent(struct pool_roll *r, struct str name, struct pool_member **ret)
{
    assert(name.n <= POOL_MAX_NAME_BYTES);
    struct pool_member *m = find(&r->absent, name);
    if (!m) {
        m = mem_zero(1, sizeof *m);
        if (!m)
            return RC_NOMEM;
        m->name_bytes = name.n;
        memcpy(m->name, name.p, name.n);
        list_add_last(&r->absent, &m->node);
    }
    *ret = m;
    return RC_OK;
}

static enum rc register_process(struct pool_roll *r, const struct pool_process *p, int64_t wall_ms,
                                struct pool_member **ret)
{
    struct pool_member *m;
    enum rc rc = need_absent(r, p->name, &m);
    if (rc)
        return rc;
    m->boot = p->boot;
    m->since_ms = wall_ms > 0 ? (uint64_t)wall_ms : 0;
    m->lanes = 1;
    atomic_store_explicit(&m->is_leaving, false, memory_order_relaxed);
    list_remove(&r->absent, &m->node);
    list_add_last(&r->present, &m->node);
    change(r);
    *ret = m;
    return RC_OK;
}

enum rc pool_roll_enter(struct pool_roll *r, const struct pool_process *p, int64_t wall_ms,
                        struct pool_member **ret_member)
{
    enum rc rc = RC_OK;
    pthread_mutex_lock(&r->lock);
    struct pool_member *m = find(&r->present, p->name);
    if (!m) {
        rc = register_process(r, p, wall_ms, &m);
    } else if (m->boot != p->boot) {
        rc = RC_EXISTS;
    } else {
        m->lanes++;
    }
    pthread_mutex_unlock(&r->lock);
    if (!rc)
        *ret_member = m;
    return rc;
}

void pool_roll_leave(struct pool_roll *r, struct pool_member *m)
{
    pthread_mutex_lock(&r->lock);
    assert(m->lanes);
    if (!--m->lanes) {
        list_remove(&r->present, &m->node);
        list_add_last(&r->absent, &m->node);
        change(r);
    }
    pthread_mutex_unlock(&r->lock);
}

uint64_t pool_roll_epoch(const struct pool_roll *r)
{
    return atomic_load_explicit(&r->epoch, memory_order_acquire);
}

/* What shards note ----------------------------------------------------------------------------- */

struct str pool_member_name(const struct pool_member *m)
{
    return str_make(m->name, m->name_bytes);
}

struct pool_counts *pool_member_counts(struct pool_member *m)
{
    return &m->counts;
}

struct pool_suspicion *pool_member_suspicion(struct pool_member *m)
{
    return &m->suspicion;
}

void pool_member_note(struct pool_member *m, int up_by, int open_by, uint64_t heard_ms)
{
    atomic_fetch_add_explicit(&m->up, up_by, memory_order_relaxed);
    atomic_fetch_add_explicit(&m->open, open_by, memory_order_relaxed);
    uint64_t last = atomic_load_explicit(&m->heard_ms, memory_order_relaxed);
    while (last < heard_ms &&
           !atomic_compare_exchange_weak_explicit(&m->heard_ms, &last, heard_ms,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

void pool_member_note_window(struct pool_member *m, int by)
{
    atomic_fetch_add_explicit(&m->window, by, memory_order_relaxed);
}

void pool_member_note_leaving(struct pool_member *m)
{
    atomic_store_explicit(&m->is_leaving, true, memory_order_relaxed);
}

/* Views ---------------------------------------------------------------------------------------- */

unsigned pool_roll_names(struct pool_roll *r, struct str *names, unsigned most)
{
    unsigned count = 0;
    pthread_mutex_lock(&r->lock);
    for (struct list_node *n = r->present.first; n; n = n->next, count++)
        if (count < most)
            names[count] = str_make(member_of(n)->name, member_of(n)->name_bytes);
    pthread_mutex_unlock(&r->lock);
    return count;
}

static unsigned load_count(const _Atomic int *count)
{
    int value = atomic_load_explicit(count, memory_order_relaxed);
    return value > 0 ? (unsigned)value : 0;
}

static uint64_t load(const _Atomic uint64_t *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

static void view(const struct pool_member *m, unsigned number, struct pool_member_view *ret)
{
    *ret = (struct pool_member_view){
        .boot = m->boot,
        .since_ms = m->since_ms,
        .number = number,
        .lanes = m->lanes,
        .up = load_count(&m->up),
        .open = load_count(&m->open),
        .window = load_count(&m->window),
        .heard_ms = load(&m->heard_ms),
        .sent = load(&m->counts.sent),
        .fetched = load(&m->counts.fetched),
        .failed = load(&m->counts.failed),
        .lost = load(&m->counts.lost),
        .bytes_in = load(&m->counts.bytes_in),
        .is_leaving = atomic_load_explicit(&m->is_leaving, memory_order_relaxed),
    };
    memcpy(ret->name, m->name, sizeof ret->name);
}

static unsigned view_list(const struct list *members, struct pool_member_view *list, unsigned at,
                          unsigned most)
{
    for (struct list_node *n = members->first; n; n = n->next, at++)
        if (at < most)
            view(member_of(n), at, &list[at]);
    return at;
}

unsigned pool_roll_view(struct pool_roll *r, struct pool_member_view *list, unsigned most)
{
    pthread_mutex_lock(&r->lock);
    unsigned count = view_list(&r->present, list, 0, most);
    count = view_list(&r->absent, list, count, most);
    pthread_mutex_unlock(&r->lock);
    return count;
}
