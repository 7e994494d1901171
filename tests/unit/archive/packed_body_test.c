/* SPDX-License-Identifier: Apache-2.0 */
/* A body that is packed where it came, and what a process may not say of one. */
#include "archive/packed_body.h"

#include "lib/test.h"

enum { MOST = 1 << 20 };

#define PLAIN "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
#define CHUNKED "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

static struct packed_body_tools *tools;

static int open_tools(void **state)
{
    (void)state;
    tools = packed_body_tools_open();
    return !tools;
}

static int close_tools(void **state)
{
    (void)state;
    packed_body_tools_close(tools);
    return 0;
}

static struct packed_body packed(const char *head, struct str body)
{
    struct packed_body b;
    assert_rc(packed_body_make(tools, str_c(head), body, MOST, &b), RC_OK);
    return b;
}

static void what_was_made_is_what_is_checked(void **state)
{
    (void)state;
    static const char *const heads[] = {PLAIN, CHUNKED};
    const struct str body = STR("5\r\nhello\r\n0\r\n\r\n");
    for (int i = 0; i < 2; i++) {
        struct packed_body b = packed(heads[i], body);
        assert_int_equal(b.entity_bytes, i ? 5 : body.n);
        assert_rc(packed_body_check(tools, str_c(heads[i]), &b, MOST), RC_OK);
        assert_rc(packed_body_check(tools, str_c(heads[!i]), &b, MOST), RC_INVALID);
    }
}

static void what_does_not_agree_is_refused(void **state)
{
    (void)state;
    struct packed_body good = packed(PLAIN, STR("hello, hello, hello")), b = good;
    b.digest.bytes[19] ^= 1;
    assert_rc(packed_body_check(tools, STR(PLAIN), &b, MOST), RC_INVALID);
    b = good;
    b.entity_bytes++;
    assert_rc(packed_body_check(tools, STR(PLAIN), &b, MOST), RC_INVALID);
    b = good;
    b.deflated.crc++;
    assert_rc(packed_body_check(tools, STR(PLAIN), &b, MOST), RC_INVALID);
    assert_rc(packed_body_check(tools, STR(PLAIN), &good, 18),
              RC_INVALID); /* too long: not undone */
    assert_rc(packed_body_check(tools, STR(PLAIN), &good, 19), RC_OK);
}

static enum rc there_and_back(void *ctx)
{
    struct packed_body_tools *own = packed_body_tools_open();
    struct packed_body b;
    (void)ctx;
    enum rc rc = own ? packed_body_make(own, STR(PLAIN), STR("text"), MOST, &b) : RC_NOMEM;
    rc = rc ? rc : packed_body_check(own, STR(PLAIN), &b, MOST);
    packed_body_tools_close(own);
    return rc;
}

static void memory_may_be_short(void **state)
{
    (void)state;
    struct packed_body b;
    test_each_allocation_fails(there_and_back, NULL);
    assert_rc(packed_body_make(tools, STR(PLAIN), STR("no room for this"), 10, &b), RC_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_made_is_what_is_checked),
        cmocka_unit_test(what_does_not_agree_is_refused),
        cmocka_unit_test(memory_may_be_short),
    };
    return cmocka_run_group_tests_name("packed body", tests, open_tools, close_tools);
}
