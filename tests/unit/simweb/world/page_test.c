/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/simweb/world/make.h"

#include "world/place.h"
#include "world/words.h"

#include <math.h>
#include <stdlib.h>

static void roles_come_in_the_shares_asked_for(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "hosts=100 pages=1000",
        "pages=1000 duplicates=0.2 near-duplicates=0.15 redirects=0.2 forbidden=0.05 nofollow=0.2",
        "hosts=100 pages=1000 duplicates=0 near-duplicates=0 redirects=0 forbidden=0 nofollow=0",
    };
    for (size_t i = 0; i < 3; i++) {
        struct made m = make_world(rows[i]);
        const struct world_settings *s = &m.settings;
        double count[PAGE_NOFOLLOW + 1] = {0};
        for (uint32_t h = 0; h < 100; h++)
            for (uint32_t p = 0; p < 1000; p++)
                count[page_of(m.world, h, p).role] += 1.0 / 100000;
        assert_true(fabs(count[PAGE_DUPLICATE] - s->duplicates) < 0.01);
        assert_true(fabs(count[PAGE_NEAR_DUPLICATE] - s->near_duplicates) < 0.01);
        assert_true(fabs(count[PAGE_REDIRECT] - s->redirects) < 0.01);
        assert_true(fabs(count[PAGE_FORBIDDEN] - 0.9 * s->forbidden) < 0.01);
        assert_true(fabs(count[PAGE_NOFOLLOW] - s->nofollow) < 0.01);
        unmake_world(&m);
    }
}

static void copies_are_of_normal_pages_that_know_it(void **state)
{
    (void)state;
    struct made m = make_world("hosts=20 pages=500 duplicates=0.3 near-duplicates=0.3 "
                               "redirects=0.1 forbidden=0.05 nofollow=0.05");
    for (uint32_t h = 0; h < 20; h++)
        for (uint32_t p = 0; p < 500; p++) {
            struct page page = page_of(m.world, h, p);
            if (page.role != PAGE_DUPLICATE && page.role != PAGE_NEAR_DUPLICATE)
                continue;
            struct page original = page_of(m.world, h, page.same_as);
            assert_true(page.same_as < p && p - page.same_as < 8);
            assert_int_equal(original.role, PAGE_NORMAL);
            assert_true(original.has_duplicate);
            assert_int_equal(page.charset, original.charset);
            assert_int_equal(page.charset_said, original.charset_said);
            assert_int_equal(page.has_base, original.has_base);
            assert_int_equal(page.bytes, original.bytes);
            assert_int_equal(page.images, original.images);
            assert_true(page.change_per_ms == original.change_per_ms);
        }
    unmake_world(&m);
}

static void a_page_without_copies_says_so(void **state)
{
    (void)state;
    struct made m = make_world("hosts=5 pages=500");
    for (uint32_t p = 0; p < 500; p++) {
        bool copied = false;
        for (uint32_t q = p + 1; q < 500 && q < p + 10; q++) {
            struct page page = page_of(m.world, 2, q);
            copied |= (page.role == PAGE_DUPLICATE || page.role == PAGE_NEAR_DUPLICATE) &&
                      page.same_as == p;
        }
        assert_int_equal(page_of(m.world, 2, p).has_duplicate, copied);
    }
    unmake_world(&m);
}

static void redirects_end_at_a_normal_page(void **state)
{
    (void)state;
    struct made m = make_world("hosts=50 pages=200 redirects=0.5 cross=0.3");
    uint32_t seen[400] = {0}, far = 0, all = 0;
    for (uint32_t h = 0; h < 50; h++)
        for (uint32_t p = 0; p < 200; p++) {
            struct page page = page_of(m.world, h, p);
            if (page.role != PAGE_REDIRECT)
                continue;
            assert_int_equal(page.target.kind, PLACE_PAGE);
            assert_true(page.target.host < 50);
            assert_int_equal(page_of(m.world, page.target.host, page.target.page).role,
                             PAGE_NORMAL);
            assert_true(page.status == 301 || page.status == 302 || page.status == 303 ||
                        page.status == 307 || page.status == 308);
            seen[page.status]++;
            far += page.target.host != h;
            all++;
        }
    assert_true(seen[301] && seen[302] && seen[303] && seen[307] && seen[308]);
    assert_true(far > all / 5 && far < all * 2 / 5);
    unmake_world(&m);
}

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sizes_are_log_normal(void **state)
{
    (void)state;
    struct made m = make_world("hosts=100 pages=2000 duplicates=0 near-duplicates=0 redirects=0");
    enum { COUNT = 40000 };
    static uint32_t sizes[COUNT];
    double sum = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        sizes[i] = page_of(m.world, i % 100, i / 100).bytes;
        sum += sizes[i];
    }
    qsort(sizes, COUNT, sizeof *sizes, by_size);
    const size_t half = COUNT / 2, most = COUNT - COUNT / 20;
    double median = 13 * 1024, sigma = 1.24, mean = median * exp(sigma * sigma / 2);
    assert_true(fabs(sizes[half] - median) < 0.03 * median);
    assert_true(fabs(sum / COUNT - mean) < 0.06 * mean);
    double upper = median * exp(1.6449 * sigma); /* nineteen in twenty are below */
    assert_true(fabs(sizes[most] - upper) < 0.06 * upper);
    unmake_world(&m);
    m = make_world("page-spread=0 page-bytes=5000");
    assert_int_equal(page_of(m.world, 3, 5).bytes, 5000);
    unmake_world(&m);
}

static void images_and_changes_have_the_means_asked_for(void **state)
{
    (void)state;
    struct made m = make_world("hosts=100 pages=300 images=4 changing=0.4 change-every=1d "
                               "redirects=0 duplicates=0 near-duplicates=0");
    double images = 0, changing = 0, rate = 0;
    for (uint32_t h = 0; h < 100; h++)
        for (uint32_t p = 0; p < 300; p++) {
            struct page page = page_of(m.world, h, p);
            assert_true(page.images <= WORLD_MAX_IMAGES);
            assert_int_equal(page.changes, page.change_per_ms > 0);
            images += page.images;
            changing += page.changes;
            rate += page.change_per_ms;
        }
    assert_true(fabs(images / 30000 - 4) < 0.1);
    assert_true(fabs(changing / 30000 - 0.4) < 0.02);
    assert_true(fabs(rate / changing * 86400000 - 1) < 0.05);
    unmake_world(&m);
}

static void a_charset_can_write_the_words_of_its_page(void **state)
{
    (void)state;
    struct made m = make_world("hosts=400 pages=100 redirects=0");
    uint32_t seen[CHARSET_COUNT_] = {0}, said[4] = {0};
    for (uint32_t h = 0; h < 400; h++)
        for (uint32_t p = 0; p < 100; p++) {
            struct page page = page_of(m.world, h, p);
            enum tongue t = host_tongue(m.world, h);
            seen[page.charset]++;
            said[page.charset_said]++;
            if (page.charset == CHARSET_KOI8_R)
                assert_int_equal(t, TONGUE_RUSSIAN);
            if (page.charset == CHARSET_SHIFT_JIS)
                assert_int_equal(t, TONGUE_JAPANESE);
            if (page.charset == CHARSET_WINDOWS_1252)
                assert_true(t == TONGUE_ENGLISH || t == TONGUE_LATIN);
            if (page.charset_said == CHARSET_UNSAID)
                assert_true(page.charset == CHARSET_UTF16LE ||
                            page.charset == CHARSET_WINDOWS_1252 || t == TONGUE_ENGLISH);
        }
    for (int c = 0; c < CHARSET_COUNT_; c++)
        assert_true(seen[c] > 100);
    for (int c = 0; c < 4; c++)
        assert_true(said[c] > 100);
    assert_true(seen[CHARSET_UTF8] > 30000);
    unmake_world(&m);
}

static void every_word_is_lower_case_and_has_no_digit_or_dash(void **state)
{
    (void)state;
    for (enum tongue t = 0; t < TONGUE_COUNT_; t++)
        for (enum word_kind k = 0; k < WORD_KINDS_; k++)
            for (uint32_t i = 0; i < words_count(t, k); i++) {
                struct str word = word_at(t, k, i);
                assert_true(word.n > 0);
                for (size_t b = 0; b < word.n; b++)
                    assert_true((word.p[b] >= 'a' && word.p[b] <= 'z') ||
                                (t != TONGUE_ENGLISH && (unsigned char)word.p[b] >= 0x80));
            }
    assert_true(words_count(TONGUE_ENGLISH, WORD_NOUN) > 200);
    assert_true(words_count(TONGUE_ENGLISH, WORD_ADJECTIVE) > 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roles_come_in_the_shares_asked_for),
        cmocka_unit_test(copies_are_of_normal_pages_that_know_it),
        cmocka_unit_test(a_page_without_copies_says_so),
        cmocka_unit_test(redirects_end_at_a_normal_page),
        cmocka_unit_test(sizes_are_log_normal),
        cmocka_unit_test(images_and_changes_have_the_means_asked_for),
        cmocka_unit_test(a_charset_can_write_the_words_of_its_page),
        cmocka_unit_test(every_word_is_lower_case_and_has_no_digit_or_dash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
