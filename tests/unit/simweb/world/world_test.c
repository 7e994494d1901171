/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/simweb/world/make.h"

#include "world/links.h"

#include <math.h>

static void the_defaults_make_a_web(void **state)
{
    (void)state;
    struct made m = make_world("");
    assert_int_equal(m.settings.hosts, 100);
    assert_int_equal(m.settings.page_bytes, 13 * 1024);
    assert_str(world_settings(m.world)->suffix, STR("test"));
    unmake_world(&m);
}

static void every_setting_has_one_line_of_help(void **state)
{
    (void)state;
    for (const struct option *o = world_options; o->key; o++) {
        assert_non_null(o->help);
        assert_true(strlen(o->help) < 60);
        assert_null(strchr(o->help, '\n'));
    }
}

static void settings_that_make_no_web_are_refused_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        const char *words, *reason;
    } rows[] = {
        {"cross=1.5", "cross"},
        {"https=-0.1", "https"},
        {"changing=2", "changing"},
        {"duplicates=0.5 redirects=0.4", "at most 0.8"},
        {"zipf=9", "zipf"},
        {"page-spread=-1", "page-spread"},
        {"suffix=Test", "suffix"},
        {"suffix=a..b", "suffix"},
        {"suffix=-a", "suffix"},
        {"suffix=test.", "suffix"},
        {"suffix=127", "suffix"},
        {"suffix=a_b", "suffix"},
        {"pages=1M site-depth=1", "depth"},
        {"hosts=1000 pages=1000 host-sizes=zipf site-depth=1", "depth"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made m = make_settings(rows[i].words);
        struct buf why;
        buf_init(&why, 1000);
        assert_rc(world_settings_check(&m.settings, &why), RC_INVALID);
        if (str_find_str(buf_str(&why), str_c(rows[i].reason)) == why.n)
            fail_msg("%s: %.*s", rows[i].words, (int)why.n, why.p);
        buf_done(&why);
        arena_close(m.arena);
    }
}

static void extreme_settings_are_accepted(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "hosts=100M pages=10M site-depth=4",
        "hosts=1 pages=1 site-depth=1 links=0 images=0",
        "hosts=1M host-sizes=zipf site-depth=6",
        "pages=100 site-depth=1",
        "duplicates=0.2 near-duplicates=0.2 redirects=0.2 forbidden=0.1 nofollow=0.1",
        "suffix=sim.example.org",
        "links=400 images=25 page-spread=3 site-depth=1000",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made m = make_world(rows[i]);
        struct links l;
        for (uint32_t page = 0; page < 20 && page < host_pages(m.world, 0); page++)
            links_of(m.world, (struct place){0, PLACE_PAGE, page, 0}, &l);
        unmake_world(&m);
    }
}

/* A number that depends on much of what a world says. */
static uint64_t digest(const struct world *w)
{
    struct buf text;
    struct links l;
    uint64_t sum = 0;
    buf_init(&text, 1000);
    for (uint32_t i = 0; i < 500; i++) {
        struct place p = {i % 100, PLACE_PAGE, i % 97, 0};
        buf_clear(&text);
        place_url(w, p, &text);
        for (size_t k = 0; k < text.n; k++)
            sum = sum * 31 + (unsigned char)text.p[k];
        links_of(w, p, &l);
        for (uint32_t k = 0; k < l.count; k++)
            sum = sum * 31 + l.list[k].to.host * UINT64_C(1000003) + l.list[k].to.page +
                  l.list[k].quirks;
        sum = sum * 31 + page_of(w, p.host, p.page).bytes;
    }
    buf_done(&text);
    return sum;
}

static void the_same_seed_is_the_same_web_and_another_is_another(void **state)
{
    (void)state;
    struct made a = make_world("seed=7"), b = make_world("seed=7"), c = make_world("seed=8");
    assert_int_equal(digest(a.world), digest(b.world));
    assert_int_not_equal(digest(a.world), digest(c.world));
    unmake_world(&a);
    unmake_world(&b);
    unmake_world(&c);
}

static void a_world_needs_nothing_of_the_settings_it_was_made_from(void **state)
{
    (void)state;
    struct made m = make_world("suffix=own.example fault=f35 fault=f36 sprinkle=f01=0.5");
    arena_close(m.arena);
    m.arena = NULL;
    memset(&m.settings, 0xff, sizeof m.settings);
    const struct world_settings *s = world_settings(m.world);
    assert_str(s->suffix, STR("own.example"));
    assert_int_equal(s->faults.count, 2);
    assert_str(s->faults.items[1], STR("f36"));
    assert_str(s->sprinkle.items[0], STR("f01=0.5"));
    world_close(m.world);
}

static void chances_are_even_and_differ_by_every_argument(void **state)
{
    (void)state;
    struct made m = make_world("");
    enum { DRAWS = 100000 };
    uint32_t bits[64] = {0}, within = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        uint64_t c = world_chance(m.world, 1234, i & 1023, i >> 10);
        for (unsigned b = 0; b < 64; b++)
            bits[b] += (c >> b) & 1;
        within += world_share(c, 0.3);
    }
    for (unsigned b = 0; b < 64; b++)
        assert_true(fabs((double)bits[b] / DRAWS - 0.5) < 0.01);
    assert_true(fabs((double)within / DRAWS - 0.3) < 0.01);
    uint64_t c = world_chance(m.world, 1, 2, 3);
    assert_int_not_equal(c, world_chance(m.world, 2, 2, 3));
    assert_int_not_equal(c, world_chance(m.world, 1, 3, 3));
    assert_int_not_equal(c, world_chance(m.world, 1, 2, 4));
    assert_int_not_equal(c, world_chance(m.world, 1, 3, 2));
    unmake_world(&m);
}

static void shares_of_none_and_all_are_exact(void **state)
{
    (void)state;
    assert_false(world_share(0, 0));
    assert_false(world_share(UINT64_MAX, 0));
    assert_true(world_share(0, 1));
    assert_true(world_share(UINT64_MAX, 1));
}

/* How often the numbers 0, 1, 9 and 99 come in 200000 draws below 1000. */
static void count_zipf(const char *words, double ret[4])
{
    struct made m = make_world(words);
    enum { DRAWS = 200000, BELOW = 1000 };
    uint32_t seen[BELOW] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        uint64_t v = world_zipf(m.world, world_chance(m.world, 999, i, 0), BELOW);
        assert_true(v < BELOW);
        seen[v]++;
    }
    static const uint32_t at[] = {0, 1, 9, 99};
    for (int k = 0; k < 4; k++)
        ret[k] = (double)seen[at[k]] / DRAWS;
    unmake_world(&m);
}

/* Of the density x^-s on [1, 1001): the part between k + 1 and k + 2. */
static double zipf_share(double s, double k)
{
    if (s == 1)
        return log((k + 2) / (k + 1)) / log(1001);
    return (pow(k + 2, 1 - s) - pow(k + 1, 1 - s)) / (pow(1001, 1 - s) - 1);
}

static void links_are_spread_as_zipf_says(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        double s;
    } rows[] = {{"zipf=0", 0}, {"zipf=0.7", 0.7}, {"zipf=1", 1}, {"zipf=2", 2}};
    static const double at[] = {0, 1, 9, 99};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double got[4];
        count_zipf(rows[i].words, got);
        for (int k = 0; k < 4; k++) {
            double want = zipf_share(rows[i].s, at[k]);
            if (fabs(got[k] - want) > 0.002 + want * 0.05)
                fail_msg("%s: %g comes %g of the time, expected %g", rows[i].words, at[k], got[k],
                         want);
        }
    }
}

static void zipf_of_one_or_none_is_the_first(void **state)
{
    (void)state;
    struct made m = make_world("zipf=1");
    assert_int_equal(world_zipf(m.world, UINT64_MAX, 1), 0);
    assert_int_equal(world_zipf(m.world, UINT64_MAX, 0), 0);
    assert_true(world_zipf(m.world, UINT64_MAX, WORLD_MAX_HOSTS) < WORLD_MAX_HOSTS);
    unmake_world(&m);
}

static enum rc open_once(void *ctx)
{
    struct world *w = world_open(ctx);
    world_close(w);
    return w ? RC_OK : RC_NOMEM;
}

static void no_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    struct made m = make_settings("fault=f01 fault=f02 sprinkle=f03=0.1");
    test_each_allocation_fails(open_once, &m.settings);
    world_close(NULL);
    arena_close(m.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_defaults_make_a_web),
        cmocka_unit_test(every_setting_has_one_line_of_help),
        cmocka_unit_test(settings_that_make_no_web_are_refused_with_the_reason),
        cmocka_unit_test(extreme_settings_are_accepted),
        cmocka_unit_test(the_same_seed_is_the_same_web_and_another_is_another),
        cmocka_unit_test(a_world_needs_nothing_of_the_settings_it_was_made_from),
        cmocka_unit_test(chances_are_even_and_differ_by_every_argument),
        cmocka_unit_test(shares_of_none_and_all_are_exact),
        cmocka_unit_test(links_are_spread_as_zipf_says),
        cmocka_unit_test(zipf_of_one_or_none_is_the_first),
        cmocka_unit_test(no_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
