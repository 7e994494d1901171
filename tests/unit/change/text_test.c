/* SPDX-License-Identifier: Apache-2.0 */
#include "change/text.h"

#include "base/rng.h"
#include "lib/test.h"

#include <math.h>
#include <stdio.h>

static struct change_text_sums sums_of(struct str text)
{
    struct arena *arena = arena_open(4096, 1 << 20);
    struct change_text_sums sums;
    assert_rc(change_text_sums(text, arena, &sums), RC_OK);
    arena_close(arena);
    return sums;
}

static void assert_number(double got, int digits, const char *expected)
{
    char text[64];
    snprintf(text, sizeof text, "%.*f", digits, got);
    assert_string_equal(text, expected);
}

/* The paper's formulas follow from its sums (its sums do not follow from the text it prints). */
static void p12_paper(void **state)
{
    (void)state;
    struct change_text_sums s = {.codes = 56652, .distinct = 43, .symbols = 619};
    assert_number(change_text_mean(&s), 3, "1317.488");
    s = (struct change_text_sums){.codes = 57113, .distinct = 43, .symbols = 625};
    assert_number(change_text_mean(&s), 3, "1328.209");
    s = (struct change_text_sums){.squares = 2830106, .symbols = 296};
    assert_true(fabs(change_text_rms(&s) - 5.683418) <
                1e-6); /* the paper cuts, it does not round */
    s = (struct change_text_sums){.squares = 2876660, .symbols = 300};
    assert_true(fabs(change_text_rms(&s) - 5.653573) < 1e-6);
}

struct sums_row {
    const char *name;
    struct str text;
    struct change_text_sums sums;
};

static const struct sums_row sums_rows[] = {
    {"nothing", {"", 0}, {0, 0, 0, 0}},
    {"one letter", {"A", 1}, {1, 65, 4225, 1}},
    {"frequency counts, distinct once", {"aab", 3}, {3, 97 + 97 + 98, 97 * 97 * 2 + 98 * 98, 2}},
    {"a blank is a symbol", {"a b", 3}, {3, 97 + 32 + 98, 97 * 97 + 32 * 32 + 98 * 98, 3}},
    {"a code point counts once, not its bytes", {"\xc3\xa9\xc3\xa9", 4}, {2, 466, 108578, 1}},
    {"the largest code point", {"\xf4\x8f\xbf\xbf", 4}, {1, 0x10ffff, UINT64_C(1241243320321), 1}},
    {"what is not UTF-8 is U+FFFD", {"\xff\xfe", 2}, {2, 131066, UINT64_C(8589148178), 1}},
    {"a NUL is a symbol of code 0", {"\0a", 2}, {2, 97, 9409, 2}},
};

static void p12_sums(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sums_rows / sizeof *sums_rows; i++) {
        const struct sums_row *row = &sums_rows[i];
        struct change_text_sums got = sums_of(row->text);
        print_message("# %s\n", row->name);
        assert_int_equal(got.symbols, row->sums.symbols);
        assert_int_equal(got.codes, row->sums.codes);
        assert_int_equal(got.squares, row->sums.squares);
        assert_int_equal(got.distinct, row->sums.distinct);
    }
    struct change_text_sums none = {0};
    assert_true(change_text_mean(&none) == 0 && change_text_rms(&none) == 0);
    struct change_text_sums aab = sums_of(STR("aab"));
    assert_number(change_text_mean(&aab), 6, "146.000000");
    assert_number(change_text_rms(&aab), 6, "56.196085");
}

/* A letter moved, words swapped: neither of the paper's codes notices. */
static void p12_collisions(void **state)
{
    (void)state;
    struct change_text_sums a = sums_of(STR("the cat saw a dog"));
    struct change_text_sums b = sums_of(STR("the dog was a cat"));
    assert_true(change_text_mean(&a) == change_text_mean(&b));
    assert_true(change_text_rms(&a) == change_text_rms(&b));
    struct digest da, db;
    assert_rc(change_text_digest(STR("the cat saw a dog"), &da), RC_OK);
    assert_rc(change_text_digest(STR("the dog was a cat"), &db), RC_OK);
    assert_false(digest_eq(&da, &db));
}

struct normal_row {
    const char *name, *text, *normal;
};

static const struct normal_row normal_rows[] = {
    {"nothing stays nothing", "", ""},
    {"only white space is nothing", " \t\r\n\f\v ", ""},
    {"runs become one space", "a  b\n\n\tc", "a b c"},
    {"ends are trimmed", "  a b  ", "a b"},
    {"a long run across blocks", "a                                        b", "a b"},
    {"plain text of several blocks stays", "0123456789abcdef0123456789abcdef0123456789",
     "0123456789abcdef0123456789abcdef0123456789"},
    {"no-break, en quad, ideographic, line separator, next line",
     "a\xc2\xa0"
     "b\xe2\x80\x80"
     "c\xe3\x80\x80"
     "d\xe2\x80\xa8"
     "e\xc2\x85"
     "f",
     "a b c d e f"},
    {"mixed runs of ASCII and other white space",
     "a \xc2\xa0 \xe3\x80\x80 b and more than sixteen bytes \xc2\xa0",
     "a b and more than sixteen bytes"},
    {"a zero-width space is none",
     "a\xe2\x80\x8b"
     "b",
     "a\xe2\x80\x8b"
     "b"},
    {"what is not UTF-8 becomes U+FFFD", "a\xff b", "a\xef\xbf\xbd b"},
    {"other control characters stay", "a\x01\x1f b", "a\x01\x1f b"},
    {"a space at a block's end and at the next one's begin", "0123456789abcde  x",
     "0123456789abcde x"},
    {"case and accents count", "\xc3\x89t\xc3\xa9 A", "\xc3\x89t\xc3\xa9 A"},
};

static void p14_normalise(void **state)
{
    (void)state;
    struct arena *arena = arena_open(4096, 1 << 20);
    for (size_t i = 0; i < sizeof normal_rows / sizeof *normal_rows; i++) {
        struct str got, plain;
        print_message("# %s\n", normal_rows[i].name);
        assert_rc(change_text_normalise(str_c(normal_rows[i].text), arena, &got), RC_OK);
        assert_str(got, str_c(normal_rows[i].normal));
        assert_rc(change_text_normalise_plain(str_c(normal_rows[i].text), arena, &plain), RC_OK);
        assert_str(plain, got);
    }
    arena_close(arena);
}

/* Text of pieces that are hard for the block-wise way, at every length. */
static size_t random_text(struct rng *r, char *to, size_t max)
{
    static const char *const pieces[] = {" ",
                                         "  ",
                                         "\n",
                                         "\t ",
                                         "word",
                                         "a",
                                         "b.",
                                         "\xc3\xa9",
                                         "\xc2\xa0",
                                         "\xe3\x80\x80",
                                         "\xff",
                                         "\xe6\xbc\xa2",
                                         "\xf0\x9f\x98\x80",
                                         "0123456789",
                                         "\xe2\x80"};
    size_t n = 0, want = rng_below(r, max - 16);
    while (n < want) {
        const char *piece = pieces[rng_below(r, sizeof pieces / sizeof *pieces)];
        memcpy(to + n, piece, strlen(piece));
        n += strlen(piece);
    }
    return n;
}

static void vector_equals_plain(void **state)
{
    (void)state;
    struct rng r;
    struct arena *arena = arena_open(1 << 16, 1 << 20);
    rng_init(&r, test_seed(12));
    for (int i = 0; i < 3000; i++) {
        char text[300];
        struct str s = str_make(text, random_text(&r, text, sizeof text));
        struct str fast, plain, twice;
        arena_clear(arena);
        assert_rc(change_text_normalise(s, arena, &fast), RC_OK);
        assert_rc(change_text_normalise_plain(s, arena, &plain), RC_OK);
        assert_rc(change_text_normalise(fast, arena, &twice), RC_OK);
        assert_str(fast, plain);
        assert_str(twice, fast);
    }
    arena_close(arena);
}

static double similarity(const char *a, const char *b)
{
    struct arena *arena = arena_open(4096, 1 << 20);
    double got = -1;
    assert_rc(change_text_similarity(str_c(a), str_c(b), arena, &got), RC_OK);
    arena_close(arena);
    return got;
}

static void p14_similarity(void **state)
{
    (void)state;
    assert_true(similarity("", "") == 1);
    assert_true(similarity("", "a") == 0);
    assert_true(similarity("one two three four", "one two three four") == 1);
    assert_true(similarity("one two three four", "five six seven eight") == 0);
    /* shingles of three words: of a b c d e and x b c d e two of four are shared */
    assert_true(similarity("a b c d e", "x b c d e") == 0.5);
    assert_true(similarity("a b c d e", "x b c d e") == similarity("x b c d e", "a b c d e"));
    /* repetitions count */
    assert_true(similarity("a a a a", "a a a") == 0.5);
}

static void limits(void **state)
{
    (void)state;
    struct arena *arena = arena_open(64, 128);
    struct str huge = str_make("", (size_t)CHANGE_MAX_TEXT_BYTES + 1), normal = STR("kept");
    struct str too_long = str_make("", (size_t)3 * CHANGE_MAX_TEXT_BYTES + 1);
    struct change_text_sums sums = {.codes = 7};
    double d = 7;
    assert_rc(change_text_sums(huge, arena, &sums), RC_LIMIT);
    assert_rc(change_text_normalise(huge, arena, &normal), RC_LIMIT);
    assert_rc(change_text_similarity(too_long, STR("a"), arena, &d), RC_LIMIT);
    /* Longer than a page's text may be, as U+FFFD makes it: no limit, but no memory here either. */
    assert_rc(change_text_similarity(huge, STR("a"), arena, &d), RC_NOMEM);
    assert_rc(change_text_sums(STR("\xc3\xa9"), arena, &sums), RC_NOMEM);
    assert_rc(change_text_similarity(STR("0123456789 0123456789 0123456789 0123456789"), STR("a"),
                                     arena, &d),
              RC_NOMEM);
    assert_int_equal(sums.codes, 7);
    assert_str(normal, STR("kept"));
    assert_true(d == 7);
    arena_close(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p12_paper),
        cmocka_unit_test(p12_sums),
        cmocka_unit_test(p12_collisions),
        cmocka_unit_test(p14_normalise),
        cmocka_unit_test(vector_equals_plain),
        cmocka_unit_test(p14_similarity),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests_name("P12 P14 the text's codes", tests, NULL, NULL);
}
