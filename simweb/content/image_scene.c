/* SPDX-License-Identifier: Apache-2.0 */
#include "content/image_scene.h"

enum { CHANCE_THEME = 0x4c00 };

enum theme theme_of(const struct world *w, uint32_t host)
{
    if (world_settings(w)->demo)
        return (enum theme)(host % THEME_COUNT_);
    return (enum theme)(world_chance(w, CHANCE_THEME, host, 0) % THEME_COUNT_);
}

static const struct tones all_tones[TONES_COUNT] = {
    {0x5b7fb5, 0xf9d5b8, 0xa9a4c0, 0x3a3f5c, 0xffefc8, 0xe76f51}, /* dawn */
    {0x4a90d9, 0xd6ecf7, 0x8fb4c9, 0x2f5d50, 0xfff3c4, 0xf4a261}, /* noon */
    {0x3a3f78, 0xf2a07b, 0xa05c7b, 0x2a1a3a, 0xffd089, 0xe94f64}, /* dusk */
    {0xd9a679, 0xf7ead2, 0xc58f5c, 0x4f2d1f, 0xfff2c9, 0xb5442c}, /* autumn */
    {0xa9bcc6, 0xeef2f0, 0xa7bcc0, 0x2f4a52, 0xfffdf2, 0xd98f4e}, /* mist */
    {0x6fbfb9, 0xf4f1de, 0x81b29a, 0x264653, 0xfff3b0, 0xe07a5f}, /* spring */
    {0x16305c, 0x7f9cc4, 0x4a6a99, 0x0d1a30, 0xf7f3dc, 0xf6c453}, /* late evening */
    {0xb56a8a, 0xfbe3e1, 0xc98aa5, 0x4a2545, 0xfff5e4, 0x6f9a70}, /* rose */
};

const struct tones *tones_at(uint32_t nth)
{
    return &all_tones[nth % TONES_COUNT];
}

void scene_draw(struct draw *d, enum theme t, const struct tones *m)
{
    static void (*const scenes[THEME_COUNT_])(struct draw *, const struct tones *) = {
        [THEME_WEBS] = scene_webs,           [THEME_GARDEN] = scene_garden,
        [THEME_BIRDS] = scene_birds,         [THEME_BAKERY] = scene_bakery,
        [THEME_MAPS] = scene_maps,           [THEME_COAST] = scene_coast,
        [THEME_LIBRARY] = scene_library,     [THEME_NIGHT] = scene_night,
        [THEME_SHAPES] = scene_shapes,       [THEME_TRAINS] = scene_trains,
        [THEME_MOUNTAINS] = scene_mountains, [THEME_TEA] = scene_tea,
        [THEME_CITY] = scene_city,           [THEME_FRUIT] = scene_fruit,
        [THEME_FOREST] = scene_forest,       [THEME_BALLOONS] = scene_balloons,
    };
    scenes[t](d, m);
}

/* Emblems ------------------------------------------------------------------------------------*/

static void star_draw(struct draw *d, int x, int y, int r, int inner, int tips, uint32_t ink)
{
    draw_begin(d, ink);
    for (int i = 0; i < tips * 2; i++) {
        int a = i * 180 / tips - 90, reach = i % 2 ? inner : r;
        draw_to(d, x + reach * cosine(a) / 1000, y + reach * sine(a) / 1000);
    }
}

static void peak_draw(struct draw *d, int x, int width, int top, int foot, uint32_t ink)
{
    draw_triangle(d, (struct point){(int16_t)(x - width), (int16_t)foot},
                  (struct point){(int16_t)(x + width), (int16_t)foot},
                  (struct point){(int16_t)x, (int16_t)top}, ink);
}

static void bloom_draw(struct draw *d, uint32_t back, uint32_t front)
{
    for (int a = 0; a < 360; a += 60)
        draw_circle(d, 500 + 210 * cosine(a) / 1000, 500 + 210 * sine(a) / 1000, 140, front);
    draw_circle(d, 500, 500, 120, back);
}

static void sign_things(struct draw *d, enum theme t, uint32_t back, uint32_t front)
{
    switch (t) {
    case THEME_GARDEN:
        bloom_draw(d, back, front);
        break;
    case THEME_BIRDS:
        draw_petal(d, 450, 560, 260, 170, -25, front);
        draw_circle(d, 640, 360, 130, front);
        peak_draw(d, 500, 150, 560, 640, back);
        draw_triangle(d, (struct point){740, 320}, (struct point){740, 420},
                      (struct point){890, 380}, front);
        draw_circle(d, 665, 340, 32, back);
        break;
    case THEME_MAPS:
        star_draw(d, 500, 500, 350, 90, 4, front);
        break;
    case THEME_FRUIT:
        draw_circle(d, 420, 560, 210, front);
        draw_circle(d, 590, 560, 210, front);
        draw_petal(d, 590, 280, 120, 50, -30, front);
        break;
    case THEME_SHAPES:
        draw_circle(d, 370, 370, 160, front);
        draw_rect(d, 530, 220, 280, 280, colour_mix(front, back, 35));
        peak_draw(d, 370, 170, 560, 800, colour_mix(front, back, 35));
        draw_rect(d, 560, 590, 220, 200, front);
        break;
    case THEME_BAKERY:
        draw_ellipse(d, 500, 560, 330, 220, front);
        for (int i = -1; i <= 1; i++)
            draw_petal(d, 500 + i * 150, 480, 100, 34, -60, back);
        break;
    case THEME_LIBRARY:
        draw_rect(d, 230, 230, 140, 560, front);
        draw_rect(d, 400, 300, 140, 490, colour_mix(front, back, 35));
        draw_line(d, 590, 300, 740, 780, 140, front);
        break;
    case THEME_TEA:
        draw_circle(d, 700, 520, 140, front);
        draw_circle(d, 700, 520, 80, back);
        draw_rect(d, 230, 360, 440, 200, front);
        draw_ellipse(d, 450, 560, 220, 190, front);
        draw_rect(d, 200, 770, 500, 50, front);
        break;
    default: /* THEME_WEBS */
        for (int a = 0; a < 180; a += 45)
            draw_line(d, 500 - 340 * cosine(a) / 1000, 500 - 340 * sine(a) / 1000,
                      500 + 340 * cosine(a) / 1000, 500 + 340 * sine(a) / 1000, 36, front);
        draw_circle(d, 500, 500, 240, front);
        draw_circle(d, 500, 500, 200, back);
        draw_circle(d, 500, 500, 120, front);
    }
}

static void sign_land(struct draw *d, enum theme t, uint32_t back, uint32_t front)
{
    switch (t) {
    case THEME_COAST:
        draw_triangle(d, (struct point){480, 180}, (struct point){480, 600},
                      (struct point){230, 600}, front);
        draw_triangle(d, (struct point){530, 260}, (struct point){530, 600},
                      (struct point){760, 600}, colour_mix(front, back, 30));
        draw_begin(d, front);
        draw_to(d, 190, 650);
        draw_to(d, 810, 650);
        draw_to(d, 700, 780);
        draw_to(d, 300, 780);
        break;
    case THEME_MOUNTAINS:
        peak_draw(d, 620, 260, 330, 760, colour_mix(front, back, 35));
        peak_draw(d, 400, 290, 220, 760, front);
        break;
    case THEME_NIGHT:
        draw_circle(d, 480, 500, 320, front);
        draw_circle(d, 610, 420, 270, back);
        star_draw(d, 720, 360, 110, 42, 5, front);
        break;
    case THEME_TRAINS:
        draw_rect(d, 270, 200, 460, 460, front);
        draw_rect(d, 340, 270, 320, 170, back);
        draw_circle(d, 370, 560, 50, back);
        draw_circle(d, 630, 560, 50, back);
        draw_line(d, 350, 660, 250, 820, 60, front);
        draw_line(d, 650, 660, 750, 820, 60, front);
        break;
    case THEME_CITY:
        draw_rect(d, 190, 430, 180, 360, colour_mix(front, back, 35));
        draw_rect(d, 400, 210, 200, 580, front);
        draw_rect(d, 630, 360, 180, 430, colour_mix(front, back, 35));
        break;
    case THEME_FOREST:
        peak_draw(d, 500, 190, 170, 420, front);
        peak_draw(d, 500, 250, 290, 580, front);
        peak_draw(d, 500, 300, 420, 740, front);
        draw_rect(d, 460, 740, 80, 90, front);
        break;
    default: /* THEME_BALLOONS */
        draw_circle(d, 500, 410, 250, front);
        draw_ellipse(d, 500, 410, 110, 250, colour_mix(front, back, 35));
        draw_triangle(d, (struct point){330, 590}, (struct point){670, 590},
                      (struct point){500, 800}, front);
        draw_rect(d, 430, 740, 140, 110, front);
    }
}

void emblem_draw(struct draw *d, enum theme t, uint32_t back, uint32_t front)
{
    draw_sky(d, back, back);
    draw_begin(d, back); /* a square with soft corners */
    for (int a = 0; a < 360; a += 10) {
        int x = a > 90 && a < 270 ? 220 : 780, y = a < 180 ? 780 : 220;
        draw_to(d, x + 220 * cosine(a) / 1000, y + 220 * sine(a) / 1000);
    }
    bool is_land = t == THEME_COAST || t == THEME_MOUNTAINS || t == THEME_NIGHT ||
                   t == THEME_TRAINS || t >= THEME_CITY;
    bool is_thing = !is_land || t == THEME_FRUIT;
    (is_thing ? sign_things : sign_land)(d, t, back, front);
}

/* Tiles --------------------------------------------------------------------------------------*/

void tile_draw(struct draw *d, enum theme t, uint32_t paper, uint32_t ink)
{
    draw_sky(d, paper, paper);
    switch (t % 6) {
    case 0: /* scales */
        for (int i = 0; i < 3; i++)
            for (int k = -1; k < 2; k++) {
                int x = (2 * k + i % 2 + 1) * 500, y = 1000 - i * 500;
                draw_circle(d, x, y, 480, ink);
                draw_circle(d, x, y, 430, paper);
            }
        break;
    case 1: /* dots */
        draw_circle(d, 250, 250, 90, ink);
        draw_circle(d, 750, 750, 90, ink);
        break;
    case 2: /* peaks */
        for (int i = 0; i < 2; i++) {
            draw_line(d, 0, 500 + i * 500, 500, 200 + i * 500, 50, ink);
            draw_line(d, 500, 200 + i * 500, 1000, 500 + i * 500, 50, ink);
        }
        break;
    case 3: /* crosses */
        draw_rect(d, 210, 120, 60, 240, ink);
        draw_rect(d, 120, 210, 240, 60, ink);
        draw_rect(d, 710, 620, 60, 240, ink);
        draw_rect(d, 620, 710, 240, 60, ink);
        break;
    case 4: /* stars */
        star_draw(d, 250, 250, 130, 50, 5, ink);
        star_draw(d, 750, 750, 90, 35, 5, ink);
        break;
    default: /* a grid */
        draw_rect(d, 0, 0, 1000, 40, ink);
        draw_rect(d, 0, 0, 40, 1000, ink);
    }
}
