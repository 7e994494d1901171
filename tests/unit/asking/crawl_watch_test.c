/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/crawl_watch.h"

#include "lib/step.h"

enum { PAUSE_MS = 300 };

static const struct part source = {
    .abi = PART_ABI, .kind = PART_COMPONENT, .name = "source", .help = "watches the crawl"};

static struct step s;
static struct crawl_watch watch;

static void open_watch(const char *settings)
{
    step_world(&s, settings, 0);
    assert_rc(step_open(&s, &source), RC_OK);
    crawl_watch_init(&watch, &s.part.self, s.ledger, &s.cluster.service, PAUSE_MS);
}

static void close_watch(void)
{
    crawl_watch_stop(&watch);
    step_close(&s);
}

static void set_phase(enum cluster_phase phase)
{
    s.cluster.has_phase = true;
    s.cluster.phase = phase;
    s.cluster.limit = BUDGET_PAGES;
}

static void a_crawl_goes_on_until_a_phase_says_otherwise(void **state)
{
    (void)state;
    static const struct {
        enum cluster_phase phase;
        bool goes_on;
        enum produced produced;
        unsigned drained;
    } rows[] = {{CLUSTER_CRAWLS, true, PRODUCED_MORE, 0},
                {CLUSTER_PAUSES, false, PRODUCED_WAIT, 0},
                {CLUSTER_ENDS, false, PRODUCED_IDLE, 0},
                {CLUSTER_LIMITED, false, PRODUCED_IDLE, 1}};
    for (unsigned i = 0; i < 4; i++) {
        enum produced ret = PRODUCED_MORE;
        open_watch("");
        set_phase(rows[i].phase);
        assert_int_equal(crawl_watch_goes_on(&watch, false, &ret), rows[i].goes_on);
        assert_int_equal(ret, rows[i].produced);
        assert_int_equal(s.drained, rows[i].drained);
        assert_int_equal(step_has_logged(&s, "crawl.limit"), rows[i].drained > 0);
        close_watch();
    }
}

static void a_pause_is_looked_at_again(void **state)
{
    (void)state;
    enum produced ret;
    open_watch("");
    set_phase(CLUSTER_PAUSES);
    assert_false(crawl_watch_goes_on(&watch, false, &ret));
    step_advance(&s, PAUSE_MS - 1);
    assert_int_equal(s.ready, 0);
    step_advance(&s, 1);
    assert_int_equal(s.ready, 1);
    close_watch();
}

static void a_shard_without_work_is_idle(void **state)
{
    (void)state;
    enum produced ret;
    open_watch(""); /* one machine's cluster */
    assert_true(crawl_watch_goes_on(&watch, false, &ret));
    assert_false(crawl_watch_goes_on(&watch, true, &ret));
    assert_int_equal(ret, PRODUCED_IDLE);
    close_watch();
}

static void a_source_that_waits_is_asked_at_its_moment(void **state)
{
    (void)state;
    open_watch("");
    assert_int_equal(crawl_watch_wait(&watch, s.clock.now + 700), PRODUCED_WAIT);
    assert_int_equal(crawl_watch_wait(&watch, s.clock.now + 50), PRODUCED_WAIT); /* moved */
    step_advance(&s, 50);
    assert_int_equal(s.ready, 1);
    step_advance(&s, 1000);
    assert_int_equal(s.ready, 1);
    close_watch();
}

static void the_time_of_the_crawl_ends_it_though_the_source_is_not_asked(void **state)
{
    (void)state;
    open_watch("time=1500ms");
    crawl_watch_set_limit(&watch);
    crawl_watch_set_limit(&watch); /* once is enough */
    step_advance(&s, 1499);
    assert_int_equal(s.drained, 0);
    step_advance(&s, 1);
    assert_int_equal(s.drained, 1);
    assert_true(step_has_logged(&s, "crawl.limit"));
    step_advance(&s, 1000); /* it goes on to look, and the log says it once */
    assert_int_equal(s.drained, 2);
    close_watch();
}

static void a_crawl_without_a_limit_of_time_has_no_timer(void **state)
{
    (void)state;
    open_watch("");
    crawl_watch_set_limit(&watch);
    assert_false(watch.limit_set);
    close_watch();
}

static void nothing_is_due_once_it_stops(void **state)
{
    (void)state;
    open_watch("time=1500ms");
    crawl_watch_set_limit(&watch);
    (void)crawl_watch_wait(&watch, s.clock.now + 50);
    crawl_watch_stop(&watch);
    step_advance(&s, 5000);
    assert_int_equal(s.ready + s.drained, 0);
    close_watch();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crawl_goes_on_until_a_phase_says_otherwise),
        cmocka_unit_test(a_pause_is_looked_at_again),
        cmocka_unit_test(a_shard_without_work_is_idle),
        cmocka_unit_test(a_source_that_waits_is_asked_at_its_moment),
        cmocka_unit_test(the_time_of_the_crawl_ends_it_though_the_source_is_not_asked),
        cmocka_unit_test(a_crawl_without_a_limit_of_time_has_no_timer),
        cmocka_unit_test(nothing_is_due_once_it_stops),
    };
    return cmocka_run_group_tests_name("crawl_watch", tests, NULL, NULL);
}
