/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"
#include "html/squeeze.h"
#include "lib/test.h"

/* Long text with blanks at every place: the vector way must equal the plain rule. */
static void test_places(void **state)
{
    (void)state;
    for (size_t at = 0; at < 70; at++) {
        char text[80], expected[80];
        memset(text, 'x', sizeof text);
        text[at] = '\n';
        text[at + 5] = text[at + 6] = ' ';
        size_t n = 0;
        for (size_t i = 0; i < sizeof text; i++)
            if (text[i] == 'x')
                expected[n++] = 'x';
            else if (n && expected[n - 1] == 'x')
                expected[n++] = ' ';
        struct buf out;
        struct squeeze s;
        buf_init(&out, 4096);
        squeeze_begin(&s, &out, 4096);
        squeeze_add(&s, str_make(text, sizeof text));
        assert_str(buf_str(&out), str_make(expected, n));
        buf_done(&out);
    }
}

/* The limit is met at the same place however the text is cut up, and never within a code point. */
static void test_limit(void **state)
{
    (void)state;
    struct str text = STR("  ab  c\xc3\xa9 \xe2\x82\xac d\xf0\x9f\x98\x80  e ");
    for (size_t max = 0; max < 24; max++)
        for (size_t step = 1; step < 30; step++) {
            struct buf whole, pieces;
            struct squeeze a, b;
            buf_init(&whole, 4096);
            buf_init(&pieces, 4096);
            squeeze_begin(&a, &whole, max);
            squeeze_begin(&b, &pieces, max);
            squeeze_add(&a, text);
            for (struct str rest = text; rest.n; rest = str_from(rest, step))
                squeeze_add(&b, str_first(rest, step));
            assert_str(buf_str(&pieces), buf_str(&whole));
            assert_int_equal(a.cut, b.cut);
            assert_int_equal(a.cut, max < 18);
            assert_true(whole.n <= max);
            assert_true(whole.n == 0 || whole.p[whole.n - 1] != ' ');
            assert_int_equal(utf8_valid(buf_str(&whole)), whole.n);
            buf_done(&whole);
            buf_done(&pieces);
        }
}

static void test_breaks(void **state)
{
    (void)state;
    struct buf out;
    struct squeeze s;
    buf_init(&out, 4096);
    squeeze_begin(&s, &out, 4096);
    squeeze_break(&s); /* not at the start */
    squeeze_add(&s, STR("a "));
    squeeze_break(&s);
    squeeze_add(&s, STR("  b"));
    squeeze_space(&s);
    squeeze_add(&s, STR("c"));
    squeeze_break(&s); /* nor at the end */
    assert_str(buf_str(&out), STR("a\nb c"));
    buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_places), cmocka_unit_test(test_limit),
                                       cmocka_unit_test(test_breaks)};
    return cmocka_run_group_tests_name("html/squeeze", tests, NULL, NULL);
}
