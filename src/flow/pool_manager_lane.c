/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/pool_manager.h"

#include "base/log.h"
#include "base/mem.h"

/* A turn with one member's frames is short beside `fence`: the others' pings wait for it. */
enum { SETTLED_MAX_BYTES = 1 << 20, TURN_MS = 20, TURN_FRAMES = 256 };

static const char *name_of(const struct lane_end *e)
{
    return e->link ? e->link->name : "-";
}

static struct log *log_of(const struct lane_end *e)
{
    return part_log(e->manager->self);
}

static uint64_t now_of(const struct pool_manager *p)
{
    return part_now_ms(p->self);
}

/* Sending --------------------------------------------------------------------------------------- */

static void put(struct lane_end *e, struct buf *frame)
{
    struct str piece = buf_str(frame);
    if (e->link && buf_rc(frame) == RC_OK)
        link_put(e->link, &piece, 1);
}

static void put_number(struct lane_end *e, enum pool_frame kind, uint64_t number)
{
    char room[16];
    struct buf frame = buf_on(room, sizeof room);
    pool_number_write(kind, number, &frame);
    put(e, &frame);
}

void lane_end_send(struct lane_end *e)
{
    struct pool_ticket *t;
    while (e->link && !e->link->is_gone && link_backlog(e->link) < LINK_BACKLOG_BYTES &&
           (t = pool_lane_unsent(e->lane))) {
        put(e, &EVENT_OF(t, struct sent, ticket)->frame);
        if (!e->batched++)
            e->batched_ms = now_of(e->manager);
    }
}

static void flush_later(struct pool_manager *p, uint64_t moment_ms)
{
    if (!p->is_flush_set && part_timer(p->self, &p->flush, moment_ms) == RC_OK)
        p->is_flush_set = true;
}

/* A batch goes when it is full or old enough; without one everything goes at once. */
static void flush(struct lane_end *e, bool is_urgent)
{
    const struct pool_options *o = &e->manager->settings->options;
    uint64_t due_ms = e->batched_ms + o->batch_ms;
    if (!is_urgent && e->batched && e->batched < o->batch && now_of(e->manager) < due_ms) {
        flush_later(e->manager, due_ms);
        return;
    }
    e->batched = 0;
    if (e->link)
        link_flush(e->link);
}

void lane_end_turn(struct lane_end *e)
{
    const char kind = POOL_SETTLED;
    const struct str pieces[] = {{&kind, 1}, buf_str(&e->settled)};
    bool tells = e->settled.n > 0;
    if (!e->link)
        return;
    if (tells && buf_rc(&e->settled) == RC_OK)
        link_put(e->link, pieces, 2);
    else if (tells)
        lane_end_cut(e); /* no memory: the member sends its answers again */
    buf_clear(&e->settled);
    lane_end_send(e);
    flush(e, tells);
}

void lane_end_tell_over(struct lane_end *e)
{
    const char kind = POOL_OVER;
    const struct str frame = {&kind, 1};
    if (!e->link)
        return;
    link_put(e->link, &frame, 1);
    link_flush(e->link);
}

/* Receiving ------------------------------------------------------------------------------------- */

void lane_end_cut(struct lane_end *e)
{
    if (!e->link)
        return;
    log_info_limited(log_of(e), "member.cut", LOG_C("member", name_of(e)),
                     LOG_C("why", e->link->why ? e->link->why : "-"));
    part_timer_stop(e->manager->self, &e->again);
    link_close(e->link);
    mem_free(e->link);
    e->link = NULL;
    e->ping = e->key_ms = 0;
    buf_clear(&e->settled);
    pool_lane_cut(e->lane);
    pool_member_note(e->member, -1, 0, 0);
}

/* It broke the rules: nothing that it says counts any more, and its lease comes to its end. */
static void expel(struct lane_end *e, const char *why)
{
    log_warn_limited(log_of(e), "member.expelled", LOG_C("member", name_of(e)), LOG_C("why", why));
    pool_lane_expel(e->lane);
    lane_end_cut(e);
}

static void settle(struct lane_end *e, uint64_t number)
{
    buf_le64(&e->settled, number);
}

static struct sent *take(struct lane_end *e, uint64_t number)
{
    struct pool_ticket *t = pool_lane_take(e->lane, number);
    if (!t)
        return NULL;
    pool_member_note(e->member, 0, -1, 0);
    return EVENT_OF(t, struct sent, ticket);
}

static bool find_slot(const struct pool_end_settings *s, uint16_t cut, unsigned *ret)
{
    for (*ret = 0; *ret < s->back_count; (*ret)++)
        if (s->back[*ret].cut == cut)
            return true;
    return false;
}

/* A late answer, to a ticket that was lost, is settled too: the member may forget it. */
static void on_answer(struct lane_end *e, struct str frame)
{
    struct pool_message head;
    struct str bytes;
    unsigned slot;
    if (pool_message_read(frame, &head, &bytes) != RC_OK ||
        !find_slot(e->manager->settings, head.cut, &slot)) {
        expel(e, "it sent an answer that cannot be read");
        return;
    }
    struct pool_counts *counts = pool_member_counts(e->member);
    struct sent *s = take(e, head.ticket);
    settle(e, head.ticket);
    if (!s)
        return;
    atomic_fetch_add_explicit(&counts->bytes_in, frame.n, memory_order_relaxed);
    atomic_fetch_add_explicit(&counts->fetched, 1, memory_order_relaxed);
    if (!pool_manager_answer(e->manager, s, slot, bytes))
        expel(e, "it sent a message that cannot be read");
}

static void on_ended(struct lane_end *e, struct str frame)
{
    struct str numbers;
    if (pool_numbers_read(frame, &numbers) != RC_OK) {
        expel(e, "it sent numbers that cannot be read");
        return;
    }
    for (; numbers.n; numbers = str_from(numbers, 8)) {
        struct sent *s = take(e, get_le64(numbers.p));
        settle(e, get_le64(numbers.p));
        if (s)
            pool_manager_ended(e->manager, s, e->is_leaving);
    }
}

static bool find_key(const struct lane_end *e, struct digest *ret)
{
    const struct link_keys *keys = &e->manager->settings->login.keys;
    return keys->find(keys->ctx, str_c(e->link->name), ret);
}

static bool has_key(const struct lane_end *e)
{
    struct digest now;
    bool has = find_key(e, &now) && digest_eq(&now, &e->key);
    explicit_bzero(&now, sizeof now);
    return has;
}

/* A file is read, so it is done once in a ping's time; not at pings, for a member that sends none is one, too. */
static bool still_has_key(struct lane_end *e)
{
    uint64_t now_ms = now_of(e->manager);
    if (now_ms < e->key_ms + e->manager->settings->options.timings.ping_ms)
        return true;
    e->key_ms = now_ms;
    return has_key(e);
}

static void on_ping(struct lane_end *e, struct str frame)
{
    uint64_t number;
    if (pool_number_read(frame, &number) != RC_OK) {
        expel(e, "it sent a ping that cannot be read");
        return;
    }
    e->ping = number;
}

/* The answer to the newest ping says what answers to the others would. */
static void answer_ping(struct lane_end *e)
{
    uint64_t number = e->ping;
    e->ping = 0;
    if (!number || !pool_lane_ping(e->lane, now_of(e->manager)))
        return;
    pool_member_note(e->member, 0, 0, now_of(e->manager));
    put_number(e, POOL_PONG, number);
    link_flush(e->link);
}

static void on_frame(struct lane_end *e, struct str frame)
{
    switch (pool_frame_kind(frame)) {
    case POOL_PING:
        on_ping(e, frame);
        return;
    case POOL_ANSWER:
        on_answer(e, frame);
        return;
    case POOL_ENDED:
        on_ended(e, frame);
        return;
    case POOL_LEAVE:
        pool_lane_leave(e->lane);
        pool_member_note_leaving(e->member);
        e->is_leaving = true;
        return;
    default:
        expel(e, "it sent a frame of no kind");
    }
}

static void tell_room(struct lane_end *e)
{
    struct pool_manager *p = e->manager;
    if (!e->had_no_room || !pool_lane_has_room(e->lane, false, now_of(p)))
        return;
    e->had_no_room = false;
    if (p->waiter.call)
        p->waiter.call(p->waiter.ctx);
}

/* A ping may stand behind a large answer on its way. The bytes of the answer say as well that the member
 * is there. Its own lease needs the answer to a ping. */
static void hear(struct lane_end *e)
{
    if (e->link->received == e->received)
        return;
    e->received = e->link->received;
    if (!still_has_key(e))
        expel(e, "its key was taken away");
    else if (pool_lane_ping(e->lane, now_of(e->manager)))
        pool_member_note(e->member, 0, 0, now_of(e->manager));
}

/* False: there are more frames, and their turn is another. */
static bool take_frames(struct lane_end *e, struct link *l)
{
    struct clock *clock = part_clock(e->manager->self);
    uint64_t until_ms = clock_now_ms(clock) + TURN_MS;
    unsigned count = 0;
    struct str frame;
    do {
        while (e->link == l && link_next(l, &frame)) {
            on_frame(e, frame);
            if (++count == TURN_FRAMES || clock_now_ms(clock) >= until_ms)
                return false;
        }
        if (e->link == l)
            link_pump(l);
    } while (e->link == l && link_has_frame(l));
    return true;
}

static void take_more_later(struct lane_end *e)
{
    if (part_timer(e->manager->self, &e->again, now_of(e->manager)) != RC_OK)
        lane_end_cut(e); /* no memory: the member sends its answers again */
}

/* Frames of a link that has gone still count. An end that was cut has no link any more. */
static void on_link(struct link *l)
{
    struct lane_end *e = l->owner;
    struct pool_manager *p = e->manager;
    hear(e);
    bool is_all = take_frames(e, l);
    answer_ping(e);
    if (e->link == l && !is_all)
        take_more_later(e);
    else if (e->link == l && l->is_gone)
        lane_end_cut(e);
    lane_end_send(e);
    tell_room(e);
    pool_manager_look(p);
}

static void on_again(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    struct lane_end *e = EVENT_OF(t, struct lane_end, again);
    if (e->link)
        on_link(e->link);
}

/* A lane begins or goes on ------------------------------------------------------------------------ */

void pool_refuse(struct link *l, const char *why)
{
    char room[POOL_MAX_REASON_BYTES + 16];
    struct buf frame = buf_on(room, sizeof room);
    pool_refused_write(str_c(why), true, &frame);
    struct str piece = buf_str(&frame);
    if (buf_rc(&frame) == RC_OK)
        link_put(l, &piece, 1);
}

/* It may come again. */
static void put_off(struct pool_manager *p, struct link *l, const char *why)
{
    char room[POOL_MAX_REASON_BYTES + 16];
    struct buf frame = buf_on(room, sizeof room);
    log_info_limited(part_log(p->self), "member.waits", LOG_C("member", l->name),
                     LOG_C("why", why));
    pool_refused_write(str_c(why), false, &frame);
    struct str piece = buf_str(&frame);
    if (buf_rc(&frame) == RC_OK)
        link_put(l, &piece, 1);
    link_flush(l);
    link_close(l);
    mem_free(l);
}

static struct lane_end *end_make(struct pool_manager *p, struct pool_lane *lane,
                                 struct pool_member *member)
{
    struct lane_end *e = mem_zero(1, sizeof *e);
    struct lane_end **by_route = e ? int_map_need(&p->by_route, p->routes + 1, NULL) : NULL;
    if (!by_route) {
        mem_free(e);
        return NULL;
    }
    *e = (struct lane_end){
        .manager = p, .lane = lane, .member = member, .route = ++p->routes, .had_no_room = true};
    e->again.due = on_again;
    *by_route = e;
    buf_init(&e->settled, SETTLED_MAX_BYTES);
    list_add_last(&p->ends, &e->node);
    pool_lane_set_ctx(lane, e);
    pool_lane_share(lane, pool_member_suspicion(member));
    pool_member_note_window(member, (int)p->settings->options.window);
    return e;
}

static struct lane_end *enter(struct pool_manager *p, const struct pool_process *who,
                              struct pool_lane *lane, const char **ret_why)
{
    struct pool_member *member = NULL;
    int64_t wall_ms = (int64_t)clock_wall_ms(part_clock(p->self));
    enum rc rc = pool_roll_enter(p->shared->roll, who, wall_ms, &member);
    struct lane_end *e = rc == RC_OK ? end_make(p, lane, member) : NULL;
    if (rc == RC_OK && !e)
        pool_roll_leave(p->shared->roll, member);
    *ret_why = rc == RC_EXISTS ? "another process of this member may still be asking"
                               : "the manager has no memory for it";
    if (!e)
        pool_lane_leave(lane); /* it has no ticket: it is gone at the next look */
    return e;
}

static void say_welcome(struct lane_end *e, const struct pool_hello *h, bool is_new)
{
    struct buf frame = {.max = RECEPTION_FRAME_BYTES};
    const struct pool_manager *p = e->manager;
    struct pool_welcome w = {
        .session = p->shared->session,
        .shards = (uint16_t)p->self->shard_count,
        .is_new = is_new,
        .ping = h->ping,
        .timings = p->settings->options.timings,
    };
    pool_welcome_write(&w, &frame);
    put(e, &frame);
    buf_done(&frame);
    lane_end_send(e);
    if (e->link)
        link_flush(e->link);
}

static bool is_trusted(const struct pool_login *login, const struct link *l)
{
    return login->trusts && login->trusts(login->keys.ctx, str_c(l->name));
}

static void link_take(struct lane_end *e, struct link *l)
{
    if (e->link)
        e->link->why = "the member has dialled again";
    lane_end_cut(e);
    l->happened = on_link;
    l->owner = e;
    l->frame_bytes = e->manager->settings->options.frame_bytes;
    e->link = l;
    e->received = 0;
    (void)find_key(e, &e->key); /* one that was taken away meanwhile is found at the first ping */
    e->is_trusted = is_trusted(&e->manager->settings->login, l);
    e->batched = 0;
    pool_member_note(e->member, 1, 0, now_of(e->manager));
}

static const char *why_not(enum pool_entry entry)
{
    return entry == POOL_EARLIER    ? "another process of this member may still be asking"
           : entry == POOL_EXPELLED ? "it was expelled; it may come again when its lease has ended"
                                    : "the manager has as many members as it can";
}

/* Answers to an earlier session of the manager mean nothing to this one: such a member begins anew. */
void lane_ends_take(struct instance *self, struct link *l, const struct pool_hello *h)
{
    struct pool_manager *p = self->state;
    struct pool_process who = {.name = str_c(l->name), .boot = h->boot, .number = h->lane};
    uint64_t last = h->session == p->shared->session ? h->last : 0;
    enum pool_entry entry;
    struct pool_lane *lane;
    const char *why = "the manager has no memory for it";
    struct lane_end *e = NULL;
    pool_manager_look(p);
    enum rc rc = pool_lanes_hello(p->lanes, &who, last, (unsigned)p->settings->options.window,
                                  now_of(p), &entry, &lane);
    if (rc == RC_OK && entry == POOL_ENTERED)
        e = enter(p, &who, lane, &why);
    else if (rc == RC_OK && entry == POOL_RETURNED)
        e = pool_lane_ctx(lane);
    else if (rc == RC_OK)
        why = why_not(entry);
    if (!e) {
        put_off(p, l, why);
        pool_manager_look(p);
        return;
    }
    link_take(e, l);
    if (entry == POOL_ENTERED)
        log_info_limited(part_log(self), "member.entered", LOG_C("member", l->name),
                         LOG_U64("lane", h->lane));
    say_welcome(e, h, entry == POOL_ENTERED);
    on_link(l); /* it may have said more already */
    if (p->waiter.call)
        p->waiter.call(p->waiter.ctx);
}

void lane_end_close(struct lane_end *e)
{
    struct pool_manager *p = e->manager;
    if (e->link)
        e->link->why = "it has left, or was silent for too long";
    lane_end_cut(e);
    pool_member_note_window(e->member, -(int)p->settings->options.window);
    (void)int_map_remove(&p->by_route, e->route);
    list_remove(&p->ends, &e->node);
    pool_roll_leave(p->shared->roll, e->member);
    buf_done(&e->settled);
    mem_free(e);
}
