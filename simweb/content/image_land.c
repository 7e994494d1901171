/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes with a horizon. `h` is the canvas's height throughout: a part of it is h * n / 100. */
#include "content/image_scene.h"

static void sun_draw(struct draw *d, int x, int y, int r, uint32_t light)
{
    draw_circle(d, x, y, r * 3, colour_thin(light, 225));
    draw_circle(d, x, y, r * 2, colour_thin(light, 205));
    draw_circle(d, x, y, r * 14 / 10, colour_thin(light, 175));
    draw_circle(d, x, y, r, light);
}

/* Two wings, seen from afar. */
static void gull_draw(struct draw *d, int x, int y, int span, uint32_t ink)
{
    draw_begin(d, ink);
    draw_to(d, x - span, y - span * 3 / 10);
    draw_to(d, x - span / 2, y - span / 2);
    draw_to(d, x, y);
    draw_to(d, x + span / 2, y - span / 2);
    draw_to(d, x + span, y - span * 3 / 10);
    draw_to(d, x + span / 2, y - span * 36 / 100);
    draw_to(d, x, y + span * 16 / 100);
    draw_to(d, x - span / 2, y - span * 36 / 100);
}

static void flock_draw(struct draw *d, uint32_t ink)
{
    int h = d->height;
    int x = draw_pick(d, 150, 800), y = draw_pick(d, h * 12 / 100, h * 30 / 100);
    for (int i = draw_pick(d, 2, 7); i > 0; i--)
        gull_draw(d, x + draw_pick(d, -140, 140), y + draw_pick(d, -60, 60), draw_pick(d, 12, 26),
                  ink);
}

static void cloud_draw(struct draw *d, int x, int y, int size, uint32_t ink)
{
    for (int i = 0; i < 5; i++) {
        int up = sine(20 + 35 * i) * size / 3500;
        int r = size * 22 / 100 + up / 2;
        draw_circle(d, x + (i - 2) * size * 26 / 100, y - up, r, ink);
    }
    draw_ellipse(d, x, y + size / 12, size * 66 / 100, size * 17 / 100, ink);
}

static void clouds_draw(struct draw *d, int count, uint32_t ink)
{
    for (int i = 0; i < count; i++)
        cloud_draw(d, draw_pick(d, 0, 1000), draw_pick(d, d->height / 12, d->height * 40 / 100),
                   draw_pick(d, 60, 150), ink);
}

/* Coast ---------------------------------------------------------------------------------------*/

static void boat_draw(struct draw *d, int x, int y, int size, const struct tones *m)
{
    uint32_t hull = colour_mix(m->near, 0x000000, 20);
    int s = size;
    draw_begin(d, hull);
    draw_to(d, x - s, y);
    draw_to(d, x + s * 11 / 10, y - s / 20);
    draw_to(d, x + s * 8 / 10, y + s * 28 / 100);
    draw_to(d, x - s * 7 / 10, y + s * 28 / 100);
    draw_rect(d, x - s / 30 - 1, y - s * 19 / 10, s / 15 + 2, s * 19 / 10, hull);
    draw_triangle(d, (struct point){(int16_t)(x + s / 8), (int16_t)(y - s * 18 / 10)},
                  (struct point){(int16_t)(x + s / 8), (int16_t)(y - s / 5)},
                  (struct point){(int16_t)(x + s), (int16_t)(y - s / 5)}, 0xfdfaf2);
    draw_triangle(d, (struct point){(int16_t)(x - s / 8), (int16_t)(y - s * 15 / 10)},
                  (struct point){(int16_t)(x - s / 8), (int16_t)(y - s / 5)},
                  (struct point){(int16_t)(x - s * 8 / 10), (int16_t)(y - s / 5)}, m->accent);
    draw_ellipse(d, x, y + s * 34 / 100, s, s / 12 + 1, colour_thin(hull, 170));
}

static void lighthouse_draw(struct draw *d, int x, int y, int size, const struct tones *m)
{
    int top = y - size * 3;
    draw_begin(d, colour_thin(m->light, 190)); /* the beam */
    draw_to(d, x, top + size / 4);
    draw_to(d, x < 500 ? 1000 : 0, top - size / 2);
    draw_to(d, x < 500 ? 1000 : 0, top + size * 3 / 2);
    for (int i = 0; i < 5; i++) { /* stripes, each narrower */
        int y0 = y - size * 26 * i / 50, y1 = y - size * 26 * (i + 1) / 50;
        int w0 = size * (40 - 3 * i) / 100, w1 = size * (37 - 3 * i) / 100;
        draw_begin(d, i % 2 ? 0xfbf7ee : m->accent);
        draw_to(d, x - w0, y0);
        draw_to(d, x + w0, y0);
        draw_to(d, x + w1, y1);
        draw_to(d, x - w1, y1);
    }
    draw_rect(d, x - size / 3, top + size * 34 / 100, size * 2 / 3, size / 14 + 1, m->near);
    draw_rect(d, x - size / 5, top + size / 12, size * 2 / 5, size * 26 / 100, m->light);
    draw_triangle(d, (struct point){(int16_t)(x - size / 3), (int16_t)(top + size / 12)},
                  (struct point){(int16_t)(x + size / 3), (int16_t)(top + size / 12)},
                  (struct point){(int16_t)x, (int16_t)(top - size / 4)}, m->near);
}

static void sea_draw(struct draw *d, int from, int sun_x, const struct tones *m)
{
    int h = d->height, rows = 9;
    uint32_t deep = colour_mix(m->near, m->sky_top, 45),
             pale = colour_mix(m->far, m->sky_bottom, 35);
    for (int i = 0; i < rows; i++)
        draw_rect(d, 0, from + (h - from) * i / rows, 1000, (h - from) / rows + 2,
                  colour_mix(pale, deep, i * 100 / rows));
    for (int i = 0; i < 22; i++) { /* light on the water */
        int y = from + 4 + (h - from) * i / 24, w = draw_pick(d, 8, 30 + i * 3);
        draw_ellipse(d, sun_x + draw_pick(d, -20 - i * 2, 20 + i * 2), y, w, 2 + i / 8,
                     colour_thin(m->light, 110));
    }
    for (int i = 0; i < 26; i++) {
        int y = draw_pick(d, from + 6, h);
        draw_ellipse(d, draw_pick(d, 0, 1000), y, draw_pick(d, 14, 60), 2,
                     colour_thin(0xffffff, 190));
    }
}

void scene_coast(struct draw *d, const struct tones *m)
{
    int h = d->height, horizon = h * draw_pick(d, 46, 58) / 100;
    int sun_x = draw_pick(d, 180, 820);
    draw_sky(d, m->sky_top, colour_mix(m->sky_bottom, m->light, 20));
    sun_draw(d, sun_x, horizon - draw_pick(d, 20, h / 4), draw_pick(d, 32, 60), m->light);
    clouds_draw(d, draw_pick(d, 1, 3), colour_mix(m->sky_bottom, 0xffffff, 55));
    sea_draw(d, horizon, sun_x, m);
    bool on_left = draw_pick(d, 0, 1) == 0;
    int foot = on_left ? draw_pick(d, 110, 200) : draw_pick(d, 800, 890);
    draw_blob(d, on_left ? 60 : 940, horizon + h / 12, 280, h / 9, 22,
              colour_mix(m->far, m->near, 60));
    draw_blob(d, on_left ? 30 : 970, horizon + h / 7, 260, h / 10, 22, m->near);
    lighthouse_draw(d, foot, horizon + h / 40, h / 11, m);
    for (int i = draw_pick(d, 1, 3); i > 0; i--) {
        int y = draw_pick(d, horizon + 20, h * 88 / 100);
        boat_draw(d, draw_pick(d, 260, 740), y, 14 + (y - horizon) / 5, m);
    }
    flock_draw(d, colour_mix(m->near, 0x000000, 10));
}

/* Mountains and forest ------------------------------------------------------------------------*/

void scene_mountains(struct draw *d, const struct tones *m)
{
    int h = d->height, layers = draw_pick(d, 5, 7);
    draw_sky(d, m->sky_top, m->sky_bottom);
    sun_draw(d, draw_pick(d, 150, 850), h * draw_pick(d, 16, 36) / 100, draw_pick(d, 30, 55),
             m->light);
    clouds_draw(d, draw_pick(d, 0, 2), colour_mix(m->sky_bottom, 0xffffff, 55));
    for (int i = 0; i < layers; i++) {
        int part = (i + 1) * 100 / layers, y = h * (38 + 52 * i / (layers - 1)) / 100;
        uint32_t ink = colour_mix(colour_mix(m->far, m->sky_bottom, 40), m->near, part);
        draw_ridge(d, y, h * (15 - 11 * i / layers) / 100, i + 2 < layers, ink);
        draw_rect(d, 0, y + h / 16, 1000, h / 3, colour_thin(m->sky_bottom, 236));
    }
    flock_draw(d, m->near);
}

/* Four tiers of branches: up the left side, over the tip, down the right. */
static void fir_draw(struct draw *d, int x, int y, int size, uint32_t ink)
{
    enum { TIERS = 4 };
    int foot = y - size / 12;
    draw_rect(d, x - size / 24, y - size / 10, size / 12 + 1, size / 8,
              colour_mix(ink, 0x000000, 30));
    draw_begin(d, ink);
    for (int i = 0; i < TIERS; i++) {
        int w = size * (32 - 7 * i) / 100, low = foot - size * i * 22 / 100;
        draw_to(d, x - w, low);
        if (i < TIERS - 1)
            draw_to(d, x - w * 45 / 100, low - size * 15 / 100);
    }
    draw_to(d, x, y - size);
    for (int i = TIERS - 1; i >= 0; i--) {
        int w = size * (32 - 7 * i) / 100, low = foot - size * i * 22 / 100;
        if (i < TIERS - 1)
            draw_to(d, x + w * 45 / 100, low - size * 15 / 100);
        draw_to(d, x + w, low);
    }
}

void scene_forest(struct draw *d, const struct tones *m)
{
    int h = d->height;
    draw_sky(d, colour_mix(m->sky_top, m->sky_bottom, 30), m->sky_bottom);
    sun_draw(d, draw_pick(d, 150, 850), h * draw_pick(d, 15, 30) / 100, draw_pick(d, 36, 60),
             m->light);
    for (int layer = 0; layer < 4; layer++) {
        int y = h * (52 + layer * 13) / 100, size = h * (16 + layer * 12) / 100;
        uint32_t ink = colour_mix(colour_mix(m->far, m->sky_bottom, 30), m->near, 10 + layer * 30);
        draw_ridge(d, y, h / 40, false, ink);
        for (int x = draw_pick(d, -40, 20); x < 1040; x += size * draw_pick(d, 26, 70) / 100)
            fir_draw(d, x, y + draw_pick(d, 0, h / 20), size * draw_pick(d, 75, 125) / 100, ink);
        draw_rect(d, 0, y - size / 6, 1000, h / 4, colour_thin(m->sky_bottom, 232));
    }
    flock_draw(d, m->near);
}

/* Night and city ------------------------------------------------------------------------------*/

static void stars_draw(struct draw *d, int count)
{
    int h = d->height;
    for (int i = 0; i < count; i++) {
        int x = draw_pick(d, 0, 1000), y = draw_pick(d, 0, h * 75 / 100);
        int r = draw_pick(d, 0, 9) == 0 ? 4 : draw_pick(d, 1, 2);
        draw_circle(d, x, y, r, colour_thin(0xffffff, (unsigned)draw_pick(d, 0, 130)));
    }
}

static void constellation_draw(struct draw *d, uint32_t ink)
{
    int x = draw_pick(d, 140, 600), y = draw_pick(d, d->height / 8, d->height / 3);
    for (int i = draw_pick(d, 4, 7); i > 0; i--) {
        int nx = x + draw_pick(d, 30, 90), ny = y + draw_pick(d, -60, 60);
        draw_line(d, x, y, nx, ny, 2, colour_thin(ink, 120));
        draw_circle(d, x, y, 5, ink);
        draw_circle(d, nx, ny, 5, ink);
        x = nx;
        y = ny;
    }
}

void scene_night(struct draw *d, const struct tones *m)
{
    int h = d->height;
    uint32_t top = colour_mix(m->near, 0x050a1c, 75);
    uint32_t low = colour_mix(colour_mix(m->sky_top, m->accent, 25), 0x0c1230, 45);
    draw_sky(d, top, low);
    int tilt = draw_pick(d, -30, 30);
    for (int i = 0; i < 3; i++) /* the milky way */
        draw_petal(d, 500, h * 35 / 100, 700, 90 - i * 26, tilt, colour_thin(0xcdd6ff, 238));
    stars_draw(d, 150);
    constellation_draw(d, m->light);
    int x = draw_pick(d, 120, 880), y = draw_pick(d, h / 6, h * 40 / 100), r = draw_pick(d, 36, 64);
    draw_circle(d, x, y, r * 2, colour_thin(m->light, 232));
    draw_circle(d, x, y, r, m->light);
    draw_circle(d, x - r / 3, y - r / 5, r / 5, colour_thin(m->far, 170));
    draw_circle(d, x + r / 4, y + r / 3, r / 7, colour_thin(m->far, 170));
    draw_circle(d, x + r / 5, y - r / 2, r / 9, colour_thin(m->far, 170));
    for (int i = 0; i < 3; i++)
        draw_ridge(d, h * (72 + i * 10) / 100, h / 16, i == 0,
                   colour_mix(low, 0x040714, 35 + i * 30));
    int house = draw_pick(d, 200, 800), roof = h * 92 / 100;
    draw_rect(d, house, roof, 60, 60, 0x03050d);
    draw_triangle(d, (struct point){(int16_t)(house - 10), (int16_t)roof},
                  (struct point){(int16_t)(house + 70), (int16_t)roof},
                  (struct point){(int16_t)(house + 30), (int16_t)(roof - 34)}, 0x03050d);
    draw_rect(d, house + 22, roof + 8, 16, 16, 0xffd27a);
}

static void house_draw(struct draw *d, int x, int width, int top, uint32_t wall, uint32_t lit)
{
    draw_rect(d, x, top, width, d->height - top, wall);
    int kind = draw_pick(d, 0, 4);
    if (kind == 0)
        draw_rect(d, x + width / 2 - 2, top - 50, 4, 50, wall);
    else if (kind == 1)
        draw_triangle(d, (struct point){(int16_t)x, (int16_t)top},
                      (struct point){(int16_t)(x + width), (int16_t)top},
                      (struct point){(int16_t)(x + width / 2), (int16_t)(top - width / 2)}, wall);
    if (!lit)
        return;
    for (int y = top + 16; y < d->height - 20; y += 30)
        for (int wx = x + 10; wx + 12 < x + width; wx += 22)
            if (draw_pick(d, 0, 9) < 4)
                draw_rect(d, wx, y, 10, 15, colour_thin(lit, (unsigned)draw_pick(d, 0, 120)));
}

void scene_city(struct draw *d, const struct tones *m)
{
    int h = d->height;
    draw_sky(d, m->sky_top, m->sky_bottom);
    sun_draw(d, draw_pick(d, 150, 850), h * draw_pick(d, 18, 45) / 100, draw_pick(d, 40, 80),
             m->light);
    clouds_draw(d, draw_pick(d, 0, 2), colour_mix(m->sky_bottom, 0xffffff, 55));
    for (int layer = 0; layer < 3; layer++) {
        uint32_t wall = colour_mix(colour_mix(m->far, m->sky_bottom, 35), m->near, layer * 50);
        for (int x = draw_pick(d, -60, 0); x < 1000;) {
            int width = draw_pick(d, 55, 125);
            int top = h * (draw_pick(d, 32, 60) + layer * 14) / 100;
            house_draw(d, x, width - draw_pick(d, 0, 8), top, wall, layer ? m->light : 0);
            x += width;
        }
    }
}

/* Balloons ------------------------------------------------------------------------------------*/

static void balloon_draw(struct draw *d, int x, int y, int r, uint32_t a, uint32_t b)
{
    int foot = y + r * 14 / 10;
    for (int i = 0; i < 4; i++) { /* stripes: ever narrower bodies over one another */
        int rx = r * (100 - 27 * i) / 100;
        draw_begin(d, i % 2 ? b : a);
        for (int angle = 150; angle <= 390; angle += 12)
            draw_to(d, x + rx * cosine(angle) / 1000, y + r * sine(angle) / 1000);
        draw_to(d, x + rx * 22 / 100, foot);
        draw_to(d, x - rx * 22 / 100, foot);
    }
    draw_line(d, x - r / 5, foot, x - r / 8, foot + r / 3, 2, 0x5b4636);
    draw_line(d, x + r / 5, foot, x + r / 8, foot + r / 3, 2, 0x5b4636);
    draw_rect(d, x - r / 7, foot + r / 3, r * 2 / 7, r / 5, 0x7a5638);
}

void scene_balloons(struct draw *d, const struct tones *m)
{
    int h = d->height;
    draw_sky(d, m->sky_top, m->sky_bottom);
    sun_draw(d, draw_pick(d, 100, 900), h * draw_pick(d, 12, 30) / 100, draw_pick(d, 30, 50),
             m->light);
    clouds_draw(d, 3, colour_mix(m->sky_bottom, 0xffffff, 55));
    for (int i = 0; i < 3; i++)
        draw_ridge(d, h * (74 + i * 9) / 100, h / 20, false,
                   colour_mix(m->far, m->near, 20 + i * 35));
    static const uint32_t stripes[] = {0xfdf6e3, 0xf4a261, 0x2a9d8f, 0xe9c46a, 0xe76f51, 0x457b9d};
    int count = draw_pick(d, 3, 6), from = draw_pick(d, 0, 5);
    for (int i = 0; i < count; i++) {
        int x = 1000 * (2 * i + 1) / (2 * count) + draw_pick(d, -40, 40);
        int r = draw_pick(d, 34, 62) * (i % 2 ? 2 : 1) * 9 / 10;
        balloon_draw(d, x, draw_pick(d, h * 20 / 100, h * 52 / 100), r,
                     i % 3 ? stripes[(from + i) % 6] : m->accent, stripes[(from + i + 2) % 6]);
    }
    flock_draw(d, m->near);
}
