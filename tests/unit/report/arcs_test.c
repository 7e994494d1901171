/* SPDX-License-Identifier: Apache-2.0 */
#include "report/arcs.h"

#include "lib/test.h"

static void a_page_and_its_links_are_read(void **state)
{
    (void)state;
    struct arc_line l;
    char hop;
    uint64_t to;
    assert_rc(arc_line_parse(STR("0123456789abcdef L00000000deadbeef Effffffffffffffff"), &l),
              RC_OK);
    assert_true(l.page == UINT64_C(0x0123456789abcdef));
    assert_true(arc_line_next(&l, &hop, &to));
    assert_true(hop == 'L' && to == 0xdeadbeef);
    assert_true(arc_line_next(&l, &hop, &to));
    assert_true(hop == 'E' && to == UINT64_MAX);
    assert_false(arc_line_next(&l, &hop, &to));
}

static void a_page_may_have_no_links(void **state)
{
    (void)state;
    struct arc_line l;
    char hop;
    uint64_t to;
    assert_rc(arc_line_parse(STR("0000000000000000"), &l), RC_OK);
    assert_false(arc_line_next(&l, &hop, &to));
}

static void what_is_no_line_is_refused(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "",
        "0123456789abcde",
        "0123456789abcdeg",
        "0123456789abcdef ",
        "0123456789abcdef L0123456789abcde",
        "0123456789abcdef  0123456789abcdef",
        "0123456789abcdef L0123456789abcdeffff",
        "0123456789abcdefL0123456789abcdef",
        "0123456789abcdef 10123456789abcdef",
    };
    struct arc_line l;
    struct node_line n;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (arc_line_parse(str_c(rows[i]), &l) != RC_INVALID)
            fail_msg("\"%s\" was read", rows[i]);
    for (size_t i = 0; i < 4; i++)
        assert_rc(node_line_parse(str_c(rows[i]), &n), RC_INVALID);
    assert_rc(node_line_parse(STR("0123456789abcdef_u"), &n), RC_INVALID);
}

static void a_node_is_a_fingerprint_and_the_rest(void **state)
{
    (void)state;
    struct node_line n;
    assert_rc(node_line_parse(STR("00000000000000ff http://a/ b"), &n), RC_OK);
    assert_true(n.fingerprint == 255);
    assert_str(n.url, STR("http://a/ b"));
}

static void numbers_are_written_with_all_their_digits(void **state)
{
    (void)state;
    char room[40];
    struct buf b = buf_on(room, sizeof room);
    buf_hex16(&b, 0);
    buf_hex16(&b, UINT64_C(0xfedcba9876543210));
    assert_str(buf_str(&b), STR("0000000000000000fedcba9876543210"));
}

static void every_byte_is_a_digit_or_is_refused(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 256; c++) {
        for (unsigned at = 0; at < 16; at++) {
            char text[] = "fa90AF09fa90AF09";
            uint64_t value = 77, shift = 60 - 4 * at;
            uint64_t rest = UINT64_C(0xfa90af09fa90af09) & ~(UINT64_C(15) << shift);
            int digit = ascii_hex((char)c);
            text[at] = (char)c;
            assert_int_equal(hex16_read(str_make(text, 16), &value), digit >= 0);
            assert_true(value == (digit < 0 ? 77 : (rest | (uint64_t)digit << shift)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_and_its_links_are_read),
        cmocka_unit_test(a_page_may_have_no_links),
        cmocka_unit_test(what_is_no_line_is_refused),
        cmocka_unit_test(a_node_is_a_fingerprint_and_the_rest),
        cmocka_unit_test(every_byte_is_a_digit_or_is_refused),
        cmocka_unit_test(numbers_are_written_with_all_their_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
