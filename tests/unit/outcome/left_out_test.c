/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome/left_out.h"

#include "base/clock.h"
#include "lib/test.h"

#include <stdio.h>
#include <string.h>

static struct crawl_counts counts;
static unsigned lines;
static char last[400];

static void hear(void *ctx, struct str line)
{
    (void)ctx;
    lines++;
    (void)snprintf(last, sizeof last, "%.*s", (int)line.n, line.p);
}

static struct log *open_log(void)
{
    static struct clock_simulated clock;
    clock_simulated_init(&clock, 1000, 1700000000000);
    memset(&counts, 0, sizeof counts);
    lines = 0;
    struct log *log = log_open(LOG_LEVEL_DEBUG, false, &clock.clock, (struct log_sink){hear, NULL});
    assert_non_null(log);
    return log;
}

static void the_log_tells_each_limit_of_a_host_once(void **state)
{
    (void)state;
    struct log *log = open_log();
    uint8_t told = 0;
    struct found_links links = {.left_out = {[BRING_URL_BYTES] = 3}};
    left_out_tell(&links, STR("a.test"), &told, &counts, log);
    assert_int_equal(lines, 1);
    assert_non_null(strstr(last, "host.limit_reached"));
    assert_non_null(strstr(last, "a.test"));
    assert_non_null(strstr(last, bring_verdict_key(BRING_URL_BYTES)));
    assert_non_null(strstr(last, "left_out=3"));
    left_out_tell(&links, STR("a.test"), &told, &counts, log);
    assert_int_equal(lines, 1);
    links.left_out[BRING_QUEUE] = 1;
    left_out_tell(&links, STR("a.test"), &told, &counts, log);
    assert_int_equal(lines, 2); /* another limit */
    assert_int_equal(counts.over_limit[BRING_URL_BYTES], 9);
    assert_int_equal(counts.over_limit[BRING_QUEUE], 1);
    assert_int_equal(counts.over_budget, 10);
    log_close(log);
}

static void a_list_has_no_host_and_its_links_are_only_counted(void **state)
{
    (void)state;
    struct log *log = open_log();
    struct found_links links = {.left_out = {[BRING_QUEUE] = 2}};
    left_out_tell(&links, STR(""), NULL, &counts, log);
    assert_int_equal(counts.over_limit[BRING_QUEUE], 2);
    assert_int_equal(lines, 0);
    log_close(log);
}

static void links_that_were_let_through_are_not_told(void **state)
{
    (void)state;
    struct log *log = open_log();
    uint8_t told = 0;
    struct found_links links = {.count = 7, .left_out = {[BRING_OK] = 7}};
    left_out_tell(&links, STR("a.test"), &told, &counts, log);
    assert_int_equal(counts.over_budget, 0);
    assert_int_equal(lines, 0);
    assert_int_equal(told, 0);
    log_close(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_log_tells_each_limit_of_a_host_once),
        cmocka_unit_test(a_list_has_no_host_and_its_links_are_only_counted),
        cmocka_unit_test(links_that_were_let_through_are_not_told),
    };
    return cmocka_run_group_tests_name("left_out", tests, NULL, NULL);
}
