/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/path_trap.h"

#include "base/rng.h"
#include "lib/test.h"

static const struct row {
    const char *name, *path;
    bool is_trap;
} rows[] = {
    {"the root is none", "/", false},
    {"an empty path is none", "", false},
    {"a folder may stand twice", "/a/a/", false},
    {"a folder three times is one", "/a/a/a/", true},
    {"a file counts as a segment", "/a/a/a", true},
    {"a file with a query's letters does not hide it", "/a/a/a?", false},
    {"three times at the start is enough", "/a/a/a/b/c", true},
    {"three times in the middle is enough", "/x/a/a/a/b", true},
    {"not in a row is none", "/a/b/a/c/a/d/a", false},
    {"a date is none", "/2011/11/11/", false},
    {"two in turn, twice", "/a/b/a/b/", false},
    {"two in turn, twice and a half", "/a/b/a/b/a/", false},
    {"two in turn, three times", "/a/b/a/b/a/b/", true},
    {"two in turn, three times, behind others", "/x/y/z/a/b/a/b/a/b/c", true},
    {"three in turn", "/a/b/c/a/b/c/a/b/c", true},
    {"a prefix of a name is another name", "/a/aa/aaa", false},
    {"letters in another case are another name", "/a/A/a/", false},
    {"empty segments count", "////", true},
    {"a doubled slash is none", "/a//b", false},
    {"as many as may be", "/1/2/3/4/5/6/7/8/9/10", false},
    {"as many as may be, all folders", "/1/2/3/4/5/6/7/8/9/10/", false},
    {"one more", "/1/2/3/4/5/6/7/8/9/10/11", true},
};

static void rows_hold(void **state)
{
    (void)state;
    struct score score = {.set = "scope/path_trap"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        score_row(&score, path_is_trap(str_c(rows[i].path), 10) == rows[i].is_trap, "%s",
                  rows[i].name);
    score_end(&score, sizeof rows / sizeof *rows);
}

/* Each start, each size, each copy: as slow as the sentence in the header. */
static bool repeats_slowly(const char *letters, size_t count)
{
    for (size_t at = 0; at < count; at++) {
        for (size_t size = 1; at + 3 * size <= count; size++) {
            if (memcmp(letters + at, letters + at + size, size) == 0 &&
                memcmp(letters + at, letters + at + 2 * size, size) == 0)
                return true;
        }
    }
    return false;
}

static void it_finds_what_a_slow_search_finds(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, test_seed(5));
    unsigned traps = 0;
    for (int round = 0; round < 20000; round++) {
        char letters[40], path[81];
        size_t count = 1 + rng_below(&rng, 40), kinds = 2 + rng_below(&rng, 2);
        for (size_t i = 0; i < count; i++) {
            letters[i] = (char)('a' + rng_below(&rng, kinds));
            path[2 * i] = '/';
            path[2 * i + 1] = letters[i];
        }
        bool is_trap = path_is_trap(str_make(path, 2 * count), 1000);
        assert_int_equal(is_trap, repeats_slowly(letters, count));
        traps += is_trap;
    }
    assert_in_range(traps, 1000, 19000);
}

static void a_path_of_slashes_is_refused_at_any_length(void **state)
{
    (void)state;
    static char path[65535];
    memset(path, '/', sizeof path);
    assert_true(path_is_trap(str_make(path, sizeof path), 25));
    assert_true(path_is_trap(str_make(path, sizeof path), SIZE_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold),
        cmocka_unit_test(it_finds_what_a_slow_search_finds),
        cmocka_unit_test(a_path_of_slashes_is_refused_at_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
