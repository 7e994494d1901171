/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes on a table, on a shelf, and one behind a window: the train. */
#include "content/image_scene.h"

/* A striped wall and a table from `table` down. */
static void room_draw(struct draw *d, int table, const struct tones *m)
{
    draw_sky(d, colour_mix(m->sky_bottom, 0xffffff, 55), colour_mix(m->sky_bottom, m->far, 20));
    for (int i = 0; i < 12; i++)
        draw_rect(d, i * 90, 0, 42, table, colour_thin(colour_mix(m->far, 0xffffff, 40), 180));
    draw_rect(d, 0, table, 1000, d->height - table, colour_mix(m->accent, 0x6b4a35, 60));
    draw_rect(d, 0, table, 1000, 10, colour_mix(m->accent, 0xffffff, 25));
}

/* Fruit ---------------------------------------------------------------------------------------*/

static void fruit_draw(struct draw *d, int x, int y, int r, uint32_t ink)
{
    draw_circle(d, x, y, r, colour_mix(ink, 0x000000, 18));
    draw_circle(d, x - r / 14, y - r / 14, r * 92 / 100, ink);
    draw_circle(d, x - r / 4, y - r / 4, r * 55 / 100, colour_mix(ink, 0xffffff, 14));
    draw_petal(d, x - r * 40 / 100, y - r * 42 / 100, r / 6, r / 10, -40,
               colour_mix(ink, 0xffffff, 65));
    draw_line(d, x, y - r * 85 / 100, x + r / 10, y - r * 125 / 100, r / 12 + 2, 0x5d4030);
    if (draw_pick(d, 0, 1))
        draw_petal(d, x + r * 42 / 100, y - r * 118 / 100, r * 36 / 100, r * 15 / 100, -18,
                   0x5f8f4e);
}

void scene_fruit(struct draw *d, const struct tones *m)
{
    static const uint32_t skins[] = {0xd64933, 0xe8a33d, 0x8fae3c, 0x7b3f61, 0xe86a5c, 0xf0c64a};
    int h = d->height, table = h * 68 / 100, from = draw_pick(d, 0, 5);
    int x = draw_pick(d, 430, 570), rim = h * 58 / 100, r = h * 15 / 100;
    room_draw(d, table, m);
    for (int i = 0; i < 7; i++) {
        int row = i < 4 ? 0 : 1, at = row ? i - 4 : i, wide = row ? 3 : 4;
        fruit_draw(d, x + (2 * at - wide + 1) * r * 72 / 100, rim - row * r - r / 5,
                   r * draw_pick(d, 70, 92) / 100, skins[(from + i * 5) % 6]);
    }
    uint32_t bowl = colour_mix(m->near, 0xffffff, 20);
    draw_ellipse(d, x, h * 91 / 100, 260, 16, colour_thin(0x000000, 190));
    draw_begin(d, bowl);
    for (int a = 0; a <= 180; a += 10)
        draw_to(d, x + 330 * cosine(a) / 1000, rim + h * 33 * sine(a) / 100000);
    draw_rect(d, x - 345, rim - 8, 690, 22, colour_mix(bowl, 0xffffff, 25));
    for (int i = -3; i <= 3; i++)
        draw_petal(d, x + i * 76, rim + h * (14 - (i < 0 ? -i : i) * 2) / 100, 22, 10, 45,
                   colour_mix(bowl, m->light, 70));
    fruit_draw(d, x + (draw_pick(d, 0, 1) ? 400 : -400), h * 80 / 100, r * 75 / 100,
               skins[(from + 3) % 6]);
}

/* Bakery --------------------------------------------------------------------------------------*/

static void loaf_draw(struct draw *d, int x, int foot, int size, uint32_t crust)
{
    int y = foot - size / 3;
    draw_ellipse(d, x, foot, size, size / 14 + 2, colour_thin(0x000000, 195));
    draw_petal(d, x, y, size, size * 36 / 100, 0, colour_mix(crust, 0x3a1e0c, 25));
    draw_petal(d, x, y - size / 24, size * 96 / 100, size * 32 / 100, 0, crust);
    for (int i = -2; i <= 2; i++)
        draw_petal(d, x + i * size * 30 / 100, y - size * (i % 2 ? 9 : 11) / 100, size * 16 / 100,
                   size / 22 + 1, -58, colour_mix(crust, 0xfff3d6, 62));
}

static void bun_draw(struct draw *d, int x, int foot, int r, uint32_t crust)
{
    draw_ellipse(d, x, foot, r, r / 8 + 2, colour_thin(0x000000, 195));
    draw_ellipse(d, x, foot - r * 6 / 10, r, r * 62 / 100, colour_mix(crust, 0x3a1e0c, 20));
    draw_ellipse(d, x, foot - r * 66 / 100, r * 93 / 100, r * 54 / 100, crust);
    draw_line(d, x - r / 2, foot - r, x + r / 2, foot - r * 95 / 100, r / 10 + 2,
              colour_mix(crust, 0xfff3d6, 60));
}

static void cake_draw(struct draw *d, int x, int foot, int r, uint32_t icing)
{
    int top = foot - r * 8 / 10;
    draw_rect(d, x - r / 12, foot - r / 8, r / 6, r / 8, 0xd9d4c8);
    draw_ellipse(d, x, foot - r / 8, r * 115 / 100, r / 9 + 2, 0xf2eee4);
    draw_rect(d, x - r, top, r * 2, foot - r / 6 - top, 0xc98d4f);
    draw_rect(d, x - r, top + r * 28 / 100, r * 2, r / 9, 0xfbf0d9);
    draw_ellipse(d, x, top, r, r / 5, icing);
    for (int i = -3; i <= 3; i++)
        draw_ellipse(d, x + i * r * 29 / 100, top + r / 6, r * 15 / 100,
                     r * (18 + (i * i) % 3 * 7) / 100, icing);
    for (int i = -1; i <= 1; i++)
        draw_circle(d, x + i * r / 2, top - r / 7, r / 8 + 1, 0xb3243b);
}

void scene_bakery(struct draw *d, const struct tones *m)
{
    static const uint32_t crusts[] = {0xc98444, 0xb56d2f, 0xdba15c, 0xa35f2b};
    int h = d->height, shelves = 3;
    room_draw(d, h, m);
    for (int s = 1; s <= shelves; s++) {
        int foot = h * (s * 31 + 2) / 100, unit = h * 10 / 100;
        draw_rect(d, 0, foot, 1000, h * 3 / 100, colour_mix(m->near, 0x9b6a43, 65));
        draw_rect(d, 0, foot + h * 3 / 100, 1000, h / 60, colour_thin(0x000000, 200));
        for (int x = draw_pick(d, 60, 130); x < 960;) {
            uint32_t crust = crusts[draw_pick(d, 0, 3)];
            int kind = draw_pick(d, 0, 2);
            if (kind == 0)
                loaf_draw(d, x + unit / 2, foot, unit * 16 / 10, crust);
            else if (kind == 1)
                bun_draw(d, x, foot, unit, crust);
            else
                cake_draw(d, x, foot, unit, x % 2 ? m->accent : 0xf7d9df);
            x += unit * (kind == 0 ? 37 : 26) / 10;
        }
    }
}

/* Library -------------------------------------------------------------------------------------*/

static int book_draw(struct draw *d, int x, int foot, int room, uint32_t cover)
{
    int width = draw_pick(d, 22, 50), height = room * draw_pick(d, 62, 92) / 100;
    draw_rect(d, x, foot - height, width, height, cover);
    draw_rect(d, x, foot - height, 4, height, colour_mix(cover, 0xffffff, 25));
    draw_rect(d, x + 5, foot - height * 85 / 100, width - 10, 6, colour_mix(cover, 0xffe9b0, 70));
    if (width > 32)
        draw_rect(d, x + 8, foot - height * 60 / 100, width - 16, height / 4,
                  colour_mix(cover, 0xffe9b0, 35));
    return x + width + 1;
}

static void lean_draw(struct draw *d, int x, int foot, int room, uint32_t cover)
{
    int height = room * 78 / 100;
    draw_begin(d, cover);
    draw_to(d, x + 30, foot);
    draw_to(d, x + 62, foot - 12);
    draw_to(d, x + 32, foot - height - 8);
    draw_to(d, x, foot - height + 4);
}

void scene_library(struct draw *d, const struct tones *m)
{
    const uint32_t covers[] = {m->accent, m->near,  m->far,  m->sky_top,
                               0x8c3b3b,  0x2f5d62, 0xc9a24b};
    int h = d->height, shelves = h > 800 ? 4 : 3, room = h / shelves;
    uint32_t wood = colour_mix(0x7a5234, m->near, 25);
    draw_sky(d, colour_mix(wood, 0x000000, 45), colour_mix(wood, 0x000000, 30));
    for (int s = 0; s < shelves; s++) {
        int foot = room * (s + 1) - h / 36;
        for (int x = 8; x < 960;) {
            uint32_t cover = colour_mix(covers[draw_pick(d, 0, 6)], 0x000000, draw_pick(d, 0, 25));
            int kind = draw_pick(d, 0, 13);
            if (kind == 0) {
                lean_draw(d, x, foot, room, cover);
                x += 70;
            } else if (kind == 1) {
                draw_circle(d, x + 50, foot - 46, 40, colour_mix(m->light, m->far, 30));
                draw_rect(d, x + 28, foot - 10, 44, 10, colour_mix(wood, 0xffffff, 20));
                x += 104;
            } else {
                x = book_draw(d, x, foot, room, cover);
            }
        }
        draw_rect(d, 0, foot, 1000, h / 36 + 2, wood);
        draw_rect(d, 0, foot, 1000, 5, colour_mix(wood, 0xffffff, 25));
    }
}

/* Tea -----------------------------------------------------------------------------------------*/

static void steam_draw(struct draw *d, int x, int y, int size)
{
    for (int i = 0; i < 9; i++)
        draw_circle(d, x + sine(i * 50) * size / 5000, y - i * size / 7, size / 9 + i,
                    colour_thin(0xffffff, (unsigned)(150 + i * 11)));
}

/* The lower half of a round body, with a rim. */
static void cup_draw(struct draw *d, int x, int foot, int r, uint32_t china, uint32_t band)
{
    int rim = foot - r * 12 / 10;
    draw_ellipse(d, x, foot + r / 14, r * 15 / 10, r / 7, colour_mix(china, 0x000000, 12));
    draw_ellipse(d, x, foot, r * 15 / 10, r / 7, china);
    draw_circle(d, x + r, rim + r * 45 / 100, r * 42 / 100, china);
    draw_circle(d, x + r, rim + r * 45 / 100, r * 26 / 100, colour_mix(china, 0x000000, 30));
    draw_begin(d, china);
    for (int a = 0; a <= 180; a += 10)
        draw_to(d, x + r * cosine(a) / 1000, rim + r * 12 * sine(a) / 10000);
    draw_rect(d, x - r * 96 / 100, rim + r * 22 / 100, r * 192 / 100, r / 8, band);
    draw_ellipse(d, x, rim, r, r / 6, colour_mix(china, 0x000000, 8));
    draw_ellipse(d, x, rim + r / 40, r * 90 / 100, r / 8, 0x9c5a28);
    steam_draw(d, x, rim - r / 4, r);
}

static void pot_draw(struct draw *d, int x, int foot, int r, uint32_t china, uint32_t band)
{
    int mid = foot - r * 85 / 100;
    draw_line(d, x + r * 7 / 10, mid + r / 5, x + r * 15 / 10, mid - r * 6 / 10, r / 4, china);
    draw_circle(d, x - r, mid, r * 55 / 100, china);
    draw_circle(d, x - r, mid, r * 36 / 100, colour_mix(china, 0x000000, 30));
    draw_ellipse(d, x, mid, r, r * 86 / 100, china);
    draw_ellipse(d, x - r / 4, mid - r / 5, r * 55 / 100, r * 45 / 100,
                 colour_mix(china, 0xffffff, 18));
    draw_rect(d, x - r * 97 / 100, mid + r / 12, r * 194 / 100, r / 8, band);
    draw_ellipse(d, x, mid - r * 76 / 100, r * 48 / 100, r / 8, colour_mix(china, 0x000000, 18));
    draw_ellipse(d, x, mid - r * 82 / 100, r * 42 / 100, r / 7, china);
    draw_circle(d, x, mid - r, r / 9 + 2, band);
}

void scene_tea(struct draw *d, const struct tones *m)
{
    static const uint32_t chinas[] = {0xf6f1e6, 0x7fb3ae, 0x2f5d73, 0xd98b73, 0x8aa06a};
    int h = d->height, table = h * 66 / 100, from = draw_pick(d, 0, 4);
    room_draw(d, table, m);
    draw_circle(d, draw_pick(d, 200, 800), h * 30 / 100, h / 5, colour_thin(m->light, 120));
    uint32_t china = chinas[from], other = chinas[(from + draw_pick(d, 1, 4)) % 5];
    bool left = draw_pick(d, 0, 1) == 0;
    pot_draw(d, left ? 330 : 640, h * 82 / 100, h * draw_pick(d, 22, 27) / 100, china, m->accent);
    cup_draw(d, left ? 720 : 250, h * 84 / 100, h * draw_pick(d, 13, 16) / 100, other, m->near);
    if (draw_pick(d, 0, 1))
        cup_draw(d, left ? 500 : 470, h * 94 / 100, h * 11 / 100, china, m->accent);
    for (int i = 0; i < 5; i++) /* tea leaves */
        draw_petal(d, draw_pick(d, 60, 940), draw_pick(d, h * 88 / 100, h - 10), 26, 9,
                   draw_pick(d, 0, 359), 0x4f7a4a);
}

/* Trains --------------------------------------------------------------------------------------*/

static void viaduct_draw(struct draw *d, int rail, uint32_t stone, uint32_t behind)
{
    draw_rect(d, 0, rail, 1000, d->height - rail, stone);
    draw_rect(d, 0, rail, 1000, 8, colour_mix(stone, 0xffffff, 25));
    for (int x = -20; x < 1000; x += 150) {
        draw_rect(d, x + 25, rail + 90, 100, d->height, behind);
        draw_circle(d, x + 75, rail + 90, 50, behind);
    }
}

static void carriage_draw(struct draw *d, int x, int rail, uint32_t ink, uint32_t lit)
{
    draw_rect(d, x, rail - 78, 170, 62, ink);
    draw_rect(d, x - 4, rail - 86, 178, 12, colour_mix(ink, 0x000000, 40));
    draw_rect(d, x, rail - 34, 170, 6, colour_mix(ink, 0xffffff, 60));
    for (int i = 0; i < 5; i++)
        draw_rect(d, x + 12 + i * 31, rail - 66, 22, 24, lit);
    for (int i = 0; i < 4; i++)
        draw_circle(d, x + 24 + (i % 2) * 30 + (i / 2) * 92, rail - 12, 12, 0x2b2b2b);
    draw_rect(d, x + 170, rail - 26, 20, 6, 0x2b2b2b);
}

static void engine_draw(struct draw *d, int x, int rail, uint32_t ink, uint32_t accent)
{
    draw_rect(d, x, rail - 96, 66, 82, ink);
    draw_rect(d, x - 6, rail - 104, 78, 12, accent);
    draw_rect(d, x + 14, rail - 84, 36, 28, 0xfdf3d0);
    draw_rect(d, x + 60, rail - 70, 120, 50, ink);
    draw_circle(d, x + 180, rail - 45, 25, ink);
    draw_rect(d, x + 150, rail - 106, 22, 40, ink);
    draw_rect(d, x + 144, rail - 112, 34, 10, accent);
    draw_circle(d, x + 104, rail - 70, 14, accent);
    draw_rect(d, x, rail - 22, 200, 8, accent);
    for (int i = 0; i < 4; i++)
        draw_circle(d, x + 26 + i * 48, rail - 14, i < 2 ? 20 : 15, 0x222222);
    for (int i = 0; i < 9; i++)
        draw_circle(d, x + 160 - i * 46, rail - 130 - i * 9 + (i % 3) * 6, 18 + i * 4,
                    colour_thin(0xffffff, (unsigned)(90 + i * 14)));
}

void scene_trains(struct draw *d, const struct tones *m)
{
    int h = d->height, rail = h * draw_pick(d, 62, 70) / 100, engine = draw_pick(d, 520, 760);
    uint32_t behind = colour_mix(m->far, m->near, 45);
    draw_sky(d, m->sky_top, m->sky_bottom);
    int sun_x = draw_pick(d, 120, 880);
    draw_circle(d, sun_x, h / 4, 70, colour_thin(m->light, 170));
    draw_circle(d, sun_x, h / 4, 44, m->light);
    draw_ridge(d, h * 44 / 100, h / 9, true, colour_mix(m->far, m->sky_bottom, 45));
    draw_ridge(d, h * 56 / 100, h / 14, false, colour_mix(m->far, m->near, 20));
    draw_ridge(d, h * 70 / 100, h / 20, false, behind);
    viaduct_draw(d, rail, colour_mix(0xb29a84, m->near, 20), behind);
    draw_ridge(d, h * 95 / 100, h / 40, false, colour_mix(m->near, 0x2e4a33, 50));
    for (int x = engine - 190; x > -200; x -= 190)
        carriage_draw(d, x, rail, m->accent, 0xfdf3d0);
    engine_draw(d, engine, rail, colour_mix(m->near, 0x1d2b33, 40), m->accent);
}
