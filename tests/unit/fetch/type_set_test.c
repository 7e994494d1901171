/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch/type_set.h"

#include "lib/test.h"

static const struct {
    const char *name, *types, *type;
    bool is_in;
} rows[] = {
    {"no types take everything", "", "text/html", true},
    {"a type that is named", "text/html,image/png", "image/png", true},
    {"a type that is not", "text/html,image/png", "image/gif", false},
    {"in any case", "Text/HTML", "text/Html", true},
    {"a longer type is another one", "text/htm", "text/html", false},
    {"a star takes the rest", "image/*", "image/svg+xml", true},
    {"and nothing else", "image/*", "imagine/png", false},
    {"a minus leaves out", "-image/*", "image/png", false},
    {"and takes the others", "-image/*", "text/html", true},
    {"an exclamation mark does the same", "! image/*", "image/png", false},
    {"both: what is left out is out", "text/*,-text/css", "text/css", false},
    {"both: what is taken is in", "-text/css,text/*", "text/html", true},
    {"both: the others are out", "text/*,-text/css", "image/png", false},
    {"no type is not among those named", "text/html", NULL, false},
    {"no type is not among those left out", "-text/html", NULL, true},
};

static void types_are_in_or_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct type_set *s = NULL;
        struct buf why = {.max = 1000};
        struct str text = str_c(rows[i].types);
        print_message("# %s\n", rows[i].name);
        assert_rc(type_set_open(&text, 1, &s, &why), RC_OK);
        assert_int_equal(type_set_has(s, str_c(rows[i].type)), rows[i].is_in);
        type_set_close(s);
        buf_done(&why);
    }
}

static void what_is_no_type_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "html",  "text/",      "*/*", "text/h*", "-", "/html", "text/html;charset=x",
        "a b/c", "text/html/*"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct type_set *s = NULL;
        struct buf why = {.max = 1000};
        struct str text = str_c(wrong[i]);
        print_message("# %s\n", wrong[i]);
        assert_rc(type_set_open(&text, 1, &s, &why), RC_INVALID);
        assert_true(str_starts(buf_str(&why), STR("types: \"")));
        assert_true(str_find_str(buf_str(&why), STR("is not a media type; expected type/")) <
                    why.n);
        buf_done(&why);
    }
}

static enum rc open_one(void *ctx)
{
    (void)ctx;
    struct type_set *s = NULL;
    struct buf why = {.max = 1000};
    struct str text = STR("text/html,-image/*");
    enum rc rc = type_set_open(&text, 1, &s, &why);
    if (rc == RC_OK)
        type_set_close(s);
    buf_done(&why);
    return rc;
}

static void memory_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(open_one, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_in_or_not),
        cmocka_unit_test(what_is_no_type_is_refused),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
