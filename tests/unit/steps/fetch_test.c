/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/step.h"

extern const struct part part_fetch;

enum { PAGE, ROBOTS, FAILED };

static struct step s;

static void open_fetch(const char *settings)
{
    step_world(&s, settings, 0);
    assert_rc(step_open(&s, &part_fetch), RC_OK);
}

static struct visit *ready_visit(struct step *w, const char *url)
{
    struct visit *v = step_visit(w, url, "");
    assert_rc(address_read(STR("93.184.216.1"), &v->route.addresses[0]), RC_OK);
    v->route.address_count = 1;
    return v;
}

static void give(struct visit *v)
{
    step_give(&s, 0, &v->head);
}

static bool request_has(const char *text)
{
    struct str request = s.http.open[s.http.count - 1]->request;
    return str_find_str(request, str_c(text)) < request.n;
}

static void a_page_is_asked_for_and_its_answer_goes_on(void **state)
{
    (void)state;
    open_fetch("user-agent=tester contact=mailto:a@b.example");
    give(ready_visit(&s, "http://a.test/1?x"));
    const struct http_ask *ask = s.http.open[0];
    assert_str(ask->host, STR("a.test"));
    assert_int_equal(ask->port, 80);
    assert_int_equal(ask->body_bytes, 100 << 20);
    assert_true(request_has("GET /1?x HTTP/1.1\r\n"));
    assert_true(request_has("User-Agent: tester"));
    assert_false(request_has("If-"));
    assert_int_equal(s.ledger->counts.open, 1);
    step_http_ends(&s, step_answer(200, "Content-Type: Text/HTML; charset=x\r\n", "hi"));
    struct visit *v = step_visit_at(&s, PAGE, 0);
    assert_int_equal(v->state, VISIT_ENDED);
    assert_int_equal(v->answer.end.status, 200);
    assert_str(v->answer.mime, STR("Text/HTML"));
    assert_true(v->answer.has_verdict);
    assert_int_equal(v->answer.verdict.next, PACE_DONE);
    assert_int_equal(s.ledger->counts.open, 0);
    step_close(&s);
}

static void what_must_be_asked_again_goes_past_the_steps_that_read(void **state)
{
    (void)state;
    open_fetch("");
    give(ready_visit(&s, "http://a.test/"));
    step_http_ends(&s, step_answer(503, "Retry-After: 120\r\n", ""));
    struct visit *v = step_visit_at(&s, FAILED, 0);
    assert_int_equal(v->answer.verdict.next, PACE_AGAIN);
    assert_true(v->answer.end.has_retry_after);
    assert_int_equal(v->answer.end.retry_after_ms, 120000);
    step_close(&s);
}

static void an_end_without_an_answer_says_why(void **state)
{
    (void)state;
    open_fetch("");
    give(ready_visit(&s, "http://a.test/"));
    step_http_ends(&s, &(struct http_answer){.outcome = HTTP_CLOSED, .why = "reset"});
    struct visit *v = step_visit_at(&s, FAILED, 0);
    assert_null(v->answer.http);
    assert_string_equal(v->why, "reset");
    step_close(&s);
}

/* F3: it needs a permit of its own, which gate takes in the host's next turn. */
static void the_next_address_waits_for_the_next_turn(void **state)
{
    (void)state;
    for (int is_robots = 0; is_robots < 2; is_robots++) {
        open_fetch("delay=2s");
        struct visit *v = ready_visit(&s, "http://a.test/");
        if (is_robots)
            assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
        assert_rc(address_read(STR("93.184.216.2"), &v->route.addresses[1]), RC_OK);
        v->route.address_count = 2;
        give(v);
        assert_int_equal(s.http.open[0]->address_count, 1);
        step_http_ends(&s, &(struct http_answer){.outcome = HTTP_NO_CONNECT, .why = "refused"});
        v = step_visit_at(&s, FAILED, 0);
        assert_int_equal(v->state, VISIT_LATER);
        assert_int_equal(v->route.due_ms, s.clock.now + 2001);
        assert_false(v->answer.has_verdict);
        step_close(&s);
    }
    open_fetch("");
    give(ready_visit(&s, "http://a.test/")); /* there is no other address */
    step_http_ends(&s, &(struct http_answer){.outcome = HTTP_NO_CONNECT, .why = "refused"});
    assert_int_equal(step_visit_at(&s, FAILED, 0)->state, VISIT_ENDED);
    step_close(&s);
}

static void a_robots_txt_goes_to_robots_without_a_verdict(void **state)
{
    (void)state;
    open_fetch("types=text/html");
    struct visit *v = ready_visit(&s, "https://a.test/");
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    give(v);
    assert_true(s.http.open[0]->is_https);
    assert_int_equal(s.http.open[0]->body_bytes, ROBOTS_BODY_MAX + 1);
    assert_null(s.http.open[0]->wants); /* --types is about pages */
    step_http_ends(&s, step_answer(200, "", "User-agent: *\n"));
    assert_false(step_visit_at(&s, ROBOTS, 0)->answer.has_verdict);
    step_close(&s);
}

static void other_types_are_left_where_they_are(void **state)
{
    (void)state;
    static const struct {
        uint16_t status;
        const char *head;
        const char *seed_path;
        bool wants;
    } rows[] = {{200, "Content-Type: text/html\r\n\r\n", "L", true},
                {200, "Content-Type: image/png\r\n\r\n", "L", false},
                {404, "Content-Type: image/png\r\n\r\n", "L", false},
                {301, "Content-Type: image/png\r\n\r\n", "L", true},  /* leads elsewhere */
                {200, "Content-Type: image/png\r\n\r\n", "LP", true}, /* a sitemap */
                {200, "\r\n", "", false}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        open_fetch("types=text/html,text/*");
        struct visit *v = ready_visit(&s, "http://a.test/");
        v->turn.checkout.seed_path = str_c(rows[i].seed_path);
        give(v);
        struct http_ask *ask = s.http.open[0];
        assert_int_equal(ask->wants(ask, rows[i].status, str_c(rows[i].head)), rows[i].wants);
        assert_int_equal(v->answer.has_other_type, !rows[i].wants);
        step_close(&s);
    }
}

static void a_recrawl_asks_with_conditions(void **state)
{
    (void)state;
    open_fetch("");
    struct visit *v = ready_visit(&s, "http://a.test/");
    v->turn.has_history = true;
    v->turn.history = (struct history_entry){.has_digest = true,
                                             .captured_ms = INT64_C(1600000000000),
                                             .etag = STR("\"e\""),
                                             .last_modified = STR("Sun, 06 Nov 1994 08:49:37 GMT")};
    give(v);
    assert_true(request_has("If-None-Match: \"e\"\r\n"));
    assert_true(request_has("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n"));
    step_http_ends(&s, step_answer(304, "", ""));
    assert_false(step_visit_at(&s, PAGE, 0)->answer.end.is_unasked_304);
    step_close(&s);
}

static void a_date_behind_the_capture_says_nothing(void **state)
{
    (void)state;
    open_fetch("");
    struct visit *v = ready_visit(&s, "http://a.test/");
    v->turn.has_history = true;
    v->turn.history = (struct history_entry){.has_digest = true,
                                             .captured_ms = INT64_C(700000000000),
                                             .last_modified = STR("Sun, 06 Nov 1994 08:49:37 GMT")};
    give(v);
    assert_false(request_has("If-"));
    step_http_ends(&s, step_answer(304, "", ""));
    struct visit *asked = step_visit_at(&s, FAILED, 0);
    assert_true(asked->answer.end.is_unasked_304);
    step_close(&s);
}

/* The cluster and other places ----------------------------------------------------------------- */

static void a_host_that_another_agent_has_by_now_is_put_off(void **state)
{
    (void)state;
    open_fetch("");
    s.cluster.refuses = true;
    give(ready_visit(&s, "http://a.test/"));
    assert_int_equal(s.http.started, 0);
    struct visit *v = step_visit_at(&s, FAILED, 0);
    assert_int_equal(v->state, VISIT_LATER);
    assert_int_equal(v->route.due_ms, s.clock.now + 200);
    step_close(&s);
}

static void open_transfers_break_off_when_the_agent_must_not_ask(void **state)
{
    (void)state;
    open_fetch("");
    give(ready_visit(&s, "http://a.test/"));
    give(ready_visit(&s, "http://b.test/"));
    s.cluster.breaker.run(s.cluster.breaker.ctx);
    assert_int_equal(s.http.cancelled, 2);
    assert_int_equal(s.out_count[FAILED], 2);
    assert_int_equal(step_visit_at(&s, FAILED, 1)->state, VISIT_LATER);
    assert_int_equal(s.ledger->counts.open, 0);
    step_close(&s);
}

static void a_copy_from_another_place_waits_for_the_delay_first(void **state)
{
    (void)state;
    open_fetch("delay=2s delay-most=10s");
    s.session = 7;
    struct visit *v = ready_visit(&s, "http://a.test/");
    v->turn.checkout.host = NULL; /* a copy has none, and no question is asked of the cluster */
    s.cluster.refuses = true;
    give(v);
    struct visit *slow = ready_visit(&s, "http://b.test/");
    slow->turn.checkout.host = NULL;
    slow->turn.standing.crawl_delay_ms = 60000;
    give(slow);
    assert_int_equal(s.http.started, 0);
    step_advance(&s, 1999);
    assert_int_equal(s.http.started, 0);
    step_advance(&s, 8001);
    assert_int_equal(s.http.started, 2); /* the longest delay that is kept */
    step_close(&s);
}

static void a_member_without_a_lease_puts_off_what_comes_and_breaks_off_what_is_open(void **state)
{
    (void)state;
    open_fetch("delay=2s delay-most=10s");
    struct visit *copies[3];
    for (unsigned i = 0; i < 3; i++) {
        copies[i] = ready_visit(&s, i == 0   ? "http://a.test/"
                                    : i == 1 ? "http://b.test/"
                                             : "http://c.test/");
        copies[i]->turn.checkout.host = NULL;
        copies[i]->head.is_copy = 1;
    }
    copies[1]->turn.standing.crawl_delay_ms = 7000;
    give(copies[0]);
    give(copies[1]);
    assert_int_equal(s.http.started, 2);
    part_fetch.give_up(&s.part.self); /* the lease is good: nothing happens */
    assert_int_equal(s.http.cancelled, 0);
    s.has_no_lease = true;
    give(copies[2]);
    assert_int_equal(s.http.started, 2);
    assert_int_equal(s.out_count[FAILED], 1);
    part_fetch.give_up(&s.part.self);
    assert_int_equal(s.http.cancelled, 2);
    assert_int_equal(s.out_count[FAILED], 3);
    for (unsigned i = 0; i < 3; i++) {
        const struct visit *v = step_visit_at(&s, FAILED, i);
        assert_int_equal(v->state, VISIT_LATER);
        assert_int_equal(v->route.later_ms, v == copies[1] ? 7000 : 2000);
    }
    step_close(&s);
}

static void what_waits_or_runs_ends_when_it_stops(void **state)
{
    (void)state;
    open_fetch("delay=2s");
    give(ready_visit(&s, "http://a.test/"));
    s.session = 7;
    give(ready_visit(&s, "http://b.test/"));
    assert_int_equal(s.http.started, 1);
    step_stop(&s);
    assert_int_equal(s.ended, 2);
    assert_int_equal(s.http.cancelled, 1);
    assert_null(s.cluster.breaker.run);
    step_close(&s);
}

static void it_asks_without_a_ledger_and_without_a_cluster(void **state)
{
    (void)state;
    step_world(&s, "", 0);
    step_provide(&s, "ledger", NULL);
    step_provide(&s, "cluster", NULL);
    assert_rc(step_open(&s, &part_fetch), RC_OK);
    give(ready_visit(&s, "http://a.test/"));
    step_http_ends(&s, step_answer(200, "", "hello"));
    assert_true(step_visit_at(&s, PAGE, 0)->answer.uncounted_bytes > 5);
    step_close(&s);
}

/* Failures ------------------------------------------------------------------------------------- */

static void a_transfer_that_cannot_begin_ends_the_visit(void **state)
{
    (void)state;
    for (int is_robots = 0; is_robots < 2; is_robots++) {
        open_fetch("");
        s.http.rc = RC_NOMEM;
        struct visit *v = ready_visit(&s, "http://a.test/");
        if (is_robots)
            assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
        give(v);
        assert_int_equal(s.out_count[is_robots ? ROBOTS : FAILED], 1);
        assert_int_equal(v->answer.end.http, HTTP_FAILED);
        assert_string_equal(v->why, "no memory");
        assert_int_equal(s.ledger->counts.open, 0);
        step_close(&s);
    }
}

static void settings_that_no_header_may_hold_are_refused(void **state)
{
    (void)state;
    step_world(&s, "user-agent=a\rb", 0);
    assert_rc(step_open(&s, &part_fetch), RC_INVALID);
    step_close(&s);
    step_world(&s, "types=nonsense", 0);
    assert_rc(step_open(&s, &part_fetch), RC_INVALID);
    assert_true(s.why[0]);
    step_close(&s);
}

#define FITS "<title>Orbs</title><p>The garden spider spins an orb web and waits."
#define MISSES "<title>Trains</title><p>Tickets are sold on the ground floor."
#define PEEK "peek=8k keywords=spider keep-score=0.1"

static void a_page_whose_start_misses_the_topic_is_given_up(void **state)
{
    (void)state;
    static const struct {
        uint16_t status;
        const char *head, *start;
        bool goes_on;
    } rows[] = {{200, "Content-Type: text/html\r\n\r\n", FITS, true},
                {200, "Content-Type: text/html\r\n\r\n", MISSES, false},
                {404, "Content-Type: text/html\r\n\r\n", MISSES, true},
                {200, "Content-Type: image/png\r\n\r\n", "\x89PNG\r\n\x1a\n trains", true},
                {200, "Content-Type: text/html\r\n\r\n", "<script>trains()</script>", true}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        open_fetch(PEEK);
        struct visit *v = ready_visit(&s, "http://a.test/");
        v->turn.checkout.seed_path = STR("L");
        give(v);
        struct http_ask *ask = s.http.open[0];
        assert_int_equal(ask->peek_bytes, 8 << 10);
        bool goes_on =
            ask->peek(ask, rows[i].status, str_c(rows[i].head), str_c(rows[i].start), false);
        assert_int_equal(goes_on, rows[i].goes_on);
        assert_int_equal(v->judged.is_unkept, !rows[i].goes_on);
        assert_true(v->judged.score == (rows[i].goes_on ? -1 : 0));
        step_close(&s);
    }
}

/* Neither a seed, nor a sitemap, nor robots.txt, nor anything without the option. */
static void what_the_crawl_needs_is_not_peeked_at(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *seed_path;
        bool is_robots, is_peeked;
    } rows[] = {{PEEK, "L", false, true},
                {PEEK, "", false, false},
                {PEEK, "LP", false, false},
                {PEEK, "L", true, false},
                {"keywords=spider", "L", false, false}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        open_fetch(rows[i].settings);
        struct visit *v = ready_visit(&s, "http://a.test/");
        v->turn.checkout.seed_path = str_c(rows[i].seed_path);
        if (rows[i].is_robots)
            assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
        give(v);
        assert_int_equal(s.http.open[0]->peek != NULL, rows[i].is_peeked);
        step_close(&s);
    }
}

static void a_look_without_a_topic_is_refused(void **state)
{
    (void)state;
    step_world(&s, "peek=8k", 0);
    assert_rc(step_open(&s, &part_fetch), RC_INVALID);
    assert_true(strstr(s.why, "keywords"));
    step_close(&s);
    step_world(&s, "peek=8k keywords=a^x", 0);
    assert_rc(step_open(&s, &part_fetch), RC_INVALID);
    step_close(&s);
}

static struct visit *given;

static void prepare(struct step *w)
{
    given = ready_visit(w, "http://a.test/");
}

static void run(struct step *w)
{
    step_give(w, 0, &given->head);
    if (w->http.count)
        step_http_ends(w, step_answer(200, "Content-Type: text/html\r\nRetry-After: 5\r\n", "x"));
    assert_int_equal(w->out_count[PAGE] + w->out_count[FAILED], 1);
}

static void whatever_allocation_fails_the_visit_goes_on(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_fetch, .settings = "types=text/html", .prepare = prepare, .run = run});
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_fetch, .settings = PEEK, .prepare = prepare, .run = run});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_asked_for_and_its_answer_goes_on),
        cmocka_unit_test(what_must_be_asked_again_goes_past_the_steps_that_read),
        cmocka_unit_test(an_end_without_an_answer_says_why),
        cmocka_unit_test(the_next_address_waits_for_the_next_turn),
        cmocka_unit_test(a_robots_txt_goes_to_robots_without_a_verdict),
        cmocka_unit_test(other_types_are_left_where_they_are),
        cmocka_unit_test(a_recrawl_asks_with_conditions),
        cmocka_unit_test(a_date_behind_the_capture_says_nothing),
        cmocka_unit_test(a_host_that_another_agent_has_by_now_is_put_off),
        cmocka_unit_test(open_transfers_break_off_when_the_agent_must_not_ask),
        cmocka_unit_test(a_copy_from_another_place_waits_for_the_delay_first),
        cmocka_unit_test(what_waits_or_runs_ends_when_it_stops),
        cmocka_unit_test(it_asks_without_a_ledger_and_without_a_cluster),
        cmocka_unit_test(a_transfer_that_cannot_begin_ends_the_visit),
        cmocka_unit_test(settings_that_no_header_may_hold_are_refused),
        cmocka_unit_test(a_page_whose_start_misses_the_topic_is_given_up),
        cmocka_unit_test(what_the_crawl_needs_is_not_peeked_at),
        cmocka_unit_test(a_look_without_a_topic_is_refused),
        cmocka_unit_test(whatever_allocation_fails_the_visit_goes_on),
        cmocka_unit_test(a_member_without_a_lease_puts_off_what_comes_and_breaks_off_what_is_open),
    };
    return cmocka_run_group_tests_name("fetch", tests, NULL, NULL);
}
