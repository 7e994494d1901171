/* SPDX-License-Identifier: Apache-2.0 */
#include "base/int_map.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "lib/test.h"

enum { KEYS = 400 };

struct value {
    uint64_t number;
    uint32_t twice;
};

/* Keys that are alike in all but a few bits, and 0 and the greatest. */
static uint64_t key_of(uint64_t i, unsigned kind)
{
    if (i < 2)
        return i ? UINT64_MAX : 0;
    return kind == 0 ? i : kind == 1 ? i << 32 : kind == 2 ? i << 54 : hash64_mix(i);
}

static void agree(const struct int_map *m, const uint64_t *truth, unsigned kind)
{
    size_t count = 0, at = 0;
    uint64_t key, sum = 0, want = 0;
    for (uint64_t i = 0; i < KEYS; i++) {
        const struct value *v = int_map_get(m, key_of(i, kind));
        assert_int_equal(v != NULL, truth[i] != 0);
        if (v) {
            assert_int_equal(v->number, truth[i]);
            assert_int_equal(v->twice, 2 * truth[i]);
        }
        count += truth[i] != 0;
        want += truth[i];
    }
    assert_int_equal(m->count, count);
    for (struct value *v; (v = int_map_next(m, &at, &key)); count--) {
        assert_ptr_equal(int_map_get(m, key), v);
        sum += v->number;
    }
    assert_int_equal(at, int_map_rows(m));
    assert_int_equal(count, 0);
    assert_int_equal(sum, want);
}

static void random_steps_agree_with_a_table(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, test_seed(1));
    for (unsigned kind = 0; kind < 4; kind++) {
        struct int_map m = INT_MAP(sizeof(struct value));
        uint64_t truth[KEYS] = {0};
        for (int step = 1; step < 20000; step++) {
            uint64_t i = rng_below(&r, KEYS), key = key_of(i, kind);
            bool is_new;
            if (rng_below(&r, 1 + (uint64_t)step / 4000) == 0) { /* fills, then empties */
                struct value *v = int_map_need(&m, key, &is_new);
                assert_non_null(v);
                assert_int_equal((uintptr_t)v % 8, 0);
                assert_int_equal(is_new, truth[i] == 0);
                if (is_new)
                    assert_true(v->number == 0 && v->twice == 0);
                *v = (struct value){(uint64_t)step, 2 * (uint32_t)step};
                truth[i] = (uint64_t)step;
            } else {
                assert_int_equal(int_map_remove(&m, key), truth[i] != 0);
                truth[i] = 0;
            }
            if (step % 50 == 0)
                agree(&m, truth, kind);
        }
        int_map_done(&m);
        assert_null(int_map_get(&m, 0));
        assert_non_null(int_map_need(&m, 3, NULL)); /* it may be used again */
        int_map_done(&m);
    }
}

static void an_empty_map_has_nothing(void **state)
{
    (void)state;
    struct int_map m = INT_MAP(1);
    size_t at = 0;
    uint64_t key;
    assert_int_equal(m.value_bytes, 8);
    assert_null(int_map_get(&m, 0));
    assert_null(int_map_get(&m, 1));
    assert_false(int_map_remove(&m, 0));
    assert_false(int_map_remove(&m, 1));
    assert_null(int_map_next(&m, &at, &key));
    assert_int_equal(int_map_rows(&m), 0);
    assert_true(int_map_is_full(&m));
    int_map_done(&m);
}

static void what_was_reserved_is_there(void **state)
{
    (void)state;
    struct int_map m = INT_MAP(sizeof(struct value));
    assert_rc(int_map_reserve(&m, 1000), RC_OK);
    mem_fault_at(1);
    for (uint64_t i = 0; i < 1000; i++) {
        assert_false(int_map_is_full(&m));
        assert_non_null(int_map_need(&m, i, NULL));
    }
    assert_rc(int_map_reserve(&m, 1000), RC_OK);
    assert_int_equal(mem_fault_hit(), 0);
    mem_fault_at(0);
    int_map_done(&m);
}

static void without_memory_the_map_stays_as_it_was(void **state)
{
    (void)state;
    struct int_map m = INT_MAP(sizeof(struct value));
    uint64_t i = 0;
    mem_fault_at(1);
    assert_null(int_map_need(&m, 7, NULL));
    for (;; i++) {
        mem_fault_at(i ? 1 : 0);
        struct value *v = int_map_need(&m, i, NULL);
        if (!v)
            break;
        v->number = i;
    }
    mem_fault_at(0);
    assert_true(int_map_is_full(&m));
    assert_int_equal(m.count, i);
    for (uint64_t k = 0; k < 2 * i; k++) {
        const struct value *v = int_map_get(&m, k);
        assert_int_equal(v != NULL, k < i);
        assert_true(!v || v->number == k);
    }
    mem_fault_at(1);
    assert_rc(int_map_reserve(&m, 100000), RC_NOMEM);
    mem_fault_at(0);
    assert_int_equal(m.count, i);
    int_map_done(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_steps_agree_with_a_table),
        cmocka_unit_test(an_empty_map_has_nothing),
        cmocka_unit_test(what_was_reserved_is_there),
        cmocka_unit_test(without_memory_the_map_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
