/* SPDX-License-Identifier: Apache-2.0 */
/* The encoding sets: html5lib's prescan tests and every label of the Encoding Standard.
 *
 * Five rows of tests1.dat declare behind the first 1,024 bytes, where only a parser meets it; they
 * pass because charset_guess looks further when the prescan finds nothing. */
#include "html/charset.h"

#include "lib/test.h"

/* Takes one "#data ... #encoding ..." row; false at the end. */
static bool row_take(struct str *rest, struct str *ret_data, struct str *ret_encoding)
{
    size_t at = str_find_str(*rest, STR("#data\n"));
    if (at == rest->n)
        return false;
    *rest = str_from(*rest, at + 6);
    size_t end = str_find_str(*rest, STR("\n#encoding\n"));
    *ret_data = str_first(*rest, end);
    *rest = str_from(*rest, end + 11);
    *ret_encoding = str_trim(str_take_until(rest, '\n'));
    return true;
}

static void run_set(const char *set, size_t total)
{
    const char *path = test_conformance(set);
    if (!path)
        skip();
    struct buf file;
    assert_true(test_slurp(path, &file));
    struct score score = {.set = set};
    struct str rest = buf_str(&file), data, encoding;
    while (row_take(&rest, &data, &encoding)) {
        struct charset_guess g = charset_guess(data, STR_NONE);
        score_row(&score, str_eq_nocase(str_c(g.name), encoding), "%s for " STR_FMT ": " STR_FMT,
                  g.name, STR_ARG(encoding), STR_ARG(str_first(data, 200)));
    }
    score_end(&score, total);
    buf_done(&file);
}

static void test_html5lib_1(void **state)
{
    (void)state;
    run_set("encoding/tests1.dat", 59);
}

static void test_html5lib_2(void **state)
{
    (void)state;
    run_set("encoding/tests2.dat", 22);
}

static void test_html5lib_yahoo(void **state)
{
    (void)state;
    run_set("encoding/test-yahoo-jp.dat", 1);
}

static void test_every_label(void **state)
{
    (void)state;
    const char *path = test_conformance("encoding/whatwg_labels.tsv");
    if (!path)
        skip();
    struct buf file;
    assert_true(test_slurp(path, &file));
    struct score score = {.set = "encoding/whatwg_labels.tsv"};
    struct str rest = buf_str(&file);
    while (rest.p) {
        struct str line = str_take_until(&rest, '\n');
        if (line.n == 0 || *line.p == '#')
            continue;
        struct str label = str_take_until(&line, '\t');
        const char *name = charset_name(label);
        score_row(&score, name && str_eq(str_c(name), line), STR_FMT ": %s", STR_ARG(label),
                  name ? name : "none");
    }
    score_end(&score, 228);
    buf_done(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_html5lib_1),
        cmocka_unit_test(test_html5lib_2),
        cmocka_unit_test(test_html5lib_yahoo),
        cmocka_unit_test(test_every_label),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
