/* SPDX-License-Identifier: Apache-2.0 */
#include "content/image_draw.h"

uint32_t colour_thin(uint32_t ink, unsigned transparency)
{
    return (ink & 0xffffff) | (uint32_t)(transparency & 255) << 24;
}

uint32_t colour_mix(uint32_t a, uint32_t b, int percent_of_b)
{
    uint32_t ink = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        int from = (int)(a >> shift & 255), to = (int)(b >> shift & 255);
        ink |= (uint32_t)(from + (to - from) * percent_of_b / 100) << shift;
    }
    return ink;
}

void draw_init(struct draw *d, int height, uint64_t seed)
{
    d->height = height;
    d->sky_top = d->sky_bottom = 0xffffff;
    d->shapes = d->points = 0;
    rng_init(&d->rng, seed);
}

int draw_pick(struct draw *d, int low, int high)
{
    return low + (int)rng_below(&d->rng, (uint64_t)(high - low) + 1);
}

/* Of a quarter turn, so that no machine's libm has a say in it. */
static const int16_t quarter[91] = {
    0,   17,  35,  52,  70,  87,  105, 122, 139, 156, 174, 191, 208, 225,  242, 259, 276, 292, 309,
    326, 342, 358, 375, 391, 407, 423, 438, 454, 469, 485, 500, 515, 530,  545, 559, 574, 588, 602,
    616, 629, 643, 656, 669, 682, 695, 707, 719, 731, 743, 755, 766, 777,  788, 799, 809, 819, 829,
    839, 848, 857, 866, 875, 883, 891, 899, 906, 914, 921, 927, 934, 940,  946, 951, 956, 961, 966,
    970, 974, 978, 982, 985, 988, 990, 993, 995, 996, 998, 999, 999, 1000, 1000};

int sine(int degrees)
{
    int turned = (degrees % 360 + 360) % 360;
    int half = turned % 180;
    int value = quarter[half > 90 ? 180 - half : half];
    return turned < 180 ? value : -value;
}

int cosine(int degrees)
{
    return sine(degrees + 90);
}

void draw_sky(struct draw *d, uint32_t top, uint32_t bottom)
{
    d->sky_top = top;
    d->sky_bottom = bottom;
}

/* Far outside nothing can be seen, and the corners must fit their type. */
static int16_t near_canvas(int v)
{
    if (v < -2000)
        return -2000;
    return (int16_t)(v > 3000 ? 3000 : v);
}

void draw_ellipse(struct draw *d, int x, int y, int rx, int ry, uint32_t ink)
{
    if (d->shapes == DRAW_MAX_SHAPES || rx <= 0 || ry <= 0)
        return;
    d->shape[d->shapes++] = (struct shape){
        .kind = SHAPE_ELLIPSE,
        .ink = ink,
        .left = near_canvas(x - rx),
        .top = near_canvas(y - ry),
        .right = near_canvas(x + rx),
        .bottom = near_canvas(y + ry),
    };
}

void draw_circle(struct draw *d, int x, int y, int r, uint32_t ink)
{
    draw_ellipse(d, x, y, r, r, ink);
}

void draw_begin(struct draw *d, uint32_t ink)
{
    if (d->shapes == DRAW_MAX_SHAPES)
        return;
    d->shape[d->shapes++] = (struct shape){
        .kind = SHAPE_POLYGON,
        .ink = ink,
        .left = INT16_MAX,
        .top = INT16_MAX,
        .right = INT16_MIN,
        .bottom = INT16_MIN,
        .first = (uint16_t)d->points,
    };
}

void draw_to(struct draw *d, int x, int y)
{
    if (d->points == DRAW_MAX_POINTS || !d->shapes || d->shapes == DRAW_MAX_SHAPES)
        return;
    struct shape *s = &d->shape[d->shapes - 1];
    struct point p = {near_canvas(x), near_canvas(y)};
    d->point[d->points++] = p;
    s->count++;
    if (p.x < s->left)
        s->left = p.x;
    if (p.x > s->right)
        s->right = p.x;
    if (p.y < s->top)
        s->top = p.y;
    if (p.y > s->bottom)
        s->bottom = p.y;
}

void draw_rect(struct draw *d, int x, int y, int width, int height, uint32_t ink)
{
    draw_begin(d, ink);
    draw_to(d, x, y);
    draw_to(d, x + width, y);
    draw_to(d, x + width, y + height);
    draw_to(d, x, y + height);
}

void draw_triangle(struct draw *d, struct point a, struct point b, struct point c, uint32_t ink)
{
    draw_begin(d, ink);
    draw_to(d, a.x, a.y);
    draw_to(d, b.x, b.y);
    draw_to(d, c.x, c.y);
}

static int root(int64_t v)
{
    int64_t r = 0;
    for (int64_t bit = INT64_C(1) << 20; bit; bit >>= 1)
        if ((r + bit) * (r + bit) <= v)
            r += bit;
    return (int)r;
}

void draw_line(struct draw *d, int x0, int y0, int x1, int y1, int width, uint32_t ink)
{
    int64_t dx = x1 - x0, dy = y1 - y0;
    int length = root(dx * dx + dy * dy);
    if (!length)
        return;
    /* Half the width to each side; twice that is kept whole, as lines are often one unit thin. */
    int ox = (int)(-dy * width / length), oy = (int)(dx * width / length);
    int ax = ox / 2, ay = oy / 2, bx = ox - ax, by = oy - ay;
    draw_begin(d, ink);
    draw_to(d, x0 + ax, y0 + ay);
    draw_to(d, x1 + ax, y1 + ay);
    draw_to(d, x1 - bx, y1 - by);
    draw_to(d, x0 - bx, y0 - by);
}

void draw_petal(struct draw *d, int x, int y, int rx, int ry, int degrees, uint32_t ink)
{
    int c = cosine(degrees), s = sine(degrees);
    draw_begin(d, ink);
    for (int a = 0; a<360; a += rx> 30 ? 18 : 30) {
        int px = rx * cosine(a), py = ry * sine(a);
        draw_to(d, x + (px / 10 * c - py / 10 * s) / 100000,
                y + (px / 10 * s + py / 10 * c) / 100000);
    }
}

void draw_blob(struct draw *d, int x, int y, int rx, int ry, int percent, uint32_t ink)
{
    int p1 = draw_pick(d, 0, 359), p2 = draw_pick(d, 0, 359), p3 = draw_pick(d, 0, 359);
    draw_begin(d, ink);
    for (int a = 0; a < 360; a += 8) {
        int wave = sine(2 * a + p1) * 5 + sine(3 * a + p2) * 4 + sine(7 * a + p3) * 2;
        int r = 1000 + wave * percent / 1000;
        draw_to(d, x + rx * r / 1000 * cosine(a) / 1000, y + ry * r / 1000 * sine(a) / 1000);
    }
}

/* Heights by halving: each new point lies between its neighbours, moved by less each time. */
static void heights_make(struct draw *d, int rise, bool rough, int *h, int steps)
{
    h[0] = draw_pick(d, -rise, rise);
    h[steps] = draw_pick(d, -rise, rise);
    for (int step = steps; step > 1; step /= 2) {
        for (int i = step / 2; i < steps; i += step)
            h[i] = (h[i - step / 2] + h[i + step / 2]) / 2 + draw_pick(d, -rise, rise);
        rise = rough ? rise * 11 / 20 : rise / 3;
    }
}

void draw_ridge(struct draw *d, int y, int rise, bool rough, uint32_t ink)
{
    enum { STEPS = 64 };
    int h[STEPS + 1] = {0};
    heights_make(d, rise, rough, h, STEPS);
    draw_begin(d, ink);
    draw_to(d, 0, d->height);
    for (int i = 0; i <= STEPS; i++)
        draw_to(d, i * DRAW_WIDTH / STEPS, y + h[i]);
    draw_to(d, DRAW_WIDTH, d->height);
}
