/* SPDX-License-Identifier: Apache-2.0 */
/* What a crawl's directory keeps of its settings, and reads back. */
#include "cli/config_file.h"
#include "cli/config_write.h"

#include "lib/test.h"

#include <stdio.h>

enum { ROWS_MOST = 200 };

struct kept {
    struct settings settings;
    enum settings_source sources[ROWS_MOST];
};

static struct arena *arena;

static int set_up(void **state)
{
    (void)state;
    return (arena = arena_open(4096, 16 << 20)) ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    arena_close(arena);
    return 0;
}

static struct kept *fresh(void)
{
    struct kept *k = arena_zero(arena, sizeof *k);
    assert_non_null(k);
    assert_rc(options_default(settings_table, &k->settings, arena), RC_OK);
    return k;
}

static void say(struct kept *k, const struct option *o, const char *text)
{
    struct buf why = {.max = 1000};
    assert_rc(option_set(o, &k->settings, arena, str_c(text), &why), RC_OK);
    k->sources[o - settings_table] = FROM_FLAG;
    buf_done(&why);
}

/* The settings of a later run of the same directory. */
static struct kept *again(const struct kept *k)
{
    struct kept *later = fresh();
    struct buf text = {.max = 1 << 20}, lines = {.max = 1 << 16};
    const struct tree *root = NULL;
    struct problems problems;
    problems_init(&problems, "orbweaver.yaml");
    config_write(&text, &k->settings, k->sources);
    assert_rc(buf_rc(&text), RC_OK);
    enum rc rc = tree_read(buf_str(&text), arena, &problems, &root);
    rc = rc ? rc : config_tree_read(root, &later->settings, later->sources, arena, &problems);
    problems_print(&problems, &lines);
    if (rc)
        print_message(STR_FMT STR_FMT, STR_ARG(buf_str(&text)), STR_ARG(buf_str(&lines)));
    assert_rc(rc, RC_OK);
    problems_done(&problems);
    buf_done(&lines);
    buf_done(&text);
    return later;
}

static bool is_same(const struct option *o, const struct kept *a, const struct kept *b)
{
    struct buf x = {.max = 1 << 16}, y = {.max = 1 << 16};
    option_print(o, &a->settings, &x);
    option_print(o, &b->settings, &y);
    bool is = str_eq(buf_str(&x), buf_str(&y));
    buf_done(&x);
    buf_done(&y);
    return is;
}

/* A value that is not the default. */
static const char *other_value(const struct option *o)
{
    static const char *const values[] = {
        [OPTION_COUNT] = "61",  [OPTION_SIZE] = "61k",         [OPTION_DURATION] = "61s",
        [OPTION_TEXT] = "text", [OPTION_REAL] = "0.123456789", [OPTION_LIST] = "item"};
    if (o->type == OPTION_BOOL)
        return o->def && strcmp(o->def, "yes") == 0 ? "no" : "yes";
    return o->type == OPTION_CHOICE ? strrchr(o->choices, '|') + 1 : values[o->type];
}

static bool is_of_one_run(const char *key)
{
    static const char *const keys[] = {"config", "output", "recrawl", "refetch-lost",
                                       "ui",     "json",   "quiet",   "verbose"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

static void every_setting_of_the_crawl_is_kept(void **state)
{
    (void)state;
    struct score score = {.set = "settings that a directory keeps"};
    unsigned rows = 0;
    for (const struct option *o = settings_table; o->key; o++, rows++) {
        struct kept *k = fresh();
        say(k, o, other_value(o));
        struct kept *later = again(k);
        bool is_kept = is_same(o, k, later) && later->sources[o - settings_table] == FROM_FILE;
        score_row(&score, is_kept != is_of_one_run(o->key), "%s", o->key);
    }
    score_end(&score, rows);
}

static void any_text_is_read_back_as_it_was(void **state)
{
    (void)state;
    static const char *const texts[] = {" spaces ",
                                        "a: b",
                                        "x:",
                                        "- x",
                                        "#x",
                                        "a#b",
                                        "'",
                                        "\"",
                                        "\\",
                                        "\\x41",
                                        "[a",
                                        "a]",
                                        "{",
                                        "}",
                                        "a,b",
                                        "~",
                                        "null",
                                        "yes",
                                        "1",
                                        "%x",
                                        "@x",
                                        "`x",
                                        "!x",
                                        "&x",
                                        "*x",
                                        "|",
                                        ">",
                                        "?",
                                        ":",
                                        "tab\there",
                                        "line\nbreak",
                                        "del\x7f",
                                        "next\xc2\x85line",
                                        "c1\xc2\x9b",
                                        "line\xe2\x80\xa8separator",
                                        "mark\xef\xbb\xbf",
                                        "\xef\xbf\xbe",
                                        "\xc3\xbc\xf0\x9f\x95\xb7",
                                        "(a+)+$|^https?://[^/]+/\\d{4}/",
                                        "...",
                                        "---",
                                        "=",
                                        "<<",
                                        "a\x01"};
    const struct option *list = option_find(settings_table, STR("exclude"));
    const struct option *text = option_find(settings_table, STR("contact"));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct kept *k = fresh();
        say(k, list, texts[i]);
        say(k, list, "between");
        say(k, list, texts[i]);
        say(k, text, texts[i]);
        struct kept *later = again(k);
        assert_int_equal(later->settings.exclude.count, 3);
        for (size_t j = 0; j < 3; j++)
            assert_true(str_eq(later->settings.exclude.items[j], k->settings.exclude.items[j]));
        assert_true(str_eq(later->settings.contact, str_c(texts[i])));
    }
}

static void standard_input_is_of_one_run_and_seed_files_are_kept(void **state)
{
    (void)state;
    const struct option *input = option_find(settings_table, STR("input"));
    struct kept *k = fresh();
    say(k, input, "-");
    assert_int_equal(again(k)->settings.input.count, 0);
    say(k, input, "/a, b");
    say(k, input, "/c");
    struct kept *later = again(k);
    assert_int_equal(later->settings.input.count, 2);
    assert_true(str_eq(later->settings.input.items[0], STR("/a, b")));
    assert_true(str_eq(later->settings.input.items[1], STR("/c")));
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(every_setting_of_the_crawl_is_kept),
        EACH(any_text_is_read_back_as_it_was),
        EACH(standard_input_is_of_one_run_and_seed_files_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
