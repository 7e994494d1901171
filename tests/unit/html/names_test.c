/* SPDX-License-Identifier: Apache-2.0 */
#include "html/names.h"
#include "lib/test.h"

static void test_find(void **state)
{
    (void)state;
    for (int e = 1; e < ELEMENT_COUNT; e++)
        assert_int_equal(element_find(element_name((enum element)e)), e);
    for (int a = 1; a < ATTR_COUNT; a++)
        assert_int_equal(attribute_find(attribute_name((enum attribute)a)), a);
    assert_int_equal(element_find(STR("BlockQuote")), ELEMENT_BLOCKQUOTE);
    assert_int_equal(element_find(STR("blockquota")), ELEMENT_OTHER);
    assert_int_equal(element_find(STR("h\x11")), ELEMENT_OTHER);
    assert_int_equal(element_find(str_make("a\0", 2)), ELEMENT_OTHER);
    assert_int_equal(element_find(STR("")), ELEMENT_OTHER);
    assert_int_equal(attribute_find(STR("HREF")), ATTR_HREF);
    assert_str(element_name(ELEMENT_ANNOTATION_XML), STR("annotation-xml"));
    assert_str(element_name(ELEMENT_XMP), STR("xmp"));
    assert_str(attribute_name(ATTR_XML_LANG), STR("xml:lang"));
    assert_str(attribute_name(ATTR_HREF), STR("href"));
}

static void test_traits(void **state)
{
    (void)state;
    assert_true(element_traits(ELEMENT_BR) & ELEMENT_VOID);
    assert_true(element_traits(ELEMENT_TITLE) & ELEMENT_RCDATA);
    assert_true(element_traits(ELEMENT_STYLE) & ELEMENT_RAWTEXT);
    assert_true(element_traits(ELEMENT_MATH) & ELEMENT_FOREIGN);
    assert_true(element_traits(ELEMENT_IMG) & ELEMENT_LINKS);
    assert_int_equal(element_traits(ELEMENT_OTHER), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_find), cmocka_unit_test(test_traits)};
    return cmocka_run_group_tests_name("html/names", tests, NULL, NULL);
}
