/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "base/rng.h"
#include "wire/reply.h"

#include <time.h>

static void sends_that_follow_each_other_are_one_step(void **state)
{
    (void)state;
    struct reply r;
    reply_init(&r);
    reply_send(&r, STR("a"));
    reply_sendf(&r, "%d", 12);
    size_t begun = reply_begin(&r);
    buf_add(&r.bytes, STR("xyz"));
    reply_end(&r, begun);
    reply_send(&r, STR(""));
    assert_int_equal(r.step_count, 1);
    assert_int_equal(r.steps[0].kind, STEP_SEND);
    assert_int_equal(r.steps[0].bytes, 6);
    assert_str(buf_str(&r.bytes), STR("a12xyz"));
    reply_done(&r);
}

static void steps_stand_in_their_order_with_their_bytes(void **state)
{
    (void)state;
    struct reply r;
    reply_init(&r);
    reply_send(&r, STR("head"));
    reply_drip(&r, STR("drip"), 1, 50);
    reply_drip(&r, STR("s"), 1, 50);
    reply_drip(&r, STR("!"), 1, 60);
    reply_wait(&r, 10);
    reply_wait(&r, 5);
    reply_repeat(&r, STR("ab"), 7);
    reply_repeat(&r, STR("ab"), 7);
    reply_reset(&r);
    const struct step expected[] = {
        {.kind = STEP_SEND, .bytes = 4},
        {.kind = STEP_DRIP, .bytes = 5, .chunk = 1, .ms = 50},
        {.kind = STEP_DRIP, .bytes = 1, .chunk = 1, .ms = 60},
        {.kind = STEP_WAIT, .ms = 15},
        {.kind = STEP_REPEAT, .bytes = 2, .times = 7},
        {.kind = STEP_REPEAT, .bytes = 2, .times = 7},
        {.kind = STEP_RESET},
    };
    assert_int_equal(r.step_count, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < r.step_count; i++) {
        assert_int_equal(r.steps[i].kind, expected[i].kind);
        assert_int_equal(r.steps[i].bytes, expected[i].bytes);
        assert_int_equal(r.steps[i].chunk, expected[i].chunk);
        assert_int_equal(r.steps[i].times, expected[i].times);
        assert_int_equal(r.steps[i].ms, expected[i].ms);
    }
    assert_str(buf_str(&r.bytes), STR("headdrips!abab"));
    reply_done(&r);
}

static void nothing_to_drip_or_repeat_or_wait_for_is_no_step(void **state)
{
    (void)state;
    struct reply r;
    reply_init(&r);
    reply_drip(&r, STR(""), 1, 1);
    reply_repeat(&r, STR(""), 0);
    reply_wait(&r, 0);
    assert_int_equal(r.step_count, 0);
    reply_drip(&r, STR("x"), 0, 1);
    assert_int_equal(r.steps[0].chunk, 1);
    reply_done(&r);
}

static void too_many_steps_stick_as_a_failure(void **state)
{
    (void)state;
    struct reply r;
    reply_init(&r);
    for (int i = 0; i < REPLY_MAX_STEPS; i++)
        reply_close(&r);
    assert_rc(buf_rc(&r.bytes), RC_OK);
    reply_hold(&r);
    assert_rc(buf_rc(&r.bytes), RC_LIMIT);
    assert_int_equal(r.step_count, REPLY_MAX_STEPS);
    reply_clear(&r);
    assert_rc(buf_rc(&r.bytes), RC_OK);
    assert_int_equal(r.step_count, 0);
    reply_done(&r);
}

static void a_page_says_its_length_and_whether_the_connection_ends(void **state)
{
    (void)state;
    struct reply r;
    reply_init(&r);
    reply_page(&r, 404, "text/plain", STR("X: y\r\n"), STR("gone"));
    assert_str(buf_str(&r.bytes), STR("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n"
                                      "Content-Length: 4\r\nX: y\r\n\r\ngone"));
    assert_int_equal(r.status, 404);
    reply_clear(&r);
    r.keep_alive = false;
    reply_page(&r, 299, NULL, STR_NONE, STR(""));
    assert_str(buf_str(&r.bytes),
               STR("HTTP/1.1 299 Unknown\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
    assert_int_equal(r.status, 299);
    reply_clear(&r);
    assert_true(r.keep_alive);
    assert_int_equal(r.status, 0);
    reply_done(&r);
}

/* Dates ------------------------------------------------------------------------------------- */

struct date_row {
    const char *text;
    uint64_t wall_s; /* UINT64_MAX: refused */
};

static void an_answer_to_head_is_a_page_without_its_body(void **state)
{
    (void)state;
    struct reply r;
    reply_init(&r);
    reply_page(&r, 404, "text/plain", STR_NONE, STR("nothing"));
    reply_drop_body(&r, 7);
    assert_str(buf_str(&r.bytes), STR("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n"
                                      "Content-Length: 7\r\n\r\n"));
    assert_int_equal(r.steps[0].bytes, r.bytes.n);
    reply_done(&r);
}

static void dates_in_all_three_forms_are_read(void **state)
{
    (void)state;
    static const struct date_row rows[] = {
        {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
        {"Sunday, 06-Nov-94 08:49:37 GMT", 784111777},
        {"Sun Nov  6 08:49:37 1994", 784111777},
        {"Wed Nov 16 08:49:37 1994", 784975777},
        {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
        {"Tue, 29 Feb 2000 23:59:59 GMT", 951868799},
        {"Fri, 29 Feb 2096 00:00:00 GMT", 3981312000},
        {"Fri, 31 Dec 9999 23:59:59 GMT", 253402300799},
        {"Monday, 16-Nov-26 10:00:00 GMT", 1794823200},
        {"Sun, 29 Feb 2100 00:00:00 GMT", UINT64_MAX},
        {"Sun, 31 Apr 2025 00:00:00 GMT", UINT64_MAX},
        {"Sun, 00 Apr 2025 00:00:00 GMT", UINT64_MAX},
        {"Sun, 06 Nov 1994 24:00:00 GMT", UINT64_MAX},
        {"Sun, 06 Nov 1994 08:60:00 GMT", UINT64_MAX},
        {"Sun, 06 Nov 1994 08:49:37 UTC", UINT64_MAX},
        {"Sun, 06 Nov 1994 08:49:37 GMT ", UINT64_MAX},
        {"Sun, 06 Nov 1994 08:49:37", UINT64_MAX},
        {"Sun, 6 Nov 1994 08:49:37 GMT", UINT64_MAX},
        {"Sun, 06 nov 1994 08:49:37 GMT", UINT64_MAX},
        {"Sun, 06 Nov 1969 08:49:37 GMT", UINT64_MAX},
        {"Sunday Nov  6 08:49:37 1994", UINT64_MAX},
        {"Sonntag, 06-Nov-94 08:49:37 GMT", UINT64_MAX},
        {"120", UINT64_MAX},
        {"", UINT64_MAX},
    };
    struct score s = {.set = "simweb/dates"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t got = UINT64_MAX;
        enum rc rc = http_date_read(str_c(rows[i].text), &got);
        bool refused = rc == RC_INVALID && rows[i].wall_s == UINT64_MAX;
        bool read = rc == RC_OK && got == rows[i].wall_s * 1000;
        score_row(&s, refused || read, "%s: %s %llu", rows[i].text, rc_text(rc),
                  (unsigned long long)got);
    }
    score_end(&s, 24);
}

static void what_is_written_is_what_the_c_library_writes_and_is_read_again(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, test_seed(7));
    for (int i = 0; i < 20000; i++) {
        uint64_t wall_s = rng_below(&rng, 253402300800), back = 0;
        time_t t = (time_t)wall_s;
        struct tm parts;
        char expected[64], room[64];
        struct buf b = buf_on(room, sizeof room);
        assert_non_null(gmtime_r(&t, &parts));
        assert_true(strftime(expected, sizeof expected, "%a, %d %b %Y %H:%M:%S GMT", &parts) > 0);
        buf_http_date(&b, wall_s * 1000 + rng_below(&rng, 1000));
        assert_str(buf_str(&b), str_c(expected));
        assert_rc(http_date_read(buf_str(&b), &back), RC_OK);
        assert_int_equal(back, wall_s * 1000);
    }
}

static enum rc write_a_reply(void *ctx)
{
    (void)ctx;
    struct reply r;
    reply_init(&r);
    reply_page(&r, 200, "text/plain", STR_NONE, STR("some text that needs memory, a little of it"));
    reply_repeat(&r, STR("0123456789012345678901234567890123456789012345678901234567890123"), 3);
    enum rc rc = buf_rc(&r.bytes);
    reply_done(&r);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(write_a_reply, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sends_that_follow_each_other_are_one_step),
        cmocka_unit_test(steps_stand_in_their_order_with_their_bytes),
        cmocka_unit_test(nothing_to_drip_or_repeat_or_wait_for_is_no_step),
        cmocka_unit_test(too_many_steps_stick_as_a_failure),
        cmocka_unit_test(a_page_says_its_length_and_whether_the_connection_ends),
        cmocka_unit_test(an_answer_to_head_is_a_page_without_its_body),
        cmocka_unit_test(dates_in_all_three_forms_are_read),
        cmocka_unit_test(what_is_written_is_what_the_c_library_writes_and_is_read_again),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
