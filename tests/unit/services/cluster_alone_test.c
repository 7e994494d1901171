/* SPDX-License-Identifier: Apache-2.0 */
/* A crawl without a cluster asks the same questions; here are its answers. */
#include "roles/budget.h"
#include "roles/cluster.h"
#include "roles/ledger.h"

#include "lib/test.h"

enum { SECOND = 1000 };

struct world {
    struct clock_simulated clock;
    struct ledger_service ledger;
    struct budget *budget;
    struct cluster_service *alone;
};

static struct world w;

static void open_world(const struct budget_settings *limits)
{
    memset(&w, 0, sizeof w);
    clock_simulated_init(&w.clock, 5 * SECOND, 1700000000000);
    w.ledger.run.clock = &w.clock.clock;
    w.ledger.run.begun_ms = clock_now_ms(w.ledger.run.clock);
    assert_rc(budget_open(limits, &w.budget), RC_OK);
    w.alone = cluster_alone_open(&w.ledger, w.budget);
    assert_non_null(w.alone);
}

static void close_world(void)
{
    cluster_alone_close(w.alone);
    cluster_alone_close(NULL);
    budget_close(w.budget);
}

static enum cluster_phase phase(bool is_idle, enum budget_verdict *ret_limit)
{
    return w.alone->ops->phase(w.alone, is_idle, ret_limit);
}

static void assert_limited(enum budget_verdict by)
{
    enum budget_verdict limit;
    assert_int_equal(phase(false, &limit), CLUSTER_LIMITED);
    assert_int_equal(limit, by);
    assert_int_equal(phase(true, &limit), CLUSTER_LIMITED);
}

static void without_limits_it_ends_when_it_is_idle(void **state)
{
    (void)state;
    enum budget_verdict limit;
    open_world(&(struct budget_settings){0});
    clock_simulated_advance(&w.clock, 100 * 24 * 3600 * (uint64_t)SECOND);
    assert_int_equal(phase(false, &limit), CLUSTER_CRAWLS);
    assert_int_equal(phase(true, &limit), CLUSTER_ENDS);
    assert_true(w.alone->ops->phase_lasts_ms(w.alone) == UINT64_MAX);
    close_world();
}

static void it_ends_at_its_time(void **state)
{
    (void)state;
    enum budget_verdict limit;
    open_world(&(struct budget_settings){.time_ms = 10 * SECOND});
    w.ledger.run.earlier_ms = 4 * SECOND; /* of an earlier run */
    assert_int_equal(w.alone->ops->phase_lasts_ms(w.alone), 6 * SECOND);
    clock_simulated_advance(&w.clock, 6 * SECOND - 1);
    assert_int_equal(phase(false, &limit), CLUSTER_CRAWLS);
    clock_simulated_advance(&w.clock, 1);
    assert_int_equal(w.alone->ops->phase_lasts_ms(w.alone), 0);
    assert_limited(BUDGET_TIME);
    close_world();
}

/* One that is under way may fail, and then another is wanted. */
static void it_ends_when_its_pages_are_fetched_not_when_they_are_asked_for(void **state)
{
    (void)state;
    enum budget_verdict limit;
    open_world(&(struct budget_settings){.pages = 2});
    for (int i = 0; i < 2; i++)
        assert_int_equal(budget_take(w.budget, STR("a.test"), 0, 0, 0), BUDGET_OK);
    assert_int_equal(phase(false, &limit), CLUSTER_CRAWLS);
    budget_used(w.budget, STR("a.test"), true, 10);
    budget_used(w.budget, STR("a.test"), false, 0);
    assert_int_equal(phase(false, &limit), CLUSTER_CRAWLS);
    assert_int_equal(budget_take(w.budget, STR("a.test"), 0, 0, 0), BUDGET_OK);
    budget_used(w.budget, STR("a.test"), true, 10);
    assert_limited(BUDGET_PAGES);
    close_world();
}

static void it_ends_when_its_bytes_are_used(void **state)
{
    (void)state;
    enum budget_verdict limit;
    open_world(&(struct budget_settings){.size_bytes = 1000});
    assert_int_equal(budget_take(w.budget, STR("a.test"), 0, 0, 0), BUDGET_OK);
    budget_used(w.budget, STR("a.test"), true, 999);
    assert_int_equal(phase(false, &limit), CLUSTER_CRAWLS);
    budget_used(w.budget, STR("a.test"), true, 1);
    assert_limited(BUDGET_BYTES);
    close_world();
}

/* Of one that crawls alone, and of a place that has no ledger. */
static void everything_may_be_asked(struct cluster_service *s)
{
    const uint64_t host_hashes[] = {0, 1, UINT64_MAX};
    bool mine[3] = {false, false, false};
    uint64_t host_claim = 7;
    char name[PEER_NAME_BYTES + 1];
    assert_true(s->ops->owns(s, host_hashes, sizeof *host_hashes, 3, mine));
    assert_false(mine[0] || mine[1] || mine[2]); /* left as they were */
    assert_int_equal(s->ops->claim(s, 1, &host_claim), CLUSTER_CLAIMED);
    assert_int_equal(host_claim, 0);
    assert_true(s->ops->may_ask(s, 1));
    assert_false(s->ops->owner(s, 1, name));
    assert_int_equal(s->ops->others(s, NULL, 0), 0);
    assert_int_equal(s->ops->first(s, STR("a")), 0);
    assert_false(s->ops->is_suspect(s, STR("a")));
    assert_rc(s->ops->forward(s, &(struct candidate){0}, STR("a")), RC_NOT_FOUND);
    assert_false(cluster_is_shared(s));
    s->ops->begin(s);
    s->ops->end(s);
    s->ops->give_back(s, host_claim);
    s->ops->break_with(s, 0, (struct cluster_breaker){0});
    s->ops->join(s, STR("http://a.test/"));
    s->ops->leave(s);
    s->ops->stop(s);
}

static void everything_is_its_own(void **state)
{
    (void)state;
    open_world(&(struct budget_settings){0});
    everything_may_be_asked(w.alone);
    everything_may_be_asked(cluster_absent());
    close_world();
}

static void a_place_without_a_ledger_does_not_end_the_crawl(void **state)
{
    (void)state;
    struct cluster_service *s = cluster_absent();
    enum budget_verdict limit;
    assert_int_equal(s->ops->phase(s, true, &limit), CLUSTER_CRAWLS);
    assert_true(s->ops->phase_lasts_ms(s) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_limits_it_ends_when_it_is_idle),
        cmocka_unit_test(it_ends_at_its_time),
        cmocka_unit_test(it_ends_when_its_pages_are_fetched_not_when_they_are_asked_for),
        cmocka_unit_test(it_ends_when_its_bytes_are_used),
        cmocka_unit_test(everything_is_its_own),
        cmocka_unit_test(a_place_without_a_ledger_does_not_end_the_crawl),
    };
    return cmocka_run_group_tests_name("alone", tests, NULL, NULL);
}
