/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome/ending.h"

#include "lib/step.h"

#define SECOND 1000

static struct step s;
static struct rng rng;

/* The world's pace, which counts how often its settings are read: that takes a lock. */
struct counting_pace {
    struct pace_service service;
    unsigned reads;
};

static struct pace_settings read_pace(struct pace_service *p)
{
    ((struct counting_pace *)(void *)p)->reads++;
    return s.pace->now(s.pace);
}

static struct counting_pace pace = {.service = {read_pace}};

static void open_world(const char *settings)
{
    step_world(&s, settings, 0);
    rng_init(&rng, 1);
    pace.reads = 0;
}

static struct visit *page(const char *url, uint16_t status)
{
    struct visit *v = step_visit(&s, url, "L");
    step_set_rules(v, "", 1);
    (void)step_set_answer(&s, v, status, "", "hello");
    return v;
}

static struct ending end_of(struct visit *v)
{
    return ending_of_visit(v, &pace.service, &rng, s.clock.now);
}

static void close_world(struct visit *v)
{
    message_end(&v->head);
    step_close(&s);
}

static void a_result_is_done_and_its_host_waits_for_the_delay(void **state)
{
    (void)state;
    open_world("delay=2s");
    struct visit *v = page("http://a.test/1", 200);
    v->route.is_charged = true;
    v->parsed.robots_changed = true;
    struct ending e = end_of(v);
    struct ledger_outcome o = ending_outcome(&e, v);
    assert_true(v->answer.has_verdict); /* no step had judged it */
    assert_ptr_equal(o.checkout, &v->turn.checkout);
    assert_int_equal(o.how, CHECKIN_DONE);
    assert_int_equal(o.due_ms, s.clock.now + 2 * SECOND + 1);
    assert_int_equal(o.pages, 1);
    assert_int_equal(o.bytes, v->answer.http->bytes_in);
    assert_true(o.robots_changed);
    assert_null(o.location); /* it is not in the archive */
    assert_null(o.capture);
    close_world(v);
}

static void a_verdict_of_an_earlier_step_stands(void **state)
{
    (void)state;
    open_world("");
    struct visit *v = page("http://a.test/1", 200);
    v->answer.has_verdict = true;
    v->answer.verdict = (struct pace_verdict){.next = PACE_AGAIN, .code = 200, .wait_ms = 700};
    struct ending e = end_of(v);
    assert_int_equal(pace.reads, 0);
    assert_int_equal(ending_outcome(&e, v).how, CHECKIN_AGAIN);
    assert_int_equal(e.due_ms, s.clock.now + 701);
    close_world(v);
}

static void what_is_tried_again_takes_no_page_of_the_budget(void **state)
{
    (void)state;
    open_world("backoff=5s");
    struct visit *v = page("http://a.test/1", 503);
    struct ending e = end_of(v);
    struct ledger_outcome o = ending_outcome(&e, v);
    assert_int_equal(o.how, CHECKIN_AGAIN);
    assert_true(o.due_ms >= s.clock.now + 5 * SECOND);
    assert_int_equal(o.pages, 0);
    assert_int_equal(o.bytes, 0); /* nothing was reserved for it */
    close_world(v);
}

static void a_refused_url_is_not_judged_and_its_host_does_not_wait(void **state)
{
    (void)state;
    open_world("delay=2s");
    struct visit *v = step_visit(&s, "http://a.test/1", "L");
    visit_refuse(v, FETCH_QUOTA, "for a reason");
    struct ending e = end_of(v);
    assert_false(v->answer.has_verdict);
    assert_int_equal(pace.reads, 0);
    assert_int_equal(e.host.verdict.code, FETCH_QUOTA);
    assert_true(e.host.is_final);
    assert_int_equal(e.due_ms, s.clock.now);
    assert_int_equal(ending_outcome(&e, v).how, CHECKIN_DONE);
    close_world(v);
}

static void one_origin_fails_and_the_others_of_its_host_wait_for_the_delay_only(void **state)
{
    (void)state;
    open_world("backoff=5s delay=1s");
    struct visit *v = page("http://a.test/1", 200);
    step_admit(&s, "http://a.test:81/2", "L");
    v->answer.http = NULL;
    v->answer.end = (struct pace_end){.http = HTTP_TIMEOUT};
    struct ending e = end_of(v);
    assert_non_null(e.host.origin);
    assert_int_equal(pace.reads, 2); /* to judge it, and for the delay */
    assert_int_equal(ending_outcome(&e, v).how, CHECKIN_LAST);
    assert_int_equal(e.due_ms, s.clock.now + 1 * SECOND + 1);
    close_world(v);
}

static void a_capture_is_remembered(void **state)
{
    (void)state;
    open_world("");
    struct visit *v = page("http://a.test/1", 200);
    v->stored.is_kept = true;
    struct ending e = end_of(v);
    struct ledger_outcome o = ending_outcome(&e, v);
    assert_ptr_equal(o.location, &v->stored.location);
    assert_ptr_equal(o.capture, &v->stored.capture);
    close_world(v);
}

/* robots.txt ----------------------------------------------------------------------------------- */

static struct visit *robots(uint16_t status)
{
    struct visit *v = step_visit(&s, "http://a.test/1", "L");
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    (void)step_set_answer(&s, v, status, "Content-Type: text/plain\r\n", "no");
    return v;
}

static void a_robots_txt_that_came_does_not_end_its_page(void **state)
{
    (void)state;
    open_world("");
    struct visit *v = robots(200);
    step_set_rules(v, "", 1);
    struct ending e = end_of(v);
    assert_true(e.host.is_final);
    assert_false(ending_is_page(&e, v));
    close_world(v);
}

static void a_robots_txt_that_cannot_be_had_ends_its_page(void **state)
{
    (void)state;
    open_world("tries=1 host-failures=100");
    struct visit *v = robots(503);
    v->stored.is_kept = true;
    struct ending e = end_of(v);
    assert_true(ending_is_page(&e, v));
    assert_rc(ending_make_page(&e, v), RC_OK);
    assert_int_equal(v->kind, VISIT_PAGE);
    assert_str(url_href(&v->turn.url), STR("http://a.test/1"));
    assert_string_equal(v->why, "its robots.txt cannot be had");
    assert_false(v->stored.is_kept); /* the archive has the robots.txt, not the page */
    assert_null(v->answer.http);
    assert_null(v->answer.mime.p);
    assert_int_equal(v->answer.date_ms, 0);
    assert_false(ending_is_page(&e, v));
    close_world(v);
}

static void a_page_of_a_dead_host_keeps_its_own_reason(void **state)
{
    (void)state;
    open_world("");
    struct visit *v = robots(503);
    struct ending e = {.host = {.verdict = {.code = FETCH_NO_CONNECT}}};
    v->why = "reset";
    assert_rc(ending_make_page(&e, v), RC_OK);
    assert_string_equal(v->why, "reset");
    close_world(v);
}

/* What is kept --------------------------------------------------------------------------------- */

static enum budget_verdict keep(uint16_t status)
{
    struct visit *v = page("http://a.test/1", status);
    v->route.is_charged = budget_take(s.budget, v->turn.checkout.host_name, 0, 0, 0) == BUDGET_OK;
    assert_true(v->route.is_charged);
    struct ending e = end_of(v);
    ending_keep(&e, v, s.budget);
    message_end(&v->head);
    return budget_take(s.budget, STR("b.test"), 0, 0, 0);
}

static void a_page_is_taken_from_the_budget_and_counted_on_its_host(void **state)
{
    (void)state;
    open_world("pages=1");
    assert_int_equal(keep(200), BUDGET_PAGES);
    assert_int_equal(step_record(&s, "a.test")->pages, 1);
    assert_true(budget_is_spent(s.budget));
    step_close(&s);
}

static void a_page_that_is_tried_again_is_given_back_to_the_budget(void **state)
{
    (void)state;
    open_world("pages=1");
    assert_int_equal(keep(503), BUDGET_OK);
    assert_int_equal(step_record(&s, "a.test")->tries, 1);
    step_close(&s);
}

static void bytes_of_a_page_count_in_the_budget(void **state)
{
    (void)state;
    open_world("");
    (void)keep(200);
    assert_rc(budget_share_with_others(s.budget), RC_OK);
    struct budget_sum sum = budget_sum(s.budget, 0);
    assert_int_equal(sum.pages, 1);
    assert_true(sum.bytes > 0);
    step_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_is_done_and_its_host_waits_for_the_delay),
        cmocka_unit_test(a_verdict_of_an_earlier_step_stands),
        cmocka_unit_test(what_is_tried_again_takes_no_page_of_the_budget),
        cmocka_unit_test(a_refused_url_is_not_judged_and_its_host_does_not_wait),
        cmocka_unit_test(one_origin_fails_and_the_others_of_its_host_wait_for_the_delay_only),
        cmocka_unit_test(a_capture_is_remembered),
        cmocka_unit_test(a_robots_txt_that_came_does_not_end_its_page),
        cmocka_unit_test(a_robots_txt_that_cannot_be_had_ends_its_page),
        cmocka_unit_test(a_page_of_a_dead_host_keeps_its_own_reason),
        cmocka_unit_test(a_page_is_taken_from_the_budget_and_counted_on_its_host),
        cmocka_unit_test(a_page_that_is_tried_again_is_given_back_to_the_budget),
        cmocka_unit_test(bytes_of_a_page_count_in_the_budget),
    };
    return cmocka_run_group_tests_name("ending", tests, NULL, NULL);
}
