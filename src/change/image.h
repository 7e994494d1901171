/* SPDX-License-Identifier: Apache-2.0 */
/* image: what a picture shows, as numbers that can be compared.
 *
 * Scaling is by area, in whole numbers: in units where the picture is width*n by height*n, every
 * source pixel is n by n and every target pixel is width by height, so each overlap is a whole
 * number; the target is the weighted mean, rounded to the nearest (halves up). A picture that is
 * n by n already stays as it is. The same on every machine, for shrinking and for growing.
 *
 * The paper's ival keeps little: a picture whose rows or columns of words repeat has the
 * determinant 0, all black and all white are the same, and anything that leaves the two tones alone
 * is unseen. The digest sees every pixel; the difference hash sees what a person would. */
#ifndef CHANGE_IMAGE_H
#define CHANGE_IMAGE_H

#include "base/digest.h"
#include "change/input.h"

/* RC_OK if the picture has pixels and sides up to CHANGE_MAX_SIDE, RC_INVALID or RC_LIMIT
 * otherwise. Every function below wants a picture that passes. */
MUST_CHECK enum rc change_image_check(const struct change_image *image);

/* To `columns` by `rows`, at most CHANGE_IVAL_MAX each; `to` has room for their product. */
enum { CHANGE_IVAL_MAX = 64 };
void change_image_scale(const struct change_image *image, uint32_t columns, uint32_t rows,
                        uint8_t *to);

/* A determinant can need 95 bits: high * 2^64 + low. */
struct change_ival {
    int64_t high;
    uint64_t low;
};

/* The paper's ival. The picture is scaled to n by n (16, 32 or 64), in two tones (1 for a pixel
 * that is at least the mean of all), 16 pixels of a row are a word, the leftmost its highest bit;
 * M[i][j] is the sum of (r + 1) * word(16i + r, j) for r from 0 to 15; the ival is the determinant
 * of M, exactly. */
struct change_ival change_image_ival(const struct change_image *image, uint32_t n);

/* Its steps, for callers that have tones (n*n of 0 and 1) or a matrix (side 1, 2 or 4, row by row,
 * no entry over CHANGE_IVAL_ENTRY) already. */
enum { CHANGE_IVAL_ENTRY = 8912760 };
void change_ival_matrix(const uint8_t *tones, uint32_t n, int64_t *matrix);
struct change_ival change_ival_determinant(const int64_t *matrix, uint32_t side);

static inline bool change_ival_eq(struct change_ival a, struct change_ival b)
{
    return a.high == b.high && a.low == b.low;
}

/* Appends it in decimal. */
void buf_ival(struct buf *b, struct change_ival ival);

/* The difference hash: scaled to 9 columns by 8 rows, each of the 64 neighbours in a row gives a 1
 * if the right one is brighter, row by row, the first the highest bit. Brightness, contrast and
 * size hardly move it. Up to CHANGE_DHASH_NEAR bits apart, two pictures look alike. */
enum { CHANGE_DHASH_NEAR = 5 };
uint64_t change_image_dhash(const struct change_image *image);

/* SHA-256 of width and height (32 bits each, little endian) and the pixels. RC_NOMEM. */
MUST_CHECK enum rc change_image_digest(const struct change_image *image, struct digest *ret);

#endif
