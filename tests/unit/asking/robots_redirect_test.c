/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/robots_redirect.h"

#include "host/host_redirect.h"
#include "lib/step.h"

static struct step s;
static char room[URL_ROOM_BYTES];

static struct visit *redirected(const char *head)
{
    step_world(&s, "", 0);
    struct visit *v = step_visit(&s, "http://a.test/1", "");
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    (void)step_set_answer(&s, v, 301, head, "moved");
    return v;
}

static bool leads(struct visit *v)
{
    return robots_redirect_url(v, s.scope->idn, (struct url_room){room, sizeof room});
}

static void close_world(struct visit *v)
{
    message_end(&v->head);
    step_close(&s);
}

static void a_location_leads_to_a_url_that_may_be_asked(void **state)
{
    (void)state;
    static const struct {
        const char *head, *to; /* NULL: nowhere */
    } rows[] = {{"Location: https://www.a.test/robots.txt\r\n", "https://www.a.test/robots.txt"},
                {"Location: /r\r\n", "http://a.test/r"},
                {"Location: http://a.test:8080/r\r\n", "http://a.test:8080/r"},
                {"", NULL},
                {"Location: ftp://a.test/\r\n", NULL},
                {"Location: ftp://a.test:8080/\r\n", NULL}, /* a port that may be asked */
                {"Location: http://[\r\n", NULL},
                {"Location: http://a.test:25/\r\n", NULL}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct visit *v = redirected(rows[i].head);
        assert_int_equal(leads(v), rows[i].to != NULL);
        memset(room, 'x', sizeof room); /* the URL is a copy */
        assert_str(url_href(&v->turn.url),
                   str_c(rows[i].to ? rows[i].to : "http://a.test/robots.txt"));
        close_world(v);
    }
}

static void five_redirects_are_followed_and_no_more(void **state)
{
    (void)state;
    struct visit *v = redirected("Location: /r\r\n");
    v->turn.robots_redirects = 5;
    assert_false(leads(v));
    v->turn.robots_redirects = 4;
    assert_true(leads(v));
    close_world(v);
}

static void the_answer_that_redirected_is_a_visit_of_its_own(void **state)
{
    (void)state;
    struct visit *v = redirected("Location: /r\r\nContent-Type: text/plain\r\n");
    struct url from = v->turn.url;
    v->answer.request = STR("GET /robots.txt");
    v->answer.begun_ms = 5;
    v->answer.date_ms = 6;
    v->turn.host_claim = 7;
    assert_true(leads(v));
    struct visit *hop = robots_redirect_hop(v, &from);
    assert_int_equal(hop->kind, VISIT_ROBOTS_REDIRECT);
    assert_int_equal(hop->state, VISIT_ENDED);
    assert_str(url_href(&hop->turn.url), STR("http://a.test/robots.txt"));
    assert_str(hop->answer.heads.location, STR("/r"));
    assert_str(hop->answer.request, STR("GET /robots.txt"));
    assert_ptr_equal(hop->answer.http, v->answer.http);
    assert_ptr_equal(hop->turn.record, v->turn.record);
    assert_ptr_equal(hop->turn.checkout.host, v->turn.checkout.host);
    assert_int_equal(hop->answer.end.status, 301);
    assert_int_equal(hop->answer.begun_ms, 5);
    assert_int_equal(hop->answer.date_ms, 6);
    assert_str(hop->answer.mime, v->answer.mime);
    assert_int_equal(hop->turn.host_claim, 0); /* its VISIT_ROBOTS has it */
    message_end(&hop->head);
    close_world(v);
}

static void a_visit_that_goes_later_forgets_the_answer_and_is_remembered(void **state)
{
    (void)state;
    struct visit *v = redirected("Location: http://b.test/r?x\r\n");
    assert_rc(robots_redirect_name(v), RC_OK); /* nothing is remembered yet */
    assert_str(url_href(&v->turn.url), STR("http://a.test/robots.txt"));
    assert_true(leads(v));
    v->state = VISIT_ENDED;
    robots_redirect_later(v, 77);
    assert_int_equal(v->state, VISIT_LATER);
    assert_int_equal(v->route.due_ms, 77);
    assert_null(v->answer.http);
    assert_null(v->answer.heads.location.p);
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK); /* the next turn's */
    assert_rc(robots_redirect_name(v), RC_OK);
    assert_str(url_href(&v->turn.url), STR("http://b.test/r?x"));
    assert_str(url_host(&v->turn.url), STR("b.test"));
    assert_int_equal(v->turn.robots_redirects, 1);
    close_world(v);
}

static void what_is_remembered_is_checked_like_a_location(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        unsigned count;
        bool is_good;
    } rows[] = {{"http://b.test/r", 1, true},  {"http://b.test/r", 5, true},
                {"http://b.test/r", 6, false}, {"http://b.test/r", 0, false},
                {"ftp://b.test/r", 1, false},  {"http://b.test:25/r", 1, false},
                {"no URL", 1, false},          {"http://[", 1, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct visit *v = redirected("");
        host_redirect_set(v->turn.record, false, 0, str_c(rows[i].url), rows[i].count);
        assert_rc(robots_redirect_name(v), RC_OK);
        assert_str(url_href(&v->turn.url),
                   str_c(rows[i].is_good ? rows[i].url : "http://a.test/robots.txt"));
        assert_int_equal(v->turn.robots_redirects, rows[i].is_good ? rows[i].count : 0);
        assert_int_equal(v->turn.record->redirect != NULL, rows[i].is_good);
        close_world(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_location_leads_to_a_url_that_may_be_asked),
        cmocka_unit_test(five_redirects_are_followed_and_no_more),
        cmocka_unit_test(the_answer_that_redirected_is_a_visit_of_its_own),
        cmocka_unit_test(what_is_remembered_is_checked_like_a_location),
        cmocka_unit_test(a_visit_that_goes_later_forgets_the_answer_and_is_remembered),
    };
    return cmocka_run_group_tests_name("robots_redirect", tests, NULL, NULL);
}
