/* SPDX-License-Identifier: Apache-2.0 */
/* The URLs of pages that were seen lately. */
#include "discovery/page_names.h"

#include "lib/test.h"

enum { ROOMS = 64 * 1024 }; /* fingerprints this far apart share one */

static void a_page_is_found_by_its_fingerprint(void **state)
{
    (void)state;
    struct page_names *r = page_names_open();
    struct arena *arena = arena_open(4096, 1 << 20);
    assert_true(r && arena);
    assert_null(page_names_get(r, 7, arena).p);
    page_names_put(r, 7, STR("http://a/"));
    page_names_put(r, 8, STR("http://b/longer"));
    page_names_put(r, 7 + 64, STR("http://c/"));
    assert_str(page_names_get(r, 7, arena), STR("http://a/"));
    assert_str(page_names_get(r, 8, arena), STR("http://b/longer"));
    assert_str(page_names_get(r, 7 + 64, arena), STR("http://c/"));
    page_names_close(r);
    arena_close(arena);
}

static void a_newer_page_pushes_out_an_older_one(void **state)
{
    (void)state;
    struct page_names *r = page_names_open();
    struct arena *arena = arena_open(4096, 1 << 20);
    page_names_put(r, 7, STR("http://a/a/long/one"));
    page_names_put(r, 7 + ROOMS, STR("http://b/"));
    assert_null(page_names_get(r, 7, arena).p);
    assert_str(page_names_get(r, 7 + ROOMS, arena), STR("http://b/"));
    page_names_put(r, 7, STR("http://a/a/longer/one/than/before"));
    assert_str(page_names_get(r, 7, arena), STR("http://a/a/longer/one/than/before"));
    page_names_close(r);
    page_names_close(NULL);
    arena_close(arena);
}

static void a_url_that_is_too_long_is_not_kept(void **state)
{
    (void)state;
    static char text[2049];
    struct page_names *r = page_names_open();
    struct arena *arena = arena_open(4096, 1 << 20);
    memset(text, 'x', sizeof text);
    page_names_put(r, 7, str_make(text, 2049));
    assert_null(page_names_get(r, 7, arena).p);
    page_names_put(r, 7, str_make(text, 2048));
    assert_int_equal(page_names_get(r, 7, arena).n, 2048);
    page_names_close(r);
    arena_close(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_found_by_its_fingerprint),
        cmocka_unit_test(a_newer_page_pushes_out_an_older_one),
        cmocka_unit_test(a_url_that_is_too_long_is_not_kept),
    };
    return cmocka_run_group_tests_name("page_names", tests, NULL, NULL);
}
