/* SPDX-License-Identifier: Apache-2.0 */
/* What is derived from a URL: SURT, CDX key, registrable domain; and sorting a query. */
#include "base/rng.h"
#include "conform.h"
#include "url/domain.h"
#include "url/normalise.h"
#include "url/sort.h"
#include "url/surt.h"

static void test_surt(void **state)
{
    (void)state;
    static const struct {
        const char *name, *url, *want;
        unsigned form;
    } rows[] = {
        {"labels are turned", "http://a.b.c/d?e", "c,b,a)/d?e", URL_SURT_KEY},
        {"www is left out", "https://www.h.example/", "example,h)/", URL_SURT_KEY},
        {"unless it is asked for", "https://www.h.example/", "example,h,www)/", URL_SURT_KEEP_WWW},
        {"the port stays", "http://h:81/", "h:81)/", URL_SURT_KEY},
        {"userinfo is left out", "http://u:p@h/", "h)/", URL_SURT_KEY},
        {"IPv4 is not turned", "http://1.2.3.4/a", "1.2.3.4)/a", URL_SURT_KEY},
        {"IPv6 is not turned", "http://[::1]:81/a", "[::1]:81)/a", URL_SURT_COMMA},
        {"scheme and comma", "http://a.b/", "http://(b,a,)/", URL_SURT_SCHEME | URL_SURT_COMMA},
        {"a comma in a label becomes a dot", "sc://a,b.c/", "c,a.b)/", URL_SURT_KEY},
        {"an opaque URL stays", "mailto:a@b.c", "mailto:a@b.c", URL_SURT_KEY},
        {"text that is no URL stays", "a/b://c", "a/b://c", URL_SURT_KEY},
        {"nothing stays nothing", "", "", URL_SURT_KEY},
        {"an unclosed bracket is a host", "http://[::1", "[::1)", URL_SURT_KEY},
    };
    struct buf out = {.max = 4096};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        buf_clear(&out);
        url_surt(str_c(rows[i].url), rows[i].form, &out);
        if (!str_eq(buf_str(&out), str_c(rows[i].want)))
            fail_msg("%s: " STR_FMT, rows[i].name, STR_ARG(buf_str(&out)));
    }
    buf_done(&out);
}

static void test_cdx_key(void **state)
{
    (void)state;
    static const struct {
        const char *name, *url, *want;
    } rows[] = {
        {"everything is lowered", "http://h/A%C3?B=C", "h)/a%c3?b=c"},
        {"www and its number are left out", "http://www12.h.example/", "example,h)/"},
        {"wwwx is a name", "http://wwwx.h.example/", "example,h,wwwx)/"},
        {"www alone is a name", "http://www./", ",www)/"},
        {"behind userinfo www stays", "http://u:p@www.h/", "h,www)/"},
        {"a comma in a label stays", "http://a,b.h/", "h,a,b)/"},
        {"the slash behind a path stays", "http://h/a/", "h)/a/"},
        {"the root stays", "http://h/", "h)/"},
        {"an empty query is left out", "http://h/a/?", "h)/a/"},
        {"an empty parameter stays", "http://h/a?b&&a", "h)/a?&a&b"},
        {"the query is sorted after lowering", "http://h/?b&A&a=1", "h)/?a&a=1&b"},
        {"the fragment is left out", "http://h/a#b", "h)/a"},
        {"a port stays", "http://h:81/", "h:81)/"},
        {"IPv4 is turned", "http://1.2.3.4/", "4,3,2,1)/"},
        {"IPv6 keeps its brackets", "http://[::1]:81/", "[::1]:81)/"},
        {"the usual port is left out", "https://h:443/", "h)/"},
        {"other schemes stay", "mailto:A@b#c", "mailto:A@b#c"},
        {"ftp stays", "ftp://www.h/A/", "ftp://www.h/A/"},
    };
    static char room[URL_ROOM_BYTES];
    struct buf out = {.max = 4096};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct url_parser parser = {0};
        struct url u;
        assert_rc(
            url_parse(&parser, str_c(rows[i].url), NULL, (struct url_room){room, sizeof room}, &u),
            RC_OK);
        buf_clear(&out);
        url_cdx_key(&u, &out);
        if (!str_eq(buf_str(&out), str_c(rows[i].want)))
            fail_msg("%s: " STR_FMT, rows[i].name, STR_ARG(buf_str(&out)));
    }
    buf_done(&out);
}

static void test_domain(void **state)
{
    (void)state;
    static const struct {
        const char *name, *host, *want;
    } rows[] = {
        {"one label above the suffix", "www.example.com", "example.com"},
        {"a suffix of two labels", "a.b.example.co.uk", "example.co.uk"},
        {"a suffix has none", "co.uk", NULL},
        {"an unlisted name counts as a suffix of one label", "a.b.example", "b.example"},
        {"a wildcard rule", "a.b.c.mm", "b.c.mm"},
        {"an exception to it", "www.www.ck", "www.ck"},
        {"a hosting company's customers stand alone", "a.b.github.io", "b.github.io"},
        {"xn-- names", "www.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"},
        {"a dot at the end is passed over", "www.example.com.", "example.com"},
        {"IPv4 has none", "1.2.3.4", NULL},
        {"IPv6 has none", "[::1]", NULL},
        {"a single label has none", "localhost", NULL},
        {"a dot in front has none", ".example.com", NULL},
        {"nothing has none", "", NULL},
    };
    assert_true(url_domain_has_list());
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str got = url_domain(str_c(rows[i].host)), want = str_c(rows[i].want);
        if ((got.p == NULL) != (want.p == NULL) || !str_eq(got, want))
            fail_msg("%s: " STR_FMT, rows[i].name, STR_ARG(got));
    }
    struct buf host = {.max = 4096};
    buf_fill(&host, 'a', URL_DOMAIN_MAX_BYTES - 3);
    buf_add(&host, STR(".com"));
    assert_null(url_domain(buf_str(&host)).p);
    assert_int_equal(url_domain(str_from(buf_str(&host), 1)).n, URL_DOMAIN_MAX_BYTES);
    buf_done(&host);
}

static bool in_order(struct str query)
{
    struct str last = STR("");
    while (query.p) {
        struct str parameter = str_take_until(&query, '&');
        if (str_cmp(last, parameter) > 0)
            return false;
        last = parameter;
    }
    return true;
}

/* Sum of bytes: sorting moves them and changes none. */
static unsigned long sum(struct str s)
{
    unsigned long total = 0;
    for (size_t i = 0; i < s.n; i++)
        total += (unsigned long)(unsigned char)s.p[i] * (unsigned char)s.p[i];
    return total;
}

static void test_sorting(void **state)
{
    (void)state;
    struct rng r;
    char text[64];
    rng_init(&r, test_seed(3));
    for (int i = 0; i < 20000; i++) {
        size_t n = rng_below(&r, sizeof text);
        for (size_t k = 0; k < n; k++)
            text[k] = "&&ab="[rng_below(&r, 5)];
        unsigned long before = sum(str_make(text, n));
        url_sort_query(text, n);
        assert_true(in_order(str_make(text, n)));
        assert_int_equal(sum(str_make(text, n)), before);
    }
}

static void test_too_many_parameters_are_left_alone(void **state)
{
    (void)state;
    struct buf query = {.max = 1 << 17};
    buf_fill(&query, '&', URL_SORT_MAX_PARAMETERS - 1);
    query.p[0] = 'b';
    query.p[1] = '&';
    url_sort_query(query.p, query.n);
    assert_int_equal(query.p[query.n - 1], 'b');
    buf_clear(&query);
    buf_byte(&query, 'b');
    buf_fill(&query, '&', URL_SORT_MAX_PARAMETERS);
    url_sort_query(query.p, query.n);
    assert_int_equal(query.p[0], 'b');
    url_sort_whole_query(query.p, query.n);
    assert_int_equal(query.p[query.n - 1], 'b');
    buf_clear(&query);
    buf_byte(&query, 'b');
    buf_fill(&query, '&', URL_MAX_BYTES - 1);
    url_sort_whole_query(query.p, query.n);
    assert_int_equal(query.p[query.n - 1], 'b');
    buf_done(&query);
}

/* The keys go into a buf of the caller's: a growing one may fail, and says so itself. */
static enum rc step_keys(void *ctx)
{
    static char room[URL_ROOM_BYTES];
    struct url_parser parser = {0};
    struct url u;
    struct buf out = {.max = 4096};
    (void)ctx;
    assert_rc(url_parse(&parser, STR("http://www.example.com/a?c&b"), NULL,
                        (struct url_room){room, sizeof room}, &u),
              RC_OK);
    url_surt(url_href(&u), URL_SURT_SCHEME, &out);
    url_cdx_key(&u, &out);
    enum rc rc = buf_rc(&out);
    buf_done(&out);
    return rc;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    test_each_allocation_fails(step_keys, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surt),
        cmocka_unit_test(test_cdx_key),
        cmocka_unit_test(test_domain),
        cmocka_unit_test(test_sorting),
        cmocka_unit_test(test_too_many_parameters_are_left_alone),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
