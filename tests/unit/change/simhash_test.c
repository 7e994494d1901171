/* SPDX-License-Identifier: Apache-2.0 */
#include "change/simhash.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/rng.h"
#include "lib/test.h"

#include <stdio.h>

/* Normalised text of `words` words, some of them in scripts without spaces. */
static void random_text(struct rng *r, struct buf *b, size_t words, bool spaceless)
{
    static const char *const letters[] = {"\xe6\xbc\xa2", "\xe3\x81\x82", "\xe0\xb8\x81",
                                          "\xf0\xa0\x80\x80", "\xef\xa4\x80"};
    buf_clear(b);
    for (size_t i = 0; i < words; i++) {
        if (i && rng_below(r, 4))
            buf_byte(b, ' ');
        if (spaceless && rng_below(r, 3) == 0)
            buf_add(b, str_c(letters[rng_below(r, 5)]));
        else
            for (uint64_t n = 1 + rng_below(r, 9); n; n--)
                buf_byte(b, (char)('a' + rng_below(r, 26)));
        if (rng_below(r, 20) == 0)
            buf_add(b, STR("\xe2\x80\x94\xc3\xa9"));
    }
}

static void vector_equals_plain(void **state)
{
    (void)state;
    struct rng r;
    struct buf b;
    rng_init(&r, test_seed(64));
    buf_init(&b, 1 << 20);
    for (size_t i = 0; i < 600; i++) {
        random_text(&r, &b, i % 300, i % 2);
        /* an exact copy, so that a sanitizer sees a byte too many */
        char *exact = test_malloc(b.n ? b.n : 1);
        memcpy(exact, buf_str(&b).p, b.n);
        struct str s = str_make(exact, b.n);
        assert_true(change_simhash(s) == change_simhash_plain(s));
        test_free(exact);
    }
    buf_done(&b);
}

static void few_words(void **state)
{
    (void)state;
    assert_true(change_simhash(STR("")) == 0);
    assert_true(change_simhash(STR("one")) != change_simhash(STR("two")));
    assert_true(change_simhash(STR("one two")) != change_simhash(STR("two one")));
    assert_true(change_simhash(STR("a")) != change_simhash(STR("a\0")));
    /* one shingle: the fingerprint is its hash */
    uint64_t hash;
    struct change_shingles s = change_shingles_of(STR("one two three"));
    assert_int_equal(change_shingles_next(&s, &hash, 1), 1);
    assert_true(change_simhash(STR("one two three")) == hash);
}

/* The shingles of a text are those of its pieces: five words, three shingles. */
static void shingles_are_runs_of_words(void **state)
{
    (void)state;
    static const char *const texts[] = {"a b c \xe6\xbc\xa2\xe5\xad\x97z", "a b c",
                                        "b c \xe6\xbc\xa2", "c \xe6\xbc\xa2 \xe5\xad\x97",
                                        "\xe6\xbc\xa2\xe5\xad\x97 z"};
    uint64_t got[8], one[8];
    struct change_shingles s = change_shingles_of(str_c(texts[0]));
    assert_int_equal(change_shingles_next(&s, got, 1), 1); /* stopped, and taken up again */
    assert_int_equal(change_shingles_next(&s, got + 1, 7), 3);
    assert_int_equal(change_shingles_next(&s, one, 8), 0);
    for (int i = 0; i < 4; i++) {
        s = change_shingles_of(str_c(texts[i + 1]));
        assert_int_equal(change_shingles_next(&s, one, 8), 1);
        assert_true(got[i] == one[0]);
    }
}

/* Stored in histories, so never another value for the same text. */
static void d17_vectors(void **state)
{
    (void)state;
    char text[64];
    snprintf(text, sizeof text, "%016llx",
             (unsigned long long)change_simhash(STR("one two three four five six seven eight")));
    assert_string_equal(text, "b4600942c60060f0");
}

/* Small edits move few bits, other pages about half of them. */
static void near_and_far(void **state)
{
    (void)state;
    struct rng r;
    struct buf a, b;
    rng_init(&r, 3);
    buf_init(&a, 1 << 20);
    buf_init(&b, 1 << 20);
    unsigned far = 0;
    for (int i = 0; i < 20; i++) {
        random_text(&r, &a, 2000, false);
        buf_clear(&b);
        buf_add(&b, buf_str(&a));
        b.p[b.n / 2] = b.p[b.n / 2] == 'x' ? 'y' : 'x';
        assert_true(change_bits_apart(change_simhash(buf_str(&a)), change_simhash(buf_str(&b))) <=
                    CHANGE_SIMHASH_NEAR + 2);
        random_text(&r, &b, 2000, false);
        far += change_bits_apart(change_simhash(buf_str(&a)), change_simhash(buf_str(&b)));
    }
    assert_in_range(far / 20, 26, 38);
    buf_done(&a);
    buf_done(&b);
}

/* More features than one plane, one batch or one ripple holds. */
static void many_features(void **state)
{
    (void)state;
    struct change_sim s = {.features = 0};
    struct rng r;
    uint64_t ones[64] = {0}, expected = 0, hashes[100];
    rng_init(&r, 9);
    for (size_t round = 0; round < 1000; round++) {
        size_t n = rng_below(&r, 100);
        for (size_t i = 0; i < n; i++) {
            hashes[i] = rng_next(&r) | rng_next(&r) << 32;
            for (unsigned bit = 0; bit < 64; bit++)
                ones[bit] += hashes[i] >> bit & 1;
        }
        change_sim_add(&s, hashes, n);
    }
    uint64_t features = s.features;
    for (unsigned bit = 0; bit < 64; bit++)
        expected |= (uint64_t)(ones[bit] * 2 > features) << bit;
    assert_true(change_sim_finish(&s) == expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_equals_plain),
        cmocka_unit_test(few_words),
        cmocka_unit_test(shingles_are_runs_of_words),
        cmocka_unit_test(d17_vectors),
        cmocka_unit_test(near_and_far),
        cmocka_unit_test(many_features),
    };
    return cmocka_run_group_tests_name("P14 simhash", tests, NULL, NULL);
}
