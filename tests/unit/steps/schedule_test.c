/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_turn.h"
#include "lib/step.h"

#include "base/mem.h"
extern const struct part part_schedule;

enum { OUT };

static struct step s;

static void open_schedule(const char *settings)
{
    step_world(&s, settings, 0);
    assert_rc(step_open(&s, &part_schedule), RC_OK);
}

/* The host of a URL that waits gets rules, as if its robots.txt had been read at that moment. */
static struct host_record *give_rules(const char *host, int64_t wall_ms, bool is_failing)
{
    struct host_record *r = step_record(&s, host);
    struct robots *rules = NULL;
    assert_non_null(r);
    assert_rc(robots_parse(STR(""), STR("orbweaver"), &rules), RC_OK);
    assert_rc(host_record_set_robots(r, false, 0, rules, is_failing, wall_ms), RC_OK);
    return r;
}

static void with_page(const char *url)
{
    step_admit(&s, url, "");
    (void)give_rules("a.test", (int64_t)s.clock.wall, false);
}

static void a_host_without_rules_is_visited_for_its_robots_txt_first(void **state)
{
    (void)state;
    open_schedule("");
    step_admit(&s, "http://a.test/1", "");
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    struct visit *v = step_visit_at(&s, OUT, 0);
    assert_int_equal(v->kind, VISIT_ROBOTS);
    assert_str(url_href(&v->turn.url), STR("http://a.test/robots.txt"));
    assert_str(v->turn.checkout.path, STR("/1"));
    step_close(&s);
}

static void a_host_with_fresh_rules_is_visited_for_the_page(void **state)
{
    (void)state;
    open_schedule("");
    with_page("http://a.test/1");
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    struct visit *v = step_visit_at(&s, OUT, 0);
    assert_int_equal(v->kind, VISIT_PAGE);
    assert_int_equal(v->state, VISIT_ON_ITS_WAY);
    assert_int_equal(v->answer.begun_ms, s.clock.now);
    assert_int_equal(v->turn.host_claim, 1);
    step_close(&s);
}

static void rules_grow_old(void **state)
{
    (void)state;
    static const struct {
        int64_t age_ms;
        bool is_failing;
        enum visit_kind kind;
    } rows[] = {{24 * 3600 * 1000, false, VISIT_PAGE},
                {24 * 3600 * 1000 + 1, false, VISIT_ROBOTS},
                {5 * 60 * 1000, true, VISIT_PAGE},
                {5 * 60 * 1000 + 1, true, VISIT_ROBOTS},
                {-1000, false, VISIT_ROBOTS}}; /* the clock was turned back */
    for (unsigned i = 0; i < 5; i++) {
        open_schedule("");
        step_admit(&s, "http://a.test/1", "");
        (void)give_rules("a.test", (int64_t)s.clock.wall - rows[i].age_ms, rows[i].is_failing);
        assert_int_equal(step_produce(&s), PRODUCED_MORE);
        assert_int_equal(step_visit_at(&s, OUT, 0)->kind, rows[i].kind);
        step_close(&s);
    }
}

static void no_robots_txt_is_asked_for_where_none_is_wanted(void **state)
{
    (void)state;
    open_schedule("ignore-robots=yes");
    step_admit(&s, "http://a.test/1", "");
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    assert_int_equal(step_visit_at(&s, OUT, 0)->kind, VISIT_PAGE);
    step_close(&s);
}

static void a_host_or_origin_that_was_given_up_is_asked_for_nothing(void **state)
{
    (void)state;
    for (int is_origin = 0; is_origin < 2; is_origin++) {
        open_schedule("");
        step_admit(&s, "http://a.test:81/1", "");
        if (is_origin)
            host_origin_of(step_record(&s, "a.test"), false, 81, true)->dead_code = FETCH_NO_DNS;
        else
            step_record(&s, "a.test")->dead_code = FETCH_NO_DNS;
        assert_int_equal(step_produce(&s), PRODUCED_MORE);
        const struct visit *v = step_visit_at(&s, OUT, 0);
        assert_int_equal(v->kind, VISIT_PAGE);
        assert_int_equal(v->state, VISIT_REFUSED);
        assert_int_equal(v->code, FETCH_NO_DNS);
        assert_string_equal(v->why, "its host was given up");
        step_close(&s);
    }
}

static void a_host_without_pages_left_is_refused_and_its_robots_txt_not_asked_for(void **state)
{
    (void)state;
    open_schedule("host-pages=3");
    step_admit(&s, "http://a.test/1", "");
    step_record(&s, "a.test")->pages = 3;
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    struct visit *v = step_visit_at(&s, OUT, 0);
    assert_int_equal(v->kind, VISIT_PAGE);
    assert_int_equal(v->state, VISIT_REFUSED);
    assert_int_equal(v->code, FETCH_QUOTA);
    step_close(&s);
}

static void a_host_is_lent_once(void **state)
{
    (void)state;
    open_schedule("");
    with_page("http://a.test/1");
    step_admit(&s, "http://a.test/2", "");
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    assert_int_equal(step_produce(&s), PRODUCED_IDLE);
    assert_int_equal(s.out_count[OUT], 1);
    step_close(&s);
}

static void a_host_with_a_connection_comes_first(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        uint16_t port;
        bool comes_first;
    } rows[] = {
        {"https://warm.test/", 443, true},
        {"http://warm.test/", 80, true},
        {"https://warm.test:8443/", 8443, true},
        {"https://warm.test:8443/", 443, false}, /* of another origin */
        {"https://cool.test/", 443, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        open_schedule("");
        s.http.warm_host = "warm.test";
        s.http.warm_port = rows[i].port;
        step_admit(&s, "http://a.test/", "");
        step_admit(&s, rows[i].url, "");
        assert_int_equal(step_produce(&s), PRODUCED_MORE);
        const struct visit *v = step_visit_at(&s, OUT, 0);
        if (str_eq(v->turn.checkout.host_name, STR("a.test")) == rows[i].comes_first)
            fail_msg("%s and port %u", rows[i].url, rows[i].port);
        step_close(&s);
    }
}

static void while_no_descriptor_is_left_nothing_is_begun(void **state)
{
    (void)state;
    open_schedule("");
    with_page("http://a.test/1");
    s.http.is_full = true;
    assert_int_equal(step_produce(&s), PRODUCED_WAIT);
    assert_int_equal(s.out_count[OUT], 0);
    s.http.is_full = false;
    unsigned ready = s.ready;
    step_advance(&s, 10);
    assert_int_equal(s.ready, ready + 1); /* it looks again by itself */
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    assert_int_equal(s.out_count[OUT], 1);
    step_close(&s);
}

static void without_work_the_crawl_is_idle(void **state)
{
    (void)state;
    open_schedule("");
    assert_int_equal(step_produce(&s), PRODUCED_IDLE);
    assert_int_equal(s.drained, 0);
    step_close(&s);
}

static void a_host_that_waits_wakes_schedule_at_its_moment(void **state)
{
    (void)state;
    open_schedule("");
    with_page("http://a.test/1");
    struct visit *v = step_checkout(&s);
    ledger_return(s.ledger->ledger, 0, &v->turn.checkout, s.clock.now + 700);
    message_end(&v->head);
    assert_int_equal(step_produce(&s), PRODUCED_WAIT);
    step_advance(&s, 699);
    assert_int_equal(s.ready, 0);
    step_advance(&s, 1);
    assert_int_equal(s.ready, 1);
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    step_close(&s);
}

static void news_make_it_look_again(void **state)
{
    (void)state;
    open_schedule("");
    struct links *l = links_open(NULL, 0, STR(""), 0, 0);
    assert_non_null(l);
    step_give(&s, 0, &l->head);
    assert_int_equal(s.ready, 1);
    assert_int_equal(s.ended, 1);
    step_close(&s);
}

static void a_restarted_crawl_waits_before_its_first_request(void **state)
{
    (void)state;
    open_schedule("");
    with_page("http://a.test/1");
    s.ledger->run.not_before_ms = s.clock.now + 1000;
    assert_int_equal(step_produce(&s), PRODUCED_WAIT);
    assert_int_equal(s.out_count[OUT], 0);
    step_advance(&s, 1000);
    assert_int_equal(s.ready, 1);
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    step_close(&s);
}

/* Limits and the cluster ----------------------------------------------------------------------- */

static void the_crawl_ends_at_its_time_also_while_schedule_is_not_asked(void **state)
{
    (void)state;
    open_schedule("time=10s");
    with_page("http://a.test/1");
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    step_advance(&s, 9999);
    assert_int_equal(s.drained, 0);
    step_advance(&s, 1001);
    assert_true(s.drained > 0);
    assert_true(step_has_logged(&s, "crawl.limit"));
    assert_int_equal(step_produce(&s), PRODUCED_IDLE);
    step_close(&s);
}

static void a_pause_of_the_cluster_is_looked_at_again(void **state)
{
    (void)state;
    open_schedule("gate-wait=300ms");
    with_page("http://a.test/1");
    s.cluster.has_phase = true;
    s.cluster.phase = CLUSTER_PAUSES;
    assert_int_equal(step_produce(&s), PRODUCED_WAIT);
    assert_int_equal(s.out_count[OUT], 0);
    s.cluster.phase = CLUSTER_CRAWLS;
    step_advance(&s, 299);
    assert_int_equal(s.ready, 0);
    step_advance(&s, 1);
    assert_int_equal(s.ready, 1);
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    step_close(&s);
}

static void a_host_of_another_agent_goes_back_for_a_while(void **state)
{
    (void)state;
    open_schedule("gate-wait=300ms");
    with_page("http://a.test/1");
    s.cluster.claim = CLUSTER_NOT_THIS;
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    assert_int_equal(s.out_count[OUT], 0);
    assert_int_equal(frontier_due_ms(ledger_frontier(s.ledger->ledger, 0)), s.clock.now + 300);
    assert_int_equal(step_produce(&s), PRODUCED_WAIT);
    step_close(&s);
}

static void an_agent_outside_of_the_ring_asks_no_host(void **state)
{
    (void)state;
    open_schedule("gate-wait=300ms");
    with_page("http://a.test/1");
    s.cluster.claim = CLUSTER_NOTHING_NOW;
    assert_int_equal(step_produce(&s), PRODUCED_WAIT);
    assert_int_equal(s.out_count[OUT], 0);
    s.cluster.claim = CLUSTER_CLAIMED;
    step_advance(&s, 300);
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    assert_int_equal(s.out_count[OUT], 1);
    step_close(&s);
}

/* Origins -------------------------------------------------------------------------------------- */

/* Two origins of a host wait; the first does not answer. */
static struct host_origin *with_two_origins(void)
{
    step_admit(&s, "http://a.test/1", "");
    step_admit(&s, "http://a.test:81/2", "");
    struct host_record *r = step_record(&s, "a.test");
    struct host_origin *o = host_origin_of(r, false, 0, true);
    assert_non_null(o);
    return o;
}

static void an_origin_that_is_left_alone_lets_the_others_pass(void **state)
{
    (void)state;
    open_schedule("ignore-robots=yes");
    with_two_origins()->next_ms = s.clock.now + 5000;
    assert_int_equal(step_produce(&s), PRODUCED_MORE); /* put back */
    assert_int_equal(s.out_count[OUT], 0);
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    assert_str(step_visit_at(&s, OUT, 0)->turn.checkout.path, STR("/2"));
    step_close(&s);
}

static void a_host_whose_origins_are_all_left_alone_waits(void **state)
{
    (void)state;
    open_schedule("ignore-robots=yes");
    struct host_origin *o = with_two_origins();
    o->next_ms = s.clock.now + 5000;
    host_origin_of(step_record(&s, "a.test"), false, 81, true)->next_ms = s.clock.now + 5000;
    for (int i = 0; i < 3; i++)
        assert_int_equal(step_produce(&s), PRODUCED_MORE);
    assert_int_equal(s.out_count[OUT], 0);
    assert_int_equal(step_produce(&s), PRODUCED_WAIT);
    step_advance(&s, 5000);
    assert_true(s.ready > 0);
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    assert_int_equal(s.out_count[OUT], 1);
    step_close(&s);
}

static void the_other_urls_of_an_origin_on_trial_wait_for_its_result(void **state)
{
    (void)state;
    open_schedule("ignore-robots=yes");
    struct host_origin *o = with_two_origins();
    o->trial = host_trial(STR("/gone")); /* a URL that is nowhere in the queue */
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    assert_int_equal(s.out_count[OUT], 0);
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    assert_str(step_visit_at(&s, OUT, 0)->turn.checkout.path, STR("/2"));
    step_close(&s);
}

static void a_trial_whose_url_is_gone_passes_to_another(void **state)
{
    (void)state;
    open_schedule("ignore-robots=yes");
    step_admit(&s, "http://a.test/1", "");
    step_admit(&s, "http://a.test/3", "");
    struct host_origin *o = host_origin_of(step_record(&s, "a.test"), false, 0, true);
    o->trial = host_trial(STR("/gone"));
    for (int i = 0; i < 5 && !s.out_count[OUT]; i++)
        assert_int_equal(step_produce(&s), PRODUCED_MORE);
    assert_int_equal(s.out_count[OUT], 1);
    assert_int_equal(o->trial, 0);
    step_close(&s);
}

/* Recrawls ------------------------------------------------------------------------------------- */

static void a_recrawl_brings_what_is_known_of_a_page(void **state)
{
    (void)state;
    for (int recrawls = 0; recrawls < 2; recrawls++) {
        step_world(&s, recrawls ? "recrawl=yes" : "", STEP_HISTORY | STEP_COMPARES);
        assert_rc(step_open(&s, &part_schedule), RC_OK);
        with_page("http://a.test/1");
        struct visit *v = step_checkout(&s);
        struct history_entry h = {.url = STR("http://a.test/1"), .code = 200, .fetches = 1};
        struct ledger_outcome o = {.fingerprint = v->turn.fingerprint, .history = &h};
        unsigned epoch;
        assert_rc(ledger_record_outcome(s.ledger->ledger, 0, &o, &epoch), RC_OK);
        assert_rc(ledger_turn(s.ledger->ledger, 0), RC_OK);
        assert_rc(ledger_sync(s.ledger->ledger), RC_OK);
        ledger_return(s.ledger->ledger, 0, &v->turn.checkout, s.clock.now);
        message_end(&v->head);
        assert_int_equal(step_produce(&s), PRODUCED_MORE);
        assert_int_equal(step_visit_at(&s, OUT, 0)->turn.has_history, recrawls);
        assert_true(step_visit_at(&s, OUT, 0)->turn.is_compared);
        step_close(&s);
    }
}

/* Memory --------------------------------------------------------------------------------------- */

static void prepare(struct step *w)
{
    step_admit(w, "http://a.test/1", "");
}

static void run(struct step *w)
{
    (void)step_produce(w);
    step_advance(w, 2000);
    if (!w->out_count[OUT])
        (void)step_produce(w);
    if (!w->failed && !mem_fault_hit())
        assert_int_equal(w->out_count[OUT], 1);
    assert_int_equal(w->cluster.claimed - w->cluster.given_back, w->out_count[OUT]);
}

static void whatever_allocation_fails_the_url_stays_in_its_queue(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_schedule, .settings = "time=10h", .prepare = prepare, .run = run});
}

static void without_room_at_a_member_nothing_is_checked_out_until_there_is_some(void **state)
{
    (void)state;
    step_world(&s, "", 0);
    step_with_members(&s);
    s.members.has_room = false;
    s.members.quiet_ms = 15000; /* of a crawl that is resumed: this one is new */
    assert_rc(step_open(&s, &part_schedule), RC_OK);
    with_page("http://a.test/1");
    assert_int_equal(step_produce(&s), PRODUCED_WAIT);
    assert_int_equal(s.out_count[OUT], 0);
    unsigned ready = s.ready;
    s.members.has_room = true;
    s.members.call(s.members.ctx);
    assert_int_equal(s.ready, ready + 1);
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    assert_int_equal(s.out_count[OUT], 1);
    step_close(&s);
}

static void
a_resumed_manager_asks_nothing_until_members_of_the_process_before_have_stopped(void **state)
{
    (void)state;
    step_world(&s, "", 0);
    step_with_members(&s);
    s.members.quiet_ms = 15000;
    s.ledger->opened.is_new = false;
    assert_rc(step_open(&s, &part_schedule), RC_OK);
    with_page("http://a.test/1");
    assert_int_equal(step_produce(&s), PRODUCED_WAIT);
    step_advance(&s, 14999);
    assert_int_equal(step_produce(&s), PRODUCED_WAIT);
    step_advance(&s, 1);
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    assert_int_equal(s.out_count[OUT], 1);
    step_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_without_rules_is_visited_for_its_robots_txt_first),
        cmocka_unit_test(a_host_with_fresh_rules_is_visited_for_the_page),
        cmocka_unit_test(rules_grow_old),
        cmocka_unit_test(no_robots_txt_is_asked_for_where_none_is_wanted),
        cmocka_unit_test(a_host_or_origin_that_was_given_up_is_asked_for_nothing),
        cmocka_unit_test(a_host_without_pages_left_is_refused_and_its_robots_txt_not_asked_for),
        cmocka_unit_test(a_host_is_lent_once),
        cmocka_unit_test(a_host_with_a_connection_comes_first),
        cmocka_unit_test(while_no_descriptor_is_left_nothing_is_begun),
        cmocka_unit_test(without_work_the_crawl_is_idle),
        cmocka_unit_test(a_host_that_waits_wakes_schedule_at_its_moment),
        cmocka_unit_test(news_make_it_look_again),
        cmocka_unit_test(a_restarted_crawl_waits_before_its_first_request),
        cmocka_unit_test(the_crawl_ends_at_its_time_also_while_schedule_is_not_asked),
        cmocka_unit_test(a_pause_of_the_cluster_is_looked_at_again),
        cmocka_unit_test(a_host_of_another_agent_goes_back_for_a_while),
        cmocka_unit_test(an_agent_outside_of_the_ring_asks_no_host),
        cmocka_unit_test(an_origin_that_is_left_alone_lets_the_others_pass),
        cmocka_unit_test(a_host_whose_origins_are_all_left_alone_waits),
        cmocka_unit_test(the_other_urls_of_an_origin_on_trial_wait_for_its_result),
        cmocka_unit_test(a_trial_whose_url_is_gone_passes_to_another),
        cmocka_unit_test(a_recrawl_brings_what_is_known_of_a_page),
        cmocka_unit_test(whatever_allocation_fails_the_url_stays_in_its_queue),
        cmocka_unit_test(without_room_at_a_member_nothing_is_checked_out_until_there_is_some),
        cmocka_unit_test(
            a_resumed_manager_asks_nothing_until_members_of_the_process_before_have_stopped),
    };
    return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
