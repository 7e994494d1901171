/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "base/mem.h"
#include "base/rng.h"
#include "oracle/seen.h"

static void a_key_is_a_place_and_back(void **state)
{
    (void)state;
    static const struct place rows[] = {
        {0, PLACE_PAGE, 0, 0},
        {WORLD_MAX_HOSTS - 1, PLACE_PAGE, WORLD_MAX_PAGES - 1, 0},
        {WORLD_MAX_HOSTS - 1, PLACE_IMAGE, WORLD_MAX_PAGES - 1, WORLD_MAX_IMAGES},
        {7, PLACE_SITEMAP, 0, 999},
        {7, PLACE_SITEMAP, 0, 0},
        {7, PLACE_SITEMAP_INDEX, 0, 0},
        {7, PLACE_FEED, 0, 0},
        {7, PLACE_ROBOTS, 0, 0},
        {7, (enum place_kind)PLACE_MOUNT, 0, 0},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    for (int i = 0; i < ROWS; i++) {
        struct place p = key_place(place_key(rows[i]));
        assert_int_not_equal(place_key(rows[i]), 0);
        assert_int_equal(p.host, rows[i].host);
        assert_int_equal(p.kind, rows[i].kind);
        assert_int_equal(p.page, rows[i].page);
        assert_int_equal(p.nth, rows[i].nth);
        for (int k = 0; k < i; k++)
            assert_int_not_equal(place_key(rows[i]), place_key(rows[k]));
    }
}

static void what_is_known_only_rises(void **state)
{
    (void)state;
    struct seen s;
    enum seen_state before;
    seen_init(&s);
    assert_int_equal(seen_get(&s, 5), SEEN_NOT);
    assert_rc(seen_raise(&s, 5, SEEN_DEEP, &before), RC_OK);
    assert_int_equal(before, SEEN_NOT);
    assert_rc(seen_raise(&s, 5, SEEN_NOFOLLOW, &before), RC_OK);
    assert_int_equal(before, SEEN_DEEP);
    assert_int_equal(seen_get(&s, 5), SEEN_DEEP);
    assert_rc(seen_raise(&s, 5, SEEN_NOW, &before), RC_OK);
    assert_int_equal(seen_get(&s, 5), SEEN_NOW);
    assert_int_equal(s.count, 1);
    seen_done(&s);
}

/* Against a plain array. */
static void many_keys_are_told_apart(void **state)
{
    (void)state;
    enum { KEYS = 20000, STEPS = 100000 };
    static unsigned char model[KEYS];
    struct seen s;
    struct rng rng;
    seen_init(&s);
    rng_init(&rng, test_seed(3));
    for (int i = 0; i < STEPS; i++) {
        uint32_t n = (uint32_t)rng_below(&rng, KEYS);
        enum seen_state now = (enum seen_state)(1 + rng_below(&rng, SEEN_TOLD)), before;
        uint64_t key = place_key((struct place){n, PLACE_PAGE, n * 31 % 1000, 0});
        assert_rc(seen_raise(&s, key, now, &before), RC_OK);
        assert_int_equal(before, model[n]);
        if (model[n] < now)
            model[n] = (unsigned char)now;
        assert_int_equal(seen_get(&s, key), model[n]);
    }
    uint32_t count = 0;
    for (int n = 0; n < KEYS; n++)
        count += model[n] != 0;
    assert_int_equal(s.count, count);
    assert_true(s.slot_count < 4 * (uint64_t)KEYS);
    seen_done(&s);
}

static enum rc fill(void *ctx)
{
    (void)ctx;
    struct seen s;
    struct keys k = {0};
    enum seen_state before;
    enum rc rc = RC_OK;
    seen_init(&s);
    for (uint64_t i = 1; i < 5000 && rc == RC_OK; i++) {
        rc = seen_raise(&s, i, SEEN_NOW, &before);
        if (rc == RC_OK)
            rc = keys_add(&k, i);
    }
    for (uint64_t i = 0; i < k.count; i++) {
        assert_int_equal(k.list[i], i + 1);
        assert_int_equal(seen_get(&s, i + 1), SEEN_NOW);
    }
    seen_done(&s);
    keys_done(&k);
    return rc;
}

static void no_memory_leaves_it_as_it_was(void **state)
{
    (void)state;
    test_each_allocation_fails(fill, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_a_place_and_back),
        cmocka_unit_test(what_is_known_only_rises),
        cmocka_unit_test(many_keys_are_told_apart),
        cmocka_unit_test(no_memory_leaves_it_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
