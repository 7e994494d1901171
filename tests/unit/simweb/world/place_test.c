/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/simweb/world/make.h"

#include "base/hash.h"
#include "base/rng.h"
#include "world/links.h"

static const char *const webs[] = {
    "hosts=200 pages=300",
    "hosts=60 pages=100 forbidden=0.3 redirects=0.2 seed=3",
    "hosts=40 pages=100 host-sizes=zipf seed=4 images=10",
    "hosts=12 pages=80 demo=yes suffix=localhost",
};

static bool same_place(struct place a, struct place b)
{
    return a.host == b.host && a.kind == b.kind && a.page == b.page && a.nth == b.nth;
}

static void check_round_trip(const struct world *w, struct place p)
{
    char room[1000];
    struct buf b = buf_on(room, sizeof room);
    place_path(w, p, &b);
    assert_rc(buf_rc(&b), RC_OK);
    assert_true(b.n < 250);
    if (!same_place(place_of(w, p.host, buf_str(&b)), p))
        fail_msg("host %u kind %d page %u nth %u: %.*s", p.host, p.kind, p.page, p.nth, (int)b.n,
                 b.p);
}

static void a_path_leads_back_to_its_page(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof webs / sizeof *webs; i++) {
        struct made m = make_world(webs[i]);
        for (uint32_t h = 0; h < m.settings.hosts; h++)
            for (uint32_t p = 0; p < host_pages(m.world, h); p++)
                check_round_trip(m.world, (struct place){h, PLACE_PAGE, p, 0});
        unmake_world(&m);
    }
}

static void everything_that_is_linked_leads_back_to_itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof webs / sizeof *webs; i++) {
        struct made m = make_world(webs[i]);
        struct links l;
        for (uint32_t h = 0; h < 12; h++)
            for (enum place_kind kind = PLACE_PAGE; kind < PLACE_KINDS_; kind++)
                for (uint32_t p = 0; p < host_pages(m.world, h) && p < 40; p++) {
                    struct place from = {h, kind, kind == PLACE_PAGE ? p : 0, 0};
                    links_of(m.world, from, &l);
                    for (uint32_t k = 0; k < l.count; k++)
                        check_round_trip(m.world, l.list[k].to);
                    if (kind != PLACE_PAGE)
                        break;
                }
        unmake_world(&m);
    }
}

/* Also written down here, so that a change of the forms is seen for what it is: another web. */
static void paths_look_as_documented(void **state)
{
    (void)state;
    struct made m = make_world("hosts=300 pages=2000");
    uint32_t html = 0, folder = 0, query = 0, encoded = 0, private = 0, dateless = 0;
    char room[1000];
    for (uint32_t h = 0; h < 300; h++)
        for (uint32_t p = 1; p < 100; p++) {
            struct buf b = buf_on(room, sizeof room);
            place_path(m.world, (struct place){h, PLACE_PAGE, p, 0}, &b);
            struct str path = buf_str(&b);
            bool is_query = str_find(path, '?') < path.n;
            query += is_query;
            html += str_ends(path, STR(".html"));
            folder += str_ends(path, STR("/"));
            dateless += !is_query && str_find(path, '.') == path.n;
            encoded += str_find(path, '%') < path.n;
            private += str_starts(path, STR("/private/"));
            assert_int_equal(str_starts(path, STR("/private/")),
                             page_of(m.world, h, p).role == PAGE_FORBIDDEN);
        }
    const uint32_t all = 300 * 99;
    assert_true(html > all / 3 && folder > all / 10 && query > all / 10 && encoded > all / 20);
    assert_true(dateless > all / 20 && private > all / 100);
    unmake_world(&m);
}

static bool is_url_byte(char c)
{
    return ascii_is_digit(c) || (c >= 'a' && c <= 'z') || (c && strchr("/-.?=&", c));
}

static uint32_t times_in(struct str path, struct str segment)
{
    uint32_t times = 0;
    while (path.p)
        times += str_eq(str_take_until(&path, '/'), segment);
    return times;
}

static void paths_are_in_the_form_a_crawler_normalises_to(void **state)
{
    (void)state;
    struct made m = make_world("hosts=300 pages=500");
    char room[1000];
    for (uint32_t h = 0; h < 300; h++)
        for (uint32_t p = 0; p < 100; p++) {
            struct buf b = buf_on(room, sizeof room);
            place_path(m.world, (struct place){h, PLACE_PAGE, p, 0}, &b);
            for (size_t k = 0; k < b.n; k++) {
                bool coded = b.p[k] == '%' && k + 2 < b.n && ascii_hex(b.p[k + 1]) >= 8;
                assert_true(coded || is_url_byte(b.p[k]));
                assert_true(!coded || (b.p[k + 1] <= 'F' && b.p[k + 2] <= 'F'));
                k += coded ? 2 : 0;
            }
            struct str rest = str_first(buf_str(&b), str_find(buf_str(&b), '?'));
            assert_true(str_find_str(rest, STR("//")) == rest.n);
            while (rest.p) {
                struct str segment = str_take_until(&rest, '/');
                assert_true(segment.n == 0 || times_in(buf_str(&b), segment) <= 2);
                assert_false(str_eq(segment, STR(".")) || str_eq(segment, STR("..")));
            }
        }
    unmake_world(&m);
}

static void hostile_paths_are_no_places(void **state)
{
    (void)state;
    struct made m = make_world("hosts=5 pages=50");
    static const char *const paths[] = {
        "",
        "x",
        "//",
        "/-",
        "/--",
        "/-0",
        "/index.html",
        "/?id=",
        "/?id=0",
        "/?id=1",
        "/?id=99999999999999999999",
        "/private/",
        "/img/",
        "/img/-",
        "/img/a-b-1-0.png",
        "/img/--0-0.png",
        "/sitemap-",
        "/sitemap-.xml",
        "/sitemap-0.xml.gz",
        "/sitemap-1.xml",
        "/sitemap-99.xml",
        "/sitemap-00.xml",
        "/sitemap-4294967296.xml",
        "/sitemap.xmlx",
        "/robots.txt/",
        "/robots.txt?",
        "/favicon.ico?x",
        "/assets/",
        "/assets/site.css2",
        "/feed.xml/..",
        "/../robots.txt",
        "/%2e%2e/",
        "*",
        "http://www.heron0.test/",
        "/\xff\xfe",
        "/a-\xc3",
        "/news/quiet-river-0.html",
        "/private/x-3.html",
        "/sitemap-0.xml?x=1",
    };
    for (uint32_t h = 0; h < 5; h++)
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
            if (place_of(m.world, h, str_c(paths[i])).kind != PLACE_NONE)
                fail_msg("%s is a place", paths[i]);
    assert_int_equal(place_of(m.world, 0, STR_NONE).kind, PLACE_NONE);
    assert_int_equal(place_of(m.world, 5, STR("/")).kind, PLACE_NONE);
    static char long_path[100000];
    memset(long_path, '-', sizeof long_path);
    long_path[0] = '/';
    assert_int_equal(place_of(m.world, 0, str_make(long_path, sizeof long_path)).kind, PLACE_NONE);
    unmake_world(&m);
}

/* A path with one byte changed is no place, or it is that place's own path. */
static void a_path_spoilt_is_never_taken_for_the_page(void **state)
{
    (void)state;
    struct made m = make_world("hosts=20 pages=200");
    struct rng rng;
    char room[1000], again[1000];
    rng_init(&rng, test_seed(1));
    for (uint32_t i = 0; i < 30000; i++) {
        struct place p = {(uint32_t)rng_below(&rng, 20), PLACE_PAGE, (uint32_t)rng_below(&rng, 200),
                          0};
        struct buf b = buf_on(room, sizeof room), same = buf_on(again, sizeof again);
        place_path(m.world, p, &b);
        b.p[rng_below(&rng, b.n)] = (char)rng_below(&rng, 256);
        struct place q = place_of(m.world, p.host, buf_str(&b));
        if (q.kind == PLACE_NONE)
            continue;
        place_path(m.world, q, &same);
        assert_str(buf_str(&b), buf_str(&same));
    }
    unmake_world(&m);
}

static void what_a_host_does_not_have_is_no_place(void **state)
{
    (void)state;
    struct made m = make_world("hosts=200 pages=20");
    uint32_t without = 0;
    for (uint32_t h = 0; h < 200; h++) {
        struct host_robots r = host_robots(m.world, h);
        assert_int_equal(place_of(m.world, h, STR("/robots.txt")).kind == PLACE_ROBOTS, r.exists);
        assert_int_equal(place_of(m.world, h, STR("/sitemap.xml")).kind == PLACE_SITEMAP_INDEX,
                         r.sitemaps > 0);
        without += !r.exists;
    }
    assert_true(without > 0);
    unmake_world(&m);
}

static void only_images_that_a_page_shows_are_places(void **state)
{
    (void)state;
    struct made m = make_world("hosts=3 pages=400 duplicates=0.2");
    char room[1000];
    for (uint32_t p = 0; p < 400; p++) {
        struct page page = page_of(m.world, 1, p);
        bool own =
            page.role == PAGE_NORMAL || page.role == PAGE_NOFOLLOW || page.role == PAGE_FORBIDDEN;
        for (uint32_t nth = 0; nth < 8; nth++) {
            struct buf b = buf_on(room, sizeof room);
            place_path(m.world, (struct place){1, PLACE_IMAGE, p, nth}, &b);
            assert_int_equal(place_of(m.world, 1, buf_str(&b)).kind,
                             own && nth < page.images ? PLACE_IMAGE : PLACE_NONE);
        }
    }
    unmake_world(&m);
}

static void a_url_is_origin_and_path(void **state)
{
    (void)state;
    struct made m = make_world("hosts=3 demo=yes http-port=80");
    char room[300];
    struct buf b = buf_on(room, sizeof room);
    place_url(m.world, (struct place){1, PLACE_STYLE, 0, 0}, &b);
    assert_str(buf_str(&b), STR("http://garden.test/assets/site.css"));
    unmake_world(&m);
}

static void a_url_leads_back_to_its_place(void **state)
{
    (void)state;
    struct made m = make_world("hosts=3 demo=yes http-port=8080");
    static const char *const none[] = {
        "",
        "/",
        "http",
        "://",
        "http://",
        "http:///",
        "http://nobody.test/",
        "garden.test/",
        "http://garden.test:8080/no-such-page",
    };
    const struct place style = {1, PLACE_STYLE, 0, 0};
    char room[300];
    struct buf b = buf_on(room, sizeof room);
    place_url(m.world, style, &b);
    assert_true(same_place(place_of_url(m.world, buf_str(&b)), style));
    struct place home = place_of_url(m.world, STR("http://garden.test:8080/"));
    assert_int_equal(home.kind, PLACE_PAGE);
    assert_true(same_place(place_of_url(m.world, STR("http://garden.test")), home));
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(place_of_url(m.world, str_c(none[i])).kind, PLACE_NONE);
    unmake_world(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_leads_back_to_its_page),
        cmocka_unit_test(everything_that_is_linked_leads_back_to_itself),
        cmocka_unit_test(paths_look_as_documented),
        cmocka_unit_test(paths_are_in_the_form_a_crawler_normalises_to),
        cmocka_unit_test(hostile_paths_are_no_places),
        cmocka_unit_test(a_path_spoilt_is_never_taken_for_the_page),
        cmocka_unit_test(what_a_host_does_not_have_is_no_place),
        cmocka_unit_test(only_images_that_a_page_shows_are_places),
        cmocka_unit_test(a_url_is_origin_and_path),
        cmocka_unit_test(a_url_leads_back_to_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
