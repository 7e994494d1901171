/* SPDX-License-Identifier: Apache-2.0 */
#include "host/bring.h"
#include "lib/test.h"

#include <string.h>

static void listings_nest_so_deep_whatever_they_are_called(void **state)
{
    (void)state;
    struct bring_limits l = {.sitemap_depth = 3};
    struct brought b = {0};
    assert_true(bring_listed(&l, &b, STR("PPP")) == BRING_OK);
    assert_true(bring_listed(&l, &b, STR("PPPX")) == BRING_OK);
    assert_true(bring_listed(&l, &b, STR("PPPP")) == BRING_NESTED);
    assert_true(bring_listed(&l, &b, STR("PRPPRP")) == BRING_NESTED);
    assert_true(bring_listed(&l, &b, STR("PXXXX")) == BRING_NESTED);
    assert_true(b.sitemaps == 1 && b.sitemap_urls == 1); /* what is refused is not charged */
}

static void each_limit_ends_what_it_counts_and_nothing_else(void **state)
{
    (void)state;
    struct bring_limits l = {.sitemaps = 2, .sitemap_urls = 3, .url_bytes = 100};
    struct brought b = {0};
    for (int i = 0; i < 5; i++) {
        assert_true(bring_listed(&l, &b, STR("P")) == (i < 2 ? BRING_OK : BRING_SITEMAPS));
        assert_true(bring_listed(&l, &b, STR("PX")) == (i < 3 ? BRING_OK : BRING_SITEMAP_URLS));
        assert_true(bring_url(&l, &b, 40) == (i < 3 ? BRING_OK : BRING_URL_BYTES));
    }
    assert_true(b.sitemaps == 2 && b.sitemap_urls == 3 && b.url_bytes == 120);
    l.sitemaps = 10; /* a sitemap of which no page may be taken is not asked for */
    assert_true(bring_listed(&l, &b, STR("PP")) == BRING_SITEMAP_URLS);
    assert_true(b.sitemaps == 2);
}

static void zero_is_no_limit(void **state)
{
    (void)state;
    struct bring_limits l = {0};
    struct brought b = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    assert_true(bring_listed(&l, &b, STR("PPPPPPPPPPPP")) == BRING_OK);
    assert_true(bring_listed(&l, &b, STR("PPX")) == BRING_OK);
    assert_true(bring_url(&l, &b, 1 << 20) == BRING_OK);
}

static void each_verdict_names_the_option_that_sets_its_limit(void **state)
{
    (void)state;
    for (int v = 0; v < BRING_VERDICTS_; v++)
        assert_true(strlen(bring_verdict_key((enum bring_verdict)v)) > 3);
    assert_true(strcmp(bring_verdict_key(BRING_SITEMAP_URLS), "host-sitemap-urls") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listings_nest_so_deep_whatever_they_are_called),
        cmocka_unit_test(each_limit_ends_what_it_counts_and_nothing_else),
        cmocka_unit_test(zero_is_no_limit),
        cmocka_unit_test(each_verdict_names_the_option_that_sets_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
