/* SPDX-License-Identifier: Apache-2.0 */
#include "roles/call_queue.h"

#include "lib/step.h"

#include <sched.h>

enum { NUMBER = 3, ASKERS = 3, LONG_MS = 60 * 1000 };

static struct step s;
static struct calls calls;
static struct call_queue queue;

static void asked_start(struct instance *self)
{
    call_queue_open(&queue, &calls, NUMBER, self);
}

static void asked_stop(struct instance *self)
{
    (void)self;
    call_queue_close(&queue, NUMBER);
}

/* A part that does nothing but answer calls. */
static const struct part part_asked = {.abi = PART_ABI,
                                       .kind = PART_COMPONENT,
                                       .name = "asked",
                                       .help = "",
                                       .start = asked_start,
                                       .stop = asked_stop};

/* A call, the thread that makes it, and what became of both. */
struct question {
    struct call call;
    pthread_t thread, ran_on;
    uint64_t most_ms;
    enum rc rc;
    unsigned ran, released; /* `ran`: 1 for the first of all, ... */
    _Atomic bool is_back;
};

static unsigned runs;
static bool ends_later;

static void run_question(struct call *c, struct instance *at)
{
    struct question *q = EVENT_OF(c, struct question, call);
    assert_ptr_equal(at, &s.part.self);
    q->ran = ++runs;
    q->ran_on = pthread_self();
    if (!ends_later)
        call_end(c, RC_EXISTS);
}

static void release_question(struct call *c)
{
    EVENT_OF(c, struct question, call)->released++;
}

static struct question question(uint64_t most_ms)
{
    return (struct question){.call = {.run = run_question, .release = release_question},
                             .most_ms = most_ms};
}

static void *ask(void *ctx)
{
    struct question *q = ctx;
    q->rc = calls_ask(&calls, NUMBER, &q->call, q->most_ms);
    q->is_back = true;
    return NULL;
}

static bool is_last_in_queue(const struct question *q)
{
    (void)pthread_mutex_lock(&calls.lock);
    bool is_last = queue.first && queue.last == &q->call;
    (void)pthread_mutex_unlock(&calls.lock);
    return is_last;
}

/* Another thread asks, and its call waits in the queue. */
static void begin(struct question *q)
{
    assert_int_equal(pthread_create(&q->thread, NULL, ask, q), 0);
    while (!is_last_in_queue(q))
        sched_yield();
}

static void end(struct question *q)
{
    assert_int_equal(pthread_join(q->thread, NULL), 0);
}

static void open_world(void)
{
    runs = 0;
    ends_later = false;
    queue.serve = NULL;
    calls_init(&calls);
    step_init(&s, "");
    assert_rc(step_open(&s, &part_asked), RC_OK);
}

static void close_world(void)
{
    step_close(&s);
    calls_done(&calls);
}

static void a_call_runs_on_the_thread_of_the_part(void **state)
{
    (void)state;
    open_world();
    struct question q = question(LONG_MS);
    begin(&q);
    assert_false(q.is_back);
    step_advance(&s, 0);
    end(&q);
    assert_rc(q.rc, RC_EXISTS); /* what call_end() said */
    assert_true(pthread_equal(q.ran_on, pthread_self()));
    assert_int_equal(q.released, 0); /* the caller still looks at it */
    call_leave(&q.call);
    assert_int_equal(q.released, 1);
    close_world();
}

static void calls_run_in_the_order_in_which_they_came(void **state)
{
    (void)state;
    struct question q[ASKERS];
    open_world();
    for (unsigned i = 0; i < ASKERS; i++) {
        q[i] = question(LONG_MS);
        begin(&q[i]);
    }
    step_advance(&s, 0);
    for (unsigned i = 0; i < ASKERS; i++) {
        end(&q[i]);
        assert_int_equal(q[i].ran, i + 1);
        call_leave(&q[i].call);
        assert_int_equal(q[i].released, 1);
    }
    close_world();
}

static void a_caller_that_waits_no_longer_leaves_the_call_to_the_part(void **state)
{
    (void)state;
    open_world();
    ends_later = true;
    struct question q = question(0);
    q.rc = calls_ask(&calls, NUMBER, &q.call, 0);
    assert_rc(q.rc, RC_AGAIN);
    call_leave(&q.call);
    assert_int_equal(q.released, 0);
    step_advance(&s, 0); /* it happens all the same */
    assert_int_equal(q.ran, 1);
    assert_int_equal(q.released, 0);
    call_end(&q.call, RC_OK);
    assert_int_equal(q.released, 1);
    close_world();
}

static void a_queue_that_closes_ends_what_waits(void **state)
{
    (void)state;
    struct question q[2];
    open_world();
    for (unsigned i = 0; i < 2; i++) {
        q[i] = question(LONG_MS);
        begin(&q[i]);
    }
    step_stop(&s);
    for (unsigned i = 0; i < 2; i++) {
        end(&q[i]);
        assert_rc(q[i].rc, RC_CLOSED);
        assert_int_equal(q[i].ran, 0);
        call_leave(&q[i].call);
        assert_int_equal(q[i].released, 1);
    }
    struct question late = question(LONG_MS);
    assert_rc(calls_ask(&calls, NUMBER, &late.call, LONG_MS), RC_CLOSED);
    call_leave(&late.call);
    assert_int_equal(late.released, 1);
    close_world();
}

static void a_number_without_a_queue_is_closed(void **state)
{
    (void)state;
    open_world();
    static const unsigned numbers[] = {NUMBER + 1, CALLS_QUEUES, UINT32_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct question q = question(LONG_MS);
        assert_rc(calls_ask(&calls, numbers[i], &q.call, LONG_MS), RC_CLOSED);
        call_leave(&q.call);
        assert_int_equal(q.released, 1);
    }
    close_world();
}

static void the_part_serves_a_call_that_cannot_run_by_itself(void **state)
{
    (void)state;
    open_world();
    queue.serve = run_question;
    struct question q = question(LONG_MS);
    q.call.run = NULL;
    begin(&q);
    step_advance(&s, 0);
    end(&q);
    assert_rc(q.rc, RC_EXISTS);
    call_leave(&q.call);
    assert_int_equal(q.released, 1);
    close_world();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_runs_on_the_thread_of_the_part),
        cmocka_unit_test(calls_run_in_the_order_in_which_they_came),
        cmocka_unit_test(a_caller_that_waits_no_longer_leaves_the_call_to_the_part),
        cmocka_unit_test(a_queue_that_closes_ends_what_waits),
        cmocka_unit_test(a_number_without_a_queue_is_closed),
        cmocka_unit_test(the_part_serves_a_call_that_cannot_run_by_itself),
    };
    return cmocka_run_group_tests_name("call_queue", tests, NULL, NULL);
}
