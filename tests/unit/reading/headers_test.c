/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#include "reading/headers.h"

static struct kit k;

static void successes_and_redirects_are_read_and_nothing_else(void **state)
{
    (void)state;
    static const struct {
        uint16_t status;
        bool is_read;
    } rows[] = {{100, false}, {199, false}, {200, true},  {204, true},  {205, true},  {206, false},
                {207, true},  {299, true},  {300, false}, {301, true},  {302, true},  {303, true},
                {304, false}, {305, false}, {307, true},  {308, true},  {309, false}, {400, false},
                {404, false}, {500, false}, {0, false},   {999, false}, {306, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(headers_allow_reading(rows[i].status), rows[i].is_read);
}

static void a_redirect_with_a_location_refers_to_it(void **state)
{
    (void)state;
    static const uint16_t statuses[] = {301, 302, 303, 307, 308};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        kit_open(&k, statuses[i], "Location: /new\r\n", STR(""));
        assert_true(headers_read_redirect(k.v));
        assert_int_equal(k.v->parsed.reference_count, 1);
        assert_true(kit_refers(&k.v->parsed, "/new", HOP_REDIRECT));
        assert_str(k.v->parsed.references[0].context, STR("Location"));
        kit_close(&k);
    }
}

static void a_redirect_that_leads_nowhere_is_read_like_a_page(void **state)
{
    (void)state;
    kit_open(&k, 302, "", STR(""));
    assert_false(headers_read_redirect(k.v));
    assert_int_equal(k.v->parsed.reference_count, 0);
    kit_close(&k);
}

static void a_location_without_a_redirect_is_nothing(void **state)
{
    (void)state;
    kit_open(&k, 201, "Location: /new\r\n", STR(""));
    assert_false(headers_read_redirect(k.v));
    assert_int_equal(k.v->parsed.reference_count, 0);
    kit_close(&k);
}

static unsigned robots_bits(const char *head)
{
    kit_open(&k, 200, head, STR(""));
    headers_read_robots(&k.settings, &k.tools->scratch, k.v);
    unsigned bits = k.v->parsed.robots_bits;
    kit_close(&k);
    return bits;
}

static void x_robots_tag_counts_if_it_is_for_us_or_for_all(void **state)
{
    (void)state;
    assert_int_equal(robots_bits(""), 0);
    assert_int_equal(robots_bits("X-Robots-Tag: nofollow\r\n"), PAGE_NOFOLLOW);
    assert_int_equal(robots_bits("X-Robots-Tag: OrbWeaver: noindex\r\n"), PAGE_NOINDEX);
    assert_int_equal(robots_bits("X-Robots-Tag: otherbot: nofollow\r\n"), 0);
    assert_int_equal(robots_bits("X-Robots-Tag: noindex\r\nX-Robots-Tag: nofollow\r\n"),
                     PAGE_NOINDEX | PAGE_NOFOLLOW);
}

static size_t refresh_count(const char *head, bool follow_nofollow)
{
    kit_open(&k, 200, head, STR(""));
    k.settings.follow_nofollow = follow_nofollow;
    headers_read_robots(&k.settings, &k.tools->scratch, k.v);
    headers_read_refresh(&k.settings, k.v);
    size_t count = k.v->parsed.reference_count;
    assert_true(!count || kit_refers(&k.v->parsed, "/next", HOP_LINK));
    assert_true(!count || str_eq(k.v->parsed.references[0].context, STR("Refresh")));
    kit_close(&k);
    return count;
}

static void refresh_is_a_link_unless_links_are_not_to_be_followed(void **state)
{
    (void)state;
    assert_int_equal(refresh_count("Refresh: 5; url=/next\r\n", false), 1);
    assert_int_equal(refresh_count("", false), 0);
    assert_int_equal(refresh_count("Refresh: 5\r\n", false), 0); /* the same page again */
    static const char nofollow[] = "Refresh: 0;/next\r\nX-Robots-Tag: nofollow\r\n";
    assert_int_equal(refresh_count(nofollow, false), 0);
    assert_int_equal(refresh_count(nofollow, true), 1);
    assert_int_equal(refresh_count("Refresh: 0;/next\r\nX-Robots-Tag: noindex\r\n", false), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(successes_and_redirects_are_read_and_nothing_else),
        cmocka_unit_test(a_redirect_with_a_location_refers_to_it),
        cmocka_unit_test(a_redirect_that_leads_nowhere_is_read_like_a_page),
        cmocka_unit_test(a_location_without_a_redirect_is_nothing),
        cmocka_unit_test(x_robots_tag_counts_if_it_is_for_us_or_for_all),
        cmocka_unit_test(refresh_is_a_link_unless_links_are_not_to_be_followed),
    };
    return cmocka_run_group_tests_name("headers", tests, NULL, NULL);
}
