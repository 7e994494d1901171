/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_permit.h"
#include "lib/test.h"

enum { NOW_MS = 1000, DELAY_MS = 100 };

static void open_tables(struct permit_table **addresses, struct permit_table **hosts)
{
    assert_rc(permit_table_open(2, 0, addresses), RC_OK);
    assert_rc(permit_table_open(1, DELAY_MS, hosts), RC_OK);
}

static void a_host_has_one_request_and_an_address_a_few(void **state)
{
    (void)state;
    struct permit_table *addresses, *hosts;
    struct host_permit a = {.address_group = 1, .host_hash = 11}, same = a;
    struct host_permit b = {.address_group = 1, .host_hash = 12};
    struct host_permit c = {.address_group = 1, .host_hash = 13};
    open_tables(&addresses, &hosts);
    assert_int_equal(host_permit_take(&a, addresses, hosts, NOW_MS), 0);
    assert_true(a.is_held);
    assert_true(host_permit_take(&same, addresses, hosts, NOW_MS) > NOW_MS);
    assert_false(same.is_held); /* and its place at the address is free again: */
    assert_int_equal(host_permit_take(&b, addresses, hosts, NOW_MS), 0);
    assert_true(host_permit_take(&c, addresses, hosts, NOW_MS) > NOW_MS);
    assert_false(c.is_held);
    host_permit_return(&c, addresses, hosts, NOW_MS); /* it has none: nothing happens */
    assert_true(host_permit_take(&c, addresses, hosts, NOW_MS) > NOW_MS);
    host_permit_return(&a, addresses, hosts, NOW_MS);
    assert_false(a.is_held);
    assert_int_equal(host_permit_take(&c, addresses, hosts, NOW_MS + 1), 0);
    host_permit_return(&b, addresses, hosts, NOW_MS);
    host_permit_return(&c, addresses, hosts, NOW_MS);
    permit_table_close(addresses);
    permit_table_close(hosts);
}

static void a_host_is_asked_again_after_the_delay(void **state)
{
    (void)state;
    struct permit_table *addresses, *hosts;
    struct host_permit a = {.address_group = 1, .host_hash = 11};
    open_tables(&addresses, &hosts);
    assert_int_equal(host_permit_take(&a, addresses, hosts, NOW_MS), 0);
    host_permit_return(&a, addresses, hosts, NOW_MS);
    host_permit_return(&a, addresses, hosts, NOW_MS); /* once more is no more */
    assert_int_equal(host_permit_take(&a, addresses, hosts, NOW_MS + 50), NOW_MS + DELAY_MS);
    assert_int_equal(host_permit_take(&a, addresses, hosts, NOW_MS + DELAY_MS), 0);
    permit_table_close(addresses);
    permit_table_close(hosts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_has_one_request_and_an_address_a_few),
        cmocka_unit_test(a_host_is_asked_again_after_the_delay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
