/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"

#include "base/rng.h"
#include "lib/test.h"

enum { MANY = 40 };

struct thing {
    int number;
    struct list_node node;
    bool is_in;
};

/* The same order in an array, moved by hand. */
struct truth {
    struct thing *things[MANY];
    size_t count;
};

static void truth_insert(struct truth *t, size_t at, struct thing *one)
{
    memmove(t->things + at + 1, t->things + at, (t->count - at) * sizeof *t->things);
    t->things[at] = one;
    t->count++;
}

static void truth_remove(struct truth *t, const struct thing *one)
{
    size_t at = 0;
    while (t->things[at] != one)
        at++;
    t->count--;
    memmove(t->things + at, t->things + at + 1, (t->count - at) * sizeof *t->things);
}

/* Forwards and backwards. */
static void agree(const struct list *l, const struct truth *t)
{
    size_t i = 0;
    for (struct list_node *n = l->first; n; n = n->next, i++) {
        assert_true(i < t->count);
        assert_ptr_equal(LIST_OF(n, struct thing, node), t->things[i]);
    }
    assert_int_equal(i, t->count);
    for (struct list_node *n = l->last; n; n = n->before, i--)
        assert_ptr_equal(LIST_OF(n, struct thing, node), t->things[i - 1]);
    assert_int_equal(i, 0);
}

static void random_steps_agree_with_an_array(void **state)
{
    (void)state;
    struct thing things[MANY] = {0};
    struct list l = {0};
    struct truth t = {0};
    struct rng r;
    rng_init(&r, test_seed(1));
    for (int step = 0; step < 20000; step++) {
        struct thing *one = &things[rng_below(&r, MANY)];
        bool at_first = rng_below(&r, 2);
        if (one->is_in) {
            list_remove(&l, &one->node);
            truth_remove(&t, one);
        } else if (at_first) {
            list_add_first(&l, &one->node);
            truth_insert(&t, 0, one);
        } else {
            list_add_last(&l, &one->node);
            truth_insert(&t, t.count, one);
        }
        one->is_in = !one->is_in;
        agree(&l, &t);
    }
}

static void a_walk_may_remove_what_it_stands_on(void **state)
{
    (void)state;
    struct thing things[5] = {0};
    struct list l = {0};
    int left = 0;
    for (int i = 0; i < 5; i++) {
        things[i].number = i;
        list_add_last(&l, &things[i].node);
    }
    for (struct list_node *n = l.first, *next; n; n = next) {
        next = n->next;
        if (LIST_OF(n, struct thing, node)->number % 2)
            list_remove(&l, n);
    }
    for (struct list_node *n = l.first; n; n = n->next, left += 2)
        assert_int_equal(LIST_OF(n, struct thing, node)->number, left);
    assert_int_equal(left, 6);
}

static void the_last_one_leaves_an_empty_list(void **state)
{
    (void)state;
    struct thing one = {0};
    struct list l = {0};
    list_add_first(&l, &one.node);
    assert_ptr_equal(l.first, l.last);
    list_remove(&l, &one.node);
    assert_null(l.first);
    assert_null(l.last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_steps_agree_with_an_array),
        cmocka_unit_test(a_walk_may_remove_what_it_stands_on),
        cmocka_unit_test(the_last_one_leaves_an_empty_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
