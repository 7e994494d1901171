/* SPDX-License-Identifier: Apache-2.0 */
#include "components/bringing.h"
#include "lib/test.h"

#include "base/hash.h"

#define OWN "a.example"
#define OTHER "b.example"

/* A host that is lent, and the visit of one of its URLs. */
struct place {
    struct frontier *frontier;
    struct budget *budget;
    struct lent lent;
    struct visit *v;
};

static struct visit_link link_to(const char *host, const char *path, const char *hops)
{
    struct str way = str_c(hops);
    return (struct visit_link){
        .href = str_c(path),
        .host = str_c(host),
        .path = str_c(path),
        .hops = way,
        .position = hash64(str_c(host)),
        .fingerprint = hash64(str_c(path)) | 1,
        .hop = way.p[way.n - 1],
    };
}

static void admit(struct place *p, const char *path)
{
    struct visit_link l = link_to(OWN, path, "L");
    struct candidate c = {.fingerprint = l.fingerprint,
                          .position = l.position,
                          .host = l.host,
                          .path = l.path,
                          .hops = STR("")};
    enum admitted became;
    size_t done;
    assert_rc(frontier_admit(p->frontier, &c, 1, 0, &became, &done), RC_OK);
    assert_int_equal(became, ADMITTED_NEW);
}

static void open_place(struct place *p, enum visit_kind kind, const struct bring_limits *limits)
{
    struct frontier_settings settings = {.max_hosts = 10, .max_host_queue = 4};
    struct budget_settings budget = {.bring = *limits};
    *p = (struct place){.frontier = frontier_open(&settings, 0, 1)};
    assert_non_null(p->frontier);
    assert_rc(budget_open(&budget, &p->budget), RC_OK);
    admit(p, "/known");
    assert_rc(frontier_lend(p->frontier, 0, 0, &p->lent), RC_OK);
    p->v = visit_open(kind, NULL);
    assert_non_null(p->v);
    p->v->lent = p->lent;
    if (!visit_is_list(p->v))
        p->v->card = card_of(p->lent.host);
}

static void close_place(struct place *p)
{
    message_end(&p->v->head);
    frontier_close(p->frontier);
    budget_close(p->budget);
}

static bool may_list(struct place *p, struct bringing *b, const char *host, const char *path,
                     const char *hops)
{
    struct visit_link l = link_to(host, path, hops);
    return bringing_listed(b, p->v, &l);
}

static void what_is_known_costs_a_host_nothing(void **state)
{
    (void)state;
    struct place p;
    open_place(&p, VISIT_PAGE, &(struct bring_limits){.sitemap_urls = 1});
    struct bringing b = bringing_of(p.v, p.frontier, p.budget);
    p.v->media = MEDIA_SITEMAP;
    for (int i = 0; i < 3; i++)
        assert_true(may_list(&p, &b, OWN, "/known", "PX"));
    assert_true(may_list(&p, &b, OWN, "/1", "PX"));
    assert_false(may_list(&p, &b, OWN, "/2", "PX"));
    assert_true(may_list(&p, &b, OWN, "/known", "PX"));
    assert_int_equal(p.v->left_out[BRING_SITEMAP_URLS], 1);
    assert_int_equal(p.v->card->brought.sitemap_urls, 1);
    close_place(&p);
}

static void an_index_is_charged_for_its_sitemaps_a_page_not_for_its_feed(void **state)
{
    (void)state;
    struct place p;
    open_place(&p, VISIT_PAGE, &(struct bring_limits){.sitemaps = 1});
    struct bringing b = bringing_of(p.v, p.frontier, p.budget);
    p.v->media = MEDIA_HTML;
    for (int i = 0; i < 3; i++)
        assert_true(may_list(&p, &b, OWN, "/feed", "LP"));
    assert_int_equal(p.v->card->brought.sitemaps, 0);
    p.v->media = MEDIA_SITEMAP; /* an index that was found as a page */
    assert_true(may_list(&p, &b, OTHER, "/1.xml", "LP"));
    assert_false(may_list(&p, &b, OTHER, "/2.xml", "LP"));
    assert_int_equal(p.v->card->brought.sitemaps, 1);
    close_place(&p);
}

static void a_robots_txt_may_name_sitemaps_of_others_each_day(void **state)
{
    (void)state;
    struct place p;
    open_place(&p, VISIT_ROBOTS, &(struct bring_limits){.sitemaps = 2});
    for (int day = 0; day < 3; day++) {
        struct bringing b = bringing_of(p.v, p.frontier, p.budget);
        assert_true(may_list(&p, &b, OTHER, "/1.xml", "P"));
        assert_true(may_list(&p, &b, OTHER, "/2.xml", "P"));
        assert_false(may_list(&p, &b, OTHER, "/3.xml", "P"));
    }
    assert_int_equal(p.v->card->brought.sitemaps, 0);
    struct bringing b = bringing_of(p.v, p.frontier, p.budget);
    assert_true(may_list(&p, &b, OWN, "/1.xml", "P"));
    assert_true(may_list(&p, &b, OWN, "/2.xml", "P"));
    assert_false(may_list(&p, &b, OWN, "/3.xml", "P"));
    assert_int_equal(p.v->card->brought.sitemaps, 2);
    close_place(&p);
}

static void a_page_that_is_looked_at_again_is_charged_to_the_same_host(void **state)
{
    (void)state;
    struct place p;
    open_place(&p, VISIT_DEEPER, &(struct bring_limits){.sitemap_urls = 1});
    struct bringing b = bringing_of(p.v, p.frontier, p.budget);
    assert_true(may_list(&p, &b, OWN, "/1", "PX"));
    assert_false(may_list(&p, &b, OWN, "/2", "PX"));
    assert_int_equal(card_if(p.lent.host)->brought.sitemap_urls, 1);
    close_place(&p);
}

static void seeds_are_charged_to_no_host(void **state)
{
    (void)state;
    struct place p;
    open_place(&p, VISIT_SEEDS, &(struct bring_limits){1, 1, 1, 1});
    struct bringing b = bringing_of(p.v, p.frontier, p.budget);
    for (int i = 0; i < 3; i++) {
        struct visit_link l = link_to(OTHER, "/seed", "L");
        assert_true(bringing_listed(&b, p.v, &l) && bringing_new(&b, p.v, &l));
    }
    close_place(&p);
}

static void a_full_queue_and_used_up_bytes_end_what_pages_bring(void **state)
{
    (void)state;
    struct place p;
    open_place(&p, VISIT_PAGE, &(struct bring_limits){.url_bytes = 9});
    struct bringing b = bringing_of(p.v, p.frontier, p.budget);
    struct visit_link own = link_to(OWN, "/", "L"), other = link_to(OTHER, "/other", "L");
    for (int i = 0; i < 3; i++) /* one is out, so three have room */
        assert_true(bringing_new(&b, p.v, &own));
    assert_false(bringing_new(&b, p.v, &own));
    assert_int_equal(p.v->left_out[BRING_QUEUE], 1);
    assert_true(bringing_new(&b, p.v, &other)); /* 3 + 6 bytes */
    assert_false(bringing_new(&b, p.v, &other));
    assert_int_equal(p.v->left_out[BRING_URL_BYTES], 1);
    assert_int_equal(p.v->card->brought.url_bytes, 9);
    close_place(&p);
}

static void a_limit_is_counted_each_time_and_logged_once(void **state)
{
    (void)state;
    struct place p;
    static struct crawl_counts counts;
    open_place(&p, VISIT_PAGE, &(struct bring_limits){0});
    for (unsigned i = 1; i <= 2; i++) {
        p.v->left_out[BRING_NESTED] = 10;
        bringing_tell(p.v, &counts, NULL);
        assert_int_equal(counts.over_limit[BRING_NESTED], 10 * i);
        assert_int_equal(counts.over_budget, 10 * i);
        assert_int_equal(p.v->card->told_limits, 1u << BRING_NESTED);
    }
    close_place(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_known_costs_a_host_nothing),
        cmocka_unit_test(an_index_is_charged_for_its_sitemaps_a_page_not_for_its_feed),
        cmocka_unit_test(a_robots_txt_may_name_sitemaps_of_others_each_day),
        cmocka_unit_test(a_page_that_is_looked_at_again_is_charged_to_the_same_host),
        cmocka_unit_test(seeds_are_charged_to_no_host),
        cmocka_unit_test(a_full_queue_and_used_up_bytes_end_what_pages_bring),
        cmocka_unit_test(a_limit_is_counted_each_time_and_logged_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
