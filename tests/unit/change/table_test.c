/* SPDX-License-Identifier: Apache-2.0 */
/* What each code misses, on edits of known kinds.
 *
 * As a test it prints the table as comments and holds the codes to what is known of them; with
 * --markdown it writes docs/change-table.md to standard output instead. */
#include "change/verdict.h"

#include "edits.h"
#include "html/page.h"
#include "lib/test.h"

#include <stdio.h>

enum { ROUNDS = 8, MAX_KINDS = 40, SEED = 20260 };

/* For each kind of edit and each test: in how many of its rounds the test saw a difference. */
struct table {
    unsigned saw[MAX_KINDS][CHANGE_TEST_COUNT];
    unsigned kinds, edits;
    unsigned judged_right; /* edits whose verdict named just the kinds that changed */
};

struct reading {
    struct page_reader *reader;
    struct arena *arena;
    struct buf html;
};

/* The page as the library wants it; everything in the arena, the picture the model's own. */
static void read_model(struct reading *in, const struct model *m, struct change_image *image,
                       struct change_page *ret)
{
    struct page_options options = {.parts = PAGE_TEXT | PAGE_TAGS};
    struct page page;
    model_html(m, &in->html);
    assert_rc(buf_rc(&in->html), RC_OK);
    assert_rc(page_read(in->reader, &options, buf_str(&in->html), in->arena, &page), RC_OK);
    struct change_tag *tags = arena_alloc(in->arena, page.tag_count * sizeof *tags);
    assert_non_null(tags);
    for (size_t i = 0; i < page.tag_count; i++)
        tags[i] = (struct change_tag){page.tags[i].name, (enum change_tag_kind)page.tags[i].kind};
    *image = (struct change_image){m->pixels, EDIT_SIDE, EDIT_SIDE};
    *ret = (struct change_page){tags, page.tag_count, page.text, image, 1};
}

static unsigned changed_kinds(const struct change_verdict *v)
{
    unsigned kinds = 0;
    for (unsigned k = 0; k < CHANGE_KIND_COUNT; k++)
        kinds |= (unsigned)v->of[k].changed << k;
    return kinds;
}

static void one_edit(struct reading *in, const struct edit_kind *kind, struct rng *r,
                     struct table *t)
{
    static struct model old, new;
    struct change_image images[2];
    struct change_page pages[2];
    struct change_verdict v, steps;
    model_make(&old, r);
    if (kind->prepare)
        kind->prepare(&old, r);
    new = old;
    kind->apply(&new, r);
    arena_clear(in->arena);
    read_model(in, &old, &images[0], &pages[0]);
    read_model(in, &new, &images[1], &pages[1]);
    assert_rc(change_compare_pages(&pages[0], &pages[1], CHANGE_EVERYTHING, in->arena, &v, NULL),
              RC_OK);
    assert_rc(change_compare_pages(&pages[0], &pages[1], CHANGE_STEPS, in->arena, &steps, NULL),
              RC_OK);
    for (unsigned k = 0; k < CHANGE_KIND_COUNT; k++)
        for (unsigned test = 0; test < CHANGE_TEST_COUNT; test++)
            t->saw[kind - edit_kinds][test] += v.of[k].saw >> test & 1;
    t->edits++;
    t->judged_right += changed_kinds(&v) == kind->changes && steps.first == v.first;
}

static void measure(struct table *t)
{
    struct rng r;
    struct reading in = {.arena = arena_open(1 << 20, 64 << 20)};
    rng_init(&r, SEED);
    assert_rc(page_reader_open(&in.reader), RC_OK);
    buf_init(&in.html, 1 << 20);
    *t = (struct table){.kinds = 0};
    for (const struct edit_kind *kind = edit_kinds; kind->name; kind++, t->kinds++)
        for (int round = 0; round < ROUNDS; round++)
            one_edit(&in, kind, &r, t);
    buf_done(&in.html);
    page_reader_close(in.reader);
    arena_close(in.arena);
}

static bool concerns(const struct edit_kind *kind, unsigned test)
{
    for (unsigned k = 0; k < CHANGE_KIND_COUNT; k++)
        if (change_kind_tests((enum change_kind)k) >> test & 1)
            return kind->changes >> k & 1;
    return false;
}

struct sums {
    unsigned misses, alarms, due;
};

static struct sums sums_of(const struct table *t, unsigned test)
{
    struct sums s = {0, 0, 0};
    for (unsigned k = 0; k < t->kinds; k++) {
        bool due = concerns(&edit_kinds[k], test);
        s.due += due ? ROUNDS : 0;
        s.misses += due ? ROUNDS - t->saw[k][test] : 0;
        s.alarms += due ? 0 : t->saw[k][test];
    }
    return s;
}

/* "3 of 8" where it should have been seen, "alarm 3" where it should not, else nothing. */
static void cell(const struct table *t, unsigned kind, unsigned test, char *to, size_t room)
{
    unsigned saw = t->saw[kind][test];
    if (concerns(&edit_kinds[kind], test) && saw < ROUNDS)
        snprintf(to, room, "**%u**", ROUNDS - saw);
    else if (concerns(&edit_kinds[kind], test))
        snprintf(to, room, "0");
    else if (saw)
        snprintf(to, room, "alarm %u", saw);
    else
        snprintf(to, room, " ");
}

static void table_lines(const struct table *t, const char *lead, struct buf *out)
{
    buf_printf(out, "%s| edit |", lead);
    for (unsigned test = 0; test < CHANGE_TEST_COUNT; test++)
        buf_printf(out, " %s |", change_test_name((enum change_test)test));
    buf_printf(out, "\n%s|---|", lead);
    for (unsigned test = 0; test < CHANGE_TEST_COUNT; test++)
        buf_add(out, STR("---|"));
    for (unsigned k = 0; k < t->kinds; k++) {
        buf_printf(out, "\n%s| %s |", lead, edit_kinds[k].name);
        for (unsigned test = 0; test < CHANGE_TEST_COUNT; test++) {
            char text[32];
            cell(t, k, test, text, sizeof text);
            buf_printf(out, " %s |", text);
        }
    }
    buf_printf(out, "\n%s| **missed of all it should see** |", lead);
    for (unsigned test = 0; test < CHANGE_TEST_COUNT; test++)
        buf_printf(out, " %u of %u |", sums_of(t, test).misses, sums_of(t, test).due);
    buf_printf(out, "\n%s| **false alarms** |", lead);
    for (unsigned test = 0; test < CHANGE_TEST_COUNT; test++)
        buf_printf(out, " %u |", sums_of(t, test).alarms);
    buf_byte(out, '\n');
}

static int write_markdown(void)
{
    struct table t;
    struct buf out;
    measure(&t);
    buf_init(&out, 1 << 20);
    buf_add(&out, STR("# What each code of change misses (P14)\n\n"
                      "Written by `change_table_test --markdown`; every number follows from one "
                      "seed.\n\n"));
    buf_printf(&out,
               "%u edits of %u kinds, %d of each, made to generated pages, read by the html "
               "library and compared.\nA number is how many edits of the kind the code missed; "
               "\"alarm\" counts edits that changed nothing of what the\ncode watches and were "
               "reported all the same. Empty: not its business, and it was silent.\n\n",
               t.edits, t.kinds, ROUNDS);
    table_lines(&t, "", &out);
    buf_printf(&out,
               "\nThe verdict, which the strong codes (tree, text-sha256, image-sha256) decide, "
               "named exactly what changed in\n%u of %u edits. text-simhash and image-dhash "
               "measure how much, so missing a letter or a pixel is their purpose.\n",
               t.judged_right, t.edits);
    fwrite(out.p, 1, out.n, stdout);
    buf_done(&out);
    return 0;
}

static void p14_table(void **state)
{
    struct table *t = *state;
    struct buf out;
    measure(t);
    buf_init(&out, 1 << 20);
    table_lines(t, "# table ", &out);
    struct str left = buf_str(&out);
    while (left.n) { /* cmocka cuts a message after some 1,000 bytes */
        struct str line = str_take_until(&left, '\n');
        print_message(STR_FMT "\n", STR_ARG(line));
    }
    buf_done(&out);
    assert_true(t->edits >= 200);
    assert_true(t->kinds >= 10);
}

static void p14_strong_codes_miss_nothing(void **state)
{
    const struct table *t = *state;
    static const enum change_test strong[] = {CHANGE_TREE, CHANGE_TEXT_DIGEST, CHANGE_IMAGE_DIGEST};
    for (size_t i = 0; i < 3; i++) {
        struct sums s = sums_of(t, strong[i]);
        assert_true(s.due > 0);
        assert_int_equal(s.misses, 0);
        assert_int_equal(s.alarms, 0);
    }
    assert_int_equal(t->judged_right, t->edits);
}

struct known {
    const char *kind;
    enum change_test test;
    unsigned saw; /* of ROUNDS */
};

/* What is known of a code, wrong or right, is really so. */
static const struct known known[] = {
    {"tag added", CHANGE_LETTERS, ROUNDS},
    {"tag added", CHANGE_LEVEL_COUNTS, ROUNDS},
    {"tag renamed", CHANGE_LETTERS, ROUNDS},
    {"tag renamed", CHANGE_LEVEL_COUNTS, 0},
    {"tag renamed, same first and last letter", CHANGE_LETTERS, 0},
    {"tag renamed, same first and last letter", CHANGE_LEVEL_COUNTS, 0},
    {"nesting changed, order kept", CHANGE_LETTERS, 0},
    {"nesting changed, order kept", CHANGE_LEVEL_COUNTS, ROUNDS},
    {"element moved within its level", CHANGE_LEVEL_COUNTS, 0},
    {"siblings swapped", CHANGE_LEVEL_COUNTS, 0},
    {"siblings swapped", CHANGE_LETTERS, ROUNDS},
    {"word removed", CHANGE_TEXT_MEAN, ROUNDS},
    {"letter moved", CHANGE_TEXT_MEAN, 0},
    {"letter moved", CHANGE_TEXT_RMS, 0},
    {"letters changed, sum kept", CHANGE_TEXT_MEAN, 0},
    {"letters changed, sum kept", CHANGE_TEXT_RMS, ROUNDS},
    {"words swapped", CHANGE_TEXT_MEAN, 0},
    {"words swapped", CHANGE_TEXT_RMS, 0},
    {"paragraph moved", CHANGE_TEXT_MEAN, 0},
    {"paragraph moved", CHANGE_TEXT_RMS, 0},
    {"digits swapped", CHANGE_TEXT_MEAN, 0},
    {"digits swapped", CHANGE_TEXT_RMS, 0},
    {"rows of a table swapped", CHANGE_TEXT_MEAN, 0},
    {"rows of a table swapped", CHANGE_TEXT_RMS, 0},
    {"other kinds of blanks", CHANGE_TEXT_MEAN, ROUNDS},
    {"other kinds of blanks", CHANGE_TEXT_DIGEST, 0},
    {"picture brighter", CHANGE_IVAL_16, 0},
    {"picture brighter", CHANGE_IVAL_64, 0},
    {"picture brighter", CHANGE_IMAGE_DHASH, 0},
    {"tiled picture replaced", CHANGE_IVAL_32, 0},
    {"tiled picture replaced", CHANGE_IVAL_64, 0},
    {"tiled picture replaced", CHANGE_IMAGE_DHASH, ROUNDS},
    {"picture replaced", CHANGE_IMAGE_DHASH, ROUNDS},
    {"picture mirrored", CHANGE_IMAGE_DHASH, ROUNDS},
    {"picture inverted", CHANGE_IMAGE_DHASH, ROUNDS},
    {"groups of 16 rows swapped", CHANGE_IMAGE_DHASH, ROUNDS},
};

static void p14_known_collisions(void **state)
{
    const struct table *t = *state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct edit_kind *kind = edit_find(known[i].kind);
        assert_non_null(kind);
        unsigned saw = t->saw[kind - edit_kinds][known[i].test];
        if (saw != known[i].saw)
            fail_msg("%s: %s saw %u, expected %u", known[i].kind, change_test_name(known[i].test),
                     saw, known[i].saw);
    }
}

/* The table that is in docs/ is the one this program makes. */
static void committed_table(void **state)
{
    const struct table *t = *state;
    struct buf out, file;
    buf_init(&out, 1 << 20);
    table_lines(t, "", &out);
    assert_true(test_slurp(test_data("../docs/change-table.md"), &file));
    assert_true(str_find_str(buf_str(&file), buf_str(&out)) < file.n);
    buf_done(&out);
    buf_done(&file);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--markdown") == 0)
        return write_markdown();
    static struct table t;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(p14_table, &t),
        cmocka_unit_test_prestate(p14_strong_codes_miss_nothing, &t),
        cmocka_unit_test_prestate(p14_known_collisions, &t),
        cmocka_unit_test_prestate(committed_table, &t),
    };
    return cmocka_run_group_tests_name("P14 what each code misses", tests, NULL, NULL);
}
