/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/early.h"

#include "lib/step.h"

static struct step s;
static struct early early;
static const struct pace_settings pace = {.delay_ms = 2000, .delay_most_ms = 10000};

static void handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    if (!early_keeps(&early, visit_of(m), &pace))
        part_emit(self, 0, m);
}

static void stop(struct instance *self)
{
    (void)self;
    early_stop(&early);
}

static const struct part part = {.abi = PART_ABI,
                                 .kind = PART_COMPONENT,
                                 .name = "part",
                                 .help = "asks",
                                 .handle = handle,
                                 .stop = stop};

static void open_part(uint64_t session)
{
    step_world(&s, "", 0);
    assert_rc(step_open(&s, &part), RC_OK);
    early_init(&early, &s.part.self, handle);
    s.session = session;
}

static void give(const char *url, uint64_t crawl_delay_ms)
{
    struct visit *v = step_visit(&s, url, "");
    v->turn.standing.crawl_delay_ms = crawl_delay_ms;
    step_give(&s, 0, &v->head);
}

static void a_visit_that_was_made_here_passes(void **state)
{
    (void)state;
    open_part(0);
    give("http://a.test/", 5000);
    assert_int_equal(s.out_count[0], 1);
    step_close(&s);
}

static void visits_of_another_process_wait_in_their_order(void **state)
{
    (void)state;
    open_part(7);
    give("http://a.test/", 0);
    give("http://b.test/", 0);
    step_advance(&s, 1999);
    assert_int_equal(s.out_count[0], 0);
    step_advance(&s, 1);
    assert_int_equal(s.out_count[0], 2);
    assert_str(step_visit_at(&s, 0, 0)->turn.checkout.host_name, STR("a.test"));
    give("http://c.test/", 0);
    assert_int_equal(s.out_count[0], 3);
    step_close(&s);
}

static void a_longer_crawl_delay_waits_once_more(void **state)
{
    (void)state;
    open_part(7);
    give("http://a.test/", 5000);
    give("http://b.test/", 0);
    step_advance(&s, 2000);
    assert_int_equal(s.out_count[0], 1);
    assert_str(step_visit_at(&s, 0, 0)->turn.checkout.host_name, STR("b.test"));
    step_advance(&s, 2999);
    assert_int_equal(s.out_count[0], 1);
    step_advance(&s, 1);
    assert_int_equal(s.out_count[0], 2);
    step_close(&s);
}

static void what_waits_ends_when_the_part_stops(void **state)
{
    (void)state;
    open_part(7);
    give("http://a.test/", 0);
    give("http://b.test/", 0);
    step_stop(&s);
    assert_int_equal(s.ended, 2);
    step_advance(&s, 5000);
    assert_int_equal(s.out_count[0], 0);
    step_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_visit_that_was_made_here_passes),
        cmocka_unit_test(visits_of_another_process_wait_in_their_order),
        cmocka_unit_test(a_longer_crawl_delay_waits_once_more),
        cmocka_unit_test(what_waits_ends_when_the_part_stops),
    };
    return cmocka_run_group_tests_name("early", tests, NULL, NULL);
}
