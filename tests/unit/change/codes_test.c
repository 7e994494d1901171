/* SPDX-License-Identifier: Apache-2.0 */
#include "change/codes.h"

#include "lib/test.h"
#include "sample.h"

static const uint8_t gradient[] = {0, 50, 100, 150, 200, 250};
static const struct change_image images[] = {{gradient, 3, 2}, {gradient, 2, 3}};

static struct change_page page_of(struct sample *s)
{
    sample_tags(s, "html head title /title /head body h1 /h1 p /p p /p p /p");
    return (struct change_page){s->tags, s->count,
                                STR("Orb webs\n\nAn orb web takes half an hour."), images, 2};
}

static void make(uint32_t tests, struct change_codes *ret)
{
    struct arena *arena = arena_open(4096, 1 << 20);
    struct sample s;
    struct change_page page = page_of(&s);
    assert_rc(change_codes_of(&page, tests, arena, ret), RC_OK);
    arena_close(arena);
}

static void assert_same(const struct change_codes *a, const struct change_codes *b)
{
    char text_a[CHANGE_CODES_MAX_BYTES], text_b[CHANGE_CODES_MAX_BYTES];
    struct buf ba = buf_on(text_a, sizeof text_a), bb = buf_on(text_b, sizeof text_b);
    change_codes_encode(a, &ba);
    change_codes_encode(b, &bb);
    assert_rc(buf_rc(&ba), RC_OK);
    assert_str(buf_str(&ba), buf_str(&bb));
    assert_int_equal(a->tests, b->tests);
    assert_memory_equal(&a->levels, &b->levels, sizeof a->levels);
    assert_memory_equal(a->at, b->at, sizeof a->at);
    assert_memory_equal(&a->text.symbols, &b->text.symbols, 3 * sizeof a->text.symbols);
}

static void every_set_comes_back(void **state)
{
    (void)state;
    for (uint32_t tests = 0; tests <= CHANGE_ALL_TESTS; tests++) {
        struct change_codes made, back;
        char text[CHANGE_CODES_MAX_BYTES];
        struct buf b = buf_on(text, sizeof text);
        make(tests, &made);
        change_codes_encode(&made, &b);
        assert_rc(buf_rc(&b), RC_OK);
        assert_rc(change_codes_decode(buf_str(&b), &back), RC_OK);
        assert_same(&made, &back);
    }
}

/* The very bytes, so that a history written anywhere is read anywhere. */
static void d17_bytes(void **state)
{
    (void)state;
    struct change_codes made;
    char text[CHANGE_CODES_MAX_BYTES], hex[2 * CHANGE_CODES_MAX_BYTES];
    struct buf b = buf_on(text, sizeof text), h = buf_on(hex, sizeof hex);
    make(CHANGE_ALL_TESTS, &made);
    change_codes_encode(&made, &b);
    buf_hex(&h, (const uint8_t *)b.p, b.n);
    assert_str(
        buf_str(&h),
        STR("0103ff0f51b891af5fe581b48de8e422529396610102051d0b472a3052b158899ca232040da49408"
            "0000002800000000000000660d0000000000004c3805000000000013000000e6ab5c31206542cb7a"
            "c814d179b29ca6b32c83c8b66cbfc0e8b66a91ef456041a74315dba00e5f53020000009cff630000"
            "000000000000000000000000000000000000000000000024242424242424248d215100eade2b42ea"
            "deffff0000000000000000000000000000000018181818181818184cc26ac80b416e80ce458d710c"
            "f9c673be3fdf032a908082b2ed90ac4c09c16c"));
}

static void negative_ivals_come_back(void **state)
{
    (void)state;
    struct change_codes made = {.tests = CHANGE_IMAGE_TESTS, .pictures = 1}, back;
    made.at[0].ival[0] = (struct change_ival){0, 8912760};
    made.at[0].ival[1] = (struct change_ival){-1, (uint64_t)INT64_C(-79437290817600)};
    made.at[0].ival[2] = (struct change_ival){-1026213700, 12345};
    char text[CHANGE_CODES_MAX_BYTES];
    struct buf b = buf_on(text, sizeof text);
    change_codes_encode(&made, &b);
    assert_rc(change_codes_decode(buf_str(&b), &back), RC_OK);
    assert_same(&made, &back);
}

/* Nothing that was cut or grown passes, and the largest codes fit. */
static void damage(void **state)
{
    (void)state;
    struct change_codes made, back = {.tests = 7};
    char text[CHANGE_CODES_MAX_BYTES + 1];
    struct buf b = buf_on(text, CHANGE_CODES_MAX_BYTES);
    make(CHANGE_ALL_TESTS, &made);
    made.pictures = 1000;
    made.levels.count = CHANGE_LEVELS;
    for (int i = 0; i < CHANGE_LEVELS; i++)
        made.levels.at[i] = UINT32_MAX;
    change_codes_encode(&made, &b);
    assert_rc(buf_rc(&b), RC_OK);
    for (size_t n = 0; n < b.n; n++)
        assert_rc(change_codes_decode(str_make(text, n), &back), RC_CORRUPT);
    text[b.n] = 0;
    assert_rc(change_codes_decode(str_make(text, b.n + 1), &back), RC_CORRUPT);
    text[0] = 2;
    assert_rc(change_codes_decode(buf_str(&b), &back), RC_VERSION);
    assert_int_equal(back.tests, 7);
}

static void wrong_bytes(void **state)
{
    (void)state;
    static const struct str rows[] = {
        {"\1\0\0\x10", 4},                   /* a test that does not exist */
        {"\1\101\2\0", 4},                   /* more levels than there can be */
        {"\1\1\4\0", 4},                     /* levels without their test */
        {"\1\1\2\0\x80\0", 6},               /* a number spelt longer than needed */
        {"\1\1\2\0\0", 5},                   /* an empty level */
        {"\1\1\2\0\xff\xff\xff\xff\x7f", 9}, /* a number over 32 bits */
        {"\1\1\2\0\x80\x80\x80\x80\x80\1", 10},
    };
    struct change_codes back;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_rc(change_codes_decode(rows[i], &back), RC_CORRUPT);
    assert_rc(change_codes_decode(str_make("\1\1\2\0\x80\1", 6), &back), RC_OK);
    assert_int_equal(back.levels.at[0], 128);
}

static void pictures_past_the_first(void **state)
{
    (void)state;
    struct arena *arena = arena_open(4096, 1 << 20);
    uint8_t pixels[12] = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110};
    struct change_image many[12];
    for (int i = 0; i < 12; i++)
        many[i] = (struct change_image){pixels + i, 1, 1};
    struct change_page page = {.images = many, .image_count = 12};
    struct change_codes a, b;
    assert_rc(change_codes_of(&page, CHANGE_ALL_TESTS, arena, &a), RC_OK);
    assert_int_equal(a.pictures, 12);
    pixels[11] = 255;
    assert_rc(change_codes_of(&page, CHANGE_ALL_TESTS, arena, &b), RC_OK);
    assert_memory_not_equal(a.pictures_sha256, b.pictures_sha256, DIGEST_SHA256_BYTES);
    many[3].width = 0;
    assert_rc(change_codes_of(&page, CHANGE_ALL_TESTS, arena, &b), RC_INVALID);
    assert_rc(change_codes_of(&page, CHANGE_TEXT_TESTS, arena, &b), RC_OK);
    page.image_count = CHANGE_MAX_PICTURES + 1;
    assert_rc(change_codes_of(&page, CHANGE_ALL_TESTS, arena, &b), RC_LIMIT);
    arena_close(arena);
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(change_test_name(CHANGE_LETTERS), "letters");
    assert_string_equal(change_test_name(CHANGE_TEXT_DIGEST), "text-sha256");
    assert_string_equal(change_test_name(CHANGE_IMAGE_DHASH), "image-dhash");
    assert_string_equal(change_test_name(CHANGE_TEST_COUNT), "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_comes_back),
        cmocka_unit_test(d17_bytes),
        cmocka_unit_test(negative_ivals_come_back),
        cmocka_unit_test(damage),
        cmocka_unit_test(wrong_bytes),
        cmocka_unit_test(pictures_past_the_first),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests_name("P14 what is kept of a page", tests, NULL, NULL);
}
