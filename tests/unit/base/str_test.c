/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "base/str.h"

static void comparing_is_by_bytes(void **state)
{
    (void)state;
    assert_true(str_eq(STR("abc"), str_c("abc")));
    assert_true(str_eq(STR(""), STR_NONE));
    assert_false(str_eq(STR("abc"), STR("abC")));
    assert_true(str_eq_nocase(STR("aBc"), STR("AbC")));
    assert_false(str_eq_nocase(STR("\xc3\x84"), STR("\xc3\xa4")));
    assert_true(str_cmp(STR("a"), STR("ab")) < 0);
    assert_true(str_cmp(STR("\xff"), STR("a")) > 0);
    assert_int_equal(str_cmp(STR_NONE, STR("")), 0);
}

static void parts_are_cut_to_what_is_there(void **state)
{
    (void)state;
    assert_str(str_from(STR("abc"), 1), STR("bc"));
    assert_str(str_from(STR("abc"), 9), STR(""));
    assert_str(str_first(STR("abc"), 9), STR("abc"));
    assert_null(str_from(STR_NONE, 3).p);
    assert_true(str_starts(STR("abc"), STR("ab")) && !str_starts(STR("a"), STR("ab")));
    assert_true(str_ends(STR("abc"), STR("bc")) && !str_ends(STR("c"), STR("bc")));
    assert_true(str_starts_nocase(STR("HTTP://x"), STR("http:")));
}

static void finding_tells_the_end_when_absent(void **state)
{
    (void)state;
    assert_int_equal(str_find(STR("a=b"), '='), 1);
    assert_int_equal(str_find(STR("ab"), '='), 2);
    assert_int_equal(str_find(STR_NONE, '='), 0);
    assert_int_equal(str_find_str(STR("abcabd"), STR("abd")), 3);
    assert_int_equal(str_find_str(STR("abc"), STR("x")), 3);
    assert_int_equal(str_find_str(STR("abc"), STR("")), 0);
}

static void fields_are_taken_until_nothing_is_left(void **state)
{
    (void)state;
    struct str line = STR("a,,b");
    assert_str(str_take_until(&line, ','), STR("a"));
    assert_str(str_take_until(&line, ','), STR(""));
    assert_non_null(line.p);
    assert_str(str_take_until(&line, ','), STR("b"));
    assert_null(line.p);
    line = STR("a,");
    str_take_until(&line, ',');
    assert_non_null(line.p);
}

static void trimming_leaves_inner_space(void **state)
{
    (void)state;
    assert_str(str_trim(STR(" \t a b\r\n")), STR("a b"));
    assert_str(str_trim(STR("  ")), STR(""));
}

static void numbers_are_whole_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum rc rc;
        uint64_t value;
    } rows[] = {
        {"0", RC_OK, 0},
        {"18446744073709551615", RC_OK, UINT64_MAX},
        {"18446744073709551616", RC_LIMIT, 0},
        {"99999999999999999999", RC_LIMIT, 0},
        {"", RC_INVALID, 0},
        {"-1", RC_INVALID, 0},
        {"1 ", RC_INVALID, 0},
        {"0x10", RC_INVALID, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t value = 7;
        assert_rc(str_to_u64(str_c(rows[i].text), &value), rows[i].rc);
        assert_int_equal(value, rows[i].rc ? 7 : rows[i].value);
    }
}

static void letters_of_ascii_only(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        assert_int_equal(ascii_is_alpha((char)c), letter);
        assert_int_equal(ascii_lower((char)c), (char)(c >= 'A' && c <= 'Z' ? c + 32 : c));
        assert_int_equal(ascii_upper((char)c), (char)(c >= 'a' && c <= 'z' ? c - 32 : c));
    }
    assert_int_equal(ascii_hex('f'), 15);
    assert_int_equal(ascii_hex('A'), 10);
    assert_int_equal(ascii_hex('g'), -1);
    assert_int_equal(ascii_hex('/'), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparing_is_by_bytes),
        cmocka_unit_test(parts_are_cut_to_what_is_there),
        cmocka_unit_test(finding_tells_the_end_when_absent),
        cmocka_unit_test(fields_are_taken_until_nothing_is_left),
        cmocka_unit_test(trimming_leaves_inner_space),
        cmocka_unit_test(numbers_are_whole_or_refused),
        cmocka_unit_test(letters_of_ascii_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
