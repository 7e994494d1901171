/* SPDX-License-Identifier: Apache-2.0 */
#include "visit/visit_host.h"

#include "lib/step.h"

static struct step s;

static struct visit *open_visit(const char *url)
{
    step_world(&s, "", 0);
    struct visit *v = step_visit(&s, url, "L");
    assert_non_null(v->turn.record);
    return v;
}

static void close_world(struct visit *v)
{
    message_end(&v->head);
    step_close(&s);
}

static void a_request_is_of_the_url_that_is_checked_out(void **state)
{
    (void)state;
    struct visit *v = open_visit("https://a.test:8443/p?q");
    struct host_request r = visit_request(v);
    assert_ptr_equal(r.record, v->turn.record);
    assert_str(r.path, STR("/p?q"));
    assert_true(r.is_https && r.port == 8443);
    assert_false(r.is_robots || r.is_elsewhere || r.has_several_origins);
    close_world(v);
}

static void robots_txt_that_redirects_is_elsewhere(void **state)
{
    (void)state;
    struct visit *v = open_visit("http://a.test/1");
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    assert_true(visit_request(v).is_robots);
    assert_true(visit_asks_own_host(v));
    v->turn.robots_redirects = 1;
    assert_true(visit_request(v).is_elsewhere);
    assert_true(visit_asks_own_host(v)); /* it redirects within the host */
    v->turn.checkout.host_name = STR("b.test");
    assert_false(visit_asks_own_host(v));
    v->turn.checkout.host_name = STR("a.test");
    close_world(v);
}

static void a_refused_visit_has_its_code_and_no_answer(void **state)
{
    (void)state;
    struct visit *v = open_visit("http://a.test/1");
    visit_refuse(v, FETCH_ROBOTS, "robots.txt forbids it");
    struct host_outcome o = visit_outcome(v);
    assert_true(o.is_refused && !o.has_answer);
    assert_int_equal(o.code, FETCH_ROBOTS);
    assert_int_equal(o.answer_bytes, 0);
    close_world(v);
}

static void an_answer_counts_with_its_bytes(void **state)
{
    (void)state;
    struct visit *v = open_visit("http://a.test/1");
    struct http_answer *a = step_set_answer(&s, v, 200, "", "hello");
    struct host_outcome o = visit_outcome(v);
    assert_true(!o.is_refused && o.has_answer);
    assert_int_equal(o.end.status, 200);
    assert_int_equal(o.answer_bytes, a->bytes_in);
    close_world(v);
}

/* A copy at another place has no record: it brought along what the record says. */
static void a_copy_stands_as_its_home_said(void **state)
{
    (void)state;
    struct visit *v = open_visit("http://a.test/1");
    struct host_record *record = v->turn.record;
    record->http = HOST_HTTP_2;
    v->turn.standing = (struct host_standing){.failures = 3, .http = HOST_HTTP_TRIAL};
    assert_int_equal(visit_http(v), HOST_HTTP_2);
    assert_int_equal(visit_standing(v).failures, record->failures);
    v->turn.record = NULL;
    assert_int_equal(visit_http(v), HOST_HTTP_TRIAL);
    assert_int_equal(visit_standing(v).failures, 3);
    v->turn.record = record;
    close_world(v);
}

static void a_judged_visit_has_a_verdict(void **state)
{
    (void)state;
    struct visit *v = open_visit("http://a.test/1");
    struct pace_settings pace = s.pace->now(s.pace);
    struct rng rng;
    rng_init(&rng, 1);
    (void)step_set_answer(&s, v, 404, "", "");
    visit_judge(v, &pace, &rng);
    assert_true(v->answer.has_verdict);
    assert_int_equal(v->answer.verdict.next, PACE_DONE);
    assert_int_equal(v->answer.verdict.code, 404);
    close_world(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_of_the_url_that_is_checked_out),
        cmocka_unit_test(robots_txt_that_redirects_is_elsewhere),
        cmocka_unit_test(a_refused_visit_has_its_code_and_no_answer),
        cmocka_unit_test(an_answer_counts_with_its_bytes),
        cmocka_unit_test(a_copy_stands_as_its_home_said),
        cmocka_unit_test(a_judged_visit_has_a_verdict),
    };
    return cmocka_run_group_tests_name("visit_host", tests, NULL, NULL);
}
