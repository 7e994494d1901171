/* SPDX-License-Identifier: Apache-2.0 */
/* image_png: a PNG written row by row, fast enough to be made for every request.
 *
 * Flat pictures are runs: a pixel equals the one to its left or the one above. So the deflate
 * stream is written here, with the fixed codes and only those two distances, instead of searched
 * for by zlib; a picture costs some nanoseconds a run. Both rows belong to the caller. */
#ifndef CONTENT_IMAGE_PNG_H
#define CONTENT_IMAGE_PNG_H

#include "base/buf.h"

struct png {
    struct buf *out;
    uint32_t width;
    size_t idat_at; /* where the chunk of the data begins in `out` */
    uint64_t bits;  /* not yet written, the first in the lowest */
    unsigned bit_count;
    uint32_t adler_a, adler_b;
    uint32_t up_distance, up_code, up_extra_bits;
};

/* `width` pixels a row, 8 bits each of red, green and blue. */
void png_begin(struct png *p, uint32_t width, uint32_t height, struct buf *out);

/* The next row, pixels as 0xRRGGBB; `above` is the row before, NULL for the first. */
void png_row(struct png *p, const uint32_t *row, const uint32_t *above);

void png_end(struct png *p);

#endif
