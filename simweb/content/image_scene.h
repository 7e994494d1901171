/* SPDX-License-Identifier: Apache-2.0 */
/* image_scene: what the pictures of a host show. */
#ifndef CONTENT_IMAGE_SCENE_H
#define CONTENT_IMAGE_SCENE_H

#include "content/image_draw.h"
#include "world/world.h"

/* The first dozen in the order of the demo's hosts (world/words.h: demo_label). */
enum theme {
    THEME_WEBS,
    THEME_GARDEN,
    THEME_BIRDS,
    THEME_BAKERY,
    THEME_MAPS,
    THEME_COAST,
    THEME_LIBRARY,
    THEME_NIGHT,
    THEME_SHAPES,
    THEME_TRAINS,
    THEME_MOUNTAINS,
    THEME_TEA,
    THEME_CITY,
    THEME_FRUIT,
    THEME_FOREST,
    THEME_BALLOONS,
    THEME_COUNT_
};

/* In the demo the hosts take turns, so that all themes are there; else it is chance. */
enum theme theme_of(const struct world *w, uint32_t host);

/* The colours of a picture. */
struct tones {
    uint32_t sky_top, sky_bottom;
    uint32_t far, near; /* what is far away is paler */
    uint32_t light;     /* sun, moon, windows */
    uint32_t accent;
};
enum { TONES_COUNT = 8 };
const struct tones *tones_at(uint32_t nth);

/* Fills a fresh drawing with a scene of the theme, in these colours, the rest by its rng. */
void scene_draw(struct draw *d, enum theme t, const struct tones *m);

/* The theme's sign: a few shapes in the middle of a square canvas, readable at 16 pixels. */
void emblem_draw(struct draw *d, enum theme t, uint32_t back, uint32_t front);

/* A square that can be repeated: `ink` on `paper`. */
void tile_draw(struct draw *d, enum theme t, uint32_t paper, uint32_t ink);

/* Scenes, by file. */
void scene_coast(struct draw *d, const struct tones *m); /* image_land.c */
void scene_mountains(struct draw *d, const struct tones *m);
void scene_night(struct draw *d, const struct tones *m);
void scene_city(struct draw *d, const struct tones *m);
void scene_forest(struct draw *d, const struct tones *m);
void scene_balloons(struct draw *d, const struct tones *m);
void scene_garden(struct draw *d, const struct tones *m); /* image_things.c */
void scene_birds(struct draw *d, const struct tones *m);
void scene_maps(struct draw *d, const struct tones *m);
void scene_shapes(struct draw *d, const struct tones *m);
void scene_webs(struct draw *d, const struct tones *m);
void scene_fruit(struct draw *d, const struct tones *m); /* image_indoors.c */
void scene_bakery(struct draw *d, const struct tones *m);
void scene_library(struct draw *d, const struct tones *m);
void scene_trains(struct draw *d, const struct tones *m);
void scene_tea(struct draw *d, const struct tones *m);

#endif
