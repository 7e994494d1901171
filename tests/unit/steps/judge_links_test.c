/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/step.h"

#include "base/hash.h"

#include <stdio.h>

extern const struct part part_judge_links;

static struct step s;

static void add_seed(struct step *w, const char *url)
{
    char room[URL_ROOM_BYTES];
    struct url_parser parser = {0};
    struct url u;
    assert_rc(url_parse(&parser, str_c(url), NULL, (struct url_room){room, sizeof room}, &u),
              RC_OK);
    assert_rc(scope_add_seed(w->scope->scope, &u), RC_OK);
}

static void open_judge_links(const char *settings)
{
    step_world(&s, settings, 0);
    add_seed(&s, "http://a.test/");
    add_seed(&s, "http://d.test/");
    assert_rc(step_open(&s, &part_judge_links), RC_OK);
}

/* A page that was read, with references. */
static struct visit *page(struct step *w, const char *url, const char *seed_path)
{
    struct visit *v = step_visit(w, url, seed_path);
    (void)step_set_answer(w, v, 200, "Content-Type: text/html\r\n", "");
    v->parsed.media = MEDIA_HTML;
    return v;
}

static void refer(struct visit *v, const char *raw, char hop)
{
    assert_true(visit_refer(v, str_c(raw), hop, STR("a/@href")));
}

static const struct found_link *link_to(const struct visit *v, const char *href)
{
    for (size_t i = 0; i < v->judged.links.count; i++)
        if (str_eq(v->judged.links.list[i].href, str_c(href)))
            return &v->judged.links.list[i];
    return NULL;
}

static void give(struct visit *v)
{
    step_give(&s, 0, &v->head);
    assert_ptr_equal(step_visit_at(&s, 0, s.out_count[0] - 1), v);
}

static void references_become_urls_relative_to_the_page(void **state)
{
    (void)state;
    open_judge_links("");
    struct visit *v = page(&s, "http://a.test/dir/page", "L");
    refer(v, "x/../y?b#frag", HOP_LINK);
    refer(v, "HTTP://A.TEST:80/z", HOP_EMBED);
    refer(v, "mailto:a@b", HOP_LINK);
    refer(v, "http://[", HOP_LINK);
    give(v);
    assert_int_equal(v->judged.links.count, 2);
    const struct found_link *l = link_to(v, "http://a.test/dir/y?b");
    assert_non_null(l);
    assert_true(l->is_wanted);
    assert_str(l->seed_path, STR("LL"));
    assert_str(l->host, STR("a.test"));
    assert_str(l->path, STR("/dir/y?b"));
    assert_str(l->context, STR("a/@href"));
    assert_int_equal(l->via, v->turn.fingerprint);
    assert_int_equal(l->host_hash, hash64(STR("a.test")));
    assert_str(link_to(v, "http://a.test/z")->seed_path, STR("LE"));
    assert_int_equal(s.ledger->counts.links, 2);
    step_close(&s);
}

static void a_base_element_moves_them(void **state)
{
    (void)state;
    open_judge_links("");
    struct visit *v = page(&s, "http://a.test/dir/page", "");
    v->parsed.base = STR("/other/");
    refer(v, "x", HOP_LINK);
    give(v);
    assert_non_null(link_to(v, "http://a.test/other/x"));
    struct visit *bad = page(&s, "http://b.test/dir/page", "");
    bad->parsed.base = STR("http://[");
    refer(bad, "x", HOP_LINK);
    give(bad);
    assert_non_null(link_to(bad, "http://b.test/dir/x"));
    step_close(&s);
}

static void each_url_is_a_link_once(void **state)
{
    (void)state;
    open_judge_links("");
    struct visit *v = page(&s, "http://a.test/", "");
    refer(v, "/1", HOP_LINK);
    refer(v, "/1#top", HOP_LINK);
    refer(v, "http://a.test/1", HOP_EMBED);
    give(v);
    assert_int_equal(v->judged.links.count, 1);
    step_close(&s);
}

static void what_is_outside_is_a_link_that_is_not_wanted(void **state)
{
    (void)state;
    open_judge_links("depth=2 exclude=secret");
    struct visit *v = page(&s, "http://a.test/", "L");
    refer(v, "http://b.test/", HOP_LINK);
    refer(v, "/secret", HOP_LINK);
    refer(v, "/fine", HOP_LINK);
    give(v);
    assert_false(link_to(v, "http://b.test/")->is_wanted);
    assert_false(link_to(v, "http://a.test/secret")->is_wanted);
    assert_true(link_to(v, "http://a.test/fine")->is_wanted);
    assert_int_equal(s.ledger->counts.rejected[SCOPE_OUTSIDE], 1);
    assert_int_equal(s.ledger->counts.rejected[SCOPE_EXCLUDED], 1);
    struct visit *deep = page(&s, "http://d.test/deep", "LL");
    refer(deep, "/deeper", HOP_LINK);
    give(deep);
    assert_int_equal(s.ledger->counts.rejected[SCOPE_TOO_DEEP], 1);
    step_close(&s);
}

static void where_a_seed_redirects_to_joins_the_scope(void **state)
{
    (void)state;
    open_judge_links("");
    struct visit *v = page(&s, "http://a.test/", "");
    refer(v, "http://www.a.example/", HOP_REDIRECT);
    give(v);
    const struct found_link *l = link_to(v, "http://www.a.example/");
    assert_true(l->is_wanted && l->is_seed);
    struct visit *page2 = page(&s, "http://d.test/2", "L");
    refer(page2, "http://c.example/", HOP_REDIRECT);
    give(page2);
    assert_false(link_to(page2, "http://c.example/")->is_wanted); /* it is no seed */
    step_close(&s);
}

static void a_url_that_one_reference_wants_is_wanted(void **state)
{
    (void)state;
    open_judge_links("");
    struct visit *v = page(&s, "http://a.test/", "");
    refer(v, "/1", HOP_LINK);
    refer(v, "/1", HOP_LINK);
    refer(v, "/2", HOP_LINK);
    v->parsed.references[0].is_unwanted = v->parsed.references[2].is_unwanted = true;
    v->judged.unwanted_count = 2;
    give(v);
    assert_true(link_to(v, "http://a.test/1")->is_wanted);
    assert_false(link_to(v, "http://a.test/2")->is_wanted);
    assert_int_equal(s.ledger->counts.off_topic, 1);
    step_close(&s);
}

static void a_sitemap_names_pages_of_its_own_host_alone(void **state)
{
    (void)state;
    open_judge_links("scope=any");
    struct visit *v = page(&s, "http://a.test/s.xml", "P");
    v->parsed.media = MEDIA_SITEMAP;
    refer(v, "http://a.test/1", HOP_LISTED);
    refer(v, "http://b.test/1", HOP_LISTED);
    refer(v, "http://b.test/s.xml", HOP_PREREQUISITE);
    give(v);
    assert_true(link_to(v, "http://a.test/1")->is_wanted);
    assert_false(link_to(v, "http://b.test/1")->is_wanted);
    assert_false(link_to(v, "http://b.test/s.xml")->is_wanted);
    step_close(&s);
}

static void what_a_host_may_not_list_is_counted_and_that_is_all(void **state)
{
    (void)state;
    open_judge_links("host-sitemap-urls=1");
    struct visit *v = page(&s, "http://a.test/s.xml", "P");
    v->parsed.media = MEDIA_SITEMAP;
    refer(v, "/1", HOP_LISTED);
    refer(v, "/2", HOP_LISTED);
    give(v);
    assert_int_equal(v->judged.links.count, 1);
    assert_int_equal(v->judged.links.left_out[BRING_SITEMAP_URLS], 1);
    assert_int_equal(s.ledger->counts.links, 2);
    step_close(&s);
}

static void sitemaps_begin_at_the_shortest_way_to_their_origin(void **state)
{
    (void)state;
    open_judge_links("");
    struct visit *v = page(&s, "http://a.test/", "LLL");
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    v->turn.origin_path = STR("L");
    refer(v, "/s.xml", HOP_PREREQUISITE);
    give(v);
    assert_str(link_to(v, "http://a.test/s.xml")->seed_path, STR("LP"));
    step_close(&s);
}

static void a_url_that_no_frontier_takes_is_no_link(void **state)
{
    (void)state;
    static char path[FRONTIER_MAX_SEED_PATH + 1];
    memset(path, 'R', sizeof path - 1);
    open_judge_links("scope=any");
    struct visit *v = page(&s, "http://a.test/", "");
    v->turn.checkout.seed_path = str_make(path, sizeof path - 1);
    refer(v, "/1", HOP_LINK);
    give(v);
    assert_int_equal(v->judged.links.count, 0);
    step_close(&s);
}

static void queries_are_written_in_the_encoding_of_the_page(void **state)
{
    (void)state;
    open_judge_links("");
    struct visit *v = page(&s, "http://a.test/", "");
    v->parsed.charset = "windows-1252";
    refer(v, "/?caf\xc3\xa9", HOP_LINK);
    give(v);
    assert_non_null(link_to(v, "http://a.test/?caf%E9"));
    struct visit *odd = page(&s, "http://d.test/odd", "");
    odd->parsed.charset = "no-such-charset";
    refer(odd, "/?caf\xc3\xa9", HOP_LINK);
    give(odd);
    assert_non_null(link_to(odd, "http://d.test/?caf%C3%A9"));
    step_close(&s);
}

static void a_page_without_references_passes(void **state)
{
    (void)state;
    open_judge_links("");
    struct visit *v = page(&s, "http://a.test/", "");
    give(v);
    assert_int_equal(v->judged.links.count, 0);
    assert_false(v->parsed.is_cut);
    step_close(&s);
}

/* Lists ---------------------------------------------------------------------------------------- */

static void seeds_draw_the_scope(void **state)
{
    (void)state;
    open_judge_links("");
    const struct step_item items[] = {{"http://new.test/x", ""}};
    struct message *m = step_list(LIST_SEEDS, items, 1);
    step_give(&s, STEP_LISTS, m);
    const struct found_link *l = step_list_link(m, 0);
    assert_true(l->is_seed && l->is_wanted);
    assert_str(l->seed_path, STR(""));
    assert_int_equal(l->via, 0);
    struct visit *v = page(&s, "http://a.test/", "");
    refer(v, "http://new.test/y", HOP_LINK);
    give(v);
    assert_true(link_to(v, "http://new.test/y")->is_wanted);
    step_close(&s);
}

static void what_is_asked_for_again_keeps_its_own_way_and_draws_nothing(void **state)
{
    (void)state;
    open_judge_links("");
    const struct step_item items[] = {
        {"http://a.test/1", "LL"}, {"http://b.test/1", "R"}, {"http://a.test/s/1", "PX"}};
    struct message *m = step_list(LIST_REQUEUED, items, 3);
    step_give(&s, STEP_LISTS, m);
    assert_int_equal(step_list_link_count(m), 3);
    assert_str(step_list_link(m, 0)->seed_path, STR("LL"));
    assert_int_equal(step_list_link(m, 0)->via, 7);
    assert_true(step_list_link(m, 0)->is_wanted);
    assert_false(step_list_link(m, 1)->is_wanted); /* the seed that led there is heard elsewhere */
    assert_true(step_list_link(m, 2)->is_wanted);
    step_close(&s);
}

static void a_page_that_is_judged_again_has_the_depth_of_its_shorter_path(void **state)
{
    (void)state;
    open_judge_links("depth=2 host-sitemap-urls=1");
    const struct step_item items[] = {{"http://a.test/2", "L"}, {"http://b.test/", "L"}};
    const struct history_entry h = {.fetches = 1};
    struct message *m = step_list(LIST_REJUDGED, items, 2);
    step_set_page(m, "http://a.test/1", "L", &h);
    step_give(&s, STEP_LISTS, m);
    assert_int_equal(s.out_count[STEP_LISTS], 1);
    assert_str(step_list_link(m, 0)->seed_path, STR("LL"));
    assert_true(step_list_link(m, 0)->is_wanted);
    assert_int_equal(step_list_link(m, 0)->via, step_candidate("http://a.test/1", "").fingerprint);
    assert_false(step_list_link(m, 1)->is_wanted);
    step_close(&s);
}

static void a_sitemap_that_is_judged_again_is_charged_to_its_host(void **state)
{
    (void)state;
    open_judge_links("host-sitemap-urls=1");
    const struct step_item items[] = {{"http://a.test/2", "X"}, {"http://a.test/3", "X"}};
    const struct history_entry h = {.fetches = 1};
    step_admit(&s, "http://a.test/waits", "L");
    struct message *m = step_list(LIST_REJUDGED, items, 2);
    step_set_page(m, "http://a.test/s.xml", "P", &h);
    step_give(&s, STEP_LISTS, m);
    assert_int_equal(step_list_link_count(m), 1);
    assert_int_equal(step_record(&s, "a.test")->brought.sitemap_urls, 1);
    step_close(&s);
}

/* Memory --------------------------------------------------------------------------------------- */

static struct visit *given;

static void prepare(struct step *w)
{
    add_seed(w, "http://a.test/");
    given = page(w, "http://a.test/", "");
    given->parsed.charset = "windows-1252";
    refer(given, "/1", HOP_LINK);
    refer(given, "/?caf\xc3\xa9", HOP_LINK);
    refer(given, "http://www.a.example/", HOP_REDIRECT);
}

static void run(struct step *w)
{
    step_give(w, 0, &given->head);
    assert_int_equal(w->out_count[0], 1);
}

static void whatever_allocation_fails_the_visit_goes_on(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_judge_links, .settings = "", .prepare = prepare, .run = run});
}

static struct message *list;

static void prepare_list(struct step *w)
{
    static const struct step_item items[] = {{"http://a.test/1", ""}, {"http://b.test/1", ""}};
    (void)w;
    list = step_list(LIST_SEEDS, items, 2);
}

static void run_list(struct step *w)
{
    step_give(w, STEP_LISTS, list);
    assert_true(w->out_count[STEP_LISTS] == 1 || w->failed);
}

static void whatever_allocation_fails_no_list_is_lost(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_judge_links, .settings = "", .prepare = prepare_list, .run = run_list});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_become_urls_relative_to_the_page),
        cmocka_unit_test(a_base_element_moves_them),
        cmocka_unit_test(each_url_is_a_link_once),
        cmocka_unit_test(what_is_outside_is_a_link_that_is_not_wanted),
        cmocka_unit_test(where_a_seed_redirects_to_joins_the_scope),
        cmocka_unit_test(a_url_that_one_reference_wants_is_wanted),
        cmocka_unit_test(a_sitemap_names_pages_of_its_own_host_alone),
        cmocka_unit_test(what_a_host_may_not_list_is_counted_and_that_is_all),
        cmocka_unit_test(sitemaps_begin_at_the_shortest_way_to_their_origin),
        cmocka_unit_test(a_url_that_no_frontier_takes_is_no_link),
        cmocka_unit_test(queries_are_written_in_the_encoding_of_the_page),
        cmocka_unit_test(a_page_without_references_passes),
        cmocka_unit_test(seeds_draw_the_scope),
        cmocka_unit_test(what_is_asked_for_again_keeps_its_own_way_and_draws_nothing),
        cmocka_unit_test(a_page_that_is_judged_again_has_the_depth_of_its_shorter_path),
        cmocka_unit_test(a_sitemap_that_is_judged_again_is_charged_to_its_host),
        cmocka_unit_test(whatever_allocation_fails_the_visit_goes_on),
        cmocka_unit_test(whatever_allocation_fails_no_list_is_lost),
    };
    return cmocka_run_group_tests_name("judge-links", tests, NULL, NULL);
}
