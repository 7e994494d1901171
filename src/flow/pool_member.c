/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/pool_member.h"

#include "base/log.h"
#include "base/mem.h"

#include <sys/random.h>

static struct pool_member_end *of(struct instance *self)
{
    return self->state;
}

static struct credit_account *account_of(struct pool_member_end *end)
{
    return &node_of(end->self)->source.account;
}

/* Copies ------------------------------------------------------------------------------------------ */

static bool is_void(const struct pool_copy *c)
{
    return c->life != c->lane->life;
}

static void copy_free(struct pool_copy *c)
{
    struct member_lane *lane = c->lane;
    (void)int_map_remove(&lane->by_ticket, c->ticket);
    list_remove(&lane->copies, &c->node);
    atomic_fetch_sub(&account_of(lane->end)->out, 1);
    buf_done(&c->answer);
    mem_free(c);
}

static void free_if_done(struct pool_copy *c)
{
    if (c->is_whole && (c->is_settled || is_void(c)))
        copy_free(c);
}

void pool_copy_settled(struct pool_copy *c)
{
    c->is_settled = true;
    free_if_done(c);
}

static void say_ended(struct pool_copy *c)
{
    buf_init(&c->answer, 16);
    pool_number_write(POOL_ENDED, c->ticket, &c->answer);
    member_lane_answer(c->lane, c);
}

/* What goes only because the flow stops has not ended: it will be sent again. */
static void copy_whole(struct credit_account *a)
{
    struct pool_copy *c = (struct pool_copy *)(void *)a;
    c->is_whole = true;
    if (flow_state(node_of(c->lane->end->self)->flow) == FLOW_STOPPING)
        c->is_settled = true;
    else if (!c->answer.n && !is_void(c))
        say_ended(c);
    free_if_done(c);
}

static bool may_go_on(const struct copy_head *head, uint64_t now_ms)
{
    const struct pool_copy *c = (const struct pool_copy *)(const void *)head;
    return !is_void(c) && pool_lease_look(&c->lane->lease, now_ms) == POOL_LEASE_GOOD;
}

static struct pool_copy *copy_make(struct member_lane *lane, uint64_t ticket)
{
    struct pool_copy *c = mem_zero(1, sizeof *c);
    struct pool_copy **row = c ? int_map_need(&lane->by_ticket, ticket, NULL) : NULL;
    if (!row) {
        mem_free(c);
        return NULL;
    }
    *row = c;
    c->head.account.owner = part_loop(lane->end->self);
    c->head.account.whole = copy_whole;
    c->head.may_go_on = may_go_on;
    c->lane = lane;
    c->ticket = ticket;
    c->life = lane->life;
    list_add_last(&lane->copies, &c->node);
    atomic_fetch_add(&account_of(lane->end)->out, 1);
    return c;
}

static const struct pool_cut *find_cut(const struct pool_end_settings *s, uint16_t cut,
                                       unsigned *ret_slot)
{
    for (*ret_slot = 0; *ret_slot < s->there_count; (*ret_slot)++)
        if (s->there[*ret_slot].cut == cut)
            return &s->there[*ret_slot];
    return NULL;
}

static void emit(struct pool_member_end *end, struct pool_copy *c, unsigned slot,
                 const struct pool_message *head, struct message *m)
{
    credit_account_charge(&c->head.account, m, head->credits);
    m->is_copy = 1;
    m->route = head->route;
    count_one(&node_of(end->self)->counts.born);
    part_emit(end->self, slot, m);
}

/* Tickets only grow; anything else is no manager of ours. A message that cannot be read has ended. */
bool pool_member_take(struct member_lane *lane, struct str frame)
{
    struct pool_member_end *end = lane->end;
    struct pool_message head;
    struct str bytes;
    unsigned slot;
    const struct pool_cut *cut = NULL;
    if (pool_message_read(frame, &head, &bytes) != RC_OK || head.ticket <= lane->last ||
        !(cut = find_cut(end->settings, head.cut, &slot)))
        return false;
    lane->last = head.ticket;
    struct pool_copy *c = copy_make(lane, head.ticket);
    if (!c) { /* it is neither answered nor settled: the manager ends this process's lease in time */
        part_fail(end->self, RC_NOMEM, "no memory for a message");
        return true;
    }
    struct message *m = NULL;
    enum rc rc = end->is_leaving ? RC_UNSUPPORTED : cut->type->unpack(bytes, &m);
    if (rc) {
        c->is_whole = true;
        say_ended(c);
        return true;
    }
    emit(end, c, slot, &head, m);
    return true;
}

void pool_member_void(struct member_lane *lane)
{
    lane->life++;
    lane->last = 0;
    lane->has_given_up = true;
    for (struct list_node *n = lane->copies.first, *next; n; n = next) {
        next = n->next;
        free_if_done(LIST_OF(n, struct pool_copy, node));
    }
    if (lane->copies.first)
        pool_give_up(node_of(lane->end->self)->shard);
}

void pool_give_up(struct shard *s)
{
    for (unsigned i = 0; i < s->node_count; i++)
        if (s->nodes[i]->part->give_up && s->nodes[i]->started)
            s->nodes[i]->part->give_up(&s->nodes[i]->self);
}

/* Answers ----------------------------------------------------------------------------------------- */

static enum rc answer_make(struct pool_member_end *end, struct pool_copy *c, unsigned slot,
                           const struct message *m)
{
    const struct pool_cut *cut = &end->settings->back[slot];
    struct pool_message head = {
        .cut = cut->cut, .ticket = c->ticket, .route = m->route, .credits = 1};
    buf_init(&c->answer, end->settings->options.frame_bytes);
    pool_message_write(POOL_ANSWER, &head, &c->answer);
    enum rc rc = cut->type->pack(m, &c->answer);
    rc = rc ? rc : buf_rc(&c->answer);
    if (rc)
        buf_done(&c->answer);
    return rc;
}

/* One answer goes back for a message that came: a second one has no message that waits for it. One that is too
 * large or has no memory goes back as ended. */
static void member_handle(struct instance *self, unsigned inlet, struct message *m)
{
    struct pool_member_end *end = of(self);
    struct pool_copy *c = m->is_copy ? (struct pool_copy *)(void *)copy_of(m) : NULL;
    if (!c || is_void(c) || c->answer.n) {
        part_end_anyway(self, m);
        return;
    }
    enum rc rc = answer_make(end, c, inlet, m);
    if (rc == RC_OK) {
        member_lane_answer(c->lane, c);
    } else {
        log_warn_limited(part_log(self), "member.answer_failed", LOG_RC(rc));
        part_count_error(self);
    }
    part_end_anyway(self, m);
}

/* The part ----------------------------------------------------------------------------------------- */

/* Copies are emitted as they come: a flow that drains asks no source, and its answers must go on. */
static enum produced member_produce(struct instance *self)
{
    (void)self;
    return PRODUCED_WAIT;
}

static void on_wake(struct loop_guard *g, uint64_t now_ms)
{
    struct pool_member_end *end = EVENT_OF(g, struct pool_member_end, guard);
    for (struct list_node *n = end->lanes.first; n; n = n->next)
        member_lane_guard(LIST_OF(n, struct member_lane, node), now_ms);
}

static void member_start(struct instance *self)
{
    struct pool_member_end *end = of(self);
    loop_add_guard(part_loop(self), &end->guard);
    for (struct list_node *n = end->lanes.first; n; n = n->next)
        member_lane_dial(LIST_OF(n, struct member_lane, node));
}

static void member_drain(struct instance *self)
{
    struct pool_member_end *end = of(self);
    end->is_leaving = true;
    for (struct list_node *n = end->lanes.first; n; n = n->next)
        member_lane_leave(LIST_OF(n, struct member_lane, node));
}

static void member_turn(struct instance *self)
{
    struct pool_member_end *end = of(self);
    for (struct list_node *n = end->lanes.first; n; n = n->next)
        member_lane_turn(LIST_OF(n, struct member_lane, node));
}

static void member_stop(struct instance *self)
{
    struct pool_member_end *end = of(self);
    loop_remove_guard(part_loop(self), &end->guard);
    for (struct list_node *n = end->lanes.first; n; n = n->next) {
        struct member_lane *lane = LIST_OF(n, struct member_lane, node);
        member_lane_stop(lane);
        for (struct list_node *c = lane->copies.first, *next; c; c = next) {
            next = c->next;
            pool_copy_settled(LIST_OF(c, struct pool_copy, node));
        }
    }
}

static void member_close(struct instance *self)
{
    struct pool_member_end *end = of(self);
    bool is_in_order = node_of(self)->flow->error == RC_OK;
    while (end->lanes.first)
        member_lane_close(LIST_OF(end->lanes.first, struct member_lane, node), is_in_order);
    link_context_close(end->links);
    mem_free(end);
}

static uint64_t boot_of(struct instance *self)
{
    const struct node *n = node_of(self);
    uint64_t boot = 0;
    if (self->shard) {
        struct node *first = n->flow->component_at[n->place];
        return of(&first->self)->boot;
    }
    return getrandom(&boot, sizeof boot, 0) == sizeof boot ? boot | 1 : 0;
}

static enum rc manager_address(const struct pool_end_settings *s, struct link_address *ret)
{
    if (s->login.manager.port) {
        *ret = s->login.manager;
        return RC_OK;
    }
    return link_address_read(s->manager.address, ret);
}

static enum rc member_open(struct instance *self, struct buf *why)
{
    struct pool_member_end *end = mem_zero(1, sizeof *end);
    if (!end)
        return RC_NOMEM;
    self->state = end;
    end->self = self;
    end->settings = self->settings;
    end->guard.run = on_wake;
    end->boot = boot_of(self);
    const struct pool_login *login = &end->settings->login;
    enum rc rc = end->boot ? manager_address(end->settings, &end->to) : RC_IO;
    if (rc == RC_OK)
        rc = link_context_open_named(login->name, login->secret, &end->links);
    if (rc == RC_INVALID)
        buf_add(why, STR("a member needs its key: a name and a secret (orbweaver member add)"));
    if (rc == RC_OK)
        rc = member_lane_open(end, self->shard);
    if (rc)
        member_close(self);
    return rc;
}

const struct part part_pool_member = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "pool-member",
    .help = "to the manager of the pool, and back",
    .inlets = pool_inlets,
    .outlets = pool_outlets,
    .settings_bytes = sizeof(struct pool_end_settings),
    .open = member_open,
    .close = member_close,
    .handle = member_handle,
    .produce = member_produce,
    .start = member_start,
    .drain = member_drain,
    .stop = member_stop,
    .turn = member_turn,
};
