/* SPDX-License-Identifier: Apache-2.0 */
#include "base/args.h"

#include "lib/test.h"

enum { ARGS_MOST = 8 };

struct all {
    struct option_list list;
    struct str text, several;
    uint64_t count;
    unsigned version;
};

static const struct option table[] = {
    OPTION_LIST_ROW(struct all, list, "list", "default", "a list", .letter = 'l'),
    OPTION_TEXT_ROW(struct all, text, "text", "default", "a text", .letter = 't'),
    OPTION_TEXT_ROW(struct all, several, "several", "default", "texts", .arg = "NAME,..."),
    OPTION_COUNT_ROW(struct all, count, "count", "7", "a count", .letter = 'n'),
    OPTION_CHOICE_ROW(struct all, version, "version", "auto", "was a bool", .choices = "auto|1|2",
                      .former = "version2", .no = "auto", .yes = "2"),
    {0},
};

struct row {
    const char *name;
    const char *args[ARGS_MOST];
    const char *settings; /* list; text; several; count; version */
};

static const struct row rows[] = {
    {"nothing leaves the defaults", {0}, "default; default; default; 7; auto"},
    {"a list adds", {"-l", "a", "--list=b", "-lc"}, "a, b, c; default; default; 7; auto"},
    {"an empty value empties a list", {"--list="}, "; default; default; 7; auto"},
    {"and what follows adds again", {"-l", "a", "-l", "", "-lb"}, "b; default; default; 7; auto"},
    {"of a text the last counts", {"-t", "a", "--text=b,c"}, "default; b,c; default; 7; auto"},
    {"several texts are joined",
     {"--several=a", "--several", "b,c"},
     "default; default; a,b,c; 7; auto"},
    {"of a number the last counts", {"-n", "1", "--count=2"}, "default; default; default; 2; auto"},
    {"a choice takes the next word", {"--version", "1"}, "default; default; default; 7; 1"},
    {"a bool that became a choice is still a flag",
     {"--version2"},
     "default; default; default; 7; 2"},
    {"it takes no word with it", {"--version2", "--text=1"}, "default; 1; default; 7; 2"},
    {"nor is the flag lost that was against it",
     {"--version=1", "--no-version2"},
     "default; default; default; 7; auto"},
    {"of a flag and its former name the last counts",
     {"--version2", "--version", "1"},
     "default; default; default; 7; 1"},
};

static void print_all(const struct all *all, struct buf *out)
{
    for (const struct option *o = table; o->key; o++) {
        buf_add(out, o == table ? STR("") : STR("; "));
        option_print(o, all, out);
    }
}

static void flags_that_come_again_add_to_lists_and_replace_the_rest(void **state)
{
    (void)state;
    struct score score = {.set = "flags that come again"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct arena *arena = arena_open(1024, 1 << 20);
        struct buf why = {.max = 1000}, got = {.max = 1000};
        struct all all;
        struct invocation in = {.settings = &all, .arena = arena};
        char *argv[ARGS_MOST];
        int argc = 0;
        for (; argc < ARGS_MOST && r->args[argc]; argc++)
            argv[argc] = (char *)r->args[argc];
        assert_rc(options_default(table, &all, arena), RC_OK);
        bool is_read = args_read(table, argc, argv, &in, &why) == ARGS_OK;
        print_all(&all, &got);
        score_row(&score, is_read && str_eq(buf_str(&got), str_c(r->settings)), "%s: " STR_FMT,
                  r->name, STR_ARG(buf_str(&got)));
        buf_done(&got);
        buf_done(&why);
        arena_close(arena);
    }
    score_end(&score, sizeof rows / sizeof *rows);
}

static void a_flag_that_the_table_lacks_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *word, *unknown, *why;
    } wrong[] = {{"--nothing=1", "nothing", "unknown option --nothing"},
                 {"-Z", "Z", "unknown option -Z"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct all all = {0};
        struct buf why = {.max = 1000};
        struct arena *arena = arena_open(4096, 1 << 20);
        struct invocation in = {.settings = &all, .arena = arena};
        char *argv[] = {(char *)wrong[i].word};
        assert_int_equal(args_read(table, 1, argv, &in, &why), ARGS_WRONG);
        assert_str(in.unknown, str_c(wrong[i].unknown));
        assert_true(str_starts(buf_str(&why), str_c(wrong[i].why)));
        buf_done(&why);
        arena_close(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_that_come_again_add_to_lists_and_replace_the_rest),
        cmocka_unit_test(a_flag_that_the_table_lacks_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
