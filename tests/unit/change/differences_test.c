/* SPDX-License-Identifier: Apache-2.0 */
#include "change/differences.h"

#include "lib/test.h"
#include "sample.h"

#include <stdio.h>

struct row {
    const char *name, *old, *new, *differences;
};

#define PAGE "html head title /title /head body div /div div p /p p /p p /p p /p "
static const struct row rows[] = {
    {"the same page has no differences", PAGE, PAGE, ""},
    {"an added paragraph", PAGE, PAGE "p /p", "added html>body>div[2]>p[5] level 4 elements 1;"},
    {"a removed paragraph is told by its old path", PAGE "p /p", PAGE,
     "removed html>body>div[2]>p[5] level 4 elements 1;"},
    {"a renamed element", "html body ul li b /b /li li b /b /li",
     "html body ul li b /b /li li i /i /li", "renamed html>body>ul>li[2]>i level 5 elements 1;"},
    {"a renamed list with the same content", "body ul li /li li /li /ul", "body ol li /li li /li",
     "renamed body>ol level 2 elements 1;"},
    {"an added subtree is one difference", "body p /p", "body p /p table tr td /td td /td",
     "added body>table level 2 elements 4;"},
    {"two edits in one list", "body p a /a /p p b /b /p p i /i /p",
     "body p /p p b /b /p p i /i u /u /p",
     "removed body>p[1]>a level 3 elements 1;added body>p[3]>u level 3 elements 1;"},
    {"the upper level comes first", "body div p b /b /p /div p /p",
     "body div p i /i /p /div p /p ul /ul",
     "added body>ul level 2 elements 1;renamed body>div>p>i level 4 elements 1;"},
    {"something in front of everything", "p /p", "h1 /h1 p /p", "added h1 level 1 elements 1;"},
    {"from nothing", "", "html body /body", "added html level 1 elements 2;"},
    {"to nothing", "html body /body", "", "removed html level 1 elements 2;"},
    {"control characters of a name do not reach the reader", "", "a\x1b[31m\xff",
     "added a\\u001b[31m\xef\xbf\xbd level 1 elements 1;"},
    {"nor does a control character beyond ASCII", "", "a\xc2\x9b\x33m",
     "added a\\u009b3m level 1 elements 1;"},
    {"a long name is cut between letters", "", "aaaaaaaaaaaaaaaaaaaaaaa\xc3\xa9\xc3\xa9",
     "added aaaaaaaaaaaaaaaaaaaaaaa level 1 elements 1;"},
};

static void find(const char *old, const char *new, struct change_differences *ret)
{
    struct arena *arena = arena_open(1 << 16, 64 << 20);
    struct sample a, b;
    struct change_tree ta, tb;
    sample_tags(&a, old);
    sample_tags(&b, new);
    assert_rc(change_tree(a.tags, a.count, arena, &ta), RC_OK);
    assert_rc(change_tree(b.tags, b.count, arena, &tb), RC_OK);
    assert_rc(change_differences(&ta, &tb, arena, ret), RC_OK);
    arena_close(arena);
}

static void check_row(const struct row *row)
{
    struct change_differences got;
    char text[4000];
    struct buf b = buf_on(text, sizeof text);
    print_message("# %s\n", row->name);
    find(row->old, row->new, &got);
    for (uint32_t i = 0; i < got.count; i++)
        buf_printf(&b, "%s %s level %u elements %u;", change_difference_kind_name(got.list[i].kind),
                   got.list[i].path, got.list[i].level, got.list[i].elements);
    assert_str(buf_str(&b), str_c(row->differences));
    assert_int_equal(got.all, got.count);
    assert_true((got.similarity < 1) == (got.count > 0));
    assert_true(got.similarity >= 0);
}

static void p14_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i]);
}

/* The figures' change is the one new child of node 8, with all that hangs from it. */
static void p11_where(void **state)
{
    (void)state;
    struct row row = {
        "the paper's figures",
        "n1 n2 n3 n5 /n5 /n3 n4 n6 n7 n8 /n8 n9 n10 n11 /n11 n12 n15 /n15 /n12 n13 /n13 n14 /n14",
        "n1 n2 n3 n5 /n5 /n3 n4 n6 n7 n8 n16 n17 n18 /n18 n19 /n19 /n17 /n16 /n8 n9 n10 n11 /n11 "
        "n12 n15 /n15 /n12 n13 /n13 n14 /n14",
        "added n1>n2>n4>n6>n7>n8>n16 level 7 elements 4;"};
    check_row(&row);
}

/* Many differences: the first are told, all are counted. */
static void many(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, 1 << 20);
    for (int i = 0; i < 100; i++)
        buf_add(&b, STR("p b /b /p "));
    struct change_differences got;
    find("body", buf_c(&b), &got);
    assert_int_equal(got.count, CHANGE_MAX_DIFFERENCES);
    assert_int_equal(got.all, 101); /* body removed, a hundred added */
    assert_int_equal(got.added, 200);
    assert_int_equal(got.removed, 1);
    assert_true(got.similarity == 0);
    buf_done(&b);
}

/* A path too long to tell keeps its two ends. */
static void long_path(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, 1 << 20);
    buf_add(&b, STR("html body "));
    for (int i = 0; i < 300; i++)
        buf_add(&b, STR("section "));
    struct change_differences got;
    buf_add(&b, STR("b"));
    find("html body", buf_c(&b), &got);
    assert_string_equal(got.list[0].path, "html>body>section");
    b.n -= 1;
    char *shorter = test_malloc(b.n + 1);
    memcpy(shorter, b.p, b.n);
    shorter[b.n - 1] = 0;
    buf_add(&b, STR("b"));
    find(shorter, buf_c(&b), &got);
    struct str path = str_c(got.list[0].path);
    assert_true(str_starts(path, STR("html>body>section>")));
    assert_true(str_find_str(path, STR(">...>section>")) < path.n);
    assert_true(str_ends(path, STR(">section>b")));
    assert_true(path.n < CHANGE_PATH_BYTES);
    test_free(shorter);
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p14_rows),
        cmocka_unit_test(p11_where),
        cmocka_unit_test(many),
        cmocka_unit_test(long_path),
    };
    return cmocka_run_group_tests_name("P14 where two trees differ", tests, NULL, NULL);
}
