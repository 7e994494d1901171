/* SPDX-License-Identifier: Apache-2.0 */
#include "html/entity.h"
#include "lib/test.h"

struct row {
    const char *name, *input;
    bool in_attribute;
    const char *text; /* NULL: the "&" stands for itself */
    size_t raw_bytes;
};

static void test_read(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"a name with its semicolon", "&amp;x", false, "&", 5},
        {"a name that needs none", "&ampx", false, "&", 4},
        {"a name that needs one", "&alpha", false, NULL, 0},
        {"the longest name counts", "&notin;", false, "\xe2\x88\x89", 7},
        {"else the longest that fits", "&notit;", false, "\xc2\xac", 4},
        {"upper and lower case differ", "&Alpha;", false, "\xce\x91", 7},
        {"two code points", "&NotEqualTilde;", false, "\xe2\x89\x82\xcc\xb8", 15},
        {"no name", "&x", false, NULL, 0},
        {"nothing behind", "&", false, NULL, 0},
        {"in an attribute a letter forbids it", "&ampx", true, NULL, 0},
        {"in an attribute = forbids it", "&amp=", true, NULL, 0},
        {"in an attribute not at the end", "&amp", true, "&", 4},
        {"in an attribute not with a semicolon", "&amp;x", true, "&", 5},
        {"decimal", "&#65;", false, "A", 5},
        {"hexadecimal", "&#x41x", false, "A", 5},
        {"hexadecimal in capitals", "&#X4A;", false, "J", 6},
        {"no digits", "&#x;", false, NULL, 0},
        {"windows-1252", "&#128;", false, "\xe2\x82\xac", 6},
        {"a hole of windows-1252", "&#129;", false, "\xc2\x81", 6},
        {"NUL", "&#0;", false, "\xef\xbf\xbd", 4},
        {"a surrogate", "&#xd800;", false, "\xef\xbf\xbd", 8},
        {"past the last code point", "&#x110000;", false, "\xef\xbf\xbd", 10},
        {"the last code point", "&#x10ffff;", false, "\xf4\x8f\xbf\xbf", 10},
        {"more digits than a number holds", "&#99999999999999999999;", false, "\xef\xbf\xbd", 23},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct entity e;
        bool is = entity_read(str_c(rows[i].input), rows[i].in_attribute, &e);
        if (is != (rows[i].text != NULL))
            print_error("%s\n", rows[i].name);
        assert_int_equal(is, rows[i].text != NULL);
        if (!is)
            continue;
        assert_str(str_make(e.text, e.text_bytes), str_c(rows[i].text));
        assert_int_equal(e.raw_bytes, rows[i].raw_bytes);
    }
}

static void test_may_go_on(void **state)
{
    (void)state;
    assert_true(entity_may_go_on(STR("&")));
    assert_true(entity_may_go_on(STR("&am")));
    assert_true(entity_may_go_on(STR("&amp")));
    assert_false(entity_may_go_on(STR("&amp;")));
    assert_false(entity_may_go_on(STR("&amq")));
    assert_true(entity_may_go_on(STR("&#")));
    assert_true(entity_may_go_on(STR("&#x1f")));
    assert_false(entity_may_go_on(STR("&#x1g")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_read),
                                       cmocka_unit_test(test_may_go_on)};
    return cmocka_run_group_tests_name("html/entity", tests, NULL, NULL);
}
