/* SPDX-License-Identifier: Apache-2.0 */
#include "pool/lanes.h"

#include "base/mem.h"
#include "base/rng.h"

#include "lib/test.h"

#include <stdio.h>
#include <stdlib.h>

enum { PING = 1000, FENCE = 5000, ABORT = 6000, DEAD = 10000, VISIT = 60000, START = 1000000 };
enum { WINDOW = 8, TICKETS = 16, FIRST = 100 };

static const struct pool_timings timings = {PING, FENCE, ABORT, DEAD, VISIT};

struct pool {
    struct pool_lanes *lanes;
    struct pool_ticket tickets[TICKETS];
};

static int open_pool(void **state)
{
    struct pool *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->lanes = pool_lanes_open(&timings, FIRST);
    assert_non_null(p->lanes);
    *state = p;
    return 0;
}

static int close_pool(void **state)
{
    struct pool *p = *state;
    pool_lanes_close(p->lanes);
    assert_int_equal(mem_live(), 0);
    free(p);
    return 0;
}

static struct pool_process process(const char *name, uint64_t boot, unsigned number)
{
    return (struct pool_process){.name = str_c(name), .boot = boot, .number = number};
}

static enum pool_entry hello_last(struct pool *p, struct pool_process who, uint64_t last,
                                  uint64_t now, struct pool_lane **ret)
{
    enum pool_entry entry;
    assert_rc(pool_lanes_hello(p->lanes, &who, last, WINDOW, now, &entry, ret), RC_OK);
    return entry;
}

static enum pool_entry hello(struct pool *p, struct pool_process who, uint64_t now,
                             struct pool_lane **ret)
{
    return hello_last(p, who, 0, now, ret);
}

static struct pool_lane *enter(struct pool *p, const char *name, uint64_t boot, uint64_t now)
{
    struct pool_lane *lane = NULL;
    assert_int_equal(hello(p, process(name, boot, 0), now, &lane), POOL_ENTERED);
    assert_non_null(lane);
    return lane;
}

static struct pool_ticket *give(struct pool *p, int i, struct pool_lane *lane, bool is_suspect,
                                uint64_t now)
{
    assert_true(pool_lane_has_room(lane, is_suspect, now));
    assert_rc(pool_lane_give(lane, &p->tickets[i], is_suspect, now), RC_OK);
    return &p->tickets[i];
}

static struct pool_ticket *give_and_send(struct pool *p, int i, struct pool_lane *lane,
                                         bool is_suspect, uint64_t now)
{
    struct pool_ticket *t = give(p, i, lane, is_suspect, now);
    assert_ptr_equal(pool_lane_unsent(lane), t);
    return t;
}

/* Each entry of the drawing -------------------------------------------------------------------- */

static void a_lane_is_gone_when_it_was_not_heard_for_dead_ms(void **state)
{
    struct pool *p = *state;
    assert_int_equal(pool_lanes_due_ms(p->lanes), UINT64_MAX);
    struct pool_lane *lane = enter(p, "a", 1, START);
    assert_int_equal(pool_lanes_due_ms(p->lanes), START + DEAD);
    assert_true(pool_lane_ping(lane, START + 1000));
    assert_null(pool_lanes_gone(p->lanes, START + DEAD));
    assert_int_equal(pool_lanes_due_ms(p->lanes), START + 1000 + DEAD);
    assert_null(pool_lanes_gone(p->lanes, START + 1000 + DEAD - 1));
    assert_ptr_equal(pool_lanes_gone(p->lanes, START + 1000 + DEAD), lane);
    assert_null(pool_lanes_gone(p->lanes, START + 1000 + DEAD));
    assert_int_equal(pool_lanes_due_ms(p->lanes), UINT64_MAX);
    (void)enter(p, "a", 1, START + 1000 + DEAD);
}

static void a_lost_link_releases_nothing(void **state)
{
    struct pool *p = *state;
    struct pool_lane *lane = enter(p, "a", 1, START), *back = NULL;
    struct pool_ticket *t = give_and_send(p, 0, lane, false, START);
    pool_lane_cut(lane);
    assert_false(pool_lane_has_room(lane, false, START));
    assert_null(pool_lanes_lost(p->lanes, START + DEAD - 1));
    assert_null(pool_lanes_gone(p->lanes, START + DEAD - 1));
    assert_int_equal(hello_last(p, process("a", 1, 0), t->number, START + DEAD - 1, &back),
                     POOL_RETURNED);
    assert_ptr_equal(back, lane);
    assert_null(pool_lane_unsent(lane));
    assert_null(pool_lanes_lost(p->lanes, START + DEAD));
    assert_ptr_equal(pool_lane_take(lane, t->number), t);
}

static void a_return_sends_again_what_did_not_come_through(void **state)
{
    struct pool *p = *state;
    struct pool_lane *lane = enter(p, "a", 1, START);
    for (int i = 0; i < 4; i++)
        (void)give_and_send(p, i, lane, false, START);
    assert_ptr_equal(pool_lane_take(lane, FIRST + 2), &p->tickets[2]);
    pool_lane_cut(lane);
    assert_int_equal(hello_last(p, process("a", 1, 0), FIRST + 1, START, &lane), POOL_RETURNED);
    /* What was not sent cannot have been answered. */
    assert_null(pool_lane_take(lane, FIRST + 3));
    assert_ptr_equal(pool_lane_unsent(lane), &p->tickets[3]);
    assert_null(pool_lane_unsent(lane));
    assert_int_equal(hello_last(p, process("a", 1, 0), 0, START, &lane), POOL_RETURNED);
    assert_ptr_equal(pool_lane_unsent(lane), &p->tickets[0]);
    assert_ptr_equal(pool_lane_unsent(lane), &p->tickets[1]);
    (void)give(p, 4, lane, false, START);
    assert_ptr_equal(pool_lane_unsent(lane), &p->tickets[3]);
    assert_ptr_equal(pool_lane_unsent(lane), &p->tickets[4]);
    /* It says that it has what was never given. */
    assert_int_equal(hello_last(p, process("a", 1, 0), UINT64_MAX, START, &lane), POOL_RETURNED);
    assert_null(pool_lane_unsent(lane));
    (void)give_and_send(p, 5, lane, false, START);
}

static void a_cut_lane_sends_nothing(void **state)
{
    struct pool *p = *state;
    struct pool_lane *lane = enter(p, "a", 1, START);
    (void)give(p, 0, lane, false, START);
    pool_lane_cut(lane);
    assert_null(pool_lane_unsent(lane));
    assert_int_equal(hello(p, process("a", 1, 0), START, &lane), POOL_RETURNED);
    assert_ptr_equal(pool_lane_unsent(lane), &p->tickets[0]);
}

static void another_process_of_the_name_waits_until_all_lanes_are_gone(void **state)
{
    struct pool *p = *state;
    struct pool_lane *other = NULL, *second = NULL;
    struct pool_lane *lane = enter(p, "a", 1, START);
    struct pool_ticket *t = give_and_send(p, 0, lane, false, START);
    assert_int_equal(hello(p, process("a", 1, 1), START + 1, &second), POOL_ENTERED);
    assert_ptr_not_equal(second, lane);
    pool_lane_cut(lane);
    assert_int_equal(hello(p, process("a", 2, 0), START + 2, &other), POOL_EARLIER);
    assert_int_equal(hello(p, process("a", 2, 7), START + 2, &other), POOL_EARLIER);
    assert_null(other);
    assert_int_equal(hello(p, process("b", 2, 0), START + 2, &other), POOL_ENTERED);
    /* It did not keep the former alive. */
    assert_ptr_equal(pool_lanes_lost(p->lanes, START + DEAD), t);
    assert_null(pool_lanes_lost(p->lanes, START + DEAD));
    assert_int_equal(hello(p, process("a", 2, 0), START + DEAD, &other), POOL_EARLIER);
    assert_ptr_equal(pool_lanes_gone(p->lanes, START + DEAD), lane);
    assert_int_equal(hello(p, process("a", 2, 0), START + DEAD, &other), POOL_EARLIER);
    assert_ptr_equal(pool_lanes_gone(p->lanes, START + DEAD + 1), second);
    assert_int_equal(hello(p, process("a", 2, 0), START + DEAD + 1, &other), POOL_ENTERED);
}

/* The caller has not asked for what is lost yet. */
static void a_lane_whose_time_is_over_does_not_come_back(void **state)
{
    struct pool *p = *state;
    struct pool_lane *lane = enter(p, "a", 1, START), *back = NULL;
    struct pool_ticket *t = give_and_send(p, 0, lane, false, START);
    assert_false(pool_lane_ping(lane, START + DEAD));
    assert_int_equal(hello(p, process("a", 1, 0), START + DEAD, &back), POOL_EARLIER);
    assert_ptr_equal(pool_lanes_lost(p->lanes, START + DEAD), t);
    assert_false(pool_lane_ping(lane, START + DEAD));
    assert_int_equal(hello(p, process("a", 1, 0), START + DEAD, &back), POOL_EARLIER);
    assert_ptr_equal(pool_lanes_gone(p->lanes, START + DEAD), lane);
    assert_int_equal(hello(p, process("a", 1, 0), START + DEAD, &back), POOL_ENTERED);
    assert_int_equal(pool_lane_count(back), 0);
}

static void an_expelled_lane_is_not_answered_and_comes_to_its_end(void **state)
{
    struct pool *p = *state;
    struct pool_lane *lane = enter(p, "a", 1, START), *back = NULL;
    struct pool_ticket *t = give_and_send(p, 0, lane, false, START);
    (void)give(p, 1, lane, false, START);
    assert_true(pool_lane_ping(lane, START + 500));
    pool_lane_expel(lane);
    assert_false(pool_lane_ping(lane, START + 600));
    assert_false(pool_lane_has_room(lane, false, START + 600));
    assert_null(pool_lane_unsent(lane));
    assert_int_equal(hello(p, process("a", 1, 0), START + 700, &back), POOL_EXPELLED);
    assert_int_equal(hello(p, process("a", 2, 0), START + 700, &back), POOL_EARLIER);
    assert_null(back);
    assert_null(pool_lanes_lost(p->lanes, START + 500 + DEAD - 1));
    assert_int_equal(hello(p, process("a", 1, 0), START + 500 + DEAD, &back), POOL_EXPELLED);
    assert_ptr_equal(pool_lanes_lost(p->lanes, START + 500 + DEAD), t);
    assert_non_null(pool_lanes_lost(p->lanes, START + 500 + DEAD));
    assert_ptr_equal(pool_lanes_gone(p->lanes, START + 500 + DEAD), lane);
    assert_int_equal(hello(p, process("a", 1, 0), START + 500 + DEAD, &back), POOL_ENTERED);
}

static void a_lane_that_leaves_works_off_what_it_has(void **state)
{
    struct pool *p = *state;
    struct pool_lane *lane = enter(p, "a", 1, START), *back = NULL;
    struct pool_ticket *t = give(p, 0, lane, false, START);
    pool_lane_leave(lane);
    assert_false(pool_lane_has_room(lane, false, START));
    assert_null(pool_lanes_gone(p->lanes, START));
    assert_ptr_equal(pool_lane_unsent(lane), t);
    pool_lane_cut(lane);
    assert_int_equal(hello_last(p, process("a", 1, 0), t->number, START, &back), POOL_RETURNED);
    assert_false(pool_lane_has_room(lane, false, START));
    assert_ptr_equal(pool_lane_take(lane, t->number), t);
    assert_int_equal(pool_lanes_due_ms(p->lanes), 0);
    assert_int_equal(hello(p, process("a", 1, 0), START, &back), POOL_EARLIER);
    assert_ptr_equal(pool_lanes_gone(p->lanes, START), lane);
    assert_null(pool_lanes_gone(p->lanes, START));
    assert_int_equal(hello(p, process("a", 1, 0), START, &back), POOL_ENTERED);
    pool_lane_leave(back);
    assert_ptr_equal(pool_lanes_gone(p->lanes, START), back);
}

static void a_lane_that_leaves_may_die(void **state)
{
    struct pool *p = *state;
    struct pool_lane *lane = enter(p, "a", 1, START);
    struct pool_ticket *t = give_and_send(p, 0, lane, false, START);
    pool_lane_leave(lane);
    assert_null(pool_lanes_gone(p->lanes, START + DEAD));
    assert_int_equal(pool_lanes_due_ms(p->lanes), 0);
    assert_ptr_equal(pool_lanes_lost(p->lanes, START + DEAD), t);
    assert_ptr_equal(pool_lanes_gone(p->lanes, START + DEAD), lane);
}

static void there_are_so_many_lanes_and_no_more(void **state)
{
    struct pool *p = *state;
    struct pool_lane *lane = NULL, *last = NULL;
    char name[POOL_MAX_NAME_BYTES + 1];
    for (unsigned i = 0; i < POOL_MAX_LANES; i++) {
        (void)snprintf(name, sizeof name, "member-%03u", i / 10);
        assert_int_equal(hello(p, process(name, 1, i % 10), START + i / 10, &lane), POOL_ENTERED);
    }
    assert_int_equal(hello(p, process("b", 1, 0), START, &last), POOL_FULL);
    assert_null(last);
    assert_int_equal(hello(p, process(name, 1, 5), START, &last), POOL_RETURNED);
    assert_ptr_equal(last, lane);
    assert_non_null(pool_lanes_gone(p->lanes, START + DEAD));
    assert_int_equal(hello(p, process("b", 1, 0), START + DEAD, &last), POOL_ENTERED);
}

static void a_ctx_stays_with_its_lane(void **state)
{
    struct pool *p = *state;
    struct pool_lane *lane = enter(p, "a", 1, START), *back = NULL;
    assert_null(pool_lane_ctx(lane));
    pool_lane_set_ctx(lane, p);
    pool_lane_cut(lane);
    assert_int_equal(hello(p, process("a", 1, 0), START, &back), POOL_RETURNED);
    assert_ptr_equal(pool_lane_ctx(back), p);
}

/* Tickets -------------------------------------------------------------------------------------- */

static void an_answer_counts_only_from_the_lane_that_has_the_ticket(void **state)
{
    struct pool *p = *state;
    struct pool_lane *a = enter(p, "a", 1, START), *b = enter(p, "b", 1, START);
    struct pool_ticket *t = give_and_send(p, 0, a, false, START);
    assert_int_equal(t->number, FIRST);
    assert_null(pool_lane_take(b, t->number));
    assert_null(pool_lane_take(a, t->number + 1));
    assert_null(pool_lane_take(a, 0));
    assert_int_equal(pool_lane_count(a), 1);
    assert_ptr_equal(pool_lane_take(a, t->number), t);
    assert_null(pool_lane_take(a, FIRST));
    assert_int_equal(pool_lane_count(a), 0);
}

static void a_ticket_is_void_for_ever_when_its_lane_is_dead(void **state)
{
    struct pool *p = *state;
    struct pool_lane *a = enter(p, "a", 1, START), *b = enter(p, "b", 1, START);
    struct pool_ticket *first = give_and_send(p, 0, a, false, START);
    struct pool_ticket *second = give_and_send(p, 1, a, false, START);
    assert_true(pool_lane_ping(b, START + DEAD - 1));
    assert_ptr_equal(pool_lanes_lost(p->lanes, START + DEAD), first);
    /* The lane is dead, so the others count no more either. */
    assert_null(pool_lane_take(a, FIRST + 1));
    assert_null(pool_lane_take(a, FIRST));
    assert_ptr_equal(pool_lanes_lost(p->lanes, START + DEAD), second);
    assert_null(pool_lanes_lost(p->lanes, START + DEAD));
    /* Its message goes out again under another number, in the same memory. */
    (void)give_and_send(p, 0, b, true, START + DEAD);
    assert_int_equal(first->number, FIRST + 2);
    assert_null(pool_lane_take(a, FIRST));
    assert_null(pool_lane_take(b, FIRST));
    assert_ptr_equal(pool_lane_take(b, FIRST + 2), first);
}

static void room_needs_a_link_a_fresh_ping_and_a_place_in_the_window(void **state)
{
    struct pool *p = *state;
    struct pool_lane *lane = enter(p, "a", 1, START);
    assert_true(pool_lane_has_room(lane, false, START + FENCE - 1));
    assert_false(pool_lane_has_room(lane, false, START + FENCE));
    assert_true(pool_lane_ping(lane, START + FENCE));
    for (int i = 0; i < WINDOW; i++)
        (void)give_and_send(p, i, lane, false, START + FENCE);
    assert_false(pool_lane_has_room(lane, false, START + FENCE));
    assert_int_equal(pool_lane_count(lane), WINDOW);
    assert_non_null(pool_lane_take(lane, FIRST + 3));
    assert_true(pool_lane_has_room(lane, false, START + FENCE));
}

static void a_window_has_a_limit_and_may_change_at_a_return(void **state)
{
    struct pool *p = *state;
    struct pool_lane *lane = NULL;
    struct pool_ticket *tickets = calloc(POOL_MAX_WINDOW, sizeof *tickets);
    struct pool_process who = process("a", 1, 0);
    enum pool_entry entry;
    assert_non_null(tickets);
    assert_rc(pool_lanes_hello(p->lanes, &who, 0, UINT32_MAX, START, &entry, &lane), RC_OK);
    for (int i = 0; i < POOL_MAX_WINDOW; i++) {
        assert_true(pool_lane_has_room(lane, false, START));
        assert_rc(pool_lane_give(lane, &tickets[i], false, START), RC_OK);
        assert_ptr_equal(pool_lane_unsent(lane), &tickets[i]);
    }
    assert_false(pool_lane_has_room(lane, false, START));
    assert_rc(pool_lanes_hello(p->lanes, &who, UINT64_MAX, 2, START, &entry, &lane), RC_OK);
    assert_int_equal(entry, POOL_RETURNED);
    for (int i = 0; i < POOL_MAX_WINDOW - 1; i++)
        assert_non_null(pool_lane_take(lane, FIRST + (uint64_t)i));
    assert_true(pool_lane_has_room(lane, false, START));
    assert_rc(pool_lane_give(lane, &tickets[0], false, START), RC_OK);
    assert_false(pool_lane_has_room(lane, false, START));
    pool_lanes_close(p->lanes); /* tickets that are open are forgotten */
    p->lanes = NULL;
    free(tickets);
}

static void a_visit_that_takes_too_long_expels_its_lane(void **state)
{
    struct pool *p = *state;
    struct pool_lane *lane = enter(p, "a", 1, START);
    struct pool_ticket *t = give_and_send(p, 0, lane, false, START + 100);
    for (uint64_t now = START; now < START + 100 + VISIT; now += PING)
        assert_true(pool_lane_ping(lane, now));
    assert_null(pool_lanes_lost(p->lanes, START + 100 + VISIT - 1));
    assert_int_equal(pool_lanes_due_ms(p->lanes), START + 100 + VISIT);
    assert_true(pool_lane_has_room(lane, false, START + 100 + VISIT - 1));
    assert_null(pool_lanes_lost(p->lanes, START + 100 + VISIT));
    assert_false(pool_lane_has_room(lane, false, START + 100 + VISIT));
    assert_false(pool_lane_ping(lane, START + 100 + VISIT));
    /* The last ping was answered at VISIT. */
    assert_int_equal(pool_lanes_due_ms(p->lanes), START + VISIT + DEAD);
    assert_null(pool_lanes_lost(p->lanes, START + VISIT + DEAD - 1));
    assert_ptr_equal(pool_lanes_lost(p->lanes, START + VISIT + DEAD), t);
    assert_ptr_equal(pool_lanes_gone(p->lanes, START + VISIT + DEAD), lane);
}

/* Answers count until the lease is over. */
static void an_expelled_lane_may_still_answer(void **state)
{
    struct pool *p = *state;
    struct pool_lane *lane = enter(p, "a", 1, START);
    struct pool_ticket *t = give_and_send(p, 0, lane, false, START);
    pool_lane_expel(lane);
    assert_ptr_equal(pool_lane_take(lane, FIRST), t);
    assert_null(pool_lanes_gone(p->lanes, START + DEAD - 1));
    assert_ptr_equal(pool_lanes_gone(p->lanes, START + DEAD), lane);
}

static void the_oldest_ticket_counts_for_the_time_of_a_visit(void **state)
{
    struct pool *p = *state;
    struct pool_lane *lane = enter(p, "a", 1, START);
    (void)give_and_send(p, 0, lane, false, START);
    (void)give_and_send(p, 1, lane, false, START + 4000);
    assert_non_null(pool_lane_take(lane, FIRST));
    for (uint64_t now = START; now <= START + VISIT; now += PING)
        assert_true(pool_lane_ping(lane, now));
    assert_null(pool_lanes_lost(p->lanes, START + VISIT));
    assert_true(pool_lane_ping(lane, START + VISIT));
    assert_int_equal(pool_lanes_due_ms(p->lanes), START + 4000 + VISIT);
}

/* Blame ---------------------------------------------------------------------------------------- */

static unsigned lose_all(struct pool *p, uint64_t now)
{
    unsigned blamed = 0;
    for (struct pool_ticket *t; (t = pool_lanes_lost(p->lanes, now)) != NULL;)
        blamed |= t->is_blamed ? 1u << (t - p->tickets) : 0;
    return blamed;
}

static void without_a_suspect_all_that_were_sent_are_blamed(void **state)
{
    struct pool *p = *state;
    struct pool_lane *lane = enter(p, "a", 1, START);
    (void)give_and_send(p, 0, lane, false, START);
    (void)give_and_send(p, 1, lane, false, START);
    (void)give(p, 2, lane, false, START);
    assert_int_equal(lose_all(p, START + DEAD), 1 << 0 | 1 << 1);
}

static void with_a_suspect_it_alone_is_blamed(void **state)
{
    struct pool *p = *state;
    struct pool_lane *lane = enter(p, "a", 1, START);
    (void)give_and_send(p, 0, lane, false, START);
    (void)give_and_send(p, 1, lane, true, START);
    (void)give_and_send(p, 2, lane, false, START);
    assert_true(p->tickets[1].is_suspect);
    assert_int_equal(lose_all(p, START + DEAD), 1 << 1);
}

static void a_suspect_is_the_only_one_of_its_lane(void **state)
{
    struct pool *p = *state;
    struct pool_lane *a = enter(p, "a", 1, START), *b = enter(p, "b", 1, START);
    (void)give_and_send(p, 0, a, true, START);
    assert_false(pool_lane_has_room(a, true, START));
    assert_true(pool_lane_has_room(a, false, START));
    assert_true(pool_lane_has_room(b, true, START));
    assert_non_null(pool_lane_take(a, FIRST));
    assert_true(pool_lane_has_room(a, true, START));
    /* It was answered: others are blamed for what comes then. */
    (void)give_and_send(p, 1, a, false, START);
    assert_int_equal(lose_all(p, START + DEAD), 1 << 1);
}

static void lanes_of_one_process_share_their_suspect(void **state)
{
    struct pool *p = *state;
    struct pool_suspicion shared = {0};
    for (int first = 0; first < 2; first++) { /* whichever dies first */
        uint64_t now = START + 10u * DEAD * (unsigned)first;
        struct pool_lane *lanes[2] = {NULL, NULL};
        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal(hello(p, process("a", 1, i), now, &lanes[i]), POOL_ENTERED);
            pool_lane_share(lanes[i], &shared);
        }
        (void)give_and_send(p, 0, lanes[0], true, now);
        (void)give_and_send(p, 1, lanes[1], false, now);
        assert_false(pool_lane_has_room(lanes[1], true, now));
        assert_true(pool_lane_ping(lanes[1 - first], now + PING));
        assert_int_equal(lose_all(p, now + DEAD), first ? 0 : 1 << 0);
        assert_non_null(pool_lanes_gone(p->lanes, now + DEAD));
        assert_int_equal(lose_all(p, now + PING + DEAD), first ? 1 << 0 : 0);
        assert_non_null(pool_lanes_gone(p->lanes, now + PING + DEAD));
        assert_int_equal(atomic_load(&shared.open), 0);
    }
    /* Long after, it explains nothing. */
    uint64_t now = START + 30 * DEAD;
    struct pool_lane *lane = enter(p, "a", 2, now);
    pool_lane_share(lane, &shared);
    (void)give_and_send(p, 0, lane, false, now);
    assert_int_equal(lose_all(p, now + DEAD), 1 << 0);
}

/* Random steps against a list ------------------------------------------------------------------ */

enum { LANES = 3, STEPS = 20000 };

struct oracle {
    struct pool *p;
    struct pool_lane *lanes[LANES];
    uint64_t heard_ms[LANES], boots[LANES];
    int owner[TICKETS]; /* lane + 1; 0: it is free */
    uint64_t last, now_ms;
};

static uint64_t check_number(struct oracle *o, const struct pool_ticket *t)
{
    assert_true(t->number > o->last);
    o->last = t->number;
    return t->number;
}

static void random_give(struct oracle *o, struct rng *r, unsigned at)
{
    int i = (int)rng_below(r, TICKETS);
    if (o->owner[i] || !o->lanes[at] || !pool_lane_has_room(o->lanes[at], false, o->now_ms))
        return;
    assert_true(o->now_ms < o->heard_ms[at] + FENCE);
    (void)check_number(o, give_and_send(o->p, i, o->lanes[at], false, o->now_ms));
    o->owner[i] = (int)at + 1;
}

/* By the lane that has it, or by another. */
static void random_answer(struct oracle *o, struct rng *r, unsigned at)
{
    int i = (int)rng_below(r, TICKETS);
    if (!o->lanes[at])
        return;
    bool is_its = o->owner[i] == (int)at + 1;
    assert_ptr_equal(pool_lane_take(o->lanes[at], o->p->tickets[i].number),
                     is_its ? &o->p->tickets[i] : NULL);
    if (is_its)
        o->owner[i] = 0;
}

static void random_hello(struct oracle *o, struct rng *r, unsigned at)
{
    static const char *const names[LANES] = {"a", "b", "c"};
    struct pool_lane *lane = NULL;
    bool is_other = rng_below(r, 3) == 0;
    uint64_t boot = o->boots[at] + is_other;
    switch (hello_last(o->p, process(names[at], boot, 0), o->last, o->now_ms, &lane)) {
    case POOL_ENTERED:
        assert_null(o->lanes[at]);
        o->boots[at] = boot;
        break;
    case POOL_RETURNED:
        assert_ptr_equal(lane, o->lanes[at]);
        assert_false(is_other);
        break;
    default:
        assert_true(o->lanes[at] && is_other);
        return;
    }
    o->lanes[at] = lane;
    o->heard_ms[at] = o->now_ms;
}

static void pass_time(struct oracle *o, struct rng *r)
{
    o->now_ms += rng_below(r, 20) ? rng_below(r, 500) : rng_below(r, 2 * DEAD);
    for (struct pool_ticket *t; (t = pool_lanes_lost(o->p->lanes, o->now_ms)) != NULL;) {
        int *owner = &o->owner[t - o->p->tickets];
        assert_true(*owner && o->now_ms >= o->heard_ms[*owner - 1] + DEAD);
        *owner = 0;
    }
    for (struct pool_lane *lane; (lane = pool_lanes_gone(o->p->lanes, o->now_ms)) != NULL;)
        for (unsigned i = 0; i < LANES; i++)
            if (o->lanes[i] == lane)
                o->lanes[i] = NULL;
    assert_true(pool_lanes_due_ms(o->p->lanes) > o->now_ms);
    for (unsigned i = 0; i < LANES; i++)
        assert_true(!o->lanes[i] || o->now_ms < o->heard_ms[i] + DEAD);
}

static void random_steps_agree_with_a_list(void **state)
{
    struct oracle o = {.p = *state, .now_ms = START};
    struct rng r;
    rng_init(&r, test_seed(15));
    for (int step = 0; step < STEPS; step++) {
        unsigned at = (unsigned)rng_below(&r, LANES);
        switch (rng_below(&r, 8)) {
        case 0:
            random_hello(&o, &r, at);
            break;
        case 1:
        case 2:
            random_answer(&o, &r, at);
            break;
        case 3:
        case 4:
            random_give(&o, &r, at);
            break;
        case 5:
            if (o.lanes[at])
                pool_lane_cut(o.lanes[at]);
            break;
        case 6:
            if (o.lanes[at] && pool_lane_ping(o.lanes[at], o.now_ms))
                o.heard_ms[at] = o.now_ms;
            break;
        default:
            pass_time(&o, &r);
        }
    }
    assert_true(o.last > FIRST + 500);
}

/* Memory --------------------------------------------------------------------------------------- */

static enum rc enter_give_and_lose(void *ctx)
{
    struct pool_ticket *tickets = ctx;
    struct pool_process who = process("a", 1, 0);
    enum pool_entry entry;
    struct pool_lane *lane = NULL;
    struct pool_lanes *l = pool_lanes_open(&timings, 1);
    if (!l)
        return RC_NOMEM;
    enum rc rc = pool_lanes_hello(l, &who, 0, POOL_MAX_WINDOW, START, &entry, &lane);
    unsigned given = 0;
    for (; !rc && given < 100; given += !rc)
        rc = pool_lane_give(lane, &tickets[given], false, START);
    unsigned lost = 0;
    while (pool_lanes_lost(l, START + DEAD))
        lost++;
    assert_int_equal(lost, given);
    assert_ptr_equal(pool_lanes_gone(l, START + DEAD), lane);
    pool_lanes_close(l);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct pool_ticket tickets[100];
    pool_lanes_close(NULL);
    test_each_allocation_fails(enter_give_and_lose, tickets);
}

int main(void)
{
#define WITH_POOL(test) cmocka_unit_test_setup_teardown(test, open_pool, close_pool)
    const struct CMUnitTest tests[] = {
        WITH_POOL(a_lane_is_gone_when_it_was_not_heard_for_dead_ms),
        WITH_POOL(a_lost_link_releases_nothing),
        WITH_POOL(a_return_sends_again_what_did_not_come_through),
        WITH_POOL(a_cut_lane_sends_nothing),
        WITH_POOL(another_process_of_the_name_waits_until_all_lanes_are_gone),
        WITH_POOL(a_lane_whose_time_is_over_does_not_come_back),
        WITH_POOL(an_expelled_lane_is_not_answered_and_comes_to_its_end),
        WITH_POOL(a_lane_that_leaves_works_off_what_it_has),
        WITH_POOL(a_lane_that_leaves_may_die),
        WITH_POOL(there_are_so_many_lanes_and_no_more),
        WITH_POOL(a_ctx_stays_with_its_lane),
        WITH_POOL(an_answer_counts_only_from_the_lane_that_has_the_ticket),
        WITH_POOL(a_ticket_is_void_for_ever_when_its_lane_is_dead),
        WITH_POOL(room_needs_a_link_a_fresh_ping_and_a_place_in_the_window),
        WITH_POOL(a_window_has_a_limit_and_may_change_at_a_return),
        WITH_POOL(a_visit_that_takes_too_long_expels_its_lane),
        WITH_POOL(an_expelled_lane_may_still_answer),
        WITH_POOL(the_oldest_ticket_counts_for_the_time_of_a_visit),
        WITH_POOL(without_a_suspect_all_that_were_sent_are_blamed),
        WITH_POOL(with_a_suspect_it_alone_is_blamed),
        WITH_POOL(a_suspect_is_the_only_one_of_its_lane),
        WITH_POOL(lanes_of_one_process_share_their_suspect),
        WITH_POOL(random_steps_agree_with_a_list),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
