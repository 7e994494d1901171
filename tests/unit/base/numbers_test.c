/* SPDX-License-Identifier: Apache-2.0 */
/* hash, rng and clock: what must be the same everywhere and always. */
#include "lib/test.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/rc.h"
#include "base/rng.h"

#include <errno.h>

static void a_simulated_clock_moves_only_when_moved(void **state)
{
    (void)state;
    struct clock_simulated c;
    clock_simulated_init(&c, 100, 5000);
    assert_int_equal(clock_now_ms(&c.clock), 100);
    c.clock.wait_until(&c.clock, 400);
    assert_int_equal(clock_now_ms(&c.clock), 400);
    assert_int_equal(clock_wall_ms(&c.clock), 5300);
    c.clock.wait_until(&c.clock, 300);
    assert_int_equal(clock_now_ms(&c.clock), 400);
    clock_simulated_jump(&c, -1000);
    assert_int_equal(clock_now_ms(&c.clock), 400);
    assert_int_equal(clock_wall_ms(&c.clock), 4300);
}

static void the_real_clock_does_not_go_back(void **state)
{
    (void)state;
    struct clock *c = clock_real();
    uint64_t start = clock_now_ms(c);
    c->wait_until(c, start + 2);
    assert_true(clock_now_ms(c) >= start + 2);
    assert_true(clock_wall_ms(c) > UINT64_C(1600000000000));
}

static void random_numbers_stay_below_and_reach_all(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, 42);
    unsigned seen[7] = {0};
    for (int i = 0; i < 7000; i++) {
        uint64_t v = rng_below(&r, 7);
        assert_true(v < 7);
        seen[v]++;
        double u = rng_unit(&r);
        assert_true(u >= 0 && u < 1);
    }
    for (int i = 0; i < 7; i++)
        assert_in_range(seen[i], 850, 1150);
    assert_int_equal(rng_below(&r, 1), 0);
}

static void every_failure_has_its_own_words(void **state)
{
    (void)state;
    for (int a = 0; a < RC_COUNT_; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(rc_text((enum rc)a), rc_text((enum rc)b));
}

static void what_the_kernel_refuses_is_told_apart(void **state)
{
    (void)state;
    static const struct {
        int error;
        enum rc rc;
        bool is_unwritable;
    } rows[] = {{EACCES, RC_DENIED, true},     {EPERM, RC_DENIED, true},
                {EROFS, RC_READ_ONLY, true},   {EIO, RC_IO, true},
                {ENOENT, RC_NOT_FOUND, false}, {ENOSPC, RC_DISK_FULL, false},
                {EMFILE, RC_LIMIT, false},     {EISDIR, RC_INVALID, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_rc(rc_of_errno(rows[i].error), rows[i].rc);
        assert_int_equal(rc_is_unwritable(rows[i].rc), rows[i].is_unwritable);
    }
    assert_string_equal(rc_text(RC_DENIED), "permission denied");
}

static void allocations_are_counted_and_can_fail(void **state)
{
    (void)state;
    int64_t before = mem_live();
    mem_fault_at(2);
    void *a = mem_alloc(10);
    assert_non_null(a);
    assert_null(mem_resize(a, 20));
    void *b = mem_aligned(64, 100);
    assert_int_equal((uintptr_t)b % 64, 0);
    assert_int_equal(mem_live(), before + 2);
    mem_free(a);
    mem_free(b);
    mem_free(NULL);
    mem_fault_at(0);
    assert_int_equal(mem_live(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_simulated_clock_moves_only_when_moved),
        cmocka_unit_test(the_real_clock_does_not_go_back),
        cmocka_unit_test(random_numbers_stay_below_and_reach_all),
        cmocka_unit_test(every_failure_has_its_own_words),
        cmocka_unit_test(what_the_kernel_refuses_is_told_apart),
        cmocka_unit_test(allocations_are_counted_and_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
