/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes to pixels, row by row. A shape is cut by lines through the row: by one, whose spans are
 * painted as whole pixels, or by four when edges are to be smooth; then the spans add up how much
 * of every pixel is covered, in 1/256, and the row is blended with that. */
#include "content/image_draw.h"
#include "content/image_png.h"

#include <assert.h>
#include <math.h>

enum { ONE = 256, MAX_CROSSINGS = 64, LINES_SMOOTH = 4 };

struct spot {
    int32_t x, y;
};

struct box {
    int32_t left, top, right, bottom;
};

struct raster {
    const struct draw *draw;
    int width, height; /* pixels */
    int lines;         /* looked at in each row */
    uint32_t *row;
    uint32_t ink; /* of the shape at hand, and how opaque it is, of ONE */
    uint32_t opaque;
    /* In 1/256 pixels, and as the drawing has them. */
    struct box box[DRAW_MAX_SHAPES];
    struct spot spot[DRAW_MAX_POINTS];
    int32_t cover[DRAW_MAX_PIXELS + 2];
    int32_t steps[DRAW_MAX_PIXELS + 2]; /* changes of whole coverage from one pixel to the next */
};

static int32_t fixed(const struct raster *r, int units)
{
    return units * r->width * ONE / DRAW_WIDTH;
}

static void raster_measure(struct raster *r)
{
    const struct draw *d = r->draw;
    for (uint32_t i = 0; i < d->points; i++)
        r->spot[i] = (struct spot){fixed(r, d->point[i].x), fixed(r, d->point[i].y)};
    for (uint32_t i = 0; i < d->shapes; i++) {
        const struct shape *s = &d->shape[i];
        r->box[i] = (struct box){fixed(r, s->left), fixed(r, s->top), fixed(r, s->right),
                                 fixed(r, s->bottom)};
    }
}

static uint32_t blend(uint32_t under, uint32_t ink, uint32_t part)
{
    uint32_t rb = (under & 0xff00ff) * (ONE - part) + (ink & 0xff00ff) * part;
    uint32_t g = (under & 0x00ff00) * (ONE - part) + (ink & 0x00ff00) * part;
    return (rb >> 8 & 0xff00ff) | (g >> 8 & 0x00ff00);
}

static void span_paint(struct raster *r, int from, int to)
{
    from = (from + ONE / 2) / ONE;
    to = (to + ONE / 2) / ONE;
    if (r->opaque == ONE)
        for (int x = from; x < to; x++)
            r->row[x] = r->ink;
    else
        for (int x = from; x < to; x++)
            r->row[x] = blend(r->row[x], r->ink, r->opaque);
}

static void span_cover(struct raster *r, int from, int to)
{
    int a = from / ONE, b = to / ONE, share = ONE / r->lines;
    if (a == b) {
        r->cover[a] += (to - from) / r->lines;
        return;
    }
    r->cover[a] += ((a + 1) * ONE - from) / r->lines;
    r->steps[a + 1] += share;
    r->steps[b] -= share;
    r->cover[b] += (to - b * ONE) / r->lines;
}

static void span_add(struct raster *r, int from, int to)
{
    int end = r->width * ONE;
    from = from < 0 ? 0 : from;
    to = to > end ? end : to;
    if (from >= to)
        return;
    if (r->lines == 1)
        span_paint(r, from, to);
    else
        span_cover(r, from, to);
}

/* A square root is exact to the last bit on every machine, unlike other functions of its kind. */
static void ellipse_line(struct raster *r, const struct box *b, int y)
{
    double high = b->bottom - b->top, wide = b->right - b->left;
    double up = 2.0 * y - b->top - b->bottom;
    if (up >= high || -up >= high)
        return;
    int half = (int)(wide * sqrt(high * high - up * up) / (2 * high));
    int middle = (b->left + b->right) / 2;
    span_add(r, middle - half, middle + half);
}

static void crossing_insert(int *list, int count, int x)
{
    int i = count;
    for (; i > 0 && list[i - 1] > x; i--)
        list[i] = list[i - 1];
    list[i] = x;
}

static void polygon_line(struct raster *r, const struct shape *s, int y)
{
    int xs[MAX_CROSSINGS], count = 0;
    const struct spot *p = r->spot + s->first, *a = &p[s->count - 1];
    for (uint32_t i = 0; i < s->count && count < MAX_CROSSINGS; i++) {
        const struct spot *b = &p[i];
        if ((a->y <= y) != (b->y <= y)) {
            int64_t over = (int64_t)(b->x - a->x) * (y - a->y);
            crossing_insert(xs, count++, a->x + (int)(over / (b->y - a->y)));
        }
        a = b;
    }
    for (int i = 0; i + 1 < count; i += 2)
        span_add(r, xs[i], xs[i + 1]);
}

/* Puts what was covered onto the row and clears the coverage behind it. */
static void cover_apply(struct raster *r, const struct box *b)
{
    int from = b->left < 0 ? 0 : b->left / ONE, to = b->right / ONE + 1;
    int32_t whole = 0;
    to = to > r->width ? r->width : to;
    for (int x = from; x < to; x++) {
        whole += r->steps[x];
        uint32_t part = (uint32_t)(whole + r->cover[x]);
        r->steps[x] = r->cover[x] = 0;
        if (part >= ONE && r->opaque == ONE)
            r->row[x] = r->ink;
        else if (part)
            r->row[x] = blend(r->row[x], r->ink, (part > ONE ? ONE : part) * r->opaque / ONE);
    }
    r->steps[r->width] = r->cover[r->width] = 0;
}

static void shape_paint(struct raster *r, uint32_t nth, int from)
{
    const struct shape *s = &r->draw->shape[nth];
    r->ink = s->ink & 0xffffff;
    r->opaque = ONE - (s->ink >> 24) * ONE / 255;
    for (int line = 0; line < r->lines; line++) {
        int y = from + (2 * line + 1) * ONE / (2 * r->lines);
        if (s->kind == SHAPE_ELLIPSE)
            ellipse_line(r, &r->box[nth], y);
        else
            polygon_line(r, s, y);
    }
    if (r->lines > 1)
        cover_apply(r, &r->box[nth]);
}

static void row_paint(struct raster *r, int row_number)
{
    const struct draw *d = r->draw;
    uint32_t sky = colour_mix(d->sky_top, d->sky_bottom, row_number * 100 / r->height);
    int from = row_number * ONE, to = from + ONE;
    for (int x = 0; x < r->width; x++)
        r->row[x] = sky;
    for (uint32_t i = 0; i < d->shapes; i++)
        if (r->box[i].bottom > from && r->box[i].top < to)
            shape_paint(r, i, from);
}

void draw_png(const struct draw *d, int width, bool smooth, struct buf *out)
{
    assert(width >= 2 && width <= DRAW_MAX_PIXELS);
    struct raster r;
    r.draw = d;
    r.width = width;
    r.height = width * d->height / DRAW_WIDTH;
    r.lines = smooth ? LINES_SMOOTH : 1;
    memset(r.cover, 0, sizeof r.cover);
    memset(r.steps, 0, sizeof r.steps);
    raster_measure(&r);
    uint32_t rows[2][DRAW_MAX_PIXELS];
    struct png png;
    png_begin(&png, (uint32_t)width, (uint32_t)r.height, out);
    for (int y = 0; y < r.height; y++) {
        r.row = rows[y % 2];
        row_paint(&r, y);
        png_row(&png, r.row, y > 0 ? rows[1 - y % 2] : NULL);
    }
    png_end(&png);
}
