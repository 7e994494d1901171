/* SPDX-License-Identifier: Apache-2.0 */
#include "content/image_scene.h"
#include "content/look.h"
#include "content/looks.h"

enum {
    CHANCE_PICTURE = 0x4c10,
    CHANCE_SHAPE = 0x4c11,
    CHANCE_WORDS = 0x4c12,
    ICON_PIXELS = 32,
    TILE_PIXELS = 64,
    SMALL_PIXELS = 96, /* without the demo: quick to make */
    MEDIUM_PIXELS = 480,
    LARGE_PIXELS = 640,
    PATH_MAX_BYTES = 512,
};

static bool is_svg(const struct world *w, struct place p)
{
    char room[PATH_MAX_BYTES];
    struct buf path = buf_on(room, sizeof(room));
    place_path(w, p, &path);
    return str_ends(buf_str(&path), STR(".svg"));
}

const char *image_type(const struct world *w, struct place p)
{
    if (p.kind == PLACE_ICON)
        return "image/x-icon";
    return is_svg(w, p) ? "image/svg+xml" : "image/png";
}

static bool is_demo_index(const struct world *w, struct place p)
{
    return world_settings(w)->demo && p.host == 0 && p.page == 0;
}

/* One number for each picture of a host. Images come in pairs, src and a candidate of its srcset:
 * the second is the first once more, with more pixels. The demo's index shows each by itself. */
static uint64_t picture_id(const struct world *w, struct place p)
{
    return (uint64_t)p.page << 8 | (p.nth & (is_demo_index(w, p) ? 255 : 254));
}

/* The pictures of the demo's index show what the hosts are about, in the order of its cards:
 * itself last. */
static enum theme picture_theme(const struct world *w, struct place p)
{
    if (is_demo_index(w, p))
        return theme_of(w, (uint32_t)((p.nth + 1) % world_settings(w)->hosts));
    return theme_of(w, p.host);
}

/* How high a picture is, in canvas units. */
static int picture_height(const struct world *w, struct place p)
{
    static const int heights[] = {625, 625, 667, 750, 1000};
    if (p.nth < 2 || is_demo_index(w, p))
        return 625;
    return heights[world_chance(w, CHANCE_SHAPE, p.host, picture_id(w, p)) % 5];
}

static int picture_width(const struct world *w, struct place p)
{
    if (world_settings(w)->demo)
        return p.nth & 1 ? LARGE_PIXELS : MEDIUM_PIXELS;
    return p.nth & 1 ? SMALL_PIXELS * 3 / 2 : SMALL_PIXELS;
}

struct image_size image_size(const struct world *w, struct place p)
{
    if (p.kind == PLACE_ICON)
        return (struct image_size){ICON_PIXELS, ICON_PIXELS};
    if (p.kind == PLACE_STYLE_IMAGE)
        return (struct image_size){TILE_PIXELS, TILE_PIXELS};
    int width = picture_width(w, p), height = width * picture_height(w, p) / DRAW_WIDTH;
    return (struct image_size){(uint32_t)width, (uint32_t)height};
}

/* The icon's file: one entry, which is a PNG. */
static void icon_write(const struct draw *d, struct buf *out)
{
    char room[8192];
    struct buf png = buf_on(room, sizeof(room));
    draw_png(d, ICON_PIXELS, true, &png);
    if (buf_rc(&png) != RC_OK)
        png.n = 0;
    buf_add(out, STR("\0\0\1\0\1\0"));
    buf_byte(out, ICON_PIXELS);
    buf_byte(out, ICON_PIXELS);
    buf_add(out, STR("\0\0\1\0\x18\0"));
    buf_le32(out, (uint32_t)png.n);
    buf_le32(out, 22);
    buf_add(out, buf_str(&png));
}

static void draw_out(const struct world *w, struct place p, const struct draw *d, struct buf *out)
{
    int width = (int)image_size(w, p).width;
    if (p.kind == PLACE_ICON)
        icon_write(d, out);
    else if (is_svg(w, p))
        draw_svg(d, width, out);
    else
        draw_png(d, width, world_settings(w)->demo, out);
}

void image_write(const struct world *w, struct place p, struct version v, struct buf *out)
{
    struct draw d;
    enum theme t = theme_of(w, p.host);
    struct look look = look_of(w, p.host);
    if (p.kind == PLACE_IMAGE) {
        uint64_t chance = world_chance(w, CHANCE_PICTURE, p.host, picture_id(w, p));
        draw_init(&d, picture_height(w, p), chance + v.image);
        /* The next colours in turn: a change must be seen, and chance might draw the same. */
        scene_draw(&d, picture_theme(w, p), tones_at((uint32_t)(chance >> 40) + v.image));
    } else {
        draw_init(&d, DRAW_WIDTH, p.host);
        if (p.kind == PLACE_ICON)
            emblem_draw(&d, t, look.strong, 0xffffff);
        else
            tile_draw(&d, t, look.page, look.page_mark);
    }
    draw_out(w, p, &d, out);
}

void emblem_write(const struct world *w, uint32_t host, struct buf *out)
{
    struct draw d;
    struct look look = look_of(w, host);
    draw_init(&d, DRAW_WIDTH, host);
    emblem_draw(&d, theme_of(w, host), look.strong, 0xffffff);
    draw_svg_inline(&d, "emblem", out);
}

void image_words(const struct world *w, struct place p, struct buf *out)
{
    static const char *const words[THEME_COUNT_][4] = {
        [THEME_COAST] = {"The lighthouse", "Boats off the point", "Light on the water", "The bay"},
        [THEME_GARDEN] = {"Flowers by the wall", "The long border", "In full bloom",
                          "A bed of six"},
        [THEME_MOUNTAINS] = {"Ridge behind ridge", "The far range", "View from the hut", "A pass"},
        [THEME_BIRDS] = {"On the branch", "A visitor", "Waiting for the rest", "At the feeder"},
        [THEME_NIGHT] = {"The sky from the farm", "Moon over the hills", "A clear night", "Stars"},
        [THEME_MAPS] = {"The island and its roads", "Sheet four", "The survey", "Three islands"},
        [THEME_BAKERY] = {"Fresh this morning", "Loaves on the shelf", "Buns", "The window"},
        [THEME_LIBRARY] = {"The tall shelf", "Reading room", "Old bindings", "Shelf twelve"},
        [THEME_TRAINS] = {"On the viaduct", "The morning train", "Steam", "The branch line"},
        [THEME_TEA] = {"Tea for two", "The blue pot", "At four", "The first cup"},
        [THEME_CITY] = {"The skyline", "Windows at work", "From the river", "The old quarter"},
        [THEME_FRUIT] = {"The bowl", "A still life", "Fruit of the week", "On the table"},
        [THEME_FOREST] = {"Firs in the mist", "The edge of the wood", "The clearing", "Spruces"},
        [THEME_SHAPES] = {"Composition", "Study in six colours", "Circles and quarters", "A grid"},
        [THEME_BALLOONS] = {"The start", "Balloons over the valley", "Light wind", "Aloft"},
        [THEME_WEBS] = {"An orb web with dew", "The weaver at home", "Fourteen spokes", "A web"},
    };
    uint64_t chance = world_chance(w, CHANCE_WORDS, p.host, picture_id(w, p));
    buf_add(out, str_c(words[picture_theme(w, p)][chance % 4]));
}
