/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/depth_recall.h"
#include "lib/step.h"

#include <stdio.h>

extern const struct part part_requeue;

static struct step s;

/* Puts a page into the history, as an earlier run left it. */
static void remember(struct step *w, const char *url, const char *seed_path)
{
    struct candidate c = step_candidate(url, seed_path);
    struct history_entry h = {
        .url = str_c(url), .seed_path = c.seed_path, .code = 200, .fetches = 1, .via = 7};
    struct ledger_outcome o = {.fingerprint = c.fingerprint, .history = &h};
    unsigned epoch;
    assert_rc(ledger_record_outcome(w->ledger->ledger, 0, &o, &epoch), RC_OK);
}

static void make_durable(struct step *w)
{
    assert_rc(ledger_turn(w->ledger->ledger, 0), RC_OK);
    assert_rc(ledger_sync(w->ledger->ledger), RC_OK);
}

static void without_a_recrawl_there_is_nothing_to_bring(void **state)
{
    (void)state;
    step_world(&s, "", STEP_HISTORY);
    remember(&s, "http://a.test/1", "L");
    make_durable(&s);
    assert_rc(step_open(&s, &part_requeue), RC_OK);
    assert_int_equal(step_produce(&s), PRODUCED_IDLE);
    assert_int_equal(s.out_count[0] + (unsigned)s.cluster.begun + s.cluster.requeued, 0);
    step_close(&s);
}

static void a_recrawl_brings_everything_that_was_asked_for(void **state)
{
    (void)state;
    step_world(&s, "", STEP_HISTORY);
    remember(&s, "http://a.test/1", "L");
    remember(&s, "http://b.test/2", "");
    make_durable(&s);
    s.ledger->opened.needs_requeue = true;
    assert_rc(step_open(&s, &part_requeue), RC_OK);
    assert_int_equal(s.cluster.begun, 1); /* the crawl must not look done before the first list */
    assert_int_equal(step_produce(&s), PRODUCED_IDLE);
    const struct message *m = s.out[0][0];
    assert_int_equal(step_list_count(m), 2);
    for (size_t i = 0; i < 2; i++) {
        bool is_first = str_eq(step_list_url(m, i), STR("http://a.test/1"));
        assert_true(is_first || str_eq(step_list_url(m, i), STR("http://b.test/2")));
        assert_str(step_list_seed_path(m, i), is_first ? STR("L") : STR(""));
    }
    assert_int_equal(s.cluster.requeued, 1);
    assert_int_equal(s.cluster.begun, 1); /* the list */
    assert_int_equal(step_produce(&s), PRODUCED_IDLE);
    assert_int_equal(s.cluster.requeued, 1);
    step_close(&s);
}

static void many_pages_come_in_several_lists(void **state)
{
    (void)state;
    static char urls[250][40];
    step_world(&s, "", STEP_HISTORY);
    for (unsigned i = 0; i < 250; i++) {
        (void)snprintf(urls[i], sizeof urls[i], "http://a.test/%u", i);
        remember(&s, urls[i], "L");
    }
    make_durable(&s);
    s.ledger->opened.needs_requeue = true;
    assert_rc(step_open(&s, &part_requeue), RC_OK);
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    assert_int_equal(s.cluster.requeued, 0);
    assert_int_equal(step_produce(&s), PRODUCED_IDLE);
    assert_int_equal(step_list_count(s.out[0][0]) + step_list_count(s.out[0][1]), 250);
    step_close(&s);
}

static void urls_with_a_shorter_path_found_too_late_are_brought(void **state)
{
    (void)state;
    step_world(&s, "", 0);
    found_again_put(&s.ledger->found_again,
                    &(struct found_again){STR("http://a.test/1"), STR("LR"), 9});
    assert_rc(step_open(&s, &part_requeue), RC_OK);
    (void)step_produce(&s);
    const struct message *m = s.out[0][0];
    assert_int_equal(step_list_count(m), 1);
    assert_str(step_list_seed_path(m, 0), STR("LR"));
    (void)step_produce(&s);
    assert_int_equal(s.out_count[0], 1);
    assert_int_equal(s.cluster.requeued, 0);
    step_close(&s);
}

static void run(struct step *w)
{
    (void)step_produce(w);
    (void)step_produce(w);
    if (!w->failed)
        assert_int_equal(step_list_count(w->out[0][0]), 1);
}

static void open_with_page(struct step *w)
{
    found_again_put(&w->ledger->found_again,
                    &(struct found_again){STR("http://a.test/1"), STR("L"), 9});
    w->part.part->close(&w->part.self);
    w->part.is_open = false;
    assert_rc(w->part.part->open(&w->part.self, NULL), RC_OK);
    w->part.is_open = true;
}

static void whatever_allocation_fails_the_list_comes_or_the_crawl_says_so(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_requeue, .settings = "", .prepare = open_with_page, .run = run});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_recrawl_there_is_nothing_to_bring),
        cmocka_unit_test(a_recrawl_brings_everything_that_was_asked_for),
        cmocka_unit_test(many_pages_come_in_several_lists),
        cmocka_unit_test(urls_with_a_shorter_path_found_too_late_are_brought),
        cmocka_unit_test(whatever_allocation_fails_the_list_comes_or_the_crawl_says_so),
    };
    return cmocka_run_group_tests_name("requeue", tests, NULL, NULL);
}
