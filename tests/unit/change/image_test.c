/* SPDX-License-Identifier: Apache-2.0 */
#include "change/image.h"

#include "change/simhash.h"
#include "lib/test.h"

enum { W = CHANGE_IVAL_ENTRY };

static void assert_ival(struct change_ival got, const char *expected)
{
    char text[64];
    struct buf b = buf_on(text, sizeof text);
    buf_ival(&b, got);
    assert_str(buf_str(&b), str_c(expected));
}

/* A picture of n by n in which `white` says what is white. */
static struct change_image picture(uint8_t *pixels, uint32_t n,
                                   bool (*white)(uint32_t x, uint32_t y))
{
    for (uint32_t y = 0; y < n; y++)
        for (uint32_t x = 0; x < n; x++)
            pixels[y * n + x] = white(x, y) ? 255 : 0;
    return (struct change_image){pixels, n, n};
}

static bool everywhere(uint32_t x, uint32_t y)
{
    (void)x, (void)y;
    return true;
}

static bool nowhere(uint32_t x, uint32_t y)
{
    (void)x, (void)y;
    return false;
}

static bool left_column(uint32_t x, uint32_t y)
{
    (void)y;
    return x == 0;
}

static bool second_row(uint32_t x, uint32_t y)
{
    (void)x;
    return y == 1;
}

static bool diagonal_blocks(uint32_t x, uint32_t y)
{
    return x / 16 == y / 16;
}

static bool other_diagonal(uint32_t x, uint32_t y)
{
    return x / 16 != y / 16;
}

static bool corner(uint32_t x, uint32_t y)
{
    return x == 0 && y == 0;
}

static bool stripes(uint32_t x, uint32_t y)
{
    (void)y;
    return x & 1;
}

struct ival_row {
    const char *name;
    bool (*white)(uint32_t x, uint32_t y);
    uint32_t n;
    const char *ival;
};

static const struct ival_row ival_rows[] = {
    {"all white, n = 16", everywhere, 16, "8912760"},
    {"all black equals all white: both are at least their mean", nowhere, 16, "8912760"},
    {"the leftmost pixel is the highest bit", left_column, 16, "4456448"},
    {"the second row counts twice", second_row, 16, "131070"},
    {"one pixel in the first row", corner, 16, "32768"},
    {"every second column", stripes, 16, "2970920"},
    {"blocks on the diagonal, n = 32", diagonal_blocks, 32, "79437290817600"},
    {"blocks off the diagonal, n = 32", other_diagonal, 32, "-79437290817600"},
    {"rows of blocks alike, n = 32", everywhere, 32, "0"},
    {"blocks on the diagonal, n = 64, more than 64 bits", diagonal_blocks, 64,
     "6310283172439957276469760000"},
    {"all but the diagonal, n = 64", other_diagonal, 64, "-18930849517319871829409280000"},
    {"rows of blocks alike, n = 64", stripes, 64, "0"},
};

static void p13_rows(void **state)
{
    (void)state;
    static uint8_t pixels[64 * 64];
    for (size_t i = 0; i < sizeof ival_rows / sizeof *ival_rows; i++) {
        const struct ival_row *row = &ival_rows[i];
        print_message("# %s\n", row->name);
        struct change_image image = picture(pixels, row->n, row->white);
        assert_ival(change_image_ival(&image, row->n), row->ival);
    }
}

static void p13_determinants(void **state)
{
    (void)state;
    static const int64_t small[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
    static const int64_t large[16] = {W, 1, 2,     3,  4,  W - 1, 6,  7,
                                      8, 9, W - 2, 11, 12, 13,    14, W - 3};
    static const int64_t two[4] = {1, 2, 3, 4};
    assert_ival(change_ival_determinant(small, 4), "98");
    assert_ival(change_ival_determinant(large, 4), "6310278924379582233753824256");
    assert_ival(change_ival_determinant(two, 2), "-2");
    assert_ival(change_ival_determinant(two + 2, 1), "3");
}

/* Whole groups of rows swapped, or a picture that only got brighter, leave the ival alone. */
static void p13_collisions(void **state)
{
    (void)state;
    uint8_t a[32 * 32], b[32 * 32];
    for (uint32_t i = 0; i < 32 * 32; i++)
        a[i] = i % 32 < 16 ? (uint8_t)(i % 7 * 30) : (uint8_t)(i % 5 * 20);
    for (uint32_t y = 0; y < 32; y++) /* columns of blocks alike: the determinant is 0 */
        memcpy(a + y * 32 + 16, a + y * 32, 16);
    memcpy(b, a + 16 * 32, 16 * 32);
    memcpy(b + 16 * 32, a, 16 * 32);
    struct change_image old = {a, 32, 32}, new = {b, 32, 32};
    assert_ival(change_image_ival(&old, 32), "0");
    assert_ival(change_image_ival(&new, 32), "0");
    struct digest da, db;
    assert_rc(change_image_digest(&old, &da), RC_OK);
    assert_rc(change_image_digest(&new, &db), RC_OK);
    assert_false(digest_eq(&da, &db));
}

static void scaling(void **state)
{
    (void)state;
    static const uint8_t three[] = {0, 90, 180}, four[] = {10, 20, 30, 41}, one[] = {77};
    uint8_t got[64 * 64];
    change_image_scale(&(struct change_image){three, 3, 1}, 2, 1, got);
    assert_int_equal(got[0], 30); /* one pixel and half of the next */
    assert_int_equal(got[1], 150);
    change_image_scale(&(struct change_image){three, 1, 3}, 1, 2, got);
    assert_int_equal(got[0], 30);
    assert_int_equal(got[1], 150);
    change_image_scale(&(struct change_image){four, 2, 2}, 1, 1, got);
    assert_int_equal(got[0], 25); /* 25.25 */
    change_image_scale(&(struct change_image){four, 2, 2}, 2, 2, got);
    assert_memory_equal(got, four, 4);
    change_image_scale(&(struct change_image){three, 3, 1}, 6, 2, got);
    static const uint8_t doubled[] = {0, 0, 90, 90, 180, 180, 0, 0, 90, 90, 180, 180};
    assert_memory_equal(got, doubled, sizeof doubled);
    change_image_scale(&(struct change_image){one, 1, 1}, 64, 64, got);
    for (size_t i = 0; i < sizeof got; i++)
        assert_int_equal(got[i], 77);
}

/* Odd sizes: the mean stays, and no pixel leaves the range of its source. */
static void scaling_odd(void **state)
{
    (void)state;
    uint8_t pixels[37 * 23], got[9 * 8];
    for (uint32_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(100 + i * 7919 % 101);
    change_image_scale(&(struct change_image){pixels, 37, 23}, 9, 8, got);
    double from = 0, to = 0;
    for (size_t i = 0; i < sizeof pixels; i++)
        from += pixels[i] / (double)sizeof pixels;
    for (size_t i = 0; i < sizeof got; i++) {
        assert_in_range(got[i], 100, 200);
        to += got[i] / (double)sizeof got;
    }
    assert_true(to > from - 0.6 && to < from + 0.6);
}

static void p14_dhash(void **state)
{
    (void)state;
    uint8_t rising[90 * 40], falling[90 * 40], brighter[90 * 40];
    for (uint32_t i = 0; i < sizeof rising; i++) {
        rising[i] = (uint8_t)(i % 90 * 2 + 10);
        falling[i] = (uint8_t)(200 - rising[i]);
        brighter[i] = (uint8_t)(rising[i] + 40);
    }
    assert_true(change_image_dhash(&(struct change_image){rising, 90, 40}) == UINT64_MAX);
    assert_true(change_image_dhash(&(struct change_image){falling, 90, 40}) == 0);
    assert_true(change_image_dhash(&(struct change_image){brighter, 90, 40}) == UINT64_MAX);
    static const uint8_t first[9 * 8] = {0, 1}; /* only the first neighbour rises */
    assert_true(change_image_dhash(&(struct change_image){first, 9, 8}) == UINT64_C(1) << 63);
}

static void checks(void **state)
{
    (void)state;
    static const uint8_t pixel[1] = {0};
    assert_rc(change_image_check(&(struct change_image){pixel, 1, 1}), RC_OK);
    assert_rc(change_image_check(&(struct change_image){pixel, 0, 1}), RC_INVALID);
    assert_rc(change_image_check(&(struct change_image){pixel, 1, 0}), RC_INVALID);
    assert_rc(change_image_check(&(struct change_image){NULL, 1, 1}), RC_INVALID);
    assert_rc(change_image_check(&(struct change_image){pixel, CHANGE_MAX_SIDE + 1, 1}), RC_LIMIT);
    struct change_ival smallest = {INT64_MIN, 0};
    assert_ival(smallest, "-170141183460469231731687303715884105728");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p13_rows),       cmocka_unit_test(p13_determinants),
        cmocka_unit_test(p13_collisions), cmocka_unit_test(scaling),
        cmocka_unit_test(scaling_odd),    cmocka_unit_test(p14_dhash),
        cmocka_unit_test(checks),
    };
    return cmocka_run_group_tests_name("P13 P14 the image's codes", tests, NULL, NULL);
}
