/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/asker.h"

#include "lib/step.h"

static const struct part part = {
    .abi = PART_ABI, .kind = PART_COMPONENT, .name = "part", .help = "asks"};

static struct step s;
static struct asker asker;
static struct asker_settings settings;
static unsigned answered;

static void on_answer(struct instance *self, struct visit *v)
{
    assert_ptr_equal(self, &s.part.self);
    assert_int_equal(v->state, VISIT_ENDED);
    answered++;
}

static enum rc open_asker(const char *types)
{
    static struct str list[1];
    struct buf why = {.max = 200};
    step_world(&s, "", 0);
    assert_rc(step_open(&s, &part), RC_OK);
    list[0] = str_c(types ? types : "");
    settings = (struct asker_settings){.user_agent = STR("tester"),
                                       .encodings = STR("gzip"),
                                       .body_bytes = 1000,
                                       .types = {list, types != NULL}};
    asker = (struct asker){.self = &s.part.self,
                           .settings = &settings,
                           .clock = &s.clock.clock,
                           .http = (struct http *)(void *)&s.http,
                           .on_answer = on_answer,
                           .running.open = &s.ledger->counts.open};
    answered = 0;
    enum rc rc = asker_open(&asker, &why);
    buf_done(&why);
    return rc;
}

static void close_asker(void)
{
    asker_done(&asker);
    step_close(&s);
}

static struct visit *page(const char *url)
{
    struct visit *v = step_visit(&s, url, "L");
    assert_rc(address_read(STR("93.184.216.1"), &v->route.addresses[0]), RC_OK);
    v->route.address_count = 1;
    return v;
}

static void a_request_says_what_the_visit_asks_for(void **state)
{
    (void)state;
    assert_rc(open_asker(NULL), RC_OK);
    struct visit *v = page("https://a.test:444/1?x");
    assert_true(asker_send(&asker, v));
    const struct http_ask *ask = s.http.open[0];
    assert_true(ask->is_https);
    assert_str(ask->host, STR("a.test"));
    assert_int_equal(ask->port, 444);
    assert_int_equal(ask->address_count, 1);
    assert_int_equal(ask->body_bytes, 1000);
    assert_null(ask->wants);
    assert_false(ask->offers_h2);
    assert_true(str_starts(ask->request, STR("GET /1?x HTTP/1.1\r\nHost: a.test:444\r\n"
                                             "User-Agent: tester\r\n")));
    assert_true(str_find_str(ask->request, STR("Accept-Encoding: gzip\r\n")) < ask->request.n);
    assert_str(v->answer.request, ask->request);
    assert_int_equal(v->answer.begun_ms, s.clock.now);
    assert_int_equal(v->answer.date_ms, s.clock.wall);
    assert_int_equal(s.ledger->counts.open, 1);
    step_http_ends(&s, step_answer(200, "", "hi"));
    assert_int_equal(answered, 1);
    assert_int_equal(v->answer.end.status, 200);
    assert_int_equal(s.ledger->counts.open, 0);
    assert_null(asker_cancel(&asker));
    v->turn.record->http = HOST_HTTP_2;
    assert_true(asker_send(&asker, v));
    assert_true(s.http.open[0]->offers_h2);
    assert_ptr_equal(asker_cancel(&asker), v);
    message_end(&v->head);
    close_asker();
}

static void a_date_of_retry_after_is_seen_from_the_wall_clock(void **state)
{
    (void)state;
    assert_rc(open_asker(NULL), RC_OK);
    struct visit *v = page("http://a.test/");
    assert_true(asker_send(&asker, v));
    s.clock.wall = UINT64_C(784111777000) - 20000;
    step_http_ends(&s, step_answer(503, "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n", ""));
    assert_int_equal(v->answer.end.retry_after_ms, 20000);
    message_end(&v->head);
    close_asker();
}

static void only_the_types_of_pages_are_looked_at(void **state)
{
    (void)state;
    assert_rc(open_asker("text/html"), RC_OK);
    struct visit *v = page("http://a.test/");
    assert_true(asker_send(&asker, v));
    struct http_ask *ask = s.http.open[0];
    assert_false(ask->wants(ask, 200, STR("Content-Type: image/png\r\n\r\n")));
    assert_true(v->answer.has_other_type);
    assert_ptr_equal(asker_cancel(&asker), v);
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    assert_true(asker_send(&asker, v));
    assert_null(s.http.open[0]->wants);
    assert_int_equal(s.http.open[0]->body_bytes, ROBOTS_BODY_MAX + 1);
    assert_ptr_equal(asker_cancel(&asker), v);
    assert_int_equal(s.http.cancelled, 2);
    assert_int_equal(answered, 0);
    message_end(&v->head);
    close_asker();
}

static void a_request_that_cannot_begin_has_ended(void **state)
{
    (void)state;
    assert_rc(open_asker(NULL), RC_OK);
    s.http.rc = RC_NOMEM;
    struct visit *v = page("http://a.test/");
    assert_false(asker_send(&asker, v));
    assert_int_equal(v->answer.end.http, HTTP_FAILED);
    assert_int_equal(s.ledger->counts.open, 0);
    assert_null(asker_cancel(&asker));
    message_end(&v->head);
    close_asker();
}

static void a_type_that_is_none_is_refused(void **state)
{
    (void)state;
    assert_rc(open_asker("nonsense"), RC_INVALID);
    step_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_says_what_the_visit_asks_for),
        cmocka_unit_test(a_date_of_retry_after_is_seen_from_the_wall_clock),
        cmocka_unit_test(only_the_types_of_pages_are_looked_at),
        cmocka_unit_test(a_request_that_cannot_begin_has_ended),
        cmocka_unit_test(a_type_that_is_none_is_refused),
    };
    return cmocka_run_group_tests_name("asker", tests, NULL, NULL);
}
