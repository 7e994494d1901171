/* SPDX-License-Identifier: Apache-2.0 */
/* image_draw: a picture as a short list of flat shapes, before it becomes SVG or PNG.
 *
 *   scene (image_scene.h) ──► struct draw ──► draw_svg, or draw_png
 *
 * The canvas is 1000 units wide, whatever the picture's pixels, and `height` units high; y grows
 * downwards. Later shapes cover earlier ones. All of it is integer arithmetic, so that every
 * machine makes the same bytes. Shapes and points past the maximum are left out. */
#ifndef CONTENT_IMAGE_DRAW_H
#define CONTENT_IMAGE_DRAW_H

#include "base/buf.h"
#include "base/rng.h"

enum draw_limits {
    DRAW_WIDTH = 1000,
    DRAW_MAX_SHAPES = 900,
    DRAW_MAX_POINTS = 6000,
    DRAW_MAX_PIXELS = 640, /* of one row of a PNG */
};

/* An ink is 0xTTRRGGBB, TT its transparency: a plain 0xRRGGBB is opaque. */
uint32_t colour_thin(uint32_t ink, unsigned transparency);
uint32_t colour_mix(uint32_t a, uint32_t b, int percent_of_b);

enum shape_kind { SHAPE_POLYGON, SHAPE_ELLIPSE };

struct shape {
    enum shape_kind kind;
    uint32_t ink;
    int16_t left, top, right, bottom; /* what it covers, at most; an ellipse fills exactly that */
    uint16_t first, count;            /* points of a polygon */
};

struct point {
    int16_t x, y;
};

struct draw {
    int height;
    uint32_t sky_top, sky_bottom; /* what is behind all shapes */
    struct rng rng;
    uint32_t shapes, points;
    struct shape shape[DRAW_MAX_SHAPES];
    struct point point[DRAW_MAX_POINTS];
};

/* The lists stay unset, so this costs nothing. */
void draw_init(struct draw *d, int height, uint64_t seed);

/* A number from `low` to `high`, both included. */
int draw_pick(struct draw *d, int low, int high);

/* 1000 times the sine and cosine of an angle in degrees, any angle. */
int sine(int degrees);
int cosine(int degrees);

void draw_sky(struct draw *d, uint32_t top, uint32_t bottom);
void draw_ellipse(struct draw *d, int x, int y, int rx, int ry, uint32_t ink);
void draw_circle(struct draw *d, int x, int y, int r, uint32_t ink);
void draw_rect(struct draw *d, int x, int y, int width, int height, uint32_t ink);

/* Begins a polygon (even-odd); draw_to adds its corners. */
void draw_begin(struct draw *d, uint32_t ink);
void draw_to(struct draw *d, int x, int y);

void draw_triangle(struct draw *d, struct point a, struct point b, struct point c, uint32_t ink);
void draw_line(struct draw *d, int x0, int y0, int x1, int y1, int width, uint32_t ink);

/* An ellipse turned by `degrees`: a petal, a leaf, a wing. */
void draw_petal(struct draw *d, int x, int y, int rx, int ry, int degrees, uint32_t ink);

/* A round shape whose edge wavers by `percent`. */
void draw_blob(struct draw *d, int x, int y, int rx, int ry, int percent, uint32_t ink);

/* A line of hills from the left edge to the right, filled down to the bottom. `y` is its middle,
 * `rise` how far it goes up and down. Rough ones are mountains. */
void draw_ridge(struct draw *d, int y, int rise, bool rough, uint32_t ink);

/* The whole file. A PNG is `width` pixels wide (at most DRAW_MAX_PIXELS) with edges smoothed or,
 * four times as fast, not. `size_width` is what the SVG says of itself. */
void draw_svg(const struct draw *d, int size_width, struct buf *out);
void draw_png(const struct draw *d, int width, bool smooth, struct buf *out);

/* The SVG element alone, without XML's extras, to stand inside of HTML; has no sky. */
void draw_svg_inline(const struct draw *d, const char *class_name, struct buf *out);

#endif
