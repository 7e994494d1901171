/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of a shard's frontier. */
#include "roles/ledger.h"

#include "lib/step.h"

static void every_counter_of_the_frontier_is_written(void **state)
{
    (void)state;
    static struct step s;
    step_world(&s, "", 0);
    step_admit(&s, "http://a.test/1", "");
    step_admit(&s, "http://b.test/1", "");
    step_admit(&s, "http://b.test/2", "");
    struct visit *a = step_checkout(&s), *b = step_checkout(&s);
    ledger_return(s.ledger->ledger, 0, &b->turn.checkout, s.clock.now + 700);
    ledger_service_gauge_frontier(s.ledger, 0);
    const struct crawl_shard_counts *c = &s.ledger->counts.shards[0];
    assert_int_equal(c->hosts, 2);
    assert_int_equal(c->known, 3);
    assert_int_equal(c->queued, 3);
    assert_int_equal(c->work, 3);
    assert_int_equal(c->out, 1);
    assert_int_equal(c->waiting, 1);
    assert_int_equal(c->ready, 0);
    assert_int_equal(c->swapped, 0);
    assert_int_equal(c->unsorted, 0);
    assert_true(c->memory_bytes > 0);
    assert_int_equal(c->due_ms, s.clock.now + 700);
    message_end(&a->head);
    message_end(&b->head);
    step_close(&s);
}

static void the_short_gauge_writes_the_work_alone(void **state)
{
    (void)state;
    static struct step s;
    step_world(&s, "", 0);
    step_admit(&s, "http://a.test/1", "");
    ledger_service_gauge(s.ledger, 0);
    const struct crawl_shard_counts *c = &s.ledger->counts.shards[0];
    assert_int_equal(c->queued, 1);
    assert_int_equal(c->work, 1);
    assert_int_equal(c->hosts, 0);
    step_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_counter_of_the_frontier_is_written),
        cmocka_unit_test(the_short_gauge_writes_the_work_alone),
    };
    return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
