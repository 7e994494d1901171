/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/step.h"

extern const struct part part_focus;

static struct step s;

/* A page with a title and a text, as read leaves it. */
static struct visit *page(struct step *w, const char *seed_path, const char *title,
                          const char *text)
{
    struct visit *v = step_visit(w, "http://a.test/", seed_path);
    v->parsed.is_page = true;
    v->parsed.title = str_c(title);
    v->parsed.visible = str_c(text);
    return v;
}

static void refer(struct visit *v, const char *raw, char hop, const char *anchor)
{
    assert_true(visit_refer(v, str_c(raw), hop, STR_NONE));
    v->parsed.references[v->parsed.reference_count - 1].anchor = str_c(anchor);
}

static void open_focus(const char *settings)
{
    step_world(&s, settings, 0);
    assert_rc(step_open(&s, &part_focus), RC_OK);
}

static void without_keywords_everything_passes(void **state)
{
    (void)state;
    open_focus("");
    struct visit *v = page(&s, "L", "nothing", "nothing");
    refer(v, "1", HOP_LINK, "");
    step_give(&s, 0, &v->head);
    assert_true(v->judged.score < 0);
    assert_false(v->judged.is_unkept || v->parsed.references[0].is_unwanted);
    step_close(&s);
}

static void a_page_that_fits_is_kept_and_followed(void **state)
{
    (void)state;
    open_focus("keywords=orb,weaver");
    struct visit *v = page(&s, "L", "orb weaver", "orb weaver spiders");
    refer(v, "1", HOP_LINK, "");
    refer(v, "2.png", HOP_EMBED, "");
    step_give(&s, 0, &v->head);
    assert_true(v->judged.score > 0.5);
    assert_false(v->judged.is_unkept);
    assert_int_equal(v->judged.unwanted_count, 0);
    step_close(&s);
}

static void a_page_that_does_not_fit_is_neither_kept_nor_followed(void **state)
{
    (void)state;
    open_focus("keywords=orb");
    struct visit *v = page(&s, "LR", "soup", "recipes for soup");
    refer(v, "1", HOP_LINK, "");
    refer(v, "2", HOP_LISTED, "");
    refer(v, "3.png", HOP_EMBED, "");
    refer(v, "4", HOP_REDIRECT, "");
    step_give(&s, 0, &v->head);
    assert_true(v->judged.is_unkept);
    assert_true(v->parsed.references[0].is_unwanted && v->parsed.references[1].is_unwanted);
    assert_true(v->parsed.references[2].is_unwanted);
    assert_false(v->parsed.references[3].is_unwanted);
    assert_int_equal(v->judged.unwanted_count, 3);
    step_close(&s);
}

static void a_seed_is_followed_whatever_its_score(void **state)
{
    (void)state;
    static const char *const ways[] = {"", "RR"};
    for (unsigned i = 0; i < 2; i++) {
        open_focus("keywords=orb");
        struct visit *v = page(&s, ways[i], "portal", "links");
        refer(v, "1", HOP_LINK, "");
        step_give(&s, 0, &v->head);
        assert_true(v->judged.is_unkept);
        assert_false(v->parsed.references[0].is_unwanted);
        step_close(&s);
    }
}

static void a_link_that_promises_too_little_is_not_followed(void **state)
{
    (void)state;
    open_focus("keywords=orb link-score=0.45");
    struct visit *v = page(&s, "L", "orb", "orb orb");
    refer(v, "/orb", HOP_LINK, "more of the orb");
    refer(v, "/soup", HOP_LINK, "soup");
    step_give(&s, 0, &v->head);
    assert_false(v->parsed.references[0].is_unwanted);
    assert_true(v->parsed.references[1].is_unwanted);
    step_close(&s);
}

static void what_is_no_page_has_no_score(void **state)
{
    (void)state;
    open_focus("keywords=orb");
    struct visit *v = page(&s, "L", "", "");
    v->parsed.is_page = false;
    refer(v, "1", HOP_LISTED, "");
    step_give(&s, 0, &v->head);
    assert_true(v->judged.score < 0);
    assert_false(v->parsed.references[0].is_unwanted);
    struct visit *robots = step_visit(&s, "http://b.test/", "");
    robots->kind = VISIT_ROBOTS;
    step_give(&s, 0, &robots->head);
    assert_true(robots->judged.score < 0);
    step_close(&s);
}

static void scores_outside_of_0_to_1_are_refused(void **state)
{
    (void)state;
    static const char *const settings[] = {"keep-score=1.5", "follow-score=-1", "link-score=2",
                                           "keywords=^^^,^x"};
    for (unsigned i = 0; i < 4; i++) {
        step_world(&s, settings[i], 0);
        enum rc rc = step_open(&s, &part_focus);
        assert_rc(rc, RC_INVALID);
        assert_true(s.why[0]);
        step_close(&s);
    }
}

static void with_the_order_of_a_topic_each_link_has_its_worth(void **state)
{
    (void)state;
    open_focus("keywords=orb,weaver order=topic");
    struct visit *v = page(&s, "L", "orb weaver", "orb weaver spiders");
    refer(v, "1", HOP_LINK, "orb weavers");
    refer(v, "2", HOP_LINK, "click here");
    refer(v, "orb", HOP_LISTED, "");
    refer(v, "3.png", HOP_EMBED, "");
    step_give(&s, 0, &v->head);
    const struct link_reference *r = v->parsed.references;
    assert_true(r[0].worth > r[2].worth && r[2].worth > r[1].worth && r[1].worth > 200);
    assert_int_equal(r[3].worth, 0);
    assert_int_equal(v->judged.unwanted_count, 0); /* without --link-score none is left out */
    step_close(&s);
    open_focus("keywords=orb order=priority");
    v = page(&s, "L", "orb", "orb");
    refer(v, "1", HOP_LINK, "orb");
    step_give(&s, 0, &v->head);
    assert_int_equal(v->parsed.references[0].worth, 0);
    step_close(&s);
}

static void the_order_of_a_topic_needs_keywords(void **state)
{
    (void)state;
    step_world(&s, "order=topic", 0);
    assert_rc(step_open(&s, &part_focus), RC_INVALID);
    assert_non_null(strstr(s.why, "--keywords"));
    step_close(&s);
}

static struct visit *given;

static void prepare(struct step *w)
{
    given = page(w, "L", "orb", "orb");
    refer(given, "1", HOP_LINK, "orb");
}

static void run(struct step *w)
{
    step_give(w, 0, &given->head);
    assert_int_equal(w->out_count[0], 1);
}

static void whatever_allocation_fails_the_visit_goes_on(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){.part = &part_focus,
                                                    .settings = "keywords=orb,web link-score=0.5",
                                                    .prepare = prepare,
                                                    .run = run});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_keywords_everything_passes),
        cmocka_unit_test(a_page_that_fits_is_kept_and_followed),
        cmocka_unit_test(a_page_that_does_not_fit_is_neither_kept_nor_followed),
        cmocka_unit_test(a_seed_is_followed_whatever_its_score),
        cmocka_unit_test(a_link_that_promises_too_little_is_not_followed),
        cmocka_unit_test(what_is_no_page_has_no_score),
        cmocka_unit_test(scores_outside_of_0_to_1_are_refused),
        cmocka_unit_test(with_the_order_of_a_topic_each_link_has_its_worth),
        cmocka_unit_test(the_order_of_a_topic_needs_keywords),
        cmocka_unit_test(whatever_allocation_fails_the_visit_goes_on),
    };
    return cmocka_run_group_tests_name("focus", tests, NULL, NULL);
}
