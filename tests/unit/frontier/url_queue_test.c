/* SPDX-License-Identifier: Apache-2.0 */
#include "frontier/url_queue.h"

#include "frontier/seen.h"
#include "lib/test.h"

#include "base/rng.h"

#include <stdio.h>

enum { MANY = 5000, LONG_PATH = 9000 };

/* Entry number i, always the same; some paths are empty, some longer than a chunk. */
static struct url_entry entry_of(uint64_t i, char *room)
{
    size_t n = i % 97 == 5 ? LONG_PATH : i % 11 == 3 ? 0 : 1 + i * 7 % 90;
    static char seed_path[250];
    for (size_t k = 0; k < sizeof seed_path; k++)
        seed_path[k] = "LREPX"[k * 7 % 5];
    memset(room, 'a' + (int)(i % 26), n);
    return (struct url_entry){
        .sequence = i * i + 1,
        .via = ~i * 0x9e3779b97f4a7c15,
        .path = str_make(room, n),
        .seed_path = str_first(str_make(seed_path, sizeof seed_path),
                               i % 89 == 7 ? sizeof seed_path : i % 9),
        .origin = (uint8_t)(i % 251),
    };
}

static void assert_entry(const struct url_entry *got, uint64_t i)
{
    static char room[LONG_PATH];
    struct url_entry want = entry_of(i, room);
    assert_true(got->sequence == want.sequence && got->via == want.via);
    assert_true(got->origin == want.origin);
    assert_str(got->seed_path, want.seed_path);
    assert_str(got->path, want.path);
}

static void what_goes_in_first_comes_out_first_and_whole(void **state)
{
    (void)state;
    static char room[LONG_PATH];
    struct url_queue q = {0};
    uint64_t bytes = 0, in = 0, out = 0;
    struct rng r;
    rng_init(&r, test_seed(1));
    while (out < MANY) {
        if (in < MANY && rng_below(&r, 3)) {
            struct url_entry e = entry_of(in++, room);
            assert_rc(url_queue_push(&q, &e, &bytes), RC_OK);
        } else if (in > out) {
            struct url_entry head;
            assert_true(url_queue_head(&q, &head));
            assert_entry(&head, out++);
            url_queue_pop(&q, &bytes);
        }
        assert_int_equal(q.count, in - out);
    }
    assert_int_equal(bytes, 0);
    url_queue_done(&q, &bytes);
}

static void a_walk_sees_all_and_changes_nothing(void **state)
{
    (void)state;
    static char room[LONG_PATH];
    struct url_queue q = {0};
    uint64_t bytes = 0;
    struct url_entry e;
    for (uint64_t i = 0; i < 300; i++) {
        e = entry_of(i, room);
        assert_rc(url_queue_push(&q, &e, &bytes), RC_OK);
    }
    for (uint64_t gone = 0; gone < 300; gone += 37) {
        struct url_walk w = url_queue_walk(&q);
        for (uint64_t i = gone; i < 300; i++) {
            assert_true(url_walk_next(&w, &e));
            assert_entry(&e, i);
        }
        assert_false(url_walk_next(&w, &e));
        for (int i = 0; i < 37; i++)
            url_queue_pop(&q, &bytes);
    }
    url_queue_done(&q, &bytes);
    assert_int_equal(bytes, 0);
}

static void fingerprints_are_found_again_and_others_are_not(void **state)
{
    (void)state;
    struct seen_set s = {0};
    struct rng r;
    uint64_t seed = test_seed(2);
    rng_init(&r, seed);
    assert_false(seen_has(&s, 7));
    for (int i = 0; i < 20000; i++) {
        uint64_t fingerprint = i == 0 ? 0 : rng_next(&r);
        assert_false(seen_has(&s, fingerprint));
        assert_rc(seen_reserve(&s, 1), RC_OK);
        seen_put(&s, fingerprint);
        seen_put(&s, fingerprint);
    }
    assert_int_equal(s.count, 20000);
    assert_true(seen_bytes(&s) <= 20000 * 16);
    rng_init(&r, seed);
    assert_true(seen_has(&s, 0));
    for (int i = 1; i < 20000; i++)
        assert_true(seen_has(&s, rng_next(&r)));
    seen_done(&s);
}

static enum rc fill(void *ctx)
{
    (void)ctx;
    static char room[LONG_PATH];
    struct url_queue q = {0};
    struct seen_set s = {0};
    uint64_t bytes = 0;
    enum rc rc = RC_OK;
    for (uint64_t i = 0; i < 30 && rc == RC_OK; i++) {
        struct url_entry e = entry_of(i, room);
        uint32_t before = q.count;
        rc = url_queue_push(&q, &e, &bytes);
        assert_true(q.count == before + (rc == RC_OK));
        rc = rc ? rc : seen_reserve(&s, 1);
        if (rc == RC_OK)
            seen_put(&s, e.via);
    }
    url_queue_done(&q, &bytes);
    seen_done(&s);
    assert_int_equal(bytes, 0);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(fill, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_first_comes_out_first_and_whole),
        cmocka_unit_test(a_walk_sees_all_and_changes_nothing),
        cmocka_unit_test(fingerprints_are_found_again_and_others_are_not),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("url_queue", tests, NULL, NULL);
}
