/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "base/queue.h"

#include <pthread.h>
#include <sched.h>

enum { ITEMS = 200000, PUSHERS = 4 };

static void an_spsc_of_any_length_is_bounded_and_in_order(void **state)
{
    (void)state;
    for (size_t length = 1; length < 6; length++) {
        struct spsc *q = spsc_open(length);
        char items[16];
        for (int round = 0; round < 3; round++) {
            for (size_t i = 0; i < length; i++)
                assert_rc(spsc_push(q, &items[i]), RC_OK);
            assert_rc(spsc_push(q, &items[9]), RC_AGAIN);
            assert_int_equal(spsc_count(q), length);
            for (size_t i = 0; i < length; i++)
                assert_ptr_equal(spsc_pop(q), &items[i]);
            assert_null(spsc_pop(q));
        }
        spsc_close(q);
    }
}

static void an_mpsc_of_any_length_is_bounded_and_in_order(void **state)
{
    (void)state;
    for (size_t length = 1; length < 6; length++) {
        struct mpsc *q = mpsc_open(length);
        char items[16];
        for (int round = 0; round < 3; round++) {
            for (size_t i = 0; i < length; i++)
                assert_rc(mpsc_push(q, &items[i]), RC_OK);
            assert_rc(mpsc_push(q, &items[9]), RC_AGAIN);
            assert_int_equal(mpsc_count(q), length);
            for (size_t i = 0; i < length; i++)
                assert_ptr_equal(mpsc_pop(q), &items[i]);
            assert_null(mpsc_pop(q));
        }
        mpsc_close(q);
    }
}

static void *push_spsc(void *arg)
{
    for (uintptr_t i = 1; i <= ITEMS;)
        if (spsc_push(arg, (void *)i) == RC_OK)
            i++;
        else
            sched_yield();
    return NULL;
}

static void between_two_threads_nothing_is_lost_or_reordered(void **state)
{
    (void)state;
    struct spsc *q = spsc_open(7);
    pthread_t pusher;
    assert_int_equal(pthread_create(&pusher, NULL, push_spsc, q), 0);
    for (uintptr_t next = 1; next <= ITEMS;) {
        void *item = spsc_pop(q);
        if (!item) {
            sched_yield();
            continue;
        }
        assert_int_equal((uintptr_t)item, next);
        next++;
    }
    pthread_join(pusher, NULL);
    spsc_close(q);
}

struct pusher {
    struct mpsc *q;
    uintptr_t id;
    pthread_t thread;
};

static void *push_mpsc(void *arg)
{
    struct pusher *p = arg;
    for (uintptr_t i = 1; i <= ITEMS / PUSHERS;)
        if (mpsc_push(p->q, (void *)(i * PUSHERS + p->id)) == RC_OK)
            i++;
        else
            sched_yield();
    return NULL;
}

static void from_many_threads_each_keeps_its_order(void **state)
{
    (void)state;
    struct pusher pushers[PUSHERS];
    uintptr_t last[PUSHERS] = {0};
    struct mpsc *q = mpsc_open(5);
    for (uintptr_t i = 0; i < PUSHERS; i++) {
        pushers[i] = (struct pusher){.q = q, .id = i};
        assert_int_equal(pthread_create(&pushers[i].thread, NULL, push_mpsc, &pushers[i]), 0);
    }
    for (int got = 0; got < ITEMS;) {
        uintptr_t item = (uintptr_t)mpsc_pop(q);
        if (!item) {
            sched_yield();
            continue;
        }
        assert_int_equal(item / PUSHERS, last[item % PUSHERS] + 1);
        last[item % PUSHERS]++;
        got++;
    }
    for (int i = 0; i < PUSHERS; i++)
        pthread_join(pushers[i].thread, NULL);
    assert_null(mpsc_pop(q));
    mpsc_close(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_spsc_of_any_length_is_bounded_and_in_order),
        cmocka_unit_test(an_mpsc_of_any_length_is_bounded_and_in_order),
        cmocka_unit_test(between_two_threads_nothing_is_lost_or_reordered),
        cmocka_unit_test(from_many_threads_each_keeps_its_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
