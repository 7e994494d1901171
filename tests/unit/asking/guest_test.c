/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/guest.h"

#include "asking/robots_redirect.h"
#include "frontier/lend.h"
#include "host/host_guest.h"
#include "host/host_redirect.h"
#include "ledger/host_records.h"
#include "lib/step.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdio.h>

static struct step s;
static struct step_instance asker;
static struct guest_desk desk;
static unsigned decided;
static const struct pace_settings pace = {.delay_ms = 1000, .delay_most_ms = 30000};

static void on_decided(struct instance *i, struct visit *v)
{
    assert_ptr_equal(i, &asker.self);
    assert_non_null(v);
    decided++;
}

static void open_world(unsigned shards, unsigned with)
{
    step_world(&s, "", with);
    asker = (struct step_instance){.self = {.shard_count = shards}, .step = &s};
    desk = (struct guest_desk){.self = &asker.self,
                               .ledger = s.ledger,
                               .cluster = &s.cluster.service,
                               .decided = on_decided};
    decided = 0;
}

/* The robots.txt of `from` redirects to b.test. */
static struct visit *guest_of(const char *from)
{
    struct visit *v = step_visit(&s, from, "");
    host_redirect_set(v->turn.record, false, 0, STR("http://b.test/r"), 1);
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    assert_rc(robots_redirect_name(v), RC_OK);
    return v;
}

static struct host *host_b(void)
{
    return frontier_host(ledger_frontier(s.ledger->ledger, 0), hash64(STR("b.test")),
                         STR("b.test"));
}

static void close_world(struct visit *v, struct visit *w)
{
    message_end(&v->head);
    if (w)
        message_end(&w->head);
    step_close(&s);
}

static void only_what_leads_to_another_host_is_a_guest(void **state)
{
    (void)state;
    open_world(1, 0);
    struct visit *v = guest_of("http://a.test/");
    assert_true(guest_is_needed(v));
    v->turn.robots_redirects = 0;
    assert_false(guest_is_needed(v));
    v->turn.robots_redirects = 2;
    v->turn.checkout.host_name = STR("b.test"); /* it came back */
    assert_false(guest_is_needed(v));
    close_world(v, NULL);
}

static void a_host_has_one_guest_at_a_time_and_its_delay_follows(void **state)
{
    (void)state;
    open_world(1, 0);
    struct visit *v = guest_of("http://a.test/"), *w = guest_of("http://c.test/");
    guest_ask(&desk, v);
    assert_true(v->route.guest && v->state == VISIT_ON_ITS_WAY && !guest_is_needed(v));
    assert_true(host_is_out(host_b()) && s.cluster.claimed == 1);
    guest_ask(&desk, w);
    assert_true(!w->route.guest && w->state == VISIT_LATER &&
                w->turn.record->wait == HOST_WAIT_GUEST);
    assert_true(w->route.due_ms >= s.clock.now + HOST_GUEST_LOOK_MS);
    assert_true(w->route.due_ms < s.clock.now + 2 * HOST_GUEST_LOOK_MS);
    assert_int_equal(decided, 2);
    guest_return(v, &pace, 2000);
    assert_null(v->route.guest);
    assert_false(host_is_out(host_b()));
    assert_int_equal(host_due_ms(host_b()), s.clock.now + 2001);
    assert_true(s.cluster.claimed == s.cluster.given_back);
    guest_ask(&desk, w);
    assert_int_equal(w->route.due_ms, s.clock.now + 2001);
    step_advance(&s, 2001);
    guest_ask(&desk, w);
    assert_non_null(w->route.guest);
    guest_return(w, NULL, 0); /* it was not asked after all */
    assert_int_equal(host_due_ms(host_b()), s.clock.now);
    guest_return(w, NULL, 0); /* it has nothing more */
    close_world(v, w);
}

static void the_host_itself_waits_for_a_guest_that_has_reserved(void **state)
{
    (void)state;
    open_world(1, 0);
    struct visit *v = guest_of("http://a.test/");
    step_admit(&s, "http://b.test/1", "");
    frontier_hold(ledger_frontier(s.ledger->ledger, 0), host_b(), s.clock.now + 500);
    guest_ask(&desk, v);
    assert_true(v->state == VISIT_LATER && v->route.due_ms == s.clock.now + 500);
    assert_int_equal(host_due_ms(host_b()), s.clock.now + 500 + HOST_GUEST_GRACE_MS);
    step_advance(&s, 500);
    assert_null(step_checkout(&s));
    guest_ask(&desk, v);
    assert_non_null(v->route.guest);
    guest_return(v, &pace, 1);
    step_advance(&s, 1600);
    struct visit *own = step_checkout(&s);
    assert_non_null(own);
    close_world(v, own);
}

static void a_host_of_another_agent_is_not_lent(void **state)
{
    (void)state;
    open_world(1, 0);
    struct visit *v = guest_of("http://a.test/");
    s.cluster.claim = CLUSTER_NOTHING_NOW;
    guest_ask(&desk, v);
    assert_true(v->state == VISIT_LATER && !v->route.guest && s.cluster.given_back == 0);
    close_world(v, NULL);
}

/* Another agent owns the host: the cluster asks that one. */
static struct cluster_guest *elsewhere;
static unsigned ended_elsewhere;

static bool ask_elsewhere(struct cluster_service *c, struct cluster_guest *g)
{
    (void)c;
    elsewhere = g;
    return true;
}

static void end_elsewhere(struct cluster_service *c, const struct cluster_guest_end *e)
{
    (void)c;
    assert_str(e->host, STR("b.test"));
    ended_elsewhere++;
}

static void a_host_of_another_agent_is_borrowed_from_it(void **state)
{
    (void)state;
    for (int may = 0; may < 2; may++) {
        static struct step_instance at;
        static struct call_queue queue;
        open_world(1, 0);
        at = (struct step_instance){.self = {.shard_count = 1}, .step = &s};
        queue = (struct call_queue){0};
        call_queue_open(&queue, &s.ledger->calls, 0, &at.self);
        struct cluster_ops ops = *s.cluster.service.ops;
        ops.ask_guest = ask_elsewhere;
        ops.end_guest = end_elsewhere;
        s.cluster.service.ops = &ops;
        s.cluster.claim = CLUSTER_NOT_THIS;
        ended_elsewhere = 0;
        struct visit *v = guest_of("http://a.test/");
        guest_ask(&desk, v);
        assert_true(decided == 0 && desk.parked.first);
        assert_str(elsewhere->host, STR("b.test"));
        elsewhere->may = may;
        elsewhere->wait_ms = 700;
        elsewhere->done(elsewhere);
        step_advance(&s, 0);
        assert_true(decided == 1 && (v->route.guest != NULL) == may);
        if (!may)
            assert_true(v->state == VISIT_LATER && v->route.due_ms == s.clock.now + 700);
        guest_return(v, &pace, 1);
        assert_int_equal(ended_elsewhere, may);
        call_queue_close(&queue, 0);
        close_world(v, NULL);
    }
}

/* A host of that shard of two, as a URL. */
static const char *url_on(unsigned shard)
{
    static char urls[2][64];
    for (int i = 0; i < 100; i++) {
        int n = snprintf(urls[shard], sizeof urls[shard], "http://host%d.test/", i);
        struct str name = str_make(urls[shard] + 7, (size_t)n - 8);
        if (frontier_bucket(hash64(name)) % 2 == shard)
            return urls[shard];
    }
    fail();
    return NULL;
}

/* Of a host of shard 0, whose robots.txt redirects to one of shard 1. */
static struct visit *guest_of_other_shard(void)
{
    struct visit *v = step_visit(&s, url_on(0), "");
    host_redirect_set(v->turn.record, false, 0, str_c(url_on(1)), 1);
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    assert_rc(robots_redirect_name(v), RC_OK);
    return v;
}

static void a_shard_that_has_stopped_gives_no_turn(void **state)
{
    (void)state;
    open_world(2, STEP_TWO_SHARDS);
    struct visit *v = guest_of_other_shard();
    guest_ask(&desk, v);
    assert_true(v->state == VISIT_LATER && !v->route.guest && decided == 1);
    assert_null(desk.parked.first);
    close_world(v, NULL);
}

enum when { ALL_IS_WELL, GATE_STOPS, OTHER_SHARD_STOPS, OWN_SHARD_STOPS };

/* The schedules of two shards, whose calls run when the loop turns. */
static void ask_other_shard(enum when when)
{
    static struct step_instance at[2];
    static struct call_queue queues[2];
    open_world(2, STEP_TWO_SHARDS);
    for (unsigned i = 0; i < 2; i++) {
        at[i] = (struct step_instance){.self = {.shard = i, .shard_count = 2}, .step = &s};
        queues[i] = (struct call_queue){0};
        call_queue_open(&queues[i], &s.ledger->calls, i, &at[i].self);
    }
    struct visit *v = guest_of_other_shard();
    guest_ask(&desk, v);
    assert_true(decided == 0 && desk.parked.first);
    if (when == GATE_STOPS || when == OWN_SHARD_STOPS) {
        v->may_end = true;
        guest_stop(&desk);
    }
    if (when == OWN_SHARD_STOPS)
        call_queue_close(&queues[0], 0);
    if (when == OTHER_SHARD_STOPS)
        call_queue_close(&queues[1], 1);
    step_advance(&s, 0);
    step_advance(&s, 0);
    assert_null(desk.parked.first);
    bool is_decided = when == ALL_IS_WELL || when == OTHER_SHARD_STOPS;
    assert_int_equal(decided, is_decided);
    if (when == ALL_IS_WELL) {
        assert_true(v->route.guest && s.cluster.claimed == 1);
        guest_return(v, &pace, 1);
        step_advance(&s, 0);
        assert_int_equal(s.cluster.given_back, 1);
    }
    if (when == OTHER_SHARD_STOPS)
        assert_true(v->state == VISIT_LATER && !v->route.guest);
    for (unsigned i = 0; i < 2; i++)
        if (s.ledger->calls.queues[i])
            call_queue_close(&queues[i], i);
    if (is_decided)
        message_end(&v->head);
    step_close(&s);
}

static void a_host_of_another_shard_is_asked_there(void **state)
{
    (void)state;
    ask_other_shard(ALL_IS_WELL);
    ask_other_shard(GATE_STOPS);
    ask_other_shard(OTHER_SHARD_STOPS);
    ask_other_shard(OWN_SHARD_STOPS);
}

static void without_memory_the_visit_comes_later(void **state)
{
    (void)state;
    open_world(1, 0);
    struct visit *v = guest_of("http://a.test/");
    bool is_over = false;
    for (uint64_t n = 1; !is_over; n++) {
        v->state = VISIT_ON_ITS_WAY;
        mem_fault_at(n);
        guest_ask(&desk, v);
        is_over = !mem_fault_hit();
        mem_fault_at(0);
        assert_true((v->route.guest != NULL) == (v->state != VISIT_LATER));
        guest_return(v, NULL, 0);
        assert_true(n < 20);
    }
    message_end(&v->head);
    assert_int_equal(s.cluster.claimed, s.cluster.given_back);
    step_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_leads_to_another_host_is_a_guest),
        cmocka_unit_test(a_host_has_one_guest_at_a_time_and_its_delay_follows),
        cmocka_unit_test(the_host_itself_waits_for_a_guest_that_has_reserved),
        cmocka_unit_test(a_host_of_another_agent_is_not_lent),
        cmocka_unit_test(a_host_of_another_agent_is_borrowed_from_it),
        cmocka_unit_test(a_shard_that_has_stopped_gives_no_turn),
        cmocka_unit_test(a_host_of_another_shard_is_asked_there),
        cmocka_unit_test(without_memory_the_visit_comes_later),
    };
    return cmocka_run_group_tests_name("asking/guest", tests, NULL, NULL);
}
