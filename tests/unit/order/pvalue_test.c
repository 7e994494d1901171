/* SPDX-License-Identifier: Apache-2.0 */
/* What a page is worth by its links (P4). */
#include "order/pvalue.h"

#include "order/order.h"

#include "lib/test.h"

static void without_ageing_it_is_the_difference(void **state)
{
    (void)state;
    static const struct {
        uint32_t forward, back;
        int value;
    } rows[] = {{13, 8, 5}, {22, 10, 12}, {17, 9, 8}, {10, 11, -1}, {5, 3, 2}, {0, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint64_t known = 0; known < 1000000000000; known = known * 10 + 1)
            assert_int_equal(order_pvalue(rows[i].forward, rows[i].back, known, 0), rows[i].value);
}

static void the_weight_shifts_from_forward_to_back_links(void **state)
{
    (void)state;
    static const struct {
        const char *when;
        uint64_t known, half;
        int value; /* of 100 forward links and 40 back links */
    } rows[] = {
        {"nothing is known: 100 - 20", 0, 1000, 80},
        {"half way: s = 1/2, 75 - 30", 1000, 1000, 45},
        {"s = 3/4: 62.5 - 35, rounded", 3000, 1000, 28},
        {"nearly all is known: 50 - 40", 1000000000000, 1000, 10},
        {"the largest numbers", UINT64_MAX, UINT64_MAX, 45},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (order_pvalue(100, 40, rows[i].known, rows[i].half) != rows[i].value)
            fail_msg("%s: %d", rows[i].when, order_pvalue(100, 40, rows[i].known, rows[i].half));
}

static void it_falls_as_more_pages_link_to_the_page_and_as_more_is_known(void **state)
{
    (void)state;
    int last = ORDER_VALUE_MAX;
    for (uint32_t back = 0; back < 256; back++) {
        int value = order_pvalue(100, back, 5000, 1000);
        assert_true(value <= last && value >= last - 2 - (back == 0 ? ORDER_VALUE_MAX : 0));
        last = value;
    }
    for (uint64_t known = 0; known < 100000; known += 100)
        assert_true(order_pvalue(100, 40, known + 100, 1000) <= order_pvalue(100, 40, known, 1000));
}

static void halves_are_rounded_up_below_zero_too(void **state)
{
    (void)state;
    assert_int_equal(order_pvalue(1, 1, 0, 1), 1);  /*  0.5 */
    assert_int_equal(order_pvalue(0, 1, 0, 1), 0);  /* -0.5 */
    assert_int_equal(order_pvalue(0, 3, 0, 1), -1); /* -1.5 */
    assert_int_equal(order_pvalue(0, 4, 0, 1), -2); /* -2 */
    assert_int_equal(order_pvalue(0, 3, 1, 1), -2); /* -2.25 */
}

static void values_are_clamped(void **state)
{
    (void)state;
    assert_int_equal(order_pvalue(ORDER_VALUE_MAX + 1, 0, 5, 0), ORDER_VALUE_MAX);
    assert_int_equal(order_pvalue(0, 1 - ORDER_VALUE_MIN, 5, 0), ORDER_VALUE_MIN);
    assert_int_equal(order_pvalue(UINT32_MAX, 0, 5, 7), ORDER_VALUE_MAX);
    assert_int_equal(order_pvalue(0, UINT32_MAX, 5, 7), ORDER_VALUE_MIN);
    assert_int_equal(order_pvalue(UINT32_MAX, 0, 5, 0), ORDER_VALUE_MAX);
    assert_int_equal(order_pvalue(0, UINT32_MAX, 5, 0), ORDER_VALUE_MIN);
}

static void a_score_has_a_value(void **state)
{
    (void)state;
    assert_int_equal(order_score_value(0), 0);
    assert_int_equal(order_score_value(1), ORDER_VALUE_MAX);
    assert_true(order_score_value(0.5) > order_score_value(0.499));
    assert_int_equal(order_score_value(7), ORDER_VALUE_MAX);
}

static void orders_and_queues_have_names(void **state)
{
    (void)state;
    struct buf choices = {.max = 100};
    for (unsigned i = 0; i < ORDER_KINDS_; i++)
        buf_printf(&choices, "%s%s", i ? "|" : "", order_name((enum order_kind)i));
    assert_str(buf_str(&choices), STR(ORDER_CHOICES));
    buf_done(&choices);
    assert_string_equal(order_queue_text(0), "the first of three lists");
    assert_string_equal(order_queue_text(ORDER_REVISITS), "the list of revisits");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_ageing_it_is_the_difference),
        cmocka_unit_test(the_weight_shifts_from_forward_to_back_links),
        cmocka_unit_test(it_falls_as_more_pages_link_to_the_page_and_as_more_is_known),
        cmocka_unit_test(halves_are_rounded_up_below_zero_too),
        cmocka_unit_test(values_are_clamped),
        cmocka_unit_test(a_score_has_a_value),
        cmocka_unit_test(orders_and_queues_have_names),
    };
    return cmocka_run_group_tests_name("pvalue", tests, NULL, NULL);
}
