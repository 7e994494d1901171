/* SPDX-License-Identifier: Apache-2.0 */
/* What the letters of a seed path say. */
#include "discovery/seed_path.h"

#include "lib/test.h"

static void depth_counts_links_and_listed_urls_alone(void **state)
{
    (void)state;
    assert_int_equal(seed_path_depth(STR("")), 0);
    assert_int_equal(seed_path_depth(STR("RREP")), 0);
    assert_int_equal(seed_path_depth(STR("LRLEPX")), 3);
    assert_true(hop_is_deeper(HOP_LINK) && hop_is_deeper(HOP_LISTED));
    assert_false(hop_is_deeper(HOP_REDIRECT) || hop_is_deeper(HOP_EMBED) ||
                 hop_is_deeper(HOP_PREREQUISITE) || hop_is_deeper(0));
}

static void the_last_letter_says_how_a_url_was_named_and_a_seed_has_none(void **state)
{
    (void)state;
    assert_int_equal(seed_path_last(STR("")), 0);
    assert_int_equal(seed_path_last(STR_NONE), 0);
    assert_int_equal(seed_path_last(STR("LE")), HOP_EMBED);
    assert_true(seed_path_is_prerequisite(STR("P")) && seed_path_is_prerequisite(STR("LLP")));
    assert_false(seed_path_is_prerequisite(STR("")) || seed_path_is_prerequisite(STR("PX")));
}

static void redirects_alone_lead_from_a_seed_to_the_seeds(void **state)
{
    (void)state;
    assert_true(seed_path_is_seeds(STR("")) && seed_path_is_seeds(STR("R")));
    assert_true(seed_path_is_seeds(STR("RRRRRRRRRR"))); /* however many */
    assert_false(seed_path_is_seeds(STR("L")) || seed_path_is_seeds(STR("RRL")) ||
                 seed_path_is_seeds(STR("LR")));
}

static void one_to_five_redirects_of_a_seed_join_the_seeds(void **state)
{
    (void)state;
    assert_false(seed_path_joins_seeds(STR("")));
    assert_true(seed_path_joins_seeds(STR("R")));
    assert_true(seed_path_joins_seeds(STR("RRRRR")));
    assert_false(seed_path_joins_seeds(STR("RRRRRR")));
    assert_false(seed_path_joins_seeds(STR("LR")));
    assert_false(seed_path_joins_seeds(STR("RE")));
}

static void a_path_is_links_then_embeds_then_redirects(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        struct seed_path_parts parts;
        const char *what;
    } rows[] = {
        {"", {0, 0, 0}, "a seed"},
        {"LLX", {0, 0, 3}, "links and listed URLs"},
        {"LR", {1, 0, 1}, "a link that is redirected"},
        {"LRRL", {0, 0, 2}, "redirects before a link are over"},
        {"RRR", {3, 0, 0}, "a seed that is redirected"},
        {"LE", {0, 1, 1}, "an image of a page"},
        {"LERR", {2, 1, 1}, "an image that was moved is still an image"},
        {"LEREPE", {0, 3, 1}, "redirects and prerequisites between embeds are passed over"},
        {"LRE", {0, 1, 1}, "a redirect before the first embed too"},
        {"ELE", {0, 1, 1}, "an embed before a link does not count"},
        {"LP", {0, 0, 1}, "a sitemap is no embed"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct seed_path_parts got = seed_path_parts(str_c(rows[i].path));
        if (got.redirects != rows[i].parts.redirects || got.embeds != rows[i].parts.embeds ||
            got.links != rows[i].parts.links)
            fail_msg("%s: %s: %zu %zu %zu", rows[i].path, rows[i].what, got.redirects, got.embeds,
                     got.links);
    }
}

static void listings_are_counted_in_a_row_from_the_end(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        unsigned listings;
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
        if (seed_path_listings(str_c(rows[i].path)) != rows[i].listings)
            fail_msg("%s: %s", rows[i].path, rows[i].what);
}

static void a_letter_is_appended_and_a_path_past_the_limit_no_longer_fits(void **state)
{
    (void)state;
    char room[SEED_PATH_ROOM], longest[SEED_PATH_MAX + 10];
    memset(longest, HOP_LINK, sizeof longest);
    assert_str(seed_path_append(STR(""), HOP_EMBED, room), STR("E"));
    assert_str(seed_path_append(STR_NONE, HOP_LINK, room), STR("L"));
    assert_str(seed_path_append(STR("LL"), HOP_REDIRECT, room), STR("LLR"));
    struct str fits = seed_path_append(str_make(longest, SEED_PATH_MAX - 1), HOP_EMBED, room);
    assert_int_equal(fits.n, SEED_PATH_MAX);
    assert_true(seed_path_fits(fits) && seed_path_last(fits) == HOP_EMBED);
    for (size_t n = SEED_PATH_MAX; n <= sizeof longest; n++) {
        struct str path = seed_path_append(str_make(longest, n), HOP_EMBED, room);
        assert_int_equal(path.n, SEED_PATH_MAX + 1);
        assert_false(seed_path_fits(path));
        assert_int_equal(seed_path_last(path), HOP_EMBED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_counts_links_and_listed_urls_alone),
        cmocka_unit_test(the_last_letter_says_how_a_url_was_named_and_a_seed_has_none),
        cmocka_unit_test(redirects_alone_lead_from_a_seed_to_the_seeds),
        cmocka_unit_test(one_to_five_redirects_of_a_seed_join_the_seeds),
        cmocka_unit_test(a_path_is_links_then_embeds_then_redirects),
        cmocka_unit_test(listings_are_counted_in_a_row_from_the_end),
        cmocka_unit_test(a_letter_is_appended_and_a_path_past_the_limit_no_longer_fits),
    };
    return cmocka_run_group_tests_name("seed_path", tests, NULL, NULL);
}
