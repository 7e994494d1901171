/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"
#include "scope/bring.h"

#include <string.h>

static void the_level_is_the_number_of_listings_in_a_row(void **state)
{
    (void)state;
    static const struct {
        const char *hops;
        unsigned level;
        const char *what;
    } rows[] = {
        {"", 0, "a seed is in no listing"},
        {"LLE", 0, "nor is what pages link to"},
        {"P", 1, "a sitemap that robots.txt names"},
        {"LLP", 1, "robots.txt of a host that was found later"},
        {"PP", 2, "a sitemap of an index"},
        {"PPPPP", 5, "an index of indexes"},
        {"PX", 1, "a page of a sitemap is one listing deep"},
        {"PPPX", 3, "a page below three listings"},
        {"LX", 0, "an item of a feed that a page links to as a page"},
        {"LPX", 1, "an item of a feed"},
        {"PRP", 2, "a redirect hides no listing"},
        {"PRRX", 1, "nor do two of them"},
        {"PXX", 2, "a sitemap that stands in a sitemap as a page"},
        {"PXXXX", 4, "and again"},
        {"PXP", 1, "the feed of a page begins anew"},
        {"PXPX", 1, "and so do its items"},
        {"PXLP", 1, "a link between ends the way of listings"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (bring_level(str_c(rows[i].hops)) != rows[i].level)
            fail_msg("%s: %s", rows[i].hops, rows[i].what);
}

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
        cmocka_unit_test(the_level_is_the_number_of_listings_in_a_row),
        cmocka_unit_test(listings_nest_so_deep_whatever_they_are_called),
        cmocka_unit_test(each_limit_ends_what_it_counts_and_nothing_else),
        cmocka_unit_test(zero_is_no_limit),
        cmocka_unit_test(each_verdict_names_the_option_that_sets_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
