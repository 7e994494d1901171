/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/scope.h"

#include "lib/test.h"
#include "url/normalise.h"

#include <stdio.h>

/* Helpers ---------------------------------------------------------------------------------------
 */

static char room[URL_ROOM_BYTES];

static struct url parsed(const char *text)
{
    struct url u;
    struct url_parser parser = {.idn = NULL};
    assert_rc(url_parse(&parser, str_c(text), NULL, (struct url_room){room, sizeof room}, &u),
              RC_OK);
    url_normalise(&u, URL_RULES_DEFAULT);
    return u;
}

static struct scope_settings usual(struct arena *arena, enum scope_kind kind)
{
    struct scope_settings s = {0};
    assert_rc(options_default(scope_options, &s, arena), RC_OK);
    s.scope = kind;
    return s;
}

static struct scope *opened(const struct scope_settings *settings)
{
    struct scope *s = NULL;
    struct buf why = {.max = 1000};
    assert_rc(scope_open(settings, &s, &why), RC_OK);
    buf_done(&why);
    return s;
}

static struct scope *opened_kind(enum scope_kind kind)
{
    struct arena *arena = arena_open(1024, 1 << 20);
    struct scope_settings settings = usual(arena, kind);
    struct scope *s = opened(&settings);
    arena_close(arena);
    return s;
}

static void add(struct scope *s, const char *seed)
{
    struct url u = parsed(seed);
    assert_rc(scope_add_seed(s, &u), RC_OK);
}

static enum scope_verdict check(const struct scope *s, const char *text, const char *seed_path)
{
    struct url u = parsed(text);
    return scope_check(s, &u, str_c(seed_path));
}

/* What the seeds draw ---------------------------------------------------------------------------
 */

static const char *const seeds[] = {
    "https://www.example.co.uk/docs/guide/start.html?x=1",
    "http://shop.test:8080/a",
    "http://192.0.2.7/",
    "http://[2001:db8::1]/x/",
    "https://me.github.io/blog/",
    "https://amazonaws.com/",
    "http://github.io/",
};

static const struct row {
    const char *name, *url;
    unsigned in; /* bits of enum scope_kind: where it is in scope */
} rows[] = {
#define H (1 << SCOPE_HOST)
#define D (1 << SCOPE_DOMAIN)
#define P (1 << SCOPE_PREFIX)
#define S (1 << SCOPE_PAGE)
#define A (1 << SCOPE_ANY)
    {"a seed", "https://www.example.co.uk/docs/guide/start.html?x=1", H | D | P | S | A},
    {"another page of its folder", "https://www.example.co.uk/docs/guide/2.html", H | D | P | A},
    {"a folder below", "https://www.example.co.uk/docs/guide/a/b?q=/", H | D | P | A},
    {"the folder itself", "https://www.example.co.uk/docs/guide/", H | D | P | A},
    {"the folder without its slash", "https://www.example.co.uk/docs/guide", H | D | A},
    {"the folder above", "https://www.example.co.uk/docs/", H | D | A},
    {"another scheme", "http://www.example.co.uk/docs/guide/x", H | D | P | A},
    {"another port", "https://www.example.co.uk:8443/docs/guide/x", H | D | A},
    {"a seed with another query", "https://www.example.co.uk/docs/guide/start.html", H | D | P | A},
    {"another host of the domain", "https://blog.example.co.uk/docs/guide/", D | A},
    {"the domain itself", "https://example.co.uk/", D | A},
    {"a host far below", "https://a.b.c.example.co.uk/", D | A},
    {"a domain that ends alike", "https://myexample.co.uk/", A},
    {"the public suffix", "https://co.uk/", A},
    {"a neighbour below the suffix", "https://other.co.uk/", A},
    {"a port of a seed's own", "http://shop.test:8080/b", H | D | P | A},
    {"the same without the port", "http://shop.test/b", H | D | A},
    {"a name that a seed's name ends", "http://x.shop.test/", D | A},
    {"an address", "http://192.0.2.7/y", H | D | P | A},
    {"an address that begins alike", "http://192.0.2.77/", A},
    {"an address that ends alike", "http://92.0.2.7/", A},
    {"an IPv6 address", "http://[2001:db8::1]/x/y", H | D | P | A},
    {"another IPv6 address", "http://[2001:db8::2]/x/", A},
    {"a site of a hosting company", "https://me.github.io/other", H | D | A},
    {"another customer's site", "https://you.github.io/blog/", A},
    {"the hosting company, a seed of its own", "http://github.io/x", H | D | P | A},
    {"a host of a seed's domain", "https://docs.amazonaws.com/", D | A},
    {"below a suffix that lies below a seed's domain", "https://bucket.s3.amazonaws.com/", A},
    {"a dot at the end of the host", "https://www.example.co.uk./docs/guide/", H | D | P | A},
    {"userinfo", "https://me:x@www.example.co.uk/docs/guide/", H | D | P | A},
#undef H
#undef D
#undef P
#undef S
#undef A
};

static void the_seeds_draw_the_scope(void **state)
{
    (void)state;
    struct score score = {.set = "scope/drawn"};
    for (unsigned kind = SCOPE_HOST; kind <= SCOPE_ANY; kind++) {
        struct scope *s = opened_kind((enum scope_kind)kind);
        for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
            add(s, seeds[i]);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            enum scope_verdict expected = rows[i].in >> kind & 1 ? SCOPE_IN : SCOPE_OUTSIDE;
            score_row(&score, check(s, rows[i].url, "L") == expected, "kind %u: %s", kind,
                      rows[i].name);
        }
        scope_close(s);
    }
    score_end(&score, 5 * sizeof rows / sizeof *rows);
    scope_close(NULL);
}

/* Hops and traps --------------------------------------------------------------------------------
 */

#define R10 "RRRRRRRRRR"
#define L100                                             \
    "LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL" \
    "LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL"

static const struct check_row {
    const char *name, *url, *seed_path;
    enum scope_verdict expected;
} check_rows[] = {
    {"another scheme", "mailto:a@b.test", "L", SCOPE_NOT_HTTP},
    {"a web socket is another scheme", "ws://a.test/", "L", SCOPE_NOT_HTTP},
    {"a port of mail (F82)", "http://a.test:25/", "L", SCOPE_BAD_PORT},
    {"port 0 (F82)", "http://a.test:0/", "L", SCOPE_BAD_PORT},
    {"the port of X11 (F82)", "http://a.test:6000/", "L", SCOPE_BAD_PORT},
    {"the scheme's own port (F82)", "http://a.test:080/", "L", SCOPE_IN},
    {"another port (F82)", "http://a.test:8080/", "L", SCOPE_IN},
    {"a bad port elsewhere is said first", "http://b.test:22/", "L", SCOPE_BAD_PORT},
    {"as deep as may be", "http://a.test/x", L100, SCOPE_IN},
    {"one link too deep", "http://a.test/x", L100 "L", SCOPE_TOO_DEEP},
    {"a line of a sitemap is a link", "http://a.test/x", L100 "X", SCOPE_TOO_DEEP},
    {"a redirect is none", "http://a.test/x", L100 "R", SCOPE_IN},
    {"an embed is none", "http://a.test/x", L100 "E", SCOPE_IN},
    {"a path that repeats itself (F63)", "http://a.test/more/more/more/", "L", SCOPE_TRAP},
    {"two folders in turn (F63)", "http://a.test/ab/a/b/a/b/a/b/", "L", SCOPE_TRAP},
    {"25 folders (F63)", "http://a.test/1/2/3/4/5/6/7/8/9/0/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/", "L",
     SCOPE_IN},
    {"26 folders (F63)", "http://a.test/1/2/3/4/5/6/7/8/9/0/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p", "L",
     SCOPE_TRAP},
    {"a query may repeat itself", "http://a.test/?x/x/x/x/x", "L", SCOPE_IN},
    {"ten redirects in a row (F39)", "http://a.test/x", "L" R10, SCOPE_IN},
    {"eleven redirects in a row (F39)", "http://a.test/x", "L" R10 "R", SCOPE_REDIRECTS},
    {"eleven that are not in a row", "http://a.test/x", "L" R10 "LR", SCOPE_IN},
    {"another host", "http://b.test/", "L", SCOPE_OUTSIDE},
    {"another host's image", "http://b.test/i.png", "LE", SCOPE_IN},
    {"a seed's image", "http://b.test/i.png", "E", SCOPE_IN},
    {"a style's font", "http://b.test/f.woff", "LEE", SCOPE_IN},
    {"an image that was moved", "http://c.test/i.png", "LER", SCOPE_IN},
    {"three embeds in a row", "http://b.test/i", "LEEE", SCOPE_IN},
    {"four embeds in a row", "http://b.test/i", "LEEEE", SCOPE_OUTSIDE},
    {"four embeds in a row, moved between", "http://b.test/i", "LERERERER", SCOPE_OUTSIDE},
    {"four embeds in a row at home", "http://a.test/i", "LEEEE", SCOPE_IN},
    {"a link from an embed", "http://b.test/", "LEL", SCOPE_OUTSIDE},
    {"where a seed redirects to, until it joins", "http://b.test/", "R", SCOPE_OUTSIDE},
    {"where a seed redirects to, at home", "http://a.test/x", "RRRRR", SCOPE_IN},
    {"where a seed redirects to, over six", "http://b.test/", "RRRRRR", SCOPE_OUTSIDE},
    {"where a link redirects to", "http://b.test/", "LR", SCOPE_OUTSIDE},
    {"a trap where a seed redirects to", "http://b.test/a/a/a/", "R", SCOPE_TRAP},
    {"a trap among images", "http://b.test/a/a/a/i.png", "LE", SCOPE_TRAP},
    {"no hops and no seed", "http://b.test/", "", SCOPE_OUTSIDE},
    {"letters that nobody knows", "http://a.test/", "?\xff", SCOPE_IN},
};

static void hops_and_traps_count(void **state)
{
    (void)state;
    struct score score = {.set = "scope/hops"};
    struct scope *s = opened_kind(SCOPE_HOST);
    add(s, "http://a.test/");
    for (size_t i = 0; i < sizeof check_rows / sizeof *check_rows; i++) {
        const struct check_row *r = &check_rows[i];
        enum scope_verdict got = check(s, r->url, r->seed_path);
        score_row(&score, got == r->expected, "%s: %s", r->name, scope_verdict_text(got));
    }
    score_end(&score, sizeof check_rows / sizeof *check_rows);
    scope_close(s);
}

static void a_url_has_a_length(void **state)
{
    (void)state;
    char text[5000] = "http://a.test/";
    struct scope *s = opened_kind(SCOPE_HOST);
    memset(text + 14, 'x', sizeof text - 14);
    add(s, "http://a.test/");
    text[2000] = '\0';
    assert_int_equal(check(s, text, "L"), SCOPE_IN);
    text[2000] = 'x';
    text[4097] = '\0';
    assert_int_equal(check(s, text, "L"), SCOPE_TOO_LONG);
    text[4096] = '\0';
    assert_int_equal(check(s, text, "L"), SCOPE_IN);
    scope_close(s);
}

static void a_seeds_redirect_joins(void **state)
{
    (void)state;
    struct scope *s = opened_kind(SCOPE_HOST);
    add(s, "http://a.test/");
    assert_int_equal(check(s, "https://www.a.test/", "R"), SCOPE_OUTSIDE);
    assert_int_equal(check(s, "https://www.a.test/x", "RL"), SCOPE_OUTSIDE);
    add(s, "https://www.a.test/");
    assert_int_equal(check(s, "https://www.a.test/", "R"), SCOPE_IN);
    assert_int_equal(check(s, "https://www.a.test/x", "RL"), SCOPE_IN);
    scope_close(s);
}

/* Settings --------------------------------------------------------------------------------------
 */

static void a_seed_is_in_scope_whatever_else_says_no(void **state)
{
    (void)state;
    struct arena *arena = arena_open(1024, 1 << 20);
    struct str never = STR("never"), all = STR(".");
    char seed[5000] = "http://a.test/a/a/a/";
    memset(seed + 20, 'x', sizeof seed - 21);
    for (unsigned kind = SCOPE_HOST; kind <= SCOPE_ANY; kind++) {
        struct scope_settings settings = usual(arena, (enum scope_kind)kind);
        settings.include = (struct option_list){&never, 1};
        settings.exclude = (struct option_list){&all, 1};
        settings.depth = 0;
        settings.pages_only = true;
        struct scope *s = opened(&settings);
        add(s, seed);
        assert_int_equal(check(s, seed, ""), SCOPE_IN);
        assert_int_equal(check(s, seed, "LLE"), SCOPE_IN);
        add(s, "http://a.test:25/");
        add(s, "ftp://a.test/");
        assert_int_equal(check(s, "http://a.test:25/", ""), SCOPE_BAD_PORT);
        assert_int_equal(check(s, "ftp://a.test/", ""), SCOPE_NOT_HTTP);
        scope_close(s);
    }
    arena_close(arena);
}

static void a_seed_with_a_bad_port_draws_nothing(void **state)
{
    (void)state;
    struct scope *s = opened_kind(SCOPE_HOST);
    add(s, "http://a.test:25/");
    add(s, "ftp://a.test/");
    assert_int_equal(check(s, "http://a.test/", "L"), SCOPE_OUTSIDE);
    scope_close(s);
}

static void pages_only_leaves_embeds_out(void **state)
{
    (void)state;
    struct arena *arena = arena_open(1024, 1 << 20);
    struct scope_settings settings = usual(arena, SCOPE_ANY);
    settings.pages_only = true;
    struct scope *s = opened(&settings);
    assert_int_equal(check(s, "http://a.test/i.png", "LE"), SCOPE_NOT_WANTED);
    assert_int_equal(check(s, "http://a.test/i.png", "LER"), SCOPE_NOT_WANTED);
    assert_int_equal(check(s, "http://a.test/", "LEL"), SCOPE_IN);
    scope_close(s);
    arena_close(arena);
}

static void include_and_exclude_are_obeyed_and_may_change(void **state)
{
    (void)state;
    struct arena *arena = arena_open(1024, 1 << 20);
    struct buf why = {.max = 1000};
    struct scope_settings settings = usual(arena, SCOPE_HOST);
    struct str include[] = {STR("/docs/"), STR("/blog/")}, exclude = STR("\\.pdf$"), bad = STR("[");
    struct scope *s = opened(&settings);
    add(s, "http://a.test/");
    assert_int_equal(check(s, "http://a.test/x", "L"), SCOPE_IN);
    settings.include = (struct option_list){include, 2};
    settings.exclude = (struct option_list){&exclude, 1};
    settings.depth = 1;
    assert_rc(scope_change(s, &settings, &why), RC_OK);
    assert_int_equal(check(s, "http://a.test/x", "L"), SCOPE_EXCLUDED);
    assert_int_equal(check(s, "http://a.test/docs/x", "L"), SCOPE_IN);
    assert_int_equal(check(s, "http://a.test/blog/x", "L"), SCOPE_IN);
    assert_int_equal(check(s, "http://a.test/docs/x.pdf", "L"), SCOPE_EXCLUDED);
    assert_int_equal(check(s, "http://b.test/docs/x.pdf", "LE"), SCOPE_EXCLUDED);
    assert_int_equal(check(s, "http://b.test/docs/x", "L"), SCOPE_OUTSIDE);
    assert_int_equal(check(s, "http://b.test/docs/x", "R"), SCOPE_OUTSIDE);
    assert_int_equal(check(s, "http://b.test/docs/x.pdf", "R"), SCOPE_EXCLUDED);
    assert_int_equal(check(s, "http://a.test/docs/x", "LL"), SCOPE_TOO_DEEP);
    settings.exclude = (struct option_list){&bad, 1};
    settings.depth = 5;
    assert_rc(scope_change(s, &settings, &why), RC_INVALID);
    assert_true(str_starts(buf_str(&why), STR("exclude: '[': at byte ")));
    assert_int_equal(check(s, "http://a.test/docs/x", "LL"), SCOPE_TOO_DEEP);
    buf_done(&why);
    scope_close(s);
    arena_close(arena);
}

static void a_regex_that_gives_up_is_counted(void **state)
{
    (void)state;
    struct arena *arena = arena_open(1024, 1 << 20);
    struct scope_settings settings = usual(arena, SCOPE_ANY);
    struct str slow = STR("(a+)+$");
    const char *url =
        "http://h.test/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-";
    settings.include = (struct option_list){&slow, 1};
    struct scope *s = opened(&settings);
    assert_int_equal(scope_regex_limits(s), 0);
    assert_int_equal(check(s, url, "L"), SCOPE_EXCLUDED);
    assert_int_equal(scope_regex_limits(s), 1);
    scope_close(s);
    settings.exclude = settings.include;
    settings.include.count = 0;
    s = opened(&settings);
    assert_int_equal(check(s, url, "L"), SCOPE_EXCLUDED);
    assert_int_equal(check(s, "http://h.test/", "L"), SCOPE_IN);
    assert_int_equal(scope_regex_limits(s), 1);
    scope_close(s);
    arena_close(arena);
}

static void every_verdict_has_a_text(void **state)
{
    (void)state;
    for (int v = 0; v < SCOPE_VERDICTS_; v++)
        assert_non_null(scope_verdict_text((enum scope_verdict)v));
    assert_string_equal(scope_verdict_text(SCOPE_VERDICTS_), "unknown");
}

static enum rc crawl(void *ctx)
{
    const struct scope_settings *settings = ctx;
    struct scope *s = NULL;
    struct buf why = {.max = 1000};
    enum rc rc = scope_open(settings, &s, &why);
    for (unsigned i = 0; i < 100 && rc == RC_OK; i++) {
        char text[64];
        (void)snprintf(text, sizeof text, "http://h%u.test/x/", i);
        struct url u = parsed(text);
        rc = scope_add_seed(s, &u);
        if (rc == RC_OK && scope_check(s, &u, STR("")) != SCOPE_IN)
            rc = RC_CORRUPT;
    }
    if (rc == RC_OK)
        rc = scope_change(s, settings, &why);
    scope_close(s);
    buf_done(&why);
    return rc;
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    struct arena *arena = arena_open(1024, 1 << 20);
    struct str pattern = STR("x");
    for (unsigned kind = SCOPE_HOST; kind <= SCOPE_ANY; kind++) {
        struct scope_settings settings = usual(arena, (enum scope_kind)kind);
        settings.exclude = (struct option_list){&pattern, 1};
        test_each_allocation_fails(crawl, &settings);
    }
    arena_close(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_seeds_draw_the_scope),
        cmocka_unit_test(hops_and_traps_count),
        cmocka_unit_test(a_url_has_a_length),
        cmocka_unit_test(a_seeds_redirect_joins),
        cmocka_unit_test(a_seed_is_in_scope_whatever_else_says_no),
        cmocka_unit_test(a_seed_with_a_bad_port_draws_nothing),
        cmocka_unit_test(pages_only_leaves_embeds_out),
        cmocka_unit_test(include_and_exclude_are_obeyed_and_may_change),
        cmocka_unit_test(a_regex_that_gives_up_is_counted),
        cmocka_unit_test(every_verdict_has_a_text),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
