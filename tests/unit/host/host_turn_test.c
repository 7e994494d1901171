/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_turn.h"
#include "host/pace.h"
#include "lib/test.h"

enum { NOW_MS = 50000, HOUR_MS = 3600 * 1000, LONG_AGO_MS = 7 };

static const struct host_turn_settings usual = {.robots_fresh_ms = 24 * (uint64_t)HOUR_MS,
                                                .robots_again_ms = 5 * 60 * 1000};

static struct host_request request(struct host_record *c, const char *path)
{
    return (struct host_request){.record = c, .path = str_c(path), .has_several_origins = true};
}

static struct host_turn turn(struct host_record *c, const char *path, uint32_t queued)
{
    struct host_request r = request(c, path);
    return host_turn_next(&r, queued, &usual, NOW_MS, LONG_AGO_MS);
}

static struct host_record *with_rules(int64_t wall_ms)
{
    struct host_record *c = host_record_open();
    assert_non_null(c);
    assert_rc(host_record_set_robots(c, false, 0, robots_allow_all(), false, wall_ms), RC_OK);
    return c;
}

static struct host_origin *origin_of(struct host_record *c)
{
    struct host_origin *o = host_origin_of(c, false, 0, true);
    assert_non_null(o);
    return o;
}

static void a_stranger_is_asked_for_its_robots_txt_first(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    assert_int_equal(turn(c, "/a", 1).ask, HOST_ASK_ROBOTS);
    host_record_close(c);
    c = with_rules(LONG_AGO_MS);
    assert_int_equal(turn(c, "/a", 1).ask, HOST_ASK_PAGE);
    host_record_close(c);
}

static void what_was_given_up_is_never_asked(void **state)
{
    (void)state;
    struct host_record *c = host_record_open();
    c->dead_code = FETCH_NO_DNS; /* not even for its robots.txt */
    assert_int_equal(turn(c, "/a", 1).ask, HOST_ASK_NEVER);
    assert_int_equal(turn(c, "/a", 1).code, FETCH_NO_DNS);
    c->dead_code = 0;
    origin_of(c)->dead_code = FETCH_NO_CONNECT;
    assert_int_equal(turn(c, "/a", 1).code, FETCH_NO_CONNECT);
    struct host_request other = request(c, "/a");
    other.is_https = true;
    assert_int_equal(host_dead_code(&other), 0);
    assert_int_equal(host_turn_next(&other, 1, &usual, NOW_MS, LONG_AGO_MS).ask, HOST_ASK_ROBOTS);
    c->dead_code = FETCH_RETRIES; /* the host's own comes first */
    assert_int_equal(turn(c, "/a", 1).code, FETCH_RETRIES);
    host_record_close(c);
}

/* Of three URLs each is put back once, at no cost; then the host waits for the origin. */
static void a_queue_goes_round_once_before_its_host_waits(void **state)
{
    (void)state;
    struct host_record *c = with_rules(LONG_AGO_MS);
    origin_of(c)->next_ms = NOW_MS + 900;
    for (int i = 0; i < 3; i++) {
        struct host_turn t = turn(c, "/a", 3);
        assert_true(t.ask == HOST_ASK_LATER && t.due_ms == NOW_MS);
    }
    struct host_turn t = turn(c, "/a", 3);
    assert_true(t.ask == HOST_ASK_LATER && t.due_ms == NOW_MS + 900);
    assert_int_equal(c->put_back, 0);
    origin_of(c)->next_ms = NOW_MS; /* its moment has come */
    assert_int_equal(turn(c, "/a", 3).ask, HOST_ASK_PAGE);
    host_record_close(c);
}

static void a_url_of_another_origin_begins_the_count_anew(void **state)
{
    (void)state;
    struct host_record *c = with_rules(LONG_AGO_MS);
    struct host_request well = request(c, "/w");
    well.port = 8080;
    origin_of(c)->next_ms = NOW_MS + 900;
    assert_int_equal(turn(c, "/a", 2).ask, HOST_ASK_LATER);
    assert_int_equal(c->put_back, 1);
    assert_int_equal(host_turn_next(&well, 2, &usual, NOW_MS, LONG_AGO_MS).ask, HOST_ASK_ROBOTS);
    assert_int_equal(c->put_back, 0);
    host_record_close(c);
}

static void one_url_of_an_origin_is_on_trial(void **state)
{
    (void)state;
    struct host_record *c = with_rules(LONG_AGO_MS);
    origin_of(c)->trial = host_trial(STR("/trial"));
    assert_int_equal(turn(c, "/trial", 2).ask, HOST_ASK_PAGE);
    assert_int_equal(turn(c, "/other", 2).ask, HOST_ASK_LATER);
    assert_int_equal(turn(c, "/other", 2).ask, HOST_ASK_LATER);
    assert_int_equal(turn(c, "/other", 2).ask, HOST_ASK_PAGE); /* the trial is not in the queue */
    assert_int_equal(origin_of(c)->trial, 0);
    origin_of(c)->trial = host_trial(STR("/trial"));
    origin_of(c)->dead_code = FETCH_RETRIES; /* nothing to wait for */
    assert_int_equal(turn(c, "/other", 2).ask, HOST_ASK_NEVER);
    host_record_close(c);
}

static void a_trial_is_never_none(void **state)
{
    (void)state;
    assert_true(host_trial(STR("")) != 0 && host_trial(STR("/a")) != host_trial(STR("/b")));
    assert_true(host_trial(STR("/a")) & 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stranger_is_asked_for_its_robots_txt_first),
        cmocka_unit_test(what_was_given_up_is_never_asked),
        cmocka_unit_test(a_queue_goes_round_once_before_its_host_waits),
        cmocka_unit_test(a_url_of_another_origin_begins_the_count_anew),
        cmocka_unit_test(one_url_of_an_origin_is_on_trial),
        cmocka_unit_test(a_trial_is_never_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
