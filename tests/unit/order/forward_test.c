/* SPDX-License-Identifier: Apache-2.0 */
/* How many links a page may have that nothing has fetched yet. */
#include "order/forward.h"

#include "base/hash.h"
#include "base/mem.h"

#include "lib/test.h"

static int forward_setup(void **state)
{
    *state = mem_zero(1, sizeof(struct order_forward));
    return *state ? 0 : -1;
}

static int forward_teardown(void **state)
{
    mem_free(*state);
    return 0;
}

static void learn(struct order_forward *f, const char *host, const char *path, uint32_t links,
                  int times)
{
    for (int i = 0; i < times; i++)
        order_forward_learn(f, hash64(str_c(host)), str_c(path), links);
}

static unsigned expect(const struct order_forward *f, const char *host, const char *path)
{
    return order_forward_expect(f, hash64(str_c(host)), str_c(path));
}

static void nothing_is_expected_before_anything_is_known(void **state)
{
    assert_int_equal(expect(*state, "a.example", "/"), 0);
    assert_int_equal(expect(*state, "a.example", ""), 0);
}

static void a_directory_counts_most_then_its_host_then_all(void **state)
{
    struct order_forward *f = *state;
    learn(f, "a.example", "/list/1", 80, 30);
    learn(f, "a.example", "/img/1.png", 0, 30);
    learn(f, "b.example", "/x", 10, 30);
    assert_in_range(expect(f, "a.example", "/list/2"), 74, 80);
    assert_in_range(expect(f, "a.example", "/img/2.png"), 0, 4);
    unsigned of_host = expect(f, "a.example", "/other/2");
    assert_in_range(of_host, 5, 60); /* between the two */
    assert_in_range(expect(f, "c.example", "/"), 5, 60);
    assert_in_range(expect(f, "b.example", "/y?q=/list/"), 10, 12);
}

static void one_page_of_a_directory_counts_half(void **state)
{
    struct order_forward *f = *state;
    learn(f, "a.example", "/a/1", 40, 100);
    learn(f, "a.example", "/b/1", 0, 1);
    assert_in_range(expect(f, "a.example", "/b/2"), 17, 21);
}

static void it_follows_what_a_host_becomes(void **state)
{
    struct order_forward *f = *state;
    learn(f, "a.example", "/1", 100, 1000);
    learn(f, "a.example", "/1", 10, 60);
    assert_in_range(expect(f, "a.example", "/2"), 10, 16);
}

static void the_directory_ends_before_the_query(void **state)
{
    struct order_forward *f = *state;
    learn(f, "a.example", "/a/1?from=/b/", 50, 20);
    learn(f, "a.example", "/b/1", 0, 20);
    assert_in_range(expect(f, "a.example", "/a/2"), 45, 50);
    assert_in_range(expect(f, "a.example", "/b/2?from=/a/"), 0, 5);
}

/* Two hosts with one place in the table. */
static void a_host_that_takes_the_place_of_another_begins_anew(void **state)
{
    struct order_forward *f = *state;
    const uint64_t old = 5, new = 5 + (UINT64_C(1) << 40);
    for (unsigned i = 0; i < 20; i++)
        order_forward_learn(f, old, STR("/"), 100);
    learn(f, "other.example", "/", 0, 200);
    assert_in_range(order_forward_expect(f, old, STR("/")), 80, 100);
    assert_in_range(order_forward_expect(f, new, STR("/")), 0, 5);
    order_forward_learn(f, new, STR("/"), 8);
    assert_in_range(order_forward_expect(f, new, STR("/")), 2, 8);
    assert_in_range(order_forward_expect(f, old, STR("/")), 0, 5);
}

static void numbers_without_limit_do_no_harm(void **state)
{
    struct order_forward *f = *state;
    learn(f, "a.example", "/", UINT32_MAX, 100);
    assert_int_equal(expect(f, "a.example", "/"), 100000);
    for (uint64_t i = 0; i < 100000; i++)
        order_forward_learn(f, i * UINT64_C(0x9E3779B97F4A7C15), STR("/d/x"), 20);
    assert_in_range(expect(f, "unknown.example", "/d/y"), 18, 22);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_expected_before_anything_is_known, forward_setup,
                                        forward_teardown),
        cmocka_unit_test_setup_teardown(a_directory_counts_most_then_its_host_then_all,
                                        forward_setup, forward_teardown),
        cmocka_unit_test_setup_teardown(one_page_of_a_directory_counts_half, forward_setup,
                                        forward_teardown),
        cmocka_unit_test_setup_teardown(it_follows_what_a_host_becomes, forward_setup,
                                        forward_teardown),
        cmocka_unit_test_setup_teardown(the_directory_ends_before_the_query, forward_setup,
                                        forward_teardown),
        cmocka_unit_test_setup_teardown(a_host_that_takes_the_place_of_another_begins_anew,
                                        forward_setup, forward_teardown),
        cmocka_unit_test_setup_teardown(numbers_without_limit_do_no_harm, forward_setup,
                                        forward_teardown),
    };
    return cmocka_run_group_tests_name("forward", tests, NULL, NULL);
}
