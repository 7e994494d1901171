/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "base/heap.h"
#include "base/mem.h"
#include "base/rng.h"

enum { MANY = 500 };

/* Against the plainest possible truth: look at all of them. */
static struct heap_node *least_of(struct heap_node *nodes, size_t n)
{
    struct heap_node *least = NULL;
    for (size_t i = 0; i < n; i++)
        if (nodes[i].at && (!least || nodes[i].key < least->key ||
                            (nodes[i].key == least->key && nodes[i].order < least->order)))
            least = &nodes[i];
    return least;
}

static void random_steps_agree_with_a_scan(void **state)
{
    (void)state;
    struct heap_node nodes[MANY] = {0};
    struct heap h;
    struct rng r;
    heap_init(&h, MANY);
    rng_init(&r, test_seed(1));
    for (int step = 0; step < 20000; step++) {
        struct heap_node *n = &nodes[rng_below(&r, MANY)];
        uint64_t key = rng_below(&r, 100);
        if (!n->at) {
            *n = (struct heap_node){.key = key, .order = (uint64_t)(n - nodes)};
            assert_rc(heap_add(&h, n), RC_OK);
        } else if (rng_below(&r, 2)) {
            heap_move(&h, n, key);
        } else {
            heap_remove(&h, n);
            assert_int_equal(n->at, 0);
        }
        assert_ptr_equal(heap_first(&h), least_of(nodes, MANY));
    }
    heap_done(&h);
}

static void full_is_refused_and_equal_keys_keep_order(void **state)
{
    (void)state;
    struct heap_node a = {.key = 1, .order = 2}, b = {.key = 1, .order = 1}, c = {.key = 0};
    struct heap h;
    heap_init(&h, 2);
    assert_null(heap_first(&h));
    assert_rc(heap_add(&h, &a), RC_OK);
    assert_rc(heap_add(&h, &b), RC_OK);
    assert_rc(heap_add(&h, &c), RC_LIMIT);
    assert_int_equal(c.at, 0);
    assert_ptr_equal(heap_first(&h), &b);
    heap_remove(&h, &c);
    heap_done(&h);
}

static void what_was_reserved_is_there(void **state)
{
    (void)state;
    struct heap_node nodes[100] = {0};
    struct heap h;
    heap_init(&h, 100);
    assert_rc(heap_reserve(&h, 101), RC_LIMIT);
    assert_rc(heap_reserve(&h, 100), RC_OK);
    mem_fault_at(1);
    for (int i = 0; i < 100; i++)
        assert_rc(heap_add(&h, &nodes[i]), RC_OK);
    assert_int_equal(mem_fault_hit(), 0);
    mem_fault_at(0);
    heap_done(&h);
}

static enum rc fill(void *ctx)
{
    (void)ctx;
    struct heap_node nodes[40] = {0};
    struct heap h;
    heap_init(&h, 40);
    enum rc rc = RC_OK;
    for (int i = 0; i < 40 && rc == RC_OK; i++)
        rc = heap_add(&h, &nodes[i]);
    heap_done(&h);
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
        cmocka_unit_test(random_steps_agree_with_a_scan),
        cmocka_unit_test(what_was_reserved_is_there),
        cmocka_unit_test(full_is_refused_and_equal_keys_keep_order),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
