/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/simweb/faults/visit.h"

static void a_busy_host_says_how_long_and_then_answers(void **state)
{
    (void)state;
    struct visit v = visit_open();
    visit_get(&v, "busy429.f35.test", "/page");
    assert_int_equal(v.reply.status, 429);
    assert_str(visit_header(&v, "Retry-After"), STR("7"));
    assert_int_equal(v.reply.backoff_ms, 6990);
    assert_false(visit_has(&v, "href"));
    visit_get(&v, "busy429.f35.test", "/other");
    assert_int_equal(v.reply.status, 200);
    v.nth = 1;
    visit_get(&v, "busy429.f35.test", "/page");
    assert_int_equal(v.reply.status, 200);
    assert_int_equal(v.reply.backoff_ms, 0);
    assert_true(visit_has(&v, "href=\"/told/page/good\""));
    v.nth = 2;
    visit_get(&v, "thrice.f35.test", "/page");
    assert_int_equal(v.reply.status, 429);
    visit_close(&v);
}

static const struct {
    const char *label;
    const char *value;
    uint64_t backoff_ms;
} said[] = {
    {"imf", "Sun, 06 Nov 1994 08:49:44 GMT", 6990},
    {"rfc850", "Sunday, 06-Nov-94 08:49:44 GMT", 6990},
    {"asctime", "Sun Nov  6 08:49:44 1994", 6990},
    {"past", "Sun, 06 Nov 1994 08:49:37 GMT", 0},
    {"zero", "0", 0},
    {"negative", "-5", 0},
    {"garbage", "when the tide is out", 0},
    {"fraction", "0.5", 0},
    {"far", "Thu, 01 Jan 2099 00:00:00 GMT", 6990},
    {"overflow", "18446744073709551617", 6990},
};

static void retry_after_comes_in_every_form(void **state)
{
    (void)state;
    struct visit v = visit_open();
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        char host[64];
        struct buf b = buf_on(host, sizeof host);
        buf_printf(&b, "%s.f36.test", said[i].label);
        visit_get(&v, buf_c(&b), "/page");
        assert_true(v.reply.status == 429 || v.reply.status == 503);
        assert_str(visit_header(&v, "Retry-After"), str_c(said[i].value));
        assert_int_equal(v.reply.backoff_ms, said[i].backoff_ms);
    }
    visit_close(&v);
}

static void a_date_by_a_clock_gone_astray_is_held_against_nobody(void **state)
{
    (void)state;
    struct visit v = visit_open();
    v.is_astray = true;
    visit_get(&v, "rfc850.f36.test", "/page");
    assert_int_equal(v.reply.backoff_ms, 0);
    visit_get(&v, "far.f36.test", "/page"); /* far by every clock */
    assert_int_equal(v.reply.backoff_ms, 6990);
    visit_get(&v, "busy429.f35.test", "/page");
    assert_int_equal(v.reply.backoff_ms, 6990);
    visit_close(&v);
}

/* The three forms are dates that our own reader understands, on every day of a year. */
static void the_dates_are_dates_on_every_day(void **state)
{
    (void)state;
    struct visit v = visit_open();
    v.wall_ms += 999; /* the second after is meant, never the one before */
    for (int day = 0; day < 366; day++, v.wall_ms += UINT64_C(86400000)) {
        for (size_t i = 0; i < 3; i++) {
            char host[64];
            struct buf b = buf_on(host, sizeof host);
            uint64_t moment_ms;
            buf_printf(&b, "%s.f36.test", said[i].label);
            visit_get(&v, buf_c(&b), "/page");
            assert_rc(http_date_read(visit_header(&v, "Retry-After"), &moment_ms), RC_OK);
            assert_int_equal(moment_ms, v.wall_ms - 999 + 8000);
        }
    }
    visit_close(&v);
}

static void a_sprinkled_host_is_refused_once_and_never_for_robots_txt(void **state)
{
    (void)state;
    struct visit v = visit_open();
    const struct fault *f = fault_named("F35");
    int refused = 0;
    for (v.nth_of_host = 0; v.nth_of_host < 20; v.nth_of_host++) {
        assert_false(visit_ask(&v, f, STR("busy503"), "www.heron7.test", "/robots.txt"));
        assert_false(visit_ask(&v, f, STR("busy503"), "www.heron7.test", "/"));
        refused += visit_ask(&v, f, STR("busy503"), "www.heron7.test", "/garden/x.html");
    }
    assert_int_equal(refused, 1);
    visit_close(&v);
}

static void a_broken_host_stays_broken_and_asks_for_nothing(void **state)
{
    (void)state;
    struct visit v = visit_open();
    for (uint32_t nth = 0; nth < 100; nth += 33) {
        v.nth = nth;
        visit_get(&v, "e500.f37.test", "/page");
        assert_int_equal(v.reply.status, 500);
        v.nth = nth;
        visit_get(&v, "e503.f37.test", "/other");
        assert_int_equal(v.reply.status, 503);
        assert_null(visit_header(&v, "Retry-After").p);
        assert_int_equal(v.reply.backoff_ms, 0);
    }
    visit_close(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_busy_host_says_how_long_and_then_answers),
        cmocka_unit_test(retry_after_comes_in_every_form),
        cmocka_unit_test(a_date_by_a_clock_gone_astray_is_held_against_nobody),
        cmocka_unit_test(the_dates_are_dates_on_every_day),
        cmocka_unit_test(a_sprinkled_host_is_refused_once_and_never_for_robots_txt),
        cmocka_unit_test(a_broken_host_stays_broken_and_asks_for_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
