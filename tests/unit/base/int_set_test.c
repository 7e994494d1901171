/* SPDX-License-Identifier: Apache-2.0 */
#include "base/int_set.h"

#include "base/mem.h"
#include "base/rng.h"
#include "lib/test.h"

enum { KEYS = 600 };

/* Keys that are alike in all but a few bits, and 0 and the greatest. */
static uint64_t key_of(uint64_t i, unsigned kind)
{
    if (i < 2)
        return i ? UINT64_MAX : 0;
    return kind == 0 ? i : kind == 1 ? i << 32 : kind == 2 ? i << 54 : hash64_mix(i);
}

static void random_steps_agree_with_a_table(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, test_seed(1));
    for (unsigned kind = 0; kind < 4; kind++) {
        struct int_set s = {0};
        bool is_in[KEYS] = {0};
        size_t count = 0;
        for (int step = 0; step < 20000; step++) {
            uint64_t i = rng_below(&r, KEYS);
            bool is_new;
            assert_int_equal(int_set_has(&s, key_of(i, kind)), is_in[i]);
            if (rng_below(&r, 4))
                continue;
            assert_rc(int_set_add(&s, key_of(i, kind), &is_new), RC_OK);
            assert_int_equal(is_new, !is_in[i]);
            count += is_new;
            is_in[i] = true;
            assert_int_equal(s.count, count);
        }
        int_set_done(&s);
        assert_false(int_set_has(&s, 5));
    }
}

static void a_set_that_begins_anew_is_empty_and_has_room(void **state)
{
    (void)state;
    struct int_set s = {0};
    struct rng r;
    rng_init(&r, test_seed(2));
    for (int round = 0; round < 300; round++) {
        size_t count = (size_t)rng_below(&r, 1000);
        assert_rc(int_set_begin(&s, count), RC_OK);
        assert_int_equal(s.count, 0);
        assert_false(int_set_has(&s, 0));
        uint64_t *slots = s.slots;
        for (uint64_t i = 0; i < count; i++) {
            assert_true(int_set_put(&s, i * 3));
            assert_false(int_set_put(&s, i * 3));
        }
        for (uint64_t i = 0; i < 3 * count; i++)
            assert_int_equal(int_set_has(&s, i), i % 3 == 0);
        assert_int_equal(s.count, count);
        assert_ptr_equal(s.slots, slots);
    }
    int_set_done(&s);
}

static void memory_is_kept_for_the_next_beginning(void **state)
{
    (void)state;
    struct int_set s = {0};
    assert_rc(int_set_begin(&s, 5000), RC_OK);
    mem_fault_at(1);
    for (size_t count = 5000; count > 10; count /= 2) {
        assert_rc(int_set_begin(&s, count), RC_OK);
        assert_true(s.slot_count < 5 * count + 128);
    }
    assert_rc(int_set_begin(&s, 5000), RC_OK);
    assert_int_equal(mem_fault_hit(), 0);
    mem_fault_at(0);
    int_set_done(&s);
}

/* It may grow past what it began with. */
static void a_begun_set_can_be_added_to(void **state)
{
    (void)state;
    struct int_set s = {0};
    bool is_new;
    assert_rc(int_set_begin(&s, 3000), RC_OK);
    assert_rc(int_set_begin(&s, 10), RC_OK);
    for (uint64_t i = 0; i < 10000; i++) {
        assert_rc(int_set_add(&s, i, &is_new), RC_OK);
        assert_true(is_new);
    }
    for (uint64_t i = 0; i < 20000; i++)
        assert_int_equal(int_set_has(&s, i), i < 10000);
    int_set_done(&s);
}

static void without_memory_the_set_stays_as_it_was(void **state)
{
    (void)state;
    struct int_set s = {0};
    bool is_new = true;
    mem_fault_at(1);
    assert_rc(int_set_add(&s, 7, &is_new), RC_NOMEM);
    assert_false(is_new);
    uint64_t i = 0;
    enum rc rc = RC_OK;
    for (; rc == RC_OK; i++) {
        mem_fault_at(i ? 1 : 0);
        rc = int_set_add(&s, i, &is_new);
    }
    mem_fault_at(0);
    assert_int_equal(s.count, i - 1);
    for (uint64_t k = 0; k < 2 * i; k++)
        assert_int_equal(int_set_has(&s, k), k < i - 1);
    mem_fault_at(1);
    assert_rc(int_set_begin(&s, 100000), RC_NOMEM);
    mem_fault_at(0);
    assert_true(int_set_has(&s, 0) && int_set_has(&s, 1));
    int_set_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_steps_agree_with_a_table),
        cmocka_unit_test(a_set_that_begins_anew_is_empty_and_has_room),
        cmocka_unit_test(memory_is_kept_for_the_next_beginning),
        cmocka_unit_test(a_begun_set_can_be_added_to),
        cmocka_unit_test(without_memory_the_set_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
