/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"
#include "net/address.h"

enum { ITEMS = 8 };

struct allow {
    struct str items[ITEMS];
    struct option_list list;
};

static const struct option_list *allow(struct allow *a, const char *item)
{
    a->items[0] = str_c(item);
    a->list = (struct option_list){a->items, item ? 1 : 0};
    return &a->list;
}

static bool passes(const char *allowed, const char *text)
{
    struct allow list;
    struct guard *g = NULL;
    struct address a;
    struct buf why = {.max = 1000};
    enum rc rc = guard_open(allow(&list, allowed), &g, &why);
    if (rc)
        fail_msg("%s: " STR_FMT, allowed, STR_ARG(buf_str(&why)));
    assert_rc(address_read(str_c(text), &a), RC_OK);
    bool does = guard_allows(g, &a);
    guard_close(g);
    buf_done(&why);
    return does;
}

struct guard_row {
    const char *allow;
    const char *address;
    bool passes;
};

static const struct guard_row guard_rows[] = {
    {NULL, "8.8.8.8", true},
    {NULL, "2606:4700::1111", true},
    {NULL, "127.0.0.1", false},
    {NULL, "::1", false},
    {NULL, "10.0.0.1", false},
    {NULL, "169.254.169.254", false},
    {NULL, "168.63.129.16", false},
    {NULL, "::ffff:168.63.129.16", false},
    {NULL, "192.80.8.124", false},
    {NULL, "0.0.0.0", false},
    {NULL, "100.64.0.1", false},
    {NULL, "::ffff:10.0.0.1", false},
    {NULL, "64:ff9b::a00:1", false},
    {NULL, "2002:a00:1::1", false},
    {NULL, "fd00::1", false},
    {NULL, "fe80::1", false},
    {NULL, "224.0.0.1", false},
    {NULL, "255.255.255.255", false},
    {"all", "127.0.0.1", true},
    {"all", "::1", true},
    {"all", "169.254.169.254", true},
    {"168.63.129.16", "168.63.129.16", true},
    {"10.0.0.0/8", "168.63.129.16", false},
    {"127.1.0.0/16", "127.1.0.0", true},
    {"127.1.0.0/16", "127.1.255.255", true},
    {"127.1.0.0/16", "127.0.255.255", false},
    {"127.1.0.0/16", "127.2.0.0", false},
    {"127.1.0.0/16", "127.0.0.1", false},
    {"127.1.0.0/16", "10.0.0.1", false},
    {"127.1.0.0/16", "8.8.8.8", true},
    {"127.1.0.0/16", "::ffff:127.1.2.3", true},
    {"127.1.0.0/16", "::ffff:127.0.0.1", false},
    {"127.1.0.0/16,127.0.64.0/18", "127.0.127.255", true},
    {"127.1.0.0/16,127.0.64.0/18", "127.0.128.0", false},
    {"127.1.0.0/16, 127.0.64.0/18", "127.0.64.0", true},
    {"127.0.0.5", "127.0.0.5", true},
    {"127.0.0.5", "127.0.0.4", false},
    {"127.0.0.4/31", "127.0.0.5", true},
    {"127.0.0.4/31", "127.0.0.6", false},
    {"0.0.0.0/0", "10.0.0.1", true},
    {"0.0.0.0/0", "fd00::1", false},
    {"::/0", "fd00::1", true},
    {"::/0", "10.0.0.1", false},
    {"fd00::/8", "fd12::1", true},
    {"fd00::/8", "fc12::1", false},
    {"[fd00::]/8", "fdff::1", true},
    {"::1", "::1", true},
    {"::1", "127.0.0.1", false},
    {"::ffff:0:0/96", "::ffff:10.0.0.1", true},
    {"::ffff:0:0/96", "10.0.0.1", false},
};

static void only_public_addresses_pass_and_what_the_operator_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof guard_rows / sizeof *guard_rows; i++) {
        const struct guard_row *row = &guard_rows[i];
        if (passes(row->allow, row->address) != row->passes)
            fail_msg("allow %s: %s must %s", row->allow ? row->allow : "nothing", row->address,
                     row->passes ? "pass" : "be refused");
    }
}

static void networks_that_are_none_are_refused_by_name(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "ALL",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/",
        "10.0.0.0/8/8",
        "10.0.0/8",
        "10.0.0.1/8",
        "::/129",
        "fd00::1/8",
        "localhost",
        "10.0.0.0/0x8",
        "10.0.0.0/8,",
        "all,10.1/8",
        "10.0.0.0/0008",
        "10.0.0.0 /8",
        "10.0.0.0/8;10.0.0.0/9",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct allow list;
        struct guard *g = NULL;
        struct buf why = {.max = 1000};
        if (guard_open(allow(&list, wrong[i]), &g, &why) != RC_INVALID)
            fail_msg("\"%s\" was taken for a network", wrong[i]);
        assert_null(g);
        assert_true(str_find_str(buf_str(&why), STR("neither")) < why.n);
        buf_done(&why);
    }
}

static void several_items_add_up(void **state)
{
    (void)state;
    struct str items[] = {STR("127.1.0.0/16"), STR("fd00::/8"), STR("10.0.0.1")};
    struct option_list list = {items, 3};
    struct guard *g = NULL;
    struct buf why = {.max = 1000};
    struct address a;
    assert_rc(guard_open(&list, &g, &why), RC_OK);
    assert_rc(address_read(STR("10.0.0.1"), &a), RC_OK);
    assert_true(guard_allows(g, &a));
    assert_rc(address_read(STR("10.0.0.2"), &a), RC_OK);
    assert_false(guard_allows(g, &a));
    guard_close(g);
    guard_close(NULL);
    buf_done(&why);
}

static void a_list_without_end_is_refused(void **state)
{
    (void)state;
    struct buf text = {.max = 1 << 20}, why = {.max = 1000};
    for (int i = 0; i < 2000; i++)
        buf_add(&text, STR("10.0.0.0/8,"));
    buf_add(&text, STR("10.0.0.0/8"));
    struct str item = buf_str(&text);
    struct option_list list = {&item, 1};
    struct guard *g = NULL;
    assert_rc(guard_open(&list, &g, &why), RC_INVALID);
    assert_true(str_find_str(buf_str(&why), STR("more than")) < why.n);
    buf_done(&text);
    buf_done(&why);
}

static enum rc open_once(void *ctx)
{
    struct allow list;
    struct guard *g = NULL;
    struct buf why = {.max = 1000};
    enum rc rc = guard_open(allow(&list, ctx), &g, &why);
    guard_close(g);
    buf_done(&why);
    return rc;
}

static void without_memory_there_is_no_guard(void **state)
{
    (void)state;
    char item[] = "127.1.0.0/16,fd00::/8";
    test_each_allocation_fails(open_once, item);
}

static void ports_that_fetch_calls_bad_are_bad_and_no_others(void **state)
{
    (void)state;
    static const uint16_t bad[] = {0,    1,    22,   25,   53,   110,  143,  587,  993,  2049,
                                   4190, 6000, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080};
    static const uint16_t good[] = {2, 80, 81, 443, 8080, 8443, 3000, 6664, 6670, 10081, 65535};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(port_is_bad(bad[i]));
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_false(port_is_bad(good[i]));
    unsigned count = 0;
    for (unsigned port = 0; port <= UINT16_MAX; port++)
        count += port_is_bad((uint16_t)port);
    assert_int_equal(count, 83);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_public_addresses_pass_and_what_the_operator_names),
        cmocka_unit_test(networks_that_are_none_are_refused_by_name),
        cmocka_unit_test(several_items_add_up),
        cmocka_unit_test(a_list_without_end_is_refused),
        cmocka_unit_test(without_memory_there_is_no_guard),
        cmocka_unit_test(ports_that_fetch_calls_bad_are_bad_and_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
