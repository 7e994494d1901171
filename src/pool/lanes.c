/* SPDX-License-Identifier: Apache-2.0 */
/* A lane stands in `standing` and in the heap; when its time is over it moves to `dead`, with the
 * tickets that are lost; when it has no ticket, and is dead or leaves, to `ready`. Only
 * pool_lanes_gone() frees.
 *
 * The heap's key is never later than the moment at which something is due, and may be earlier: a
 * ping moves that moment and leaves the key, so a ping costs no walk of the heap. A new ticket
 * cannot make the moment earlier, since visit_ms is longer than dead_ms. */
#include "pool/lanes.h"

#include "base/heap.h"
#include "base/int_map.h"
#include "base/mem.h"

#include <assert.h>

struct pool_lane {
    struct pool_lanes *lanes;
    struct list_node node;
    struct heap_node due;
    struct list tickets;
    struct pool_ticket *unsent; /* it and all behind it are not sent */
    struct pool_suspicion own, *suspicion;
    void *ctx;
    uint64_t boot, heard_ms;
    unsigned number, window, count;
    bool is_up, is_expelled, is_leaving;
    bool is_dead, is_ready;
    bool blames_all; /* when it died its process had no suspect */
    uint8_t name_bytes;
    char name[POOL_MAX_NAME_BYTES];
};

struct pool_lanes {
    struct pool_timings timings;
    uint64_t next; /* ticket */
    unsigned count;
    struct list standing, dead, ready;
    struct heap due;
    struct int_map tickets; /* by number: struct pool_ticket * */
    struct pool_lane *gone; /* the caller forgets it */
};

struct pool_lanes *pool_lanes_open(const struct pool_timings *t, uint64_t first)
{
    struct pool_lanes *l = mem_zero(1, sizeof *l);
    if (!l)
        return NULL;
    l->timings = *t;
    l->next = first ? first : 1;
    l->tickets = INT_MAP(sizeof(struct pool_ticket *));
    heap_init(&l->due, POOL_MAX_LANES);
    return l;
}

static struct pool_lane *lane_of(struct list_node *n)
{
    return n ? LIST_OF(n, struct pool_lane, node) : NULL;
}

static void free_all(struct list *list)
{
    for (struct pool_lane *lane; (lane = lane_of(list->first)) != NULL;) {
        list_remove(list, &lane->node);
        mem_free(lane);
    }
}

void pool_lanes_close(struct pool_lanes *l)
{
    if (!l)
        return;
    free_all(&l->standing);
    free_all(&l->dead);
    free_all(&l->ready);
    mem_free(l->gone);
    heap_done(&l->due);
    int_map_done(&l->tickets);
    mem_free(l);
}

/* The ends of a lane --------------------------------------------------------------------------- */

static struct list *list_of(struct pool_lane *lane)
{
    return lane->is_ready  ? &lane->lanes->ready
           : lane->is_dead ? &lane->lanes->dead
                           : &lane->lanes->standing;
}

/* Nothing more can come of it. */
static void end_if_over(struct pool_lane *lane)
{
    if (lane->count || lane->is_ready || !(lane->is_dead || lane->is_leaving))
        return;
    list_remove(list_of(lane), &lane->node);
    heap_remove(&lane->lanes->due, &lane->due);
    lane->is_ready = true;
    list_add_last(list_of(lane), &lane->node);
}

static bool is_over(const struct pool_lane *lane, uint64_t now_ms)
{
    return lane->is_dead || lane->is_ready ||
           now_ms >= lane->heard_ms + lane->lanes->timings.dead_ms;
}

/* Lanes of one process die one after the other, so one that dies soon after another that had a
 * suspect is not blamed for. */
static bool is_suspicious(const struct pool_lane *lane, uint64_t now_ms)
{
    const struct pool_suspicion *s = lane->suspicion;
    uint64_t lost_ms = atomic_load_explicit(&s->lost_ms, memory_order_relaxed);
    return atomic_load_explicit(&s->open, memory_order_relaxed) ||
           (lost_ms && now_ms < lost_ms + lane->lanes->timings.dead_ms);
}

static void die(struct pool_lane *lane, uint64_t now_ms)
{
    list_remove(list_of(lane), &lane->node);
    heap_remove(&lane->lanes->due, &lane->due);
    lane->is_dead = true;
    lane->is_up = false;
    lane->blames_all = !is_suspicious(lane, now_ms);
    list_add_last(list_of(lane), &lane->node);
    end_if_over(lane);
}

static struct pool_ticket *oldest(const struct pool_lane *lane)
{
    return lane->tickets.first ? LIST_OF(lane->tickets.first, struct pool_ticket, node) : NULL;
}

static uint64_t due_of(const struct pool_lane *lane)
{
    const struct pool_timings *t = &lane->lanes->timings;
    const struct pool_ticket *first = oldest(lane);
    uint64_t due_ms = lane->heard_ms + t->dead_ms;
    if (first && !lane->is_expelled && first->given_ms + t->visit_ms < due_ms)
        due_ms = first->given_ms + t->visit_ms;
    return due_ms;
}

static void look_at(struct pool_lane *lane, uint64_t now_ms)
{
    const struct pool_ticket *first = oldest(lane);
    if (is_over(lane, now_ms)) {
        die(lane, now_ms);
        return;
    }
    if (first && now_ms >= first->given_ms + lane->lanes->timings.visit_ms)
        lane->is_expelled = true;
    heap_move(&lane->lanes->due, &lane->due, due_of(lane));
}

static void look(struct pool_lanes *l, uint64_t now_ms)
{
    for (struct heap_node *n; (n = heap_first(&l->due)) && n->key <= now_ms;)
        look_at(LIST_OF(n, struct pool_lane, due), now_ms);
}

/* Hello ---------------------------------------------------------------------------------------- */

static bool is_named(const struct pool_lane *lane, struct str name)
{
    return str_eq(str_make(lane->name, lane->name_bytes), name);
}

/* The lane of that process and number; else one of another process with its name; else NULL. */
static struct pool_lane *find_in(const struct list *list, const struct pool_process *p)
{
    struct pool_lane *earlier = NULL;
    for (struct list_node *n = list->first; n; n = n->next) {
        struct pool_lane *lane = lane_of(n);
        if (!is_named(lane, p->name))
            continue;
        if (lane->boot != p->boot)
            earlier = lane;
        else if (lane->number == p->number)
            return lane;
    }
    return earlier;
}

static struct pool_lane *find(const struct pool_lanes *l, const struct pool_process *p)
{
    struct pool_lane *lane = find_in(&l->standing, p);
    if (!lane)
        lane = find_in(&l->dead, p);
    return lane ? lane : find_in(&l->ready, p);
}

static unsigned window_of(unsigned window)
{
    return window < POOL_MAX_WINDOW ? window : POOL_MAX_WINDOW;
}

static enum rc enter(struct pool_lanes *l, const struct pool_process *p, unsigned window,
                     uint64_t now_ms, struct pool_lane **ret)
{
    assert(p->name.n <= POOL_MAX_NAME_BYTES);
    struct pool_lane *lane = mem_zero(1, sizeof *lane);
    if (!lane)
        return RC_NOMEM;
    lane->lanes = l;
    lane->suspicion = &lane->own;
    lane->boot = p->boot;
    lane->number = p->number;
    lane->window = window_of(window);
    lane->heard_ms = now_ms;
    lane->is_up = true;
    lane->name_bytes = (uint8_t)p->name.n;
    memcpy(lane->name, p->name.p, p->name.n);
    lane->due.key = due_of(lane);
    enum rc rc = heap_add(&l->due, &lane->due);
    if (rc) {
        mem_free(lane);
        return rc;
    }
    list_add_last(&l->standing, &lane->node);
    l->count++;
    *ret = lane;
    return RC_OK;
}

/* A process that says what it cannot know harms itself alone: what it says to have and has not is
 * open until visit_ms. */
static void come_back(struct pool_lane *lane, uint64_t last, unsigned window, uint64_t now_ms)
{
    struct list_node *n = lane->tickets.first;
    while (n && LIST_OF(n, struct pool_ticket, node)->number <= last)
        n = n->next;
    lane->unsent = n ? LIST_OF(n, struct pool_ticket, node) : NULL;
    lane->window = window_of(window);
    lane->heard_ms = now_ms;
    lane->is_up = true;
}

enum rc pool_lanes_hello(struct pool_lanes *l, const struct pool_process *p, uint64_t last,
                         unsigned window, uint64_t now_ms, enum pool_entry *ret,
                         struct pool_lane **ret_lane)
{
    struct pool_lane *lane = find(l, p);
    enum rc rc = RC_OK;
    if (!lane && l->count == POOL_MAX_LANES) {
        *ret = POOL_FULL;
    } else if (!lane) {
        rc = enter(l, p, window, now_ms, &lane);
        if (!rc)
            *ret = POOL_ENTERED;
    } else if (lane->boot == p->boot && lane->is_expelled) {
        *ret = POOL_EXPELLED;
    } else if (lane->boot != p->boot || is_over(lane, now_ms)) {
        *ret = POOL_EARLIER;
    } else {
        come_back(lane, last, window, now_ms);
        *ret = POOL_RETURNED;
    }
    if (!rc && (*ret == POOL_ENTERED || *ret == POOL_RETURNED))
        *ret_lane = lane;
    return rc;
}

void *pool_lane_ctx(const struct pool_lane *lane)
{
    return lane->ctx;
}

void pool_lane_set_ctx(struct pool_lane *lane, void *ctx)
{
    lane->ctx = ctx;
}

void pool_lane_share(struct pool_lane *lane, struct pool_suspicion *s)
{
    assert(!lane->count);
    lane->suspicion = s;
}

bool pool_lane_ping(struct pool_lane *lane, uint64_t now_ms)
{
    if (lane->is_expelled || is_over(lane, now_ms))
        return false;
    lane->heard_ms = now_ms;
    return true;
}

void pool_lane_cut(struct pool_lane *lane)
{
    lane->is_up = false;
}

void pool_lane_expel(struct pool_lane *lane)
{
    lane->is_expelled = true;
}

void pool_lane_leave(struct pool_lane *lane)
{
    lane->is_leaving = true;
    end_if_over(lane);
}

/* Tickets -------------------------------------------------------------------------------------- */

bool pool_lane_has_room(const struct pool_lane *lane, bool is_suspect, uint64_t now_ms)
{
    if (!lane->is_up || lane->is_expelled || lane->is_leaving || lane->count >= lane->window)
        return false;
    if (now_ms >= lane->heard_ms + lane->lanes->timings.fence_ms)
        return false;
    return !is_suspect || !atomic_load_explicit(&lane->suspicion->open, memory_order_relaxed);
}

unsigned pool_lane_count(const struct pool_lane *lane)
{
    return lane->count;
}

struct pool_ticket *pool_lane_first(const struct pool_lane *lane)
{
    return oldest(lane);
}

static void suspect(struct pool_lane *lane, bool is_more)
{
    if (is_more)
        atomic_fetch_add_explicit(&lane->suspicion->open, 1, memory_order_relaxed);
    else
        atomic_fetch_sub_explicit(&lane->suspicion->open, 1, memory_order_relaxed);
}

enum rc pool_lane_give(struct pool_lane *lane, struct pool_ticket *t, bool is_suspect,
                       uint64_t now_ms)
{
    struct pool_lanes *l = lane->lanes;
    struct pool_ticket **row = int_map_need(&l->tickets, l->next, NULL);
    if (!row)
        return RC_NOMEM;
    *row = t;
    *t = (struct pool_ticket){
        .number = l->next++, .lane = lane, .given_ms = now_ms, .is_suspect = is_suspect};
    list_add_last(&lane->tickets, &t->node);
    lane->count++;
    if (is_suspect)
        suspect(lane, true);
    if (!lane->unsent)
        lane->unsent = t;
    return RC_OK;
}

static struct pool_ticket *behind(const struct pool_ticket *t)
{
    return t->node.next ? LIST_OF(t->node.next, struct pool_ticket, node) : NULL;
}

struct pool_ticket *pool_lane_unsent(struct pool_lane *lane)
{
    struct pool_ticket *t = lane->is_up && !lane->is_expelled ? lane->unsent : NULL;
    if (t)
        lane->unsent = behind(t);
    return t;
}

void pool_ticket_close(struct pool_ticket *t)
{
    struct pool_lane *lane = t->lane;
    if (lane->unsent == t)
        lane->unsent = behind(t);
    list_remove(&lane->tickets, &t->node);
    (void)int_map_remove(&lane->lanes->tickets, t->number);
    lane->count--;
    if (t->is_suspect)
        suspect(lane, false);
    t->lane = NULL;
    end_if_over(lane);
}

struct pool_ticket *pool_lane_take(struct pool_lane *lane, uint64_t number)
{
    struct pool_ticket **row = int_map_get(&lane->lanes->tickets, number);
    struct pool_ticket *t = row ? *row : NULL;
    if (!t || t->lane != lane || lane->is_dead || (lane->unsent && number >= lane->unsent->number))
        return NULL;
    pool_ticket_close(t);
    return t;
}

/* Time ----------------------------------------------------------------------------------------- */

struct pool_ticket *pool_lanes_lost(struct pool_lanes *l, uint64_t now_ms)
{
    look(l, now_ms);
    struct pool_lane *lane = lane_of(l->dead.first); /* one without a ticket is ready */
    if (!lane)
        return NULL;
    struct pool_ticket *t = oldest(lane);
    bool came_through = !lane->unsent || t->number < lane->unsent->number;
    t->is_blamed = came_through && (t->is_suspect || lane->blames_all);
    if (t->is_suspect)
        atomic_store_explicit(&lane->suspicion->lost_ms, now_ms, memory_order_relaxed);
    pool_ticket_close(t);
    return t;
}

struct pool_lane *pool_lanes_gone(struct pool_lanes *l, uint64_t now_ms)
{
    look(l, now_ms);
    mem_free(l->gone);
    l->gone = lane_of(l->ready.first);
    if (l->gone) {
        list_remove(&l->ready, &l->gone->node);
        l->count--;
    }
    return l->gone;
}

uint64_t pool_lanes_due_ms(const struct pool_lanes *l)
{
    const struct heap_node *first = heap_first(&l->due);
    if (l->dead.first || l->ready.first)
        return 0;
    return first ? first->key : UINT64_MAX;
}
