/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of things near by: flowers, birds, maps, shapes and webs. */
#include "content/image_scene.h"

static void paper(struct draw *d, const struct tones *m)
{
    draw_sky(d, colour_mix(m->sky_bottom, 0xffffff, 55), colour_mix(m->sky_bottom, m->far, 20));
}

/* Garden --------------------------------------------------------------------------------------*/

static void flower_draw(struct draw *d, int x, int y, int r, uint32_t ink, uint32_t heart)
{
    int petals = draw_pick(d, 5, 12), turn = draw_pick(d, 0, 90), thick = 130 / petals;
    for (int ring = 0; ring < 2; ring++) {
        int reach = ring ? r * 55 / 100 : r;
        uint32_t now = ring ? colour_mix(ink, 0xffffff, 28) : ink;
        for (int i = 0; i < petals; i++) {
            int a = turn + ring * 180 / petals + i * 360 / petals;
            draw_petal(d, x + reach * cosine(a) / 1800, y + reach * sine(a) / 1800,
                       reach * 55 / 100, reach * thick / 70 + 2, a, now);
        }
    }
    draw_circle(d, x, y, r * 24 / 100, heart);
    draw_circle(d, x, y, r * 13 / 100, colour_mix(heart, 0x000000, 25));
}

static void stem_draw(struct draw *d, int x, int y, int lean, uint32_t ink)
{
    int foot = d->height, last_x = x, last_y = y;
    for (int i = 1; i <= 6; i++) {
        int nx = x + lean * sine(i * 15) / 1000, ny = y + (foot - y) * i / 6;
        draw_line(d, last_x, last_y, nx, ny + 2, 8, ink);
        if (i == 3 || i == 4)
            draw_petal(d, nx + (i == 3 ? 34 : -34), ny - 14, 40, 12, i == 3 ? -32 : 212, ink);
        last_x = nx;
        last_y = ny;
    }
}

void scene_garden(struct draw *d, const struct tones *m)
{
    static const uint32_t blooms[] = {0xe76f51, 0xe9c46a, 0xd45d8c, 0x8e6fc1, 0xf4f0e6, 0xe63946};
    int h = d->height, from = draw_pick(d, 0, 5), count = draw_pick(d, 5, 8);
    paper(d, m);
    draw_circle(d, draw_pick(d, 150, 850), h / 3, h / 4, colour_thin(m->light, 120));
    for (int i = 0; i < 3; i++)
        draw_ridge(d, h * (70 + i * 10) / 100, h / 24, false,
                   colour_mix(colour_mix(0x9cc5a1, m->sky_bottom, 30), 0x49755a, i * 40));
    for (int i = 0; i < count; i++) {
        int x = 1000 * (2 * i + 1) / (2 * count) + draw_pick(d, -30, 30);
        int y = h * draw_pick(d, 22, 62) / 100;
        stem_draw(d, x, y, draw_pick(d, -60, 60),
                  colour_mix(0x3f7d4e, 0x1f4a34, draw_pick(d, 0, 100)));
        flower_draw(d, x, y, draw_pick(d, 55, 100), blooms[(from + i * 5) % 6],
                    i % 2 ? 0xf2cc5d : 0x6b4226);
    }
    for (int i = 0; i < 24; i++) { /* grass */
        int x = draw_pick(d, 0, 1000);
        draw_triangle(d, (struct point){(int16_t)(x - 6), (int16_t)h},
                      (struct point){(int16_t)(x + 6), (int16_t)h},
                      (struct point){(int16_t)(x + draw_pick(d, -20, 20)),
                                     (int16_t)(h - draw_pick(d, 40, 100))},
                      0x2f5d43);
    }
}

/* Birds ---------------------------------------------------------------------------------------*/

/* Looks to the right, or with side -1 to the left; `y` is where it sits. */
static void bird_draw(struct draw *d, int x, int y, int r, int side, uint32_t ink, uint32_t breast)
{
    uint32_t dark = colour_mix(ink, 0x000000, 35);
    int mid = y - r * 9 / 10, head_x = x + side * r * 62 / 100, head_y = mid - r * 72 / 100;
    for (int i = -1; i <= 1; i += 2) /* legs */
        draw_line(d, x + i * r / 6, mid + r / 2, x + i * r / 6, y + 4, r / 14 + 2, 0x6b4a2e);
    draw_petal(d, x - side * r * 105 / 100, mid + r * 28 / 100, r * 70 / 100, r * 16 / 100,
               side > 0 ? 155 : 25, dark); /* tail */
    draw_petal(d, x, mid, r, r * 68 / 100, side * -22, ink);
    draw_petal(d, x + side * r * 30 / 100, mid + r * 16 / 100, r * 62 / 100, r * 46 / 100,
               side * -28, breast);
    draw_circle(d, head_x, head_y, r * 46 / 100, ink);
    draw_petal(d, x - side * r * 28 / 100, mid + r * 2 / 100, r * 70 / 100, r * 34 / 100,
               side * -32, dark); /* wing */
    draw_petal(d, x - side * r * 30 / 100, mid + r * 10 / 100, r * 48 / 100, r * 18 / 100,
               side * -32, colour_mix(dark, ink, 45));
    int beak = head_x + side * r * 42 / 100;
    draw_triangle(d, (struct point){(int16_t)beak, (int16_t)(head_y - r * 14 / 100)},
                  (struct point){(int16_t)beak, (int16_t)(head_y + r * 14 / 100)},
                  (struct point){(int16_t)(beak + side * r * 38 / 100), (int16_t)(head_y + r / 20)},
                  0xe8a33d);
    draw_circle(d, head_x + side * r * 16 / 100, head_y - r * 8 / 100, r * 10 / 100, 0xffffff);
    draw_circle(d, head_x + side * r * 18 / 100, head_y - r * 8 / 100, r * 6 / 100, 0x1b1b1b);
}

static void branch_draw(struct draw *d, int y, uint32_t wood, uint32_t leaf)
{
    int last_x = -20, last_y = y;
    for (int i = 1; i <= 10; i++) {
        int x = i * 104, ny = y + draw_pick(d, -10, 10);
        draw_line(d, last_x, last_y, x, ny, 26 - i, wood);
        for (int k = draw_pick(d, 0, 2); k > 0; k--) {
            int a = draw_pick(d, 0, 1) ? draw_pick(d, 20, 70) : -draw_pick(d, 20, 70);
            int at = draw_pick(d, last_x, x), reach = draw_pick(d, 30, 46);
            draw_petal(d, at + reach * cosine(a) / 1000, last_y + reach * sine(a) / 1000, reach,
                       reach * 38 / 100, a, colour_mix(leaf, 0xffffff, draw_pick(d, 0, 25)));
        }
        last_x = x;
        last_y = ny;
    }
}

void scene_birds(struct draw *d, const struct tones *m)
{
    static const uint32_t coats[] = {0x4a7fb0, 0x8d6e63, 0xd1495b, 0x5c8d6d, 0xe0a030, 0x5f6caf};
    int h = d->height, y = h * draw_pick(d, 62, 78) / 100, coat = draw_pick(d, 0, 5);
    paper(d, m);
    draw_circle(d, draw_pick(d, 250, 750), h * 42 / 100, h * 36 / 100, colour_thin(m->light, 90));
    draw_ridge(d, h * 84 / 100, h / 20, false, colour_mix(m->far, m->sky_bottom, 45));
    branch_draw(d, y, 0x6d4c3b, colour_mix(0x5b8c5a, m->far, 25));
    int count = draw_pick(d, 1, 3);
    for (int i = 0; i < count; i++) {
        int x = 1000 * (2 * i + 1) / (2 * count) + draw_pick(d, -50, 50);
        uint32_t ink = coats[(coat + i) % 6];
        bird_draw(d, x, y - 6, draw_pick(d, 80, 110) * h / 625, draw_pick(d, 0, 1) ? 1 : -1, ink,
                  colour_mix(m->accent, 0xfff3dc, 55));
    }
}

/* Maps ----------------------------------------------------------------------------------------*/

static void island_draw(struct draw *d, int x, int y, int rx, int ry)
{
    static const uint32_t heights[] = {0xf3e9c6, 0xc9dba7, 0xaecb8d, 0x9dba7a, 0xc8b27d, 0xb08f62};
    struct rng shape = d->rng;
    for (int i = 0; i < 6; i++) {
        d->rng = shape; /* the same outline each time, smaller */
        draw_blob(d, x, y, rx * (100 - 16 * i) / 100, ry * (100 - 16 * i) / 100, 26, heights[i]);
    }
}

static void road_draw(struct draw *d, int x, int y, int width, uint32_t ink)
{
    int dx = draw_pick(d, -60, 60), dy = draw_pick(d, -40, 40);
    for (int i = 0; i < 12; i++) {
        dx += draw_pick(d, -30, 30);
        dy += draw_pick(d, -24, 24);
        draw_line(d, x, y, x + dx, y + dy, width, ink);
        draw_circle(d, x + dx, y + dy, width / 2, ink);
        x += dx;
        y += dy;
    }
}

static void compass_draw(struct draw *d, int x, int y, int r, uint32_t ink)
{
    draw_circle(d, x, y, r * 115 / 100, colour_thin(0xffffff, 110));
    for (int i = 0; i < 8; i++) {
        int a = i * 45, reach = i % 2 ? r * 55 / 100 : r;
        draw_begin(d, i % 2 ? colour_mix(ink, 0xffffff, 45) : ink);
        draw_to(d, x + reach * cosine(a) / 1000, y + reach * sine(a) / 1000);
        draw_to(d, x + r * cosine(a + 90) / 6000, y + r * sine(a + 90) / 6000);
        draw_to(d, x + r * cosine(a - 90) / 6000, y + r * sine(a - 90) / 6000);
    }
}

void scene_maps(struct draw *d, const struct tones *m)
{
    int h = d->height;
    uint32_t sea = colour_mix(0xa9d3de, m->sky_top, 25);
    draw_sky(d, sea, colour_mix(sea, 0xffffff, 15));
    for (int x = 100; x < 1000; x += 100)
        draw_rect(d, x, 0, 2, h, colour_thin(0xffffff, 150));
    for (int y = 100; y < h; y += 100)
        draw_rect(d, 0, y, 1000, 2, colour_thin(0xffffff, 150));
    int x = draw_pick(d, 380, 560), y = h * draw_pick(d, 42, 58) / 100;
    island_draw(d, x, y, draw_pick(d, 260, 340), h * draw_pick(d, 30, 38) / 100);
    island_draw(d, draw_pick(d, 820, 920), h * draw_pick(d, 20, 80) / 100, draw_pick(d, 60, 110),
                draw_pick(d, 50, 90));
    island_draw(d, draw_pick(d, 60, 140), h * draw_pick(d, 15, 85) / 100, draw_pick(d, 40, 70),
                draw_pick(d, 40, 70));
    road_draw(d, x, y, 7, 0x6fa8c7);
    road_draw(d, x - 60, y - 20, 6, colour_mix(m->accent, 0xffffff, 20));
    road_draw(d, x + 40, y + 20, 5, 0x8a6d4b);
    for (int i = 0; i < 7; i++) {
        int tx = x + draw_pick(d, -200, 200), ty = y + draw_pick(d, -h / 5, h / 5);
        draw_circle(d, tx, ty, 11, 0xffffff);
        draw_circle(d, tx, ty, 7, i ? colour_mix(m->near, 0x000000, 20) : m->accent);
        draw_rect(d, tx + 16, ty - 4, draw_pick(d, 34, 80), 8, colour_thin(0x3b3a36, 90));
    }
    compass_draw(d, draw_pick(d, 0, 1) ? 900 : 100, h - 90, 58, colour_mix(m->near, 0x000000, 10));
}

/* Shapes --------------------------------------------------------------------------------------*/

static void quarter_draw(struct draw *d, int x, int y, int size, int corner, uint32_t ink)
{
    int cx = x + (corner & 1 ? size : 0), cy = y + (corner & 2 ? size : 0);
    static const int begin[] = {0, 90, 270, 180};
    draw_begin(d, ink);
    draw_to(d, cx, cy);
    for (int a = 0; a <= 90; a += 6)
        draw_to(d, cx + size * cosine(begin[corner] + a) / 1000,
                cy + size * sine(begin[corner] + a) / 1000);
}

static void cell_draw(struct draw *d, int x, int y, int size, uint32_t back, uint32_t front)
{
    int half = size / 2;
    draw_rect(d, x, y, size + 1, size + 1, back);
    switch (draw_pick(d, 0, 6)) {
    case 0:
    case 1:
        quarter_draw(d, x, y, size, draw_pick(d, 0, 3), front);
        break;
    case 2:
        draw_circle(d, x + half, y + half, half * 80 / 100, front);
        draw_circle(d, x + half, y + half, half * 35 / 100, back);
        break;
    case 3:
        draw_triangle(d, (struct point){(int16_t)x, (int16_t)(y + size)},
                      (struct point){(int16_t)(x + size), (int16_t)(y + size)},
                      (struct point){(int16_t)(x + (draw_pick(d, 0, 1) ? size : 0)), (int16_t)y},
                      front);
        break;
    case 4:
        for (int i = 0; i < 4; i++)
            draw_rect(d, x, y + size * i / 4, size, size / 8, front);
        break;
    case 5:
        quarter_draw(d, x, y, half, 3, front);
        quarter_draw(d, x + half, y + half, half, 0, front);
        break;
    default:
        for (int i = 0; i < 9; i++)
            draw_circle(d, x + size * (1 + 2 * (i % 3)) / 6, y + size * (1 + 2 * (i / 3)) / 6,
                        size / 12, front);
    }
}

void scene_shapes(struct draw *d, const struct tones *m)
{
    const uint32_t inks[] = {m->accent, m->near, m->far, m->light, m->sky_top, m->sky_bottom};
    int columns = draw_pick(d, 5, 8), size = 1000 / columns;
    draw_sky(d, m->sky_bottom, m->sky_bottom);
    for (int y = 0; y < d->height; y += size)
        for (int i = 0; i < columns; i++) {
            int a = draw_pick(d, 0, 5), b = (a + draw_pick(d, 1, 5)) % 6;
            cell_draw(d, i * 1000 / columns, y, size, inks[a], inks[b]);
        }
}

/* Webs ----------------------------------------------------------------------------------------*/

enum { SPOKES = 14 };

static void spiral_draw(struct draw *d, int x, int y, const int *angle, int rings, int step,
                        uint32_t ink)
{
    int last_x = 0, last_y = 0;
    for (int i = 0; i <= rings * SPOKES; i++) {
        int a = angle[i % SPOKES] + (i / SPOKES) * 360, r = 30 + step * i / SPOKES;
        int nx = x + r * cosine(a) / 1000, ny = y + r * sine(a) / 1000 + r / 18;
        if (i)
            draw_line(d, last_x, last_y, nx, ny, 3, ink);
        if (i % 11 == 7)
            draw_circle(d, nx, ny, 5, 0xffffff);
        last_x = nx;
        last_y = ny;
    }
}

void scene_webs(struct draw *d, const struct tones *m)
{
    int h = d->height, x = draw_pick(d, 380, 620), y = h * draw_pick(d, 42, 56) / 100;
    int angle[SPOKES], rings = 10;
    uint32_t thread = colour_thin(0xffffff, 45);
    draw_sky(d, colour_mix(m->near, m->sky_top, 30), colour_mix(m->near, m->far, 70));
    for (int i = 0; i < 14; i++)
        draw_circle(d, draw_pick(d, 0, 1000), draw_pick(d, 0, h), draw_pick(d, 30, 120),
                    colour_thin(m->light, (unsigned)draw_pick(d, 225, 245)));
    for (int i = 0; i < 9; i++) { /* leaves around */
        int a = draw_pick(d, 0, 359);
        draw_petal(d, i % 2 ? draw_pick(d, -20, 120) : draw_pick(d, 880, 1020), draw_pick(d, 0, h),
                   draw_pick(d, 80, 150), draw_pick(d, 24, 44), a,
                   colour_mix(m->near, 0x3f6b45, draw_pick(d, 30, 80)));
    }
    for (int i = 0; i < SPOKES; i++) {
        angle[i] = i * 360 / SPOKES + draw_pick(d, -7, 7);
        draw_line(d, x, y, x + 800 * cosine(angle[i]) / 1000, y + 800 * sine(angle[i]) / 1000, 3,
                  thread);
    }
    spiral_draw(d, x, y, angle, rings, h * 42 / 1000, thread);
    draw_ellipse(d, x, y + 16, 20, 26, m->accent);
    draw_circle(d, x, y - 14, 13, colour_mix(m->accent, 0x000000, 35));
    for (int i = 0; i < 8; i++) {
        int side = i % 2 ? 1 : -1, lift = (i / 2) * 20 - 30;
        draw_line(d, x, y, x + side * 34, y + lift - 14, 5, colour_mix(m->accent, 0x000000, 45));
        draw_line(d, x + side * 34, y + lift - 14, x + side * 56, y + lift + 12, 4,
                  colour_mix(m->accent, 0x000000, 45));
    }
}
