/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/simweb/world/make.h"

#include "base/map.h"
#include "oracle/oracle.h"
#include "world/links.h"

#include <stdio.h>

/* What a walk said: url -> row. */
struct told {
    struct map rows;
    struct arena *arena;
    uint32_t counts[3];
    uint32_t stop_at; /* the row that ends it, 0 = none */
    uint64_t deepest;
};

struct told_row {
    enum oracle_class class;
    struct str why;
    uint64_t depth;
};

static int tell(void *ctx, const struct oracle_row *row)
{
    struct told *t = ctx;
    struct told_row *copy = arena_zero(t->arena, sizeof *copy);
    *copy = (struct told_row){row->class, arena_dup(t->arena, str_c(row->why ? row->why : "")),
                              row->depth};
    struct str url = arena_dup(t->arena, row->url);
    if (map_put(&t->rows, url, copy) != RC_OK)
        fail_msg("%s was said twice", url.p);
    assert_int_equal(row->class == ORACLE_MUST, row->why == NULL);
    t->counts[row->class]++;
    if (row->class == ORACLE_MUST && row->depth > t->deepest)
        t->deepest = row->depth;
    return t->stop_at && t->rows.count >= t->stop_at;
}

static void told_init(struct told *t)
{
    *t = (struct told){.arena = arena_open(1 << 16, 1 << 30)};
    assert_non_null(t->arena);
    map_init(&t->rows, 4000000);
}

static void told_done(struct told *t)
{
    map_done(&t->rows);
    arena_close(t->arena);
}

static struct str url_of(const struct world *w, struct place p, struct arena *arena)
{
    char room[2000];
    struct buf b = buf_on(room, sizeof room);
    place_url(w, p, &b);
    assert_rc(buf_rc(&b), RC_OK);
    return arena_dup(arena, buf_str(&b));
}

static struct told ask(const struct made *m, struct oracle_wish wish)
{
    struct told t;
    struct buf why;
    told_init(&t);
    buf_init(&why, 1000);
    if (!wish.seed_url.p)
        wish.seed_url = url_of(m->world, (struct place){0, PLACE_PAGE, 0, 0}, m->arena);
    assert_rc(oracle_walk(m->world, &wish, tell, &t, &why), RC_OK);
    assert_int_equal(why.n, 0);
    buf_done(&why);
    return t;
}

static const struct told_row *row_of(const struct told *t, const struct made *m, struct place p)
{
    return map_get(&t->rows, url_of(m->world, p, m->arena));
}

static const struct told_row *row_at(const struct told *t, const char *url)
{
    return map_get(&t->rows, str_c(url));
}

static void a_whole_web_is_every_page_of_every_host(void **state)
{
    (void)state;
    struct made m = make_world("hosts=40 pages=60");
    struct told t = ask(&m, (struct oracle_wish){.scope = ORACLE_ANY, .depth = UINT64_MAX});
    for (uint32_t h = 0; h < 40; h++)
        for (uint32_t p = 0; p < 60; p++) {
            const struct told_row *row = row_of(&t, &m, (struct place){h, PLACE_PAGE, p, 0});
            struct page page = page_of(m.world, h, p);
            assert_non_null(row);
            bool forbidden = page.role == PAGE_FORBIDDEN;
            assert_int_equal(row->class, forbidden ? ORACLE_KNOWN : ORACLE_MUST);
            assert_str(row->why, forbidden ? STR("robots") : STR(""));
            bool own = page.role == PAGE_NORMAL || page.role == PAGE_NOFOLLOW;
            for (uint32_t i = 0; i < page.images && own; i++)
                assert_int_equal(row_of(&t, &m, (struct place){h, PLACE_IMAGE, p, i})->class,
                                 ORACLE_MUST);
        }
    for (uint32_t h = 0; h < 40; h++) {
        static const enum place_kind kinds[] = {PLACE_STYLE, PLACE_STYLE_IMAGE, PLACE_SCRIPT,
                                                PLACE_ICON,  PLACE_FEED,        PLACE_ROBOTS};
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            assert_non_null(row_of(&t, &m, (struct place){h, kinds[k], 0, 0}));
        assert_int_equal(row_of(&t, &m, (struct place){h, PLACE_SITEMAP_INDEX, 0, 0}) != NULL,
                         host_robots(m.world, h).sitemaps > 0);
    }
    assert_int_equal(t.counts[ORACLE_MAY], 0);
    told_done(&t);
    unmake_world(&m);
}

static void a_scope_ends_at_its_host_or_its_domain(void **state)
{
    (void)state;
    struct made m = make_world("hosts=20 pages=30 hosts-per-domain=4");
    for (unsigned scope = ORACLE_HOST; scope <= ORACLE_DOMAIN; scope++) {
        struct told t = ask(&m, (struct oracle_wish){.scope = scope, .depth = UINT64_MAX});
        uint32_t outside = 0;
        for (uint32_t h = 0; h < 20; h++)
            for (uint32_t p = 0; p < 30; p++) {
                const struct told_row *row = row_of(&t, &m, (struct place){h, PLACE_PAGE, p, 0});
                bool inside = h < (scope == ORACLE_HOST ? 1u : 4u);
                if (inside)
                    assert_true(row && !str_eq(row->why, STR("scope")));
                else if (row)
                    assert_str(row->why, STR("scope"));
                outside += row && !inside;
            }
        assert_true(outside > 10);
        assert_null(row_of(&t, &m, (struct place){10, PLACE_ROBOTS, 0, 0}));
        told_done(&t);
    }
    unmake_world(&m);
}

static void depth_counts_links_and_what_is_too_deep_is_known(void **state)
{
    (void)state;
    struct made m = make_world("hosts=3 pages=300 site-depth=6 links=0 images=1 cross=0");
    uint32_t before = 0;
    for (uint64_t depth = 0; depth < 7; depth++) {
        struct told t = ask(&m, (struct oracle_wish){.depth = depth, .no_sitemaps = true});
        assert_true(t.deepest <= depth);
        assert_true(t.counts[ORACLE_MUST] >= before);
        uint32_t deep = 0;
        for (uint32_t i = 0; i < t.rows.count; i++) {
            const struct told_row *row = t.rows.rows[i].value;
            deep += str_eq(row->why, STR("depth"));
            if (str_eq(row->why, STR("depth")))
                assert_int_equal(row->depth, depth + 1);
        }
        assert_true(depth < 3 ? deep > 0 : depth < 6 || deep == 0);
        before = t.counts[ORACLE_MUST];
        told_done(&t);
    }
    unmake_world(&m);
}

/* With a sitemap all it lists is one link from the seed. */
static void a_sitemap_makes_every_page_near(void **state)
{
    (void)state;
    struct made m = make_world("hosts=1 pages=300 site-depth=9 links=0 redirects=0");
    struct told t = ask(&m, (struct oracle_wish){.depth = UINT64_MAX});
    for (uint32_t p = 1; p < 300; p++)
        if (sitemap_lists(m.world, 0, p))
            assert_int_equal(row_of(&t, &m, (struct place){0, PLACE_PAGE, p, 0})->depth, 1);
    assert_int_equal(row_of(&t, &m, (struct place){0, PLACE_SITEMAP, 0, 1})->depth, 0);
    told_done(&t);
    unmake_world(&m);
}

static void a_redirect_costs_no_depth(void **state)
{
    (void)state;
    struct made m = make_world("hosts=1 pages=400 redirects=0.5 links=5");
    struct told t = ask(&m, (struct oracle_wish){.depth = UINT64_MAX, .no_sitemaps = true});
    uint32_t seen = 0;
    for (uint32_t p = 0; p < 400; p++) {
        struct page page = page_of(m.world, 0, p);
        if (page.role != PAGE_REDIRECT)
            continue;
        uint64_t from = row_of(&t, &m, (struct place){0, PLACE_PAGE, p, 0})->depth;
        assert_true(row_of(&t, &m, page.target)->depth <= from);
        seen++;
    }
    assert_true(seen > 100);
    told_done(&t);
    unmake_world(&m);
}

static void a_crawl_may_want_less_or_more(void **state)
{
    (void)state;
    struct made m = make_world("hosts=4 pages=400 forbidden=0.1 nofollow=0.4 links=20");
    struct oracle_wish wish = {.scope = ORACLE_ANY, .depth = 3, .no_sitemaps = true};
    struct told usual = ask(&m, wish);
    wish.pages_only = true;
    struct told pages = ask(&m, wish);
    wish.pages_only = false;
    wish.follow_nofollow = true;
    struct told followed = ask(&m, wish);
    wish.ignore_robots = true;
    struct told lawless = ask(&m, wish);
    struct place image = {0, PLACE_STYLE, 0, 0}, feed = {0, PLACE_FEED, 0, 0},
                 index = {0, PLACE_SITEMAP_INDEX, 0, 0};
    assert_str(row_of(&usual, &m, image)->why, STR(""));
    assert_str(row_of(&pages, &m, image)->why, STR("pages-only"));
    assert_str(row_of(&usual, &m, feed)->why, STR("no-sitemaps"));
    assert_str(row_of(&usual, &m, index)->why, STR("no-sitemaps"));
    assert_true(followed.counts[ORACLE_MUST] > usual.counts[ORACLE_MUST]);
    assert_true(lawless.counts[ORACLE_MUST] > followed.counts[ORACLE_MUST]);
    for (uint32_t i = 0; i < lawless.rows.count; i++) {
        const struct told_row *row = lawless.rows.rows[i].value;
        assert_false(str_eq(row->why, STR("robots")) || str_eq(row->why, STR("nofollow")));
    }
    told_done(&usual);
    told_done(&pages);
    told_done(&followed);
    told_done(&lawless);
    unmake_world(&m);
}

static void a_forbidden_seed_is_known_and_its_robots_txt_is_read(void **state)
{
    (void)state;
    struct made m = make_world("hosts=2 pages=200 forbidden=0.2");
    uint32_t p = 1;
    while (page_of(m.world, 0, p).role != PAGE_FORBIDDEN)
        p++;
    struct oracle_wish wish = {
        .seed_url = url_of(m.world, (struct place){0, PLACE_PAGE, p, 0}, m.arena),
        .no_sitemaps = true,
        .depth = UINT64_MAX,
    };
    struct told t = ask(&m, wish);
    assert_int_equal(t.counts[ORACLE_MUST], 1);  /* robots.txt */
    assert_int_equal(t.counts[ORACLE_KNOWN], 2); /* the page, and the sitemap that is not read */
    assert_str(row_of(&t, &m, (struct place){0, PLACE_PAGE, p, 0})->why, STR("robots"));
    told_done(&t);
    unmake_world(&m);
}

static void a_seed_may_lack_its_path_and_have_a_fragment(void **state)
{
    (void)state;
    static const char *const seeds[] = {"http://INDEX.test", "http://index.test/#top",
                                        "http://index.test#top", "HTTP://index.test/"};
    struct made m = make_world("hosts=2 pages=5 demo=yes http-port=80");
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        struct told t =
            ask(&m, (struct oracle_wish){.seed_url = str_c(seeds[i]), .depth = UINT64_MAX});
        assert_int_equal(row_at(&t, "http://index.test/")->class, ORACLE_MUST);
        told_done(&t);
    }
    unmake_world(&m);
}

static void other_seeds_are_refused_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        const char *seed, *reason;
    } rows[] = {
        {"", "no page of this web"},
        {"index.test", "no page of this web"},
        {"ftp://index.test/", "no page of this web"},
        {"http://", "no page of this web"},
        {"http:///", "no page of this web"},
        {"http://nowhere.test:8080/", "no page of this web"},
        {"http://index.test:8080/nothing", "no page of this web"},
        {"http://index.test/", "did you mean http://index.test:8080/?"},
        {"https://index.test:8080/", "did you mean http://index.test:8080/?"},
        {"http://index.test:8080/f06/", "no page of this web"},
        {"http://zoo.test:8080/", "no page of this web"},
        {"http://f46.test:8080/", "no page of this web"},
    };
    struct made m = make_world("hosts=2 pages=5 demo=yes");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct oracle_wish wish = {.seed_url = str_c(rows[i].seed)};
        struct told t;
        struct buf why;
        told_init(&t);
        buf_init(&why, 1000);
        assert_rc(oracle_walk(m.world, &wish, tell, &t, &why), RC_INVALID);
        if (str_find_str(buf_str(&why), str_c(rows[i].reason)) == why.n)
            fail_msg("%s: %.*s", rows[i].seed, (int)why.n, why.p);
        assert_int_equal(t.rows.count, 0);
        buf_done(&why);
        told_done(&t);
    }
    unmake_world(&m);
}

static void a_row_that_says_so_ends_the_walk(void **state)
{
    (void)state;
    struct made m = make_world("hosts=20 pages=20 sprinkle=f78=1");
    for (uint32_t at = 1; at < 60; at++) {
        struct told t;
        struct buf why;
        told_init(&t);
        buf_init(&why, 1000);
        t.stop_at = at;
        struct oracle_wish wish = {
            .seed_url = url_of(m.world, (struct place){0, PLACE_PAGE, 0, 0}, m.arena),
            .depth = 1,
        };
        assert_rc(oracle_walk(m.world, &wish, tell, &t, &why), RC_OK);
        assert_true(t.rows.count <= at);
        buf_done(&why);
        told_done(&t);
    }
    unmake_world(&m);
}

/* Faults ------------------------------------------------------------------------------------- */

static void a_dead_host_is_known_and_not_left(void **state)
{
    (void)state;
    struct made m = make_world("hosts=60 pages=10 sprinkle=f46=0.3");
    struct told t = ask(&m, (struct oracle_wish){.scope = ORACLE_ANY, .depth = UINT64_MAX});
    uint32_t dead = 0;
    for (uint32_t h = 0; h < 60; h++) {
        const struct fault_host *row;
        bool is_dead = fault_sprinkled(m.world, h, &row) && row->is_dead;
        const struct told_row *robots = row_of(&t, &m, (struct place){h, PLACE_ROBOTS, 0, 0});
        if (robots)
            assert_int_equal(robots->class, is_dead ? ORACLE_MAY : ORACLE_MUST);
        for (uint32_t p = 0; p < 10; p++) {
            const struct told_row *r = row_of(&t, &m, (struct place){h, PLACE_PAGE, p, 0});
            if (!r)
                continue;
            assert_int_equal(str_eq(r->why, STR("f46")), is_dead);
            dead += is_dead;
        }
        if (is_dead)
            assert_null(row_of(&t, &m, (struct place){h, PLACE_STYLE, 0, 0}));
    }
    assert_true(dead > 5);
    told_done(&t);
    unmake_world(&m);
}

static void a_sprinkled_path_fault_is_linked_from_the_home_page(void **state)
{
    (void)state;
    struct made m = make_world("hosts=2 pages=10 demo=yes http-port=80 sprinkle=f78=1");
    struct told t = ask(&m, (struct oracle_wish){.depth = UINT64_MAX});
    assert_int_equal(row_at(&t, "http://index.test/f78/")->class, ORACLE_MUST);
    assert_int_equal(row_at(&t, "http://index.test/f78/")->depth, 1);
    assert_int_equal(row_at(&t, "http://index.test/f78/rel")->class, ORACLE_MAY);
    assert_int_equal(row_at(&t, "http://index.test/f78/rel")->depth, 2);
    assert_int_equal(row_at(&t, "http://index.test/f78/told/rel-yes")->class, ORACLE_MUST);
    assert_int_equal(row_at(&t, "http://index.test/f78/told/rel-no")->class, ORACLE_KNOWN);
    assert_str(row_at(&t, "http://index.test/f78/told/rel-no")->why, STR("f78"));
    assert_null(row_at(&t, "http://index.test/f78/robots.txt"));
    told_done(&t);
    t = ask(&m, (struct oracle_wish){.depth = 0});
    assert_str(row_at(&t, "http://index.test/f78/")->why, STR("depth"));
    assert_str(row_at(&t, "http://index.test/f78/rel")->why, STR("depth"));
    told_done(&t);
    t = ask(&m, (struct oracle_wish){.seed_url = STR("http://index.test/f78/"), .depth = 1});
    assert_int_equal(row_at(&t, "http://index.test/f78/")->class, ORACLE_MUST);
    assert_int_equal(row_at(&t, "http://index.test/f78/")->depth, 0);
    assert_str(row_at(&t, "http://index.test/f78/told/rel-yes")->why, STR("depth"));
    told_done(&t);
    unmake_world(&m);
}

static void a_fault_of_its_own_host_is_as_its_table_says(void **state)
{
    (void)state;
    struct made m = make_world("hosts=2 http-port=80 fault=f46 fault=f53");
    struct oracle_wish wish = {.seed_url = STR("http://f46.test/"), .depth = UINT64_MAX};
    struct told host = ask(&m, wish);
    assert_int_equal(row_at(&host, "http://f46.test/")->class, ORACLE_MUST);
    assert_int_equal(row_at(&host, "http://f46.test/robots.txt")->class, ORACLE_MUST);
    assert_str(row_at(&host, "http://nx.f46.test/page")->why, STR("scope"));
    assert_null(row_at(&host, "http://nx.f46.test/robots.txt"));
    told_done(&host);
    wish.scope = ORACLE_DOMAIN;
    struct told domain = ask(&m, wish);
    assert_str(row_at(&domain, "http://nx.f46.test/page")->why, STR("f46"));
    assert_int_equal(row_at(&domain, "http://nx.f46.test/robots.txt")->class, ORACLE_MAY);
    assert_int_equal(row_at(&domain, "http://slow.f46.test/page")->class, ORACLE_MAY);
    assert_int_equal(row_at(&domain, "http://good.f46.test/page")->class, ORACLE_MAY);
    assert_int_equal(row_at(&domain, "http://good.f46.test/told/page/good")->class, ORACLE_MUST);
    assert_int_equal(row_at(&domain, "http://good.f46.test/robots.txt")->class, ORACLE_MUST);
    told_done(&domain);
    wish.seed_url = STR("http://f53.test/");
    struct told robots = ask(&m, wish);
    assert_str(row_at(&robots, "http://e503.f53.test/page")->why, STR("f53"));
    assert_int_equal(row_at(&robots, "http://e500.f53.test/robots.txt")->class, ORACLE_MUST);
    told_done(&robots);
    unmake_world(&m);
}

static void the_zoo_leads_to_every_enabled_fault(void **state)
{
    (void)state;
    struct made m = make_world("hosts=2 http-port=80 fault=all");
    struct oracle_wish wish = {
        .seed_url = STR("http://zoo.test/"), .scope = ORACLE_ANY, .depth = UINT64_MAX};
    struct told t = ask(&m, wish);
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < count; i++) {
        char url[64];
        (void)snprintf(url, sizeof url, "http://f%s.test/", all[i]->id + 1);
        const struct told_row *row = row_at(&t, url);
        if (!row || row->class != ORACLE_MUST || row->depth != 1)
            fail_msg("%s is not reached", url);
        (void)snprintf(url, sizeof url, "http://f%s.test/robots.txt", all[i]->id + 1);
        assert_non_null(row_at(&t, url));
    }
    assert_int_equal(row_at(&t, "http://zoo.test/robots.txt")->class, ORACLE_MUST);
    assert_str(row_at(&t, "http://f62.test/cal*")->why, STR("f62"));
    told_done(&t);
    wish.depth = 0;
    t = ask(&m, wish);
    assert_int_equal(t.counts[ORACLE_MUST], 2);
    assert_str(row_at(&t, "http://f46.test/")->why, STR("depth"));
    told_done(&t);
    wish.scope = ORACLE_HOST;
    t = ask(&m, wish);
    assert_str(row_at(&t, "http://f46.test/")->why, STR("scope"));
    told_done(&t);
    unmake_world(&m);
}

/* Every row of every fault: what must be fetched is said so, what must not is. */
static void no_expectation_of_any_fault_is_lost(void **state)
{
    (void)state;
    struct made m = make_world("hosts=2 http-port=80 https-port=443 fault=all");
    struct told t =
        ask(&m, (struct oracle_wish){
                    .seed_url = STR("http://zoo.test/"), .scope = ORACLE_ANY, .depth = UINT64_MAX});
    uint32_t count, checked = 0;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < count; i++)
        for (const struct expect *e = all[i]->expects; e && (e->path || e->why); e++) {
            char room[1000];
            struct buf url = buf_on(room, sizeof room);
            bool exact = e->label && e->path && !strchr(e->path, '*') && !strchr(e->label, '.') &&
                         strcmp(e->label, "*") != 0;
            if (!exact || (e->kind != EXPECT_FETCHED && e->kind != EXPECT_NEVER))
                continue;
            (e->https ? fault_https_url : fault_place_url)(m.world, all[i], str_c(e->label),
                                                           str_c(e->path), &url);
            const struct told_row *row = map_get(&t.rows, buf_str(&url));
            bool must = e->kind == EXPECT_FETCHED;
            if (!row || row->class != (must ? ORACLE_MUST : ORACLE_KNOWN))
                fail_msg("%.*s is not said", (int)url.n, url.p);
            checked++;
        }
    assert_true(checked > 200);
    told_done(&t);
    unmake_world(&m);
}

/* Memory ------------------------------------------------------------------------------------- */

static int count_row(void *ctx, const struct oracle_row *row)
{
    (void)row;
    ++*(uint64_t *)ctx;
    return 0;
}

static enum rc walk_once(void *ctx)
{
    const struct made *m = ctx;
    char room[1000];
    uint64_t rows = 0;
    struct buf why = buf_on(room, sizeof room);
    struct oracle_wish wish = {
        .seed_url = STR("http://index.test/"), .scope = ORACLE_ANY, .depth = 2};
    return oracle_walk(m->world, &wish, count_row, &rows, &why);
}

static void no_memory_ends_the_walk_and_leaves_nothing(void **state)
{
    (void)state;
    struct made m =
        make_world("hosts=12 pages=60 demo=yes http-port=80 sprinkle=f78=0.5 sprinkle=f46=0.3");
    test_each_allocation_fails(walk_once, &m);
    unmake_world(&m);
}

static void a_large_web_is_walked_whole(void **state)
{
    (void)state;
    struct made m = make_world("hosts=300 pages=300 links=8 images=1 demo=yes http-port=80");
    uint64_t rows = 0;
    struct buf why;
    struct oracle_wish wish = {
        .seed_url = STR("http://index.test/"), .scope = ORACLE_ANY, .depth = UINT64_MAX};
    buf_init(&why, 1000);
    assert_rc(oracle_walk(m.world, &wish, count_row, &rows, &why), RC_OK);
    assert_true(rows > 200000);
    buf_done(&why);
    unmake_world(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_web_is_every_page_of_every_host),
        cmocka_unit_test(a_scope_ends_at_its_host_or_its_domain),
        cmocka_unit_test(depth_counts_links_and_what_is_too_deep_is_known),
        cmocka_unit_test(a_sitemap_makes_every_page_near),
        cmocka_unit_test(a_redirect_costs_no_depth),
        cmocka_unit_test(a_crawl_may_want_less_or_more),
        cmocka_unit_test(a_forbidden_seed_is_known_and_its_robots_txt_is_read),
        cmocka_unit_test(a_seed_may_lack_its_path_and_have_a_fragment),
        cmocka_unit_test(other_seeds_are_refused_with_the_reason),
        cmocka_unit_test(a_row_that_says_so_ends_the_walk),
        cmocka_unit_test(a_dead_host_is_known_and_not_left),
        cmocka_unit_test(a_sprinkled_path_fault_is_linked_from_the_home_page),
        cmocka_unit_test(a_fault_of_its_own_host_is_as_its_table_says),
        cmocka_unit_test(the_zoo_leads_to_every_enabled_fault),
        cmocka_unit_test(no_expectation_of_any_fault_is_lost),
        cmocka_unit_test(no_memory_ends_the_walk_and_leaves_nothing),
        cmocka_unit_test(a_large_web_is_walked_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
