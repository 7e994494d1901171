/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/robots_redirect.h"
#include "host/host_redirect.h"
#include "lib/step.h"

#include "base/hash.h"

extern const struct part part_gate;

enum { OUT, REFUSED };

static struct step s;

static void open_gate(const char *settings)
{
    step_world(&s, settings, 0);
    assert_rc(step_open(&s, &part_gate), RC_OK);
}

/* A visit that resolve has sent on: it has an address, and its host has rules. */
static struct visit *with_address(struct visit *v, const char *address)
{
    assert_rc(address_read(str_c(address), &v->route.addresses[0]), RC_OK);
    v->route.address_count = 1;
    v->route.permit.address_group = address_group(&v->route.addresses[0]);
    return v;
}

static struct visit *ready_visit(const char *url)
{
    struct visit *v = with_address(step_visit(&s, url, ""), "192.0.2.1");
    step_set_rules(v, "User-agent: *\nDisallow: /secret\n", 1);
    return v;
}

static void give(struct visit *v)
{
    step_give(&s, 0, &v->head);
}

static void assert_refused(int code)
{
    assert_int_equal(s.out_count[OUT], 0);
    assert_int_equal(step_visit_at(&s, REFUSED, 0)->state, VISIT_REFUSED);
    assert_int_equal(step_visit_at(&s, REFUSED, 0)->code, code);
    assert_non_null(step_visit_at(&s, REFUSED, 0)->why);
}

static void what_robots_allow_passes_with_a_permit_and_a_page_of_the_budget(void **state)
{
    (void)state;
    open_gate("");
    give(ready_visit("http://a.test/open"));
    struct visit *v = step_visit_at(&s, OUT, 0);
    assert_int_equal(v->state, VISIT_ON_ITS_WAY);
    assert_true(v->route.permit.is_held);
    assert_true(v->route.is_charged);
    step_close(&s);
}

static void what_robots_forbid_is_refused_before_anything_is_taken(void **state)
{
    (void)state;
    open_gate("");
    give(ready_visit("http://a.test/secret/1"));
    assert_refused(FETCH_ROBOTS);
    assert_false(step_visit_at(&s, REFUSED, 0)->route.permit.is_held);
    assert_false(step_visit_at(&s, REFUSED, 0)->route.is_charged);
    step_close(&s);
}

static void without_rules_nothing_is_allowed(void **state)
{
    (void)state;
    open_gate("");
    give(with_address(step_visit(&s, "http://a.test/", ""), "192.0.2.1"));
    assert_refused(FETCH_NO_ROBOTS);
    step_close(&s);
}

static void the_rules_of_another_origin_do_not_count(void **state)
{
    (void)state;
    open_gate("");
    struct visit *v = ready_visit("http://a.test/");
    v->turn.checkout.port = 81;
    give(v);
    assert_refused(FETCH_NO_ROBOTS);
    step_close(&s);
}

static void a_crawl_that_ignores_robots_asks_anyway(void **state)
{
    (void)state;
    open_gate("ignore-robots=yes");
    give(with_address(step_visit(&s, "http://a.test/secret", ""), "192.0.2.1"));
    assert_int_equal(s.out_count[OUT], 1);
    step_close(&s);
}

static void a_robots_txt_needs_no_rules_and_no_budget(void **state)
{
    (void)state;
    open_gate("pages=1");
    struct visit *v = with_address(step_visit(&s, "http://a.test/", ""), "192.0.2.1");
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    give(v);
    assert_int_equal(s.out_count[OUT], 1);
    assert_false(step_visit_at(&s, OUT, 0)->route.is_charged);
    step_close(&s);
}

static void a_busy_address_sends_the_visit_back_with_a_moment(void **state)
{
    (void)state;
    open_gate("ip-conns=1 ip-delay=3s");
    give(ready_visit("http://a.test/"));
    give(ready_visit("http://b.test/"));
    assert_int_equal(s.out_count[OUT], 1);
    struct visit *v = step_visit_at(&s, REFUSED, 0);
    assert_int_equal(v->state, VISIT_LATER);
    assert_true(v->route.due_ms > s.clock.now);
    assert_false(v->route.permit.is_held);
    step_close(&s);
}

static void a_busy_host_gives_the_permit_of_its_address_back(void **state)
{
    (void)state;
    open_gate("ip-conns=1 ip-delay=0s");
    assert_int_equal(permit_table_ask(s.addresses->hosts, hash64(STR("a.test")), s.clock.now), 0);
    struct visit *v = ready_visit("http://a.test/");
    uint64_t group = v->route.permit.address_group;
    give(v);
    assert_int_equal(step_visit_at(&s, REFUSED, 0)->state, VISIT_LATER);
    assert_int_equal(permit_table_ask(s.addresses->addresses, group, s.clock.now), 0);
    step_close(&s);
}

static void a_host_that_had_its_pages_is_refused_for_its_quota(void **state)
{
    (void)state;
    open_gate("host-pages=2");
    struct visit *v = ready_visit("http://a.test/");
    v->turn.record->pages = 2;
    give(v);
    assert_refused(FETCH_QUOTA);
    assert_false(step_visit_at(&s, REFUSED, 0)->route.permit.is_held); /* the next need not wait */
    assert_int_equal(s.drained, 0);
    step_close(&s);
}

static void a_domain_that_had_its_pages_is_refused_for_its_quota(void **state)
{
    (void)state;
    open_gate("domain-pages=1");
    budget_restore_domain(s.budget, STR("a.test"), 1, 10, true);
    give(ready_visit("http://a.test/"));
    assert_refused(FETCH_QUOTA);
    step_close(&s);
}

static void the_crawl_ends_when_its_pages_are_spent(void **state)
{
    (void)state;
    open_gate("pages=1");
    assert_int_equal(budget_take(s.budget, STR("x.test"), 0, 0, 0), BUDGET_OK);
    budget_used(s.budget, STR("x.test"), true, 10);
    give(ready_visit("http://a.test/"));
    assert_int_equal(s.drained, 1);
    assert_true(step_has_logged(&s, "crawl.limit"));
    struct visit *v = step_visit_at(&s, REFUSED, 0);
    assert_int_equal(v->state, VISIT_LATER);
    assert_int_equal(v->route.due_ms, s.clock.now);
    assert_false(v->route.is_charged);
    step_close(&s);
}

static void while_the_last_pages_are_under_way_the_crawl_goes_on(void **state)
{
    (void)state;
    open_gate("pages=1");
    assert_int_equal(budget_take(s.budget, STR("x.test"), 0, 0, 0), BUDGET_OK);
    give(ready_visit("http://a.test/"));
    assert_int_equal(s.drained, 0);
    struct visit *v = step_visit_at(&s, REFUSED, 0);
    assert_int_equal(v->state, VISIT_LATER);
    assert_int_equal(v->route.due_ms, s.clock.now + 100);
    step_close(&s);
}

/* A robots.txt that redirects to another host. */
static struct visit *redirected(const char *from)
{
    struct visit *v = with_address(step_visit(&s, from, ""), "192.0.2.1");
    host_redirect_set(v->turn.record, false, 0, STR("http://other.test/r"), 1);
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    assert_rc(robots_redirect_name(v), RC_OK);
    return v;
}

static void a_redirected_robots_txt_needs_the_turn_of_the_other_host(void **state)
{
    (void)state;
    open_gate("ip-conns=4 ip-delay=0s");
    give(redirected("http://a.test/"));
    assert_non_null(step_visit_at(&s, OUT, 0)->route.guest);
    assert_true(step_visit_at(&s, OUT, 0)->route.permit.is_held);
    give(redirected("http://b.test/"));
    struct visit *v = step_visit_at(&s, REFUSED, 0);
    assert_true(v->state == VISIT_LATER && !v->route.guest && v->route.due_ms > s.clock.now);
    assert_int_equal(v->turn.record->wait, HOST_WAIT_GUEST);
    give(with_address(step_visit(&s, "http://c.test/", ""), "192.0.2.1")); /* not a guest */
    assert_null(step_visit_at(&s, REFUSED, 1)->route.guest);
    step_close(&s);
}

static void the_turn_goes_back_where_there_is_no_permit(void **state)
{
    (void)state;
    open_gate("ip-conns=4 ip-delay=3s");
    give(ready_visit("http://a.test/"));
    give(redirected("http://b.test/"));
    struct visit *v = step_visit_at(&s, REFUSED, 0);
    assert_true(v->state == VISIT_LATER && !v->route.guest);
    assert_int_equal(v->turn.record->wait, HOST_WAIT_ADDRESS);
    assert_int_equal(s.cluster.claimed, s.cluster.given_back);
    step_close(&s);
}

/* Memory --------------------------------------------------------------------------------------- */

static struct visit *given;

static void prepare_page(struct step *w)
{
    given = with_address(step_visit(w, "http://a.test/", ""), "192.0.2.1");
    step_set_rules(given, "", 1);
}

static void prepare_redirected(struct step *w)
{
    given = with_address(step_visit(w, "http://a.test/", ""), "192.0.2.1");
    host_redirect_set(given->turn.record, false, 0, STR("http://other.test/r"), 1);
    assert_rc(visit_name(given, VISIT_ROBOTS), RC_OK);
    assert_rc(robots_redirect_name(given), RC_OK);
}

static void run(struct step *w)
{
    step_give(w, 0, &given->head);
    step_advance(w, 10000);
}

static void whatever_allocation_fails_no_visit_is_lost(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_gate, .settings = "", .prepare = prepare_page, .run = run});
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_gate, .settings = "", .prepare = prepare_redirected, .run = run});
}

/* A pool ------------------------------------------------------------------------------------------ */

static void open_gate_with_members(void)
{
    step_world(&s, "", 0);
    step_with_members(&s);
    assert_rc(step_open(&s, &part_gate), RC_OK);
}

static void a_visit_gets_the_route_to_the_member_that_its_url_and_address_choose(void **state)
{
    (void)state;
    open_gate_with_members();
    give(ready_visit("http://a.test/open"));
    struct visit *v = step_visit_at(&s, OUT, 0);
    assert_int_equal(v->head.route, 7);
    assert_str(s.members.asked.url, STR("http://a.test/open"));
    assert_ptr_equal(s.members.asked.address, &v->route.addresses[0]);
    assert_true(s.members.asked.fingerprint == v->turn.fingerprint);
    step_close(&s);
}

static void a_visit_whose_member_has_no_room_comes_again_and_has_taken_nothing(void **state)
{
    (void)state;
    open_gate_with_members();
    s.members.route = 0;
    give(ready_visit("http://a.test/open"));
    struct visit *v = step_visit_at(&s, REFUSED, 0);
    assert_int_equal(v->state, VISIT_LATER);
    assert_true(v->route.due_ms > s.clock.now);
    assert_false(v->route.permit.is_held);
    assert_false(v->route.is_charged);
    assert_int_equal(step_record(&s, "a.test")->wait, HOST_WAIT_MEMBER);
    step_close(&s);
}

static void what_robots_forbid_needs_no_member(void **state)
{
    (void)state;
    open_gate_with_members();
    s.members.route = 0;
    give(ready_visit("http://a.test/secret"));
    assert_refused(FETCH_ROBOTS);
    step_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_robots_allow_passes_with_a_permit_and_a_page_of_the_budget),
        cmocka_unit_test(what_robots_forbid_is_refused_before_anything_is_taken),
        cmocka_unit_test(without_rules_nothing_is_allowed),
        cmocka_unit_test(the_rules_of_another_origin_do_not_count),
        cmocka_unit_test(a_crawl_that_ignores_robots_asks_anyway),
        cmocka_unit_test(a_robots_txt_needs_no_rules_and_no_budget),
        cmocka_unit_test(a_busy_address_sends_the_visit_back_with_a_moment),
        cmocka_unit_test(a_busy_host_gives_the_permit_of_its_address_back),
        cmocka_unit_test(a_host_that_had_its_pages_is_refused_for_its_quota),
        cmocka_unit_test(a_domain_that_had_its_pages_is_refused_for_its_quota),
        cmocka_unit_test(the_crawl_ends_when_its_pages_are_spent),
        cmocka_unit_test(while_the_last_pages_are_under_way_the_crawl_goes_on),
        cmocka_unit_test(a_redirected_robots_txt_needs_the_turn_of_the_other_host),
        cmocka_unit_test(the_turn_goes_back_where_there_is_no_permit),
        cmocka_unit_test(whatever_allocation_fails_no_visit_is_lost),
        cmocka_unit_test(a_visit_gets_the_route_to_the_member_that_its_url_and_address_choose),
        cmocka_unit_test(a_visit_whose_member_has_no_room_comes_again_and_has_taken_nothing),
        cmocka_unit_test(what_robots_forbid_needs_no_member),
    };
    return cmocka_run_group_tests_name("gate", tests, NULL, NULL);
}
