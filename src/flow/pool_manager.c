/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/pool_manager.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

#include <sys/random.h>

enum { FAREWELL_MS = 1000 };

/* The route of a message to a lane; the highest bit says that the message is a suspect. */
#define SUSPECT (UINT64_C(1) << 63)

static struct pool_manager *of(struct instance *self)
{
    return self->state;
}

static void sent_free(struct sent *s)
{
    buf_done(&s->frame);
    mem_free(s);
}

/* Messages ---------------------------------------------------------------------------------------- */

static void leave_lost(struct pool_manager *p, struct message *m, unsigned slot, bool is_blamed)
{
    m->type->lost(m, is_blamed);
    part_emit(p->self, POOL_LOST_OUTLETS + slot, m);
}

void pool_manager_lose(struct pool_manager *p, struct sent *s, bool is_blamed)
{
    struct message *m = s->message;
    unsigned slot = s->slot;
    sent_free(s);
    leave_lost(p, m, slot, is_blamed);
}

static enum rc unpack(const struct pool_manager *p, const struct message_type *type,
                      bool is_trusted, struct str bytes, struct message *m)
{
    enum rc rc = m->type == type ? type->unpack(bytes, &m) : RC_INVALID;
    if (rc || is_trusted || !type->check)
        return rc;
    return type->check(m, p->settings->options.frame_bytes);
}

bool pool_manager_answer(struct pool_manager *p, struct sent *s, unsigned slot, struct str bytes)
{
    struct message *m = s->message;
    enum rc rc = unpack(p, p->settings->back[slot].type, s->end->is_trusted, bytes, m);
    if (rc) {
        pool_manager_lose(p, s, rc != RC_NOMEM);
        return rc == RC_NOMEM;
    }
    sent_free(s);
    part_emit(p->self, slot, m);
    return true;
}

/* A visit that ended there did not come to its last step, so it goes back. */
void pool_manager_ended(struct pool_manager *p, struct sent *s, bool is_leaving)
{
    struct message *m = s->message;
    if (m->type->may_end && !m->type->may_end(m)) {
        pool_manager_lose(p, s, !is_leaving);
        return;
    }
    sent_free(s);
    part_end_anyway(p->self, m);
}

static enum rc frame_make(struct pool_manager *p, const struct message *m, unsigned slot,
                          struct sent *s)
{
    const struct pool_cut *cut = &p->settings->there[slot];
    struct pool_message head = {.cut = cut->cut,
                                .ticket = s->ticket.number,
                                .route = m->route,
                                .credits = m->credits ? m->credits : 1};
    buf_init(&s->frame, p->settings->options.frame_bytes);
    pool_message_write(POOL_MESSAGE, &head, &s->frame);
    enum rc rc = cut->type->pack(m, &s->frame);
    return rc ? rc : buf_rc(&s->frame);
}

static enum rc give(struct pool_manager *p, struct lane_end *e, unsigned slot, struct message *m)
{
    struct sent *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    s->end = e;
    s->message = m;
    s->slot = slot;
    enum rc rc =
        pool_lane_give(e->lane, &s->ticket, (m->route & SUSPECT) != 0, part_now_ms(p->self));
    if (rc == RC_OK) {
        rc = frame_make(p, m, slot, s);
        if (rc)
            pool_ticket_close(&s->ticket);
    }
    if (rc) {
        sent_free(s);
        return rc;
    }
    const struct message_type *type = p->settings->there[slot].type;
    if (type->stay)
        type->stay(m);
    pool_member_note(e->member, 0, 1, 0);
    atomic_fetch_add_explicit(&pool_member_counts(e->member)->sent, 1, memory_order_relaxed);
    lane_end_send(e);
    return RC_OK;
}

static void manager_handle(struct instance *self, unsigned inlet, struct message *m)
{
    struct pool_manager *p = of(self);
    bool is_suspect = (m->route & SUSPECT) != 0;
    struct lane_end **e = int_map_get(&p->by_route, m->route & ~SUSPECT);
    if (!e || !pool_lane_has_room((*e)->lane, is_suspect, part_now_ms(self))) {
        leave_lost(p, m, inlet, false);
        return;
    }
    enum rc rc = give(p, *e, inlet, m);
    if (rc == RC_NOMEM)
        leave_lost(p, m, inlet, false);
    else if (rc) {
        part_fail(self, rc, "a message cannot go to a member: %s", rc_text(rc));
        part_end_anyway(self, m);
    }
}

/* What is lost, and who is gone -------------------------------------------------------------------- */

static void set_timer(struct pool_manager *p)
{
    uint64_t due_ms = pool_lanes_due_ms(p->lanes);
    if (due_ms == UINT64_MAX)
        part_timer_stop(p->self, &p->due);
    else if (part_timer(p->self, &p->due, due_ms) != RC_OK)
        part_fail(p->self, RC_NOMEM, "no memory for a timer");
}

/* A member that left in order is no news. */
static void say_goodbye(struct pool_manager *p, struct lane_end *e)
{
    if (!e->is_leaving)
        log_warn_limited(part_log(p->self), "member.gone",
                         LOG_STR("member", pool_member_name(e->member)), LOG_U64("lost", e->lost));
    lane_end_close(e);
}

/* Messages that are emitted here may lead back here, by way of a step that gives their host a message. */
void pool_manager_look(struct pool_manager *p)
{
    uint64_t now_ms = part_now_ms(p->self);
    struct pool_ticket *t;
    struct pool_lane *gone;
    while ((t = pool_lanes_lost(p->lanes, now_ms))) {
        struct sent *s = EVENT_OF(t, struct sent, ticket);
        struct pool_member *member = s->end->member;
        pool_member_note(member, 0, -1, 0);
        s->end->lost++;
        atomic_fetch_add_explicit(&pool_member_counts(member)->lost, 1, memory_order_relaxed);
        pool_manager_lose(p, s, t->is_blamed);
    }
    while ((gone = pool_lanes_gone(p->lanes, now_ms)))
        if (pool_lane_ctx(gone))
            say_goodbye(p, pool_lane_ctx(gone));
    set_timer(p);
}

static void on_due(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    pool_manager_look(EVENT_OF(t, struct pool_manager, due));
}

static void manager_turn(struct instance *self)
{
    struct pool_manager *p = of(self);
    for (struct list_node *n = p->ends.first, *next; n; n = next) {
        next = n->next;
        lane_end_turn(LIST_OF(n, struct lane_end, node));
    }
}

/* A batch has waited for long enough. */
static void on_flush(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    struct pool_manager *p = EVENT_OF(t, struct pool_manager, flush);
    p->is_flush_set = false;
    manager_turn(p->self);
}

/* The reception ----------------------------------------------------------------------------------- */

static struct pool_manager *on_shard(struct pool_manager *p, unsigned shard)
{
    const struct node *n = node_of(p->self);
    const struct flow *f = n->flow;
    return f->component_at[shard * f->wiring->component_count + n->place]->self.state;
}

static const char *wrong_with(const struct pool_manager *p, const struct pool_hello *h)
{
    if (h->abi != PART_ABI)
        return "it runs another version of orbweaver";
    if (h->wiring != p->settings->wiring || h->place != p->settings->place)
        return "its wiring file or its settings are not the manager's; orbweaver member add DIR "
               "NAME "
               "makes its key anew, with them";
    if (!h->shards || h->shards > POOL_MAX_SHARDS || h->lane >= POOL_MAX_SHARDS)
        return "it has too many shards";
    return NULL;
}

static bool welcome(void *ctx, struct link *l, struct str frame, const char **ret_why)
{
    struct pool_manager *p = ctx;
    struct pool_hello h;
    if (pool_hello_read(frame, &h) != RC_OK)
        return false;
    *ret_why = wrong_with(p, &h);
    if (*ret_why)
        return false;
    struct pool_manager *to = on_shard(p, h.lane % p->self->shard_count);
    if (to == p)
        lane_ends_take(p->self, l, &h);
    else if (pool_arrivals_add(&to->arrivals, l, &h) != RC_OK)
        return false;
    return true;
}

static void shared_close(struct pool_shared *s)
{
    if (!s)
        return;
    reception_close(&s->reception);
    link_context_close(s->links);
    pool_roll_close(s->roll);
    mem_free(s);
}

static enum rc shared_open(struct pool_manager *p, struct buf *why)
{
    struct pool_shared *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    s->reception = (struct reception){
        .self = p->self, .ctx = p, .welcome = welcome, .refuse = pool_refuse, .listening.fd = -1};
    s->roll = pool_roll_open();
    enum rc rc = s->roll ? link_context_open_keys(p->settings->login.keys, &s->links) : RC_NOMEM;
    if (rc == RC_OK && getrandom(&s->session, sizeof s->session, 0) != sizeof s->session)
        rc = RC_IO;
    s->reception.links = s->links;
    if (rc == RC_OK)
        rc = reception_open(&s->reception, p->settings->manager.address, why);
    if (rc)
        shared_close(s);
    else
        p->shared = s;
    return rc;
}

/* The port ------------------------------------------------------------------------------------------ */

struct pool_port *part_pool(struct instance *self)
{
    const struct node *n = node_of(self);
    const struct flow *f = n->flow;
    for (unsigned i = 0; i < f->wiring->component_count; i++)
        if (f->wiring->components[i].part == &part_pool_manager) {
            struct node *at = f->component_at[self->shard * f->wiring->component_count + i];
            return (struct pool_port *)at->self.state;
        }
    return NULL;
}

static struct pool_manager *manager_of(struct pool_port *p)
{
    return (struct pool_manager *)(void *)p;
}

struct pool_roll *pool_port_roll(struct pool_port *p)
{
    return manager_of(p)->shared->roll;
}

bool pool_port_has_room(struct pool_port *port)
{
    struct pool_manager *p = manager_of(port);
    bool has_room = false;
    for (struct list_node *n = p->ends.first; n && !has_room; n = n->next) {
        struct lane_end *e = LIST_OF(n, struct lane_end, node);
        has_room = pool_lane_has_room(e->lane, false, part_now_ms(p->self));
        e->had_no_room |= !has_room;
    }
    return has_room;
}

uint64_t pool_port_route(struct pool_port *port, struct str member, bool is_suspect)
{
    struct pool_manager *p = manager_of(port);
    const struct lane_end *best = NULL;
    uint64_t now_ms = part_now_ms(p->self);
    for (struct list_node *n = p->ends.first; n; n = n->next) {
        struct lane_end *e = LIST_OF(n, struct lane_end, node);
        if (member.p && !str_eq(pool_member_name(e->member), member))
            continue;
        if (!pool_lane_has_room(e->lane, is_suspect, now_ms))
            e->had_no_room = true;
        else if (!best || pool_lane_count(e->lane) < pool_lane_count(best->lane))
            best = e;
    }
    return best ? best->route | (is_suspect ? SUSPECT : 0) : 0;
}

uint64_t pool_port_quiet_ms(const struct pool_port *port)
{
    const struct pool_manager *p = (const struct pool_manager *)(const void *)port;
    return p->settings->options.timings.dead_ms;
}

void pool_port_wait(struct pool_port *port, struct pool_waiter w)
{
    manager_of(port)->waiter = w;
}

/* The part ----------------------------------------------------------------------------------------- */

static void manager_stop(struct instance *self)
{
    struct pool_manager *p = of(self);
    part_timer_stop(self, &p->due);
    part_timer_stop(self, &p->flush);
    for (struct list_node *n = p->ends.first; n; n = n->next) {
        struct lane_end *e = LIST_OF(n, struct lane_end, node);
        struct pool_ticket *t;
        part_timer_stop(self, &e->again);
        while ((t = pool_lane_first(e->lane))) {
            pool_ticket_close(t);
            struct sent *s = EVENT_OF(t, struct sent, ticket);
            part_end_anyway(self, s->message);
            sent_free(s);
        }
    }
}

/* Only a flow that came to its end by itself, or by a limit, tells so: members of one that was stopped
 * wait until it goes on. All are told before one is waited for, so a member
 * that stands still holds up no other. */
static void say_farewell(struct pool_manager *p)
{
    const struct flow *f = node_of(p->self)->flow;
    if (f->error != RC_OK || !atomic_load(&f->is_over))
        return;
    uint64_t until_ms = clock_now_ms(part_clock(p->self)) + FAREWELL_MS;
    for (struct list_node *n = p->ends.first; n; n = n->next)
        lane_end_tell_over(LIST_OF(n, struct lane_end, node));
    for (struct list_node *n = p->ends.first; n; n = n->next) {
        struct lane_end *e = LIST_OF(n, struct lane_end, node);
        uint64_t now_ms = clock_now_ms(part_clock(p->self));
        if (e->link)
            link_finish(e->link, now_ms < until_ms ? (int)(until_ms - now_ms) : 0);
    }
}

static void manager_close(struct instance *self)
{
    struct pool_manager *p = of(self);
    say_farewell(p);
    while (p->ends.first) {
        struct lane_end *e = LIST_OF(p->ends.first, struct lane_end, node);
        pool_lane_set_ctx(e->lane, NULL);
        lane_end_close(e);
    }
    pool_lanes_close(p->lanes);
    pool_arrivals_close(&p->arrivals);
    int_map_done(&p->by_route);
    if (self->shard == 0)
        shared_close(p->shared);
    mem_free(p);
}

static enum rc manager_open(struct instance *self, struct buf *why)
{
    struct pool_manager *p = mem_zero(1, sizeof *p);
    if (!p)
        return RC_NOMEM;
    self->state = p;
    p->self = self;
    p->settings = self->settings;
    p->by_route = INT_MAP(sizeof(struct lane_end *));
    p->due.due = on_due;
    p->flush.due = on_flush;
    pool_arrivals_init(&p->arrivals, self, lane_ends_take);
    enum rc rc = RC_OK;
    if (self->shard == 0)
        rc = shared_open(p, why);
    else
        p->shared = on_shard(p, 0)->shared;
    p->lanes = rc == RC_OK ? pool_lanes_open(&p->settings->options.timings, 1) : NULL;
    if (rc == RC_OK && !p->lanes)
        rc = RC_NOMEM;
    if (rc)
        manager_close(self);
    return rc;
}

const struct part part_pool_manager = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "pool-manager",
    .help = "to the members of the pool, and back",
    .inlets = pool_inlets,
    .outlets = pool_outlets,
    .settings_bytes = sizeof(struct pool_end_settings),
    .open = manager_open,
    .close = manager_close,
    .handle = manager_handle,
    .stop = manager_stop,
    .turn = manager_turn,
};
