/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/step.h"

#include "html/page.h"

extern const struct part part_compare, part_read;

static struct step s;

/* A page that read has read, of a crawl that compares. */
static struct visit *page(struct step *w, const char *url, const char *body)
{
    struct visit *v = step_visit(w, url, "L");
    (void)step_set_answer(w, v, 200, "Content-Type: text/html\r\n", body);
    struct page_reader *reader;
    struct page p;
    struct page_options o = {.parts = PAGE_TEXT | PAGE_TAGS, .agent = STR("orbweaver")};
    assert_rc(page_reader_open(&reader), RC_OK);
    assert_rc(page_read(reader, &o, v->answer.http->body, v->arena, &p), RC_OK);
    v->parsed.is_page = true;
    v->parsed.tags = p.tags;
    v->parsed.tag_count = p.tag_count;
    v->parsed.visible = arena_dup(v->arena, p.text);
    page_reader_close(reader);
    return v;
}

static void open_compare(void)
{
    step_world(&s, "", STEP_COMPARES);
    assert_rc(step_open(&s, &part_compare), RC_OK);
}

#define LONG_TEXT                                                                               \
    "the orb weaver builds a wheel of silk each night and eats it in the morning so that none " \
    "of the protein is lost while the frame threads stay where they are for the next evening"

static struct str codes_of_page(struct step *w, const char *url, const char *body)
{
    struct visit *v = page(w, url, body);
    step_give(w, 0, &v->head);
    assert_true(v->judged.codes.n > 0);
    assert_int_equal(v->judged.what_changed, 0); /* nothing is known from before */
    return v->judged.codes;
}

static unsigned change_from(struct step *w, struct str codes, const char *url, const char *body)
{
    struct visit *v = page(w, url, body);
    v->turn.has_history = true;
    v->turn.history.codes = codes;
    step_give(w, 0, &v->head);
    return v->judged.what_changed;
}

static void it_says_what_changed(void **state)
{
    (void)state;
    open_compare();
    struct str old = codes_of_page(&s, "http://a.test/", "<p>" LONG_TEXT "</p>");
    assert_int_equal(change_from(&s, old, "http://b.test/", "<p id=x>" LONG_TEXT "</p>"),
                     HISTORY_MARKUP);
    assert_int_equal(
        change_from(&s, old, "http://c.test/",
                    "<p>quite other words stand here now, about soup, bread, butter and "
                    "everything else that a kitchen may have in the winter</p>") &
            HISTORY_TEXT,
        HISTORY_TEXT);
    assert_int_equal(change_from(&s, old, "http://d.test/",
                                 "<div><ul><li>a<li>b<li>c<li>d</ul><table><tr><td>" LONG_TEXT
                                 "</table><h1>x</h1></div>") &
                         HISTORY_STRUCTURE,
                     HISTORY_STRUCTURE);
    step_close(&s);
}

static void codes_that_cannot_be_read_say_nothing(void **state)
{
    (void)state;
    open_compare();
    assert_int_equal(change_from(&s, STR("junk"), "http://a.test/", "<p>" LONG_TEXT "</p>"), 0);
    step_close(&s);
}

static void what_is_not_compared_has_no_codes(void **state)
{
    (void)state;
    open_compare();
    for (int i = 0; i < 5; i++) {
        static const char *const urls[] = {"http://a.test/", "http://b.test/", "http://c.test/",
                                           "http://d.test/", "http://e.test/"};
        struct visit *v = page(&s, urls[i], "<p>" LONG_TEXT "</p>");
        struct http_answer cut = *v->answer.http;
        cut.outcome = HTTP_TRUNCATED;
        if (i == 0)
            v->turn.is_compared = false;
        else if (i == 1)
            v->kind = VISIT_ROBOTS;
        else if (i == 2)
            v->parsed.is_page = false;
        else if (i == 3)
            v->parsed.tags = NULL;
        else
            v->answer.http = &cut;
        step_give(&s, 0, &v->head);
        assert_int_equal(s.out_count[0], i + 1);
        assert_null(v->judged.codes.p);
    }
    step_close(&s);
}

static struct visit *given;

static void prepare(struct step *w)
{
    given = page(w, "http://a.test/", "<p>" LONG_TEXT "</p>");
}

static void run(struct step *w)
{
    step_give(w, 0, &given->head);
    assert_int_equal(w->out_count[0], 1);
}

static void whatever_allocation_fails_the_visit_goes_on(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){.part = &part_compare,
                                                    .settings = "",
                                                    .with = STEP_COMPARES,
                                                    .prepare = prepare,
                                                    .run = run});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_what_changed),
        cmocka_unit_test(codes_that_cannot_be_read_say_nothing),
        cmocka_unit_test(what_is_not_compared_has_no_codes),
        cmocka_unit_test(whatever_allocation_fails_the_visit_goes_on),
    };
    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
