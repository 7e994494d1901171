/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/step.h"

#include "ledger/host_records.h"

extern const struct part part_rejudge;

static struct step s;

static void open_rejudge(const char *settings, unsigned with)
{
    step_world(&s, settings, with);
    assert_rc(step_open(&s, &part_rejudge), RC_OK);
}

/* Sends a page, as admit does. */
static void give_of(struct candidate c, bool is_origin)
{
    const struct candidate *list = &c;
    struct links *l = links_open(&list, 1, STR(""), 0, 0);
    assert_non_null(l);
    l->is_origins = is_origin;
    s.cluster.begun++;
    step_give(&s, 0, &l->head);
}

static void give(struct candidate page)
{
    give_of(page, false);
}

static void the_links_of_a_page_come_back_from_the_archive(void **state)
{
    (void)state;
    open_rejudge("", STEP_HISTORY);
    step_archive_page(&s, "http://a.test/1", "http://b.test/2");
    step_make_durable(&s);
    give(step_candidate("http://a.test/1", "L"));
    assert_int_equal(s.out_count[0], 0);
    step_advance(&s, 300);
    const struct message *m = s.out[0][0];
    assert_int_equal(step_list_count(m), 1);
    assert_str(step_list_url(m, 0), STR("http://b.test/2"));
    assert_int_equal(s.cluster.begun, 1); /* disposition ends it */
    assert_int_equal(s.ended, 1);
    step_close(&s);
}

static void what_is_not_written_yet_is_waited_for(void **state)
{
    (void)state;
    open_rejudge("again=1s", STEP_HISTORY);
    step_archive_page(&s, "http://a.test/1", "http://b.test/2");
    give(step_candidate("http://a.test/1", "L"));
    step_advance(&s, 5000);
    assert_int_equal(s.out_count[0], 0);
    step_make_durable(&s);
    step_advance(&s, 999);
    assert_int_equal(s.out_count[0], 0);
    step_advance(&s, 1);
    assert_int_equal(s.out_count[0], 1);
    step_close(&s);
}

static void what_never_comes_is_given_up(void **state)
{
    (void)state;
    open_rejudge("again=1s", STEP_HISTORY);
    give(step_candidate("http://a.test/1", "L"));
    step_advance(&s, 99000);
    assert_int_equal(s.cluster.begun, 1);
    step_advance(&s, 1000);
    assert_int_equal(s.cluster.begun, 0);
    assert_int_equal(s.out_count[0], 0);
    assert_int_equal(s.ended, 1);
    step_close(&s);
}

static void a_page_whose_links_were_not_kept_is_given_up_at_once(void **state)
{
    (void)state;
    open_rejudge("", STEP_HISTORY);
    struct history_entry h = {.url = STR("http://a.test/1"), .code = 200, .fetches = 1};
    struct ledger_outcome o = {.fingerprint = step_candidate("http://a.test/1", "").fingerprint,
                               .history = &h};
    unsigned epoch;
    assert_rc(ledger_record_outcome(s.ledger->ledger, 0, &o, &epoch), RC_OK);
    step_make_durable(&s);
    give(step_candidate("http://a.test/1", "L"));
    step_advance(&s, 300);
    assert_int_equal(s.cluster.begun, 0);
    assert_true(step_has_logged(&s, "http") || step_has_logged(&s, "a.test"));
    step_close(&s);
}

static void an_agent_that_has_the_page_is_told(void **state)
{
    (void)state;
    for (int knows = 0; knows < 2; knows++) {
        open_rejudge("", STEP_HISTORY);
        struct history_entry h = {.url = STR("http://a.test/1"), .file = STR("@other")};
        struct ledger_outcome o = {.fingerprint = step_candidate("http://a.test/1", "").fingerprint,
                                   .history = &h};
        unsigned epoch;
        assert_rc(ledger_record_outcome(s.ledger->ledger, 0, &o, &epoch), RC_OK);
        step_make_durable(&s);
        s.cluster.forward = knows ? RC_OK : RC_IO;
        give(step_candidate("http://a.test/1", "L"));
        step_advance(&s, 300);
        assert_int_equal(s.cluster.forwarded, 1);
        assert_int_equal(s.cluster.begun, 0);
        assert_int_equal(s.out_count[0], 0);
        step_close(&s);
    }
}

/* An origin: its links are the sitemaps that its robots.txt names. */
static struct candidate origin(void)
{
    return step_candidate("http://a.test/robots.txt", "L");
}

static void an_origin_brings_its_sitemaps(void **state)
{
    (void)state;
    for (int is_listed = 0; is_listed < 2; is_listed++) {
        open_rejudge("", STEP_HISTORY);
        struct robots *rules = NULL;
        step_admit(&s, "http://a.test/1", "L");
        struct host_record *r = step_record(&s, "a.test");
        assert_rc(robots_parse(STR("Sitemap: http://a.test/s.xml\nSitemap: http://a.test/t.xml\n"),
                               STR("orbweaver"), &rules),
                  RC_OK);
        assert_rc(host_record_set_robots(r, false, 0, rules, false, 1), RC_OK);
        r->is_listed = is_listed;
        give_of(origin(), true);
        step_advance(&s, 300);
        assert_int_equal(s.out_count[0], is_listed);
        if (is_listed)
            assert_int_equal(step_list_count(s.out[0][0]), 2);
        assert_int_equal(s.cluster.begun, is_listed);
        step_close(&s);
    }
}

static void what_waits_ends_when_it_stops(void **state)
{
    (void)state;
    open_rejudge("", STEP_HISTORY);
    give(step_candidate("http://a.test/1", "L"));
    give(step_candidate("http://a.test/2", "L"));
    step_stop(&s);
    assert_int_equal(s.ended, 2);
    step_close(&s);
}

static struct links *given;

static void prepare(struct step *w)
{
    struct robots *rules = NULL;
    step_admit(w, "http://a.test/1", "L");
    struct host_record *r = step_record(w, "a.test");
    assert_rc(robots_parse(STR("Sitemap: http://a.test/s.xml\n"), STR("orbweaver"), &rules), RC_OK);
    assert_rc(host_record_set_robots(r, false, 0, rules, false, 1), RC_OK);
    r->is_listed = true;
    struct candidate c = origin();
    const struct candidate *list = &c;
    given = links_open(&list, 1, STR(""), 0, 0);
    assert_non_null(given);
    given->is_origins = true;
    w->cluster.begun = 1;
}

static void run(struct step *w)
{
    step_give(w, 0, &given->head);
    step_advance(w, 300);
    assert_true(w->failed || w->cluster.begun == (int)w->out_count[0]);
}

static void whatever_allocation_fails_the_crawl_does_not_wait_for_ever(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_rejudge, .settings = "", .prepare = prepare, .run = run});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_links_of_a_page_come_back_from_the_archive),
        cmocka_unit_test(what_is_not_written_yet_is_waited_for),
        cmocka_unit_test(what_never_comes_is_given_up),
        cmocka_unit_test(a_page_whose_links_were_not_kept_is_given_up_at_once),
        cmocka_unit_test(an_agent_that_has_the_page_is_told),
        cmocka_unit_test(an_origin_brings_its_sitemaps),
        cmocka_unit_test(what_waits_ends_when_it_stops),
        cmocka_unit_test(whatever_allocation_fails_the_crawl_does_not_wait_for_ever),
    };
    return cmocka_run_group_tests_name("rejudge", tests, NULL, NULL);
}
