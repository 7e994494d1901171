/* SPDX-License-Identifier: Apache-2.0 */
#include "discovery/depth_key.h"
#include "host/host_redirect.h"
#include "lib/step.h"

#include "base/hash.h"
#include "base/mem.h"

extern const struct part part_robots;

enum { OUT, AGAIN };

#define DAY_MS (INT64_C(24) * 3600 * 1000)

static struct step s;

static void open_robots(const char *settings, unsigned with)
{
    step_world(&s, settings, with);
    assert_rc(step_open(&s, &part_robots), RC_OK);
}

/* The visit of a robots.txt that was answered. */
static struct visit *answered(struct step *w, const char *url, uint16_t status, const char *head,
                              const char *body)
{
    struct visit *v = step_visit(w, url, "LL");
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    (void)step_set_answer(w, v, status, head, body);
    return v;
}

static void give(struct visit *v)
{
    step_give(&s, 0, &v->head);
}

static const struct host_robots *rules_of(const struct visit *v)
{
    return host_robots_of(v->turn.record, v->turn.checkout.is_https, v->turn.checkout.port);
}

static bool allows(const struct visit *v, const char *path)
{
    return robots_check(rules_of(v)->rules, str_c(path)).allowed;
}

static void rules_go_to_the_record_of_the_host(void **state)
{
    (void)state;
    open_robots("", 0);
    give(answered(&s, "http://a.test/1", 200, "", "User-agent: *\nDisallow: /x\nCrawl-delay: 7\n"));
    const struct visit *v = step_visit_at(&s, OUT, 0);
    assert_true(v->parsed.robots_changed);
    assert_true(allows(v, "/1"));
    assert_false(allows(v, "/x"));
    assert_false(rules_of(v)->is_failing);
    assert_int_equal(rules_of(v)->had_wall_ms, s.clock.wall);
    assert_true(v->answer.has_verdict);
    assert_true(v->answer.verdict.wait_ms >= 7000); /* the new Crawl-delay counts already */
    step_close(&s);
}

static void a_page_is_no_rules(void **state)
{
    (void)state;
    open_robots("", 0);
    struct visit *v = answered(&s, "http://a.test/1", 200, "", "User-agent: *\nDisallow: /x\n");
    v->kind = VISIT_PAGE;
    give(v);
    const struct visit *out = step_visit_at(&s, OUT, 0);
    assert_false(out->parsed.robots_changed);
    assert_true(!rules_of(out) || !rules_of(out)->rules);
    step_close(&s);
}

static void the_rules_of_the_own_name_are_read(void **state)
{
    (void)state;
    open_robots("user-agent=tester/1.0", 0);
    give(answered(&s, "http://a.test/", 200, "",
                  "User-agent: *\nDisallow: /\n\nUser-agent: tester\nAllow: /\n"));
    assert_true(allows(step_visit_at(&s, OUT, 0), "/1"));
    step_close(&s);
}

static void what_is_missing_allows_everything(void **state)
{
    (void)state;
    open_robots("", 0);
    give(answered(&s, "http://a.test/", 404, "", "User-agent: *\nDisallow: /\n"));
    assert_true(allows(step_visit_at(&s, OUT, 0), "/"));
    step_close(&s);
}

static void what_fails_leaves_the_old_rules(void **state)
{
    (void)state;
    open_robots("", 0);
    struct visit *v = answered(&s, "http://a.test/", 503, "", "");
    step_set_rules(v, "User-agent: *\nDisallow: /x\n", (int64_t)s.clock.wall - 29 * DAY_MS);
    give(v);
    assert_false(allows(v, "/x"));
    assert_true(rules_of(v)->is_failing);
    assert_int_equal(v->answer.verdict.next, PACE_AGAIN);
    step_close(&s);
}

static void what_fails_for_thirty_days_counts_as_missing(void **state)
{
    (void)state;
    open_robots("", 0);
    struct visit *v = answered(&s, "http://a.test/", 503, "", "");
    step_set_rules(v, "User-agent: *\nDisallow: /x\n", (int64_t)s.clock.wall - 31 * DAY_MS);
    give(v);
    assert_true(allows(v, "/x"));
    step_close(&s);
}

static void what_never_was_had_has_no_rules_while_it_fails(void **state)
{
    (void)state;
    open_robots("", 0);
    struct visit *v = answered(&s, "http://a.test/", 200, "", "Disallow: /\n");
    v->answer.http = NULL;
    v->answer.end = (struct pace_end){.http = HTTP_TIMEOUT};
    give(v);
    assert_true(!rules_of(v) || !rules_of(v)->rules);
    step_close(&s);
}

static void a_304_that_was_not_asked_for_is_a_failure(void **state)
{
    (void)state;
    open_robots("", 0);
    struct visit *v = answered(&s, "http://a.test/", 304, "", "");
    give(v);
    assert_true(rules_of(v)->is_failing);
    step_close(&s);
    open_robots("", 0);
    v = answered(&s, "http://a.test/", 304, "", "");
    step_set_rules(v, "User-agent: *\nDisallow: /x\n", 1);
    give(v);
    assert_false(rules_of(v)->is_failing);
    assert_false(allows(v, "/x"));
    step_close(&s);
}

/* A 426 would allow everything, and a 505 would count as a failure of robots.txt. */
static void a_refused_version_of_http_says_nothing_of_the_rules(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        open_robots("", 0);
        struct visit *v = answered(&s, "https://a.test/1", i ? 426 : 505, "", "");
        v->answer.end.http_version =
            (struct host_http_end){HTTP_WHOLE, HTTP_OFFER_POSSIBLE, false, true};
        give(v);
        assert_ptr_equal(step_visit_at(&s, OUT, 0), v);
        assert_null(rules_of(v));
        assert_false(v->parsed.robots_changed);
        assert_int_equal(v->answer.verdict.next, PACE_AGAIN);
        assert_int_equal(v->answer.verdict.failures, 0);
        step_close(&s);
    }
}

/* Sitemaps ------------------------------------------------------------------------------------- */

static void sitemaps_become_references_of_the_visit(void **state)
{
    (void)state;
    open_robots("", 0);
    give(
        answered(&s, "http://a.test/", 200, "", "Sitemap: http://a.test/1.xml\nSitemap: /2.xml\n"));
    const struct visit *v = step_visit_at(&s, OUT, 0);
    assert_true(v->parsed.reference_count >= 1);
    assert_str(v->parsed.references[0].raw, STR("http://a.test/1.xml"));
    assert_int_equal(v->parsed.references[0].hop, HOP_PREREQUISITE);
    assert_true(v->turn.record->is_listed);
    step_close(&s);
    open_robots("no-sitemaps=yes", 0);
    give(answered(&s, "http://a.test/", 200, "", "Sitemap: http://a.test/1.xml\n"));
    assert_int_equal(step_visit_at(&s, OUT, 0)->parsed.reference_count, 0);
    assert_false(step_visit_at(&s, OUT, 0)->turn.record->is_listed);
    step_close(&s);
}

static void a_sitemap_is_as_far_away_as_the_nearest_url_of_its_origin(void **state)
{
    (void)state;
    static const struct {
        const char *way;
        bool is_shorter;
    } rows[] = {{"L", true}, {"LLL", false}};
    for (unsigned i = 0; i < 2; i++) {
        open_robots("", STEP_DEPTHS);
        struct visit *v =
            answered(&s, "http://a.test/", 200, "", "Sitemap: http://a.test/1.xml\n"); /* LL */
        uint64_t origin = depth_index_origin_key(hash64(STR("a.test")), false, 0);
        depth_index_waits(s.depth_index[0], origin);
        (void)depth_index_found(s.depth_index[0], origin, (unsigned)strlen(rows[i].way),
                                str_c(rows[i].way));
        give(v);
        assert_int_equal(v->turn.origin_path.p != NULL, rows[i].is_shorter);
        step_close(&s);
    }
}

/* Redirects ------------------------------------------------------------------------------------ */

static void a_redirect_is_told_and_followed_after_the_delay(void **state)
{
    (void)state;
    open_robots("delay=2s", 0);
    give(answered(&s, "http://a.test/1", 301, "Location: https://www.a.test/robots.txt\r\n", ""));
    const struct visit *hop = step_visit_at(&s, OUT, 0);
    assert_int_equal(hop->kind, VISIT_ROBOTS_REDIRECT);
    assert_str(url_href(&hop->turn.url), STR("http://a.test/robots.txt"));
    assert_int_equal(hop->answer.end.status, 301);
    const struct visit *v = step_visit_at(&s, AGAIN, 0);
    assert_int_equal(v->kind, VISIT_ROBOTS);
    assert_int_equal(v->state, VISIT_LATER);
    assert_int_equal(v->route.due_ms, s.clock.now + 2001);
    assert_null(v->answer.http);
    const struct host_redirect *r = host_redirect_of(v->turn.record, false, 0);
    assert_str(str_make(r->url, r->url_bytes), STR("https://www.a.test/robots.txt"));
    assert_int_equal(r->count, 1);
    step_close(&s);
}

static void a_redirect_gives_the_permit_of_its_address_back(void **state)
{
    (void)state;
    open_robots("ip-conns=1 ip-delay=0s", 0);
    struct visit *v = answered(&s, "http://a.test/1", 301, "Location: /r\r\n", "");
    v->route.permit.address_group = 5;
    v->route.permit.host_hash = hash64(STR("a.test"));
    assert_int_equal(permit_table_ask(s.addresses->addresses, 5, s.clock.now), 0);
    assert_int_equal(permit_table_ask(s.addresses->hosts, v->route.permit.host_hash, s.clock.now),
                     0);
    v->route.permit.is_held = true;
    give(v);
    assert_false(v->route.permit.is_held);
    assert_int_equal(permit_table_ask(s.addresses->addresses, 5, s.clock.now), 0);
    step_close(&s);
}

static void a_redirect_that_leads_nowhere_allows_everything(void **state)
{
    (void)state;
    static const char *const heads[] = {"", "Location: ftp://a.test/\r\n", "Location: http://[\r\n",
                                        "Location: http://a.test:25/\r\n"};
    for (unsigned i = 0; i < 4; i++) {
        open_robots("", 0);
        give(answered(&s, "http://a.test/", 302, heads[i], ""));
        assert_int_equal(s.out_count[OUT], 1);
        assert_true(allows(step_visit_at(&s, OUT, 0), "/"));
        step_close(&s);
    }
}

static void five_redirects_are_followed_and_no_more(void **state)
{
    (void)state;
    open_robots("", 0);
    struct visit *v = answered(&s, "http://a.test/", 302, "Location: /r\r\n", "");
    v->turn.robots_redirects = 4;
    give(v);
    step_advance(&s, 60000);
    assert_int_equal(s.out_count[AGAIN], 1);
    step_close(&s);
    open_robots("", 0);
    v = answered(&s, "http://a.test/", 302, "Location: /r\r\n", "");
    v->turn.robots_redirects = 5;
    give(v);
    assert_true(allows(step_visit_at(&s, OUT, 0), "/"));
    step_close(&s);
}

/* Memory --------------------------------------------------------------------------------------- */

static struct visit *given;

static void prepare_rules(struct step *w)
{
    given = answered(w, "http://a.test/", 200, "Content-Encoding: identity\r\n",
                     "User-agent: *\nDisallow: /x\nSitemap: http://a.test/1.xml\n");
}

static void prepare_redirect(struct step *w)
{
    given = answered(w, "http://a.test/", 301, "Location: http://b.test/r\r\n", "");
}

static void run(struct step *w)
{
    step_give(w, 0, &given->head);
    step_advance(w, 5000);
    if (!w->failed)
        assert_int_equal(w->out_count[OUT], 1);
}

static void whatever_allocation_fails_no_visit_is_lost(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_robots, .settings = "", .prepare = prepare_rules, .run = run});
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_robots, .settings = "", .prepare = prepare_redirect, .run = run});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_go_to_the_record_of_the_host),
        cmocka_unit_test(a_page_is_no_rules),
        cmocka_unit_test(the_rules_of_the_own_name_are_read),
        cmocka_unit_test(what_is_missing_allows_everything),
        cmocka_unit_test(what_fails_leaves_the_old_rules),
        cmocka_unit_test(what_fails_for_thirty_days_counts_as_missing),
        cmocka_unit_test(what_never_was_had_has_no_rules_while_it_fails),
        cmocka_unit_test(a_304_that_was_not_asked_for_is_a_failure),
        cmocka_unit_test(a_refused_version_of_http_says_nothing_of_the_rules),
        cmocka_unit_test(sitemaps_become_references_of_the_visit),
        cmocka_unit_test(a_sitemap_is_as_far_away_as_the_nearest_url_of_its_origin),
        cmocka_unit_test(a_redirect_is_told_and_followed_after_the_delay),
        cmocka_unit_test(a_redirect_gives_the_permit_of_its_address_back),
        cmocka_unit_test(a_redirect_that_leads_nowhere_allows_everything),
        cmocka_unit_test(five_redirects_are_followed_and_no_more),
        cmocka_unit_test(whatever_allocation_fails_no_visit_is_lost),
    };
    return cmocka_run_group_tests_name("robots", tests, NULL, NULL);
}
