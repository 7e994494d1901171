/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/step.h"

extern const struct part part_make_urls, part_judge_links;

static struct step s;

static void refer(struct visit *v, const char *raw, char hop, bool is_unwanted)
{
    assert_true(visit_refer(v, str_c(raw), hop, STR("a/@href")));
    v->parsed.references[v->parsed.reference_count - 1].is_unwanted = is_unwanted;
    v->judged.unwanted_count += is_unwanted;
}

/* A page with references of every kind. */
static struct visit *page(struct step *w)
{
    struct visit *v = step_visit(w, "http://a.test/dir/page", "L");
    v->parsed.base = STR("/base/");
    v->parsed.charset = "windows-1252";
    refer(v, "one#x", HOP_LINK, true);
    refer(v, "two?q=\xc3\xa4", HOP_LINK, false);
    refer(v, "/base/two?q=%E4", HOP_EMBED, false);
    refer(v, "http://b.test/", HOP_LINK, true);
    refer(v, "mailto:x@a.test", HOP_LINK, false);
    refer(v, "http://\xc3\xbc.test/", HOP_REDIRECT, false);
    refer(v, "one", HOP_LINK, false);
    return v;
}

static void open_step(const char *settings, const struct part *part)
{
    step_world(&s, settings, 0);
    assert_rc(step_open(&s, part), RC_OK);
}

static void references_become_urls_that_are_wanted_first(void **state)
{
    (void)state;
    static const char *const made[] = {"http://a.test/base/two?q=%E4", "http://xn--tda.test/",
                                       "http://a.test/base/one", "http://b.test/"};
    static const char hops[] = {HOP_LINK, HOP_REDIRECT, HOP_LINK, HOP_LINK};
    open_step("", &part_make_urls);
    struct visit *v = page(&s);
    step_give(&s, 0, &v->head);
    assert_true(v->parsed.has_urls);
    assert_int_equal(v->parsed.reference_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_str(v->parsed.references[i].raw, str_c(made[i]));
        assert_str(v->parsed.references[i].context, STR("a/@href"));
        assert_int_equal(v->parsed.references[i].hop, hops[i]);
        assert_int_equal(v->parsed.references[i].is_unwanted, i == 3);
    }
    assert_int_equal(v->judged.unwanted_count, 1);
    assert_null(v->parsed.base.p);
    assert_int_equal(s.out_count[0], 1);
    step_close(&s);
}

static void an_archive_without_links_needs_no_contexts(void **state)
{
    (void)state;
    open_step("archive-only=yes", &part_make_urls);
    struct visit *v = page(&s);
    step_give(&s, 0, &v->head);
    assert_null(v->parsed.references[0].context.p);
    step_close(&s);
}

static void the_rules_of_the_crawl_count(void **state)
{
    (void)state;
    open_step("normalise=default,-fragment", &part_make_urls);
    struct visit *v = step_visit(&s, "http://a.test/", "");
    refer(v, "x#y", HOP_LINK, false);
    step_give(&s, 0, &v->head);
    assert_str(v->parsed.references[0].raw, STR("http://a.test/x#y"));
    step_close(&s);
    step_init(&s, "normalise=default,nonsense"); /* a scope would refuse it, too */
    assert_rc(step_open(&s, &part_make_urls), RC_INVALID);
    step_close(&s);
}

static void what_refers_to_nothing_or_has_urls_passes(void **state)
{
    (void)state;
    open_step("", &part_make_urls);
    struct visit *v = step_visit(&s, "http://a.test/", "");
    step_give(&s, 0, &v->head);
    assert_false(v->parsed.has_urls);
    message_end(step_take(&s, 0));
    v = step_visit(&s, "http://b.test/2", "");
    refer(v, "as it is", HOP_LINK, false);
    v->parsed.has_urls = true;
    step_give(&s, 0, &v->head);
    assert_str(v->parsed.references[0].raw, STR("as it is"));
    step_close(&s);
}

/* judge-links finds the same links whichever step made the URLs; other rules are not believed. */
static void judge_links_finds_the_same(void **state)
{
    (void)state;
    static const char *const rules[] = {"", "normalise=none"};
    for (size_t r = 0; r < 2; r++) {
        struct step alone;
        struct visit *v, *with;
        step_world(&alone, "scope=any", 0);
        assert_rc(step_open(&alone, &part_judge_links), RC_OK);
        v = page(&alone);
        step_give(&alone, 0, &v->head);

        struct visit *made;
        open_step(rules[r], &part_make_urls);
        made = page(&s);
        step_give(&s, 0, &made->head);

        struct step behind;
        step_world(&behind, "scope=any", 0);
        assert_rc(step_open(&behind, &part_judge_links), RC_OK);
        with = step_visit(&behind, "http://a.test/dir/page", "L");
        with->parsed = made->parsed;
        with->judged.unwanted_count = made->judged.unwanted_count;
        step_give(&behind, 0, &with->head);
        assert_int_equal(with->judged.links.count, v->judged.links.count);
        assert_int_equal(v->judged.links.count, 4);
        for (size_t i = 0; i < v->judged.links.count; i++) {
            const struct found_link *a = &v->judged.links.list[i], *b = &with->judged.links.list[i];
            assert_str(b->href, a->href);
            assert_str(b->context, a->context);
            assert_str(b->seed_path, a->seed_path);
            assert_true(b->fingerprint == a->fingerprint && b->is_wanted == a->is_wanted &&
                        b->hop == a->hop);
        }
        step_close(&behind);
        step_close(&s);
        step_close(&alone);
    }
}

static struct visit *given;

static void prepare(struct step *w)
{
    given = page(w);
}

static void run(struct step *w)
{
    step_give(w, 0, &given->head);
    assert_int_equal(w->out_count[0], 1);
    /* Without memory a name of another alphabet may be left out, as in judge-links. */
    assert_true(given->parsed.has_urls ? given->parsed.reference_count >= 3
                                       : given->parsed.reference_count == 7);
}

static void whatever_allocation_fails_the_references_are_there(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_make_urls, .settings = "", .prepare = prepare, .run = run});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_become_urls_that_are_wanted_first),
        cmocka_unit_test(an_archive_without_links_needs_no_contexts),
        cmocka_unit_test(the_rules_of_the_crawl_count),
        cmocka_unit_test(what_refers_to_nothing_or_has_urls_passes),
        cmocka_unit_test(judge_links_finds_the_same),
        cmocka_unit_test(whatever_allocation_fails_the_references_are_there),
    };
    return cmocka_run_group_tests_name("make-urls", tests, NULL, NULL);
}
