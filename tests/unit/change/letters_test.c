/* SPDX-License-Identifier: Apache-2.0 */
#include "change/letters.h"

#include "lib/test.h"
#include "sample.h"

struct row {
    const char *name, *tags, *first, *last;
};

static const struct row rows[] = {
    {"the paper's page", "html head title /title /head body h1 /h1 p /p p /p p /p /body /html",
     "hhtbhppp", "ldey1ppp"},
    {"a page without tags has two empty strings", "", "", ""},
    {"end tags give nothing", "/p /div", "", ""},
    {"void tags count as any other", "p br/ img/ /p", "pbi", "prg"},
    {"a tag of one letter stands in both", "a b i", "abi", "abi"},
    {"a letter is a code point", "x-\xc3\xa9 \xe2\x82\xac-a", "x\xe2\x82\xac",
     "\xc3\xa9"
     "a"},
    {"a name that ends in half a letter ends in U+FFFD", "x\xe2\x82", "x", "\xef\xbf\xbd"},
    {"a name that ends in a stray continuation ends in U+FFFD", "x\xc3\xa9\xa9", "x",
     "\xef\xbf\xbd"},
};

static void p10_rows(void **state)
{
    (void)state;
    struct arena *arena = arena_open(4096, 1 << 20);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sample s;
        struct change_letters got;
        print_message("# %s\n", rows[i].name);
        sample_tags(&s, rows[i].tags);
        assert_rc(change_letters(s.tags, s.count, arena, &got), RC_OK);
        assert_str(got.first, str_c(rows[i].first));
        assert_str(got.last, str_c(rows[i].last));
    }
    arena_close(arena);
}

static struct change_letters letters_of(const char *tags, struct arena *arena)
{
    struct sample s;
    struct change_letters got;
    sample_tags(&s, tags);
    assert_rc(change_letters(s.tags, s.count, arena, &got), RC_OK);
    return got;
}

/* What the two strings cannot see. */
static void collisions(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"html body section p /p /section", "html body span p /p /span"},
        {"div p /p /div p", "div p p /p /div"},
    };
    struct arena *arena = arena_open(4096, 1 << 20);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct change_letters a = letters_of(pairs[i][0], arena);
        struct change_letters b = letters_of(pairs[i][1], arena);
        assert_str(a.first, b.first);
        assert_str(a.last, b.last);
    }
    arena_close(arena);
}

static void limits(void **state)
{
    (void)state;
    struct arena *arena = arena_open(64, 64);
    struct sample s;
    struct change_letters got = {STR("kept"), STR("kept")};
    sample_tags(&s, "p");
    assert_rc(change_letters(s.tags, CHANGE_MAX_TAGS + 1, arena, &got), RC_LIMIT);
    for (s.count = 0; s.count < 100; s.count++)
        s.tags[s.count] = (struct change_tag){STR("p"), CHANGE_TAG_START};
    assert_rc(change_letters(s.tags, s.count, arena, &got), RC_NOMEM);
    assert_str(got.first, STR("kept"));
    s.tags[0] = (struct change_tag){STR(""), CHANGE_TAG_START};
    assert_rc(change_letters(s.tags, 2, arena, &got), RC_OK);
    assert_str(got.first, STR("p"));
    arena_close(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p10_rows),
        cmocka_unit_test(collisions),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests_name("P10 first and last letters of the tags", tests, NULL, NULL);
}
