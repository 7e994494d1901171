/* SPDX-License-Identifier: Apache-2.0 */
/* The set of fingerprints against a model: put in, taken out, looked for, in tables so full and
 * keys so near each other that nearly all stand away from their slot, also across the table's end.
 */
#include "frontier/seen.h"

#include "base/rng.h"
#include "lib/test.h"

#include <string.h>

enum { KEYS = 200, STEPS = 20000 };

struct model {
    bool has[KEYS];
    uint32_t count;
};

/* How near: all over, or within a few slots of one place or of the table's last. */
static uint64_t key_of(unsigned n, unsigned form)
{
    uint64_t spread = n * UINT64_C(0x9e3779b97f4a7c15);
    return form == 0   ? spread
           : form == 1 ? UINT64_C(0x8000000000000000) + n
           : form == 2 ? UINT64_MAX - n
           : form == 3 ? (n % 2 ? UINT64_MAX - n : n) /* 0 among them */
                       : (spread & 0x0fffffffffffffff) | UINT64_C(0xe000000000000000);
}

static void check_all(const struct seen_set *s, const struct model *m, unsigned form)
{
    assert_int_equal(s->count, m->count);
    for (unsigned i = 0; i < KEYS; i++)
        assert_int_equal(seen_has(s, key_of(i, form)), m->has[i]);
}

static void what_is_taken_out_is_gone_and_nothing_else(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, test_seed(21));
    for (unsigned form = 0; form < 5; form++) {
        struct seen_set s = {0};
        struct model m = {0};
        assert_false(seen_remove(&s, 5));
        for (unsigned step = 0; step < STEPS; step++) {
            unsigned n = (unsigned)rng_below(&rng, KEYS);
            if (rng_below(&rng, 100) < (step / 1000 % 2 ? 35 : 65)) {
                assert_rc(seen_reserve(&s, 1), RC_OK);
                seen_put(&s, key_of(n, form));
                m.count += !m.has[n];
                m.has[n] = true;
            } else {
                assert_int_equal(seen_remove(&s, key_of(n, form)), m.has[n]);
                m.count -= m.has[n];
                m.has[n] = false;
            }
            if (step % 50 == 0)
                check_all(&s, &m, form);
        }
        for (unsigned n = 0; n < KEYS; n++)
            (void)seen_remove(&s, key_of(n, form));
        assert_int_equal(s.count, 0);
        for (uint32_t i = 0; i < s.slot_count; i++)
            assert_true(s.slots[i] == 0);
        seen_done(&s);
    }
}

/* The counts beside them move with them. */
static void links_are_counted_beside_each(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, test_seed(22));
    for (unsigned form = 0; form < 5; form++) {
        struct seen_set s = {.counts_links = true};
        unsigned links[KEYS] = {0};
        bool has[KEYS] = {0};
        seen_add_links(&s, 5, 1); /* there is none */
        for (unsigned step = 0; step < STEPS; step++) {
            unsigned n = (unsigned)rng_below(&rng, KEYS), more = (unsigned)rng_below(&rng, 40);
            uint64_t key = key_of(n, form);
            unsigned what = (unsigned)rng_below(&rng, 8);
            if (what < 3) {
                assert_rc(seen_reserve(&s, 1), RC_OK);
                if (!has[n])
                    seen_put(&s, key);
                has[n] = true;
            } else if (what < 5) {
                (void)seen_remove(&s, key);
                has[n] = false;
                links[n] = 0;
            } else {
                seen_add_links(&s, key, more);
                links[n] = has[n] ? links[n] + more : 0;
            }
            if (step % 5000 == 4999)
                seen_fit(&s);
            for (unsigned i = step % 50; i < KEYS; i += 50)
                assert_int_equal(seen_links(&s, key_of(i, form)), links[i] < 255 ? links[i] : 255);
        }
        assert_int_equal(seen_bytes(&s), s.slot_count * 9);
        seen_done(&s);
        assert_true(s.counts_links && !s.links);
    }
}

static enum rc grow_with_links(void *ctx)
{
    struct seen_set s = {.counts_links = true};
    enum rc rc = RC_OK;
    (void)ctx;
    for (unsigned i = 1; i < 100 && rc == RC_OK; i++) {
        rc = seen_reserve(&s, 1);
        if (rc == RC_OK)
            seen_put(&s, i * UINT64_C(0x9e3779b97f4a7c15));
        if (rc == RC_OK)
            seen_add_links(&s, i * UINT64_C(0x9e3779b97f4a7c15), 1);
        for (unsigned n = 1; n < i; n++)
            assert_int_equal(seen_links(&s, n * UINT64_C(0x9e3779b97f4a7c15)), 1);
    }
    seen_done(&s);
    return rc;
}

static void without_memory_it_stays_as_it_is(void **state)
{
    (void)state;
    test_each_allocation_fails(grow_with_links, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_taken_out_is_gone_and_nothing_else),
        cmocka_unit_test(links_are_counted_beside_each),
        cmocka_unit_test(without_memory_it_stays_as_it_is),
    };
    return cmocka_run_group_tests_name("seen", tests, NULL, NULL);
}
