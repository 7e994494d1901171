/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/simweb/world/make.h"

#include "base/rng.h"
#include "world/version.h"

#include <math.h>

static const uint64_t day_ms = 86400000;

static uint64_t total(struct version v)
{
    return (uint64_t)v.structure + v.text + v.image;
}

static bool same(struct version a, struct version b)
{
    return a.structure == b.structure && a.text == b.text && a.image == b.image &&
           a.changed_ms == b.changed_ms && a.image_changed_ms == b.image_changed_ms;
}

static uint64_t latest_ms(struct version v)
{
    return v.changed_ms > v.image_changed_ms ? v.changed_ms : v.image_changed_ms;
}

/* Over many pages: the number of changes in a window, divided by what the rate promises, has mean
 * one, and its variance is that of a Poisson process. */
static void check_window(const char *words, uint64_t from_ms, uint64_t length_ms)
{
    struct made m = make_world(words);
    double expected = 0, got = 0, excess = 0, pages = 0;
    for (uint32_t h = 0; h < 20; h++)
        for (uint32_t p = 0; p < 1000; p++) {
            struct page page = page_of(m.world, h, p);
            if (page.role != PAGE_NORMAL)
                continue;
            double mean = page.change_per_ms * (double)length_ms;
            uint64_t before = total(page_version(m.world, h, p, WORLD_EPOCH_MS + from_ms - 1));
            uint64_t after =
                total(page_version(m.world, h, p, WORLD_EPOCH_MS + from_ms + length_ms - 1));
            double count = (double)(after - before);
            expected += mean;
            got += count;
            excess += (count - mean) * (count - mean) - mean; /* expected: 0 */
            pages++;
        }
    double tolerance = 5 * sqrt(expected) + 1;
    if (fabs(got - expected) > tolerance || fabs(excess) > 0.06 * expected + 60)
        fail_msg("%s: %g changes, expected %g; variance off by %g of %g", words, got, expected,
                 excess, expected);
    unmake_world(&m);
}

static void changes_are_a_poisson_process(void **state)
{
    (void)state;
    check_window("hosts=20 pages=1000 changing=1 change-every=7d", 0, 30 * day_ms);
    check_window("hosts=20 pages=1000 changing=1 change-every=7d", 400 * day_ms, 7 * day_ms);
    check_window("hosts=20 pages=1000 changing=1 change-every=7d", 1234567890, day_ms);
    check_window("hosts=20 pages=1000 changing=1 change-every=300d", 100 * day_ms, 365 * day_ms);
    check_window("hosts=20 pages=1000 changing=1 change-every=1h", 77 * day_ms, day_ms);
    check_window("hosts=20 pages=1000 changing=1 change-every=1m", 1000 * day_ms, day_ms / 24);
}

static void kinds_of_change_keep_their_shares(void **state)
{
    (void)state;
    struct made m = make_world("hosts=20 pages=500 changing=1 change-every=1d");
    double structure = 0, text = 0, image = 0;
    for (uint32_t p = 0; p < 500; p++) {
        struct version v = page_version(m.world, 7, p, WORLD_EPOCH_MS + 300 * day_ms);
        structure += v.structure;
        text += v.text;
        image += v.image;
    }
    double all = structure + text + image;
    assert_true(fabs(structure / all - 0.25) < 0.02);
    assert_true(fabs(text / all - 0.6) < 0.02);
    assert_true(fabs(image / all - 0.15) < 0.02);
    unmake_world(&m);
}

static void the_moment_asked_first_makes_no_difference(void **state)
{
    (void)state;
    struct made a = make_world("changing=1 change-every=1h"),
                b = make_world("changing=1 change-every=1h");
    struct rng rng;
    rng_init(&rng, test_seed(2));
    enum { MOMENTS = 2000 };
    static uint64_t moments[MOMENTS];
    static struct version seen[MOMENTS];
    for (int i = 0; i < MOMENTS; i++)
        moments[i] = WORLD_EPOCH_MS + rng_below(&rng, WORLD_SPAN_MS);
    for (int i = 0; i < MOMENTS; i++)
        seen[i] = page_version(a.world, 1, 2, moments[i]);
    for (int i = MOMENTS - 1; i >= 0; i--)
        assert_true(same(seen[i], page_version(b.world, 1, 2, moments[i])));
    unmake_world(&a);
    unmake_world(&b);
}

static void counts_never_fall_and_the_last_change_is_when_they_rose(void **state)
{
    (void)state;
    struct made m = make_world("hosts=10 pages=50 changing=1 change-every=6h");
    for (uint32_t p = 0; p < 50; p++) {
        uint64_t now = WORLD_EPOCH_MS;
        struct version last = page_version(m.world, 3, p, now);
        for (int i = 0; i < 400; i++) {
            now += 3600 * 1000 + 17;
            struct version v = page_version(m.world, 3, p, now);
            assert_true(v.structure >= last.structure && v.text >= last.text &&
                        v.image >= last.image);
            assert_true(v.changed_ms <= now && v.changed_ms >= last.changed_ms);
            assert_int_equal(v.structure + v.text > last.structure + last.text,
                             v.changed_ms > last.changed_ms);
            assert_int_equal(v.image > last.image, v.image_changed_ms > last.image_changed_ms);
            if (total(v) > 0) {
                struct version before = page_version(m.world, 3, p, latest_ms(v) - 1);
                assert_true(total(before) < total(v));
                assert_true(same(page_version(m.world, 3, p, latest_ms(v)), v));
            }
            last = v;
        }
    }
    unmake_world(&m);
}

/* Every change found by walking backwards from the latest to the one before. */
static void walking_back_meets_every_change_once(void **state)
{
    (void)state;
    struct made m = make_world("hosts=10 pages=100 changing=1 change-every=3d");
    for (uint32_t p = 0; p < 20; p++) {
        uint64_t now = WORLD_EPOCH_MS + WORLD_SPAN_MS;
        struct version v = page_version(m.world, 4, p, now);
        uint64_t left = total(v);
        while (total(v) > 0) {
            struct version before = page_version(m.world, 4, p, latest_ms(v) - 1);
            left -= total(v) - total(before);
            v = before;
        }
        assert_int_equal(left, 0);
        assert_true(latest_ms(v) < WORLD_EPOCH_MS);
    }
    unmake_world(&m);
}

static void before_the_epoch_and_after_the_span_nothing_changes(void **state)
{
    (void)state;
    struct made m = make_world("changing=1 change-every=1d");
    uint64_t end = WORLD_EPOCH_MS + WORLD_SPAN_MS;
    for (uint32_t p = 0; p < 50; p++) {
        struct version v = page_version(m.world, 2, p, 0);
        assert_int_equal(total(v), 0);
        assert_true(v.changed_ms < WORLD_EPOCH_MS && v.changed_ms > WORLD_EPOCH_MS - 731 * day_ms);
        assert_true(same(v, page_version(m.world, 2, p, WORLD_EPOCH_MS - 1)));
        assert_true(
            same(page_version(m.world, 2, p, end - 1), page_version(m.world, 2, p, UINT64_MAX)));
    }
    unmake_world(&m);
    m = make_world("changing=0");
    for (uint32_t p = 0; p < 50; p++)
        assert_true(same(page_version(m.world, 2, p, 0), page_version(m.world, 2, p, end)));
    unmake_world(&m);
}

static void rates_beyond_reason_are_counted_too(void **state)
{
    (void)state;
    struct made m = make_world("changing=1 change-every=1s");
    struct page page = page_of(m.world, 0, 0);
    double expected = page.change_per_ms * (double)WORLD_SPAN_MS;
    struct version v = page_version(m.world, 0, 0, UINT64_MAX);
    assert_true(fabs((double)total(v) / expected - 1) < 0.01);
    unmake_world(&m);
}

static void a_copy_and_the_images_change_with_their_page(void **state)
{
    (void)state;
    struct made m = make_world("hosts=5 pages=300 duplicates=0.3 changing=1 change-every=1d");
    uint64_t now = WORLD_EPOCH_MS + 200 * day_ms;
    uint32_t copies = 0;
    for (uint32_t p = 0; p < 300; p++) {
        struct page page = page_of(m.world, 1, p);
        struct version v = page_version(m.world, 1, p, now);
        struct place image = {1, PLACE_IMAGE, p, 0}, self = {1, PLACE_PAGE, p, 0};
        struct version of_image = place_version(m.world, image, now);
        assert_true(same(v, place_version(m.world, self, now)));
        assert_int_equal(of_image.changed_ms, v.image_changed_ms);
        assert_int_equal(of_image.image, v.image);
        if (page.role == PAGE_DUPLICATE) {
            assert_true(same(v, page_version(m.world, 1, page.same_as, now)));
            copies++;
        }
    }
    assert_true(copies > 30);
    unmake_world(&m);
}

static void lists_are_as_new_as_the_newest_page_they_list(void **state)
{
    (void)state;
    struct made m = make_world("hosts=5 pages=300 change-every=2d");
    uint64_t now = WORLD_EPOCH_MS + 100 * day_ms, newest = 0, of_part = 0, of_feed = 0;
    uint32_t from, to;
    sitemap_range(m.world, 0, 1, &from, &to);
    for (uint32_t p = 0; p < 300; p++) {
        if (!sitemap_lists(m.world, 0, p))
            continue;
        uint64_t changed = page_version(m.world, 0, p, now).changed_ms;
        newest = changed > newest ? changed : newest;
        if (p >= from && p < to)
            of_part = changed > of_part ? changed : of_part;
        if (p >= 290)
            of_feed = changed > of_feed ? changed : of_feed;
    }
    struct place index = {0, PLACE_SITEMAP_INDEX, 0, 0}, part = {0, PLACE_SITEMAP, 0, 1},
                 feed = {0, PLACE_FEED, 0, 0}, style = {0, PLACE_STYLE, 0, 0};
    assert_int_equal(place_version(m.world, index, now).changed_ms, newest);
    assert_int_equal(place_version(m.world, part, now).changed_ms, of_part);
    assert_int_equal(place_version(m.world, feed, now).changed_ms, of_feed);
    assert_true(same(place_version(m.world, style, 0), place_version(m.world, style, now)));
    unmake_world(&m);
}

static void the_index_of_a_large_host_is_made_anew_by_the_hour(void **state)
{
    (void)state;
    struct made m = make_world("hosts=2 pages=100k");
    struct place index = {0, PLACE_SITEMAP_INDEX, 0, 0};
    const uint64_t hour_ms = 3600000, at = WORLD_EPOCH_MS + 50 * hour_ms;
    struct version v = place_version(m.world, index, at + hour_ms - 1);
    assert_int_equal(v.changed_ms, at);
    assert_true(same(v, place_version(m.world, index, at)));
    assert_int_equal(total(place_version(m.world, index, at + hour_ms)), total(v) + 1);
    assert_true(place_version(m.world, index, 5).changed_ms < WORLD_EPOCH_MS);
    unmake_world(&m);
}

static void only_pages_said_to_change_ever_do(void **state)
{
    (void)state;
    struct made m = make_world("hosts=5 pages=300 changing=0.3");
    uint32_t changing = 0;
    for (uint32_t p = 0; p < 300; p++) {
        struct version v = page_version(m.world, 1, p, WORLD_EPOCH_MS + WORLD_SPAN_MS);
        assert_true(total(v) == 0 || page_of(m.world, 1, p).changes);
        changing += total(v) > 0;
    }
    assert_true(changing > 50 && changing < 130);
    unmake_world(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_a_poisson_process),
        cmocka_unit_test(kinds_of_change_keep_their_shares),
        cmocka_unit_test(the_moment_asked_first_makes_no_difference),
        cmocka_unit_test(counts_never_fall_and_the_last_change_is_when_they_rose),
        cmocka_unit_test(walking_back_meets_every_change_once),
        cmocka_unit_test(before_the_epoch_and_after_the_span_nothing_changes),
        cmocka_unit_test(rates_beyond_reason_are_counted_too),
        cmocka_unit_test(a_copy_and_the_images_change_with_their_page),
        cmocka_unit_test(lists_are_as_new_as_the_newest_page_they_list),
        cmocka_unit_test(the_index_of_a_large_host_is_made_anew_by_the_hour),
        cmocka_unit_test(only_pages_said_to_change_ever_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
