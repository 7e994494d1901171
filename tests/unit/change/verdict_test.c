/* SPDX-License-Identifier: Apache-2.0 */
#include "change/verdict.h"

#include "lib/test.h"
#include "sample.h"

static const uint8_t dark[16] = {0,  10, 20,  30,  40,  50,  60,  70,
                                 80, 90, 100, 110, 120, 130, 140, 150};
static const uint8_t light[16] = {50,  60,  70,  80,  90,  100, 110, 120,
                                  130, 140, 150, 160, 170, 180, 190, 200};
static const uint8_t mirrored[16] = {30,  20,  10, 0,  70,  60,  50,  40,
                                     110, 100, 90, 80, 150, 140, 130, 120};

#define TAGS "html body p /p p /p"
#define TEXT "a spider builds her web anew each night"

struct version {
    const char *tags, *text;
    const uint8_t *picture;
};

static const struct version base = {TAGS, TEXT, dark};

struct row {
    const char *name;
    struct version new;
    const char *changed; /* S, T, I for the kinds that changed */
    const char *steps;   /* S, T, I for those tested in the paper's order */
    bool near;           /* the first that changed */
    uint32_t missed;     /* tests of that kind which saw nothing */
};

#define BITS(a) CHANGE_BIT(CHANGE_##a)
static const struct row rows[] = {
    {"nothing changed: all three steps are taken", {TAGS, TEXT, dark}, "", "STI", true, 0},
    {"a tag added", {TAGS " p", TEXT, dark}, "S", "S", false, 0},
    {"nesting changed, order kept", {"html body p i /i /p p /p", TEXT, dark}, "S", "S", false, 0},
    {"a word changed", {TAGS, "a spider builds her web anew each day", dark}, "T", "ST", false, 0},
    {"letters moved: the paper's codes miss it",
     {TAGS, "a spider builds her web anew each thing", dark},
     "T",
     "ST",
     false,
     BITS(TEXT_MEAN) | BITS(TEXT_RMS)},
    {"white space only: P12 alarms, nothing changed",
     {TAGS, "a  spider builds her web anew each night", dark},
     "",
     "STI",
     true,
     0},
    {"a brighter picture is near",
     {TAGS, TEXT, light},
     "I",
     "STI",
     true,
     BITS(IVAL_16) | BITS(IVAL_32) | BITS(IVAL_64) | BITS(IMAGE_DHASH)},
    {"a mirrored picture is far", {TAGS, TEXT, mirrored}, "I", "STI", false, 0xffff},
    {"a picture gone", {TAGS, TEXT, NULL}, "I", "STI", false, 0},
    {"all three", {TAGS " p", "something else", light}, "STI", "S", false, 0},
};

static void fill(const struct version *v, struct sample *s, struct change_image *image,
                 struct change_page *page)
{
    sample_tags(s, v->tags);
    *image = (struct change_image){v->picture, 4, 4};
    *page = (struct change_page){s->tags, s->count, str_c(v->text), image, v->picture != NULL};
}

static void kinds_text(const struct change_verdict *v, bool tested, char *to)
{
    for (unsigned k = 0; k < CHANGE_KIND_COUNT; k++)
        if (tested ? v->of[k].tested : v->of[k].changed)
            *to++ = "STI"[k];
    *to = 0;
}

static void check_verdict(const struct row *row, const struct change_verdict *v,
                          enum change_mode mode)
{
    char changed[4], tested[4];
    kinds_text(v, false, changed);
    kinds_text(v, true, tested);
    assert_string_equal(tested, mode == CHANGE_STEPS ? row->steps : "STI");
    assert_int_equal(changed[0], row->changed[0]);
    if (mode == CHANGE_EVERYTHING)
        assert_string_equal(changed, row->changed);
    assert_int_equal(v->changed, row->changed[0] != 0);
    for (unsigned k = 0; k < CHANGE_KIND_COUNT; k++) {
        assert_true((v->of[k].similarity < 1) == v->of[k].changed);
        assert_true(v->of[k].similarity >= 0);
    }
    if (!v->changed) {
        assert_int_equal(v->first, CHANGE_KIND_COUNT);
        return;
    }
    const struct change_finding *f = &v->of[v->first];
    assert_int_equal(f->by, change_kind_decider(v->first));
    assert_int_equal(f->compared, change_kind_tests(v->first));
    if (row->near)
        assert_true(f->near);
    if (row->missed && row->missed != 0xffff)
        assert_int_equal(f->compared & ~f->saw, row->missed);
}

static void p9_rows(void **state)
{
    (void)state;
    struct arena *arena = arena_open(1 << 16, 1 << 24);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sample old_tags, new_tags;
        struct change_image old_image, new_image;
        struct change_page old, new;
        fill(&base, &old_tags, &old_image, &old);
        fill(&rows[i].new, &new_tags, &new_image, &new);
        print_message("# %s\n", rows[i].name);
        for (enum change_mode mode = CHANGE_STEPS; mode <= CHANGE_EVERYTHING; mode++) {
            struct change_verdict pages, kept;
            struct change_codes codes[2], a, b;
            assert_rc(change_compare_pages(&old, &new, mode, arena, &pages, codes), RC_OK);
            check_verdict(&rows[i], &pages, mode);
            assert_rc(change_codes_of(&old, CHANGE_ALL_TESTS, arena, &a), RC_OK);
            assert_rc(change_codes_of(&new, CHANGE_ALL_TESTS, arena, &b), RC_OK);
            change_compare_codes(&a, &b, mode, &kept);
            check_verdict(&rows[i], &kept, mode);
            assert_true(kept.levels == pages.levels);
            if (mode == CHANGE_EVERYTHING)
                assert_memory_equal(&codes[0].tests, &a.tests, sizeof a.tests);
        }
        arena_clear(arena);
    }
    arena_close(arena);
}

/* Steps save work: what is not tested is not made. */
static void p9_steps_stop(void **state)
{
    (void)state;
    struct arena *arena = arena_open(1 << 16, 1 << 24);
    struct sample a, b;
    struct change_image ia, ib;
    struct change_page old, new;
    struct version grown = {TAGS " p", TEXT, dark};
    struct change_verdict v;
    struct change_codes codes[2];
    fill(&base, &a, &ia, &old);
    fill(&grown, &b, &ib, &new);
    assert_rc(change_compare_pages(&old, &new, CHANGE_STEPS, arena, &v, codes), RC_OK);
    assert_int_equal(codes[0].tests, CHANGE_STRUCTURE_TESTS);
    assert_int_equal(v.differences.count, 1);
    assert_string_equal(v.differences.list[0].path, "html>body>p[3]");
    assert_true(v.levels == 4);
    assert_string_equal(change_kind_name(v.first), "structure");
    arena_close(arena);
}

/* Codes that were made for different tests are compared by what they share. */
static void partial_codes(void **state)
{
    (void)state;
    struct arena *arena = arena_open(1 << 16, 1 << 24);
    struct change_page old = {.text = STR("ab c")}, new = {.text = STR("ba c")};
    struct change_codes a, b;
    struct change_verdict v;
    assert_rc(change_codes_of(&old, CHANGE_ALL_TESTS, arena, &a), RC_OK);
    assert_rc(change_codes_of(&new, BITS(TEXT_MEAN), arena, &b), RC_OK);
    change_compare_codes(&a, &b, CHANGE_EVERYTHING, &v);
    assert_false(v.of[CHANGE_STRUCTURE].tested);
    assert_true(v.of[CHANGE_TEXT].tested);
    assert_false(v.changed); /* Text I alone does not see it */
    assert_rc(change_codes_of(&new, BITS(TEXT_DIGEST), arena, &b), RC_OK);
    change_compare_codes(&a, &b, CHANGE_EVERYTHING, &v);
    assert_true(v.changed);
    assert_true(v.of[CHANGE_TEXT].similarity == 0); /* no fingerprint to say how much */
    new.text = STR("ab d");
    assert_rc(change_codes_of(&new, BITS(TEXT_MEAN), arena, &b), RC_OK);
    change_compare_codes(&a, &b, CHANGE_EVERYTHING, &v);
    assert_true(v.changed);
    assert_int_equal(v.of[CHANGE_TEXT].by, CHANGE_TEXT_MEAN);
    arena_close(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p9_rows),
        cmocka_unit_test(p9_steps_stop),
        cmocka_unit_test(partial_codes),
    };
    return cmocka_run_group_tests_name("P9 the verdict", tests, NULL, NULL);
}
