/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/pool_member.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

enum {
    DIAL_FIRST_MS = 50,
    DIAL_MOST_MS = 5000,
    PATIENCE_MS = 10000, /* from dialling to the welcome */
    COME_AGAIN_MS = 1000,
    FAREWELL_MS = 1000,
};

static struct instance *self_of(const struct member_lane *l)
{
    return l->end->self;
}

/* Moments of a lease are never those of the turn's beginning: the turn may have begun long ago. */
static uint64_t clock_of(const struct member_lane *l)
{
    return clock_now_ms(part_clock(self_of(l)));
}

static void timer_set(struct member_lane *l, struct timer *t, uint64_t moment_ms)
{
    if (part_timer(self_of(l), t, moment_ms) != RC_OK)
        part_fail(self_of(l), RC_NOMEM, "no memory for a timer");
}

/* Sending ------------------------------------------------------------------------------------------ */

static void put(struct member_lane *l, struct str frame)
{
    if (l->is_up && !l->link.is_gone)
        link_put(&l->link, &frame, 1);
}

void member_lane_answer(struct member_lane *l, const struct pool_copy *c)
{
    if (buf_rc(&c->answer) == RC_OK)
        put(l, buf_str(&c->answer));
}

void member_lane_leave(struct member_lane *l)
{
    const char kind = POOL_LEAVE;
    put(l, str_make(&kind, 1));
    if (l->is_up)
        link_flush(&l->link);
    else if (pool_lease_look(&l->lease, clock_of(l)) == POOL_NO_LEASE)
        pool_member_void(l);
}

void member_lane_turn(struct member_lane *l)
{
    if (l->is_up && link_backlog(&l->link))
        link_flush(&l->link);
}

/* The lease ---------------------------------------------------------------------------------------- */

static void beat_later(struct member_lane *l, uint64_t now_ms)
{
    uint64_t next_ms = l->ping_ms, changes_ms = pool_lease_changes_ms(&l->lease, now_ms);
    if (!l->is_up || changes_ms < next_ms)
        next_ms = changes_ms;
    if (next_ms != UINT64_MAX)
        timer_set(l, &l->beat, next_ms);
}

static void on_beat(struct timer *t, uint64_t turn_ms)
{
    (void)turn_ms;
    struct member_lane *l = EVENT_OF(t, struct member_lane, beat);
    uint64_t now_ms = clock_of(l);
    if (l->is_up && now_ms >= l->ping_ms) {
        char room[16];
        struct buf frame = buf_on(room, sizeof room);
        pool_number_write(POOL_PING, pool_lease_send(&l->lease, now_ms), &frame);
        put(l, buf_str(&frame));
        link_flush(&l->link);
        l->ping_ms = now_ms + l->lease.timings.ping_ms;
    }
    beat_later(l, now_ms);
}

/* What is open without a lease is broken off. The answers say that it was put off; they count if the lane
 * still stands. */
void member_lane_guard(struct member_lane *l, uint64_t now_ms)
{
    if (l->has_given_up || !l->copies.first || pool_lease_look(&l->lease, now_ms) != POOL_NO_LEASE)
        return;
    l->has_given_up = true;
    log_warn_limited(part_log(self_of(l)), "member.no_lease",
                     LOG_C("note", "the manager has not answered for too long: open requests end"));
    pool_give_up(node_of(self_of(l))->shard);
    if (l->end->is_leaving && !l->is_up)
        pool_member_void(l);
}

/* Dialling ------------------------------------------------------------------------------------------ */

static void dial_later(struct member_lane *l)
{
    l->wait_ms = l->wait_ms ? l->wait_ms * 2 : DIAL_FIRST_MS;
    if (l->wait_ms > DIAL_MOST_MS)
        l->wait_ms = DIAL_MOST_MS;
    timer_set(l, &l->again, part_now_ms(self_of(l)) + l->wait_ms);
}

static void link_lost(struct member_lane *l)
{
    if (l->is_up || !l->wait_ms || l->wait_ms == DIAL_MOST_MS)
        log_warn_limited(part_log(self_of(l)), "member.lost",
                         LOG_C("why", l->link.why ? l->link.why : "-"));
    l->is_up = false;
    link_close(&l->link);
    if (!l->end->is_leaving || l->copies.first)
        dial_later(l);
}

static void say_hello(struct member_lane *l)
{
    const struct pool_end_settings *s = l->end->settings;
    struct buf frame = {.max = RECEPTION_FRAME_BYTES};
    struct pool_hello h = {
        .abi = PART_ABI,
        .wiring = s->wiring,
        .place = (uint16_t)s->place,
        .lane = (uint16_t)l->number,
        .shards = (uint16_t)self_of(l)->shard_count,
        .boot = l->end->boot,
        .session = l->session,
        .last = l->last,
        .ping = pool_lease_send(&l->lease, clock_of(l)),
    };
    pool_hello_write(&h, &frame);
    struct str piece = buf_str(&frame);
    if (buf_rc(&frame) == RC_OK)
        link_put(&l->link, &piece, 1);
    buf_done(&frame);
}

void member_lane_dial(struct member_lane *l)
{
    enum rc rc = link_dial(&l->link, l->end->links, part_loop(self_of(l)), &l->end->to);
    if (rc == RC_OK)
        rc = part_timer(self_of(l), &l->again, part_now_ms(self_of(l)) + PATIENCE_MS);
    if (rc == RC_OK) {
        say_hello(l);
    } else {
        link_close(&l->link);
        dial_later(l);
    }
}

static void on_again(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    struct member_lane *l = EVENT_OF(t, struct member_lane, again);
    if (l->link.context) { /* a program has accepted the connection and says nothing */
        l->link.why = "it does not answer";
        link_lost(l);
    } else {
        member_lane_dial(l);
    }
}

/* Receiving ------------------------------------------------------------------------------------------ */

/* Lanes of this shard up to the larger number of shards. */
static void more_lanes(struct member_lane *l, unsigned manager_shards)
{
    struct pool_member_end *end = l->end;
    unsigned step = end->self->shard_count;
    if (l->number != end->self->shard)
        return;
    for (unsigned n = l->number + step; n < manager_shards; n += step) {
        bool is_there = false;
        for (struct list_node *k = end->lanes.first; k; k = k->next)
            is_there |= LIST_OF(k, struct member_lane, node)->number == n;
        if (is_there)
            continue;
        if (member_lane_open(end, n) != RC_OK) {
            part_fail(end->self, RC_NOMEM, "no memory for a lane");
            return;
        }
        member_lane_dial(LIST_OF(end->lanes.last, struct member_lane, node));
    }
}

static void send_again(struct member_lane *l)
{
    for (struct list_node *n = l->copies.first; n; n = n->next) {
        const struct pool_copy *c = LIST_OF(n, struct pool_copy, node);
        if (c->answer.n)
            member_lane_answer(l, c);
    }
}

static bool on_welcome(struct member_lane *l, struct str frame)
{
    struct pool_welcome w;
    char room[200];
    struct buf why = buf_on(room, sizeof room);
    if (l->is_up || pool_welcome_read(frame, &w) != RC_OK ||
        pool_timings_check(&w.timings, &why) != RC_OK || !w.shards || w.shards > POOL_MAX_SHARDS)
        return false;
    if (w.is_new || w.session != l->session) {
        pool_lease_drop(&l->lease);
        pool_member_void(l);
    }
    l->session = w.session;
    pool_lease_time(&l->lease, &w.timings);
    if (!pool_lease_answer(&l->lease, w.ping))
        return false;
    l->is_up = true;
    l->wait_ms = 0;
    l->has_given_up = false;
    part_timer_stop(self_of(l), &l->again);
    log_info_limited(part_log(self_of(l)), "member.connected",
                     LOG_C("manager", l->end->settings->manager.name.p));
    uint64_t now_ms = clock_of(l);
    l->ping_ms = now_ms + w.timings.ping_ms;
    beat_later(l, now_ms);
    send_again(l);
    if (l->end->is_leaving)
        member_lane_leave(l);
    more_lanes(l, w.shards);
    return true;
}

static bool on_pong(struct member_lane *l, struct str frame)
{
    uint64_t number;
    if (!l->is_up || pool_number_read(frame, &number) != RC_OK ||
        !pool_lease_answer(&l->lease, number))
        return false;
    if (pool_lease_look(&l->lease, clock_of(l)) == POOL_LEASE_GOOD)
        l->has_given_up = false;
    return true;
}

static bool on_settled(struct member_lane *l, struct str frame)
{
    struct str numbers;
    if (!l->is_up || pool_numbers_read(frame, &numbers) != RC_OK)
        return false;
    for (; numbers.n; numbers = str_from(numbers, 8)) {
        struct pool_copy **c = int_map_get(&l->by_ticket, get_le64(numbers.p));
        if (c)
            pool_copy_settled(*c);
    }
    return true;
}

/* One whose wiring or version differs will never be welcome; the operator has just started it and sees
 * the error. The others come again. */
static bool on_refused(struct member_lane *l, struct str frame)
{
    struct str why;
    bool is_final;
    if (l->is_up || pool_refused_read(frame, &why, &is_final) != RC_OK)
        return false;
    if (is_final)
        part_fail(self_of(l), RC_INVALID, "the manager refuses this process: " STR_FMT,
                  STR_ARG(why));
    else
        log_warn_limited(part_log(self_of(l)), "member.waits", LOG_STR("why", why));
    link_close(&l->link);
    timer_set(l, &l->again, part_now_ms(self_of(l)) + COME_AGAIN_MS);
    return true;
}

static bool on_over(struct member_lane *l)
{
    struct pool_member_end *end = l->end;
    for (struct list_node *n = end->lanes.first; n; n = n->next)
        pool_member_void(LIST_OF(n, struct member_lane, node));
    part_drain(end->self);
    return true;
}

static bool on_frame(struct member_lane *l, struct str frame)
{
    switch (pool_frame_kind(frame)) {
    case POOL_WELCOME:
        return on_welcome(l, frame);
    case POOL_REFUSED:
        return on_refused(l, frame);
    case POOL_PONG:
        return on_pong(l, frame);
    case POOL_SETTLED:
        return on_settled(l, frame);
    case POOL_MESSAGE:
        return l->is_up && pool_member_take(l, frame);
    case POOL_OVER:
        return l->is_up && on_over(l);
    default:
        return false;
    }
}

static void on_link(struct link *link)
{
    struct member_lane *l = link->owner;
    struct str frame;
    bool is_good = true;
    do {
        while (is_good && link->context && link_next(link, &frame))
            is_good = on_frame(l, frame);
        link_pump(link);
    } while (is_good && link->context && link_has_frame(link));
    if (!is_good && link->context) {
        log_warn_limited(part_log(self_of(l)), "member.bad_frame",
                         LOG_C("manager", l->end->settings->manager.name.p));
        link->why = "it sent a frame that cannot be read";
    }
    if (link->context && (!is_good || link->is_gone))
        link_lost(l);
}

/* Life ------------------------------------------------------------------------------------------------ */

enum rc member_lane_open(struct pool_member_end *end, unsigned number)
{
    struct member_lane *l = mem_zero(1, sizeof *l);
    if (!l)
        return RC_NOMEM;
    l->end = end;
    l->number = number;
    l->link.happened = on_link;
    l->link.owner = l;
    l->link.frame_bytes = end->settings->options.frame_bytes;
    l->again.due = on_again;
    l->beat.due = on_beat;
    l->by_ticket = INT_MAP(sizeof(struct pool_copy *));
    pool_lease_init(&l->lease);
    list_add_last(&end->lanes, &l->node);
    return RC_OK;
}

void member_lane_stop(struct member_lane *l)
{
    part_timer_stop(self_of(l), &l->again);
    part_timer_stop(self_of(l), &l->beat);
}

void member_lane_close(struct member_lane *l, bool is_in_order)
{
    if (is_in_order && l->is_up)
        link_finish(&l->link, FAREWELL_MS);
    link_close(&l->link);
    list_remove(&l->end->lanes, &l->node);
    int_map_done(&l->by_ticket);
    mem_free(l);
}
