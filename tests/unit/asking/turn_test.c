/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/turn.h"

#include "host/host_redirect.h"
#include "lib/step.h"

static struct step s;
static struct turn_maker maker;
static const struct host_turn page = {.ask = HOST_ASK_PAGE}, robots = {.ask = HOST_ASK_ROBOTS};

static void open_world(const char *settings, unsigned with)
{
    step_world(&s, settings, with);
    maker =
        (struct turn_maker){.ledger = s.ledger, .budget = s.budget, .cluster = &s.cluster.service};
}

static void close_world(void)
{
    visit_pool_done(&maker.pool);
    step_close(&s);
}

/* A URL of a.test is out. */
static struct checkout checked_out(const char *url)
{
    struct checkout c;
    step_admit(&s, url, "");
    assert_rc(frontier_checkout(ledger_frontier(s.ledger->ledger, 0), 0, s.clock.now, &c), RC_OK);
    return c;
}

static struct visit *visit_for(const struct checkout *c, const struct host_turn *turn)
{
    return turn_visit(&maker, c, step_record(&s, "a.test"), turn, false);
}

static void a_page_and_its_robots_txt_are_asked_for_with_one_checkout(void **state)
{
    (void)state;
    open_world("", 0);
    struct checkout c = checked_out("http://a.test/1?x");
    static const struct {
        const struct host_turn *turn;
        enum visit_kind kind;
        const char *url;
    } rows[] = {{&page, VISIT_PAGE, "http://a.test/1?x"},
                {&robots, VISIT_ROBOTS, "http://a.test/robots.txt"}};
    for (unsigned i = 0; i < 2; i++) {
        struct visit *v = visit_for(&c, rows[i].turn);
        assert_int_equal(v->kind, rows[i].kind);
        assert_int_equal(v->state, VISIT_ON_ITS_WAY);
        assert_str(url_href(&v->turn.url), str_c(rows[i].url));
        assert_str(v->turn.checkout.path, STR("/1?x"));
        assert_ptr_equal(v->turn.record, step_record(&s, "a.test"));
        message_end(&v->head);
    }
    close_world();
}

static void a_robots_txt_that_redirects_is_followed_in_the_next_turn(void **state)
{
    (void)state;
    open_world("", 0);
    struct checkout c = checked_out("http://a.test/1");
    host_redirect_set(step_record(&s, "a.test"), false, 0, STR("http://b.test/r"), 3);
    struct visit *v = visit_for(&c, &robots);
    assert_str(url_href(&v->turn.url), STR("http://b.test/r"));
    assert_int_equal(v->turn.robots_redirects, 3);
    message_end(&v->head);
    v = visit_for(&c, &page);
    assert_str(url_href(&v->turn.url), STR("http://a.test/1"));
    assert_int_equal(v->turn.robots_redirects, 0);
    message_end(&v->head);
    host_redirect_set(step_record(&s, "a.test"), true, 0, STR("http://b.test/r"), 3);
    v = visit_for(&c, &robots); /* it is another origin's */
    assert_str(url_href(&v->turn.url), STR("http://a.test/robots.txt"));
    message_end(&v->head);
    close_world();
}

static void a_host_that_was_given_up_has_its_code(void **state)
{
    (void)state;
    open_world("", 0);
    struct checkout c = checked_out("http://a.test/1");
    struct host_turn never = {.ask = HOST_ASK_NEVER, .code = FETCH_NO_DNS};
    struct visit *v = visit_for(&c, &never);
    assert_int_equal(v->kind, VISIT_PAGE);
    assert_int_equal(v->state, VISIT_REFUSED);
    assert_int_equal(v->code, FETCH_NO_DNS);
    message_end(&v->head);
    close_world();
}

static void no_robots_txt_is_asked_for_where_no_page_follows(void **state)
{
    (void)state;
    open_world("host-pages=3", 0);
    struct checkout c = checked_out("http://a.test/1");
    step_record(&s, "a.test")->pages = 3;
    struct visit *v = visit_for(&c, &robots);
    assert_int_equal(v->kind, VISIT_PAGE);
    assert_int_equal(v->state, VISIT_REFUSED);
    assert_int_equal(v->code, FETCH_QUOTA);
    message_end(&v->head);
    v = visit_for(&c, &page); /* gate asks the budgets of a page */
    assert_int_equal(v->state, VISIT_ON_ITS_WAY);
    message_end(&v->head);
    close_world();
}

static void without_a_record_there_is_no_visit(void **state)
{
    (void)state;
    open_world("", 0);
    struct checkout c = checked_out("http://a.test/1");
    struct host_turn_settings settings = {.robots_fresh_ms = 1};
    struct host_turn turn = turn_next(&c, NULL, &settings, s.clock.now, (int64_t)s.clock.wall);
    assert_int_not_equal(turn.ask, HOST_ASK_LATER);
    assert_null(turn_visit(&maker, &c, NULL, &turn, false));
    close_world();
}

static void the_record_says_what_the_turn_asks_for(void **state)
{
    (void)state;
    open_world("", 0);
    struct checkout c = checked_out("http://a.test:81/1");
    struct host_record *record = step_record(&s, "a.test");
    struct host_turn_settings settings = {.robots_fresh_ms = 1};
    int64_t wall_ms = (int64_t)s.clock.wall;
    assert_int_equal(turn_next(&c, record, &settings, s.clock.now, wall_ms).ask, HOST_ASK_ROBOTS);
    settings.ignore_robots = true;
    assert_int_equal(turn_next(&c, record, &settings, s.clock.now, wall_ms).ask, HOST_ASK_PAGE);
    host_origin_of(record, false, 81, true)->next_ms = s.clock.now + 700;
    assert_int_equal(turn_next(&c, record, &settings, s.clock.now, wall_ms).ask, HOST_ASK_LATER);
    close_world();
}

static void a_host_that_the_cluster_keeps_goes_back(void **state)
{
    (void)state;
    static const struct {
        enum cluster_claim claim;
        uint64_t wait_ms;
    } rows[] = {{CLUSTER_NOT_THIS, 300}, {CLUSTER_NOTHING_NOW, 0}};
    for (unsigned i = 0; i < 2; i++) {
        open_world("", 0);
        struct frontier *frontier = ledger_frontier(s.ledger->ledger, 0);
        struct checkout c = checked_out("http://a.test/1");
        uint64_t host_claim, due_ms = s.clock.now + rows[i].wait_ms;
        s.cluster.claim = rows[i].claim;
        assert_int_equal(turn_claim(&maker, &c, s.clock.now, 300, &host_claim), rows[i].claim);
        assert_int_equal(step_record(&s, "a.test")->wait, HOST_WAIT_CLUSTER);
        assert_int_equal(frontier_counts(frontier).out, 0);
        if (rows[i].wait_ms)
            assert_rc(frontier_checkout(frontier, 0, due_ms - 1, &c), RC_AGAIN);
        assert_rc(frontier_checkout(frontier, 0, due_ms, &c), RC_OK);
        close_world();
    }
}

static void a_host_that_is_claimed_stays_out(void **state)
{
    (void)state;
    open_world("", 0);
    struct checkout c = checked_out("http://a.test/1");
    uint64_t host_claim = 0;
    assert_int_equal(turn_claim(&maker, &c, s.clock.now, 300, &host_claim), CLUSTER_CLAIMED);
    assert_int_equal(host_claim, 1);
    assert_int_equal(frontier_counts(ledger_frontier(s.ledger->ledger, 0)).out, 1);
    close_world();
}

/* Puts what was had of the URL into the history. */
static void remember(const char *url)
{
    struct candidate c = step_candidate(url, "");
    struct history_entry h = {.url = str_c(url), .code = 200, .fetches = 1};
    struct ledger_outcome o = {.fingerprint = c.fingerprint, .history = &h};
    unsigned epoch;
    assert_rc(ledger_record_outcome(s.ledger->ledger, 0, &o, &epoch), RC_OK);
    assert_rc(ledger_turn(s.ledger->ledger, 0), RC_OK);
    assert_rc(ledger_sync(s.ledger->ledger), RC_OK);
}

static void a_recrawl_brings_the_history_of_a_page(void **state)
{
    (void)state;
    static const struct {
        bool recrawls, is_recrawl;
        const struct host_turn *turn;
        bool has_history;
    } rows[] = {{false, false, &page, false},
                {true, false, &page, true},
                {false, true, &page, true},
                {true, true, &robots, false}};
    for (unsigned i = 0; i < 4; i++) {
        open_world("", STEP_HISTORY | STEP_COMPARES);
        struct checkout c = checked_out("http://a.test/1");
        remember("http://a.test/1");
        remember("http://a.test/robots.txt");
        s.ledger->opened.is_recrawl = rows[i].is_recrawl;
        struct visit *v =
            turn_visit(&maker, &c, step_record(&s, "a.test"), rows[i].turn, rows[i].recrawls);
        assert_int_equal(v->turn.has_history, rows[i].has_history);
        assert_true(v->turn.is_compared);
        message_end(&v->head);
        close_world();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_and_its_robots_txt_are_asked_for_with_one_checkout),
        cmocka_unit_test(a_robots_txt_that_redirects_is_followed_in_the_next_turn),
        cmocka_unit_test(a_host_that_was_given_up_has_its_code),
        cmocka_unit_test(no_robots_txt_is_asked_for_where_no_page_follows),
        cmocka_unit_test(without_a_record_there_is_no_visit),
        cmocka_unit_test(the_record_says_what_the_turn_asks_for),
        cmocka_unit_test(a_host_that_the_cluster_keeps_goes_back),
        cmocka_unit_test(a_host_that_is_claimed_stays_out),
        cmocka_unit_test(a_recrawl_brings_the_history_of_a_page),
    };
    return cmocka_run_group_tests_name("turn", tests, NULL, NULL);
}
