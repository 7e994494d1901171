/* SPDX-License-Identifier: Apache-2.0 */
#include "pool/timings.h"

#include "lib/test.h"

static const struct {
    const char *name;
    struct pool_timings timings;
    const char *why; /* NULL: good */
} rows[] = {
    {"usual ones", {1000, 5000, 6000, 10000, 60000}, NULL},
    {"each at its limit", {2, 4, 9, 10, 11}, NULL},
    {"a whole day", {1, 2, 3, POOL_MOST_MS - 1, POOL_MOST_MS}, NULL},
    {"nine tenths, rounded down", {2, 4, 16, 18, 19}, NULL},
    {"no ping",
     {0, 5000, 6000, 10000, 60000},
     "ping must be at least 1 ms, and at most half of fence: 0 ms, 5000 ms"},
    {"one ping a fence",
     {2501, 5001, 6000, 10000, 60000},
     "ping must be at least 1 ms, and at most half of fence: 2501 ms, 5001 ms"},
    {"fence at abort",
     {1000, 6000, 6000, 10000, 60000},
     "fence must come before abort: 6000 ms, 6000 ms"},
    {"abort late",
     {1000, 5000, 9001, 10000, 60000},
     "abort must be at most nine tenths of dead: 9001 ms, 10000 ms"},
    {"abort late, rounded",
     {2, 4, 17, 18, 19},
     "abort must be at most nine tenths of dead: 17 ms, 18 ms"},
    {"a visit as long as dead",
     {1000, 5000, 6000, 10000, 10000},
     "dead must be shorter than visit: 10000 ms, 10000 ms"},
    {"more than a day",
     {1000, 5000, 6000, 10000, POOL_MOST_MS + 1},
     "visit must be at most a day: 86400001 ms, 86400000 ms"},
    {"twice a ping that is too large for the product",
     {(UINT64_C(1) << 63) + 1, 5000, 6000, 10000, 60000},
     "ping must be at least 1 ms, and at most half of fence: 9223372036854775809 ms, 5000 ms"},
    {"an abort that is too large for the product",
     {1000, 5000, UINT64_MAX / 5, 10000, 60000},
     "abort must be at most nine tenths of dead: 3689348814741910323 ms, 10000 ms"},
    {"a dead that is too large for the product",
     {1000, 5000, 6000, UINT64_MAX / 5, UINT64_MAX},
     "visit must be at most a day: 18446744073709551615 ms, 86400000 ms"},
};

static void each_inequality_is_checked_and_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf why = {.max = 200};
        enum rc wanted = rows[i].why ? RC_INVALID : RC_OK;
        assert_rc(pool_timings_check(&rows[i].timings, &why), wanted);
        assert_rc(pool_timings_check(&rows[i].timings, NULL), wanted);
        assert_str(buf_str(&why), str_c(rows[i].why ? rows[i].why : ""));
        buf_done(&why);
    }
}

static void after_a_start_a_host_rests_for_dead_and_its_delay(void **state)
{
    (void)state;
    assert_int_equal(pool_timings_quiet_ms(&rows[0].timings, 0), 10000);
    assert_int_equal(pool_timings_quiet_ms(&rows[0].timings, 2500), 12500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_a_start_a_host_rests_for_dead_and_its_delay),
        cmocka_unit_test(each_inequality_is_checked_and_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
