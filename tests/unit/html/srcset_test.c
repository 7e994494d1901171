/* SPDX-License-Identifier: Apache-2.0 */
#include "html/srcset.h"

#include "lib/test.h"

struct row {
    const char *name, *value, *urls; /* joined by " | " */
};

static const struct row rows[] = {
    {"one address", "a.png", "a.png"},
    {"densities", "a.png 1x, b.png 2x", "a.png | b.png"},
    {"widths over several lines", "\n a.png 300w,\n\tb.png 600w\n", "a.png | b.png"},
    {"a comma inside an address stays", "/w_1,h_2/a.png 1x, b.png", "/w_1,h_2/a.png | b.png"},
    {"without white space the comma is part of the address", "a.png,b.png", "a.png,b.png"},
    {"a comma before white space ends the address", "a.png, b.png", "a.png | b.png"},
    {"several commas before white space are all dropped", "a.png,,, b.png", "a.png | b.png"},
    {"commas and white space in front", " ,, , a.png 1x", "a.png"},
    {"a comma behind the descriptor needs no white space", "a.png 1x,b.png 2x", "a.png | b.png"},
    {"a data address keeps its comma", "data:image/png;base64,AAAA 1x, b.png 2x",
     "data:image/png;base64,AAAA | b.png"},
    {"a comma in parentheses ends nothing", "a.png (1x, c.png) , b.png", "a.png | b.png"},
    {"a parenthesis never closed takes the rest", "a.png (1x, b.png 2x", "a.png"},
    {"an unknown descriptor does no harm", "a.png 1q, b.png", "a.png | b.png"},
    {"two descriptors", "a.png 1x 2w, b.png", "a.png | b.png"},
    {"a trailing comma", "a.png 1x,", "a.png"},
    {"only commas", ",,,", ""},
    {"only white space", " \t\n", ""},
    {"nothing", "", ""},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char room[256];
        struct buf joined = buf_on(room, sizeof room);
        struct str rest = str_c(rows[i].value), url;
        while (srcset_next(&rest, &url)) {
            if (joined.n)
                buf_add(&joined, STR(" | "));
            buf_add(&joined, url);
        }
        if (!str_eq(buf_str(&joined), str_c(rows[i].urls)))
            fail_msg("%s: " STR_FMT, rows[i].name, STR_ARG(buf_str(&joined)));
    }
}

static void test_end_stays_the_end(void **state)
{
    (void)state;
    struct str rest = STR("a 1x"), url;
    assert_true(srcset_next(&rest, &url));
    assert_false(srcset_next(&rest, &url));
    assert_false(srcset_next(&rest, &url));
    rest = STR_NONE;
    assert_false(srcset_next(&rest, &url));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_end_stays_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
