/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_begin.h"
#include "lib/test.h"

static const struct pace_settings pace = {.delay_ms = 2000, .delay_most_ms = 10000};

static uint64_t begin_ms(struct host_begin *b, uint64_t session, uint64_t crawl_delay_ms,
                         uint64_t now_ms)
{
    return host_begin_ms(b, session, crawl_delay_ms, &pace, now_ms);
}

static void a_visit_that_was_made_here_may_be_asked_at_once(void **state)
{
    (void)state;
    struct host_begin b = {0};
    assert_int_equal(begin_ms(&b, 0, 0, 5000), 0);
    assert_int_equal(begin_ms(&b, 0, 60000, 5000), 0);
}

static void a_visit_of_another_process_waits_for_the_delay(void **state)
{
    (void)state;
    struct host_begin b = {0};
    assert_int_equal(begin_ms(&b, 7, 0, 5000), 7000);
    assert_int_equal(begin_ms(&b, 7, 0, 6999), 7000); /* since the first visit of the process */
    assert_int_equal(begin_ms(&b, 7, 0, 7000), 0);
}

static void a_crawl_delay_is_kept_up_to_the_longest(void **state)
{
    (void)state;
    struct host_begin b = {0};
    assert_int_equal(begin_ms(&b, 7, 3000, 5000), 8000);
    assert_int_equal(begin_ms(&b, 7, 60000, 7000), 15000);
    assert_int_equal(begin_ms(&b, 7, 0, 7000), 0);
}

static void a_process_that_was_restarted_begins_anew(void **state)
{
    (void)state;
    struct host_begin b = {0};
    assert_int_equal(begin_ms(&b, 7, 0, 5000), 7000);
    assert_int_equal(begin_ms(&b, 7, 0, 90000), 0);
    assert_int_equal(begin_ms(&b, 8, 0, 90000), 92000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_visit_that_was_made_here_may_be_asked_at_once),
        cmocka_unit_test(a_visit_of_another_process_waits_for_the_delay),
        cmocka_unit_test(a_crawl_delay_is_kept_up_to_the_longest),
        cmocka_unit_test(a_process_that_was_restarted_begins_anew),
    };
    return cmocka_run_group_tests_name("host_begin", tests, NULL, NULL);
}
