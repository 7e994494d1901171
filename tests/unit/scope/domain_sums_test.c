/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/domain_sums.h"

#include "lib/test.h"

static uint64_t pages_of(struct domain_sums *s, uint64_t domain)
{
    struct domain_sum d = {.domain = domain};
    domain_sums_others(s, &d);
    return d.pages;
}

static void what_is_heard_of_one_takes_the_place_of_what_was_heard_before(void **state)
{
    (void)state;
    struct domain_sums *s = domain_sums_open();
    struct domain_sum d = {7, 10, 1000};
    assert_int_equal(pages_of(s, 7), 0);
    domain_sums_heard(s, 1, &d);
    domain_sums_heard(s, 1, &d);
    assert_int_equal(pages_of(s, 7), 10);
    domain_sums_heard(s, 2, &d);
    assert_int_equal(pages_of(s, 7), 20);
    d.pages = 3; /* it has moved hosts away and begun again */
    domain_sums_heard(s, 1, &d);
    assert_int_equal(pages_of(s, 7), 13);
    assert_int_equal(pages_of(s, 8), 0);
    domain_sums_close(s);
}

static void changes_are_told_first_then_all_in_turn(void **state)
{
    (void)state;
    enum { DOMAINS = 100, MOST = 8 };
    struct domain_sums *s = domain_sums_open();
    struct domain_sum told[MOST];
    bool seen[DOMAINS + 1] = {0};
    size_t count, news = 0;
    assert_int_equal(domain_sums_tell(s, told, MOST), 0);
    for (uint64_t i = 1; i <= DOMAINS; i++)
        domain_sums_ours(s, &(struct domain_sum){i, i, i});
    for (unsigned beats = 0; news < DOMAINS && beats < 2 * DOMAINS; beats++) {
        count = domain_sums_tell(s, told, MOST);
        for (size_t i = 0; i < count; i++) {
            assert_false(seen[told[i].domain]);
            seen[told[i].domain] = true;
        }
        news += count;
    }
    assert_int_equal(news, DOMAINS);
    assert_true(domain_sums_tell(s, told, MOST) > 0); /* once more: it may have been lost */
    domain_sums_ours(s, &(struct domain_sum){5, 50, 50});
    assert_int_equal(domain_sums_tell(s, told, MOST), 1);
    assert_true(told[0].domain == 5 && told[0].pages == 50);
    domain_sums_close(s);
}

static void past_its_bound_nothing_is_shared_and_nothing_breaks(void **state)
{
    (void)state;
    struct domain_sums *s = domain_sums_open();
    for (uint64_t i = 1; i <= DOMAIN_SUMS_MAX + 1000; i++)
        domain_sums_heard(s, 1, &(struct domain_sum){i, 1, 1});
    assert_int_equal(pages_of(s, 1), 1);
    assert_int_equal(pages_of(s, DOMAIN_SUMS_MAX + 1000), 0);
    domain_sums_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_heard_of_one_takes_the_place_of_what_was_heard_before),
        cmocka_unit_test(changes_are_told_first_then_all_in_turn),
        cmocka_unit_test(past_its_bound_nothing_is_shared_and_nothing_breaks),
    };
    return cmocka_run_group_tests_name("domain sums", tests, NULL, NULL);
}
