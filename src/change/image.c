/* SPDX-License-Identifier: Apache-2.0 */
#include "change/image.h"

#include "base/bytes.h"

#include <assert.h>

enum { WORD_PIXELS = 16 };

enum rc change_image_check(const struct change_image *image)
{
    if (image->width == 0 || image->height == 0 || !image->grey)
        return RC_INVALID;
    return image->width > CHANGE_MAX_SIDE || image->height > CHANGE_MAX_SIDE ? RC_LIMIT : RC_OK;
}

/* Source pixel `at` covers [at*n, at*n + n), target pixel `t` covers [t*side, t*side + side): how
 * long they run together. */
static uint64_t overlap(uint32_t at, uint32_t n, uint32_t t, uint32_t side)
{
    uint64_t from = (uint64_t)at * n, to = from + n;
    uint64_t target_from = (uint64_t)t * side, target_to = target_from + side;
    from = from > target_from ? from : target_from;
    to = to < target_to ? to : target_to;
    return to > from ? to - from : 0;
}

/* Adds a source row, `weight` of which lies in the target row, to that row's sums. */
static void add_row(const uint8_t *row, uint32_t width, uint32_t columns, uint64_t weight,
                    uint64_t *sums)
{
    for (uint32_t t = 0; t < columns; t++) {
        uint32_t first = (uint32_t)((uint64_t)t * width / columns);
        uint32_t last = (uint32_t)(((uint64_t)t * width + width - 1) / columns);
        uint64_t sum = overlap(first, columns, t, width) * row[first];
        for (uint32_t x = first + 1; x < last; x++)
            sum += (uint64_t)columns * row[x];
        if (last > first)
            sum += overlap(last, columns, t, width) * row[last];
        sums[t] += sum * weight;
    }
}

void change_image_scale(const struct change_image *image, uint32_t columns, uint32_t rows,
                        uint8_t *to)
{
    assert(columns && columns <= CHANGE_IVAL_MAX && rows && rows <= CHANGE_IVAL_MAX);
    uint32_t width = image->width, height = image->height;
    uint64_t area = (uint64_t)width * height;
    for (uint32_t t = 0; t < rows; t++) {
        uint64_t sums[CHANGE_IVAL_MAX] = {0};
        uint32_t first = (uint32_t)((uint64_t)t * height / rows);
        uint32_t last = (uint32_t)(((uint64_t)t * height + height - 1) / rows);
        for (uint32_t y = first; y <= last; y++)
            add_row(image->grey + (size_t)y * width, width, columns, overlap(y, rows, t, height),
                    sums);
        for (uint32_t x = 0; x < columns; x++)
            to[(size_t)t * columns + x] = (uint8_t)((sums[x] + area / 2) / area);
    }
}

static void two_tones(uint8_t *pixels, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += pixels[i];
    for (uint32_t i = 0; i < count; i++)
        pixels[i] = pixels[i] * count >= sum;
}

void change_ival_matrix(const uint8_t *tones, uint32_t n, int64_t *matrix)
{
    assert(n == 16 || n == 32 || n == 64);
    uint32_t side = n / WORD_PIXELS;
    memset(matrix, 0, sizeof *matrix * side * side);
    for (uint32_t y = 0; y < n; y++) {
        for (uint32_t j = 0; j < side; j++) {
            uint32_t word = 0;
            for (uint32_t x = 0; x < WORD_PIXELS; x++)
                word = word << 1 | tones[(size_t)y * n + (size_t)j * WORD_PIXELS + x];
            matrix[(size_t)y / WORD_PIXELS * side + j] += (int64_t)(y % WORD_PIXELS + 1) * word;
        }
    }
}

/* Of rows `r` and `r + 1`, columns `a` and `b` of a matrix of four. */
static __int128 minor2(const int64_t *m, unsigned r, unsigned a, unsigned b)
{
    const int64_t *top = m + (size_t)r * 4, *low = top + 4;
    return (__int128)top[a] * low[b] - (__int128)top[b] * low[a];
}

/* Laplace's expansion by pairs of rows: products of two minors of 47 bits, six of them, so that
 * nothing comes near 127 bits. (Elimination without fractions would need 141 on the way.) */
static __int128 determinant4(const int64_t *m)
{
    return minor2(m, 0, 0, 1) * minor2(m, 2, 2, 3) - minor2(m, 0, 0, 2) * minor2(m, 2, 1, 3) +
           minor2(m, 0, 0, 3) * minor2(m, 2, 1, 2) + minor2(m, 0, 1, 2) * minor2(m, 2, 0, 3) -
           minor2(m, 0, 1, 3) * minor2(m, 2, 0, 2) + minor2(m, 0, 2, 3) * minor2(m, 2, 0, 1);
}

struct change_ival change_ival_determinant(const int64_t *matrix, uint32_t side)
{
    assert(side == 1 || side == 2 || side == 4);
    for (uint32_t i = 0; i < side * side; i++)
        assert(matrix[i] >= -CHANGE_IVAL_ENTRY && matrix[i] <= CHANGE_IVAL_ENTRY);
    __int128 value = matrix[0];
    if (side == 2)
        value = (__int128)matrix[0] * matrix[3] - (__int128)matrix[1] * matrix[2];
    if (side == 4)
        value = determinant4(matrix);
    return (struct change_ival){(int64_t)(value >> 64), (uint64_t)value};
}

struct change_ival change_image_ival(const struct change_image *image, uint32_t n)
{
    assert(n == 16 || n == 32 || n == 64);
    uint8_t pixels[CHANGE_IVAL_MAX * CHANGE_IVAL_MAX];
    int64_t matrix[16];
    change_image_scale(image, n, n, pixels);
    two_tones(pixels, n * n);
    change_ival_matrix(pixels, n, matrix);
    return change_ival_determinant(matrix, n / WORD_PIXELS);
}

void buf_ival(struct buf *b, struct change_ival ival)
{
    unsigned __int128 rest = (unsigned __int128)(uint64_t)ival.high << 64 | ival.low;
    char digits[40];
    size_t at = sizeof digits;
    if (ival.high < 0)
        rest = -rest;
    do {
        digits[--at] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest);
    if (ival.high < 0)
        buf_byte(b, '-');
    buf_add(b, str_make(digits + at, sizeof digits - at));
}

uint64_t change_image_dhash(const struct change_image *image)
{
    enum { COLUMNS = 9, ROWS = 8 };
    uint8_t pixels[COLUMNS * ROWS];
    change_image_scale(image, COLUMNS, ROWS, pixels);
    uint64_t hash = 0;
    for (unsigned y = 0; y < ROWS; y++)
        for (unsigned x = 0; x + 1 < COLUMNS; x++)
            hash = hash << 1 | (pixels[y * COLUMNS + x] < pixels[y * COLUMNS + x + 1]);
    return hash;
}

enum rc change_image_digest(const struct change_image *image, struct digest *ret)
{
    struct digester *d = digester_open(DIGEST_SHA256);
    if (!d)
        return RC_NOMEM;
    char sides[8];
    put_le32(sides, image->width);
    put_le32(sides + 4, image->height);
    digester_add(d, str_make(sides, sizeof sides));
    digester_add(d, str_make((const char *)image->grey, (size_t)image->width * image->height));
    enum rc rc = digester_finish(d, ret);
    digester_close(d);
    return rc;
}
