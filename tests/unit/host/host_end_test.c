/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_end.h"
#include "lib/test.h"

#include "base/mem.h"

enum { NOW_MS = 90000, WALL_S = 1700000000 };

static const struct pace_settings usual = {
    .delay_ms = 1000,
    .delay_most_ms = 30 * 1000,
    .backoff_ms = 5 * 1000,
    .backoff_most_ms = 900 * 1000,
    .retry_after_most_ms = 24 * 3600 * 1000,
    .tries = 4,
    .host_failures = 12,
};

static struct host_request open_request(bool has_several_origins)
{
    struct host_request r = {.record = host_record_open(),
                             .path = STR("/a"),
                             .has_several_origins = has_several_origins};
    assert_non_null(r.record);
    return r;
}

static void set_rules(const struct host_request *r, const char *body)
{
    struct robots *rules;
    assert_rc(robots_parse(str_c(body), STR("orbweaver"), &rules), RC_OK);
    assert_rc(host_record_set_robots(r->record, r->is_https, r->port, rules, false, 1), RC_OK);
}

/* A request ends so, and the record says so. */
static struct host_ending end_with(const struct host_request *r, enum http_outcome http,
                                   uint16_t status)
{
    struct rng rng;
    struct host_standing s = host_standing(r);
    struct host_outcome o = {.end = {.http = http, .status = status},
                             .has_answer = status > 0,
                             .answer_bytes = status > 0 ? 10 : 0};
    rng_init(&rng, 1);
    o.verdict = host_judge(&s, &o.end, r->is_elsewhere, &usual, &rng);
    struct host_ending e = host_end(r, &o);
    host_end_keep(r, &o, &e, NOW_MS);
    return e;
}

static void an_answer_becomes_an_end(void **state)
{
    (void)state;
    struct http_answer busy = {.outcome = HTTP_WHOLE, .status = 503};
    struct http_answer same = {.outcome = HTTP_WHOLE, .status = 304};
    int64_t wall_ms = INT64_C(1000) * WALL_S;
    struct pace_end e = host_end_of_answer(&busy, STR("7"), false, wall_ms);
    assert_true(e.dns == DNS_FOUND && e.http == HTTP_WHOLE && e.status == 503);
    assert_true(e.has_retry_after && e.retry_after_ms == 7000 && !e.is_unasked_304);
    e = host_end_of_answer(&busy, STR("99999999"), false, wall_ms);
    assert_int_equal(e.retry_after_ms, PACE_MOST_WAIT_MS);
    assert_false(host_end_of_answer(&busy, STR("soon"), false, wall_ms).has_retry_after);
    assert_false(host_end_of_answer(&busy, STR_NONE, false, wall_ms).has_retry_after);
    assert_true(host_end_of_answer(&same, STR_NONE, false, wall_ms).is_unasked_304);
    assert_false(host_end_of_answer(&same, STR_NONE, true, wall_ms).is_unasked_304);
}

static void a_name_elsewhere_says_nothing_of_the_host(void **state)
{
    (void)state;
    assert_int_equal(host_end_of_name(DNS_NO_NAME, false).dns, DNS_NO_NAME);
    struct pace_end e = host_end_of_name(DNS_NO_NAME, true);
    assert_true(e.dns == DNS_FOUND && e.http == HTTP_NO_CONNECT);
}

static void a_host_that_was_had_is_no_stranger(void **state)
{
    (void)state;
    struct host_request r = open_request(false), several = r;
    several.has_several_origins = true;
    assert_true(host_standing(&r).is_stranger);
    r.record->pages = 1; /* of the host, so perhaps of another origin */
    assert_false(host_standing(&r).is_stranger);
    assert_true(host_standing(&several).is_stranger);
    assert_rc(host_record_set_robots(r.record, false, 0, NULL, true, 5), RC_OK);
    assert_true(host_standing(&several).is_stranger); /* asked for, and not had */
    assert_int_equal(host_standing(&r).crawl_delay_ms, 0);
    set_rules(&r, "User-agent: *\nCrawl-delay: 4\n");
    assert_false(host_standing(&several).is_stranger);
    assert_int_equal(host_standing(&r).crawl_delay_ms, 4000);
    set_rules(&r, "");
    assert_int_equal(host_standing(&r).crawl_delay_ms, 0);
    host_record_close(r.record);
}

static void a_page_is_counted_and_the_host_waits_for_the_delay(void **state)
{
    (void)state;
    struct host_request r = open_request(false);
    r.record->failures = 3;
    r.record->tries = 2;
    struct host_ending e = end_with(&r, HTTP_WHOLE, 200);
    assert_true(e.how == HOST_RETURN_DONE && e.is_final && e.is_taken && !e.origin);
    assert_true(r.record->pages == 1 && r.record->bytes == 10);
    assert_true(r.record->failures == 0 && r.record->tries == 0 && r.record->dead_code == 0);
    assert_int_equal(host_end_due_ms(&e, &usual, NOW_MS), NOW_MS + 1001);
    host_record_close(r.record);
}

static void a_failure_is_tried_again_and_is_no_page(void **state)
{
    (void)state;
    struct host_request r = open_request(false);
    struct host_ending e = end_with(&r, HTTP_WHOLE, 503);
    assert_true(e.how == HOST_RETURN_AGAIN && !e.is_final && !e.is_taken);
    assert_true(r.record->failures == 1 && r.record->tries == 1 && r.record->pages == 0);
    assert_true(host_end_due_ms(&e, &usual, NOW_MS) > NOW_MS + 5000);
    end_with(&r, HTTP_WHOLE, 503);
    end_with(&r, HTTP_WHOLE, 503);
    e = end_with(&r, HTTP_WHOLE, 503); /* the last answer is the page's */
    assert_true(e.how == HOST_RETURN_DONE && e.is_final && e.is_taken);
    assert_true(r.record->pages == 1 && r.record->failures == 4 && r.record->tries == 0);
    host_record_close(r.record);
}

static void a_host_that_was_never_there_is_given_up(void **state)
{
    (void)state;
    struct host_request r = open_request(false);
    for (int i = 0; i < 3; i++)
        assert_int_equal(end_with(&r, HTTP_NO_CONNECT, 0).how, HOST_RETURN_AGAIN);
    assert_int_equal(r.record->dead_code, 0);
    assert_int_equal(end_with(&r, HTTP_NO_CONNECT, 0).how, HOST_RETURN_DONE);
    assert_int_equal(r.record->dead_code, FETCH_NO_CONNECT);
    assert_int_equal(r.record->origin_count, 0);
    host_record_close(r.record);
}

static void one_of_several_origins_fails_alone(void **state)
{
    (void)state;
    static const enum http_outcome silent[] = {HTTP_NO_CONNECT, HTTP_NO_TLS, HTTP_TIMEOUT,
                                               HTTP_CLOSED};
    for (size_t i = 0; i < 4; i++) {
        struct host_request r = open_request(true);
        r.record->tries = 2;
        struct host_ending e = end_with(&r, silent[i], 0);
        assert_non_null(e.origin);
        assert_true(e.how == (silent[i] == HTTP_NO_TLS ? HOST_RETURN_DONE : HOST_RETURN_LAST));
        assert_true(r.record->failures == 0 && r.record->tries == 0);
        assert_true(e.origin->failures == 1 && e.origin->next_ms >= NOW_MS + 1000);
        assert_int_equal(e.origin->trial, silent[i] == HTTP_NO_TLS ? 0 : host_trial(STR("/a")));
        assert_int_equal(host_end_due_ms(&e, &usual, NOW_MS), NOW_MS + 1001);
        host_record_close(r.record);
    }
}

static void the_crawl_delay_holds_also_when_an_origin_fails(void **state)
{
    (void)state;
    struct host_request r = open_request(true);
    set_rules(&r, "User-agent: *\nCrawl-delay: 4\n");
    struct host_ending e = end_with(&r, HTTP_TIMEOUT, 0);
    assert_non_null(e.origin);
    assert_int_equal(host_end_due_ms(&e, &usual, NOW_MS), NOW_MS + 4001);
    host_record_close(r.record);
}

static void assert_wait(const struct host_record *c, enum host_wait why, const char *text)
{
    char room[200];
    struct buf out = buf_on(room, sizeof room);
    assert_int_equal(c->wait, why);
    host_wait_print(c->wait, c->wait_code, &out);
    assert_str(buf_str(&out), str_c(text));
}

static void the_record_says_why_the_host_waits(void **state)
{
    (void)state;
    struct host_request r = open_request(false);
    assert_wait(r.record, HOST_WAIT_UNKNOWN, "");
    end_with(&r, HTTP_WHOLE, 200);
    assert_wait(r.record, HOST_WAIT_DELAY, "the delay between two requests, --delay");
    end_with(&r, HTTP_WHOLE, 503);
    assert_wait(r.record, HOST_WAIT_BACKOFF, "back-off after 503 Service Unavailable");
    set_rules(&r, "User-agent: *\nCrawl-delay: 4\n");
    end_with(&r, HTTP_WHOLE, 200);
    assert_wait(r.record, HOST_WAIT_CRAWL_DELAY,
                "the Crawl-delay of its robots.txt, at most pace.delay-most");
    struct host_standing standing = host_standing(&r);
    struct host_outcome o = {.end = {.dns = DNS_FOUND,
                                     .http = HTTP_WHOLE,
                                     .status = 429,
                                     .has_retry_after = true,
                                     .retry_after_ms = 60000},
                             .has_answer = true};
    struct rng rng;
    rng_init(&rng, 1);
    o.verdict = host_judge(&standing, &o.end, false, &usual, &rng);
    struct host_ending e = host_end(&r, &o);
    host_end_keep(&r, &o, &e, NOW_MS);
    assert_wait(r.record, HOST_WAIT_RETRY_AFTER,
                "the Retry-After, at most pace.retry-after-most, of 429 Too Many Requests");
    assert_string_equal(host_wait_key(r.record->wait), "retry-after");
    host_record_close(r.record);
}

/* The end of an answer of the engine, and the record says so. */
static struct host_ending end_as(const struct host_request *r, const struct http_answer *a)
{
    struct rng rng;
    struct host_standing s = host_standing(r);
    struct host_outcome o = {.end = host_end_of_answer(a, STR_NONE, false, 0),
                             .has_answer = a->status > 0};
    rng_init(&rng, 1);
    o.verdict = host_judge(&s, &o.end, r->is_elsewhere, &usual, &rng);
    struct host_ending e = host_end(r, &o);
    host_end_keep(r, &o, &e, NOW_MS);
    return e;
}

/* Also in TLS, which would else be the fault of the origin, and the last failure of the host. */
static void a_refused_version_is_asked_again_in_the_next_turn(void **state)
{
    (void)state;
    static const struct http_answer refusals[] = {
        {.outcome = HTTP_WHOLE, .status = 505, .offer = HTTP_OFFER_POSSIBLE},
        {.outcome = HTTP_NO_TLS, .no_protocol = true, .offer = HTTP_OFFER_POSSIBLE}};
    static const struct http_answer good = {
        .outcome = HTTP_WHOLE, .status = 200, .offer = HTTP_OFFER_MADE, .is_h2 = true};
    for (int i = 0; i < 4; i++) {
        struct host_request r = open_request(i >= 2);
        r.record->failures = 11;
        struct host_ending e = end_as(&r, &refusals[i % 2]);
        assert_true(e.how == HOST_RETURN_AGAIN && !e.origin && !e.is_final && !e.is_taken);
        assert_true(r.record->failures == 11 && r.record->tries == 1 && !r.record->dead_code);
        assert_int_equal(host_end_due_ms(&e, &usual, NOW_MS), NOW_MS + 1001);
        assert_int_equal(r.record->wait, HOST_WAIT_DELAY);
        assert_int_equal(host_standing(&r).http, HOST_HTTP_TRIAL);
        e = end_as(&r, &good);
        assert_true(e.how == HOST_RETURN_DONE && e.is_taken && r.record->pages == 1);
        assert_int_equal(r.record->http, HOST_HTTP_2);
        host_record_close(r.record);
    }
}

static void a_version_that_is_no_better_leaves_the_first_result(void **state)
{
    (void)state;
    struct http_answer refusal = {
        .outcome = HTTP_WHOLE, .status = 505, .offer = HTTP_OFFER_POSSIBLE};
    struct http_answer broken = {.outcome = HTTP_NOT_HTTP, .offer = HTTP_OFFER_MADE};
    struct host_request r = open_request(true);
    assert_int_equal(end_as(&r, &refusal).how, HOST_RETURN_AGAIN);
    struct host_ending e = end_as(&r, &broken);
    assert_true(e.how == HOST_RETURN_AGAIN && !e.origin && r.record->failures == 0);
    assert_int_equal(r.record->http, HOST_HTTP_1_1_ONLY);
    e = end_as(&r, &refusal);
    assert_true(e.how == HOST_RETURN_DONE && e.verdict.code == 505 && e.is_taken);
    struct host_outcome unasked = {.is_refused = true, .end.http_version = {.is_refusal = true}};
    r.record->http = HOST_HTTP_1_1;
    unasked.end.http_version.offer = HTTP_OFFER_POSSIBLE;
    e = host_end(&r, &unasked);
    host_end_keep(&r, &unasked, &e, NOW_MS);
    assert_int_equal(r.record->http, HOST_HTTP_1_1);
    host_record_close(r.record);
}

/* F5: it is a failed try like any other, and HTTP/2 stays remembered. */
static void http_2_that_breaks_off_is_tried_again(void **state)
{
    (void)state;
    static const struct http_answer refusal = {
        .outcome = HTTP_WHOLE, .status = 505, .offer = HTTP_OFFER_POSSIBLE};
    static const struct http_answer closed = {.outcome = HTTP_CLOSED, .offer = HTTP_OFFER_MADE};
    struct host_request r = open_request(false);
    (void)end_as(&r, &refusal);
    for (uint32_t tries = 2; tries < 4; tries++) {
        struct host_ending e = end_as(&r, &closed);
        assert_true(e.how == HOST_RETURN_AGAIN && r.record->failures == tries - 1);
        assert_int_equal(r.record->tries, tries);
        assert_int_equal(r.record->wait, HOST_WAIT_BACKOFF);
        assert_int_equal(r.record->http, HOST_HTTP_TRIAL);
    }
    struct host_ending e = end_as(&r, &closed);
    assert_true(e.how == HOST_RETURN_DONE && e.verdict.code == FETCH_RETRIES);
    assert_int_equal(r.record->http, HOST_HTTP_TRIAL);
    host_record_close(r.record);
}

static void an_origin_is_given_up_and_its_host_is_not(void **state)
{
    (void)state;
    struct host_request r = open_request(true), other = r;
    for (int i = 0; i < 4; i++)
        end_with(&r, HTTP_NO_CONNECT, 0);
    assert_int_equal(host_dead_code(&r), FETCH_NO_CONNECT);
    other.port = 8080;
    assert_int_equal(host_dead_code(&other), 0);
    assert_int_equal(r.record->dead_code, 0);
    host_record_close(r.record);
}

/* Each URL has its own tries; failures are the origin's. */
static void tries_belong_to_the_url_on_trial(void **state)
{
    (void)state;
    struct host_request r = open_request(true), other = r;
    other.path = STR("/b");
    end_with(&r, HTTP_TIMEOUT, 0);
    end_with(&r, HTTP_TIMEOUT, 0);
    struct host_standing s = host_standing(&r);
    assert_true(s.tries == 2 && s.origin_failures == 2 && s.has_several_origins);
    s = host_standing(&other);
    assert_true(s.tries == 0 && s.origin_failures == 2);
    end_with(&r, HTTP_WHOLE, 200); /* and an answer makes all of it forgotten */
    s = host_standing(&r);
    assert_true(s.tries == 0 && s.origin_failures == 0);
    assert_int_equal(host_origin_of(r.record, false, 0, false)->next_ms, 0);
    host_record_close(r.record);
}

/* Silence of an origin and 503 take turns, while the host's other origin answers. */
static void tries_have_an_end_whatever_the_other_urls_do(void **state)
{
    (void)state;
    struct host_request r = open_request(true), other = r;
    other.path = STR("/b");
    other.port = 8080;
    set_rules(&r, "");
    set_rules(&other, "");
    assert_int_equal(end_with(&r, HTTP_TIMEOUT, 0).how, HOST_RETURN_LAST);
    assert_int_equal(end_with(&other, HTTP_WHOLE, 200).how, HOST_RETURN_DONE);
    assert_int_equal(end_with(&r, HTTP_WHOLE, 503).how, HOST_RETURN_AGAIN);
    assert_int_equal(end_with(&other, HTTP_WHOLE, 503).how, HOST_RETURN_AGAIN);
    assert_int_equal(end_with(&r, HTTP_TIMEOUT, 0).how, HOST_RETURN_LAST);
    assert_int_equal(host_standing(&other).tries, 1);
    assert_int_equal(end_with(&other, HTTP_WHOLE, 200).how, HOST_RETURN_DONE);
    struct host_ending e = end_with(&r, HTTP_WHOLE, 503); /* the fourth */
    assert_true(e.how == HOST_RETURN_DONE && e.verdict.code == 503);
    assert_int_equal(host_standing(&r).tries, 0);
    host_record_close(r.record);
}

static void a_robots_txt_that_is_had_leaves_the_tries_of_its_url(void **state)
{
    (void)state;
    struct host_request r = open_request(false), robots = r;
    robots.is_robots = true;
    set_rules(&r, "");
    for (int i = 0; i < 3; i++) { /* its rules grow too old during each wait */
        assert_int_equal(end_with(&r, HTTP_WHOLE, 503).how, HOST_RETURN_AGAIN);
        assert_int_equal(end_with(&robots, HTTP_WHOLE, 200).how, HOST_RETURN_AGAIN);
    }
    assert_int_equal(end_with(&r, HTTP_WHOLE, 503).how, HOST_RETURN_DONE);
    host_record_close(r.record);
}

static void tries_of_a_robots_txt_end_with_its_url(void **state)
{
    (void)state;
    struct host_request r = open_request(false), robots = r;
    robots.is_robots = true;
    set_rules(&r, "");
    end_with(&robots, HTTP_WHOLE, 503);
    assert_int_equal(host_standing(&robots).tries, 1);
    assert_int_equal(end_with(&r, HTTP_WHOLE, 200).how, HOST_RETURN_DONE);
    assert_int_equal(host_standing(&robots).tries, 0);
    host_record_close(r.record);
}

static void past_so_many_origins_the_host_is_at_fault(void **state)
{
    (void)state;
    struct host_request r = open_request(true);
    for (uint16_t i = 0; i < HOST_RECORD_MAX_ORIGINS; i++)
        assert_non_null(host_origin_of(r.record, false, (uint16_t)(i + 1), true));
    assert_false(host_standing(&r).has_several_origins);
    struct host_ending e = end_with(&r, HTTP_TIMEOUT, 0);
    assert_null(e.origin);
    assert_true(e.how == HOST_RETURN_AGAIN && r.record->failures == 1 && r.record->tries == 1);
    r.port = 3; /* one of those that are known */
    assert_true(host_standing(&r).has_several_origins);
    host_record_close(r.record);
}

static void what_is_not_the_connection_is_not_the_origins_fault(void **state)
{
    (void)state;
    struct host_request r = open_request(true);
    assert_null(end_with(&r, HTTP_WHOLE, 503).origin);
    assert_null(end_with(&r, HTTP_NOT_HTTP, 0).origin);
    assert_null(end_with(&r, HTTP_FAILED, 0).origin);
    assert_null(end_with(&r, HTTP_REFUSED_ADDRESS, 0).origin);
    r.is_robots = r.is_elsewhere = true;
    assert_null(end_with(&r, HTTP_TIMEOUT, 0).origin);
    assert_int_equal(r.record->origin_count, 0);
    struct host_outcome o = {.end = {.dns = DNS_FAILED, .http = HTTP_NO_CONNECT},
                             .verdict = {.next = PACE_AGAIN}};
    r.is_elsewhere = false;
    assert_null(host_end(&r, &o).origin);
    host_record_close(r.record);
}

static void a_refusal_costs_nothing(void **state)
{
    (void)state;
    struct host_request r = open_request(true);
    struct host_outcome o = {.is_refused = true, .code = FETCH_ROBOTS};
    o.end.http = HTTP_TIMEOUT; /* of an earlier request, perhaps */
    r.record->failures = 5;
    r.record->tries = 3;
    struct host_ending e = host_end(&r, &o);
    assert_true(e.how == HOST_RETURN_DONE && e.verdict.code == FETCH_ROBOTS && e.is_final);
    assert_true(!e.is_taken && !e.origin);
    assert_int_equal(host_end_due_ms(&e, &usual, NOW_MS), NOW_MS);
    host_end_keep(&r, &o, &e, NOW_MS);
    assert_true(r.record->failures == 5 && r.record->tries == 0);
    host_record_close(r.record);
}

static void a_robots_txt_that_was_had_leaves_the_url_at_the_head(void **state)
{
    (void)state;
    struct host_request r = open_request(false);
    r.is_robots = true;
    set_rules(&r, "");
    struct host_ending e = end_with(&r, HTTP_WHOLE, 200);
    assert_true(e.how == HOST_RETURN_AGAIN && e.is_final && !e.is_taken);
    assert_int_equal(r.record->pages, 0);
    for (int i = 0; i < 4; i++) /* also behind its last try, for there are rules */
        e = end_with(&r, HTTP_WHOLE, 503);
    assert_true(e.how == HOST_RETURN_AGAIN && e.is_final && e.verdict.code == 503);
    for (int i = 0; i < 8; i++)
        e = end_with(&r, HTTP_WHOLE, 503);
    assert_true(e.how == HOST_RETURN_DONE && r.record->dead_code == FETCH_NO_ROBOTS);
    host_record_close(r.record);
}

static void without_rules_the_last_try_of_robots_txt_ends_the_url(void **state)
{
    (void)state;
    static const struct {
        enum http_outcome http;
        uint16_t status;
        bool is_elsewhere;
        int code;
    } rows[] = {{HTTP_WHOLE, 503, false, FETCH_NO_ROBOTS},
                {HTTP_TIMEOUT, 0, false, FETCH_NO_ROBOTS},
                {HTTP_NO_CONNECT, 0, false, FETCH_NO_CONNECT},
                {HTTP_NO_CONNECT, 0, true, FETCH_NO_ROBOTS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host_request r = open_request(false);
        r.is_robots = true;
        r.is_elsewhere = rows[i].is_elsewhere;
        for (int k = 0; k < 3; k++)
            assert_int_equal(end_with(&r, rows[i].http, rows[i].status).how, HOST_RETURN_AGAIN);
        struct host_ending e = end_with(&r, rows[i].http, rows[i].status);
        assert_true(e.how == HOST_RETURN_DONE && !e.is_taken && !e.is_well);
        assert_int_equal(e.verdict.code, rows[i].code);
        host_record_close(r.record);
    }
}

static void what_answers_elsewhere_does_not_make_the_origin_well(void **state)
{
    (void)state;
    struct host_request r = open_request(true);
    end_with(&r, HTTP_TIMEOUT, 0);
    r.is_robots = r.is_elsewhere = true;
    set_rules(&r, "");
    assert_false(end_with(&r, HTTP_WHOLE, 200).is_well);
    assert_int_equal(host_standing(&r).origin_failures, 1);
    r.is_elsewhere = false;
    assert_true(end_with(&r, HTTP_WHOLE, 200).is_well);
    assert_int_equal(host_standing(&r).origin_failures, 0);
    host_record_close(r.record);
}

static void without_memory_for_an_origin_the_host_is_at_fault(void **state)
{
    (void)state;
    struct host_request r = open_request(true);
    mem_fault_at(1);
    struct host_ending e = end_with(&r, HTTP_TIMEOUT, 0);
    mem_fault_at(0);
    assert_true(!e.origin && e.how == HOST_RETURN_AGAIN && r.record->failures == 1);
    host_record_close(r.record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_becomes_an_end),
        cmocka_unit_test(a_name_elsewhere_says_nothing_of_the_host),
        cmocka_unit_test(a_host_that_was_had_is_no_stranger),
        cmocka_unit_test(a_page_is_counted_and_the_host_waits_for_the_delay),
        cmocka_unit_test(a_failure_is_tried_again_and_is_no_page),
        cmocka_unit_test(a_host_that_was_never_there_is_given_up),
        cmocka_unit_test(one_of_several_origins_fails_alone),
        cmocka_unit_test(the_crawl_delay_holds_also_when_an_origin_fails),
        cmocka_unit_test(the_record_says_why_the_host_waits),
        cmocka_unit_test(a_refused_version_is_asked_again_in_the_next_turn),
        cmocka_unit_test(a_version_that_is_no_better_leaves_the_first_result),
        cmocka_unit_test(http_2_that_breaks_off_is_tried_again),
        cmocka_unit_test(an_origin_is_given_up_and_its_host_is_not),
        cmocka_unit_test(tries_belong_to_the_url_on_trial),
        cmocka_unit_test(tries_have_an_end_whatever_the_other_urls_do),
        cmocka_unit_test(a_robots_txt_that_is_had_leaves_the_tries_of_its_url),
        cmocka_unit_test(tries_of_a_robots_txt_end_with_its_url),
        cmocka_unit_test(past_so_many_origins_the_host_is_at_fault),
        cmocka_unit_test(what_is_not_the_connection_is_not_the_origins_fault),
        cmocka_unit_test(a_refusal_costs_nothing),
        cmocka_unit_test(a_robots_txt_that_was_had_leaves_the_url_at_the_head),
        cmocka_unit_test(without_rules_the_last_try_of_robots_txt_ends_the_url),
        cmocka_unit_test(what_answers_elsewhere_does_not_make_the_origin_well),
        cmocka_unit_test(without_memory_for_an_origin_the_host_is_at_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
