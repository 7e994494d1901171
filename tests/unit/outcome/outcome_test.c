/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome/outcome.h"

#include "lib/step.h"

enum { WALL_MS = 1700000000 };

static struct step s;
static struct outcome_shard here;
static struct outcome o;

static void open_world(const char *settings, unsigned with)
{
    step_world(&s, settings, with);
    memset(&here, 0, sizeof here);
    here.ledger = s.ledger;
    here.budget = s.budget;
    here.cluster = &s.cluster.service;
    here.log = s.log;
    here.has_graph = true;
    outcome_shard_init(&here);
    memset(&o, 0xa5, sizeof o); /* whatever stood there */
}

static void close_world(struct message *m)
{
    message_end(m);
    outcome_shard_done(&here);
    assert_null(s.ledger->sent[0]);
    step_close(&s);
}

static struct visit *page(const char *seed_path, uint16_t status, const struct found_link *links,
                          size_t count)
{
    struct visit *v = step_visit(&s, "http://a.test/1", seed_path);
    step_set_rules(v, "", 1);
    (void)step_set_answer(&s, v, status, "", "hello");
    v->judged.links.list = arena_alloc(v->arena, (count + 1) * sizeof *links);
    assert_non_null(v->judged.links.list);
    if (count)
        memcpy(v->judged.links.list, links, count * sizeof *links);
    v->judged.links.count = count;
    return v;
}

static struct ending make(struct visit *v)
{
    struct rng rng;
    rng_init(&rng, 1);
    struct ending e = ending_of_visit(v, s.pace, &rng, s.clock.now);
    assert_rc(outcome_of_visit(&here, v, &e, WALL_MS, &o), RC_OK);
    return e;
}

static void a_page_has_its_history_its_lines_and_its_links_in_one_batch(void **state)
{
    (void)state;
    open_world("", 0);
    struct found_link links[] = {step_link("http://b.test/1", "LL"),
                                 step_link("http://c.test/1", "LL")};
    struct visit *v = page("L", 200, links, 2);
    s.cluster.foreign = links[0].host_hash;
    (void)make(v);
    assert_int_equal(o.batch.fingerprint, v->turn.fingerprint);
    assert_ptr_equal(o.batch.history, &o.history);
    assert_int_equal(o.history.code, 200);
    assert_str(o.history.seed_path, STR("L"));
    assert_true(o.batch.line_count > 0);
    assert_true(o.batch.names.n > 0);
    assert_ptr_equal(o.batch.links, o.fresh.new.list);
    assert_int_equal(o.batch.link_count, 2);
    assert_int_equal(o.batch.foreign_count, 1);
    assert_false(o.has_shorter_path);
    close_world(&v->head);
}

static unsigned expected_links(const char *path)
{
    struct frontier *f = ledger_frontier(s.ledger->ledger, 0);
    struct candidate c = step_candidate("http://a.test/1", "L");
    struct frontier_worth worth;
    assert_true(frontier_worth(f, c.host_hash, c.fingerprint, str_c(path), &worth));
    return worth.forward;
}

static void with_priority_the_links_of_a_page_are_remembered(void **state)
{
    (void)state;
    static const struct {
        uint16_t status, forward, had; /* links and 1 */
    } rows[] = {{200, 3, 0}, {404, 3, 9}, {304, 9, 9}, {301, 0, 0}, {301, 9, 9}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        open_world("", STEP_PRIORITY);
        struct found_link links[] = {step_link("http://b.test/1", "LL"),
                                     step_link("http://c.test/1", "LX"),
                                     step_link("http://c.test/1.png", "LE")};
        links[1].is_wanted = false; /* it is on the page, in scope or not */
        struct visit *v = page("L", rows[i].status, links, 3);
        v->turn.history.forward = rows[i].had;
        (void)make(v);
        assert_int_equal(o.history.forward, rows[i].forward);
        assert_int_equal(expected_links("/2"), rows[i].forward == 3 ? 2 : 0);
        close_world(&v->head);
    }
}

static void in_another_order_the_history_does_not_have_them(void **state)
{
    (void)state;
    open_world("", 0);
    struct found_link links[] = {step_link("http://b.test/1", "LL")};
    struct visit *v = page("L", 200, links, 1);
    (void)make(v);
    assert_int_equal(o.history.forward, 0);
    close_world(&v->head);
}

static void making_an_outcome_journals_nothing(void **state)
{
    (void)state;
    open_world("", 0);
    struct found_link links[] = {step_link("http://b.test/1", "LL")};
    struct visit *v = page("L", 200, links, 1);
    uint64_t before = ledger_outcome_at(s.ledger->ledger, 0);
    (void)make(v);
    assert_int_equal(ledger_outcome_at(s.ledger->ledger, 0), before);
    assert_int_equal(ledger_pending(s.ledger->ledger), 0);
    assert_int_equal(frontier_counts(ledger_frontier(s.ledger->ledger, 0)).out, 1);
    assert_rc(outcome_record(&here, &o), RC_OK);
    assert_int_equal(ledger_pending(s.ledger->ledger), 1);
    assert_int_equal(frontier_counts(ledger_frontier(s.ledger->ledger, 0)).out, 0);
    assert_true(o.fresh.batch != before);
    assert_int_equal(o.fresh.batch, ledger_outcome_at(s.ledger->ledger, 0));
    close_world(&v->head);
}

static void what_is_tried_again_has_no_history(void **state)
{
    (void)state;
    open_world("", STEP_DEPTHS);
    struct visit *v = page("LL", 503, NULL, 0);
    (void)depth_index_found(s.depth_index[0], v->turn.fingerprint, 2, STR("LL"));
    (void)make(v);
    assert_null(o.batch.history);
    assert_false(o.has_shorter_path);
    assert_int_equal(depth_index_found(s.depth_index[0], v->turn.fingerprint, 1, STR("L")),
                     SHORTER_WAITING); /* it is not done */
    close_world(&v->head);
}

static void a_robots_txt_that_came_has_lines_and_its_page_no_history(void **state)
{
    (void)state;
    open_world("", 0);
    struct visit *v = page("L", 200, NULL, 0);
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    struct ending e = make(v);
    assert_true(e.host.is_final);
    assert_int_equal(o.batch.how, CHECKIN_AGAIN);
    assert_true(o.batch.line_count > 0);
    assert_null(o.batch.history);
    close_world(&v->head);
}

static void a_page_with_links_and_a_shorter_path_must_be_judged_again(void **state)
{
    (void)state;
    open_world("", STEP_DEPTHS);
    struct found_link links[] = {step_link("http://b.test/1", "LL")};
    struct visit *v = page("LLL", 200, links, 1);
    (void)depth_index_found(s.depth_index[0], v->turn.fingerprint, 3, STR("LLL"));
    (void)depth_index_found(s.depth_index[0], v->turn.fingerprint, 1, STR("L"));
    (void)make(v);
    assert_true(o.has_shorter_path);
    assert_str(o.page.seed_path, STR("L"));
    assert_str(o.history.seed_path, STR("LLL"));
    close_world(&v->head);
}

static void what_a_host_may_not_bring_is_counted_and_told(void **state)
{
    (void)state;
    open_world("host-url-size=15", 0);
    struct found_link links[] = {step_link("http://b.test/1", "LL"),
                                 step_link("http://c.test/1", "LL")};
    struct visit *v = page("L", 200, links, 2);
    (void)make(v);
    assert_int_equal(o.batch.link_count, 1);
    assert_int_equal(s.ledger->counts.over_limit[BRING_URL_BYTES], 1);
    assert_true(step_has_logged(&s, "host.limit_reached"));
    assert_true(v->turn.record->told_limits != 0);
    close_world(&v->head);
}

/* The batch is made before the visit becomes that of its page. */
static void a_robots_txt_that_ends_its_page_keeps_its_capture(void **state)
{
    (void)state;
    open_world("tries=1 host-failures=100", 0);
    struct visit *v = step_visit(&s, "http://a.test/1", "L");
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    (void)step_set_answer(&s, v, 503, "", "");
    v->stored.is_kept = true;
    v->stored.capture = (struct capture){.target_uri = url_href(&v->turn.url)};
    v->stored.location = (struct warc_location){.bytes = 9, .file = "x.warc.gz"};
    v->stored.location.digest.kind = DIGEST_SHA1;
    (void)make(v);
    assert_ptr_equal(o.batch.capture, &v->stored.capture);
    assert_int_equal(v->kind, VISIT_PAGE);
    assert_int_equal(o.batch.fingerprint, step_candidate("http://a.test/1", "").fingerprint);
    assert_int_equal(o.history.code, FETCH_NO_ROBOTS);
    close_world(&v->head);
}

static void a_redirect_of_robots_txt_checks_nothing_in(void **state)
{
    (void)state;
    open_world("", 0);
    struct visit *v = page("L", 301, NULL, 0);
    assert_rc(visit_name(v, VISIT_ROBOTS_REDIRECT), RC_OK);
    assert_rc(outcome_of_redirect(&here, v, WALL_MS, &o), RC_OK);
    assert_null(o.batch.checkout);
    assert_null(o.batch.location);
    assert_int_equal(o.batch.line_count, 1);
    assert_rc(outcome_record(&here, &o), RC_OK);
    assert_int_equal(frontier_counts(ledger_frontier(s.ledger->ledger, 0)).out, 1);
    v->stored.is_kept = true;
    v->stored.capture = (struct capture){.target_uri = url_href(&v->turn.url)};
    assert_rc(outcome_of_redirect(&here, v, WALL_MS, &o), RC_OK);
    assert_ptr_equal(o.batch.location, &v->stored.location);
    assert_ptr_equal(o.batch.capture, &v->stored.capture);
    close_world(&v->head);
}

/* Lists ---------------------------------------------------------------------------------------- */

static void a_list_has_its_new_links(void **state)
{
    (void)state;
    open_world("", 0);
    step_admit(&s, "http://before.test/", ""); /* its batch is the first */
    const struct step_item items[] = {{"http://b.test/", ""}, {"http://c.test/", ""}};
    struct message *m = step_judged_list(LIST_SEEDS, items, 2);
    assert_rc(outcome_of_list(&here, url_list_of(m), &o), RC_OK);
    assert_int_equal(o.batch.link_count, 2);
    assert_null(o.batch.checkout);
    assert_null(o.batch.history);
    assert_rc(outcome_record(&here, &o), RC_OK);
    assert_int_equal(ledger_pending(s.ledger->ledger), 2);
    assert_true(o.fresh.batch > 0);
    close_world(m);
}

static void a_list_that_says_nothing_new_leaves_no_batch(void **state)
{
    (void)state;
    open_world("", 0);
    step_admit(&s, "http://b.test/1", "L");
    uint64_t before = ledger_outcome_at(s.ledger->ledger, 0);
    const struct step_item items[] = {{"http://b.test/1", "L"}};
    struct message *m = step_judged_list(LIST_REQUEUED, items, 1);
    assert_rc(outcome_of_list(&here, url_list_of(m), &o), RC_OK);
    assert_rc(outcome_record(&here, &o), RC_OK);
    assert_int_equal(ledger_outcome_at(s.ledger->ledger, 0), before);
    assert_int_equal(s.ledger->counts.known, 1);
    close_world(m);
}

static void a_seed_that_is_known_is_still_written_down(void **state)
{
    (void)state;
    open_world("", 0);
    step_admit(&s, "http://b.test/", "");
    uint64_t before = ledger_outcome_at(s.ledger->ledger, 0);
    const struct step_item items[] = {{"http://b.test/", ""}};
    struct message *m = step_judged_list(LIST_SEEDS, items, 1);
    step_set_seed(m, 0);
    assert_rc(outcome_of_list(&here, url_list_of(m), &o), RC_OK);
    assert_int_equal(o.batch.link_count, 0);
    assert_rc(outcome_record(&here, &o), RC_OK);
    assert_true(ledger_outcome_at(s.ledger->ledger, 0) != before);
    close_world(m);
}

static void a_rejudged_page_is_recorded_without_new_links(void **state)
{
    (void)state;
    open_world("", 0);
    step_admit(&s, "http://before.test/", ""); /* its batch is the first */
    uint64_t before = ledger_outcome_at(s.ledger->ledger, 0);
    struct message *m = step_judged_list(LIST_REJUDGED, NULL, 0);
    struct history_entry h = {.url = STR("http://a.test/1"), .seed_path = STR("LLL"), .code = 200};
    step_set_page(m, "http://a.test/1", "L", &h);
    assert_rc(outcome_of_list(&here, url_list_of(m), &o), RC_OK);
    assert_str(o.batch.history->seed_path, STR("L"));
    assert_rc(outcome_record(&here, &o), RC_OK);
    assert_true(ledger_outcome_at(s.ledger->ledger, 0) != before);
    close_world(m);
}

static void other_shards_see_what_this_one_has_sent(void **state)
{
    (void)state;
    open_world("", STEP_DEPTHS);
    assert_ptr_equal(s.ledger->sent[0], &here.sent);
    assert_ptr_equal(here.finder.known.depth_index, s.depth_index[0]);
    close_world(step_list(LIST_SEEDS, NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_has_its_history_its_lines_and_its_links_in_one_batch),
        cmocka_unit_test(with_priority_the_links_of_a_page_are_remembered),
        cmocka_unit_test(in_another_order_the_history_does_not_have_them),
        cmocka_unit_test(making_an_outcome_journals_nothing),
        cmocka_unit_test(what_is_tried_again_has_no_history),
        cmocka_unit_test(a_robots_txt_that_came_has_lines_and_its_page_no_history),
        cmocka_unit_test(a_page_with_links_and_a_shorter_path_must_be_judged_again),
        cmocka_unit_test(what_a_host_may_not_bring_is_counted_and_told),
        cmocka_unit_test(a_robots_txt_that_ends_its_page_keeps_its_capture),
        cmocka_unit_test(a_redirect_of_robots_txt_checks_nothing_in),
        cmocka_unit_test(a_list_has_its_new_links),
        cmocka_unit_test(a_list_that_says_nothing_new_leaves_no_batch),
        cmocka_unit_test(a_seed_that_is_known_is_still_written_down),
        cmocka_unit_test(a_rejudged_page_is_recorded_without_new_links),
        cmocka_unit_test(other_shards_see_what_this_one_has_sent),
    };
    return cmocka_run_group_tests_name("outcome", tests, NULL, NULL);
}
