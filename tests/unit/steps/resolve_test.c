/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_addresses.h"
#include "lib/step.h"

extern const struct part part_resolve;

enum { OUT, FAILED };

static struct step s;

static void open_resolve(const char *settings)
{
    step_world(&s, settings, 0);
    assert_rc(step_open(&s, &part_resolve), RC_OK);
}

static void give(struct visit *v)
{
    step_give(&s, 0, &v->head);
}

static void assert_failed(enum visit_state state, const char *why)
{
    assert_int_equal(s.out_count[OUT], 0);
    assert_int_equal(step_visit_at(&s, FAILED, 0)->state, state);
    assert_string_equal(step_visit_at(&s, FAILED, 0)->why, why);
}

static void a_name_is_asked_for_and_its_address_kept_on_the_record(void **state)
{
    (void)state;
    open_resolve("");
    give(step_visit(&s, "http://a.test/1", ""));
    assert_int_equal(s.out_count[OUT], 0);
    assert_string_equal(s.dns.names[0], "a.test");
    step_dns_found(&s, "93.184.216.34");
    struct visit *v = step_visit_at(&s, OUT, 0);
    assert_int_equal(v->route.address_count, 1);
    assert_int_equal(v->route.permit.address_group, address_group(&v->route.addresses[0]));
    assert_int_equal(v->turn.record->address_count, 1);
    give(visit_of(step_take(&s, OUT)));
    assert_int_equal(s.out_count[OUT], 1);
    assert_int_equal(s.dns.asked, 1);
    step_close(&s);
}

static void an_address_that_is_too_old_is_asked_for_again(void **state)
{
    (void)state;
    open_resolve("");
    give(step_visit(&s, "http://a.test/1", ""));
    step_dns_found(&s, "93.184.216.34");
    step_advance(&s, 60000);
    give(visit_of(step_take(&s, OUT)));
    assert_int_equal(s.dns.asked, 2);
    step_dns_found(&s, "93.184.216.35");
    assert_int_equal(s.out_count[OUT], 1);
    step_close(&s);
}

static void a_private_address_is_refused(void **state)
{
    (void)state;
    open_resolve("");
    give(step_visit(&s, "http://a.test/", ""));
    step_dns_found(&s, "10.0.0.1");
    assert_failed(VISIT_REFUSED, "its address is private");
    assert_int_equal(step_visit_at(&s, FAILED, 0)->code, FETCH_BLOCKED);
    step_close(&s);
}

static void private_addresses_are_left_out_and_the_others_keep_their_order(void **state)
{
    (void)state;
    static const char *const list[] = {"10.0.0.1",     "93.184.216.1", "127.0.0.1",
                                       "93.184.216.2", "93.184.216.3", "93.184.216.4",
                                       "93.184.216.5"};
    open_resolve("");
    s.dns.is_known = true;
    s.dns.result = (struct dns_result){.count = 7, .until_ms = s.clock.now + 1};
    for (unsigned i = 0; i < 7; i++)
        assert_rc(address_read(str_c(list[i]), &s.dns.result.addresses[i]), RC_OK);
    give(step_visit(&s, "http://a.test/", ""));
    struct visit *v = step_visit_at(&s, OUT, 0);
    assert_int_equal(v->route.address_count, VISIT_MAX_ADDRESSES);
    assert_true(address_eq(&v->route.addresses[0], &s.dns.result.addresses[1]));
    assert_true(address_eq(&v->route.addresses[1], &s.dns.result.addresses[3]));
    assert_int_equal(v->turn.record->address_count, HOST_RECORD_MAX_ADDRESSES);
    step_close(&s);
}

static void an_address_that_refused_is_passed_over(void **state)
{
    (void)state;
    open_resolve("");
    s.dns.is_known = true;
    s.dns.result = (struct dns_result){.count = 2, .until_ms = s.clock.now + 60000};
    assert_rc(address_read(STR("93.184.216.1"), &s.dns.result.addresses[0]), RC_OK);
    assert_rc(address_read(STR("93.184.216.2"), &s.dns.result.addresses[1]), RC_OK);
    struct visit *v = step_visit(&s, "http://a.test/", "");
    host_addresses_refused(v->turn.record, 80, &s.dns.result.addresses[0], s.clock.now);
    for (int i = 0; i < 2; i++) { /* by DNS, and by the record */
        give(v);
        v = visit_of(step_take(&s, OUT));
        assert_int_equal(v->route.address_count, 1);
        assert_true(address_eq(&v->route.addresses[0], &s.dns.result.addresses[1]));
        assert_int_equal(v->route.permit.address_group, address_group(&v->route.addresses[0]));
    }
    assert_int_equal(s.dns.asked, 1);
    v->may_end = true;
    message_end(&v->head);
    step_close(&s);
}

static void what_dns_says_is_how_the_visit_ends(void **state)
{
    (void)state;
    static const struct {
        enum dns_outcome outcome;
        const char *why;
    } rows[] = {{DNS_NO_NAME, "no such name"},
                {DNS_TIMEOUT, "no name server answers"},
                {DNS_FAILED, "name servers fail"}};
    for (unsigned i = 0; i < 3; i++) {
        open_resolve("");
        give(step_visit(&s, "http://a.test/", ""));
        step_dns_fails(&s, rows[i].outcome);
        assert_failed(VISIT_ENDED, rows[i].why);
        assert_int_equal(step_visit_at(&s, FAILED, 0)->answer.end.dns, rows[i].outcome);
        step_close(&s);
    }
}

static void a_question_that_cannot_be_asked_fails_the_visit(void **state)
{
    (void)state;
    open_resolve("");
    s.dns.rc = RC_LIMIT;
    give(step_visit(&s, "http://a.test/", ""));
    assert_failed(VISIT_ENDED, "name servers fail");
    step_close(&s);
}

/* The visit of a robots.txt that leads to another host. */
static struct visit *redirected(void)
{
    struct visit *v = step_visit(&s, "http://a.test/", "");
    v->turn.record->dead_code = FETCH_NO_CONNECT; /* of its own host */
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    v->turn.robots_redirects = 1;
    return v;
}

static void where_robots_txt_leads_is_no_word_about_the_host_itself(void **state)
{
    (void)state;
    open_resolve("");
    give(redirected());
    step_dns_fails(&s, DNS_NO_NAME);
    assert_failed(VISIT_ENDED, "no such name");
    assert_int_equal(step_visit_at(&s, FAILED, 0)->answer.end.dns, DNS_FOUND);
    assert_int_equal(step_visit_at(&s, FAILED, 0)->answer.end.http, HTTP_NO_CONNECT);
    step_close(&s);
    open_resolve("");
    give(redirected());
    step_dns_found(&s, "127.0.0.1");
    assert_failed(VISIT_ENDED, "robots.txt leads to a private address");
    assert_int_equal(step_record(&s, "a.test")->address_count, 0);
    step_close(&s);
}

static void what_schedule_refused_goes_past(void **state)
{
    (void)state;
    open_resolve("");
    struct visit *v = step_visit(&s, "http://a.test/", "");
    visit_refuse(v, FETCH_QUOTA, "enough");
    give(v);
    assert_failed(VISIT_REFUSED, "enough");
    assert_int_equal(s.dns.asked, 0);
    step_close(&s);
}

static void questions_that_are_open_end_when_it_stops(void **state)
{
    (void)state;
    open_resolve("");
    give(step_visit(&s, "http://a.test/", ""));
    give(step_visit(&s, "http://b.test/", ""));
    step_stop(&s);
    assert_int_equal(s.dns.cancelled, 2);
    assert_int_equal(s.ended, 2);
    step_close(&s);
}

static struct visit *given;

static void prepare(struct step *w)
{
    given = step_visit(w, "http://a.test/", "");
    while (arena_used(given->arena) < 2000 &&
           arena_alloc(given->arena, 8)) /* the next needs a block */
        ;
    w->dns.is_known = true;
    w->dns.result = (struct dns_result){.count = 1, .until_ms = w->clock.now + 1};
    assert_rc(address_read(STR("93.184.216.1"), &w->dns.result.addresses[0]), RC_OK);
}

static void run(struct step *w)
{
    step_give(w, 0, &given->head);
    assert_int_equal(w->out_count[OUT] + w->out_count[FAILED], 1);
}

static void whatever_allocation_fails_the_visit_goes_on(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_resolve, .settings = "", .prepare = prepare, .run = run});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_asked_for_and_its_address_kept_on_the_record),
        cmocka_unit_test(an_address_that_is_too_old_is_asked_for_again),
        cmocka_unit_test(a_private_address_is_refused),
        cmocka_unit_test(private_addresses_are_left_out_and_the_others_keep_their_order),
        cmocka_unit_test(an_address_that_refused_is_passed_over),
        cmocka_unit_test(what_dns_says_is_how_the_visit_ends),
        cmocka_unit_test(a_question_that_cannot_be_asked_fails_the_visit),
        cmocka_unit_test(where_robots_txt_leads_is_no_word_about_the_host_itself),
        cmocka_unit_test(what_schedule_refused_goes_past),
        cmocka_unit_test(questions_that_are_open_end_when_it_stops),
        cmocka_unit_test(whatever_allocation_fails_the_visit_goes_on),
    };
    return cmocka_run_group_tests_name("resolve", tests, NULL, NULL);
}
