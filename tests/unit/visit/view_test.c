/* SPDX-License-Identifier: Apache-2.0 */
#include "visit/view.h"

#include "lib/test.h"
#include "visit/visit.h"

static const struct http_answer answer = {.status = 404};

static struct visit *page(enum visit_kind kind)
{
    struct visit *v = visit_open(VISIT_PAGE, NULL);
    assert_non_null(v);
    v->kind = kind;
    v->answer.http = &answer;
    v->answer.end.status = 404;
    v->answer.mime = STR("text/html");
    v->parsed.title = STR("a title");
    v->parsed.text = STR("a text");
    return v;
}

static void a_part_sees_what_the_steps_before_it_found(void **state)
{
    (void)state;
    struct visit *v = page(VISIT_PAGE);
    assert_ptr_equal(visit_view(&v->head), v);
    assert_true(visit_is_page(v));
    assert_int_equal(visit_status(v), 404);
    assert_str(visit_mime(v), STR("text/html"));
    assert_str(visit_title(v), STR("a title"));
    assert_str(visit_text(v), STR("a text"));
    message_end(&v->head);
}

static void neither_a_robots_txt_nor_a_visit_without_an_answer_is_a_page(void **state)
{
    (void)state;
    struct visit *robots = page(VISIT_ROBOTS), *none = page(VISIT_PAGE);
    none->answer.http = NULL;
    assert_false(visit_is_page(robots));
    assert_false(visit_is_page(none));
    assert_int_equal(visit_status(none), 0);
    visit_drop(robots, STR("no"));
    visit_drop(none, STR("no"));
    assert_true(!robots->is_dropped && !robots->why);
    assert_true(!none->is_dropped && !none->why);
    message_end(&robots->head);
    message_end(&none->head);
}

static void a_dropped_page_has_no_links(void **state)
{
    (void)state;
    struct visit *v = page(VISIT_PAGE);
    assert_true(visit_refer(v, STR("/a"), HOP_LINK, STR("a/@href")));
    v->judged.unwanted_count = 1;
    visit_drop(v, STR("it is spam"));
    assert_true(v->is_dropped && visit_is_unkept(v));
    assert_string_equal(v->why, "it is spam");
    assert_int_equal(v->parsed.reference_count, 0);
    assert_int_equal(v->judged.unwanted_count, 0);
    message_end(&v->head);
}

static void the_first_reason_counts(void **state)
{
    (void)state;
    struct visit *v = page(VISIT_PAGE);
    visit_drop(v, STR("first"));
    visit_drop(v, STR("second"));
    assert_string_equal(v->why, "first");
    message_end(&v->head);
}

/* A line of crawl.log stays one line, whatever a part says. */
static void a_reason_is_one_short_line(void **state)
{
    (void)state;
    static const struct {
        struct str why;
        const char *text;
    } rows[] = {
        {STR("a\nb\tc\x7f\x1b[2J"), "a?b?c??[2J"},
        {STR("caf\xc3\xa9"), "caf\xc3\xa9"},
        {STR(""), "dropped"},
        {{NULL, 0}, "dropped"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct visit *v = page(VISIT_PAGE);
        visit_drop(v, rows[i].why);
        assert_string_equal(v->why, rows[i].text);
        message_end(&v->head);
    }
    char text[1000];
    struct visit *v = page(VISIT_PAGE);
    memset(text, 'x', sizeof text);
    visit_drop(v, str_make(text, sizeof text));
    assert_int_equal(strlen(v->why), 200);
    message_end(&v->head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_sees_what_the_steps_before_it_found),
        cmocka_unit_test(neither_a_robots_txt_nor_a_visit_without_an_answer_is_a_page),
        cmocka_unit_test(a_dropped_page_has_no_links),
        cmocka_unit_test(the_first_reason_counts),
        cmocka_unit_test(a_reason_is_one_short_line),
    };
    return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
