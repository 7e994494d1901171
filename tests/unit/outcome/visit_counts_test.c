/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome/visit_counts.h"

#include "lib/test.h"

#include <string.h>

static struct crawl_counts counts;
static struct http_answer answer;

static struct visit a_page(void)
{
    memset(&counts, 0, sizeof counts);
    answer = (struct http_answer){.outcome = HTTP_WHOLE, .status = 200};
    struct visit v = {.kind = VISIT_PAGE, .state = VISIT_ENDED};
    v.answer.http = &answer;
    v.answer.end.status = 200;
    v.judged.score = -1;
    return v;
}

static void count(const struct visit *v, int code)
{
    struct ending e = {.host = {.is_final = true, .verdict = {.code = code}}};
    visit_counts_ending(&counts, v, &e);
}

static void statuses_count_by_their_class(void **state)
{
    (void)state;
    static const struct {
        int code;
        unsigned class;
    } rows[] = {{100, 1}, {200, 2}, {301, 3}, {404, 4}, {599, 5}, {600, 0}, {999, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct visit v = a_page();
        count(&v, rows[i].code);
        assert_int_equal(counts.fetched, 1);
        assert_int_equal(counts.by_class[rows[i].class], 1);
        assert_int_equal(counts.failed + counts.refused, 0);
    }
}

static void a_page_without_an_answer_has_failed_or_was_refused(void **state)
{
    (void)state;
    static const struct {
        enum visit_state state;
        int code;
        unsigned failed, refused, robots;
    } rows[] = {
        {VISIT_ENDED, FETCH_TIMEOUT, 1, 0, 0},  {VISIT_ENDED, FETCH_NO_ROBOTS, 1, 0, 0},
        {VISIT_REFUSED, FETCH_ROBOTS, 0, 1, 1}, {VISIT_REFUSED, FETCH_NO_ROBOTS, 0, 1, 1},
        {VISIT_REFUSED, FETCH_QUOTA, 0, 1, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct visit v = a_page();
        v.state = rows[i].state;
        v.answer.http = NULL;
        count(&v, rows[i].code);
        assert_int_equal(counts.fetched, 0);
        assert_int_equal(counts.failed, rows[i].failed);
        assert_int_equal(counts.refused, rows[i].refused);
        assert_int_equal(counts.robots, rows[i].robots);
    }
}

static void a_try_that_will_be_repeated_is_no_result(void **state)
{
    (void)state;
    struct visit v = a_page();
    struct ending e = {.host = {.is_final = false, .verdict = {.code = 503}}};
    visit_counts_ending(&counts, &v, &e);
    assert_int_equal(counts.retried, 1);
    assert_int_equal(counts.fetched, 0);
}

static void a_robots_txt_is_not_counted(void **state)
{
    (void)state;
    struct visit v = a_page();
    v.kind = VISIT_ROBOTS;
    count(&v, 200);
    assert_int_equal(counts.fetched, 0);
    assert_int_equal(counts.retried, 0);
}

static struct visit a_recrawled_page(void)
{
    struct visit v = a_page();
    v.turn.has_history = true;
    v.turn.history.has_digest = true;
    v.stored.is_kept = true;
    v.judged.what_changed = HISTORY_TEXT | HISTORY_STRUCTURE;
    return v;
}

static void what_changed_is_counted(void **state)
{
    (void)state;
    struct visit v = a_recrawled_page();
    v.stored.location.digest = (struct digest){.kind = DIGEST_SHA1, .bytes = {1}};
    assert_int_equal(visit_change(&v), CHANGE_SEEN);
    count(&v, 200);
    assert_int_equal(counts.changed, 1);
    assert_int_equal(counts.unchanged, 0);
    assert_int_equal(counts.changed_text, 1);
    assert_int_equal(counts.changed_structure, 1);
    assert_int_equal(counts.changed_markup, 0);
    v.judged.what_changed = HISTORY_MARKUP;
    count(&v, 200);
    assert_int_equal(counts.changed_markup, 1);
    assert_int_equal(counts.changed_text, 1);
}

static void a_page_that_did_not_change_has_no_kind_of_change(void **state)
{
    (void)state;
    struct visit v = a_recrawled_page();
    v.answer.end.status = answer.status = 304;
    assert_int_equal(visit_change(&v), CHANGE_NONE);
    count(&v, 304);
    assert_int_equal(counts.unchanged, 1);
    assert_int_equal(counts.changed, 0);
    assert_int_equal(counts.changed_text, 0);
}

static void revisits_and_answers_cut_short_are_counted(void **state)
{
    (void)state;
    struct visit v = a_page();
    v.stored.location.is_revisit = true; /* and not kept */
    count(&v, 200);
    assert_int_equal(counts.revisits, 0);
    assert_int_equal(counts.truncated, 0);
    v.stored.is_kept = true;
    answer.outcome = HTTP_TRUNCATED;
    count(&v, 200);
    assert_int_equal(counts.revisits, 1);
    assert_int_equal(counts.truncated, 1);
}

static void what_other_places_found_is_counted(void **state)
{
    (void)state;
    struct visit v = a_page();
    v.parsed.is_page = true;
    v.answer.uncounted_bytes = 77;
    visit_counts_found(&counts, &v);
    assert_int_equal(counts.pages, 1);
    assert_int_equal(counts.bytes, 77);
    assert_int_equal(counts.relevant + counts.irrelevant, 0); /* the crawl has no topic */
}

static void pages_fit_the_topic_or_do_not(void **state)
{
    (void)state;
    static const struct {
        double score;
        bool is_unkept, is_dropped;
        unsigned relevant;
    } rows[] = {
        {0.7, false, false, 1}, {0.7, true, false, 0}, {0.7, false, true, 0}, {0, false, false, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct visit v = a_page();
        v.judged.score = rows[i].score;
        v.judged.is_unkept = rows[i].is_unkept;
        v.is_dropped = rows[i].is_dropped;
        visit_counts_found(&counts, &v);
        assert_int_equal(counts.relevant, rows[i].relevant);
        assert_int_equal(counts.irrelevant, 1 - rows[i].relevant);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_count_by_their_class),
        cmocka_unit_test(a_page_without_an_answer_has_failed_or_was_refused),
        cmocka_unit_test(a_try_that_will_be_repeated_is_no_result),
        cmocka_unit_test(a_robots_txt_is_not_counted),
        cmocka_unit_test(what_changed_is_counted),
        cmocka_unit_test(a_page_that_did_not_change_has_no_kind_of_change),
        cmocka_unit_test(revisits_and_answers_cut_short_are_counted),
        cmocka_unit_test(what_other_places_found_is_counted),
        cmocka_unit_test(pages_fit_the_topic_or_do_not),
    };
    return cmocka_run_group_tests_name("visit_counts", tests, NULL, NULL);
}
