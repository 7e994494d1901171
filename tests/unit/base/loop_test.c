/* SPDX-License-Identifier: Apache-2.0 */
#include "base/loop.h"

#include "lib/test.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct heard {
    struct watch watch;
    struct timer timer;
    struct loop_task task;
    struct loop *loop;
    struct heard *other;
    unsigned times;
    uint64_t at_ms;
    unsigned order;
};

static unsigned order;

static void on_due(struct timer *t, uint64_t now_ms)
{
    struct heard *h = EVENT_OF(t, struct heard, timer);
    h->times++;
    h->at_ms = now_ms;
    h->order = ++order;
}

static void on_task(struct loop_task *p)
{
    struct heard *h = EVENT_OF(p, struct heard, task);
    h->times++;
    h->order = ++order;
}

static void timers_come_in_order_and_not_before_their_moment(void **state)
{
    (void)state;
    struct clock_simulated clock;
    clock_simulated_init(&clock, 100, 0);
    struct loop l;
    assert_rc(loop_init(&l, &clock.clock), RC_OK);
    struct heard a = {.timer.due = on_due}, b = a, c = a, gone = a;
    order = 0;
    assert_rc(loop_timer(&l, &a.timer, 300), RC_OK);
    assert_rc(loop_timer(&l, &b.timer, 200), RC_OK);
    assert_rc(loop_timer(&l, &c.timer, 200), RC_OK);
    assert_rc(loop_timer(&l, &gone.timer, 150), RC_OK);
    loop_timer_stop(&l, &gone.timer);
    assert_int_equal(loop_next_ms(&l), 200);
    assert_false(loop_run(&l));
    clock_simulated_advance(&clock, 99);
    assert_false(loop_run(&l));
    clock_simulated_advance(&clock, 1);
    assert_true(loop_run(&l));
    assert_int_equal(b.order, 1);
    assert_int_equal(c.order, 2); /* equal moments: in the order they were set */
    assert_int_equal(a.times, 0);
    assert_rc(loop_timer(&l, &a.timer, 250), RC_OK); /* moved, not set twice */
    clock_simulated_advance(&clock, 200);
    assert_true(loop_run(&l));
    assert_int_equal(a.times, 1);
    assert_int_equal(a.at_ms, 400);
    assert_int_equal(gone.times, 0);
    assert_int_equal(loop_next_ms(&l), LOOP_NEVER);
    loop_done(&l);
}

static void again(struct timer *t, uint64_t now_ms)
{
    struct heard *h = EVENT_OF(t, struct heard, timer);
    h->times++;
    assert_rc(loop_timer(h->loop, t, now_ms), RC_OK);
}

static void a_timer_that_sets_itself_at_once_does_not_hold_the_turn(void **state)
{
    (void)state;
    struct loop l;
    assert_rc(loop_init(&l, clock_real()), RC_OK);
    struct heard h = {.timer.due = again, .loop = &l};
    assert_rc(loop_timer(&l, &h.timer, 0), RC_OK);
    assert_true(loop_run(&l));
    assert_int_equal(h.times, 1);
    loop_timer_stop(&l, &h.timer);
    loop_done(&l);
}

static void again_in_the_past(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    struct heard *h = EVENT_OF(t, struct heard, timer);
    h->times++;
    assert_rc(loop_timer(h->loop, t, 0), RC_OK);
}

static void a_timer_that_is_always_late_does_not_starve_the_others(void **state)
{
    (void)state;
    struct loop l;
    struct clock_simulated clock;
    clock_simulated_init(&clock, 100, 0);
    assert_rc(loop_init(&l, &clock.clock), RC_OK);
    struct heard late = {.timer.due = again_in_the_past, .loop = &l};
    struct heard other = {.timer.due = on_due, .loop = &l};
    assert_rc(loop_timer(&l, &late.timer, 0), RC_OK);
    assert_rc(loop_timer(&l, &other.timer, 101), RC_OK);
    for (int turn = 0; turn < 5; turn++) {
        clock_simulated_advance(&clock, 1);
        assert_true(loop_run(&l));
    }
    assert_int_equal(late.times, 5);
    assert_int_equal(other.times, 1);
    loop_timer_stop(&l, &late.timer);
    loop_done(&l);
}

static void on_byte(struct watch *w, unsigned events)
{
    (void)events;
    struct heard *h = EVENT_OF(w, struct heard, watch);
    h->times++;
    if (h->other)
        loop_unwatch(h->loop, &h->other->watch);
}

/* Both are ready in the same batch; whichever is first takes the other away. */
static void an_event_of_a_watch_that_is_gone_is_not_handed_out(void **state)
{
    (void)state;
    int one[2], two[2];
    struct loop l;
    assert_rc(loop_init(&l, clock_real()), RC_OK);
    assert_int_equal(pipe(one) | pipe(two), 0);
    struct heard a = {.watch = {.ready = on_byte, .fd = one[0]}, .loop = &l}, b = a;
    b.watch.fd = two[0];
    a.other = &b;
    b.other = &a;
    assert_rc(loop_watch(&l, &a.watch, EPOLLIN), RC_OK);
    assert_rc(loop_watch(&l, &b.watch, EPOLLIN), RC_OK);
    assert_false(loop_run(&l));
    assert_int_equal(write(one[1], "x", 1) + write(two[1], "x", 1), 2);
    assert_true(loop_run(&l));
    assert_int_equal(a.times + b.times, 1);
    loop_unwatch(&l, &a.watch);
    loop_unwatch(&l, &b.watch);
    assert_false(loop_run(&l));
    loop_done(&l);
    for (int i = 0; i < 2; i++)
        close(one[i]), close(two[i]);
}

static void a_plain_file_cannot_be_watched(void **state)
{
    (void)state;
    struct loop l;
    assert_rc(loop_init(&l, clock_real()), RC_OK);
    FILE *f = tmpfile();
    assert_non_null(f);
    struct heard h = {.watch = {.ready = on_byte, .fd = fileno(f)}};
    assert_rc(loop_watch(&l, &h.watch, EPOLLIN), RC_UNSUPPORTED);
    h.watch.fd = -1;
    assert_rc(loop_watch(&l, &h.watch, EPOLLIN), RC_IO);
    fclose(f);
    loop_done(&l);
}

static void tasks_run_in_the_order_in_which_they_were_added(void **state)
{
    (void)state;
    struct loop l;
    assert_rc(loop_init(&l, clock_real()), RC_OK);
    struct heard a = {.task.run = on_task}, b = a;
    order = 0;
    loop_add_task(&l, &b.task);
    loop_add_task(&l, &a.task);
    assert_true(loop_run(&l));
    assert_int_equal(b.order, 1);
    assert_int_equal(a.order, 2);
    assert_false(loop_run(&l));
    loop_done(&l);
}

enum { ROUNDS = 2000 };

static _Atomic unsigned answered;

static void on_question(struct loop_task *p)
{
    (void)p;
    atomic_fetch_add(&answered, 1);
}

static void *questioner(void *arg)
{
    struct heard *h = arg;
    for (unsigned i = 0; i < ROUNDS; i++) {
        loop_add_task(h->loop, &h->task);
        while (atomic_load(&answered) == i)
            usleep(1);
    }
    return NULL;
}

/* Each post comes while the loop may be just about to sleep; a lost wake-up would hang the test. */
static void no_wake_up_is_lost_between_the_last_look_and_sleep(void **state)
{
    (void)state;
    struct loop l;
    assert_rc(loop_init(&l, clock_real()), RC_OK);
    struct heard h = {.task.run = on_question, .loop = &l};
    pthread_t thread;
    atomic_store(&answered, 0);
    assert_int_equal(pthread_create(&thread, NULL, questioner, &h), 0);
    while (atomic_load(&answered) < ROUNDS) {
        if (loop_run(&l))
            continue;
        loop_doze(&l);
        if (loop_run(&l))
            loop_rouse(&l);
        else
            loop_wait(&l);
    }
    pthread_join(thread, NULL);
    loop_done(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers_come_in_order_and_not_before_their_moment),
        cmocka_unit_test(a_timer_that_sets_itself_at_once_does_not_hold_the_turn),
        cmocka_unit_test(a_timer_that_is_always_late_does_not_starve_the_others),
        cmocka_unit_test(an_event_of_a_watch_that_is_gone_is_not_handed_out),
        cmocka_unit_test(a_plain_file_cannot_be_watched),
        cmocka_unit_test(tasks_run_in_the_order_in_which_they_were_added),
        cmocka_unit_test(no_wake_up_is_lost_between_the_last_look_and_sleep),
    };
    return cmocka_run_group_tests_name("flow/loop", tests, NULL, NULL);
}
