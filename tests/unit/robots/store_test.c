/* SPDX-License-Identifier: Apache-2.0 */
#include "robots/robots.h"

#include "lib/test.h"

static const char file[] =
    "Sitemap: http://x/s.xml\nUser-agent: a\nDisallow: /x\nAllow: /x/*.html$\n"
    "Crawl-delay: 2.5\nAllow: /index.html\nSitemap: /t\n";

static struct robots *parsed(void)
{
    struct robots *r;
    assert_rc(robots_parse(str_c(file), STR("a"), &r), RC_OK);
    return r;
}

static void stored(const struct robots *r, struct buf *out)
{
    buf_init(out, 1 << 20);
    robots_store(r, out);
    assert_rc(buf_rc(out), RC_OK);
}

static void test_comes_back_the_same(void **state)
{
    (void)state;
    struct robots *r = parsed(), *again;
    struct buf once, twice;
    stored(r, &once);
    assert_rc(robots_load(buf_str(&once), &again), RC_OK);
    stored(again, &twice);
    assert_str(buf_str(&twice), buf_str(&once));
    assert_int_equal(robots_bytes(again), robots_bytes(r));
    assert_int_equal(robots_check(again, STR("/x/y")).line, 3);
    assert_int_equal(robots_check(again, STR("/x/y.html")).line, 4);
    assert_int_equal(robots_check(again, STR("/")).line, 6);
    uint32_t ms = 0;
    assert_true(robots_delay_ms(again, &ms) && ms == 2500);
    assert_true(robots_is_named(again));
    struct str url;
    assert_true(robots_sitemap(again, 1, &url));
    assert_str(url, STR("/t"));
    robots_free(r);
    robots_free(again);
    buf_done(&once);
    buf_done(&twice);
}

/* The bytes are those of formats on disk: they must not change by accident, nor with the machine.
 */
static void test_bytes_are_fixed(void **state)
{
    (void)state;
    struct robots *r;
    assert_rc(
        robots_parse(STR("User-agent: a\nDisallow: /x\nSitemap: s\nCrawl-delay: 1"), STR("a"), &r),
        RC_OK);
    struct buf out;
    stored(r, &out);
    assert_str(buf_str(&out), STR("\1\0\3\0\xe8\3\0\0\1\0\0\0\1\0\0\0"
                                  "\4\0\0\0\2\0/x\1\0\0\0s"));
    robots_free(r);
    buf_done(&out);
}

static void test_static_answers(void **state)
{
    (void)state;
    struct robots *again;
    struct buf out;
    stored(robots_disallow_all(), &out);
    assert_rc(robots_load(buf_str(&out), &again), RC_OK);
    assert_false(robots_check(again, STR("/")).allowed);
    robots_free(again);
    buf_done(&out);
    stored(robots_allow_all(), &out);
    assert_rc(robots_load(buf_str(&out), &again), RC_OK);
    assert_true(robots_check(again, STR("/")).allowed);
    robots_free(again);
    buf_done(&out);
}

static void test_any_cut_is_refused(void **state)
{
    (void)state;
    struct robots *r = parsed(), *again = NULL;
    struct buf out;
    stored(r, &out);
    for (size_t n = 0; n < out.n; n++)
        assert_rc(robots_load(str_first(buf_str(&out), n), &again), RC_CORRUPT);
    buf_byte(&out, 'x');
    assert_rc(robots_load(buf_str(&out), &again), RC_CORRUPT);
    out.n--;
    out.p[0] = 2;
    assert_rc(robots_load(buf_str(&out), &again), RC_VERSION);
    out.p[0] = 1;
    for (size_t i = 8; i < 16; i++) { /* the counts */
        out.p[i] = (char)(out.p[i] ^ 0x40);
        assert_rc(robots_load(buf_str(&out), &again), RC_CORRUPT);
        out.p[i] = (char)(out.p[i] ^ 0x40);
    }
    out.p[1] = 7;
    assert_rc(robots_load(buf_str(&out), &again), RC_CORRUPT);
    assert_null(again);
    robots_free(r);
    buf_done(&out);
}

static enum rc load(void *ctx)
{
    struct robots *again;
    enum rc rc = robots_load(*(struct str *)ctx, &again);
    if (rc == RC_OK)
        robots_free(again);
    return rc;
}

static void test_allocations(void **state)
{
    (void)state;
    struct robots *r = parsed();
    struct buf out;
    stored(r, &out);
    struct str bytes = buf_str(&out);
    test_each_allocation_fails(load, &bytes);
    robots_free(r);
    buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comes_back_the_same), cmocka_unit_test(test_bytes_are_fixed),
        cmocka_unit_test(test_static_answers),      cmocka_unit_test(test_any_cut_is_refused),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
