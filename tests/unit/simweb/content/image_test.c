/* SPDX-License-Identifier: Apache-2.0 */
/* The pictures: that a reader of their formats finds nothing to complain of. */
#include "content/image_png.h"
#include "content/image_scene.h"
#include "content/looks.h"

#include "unit/simweb/world/make.h"

#include <zlib.h>

static const struct place icon = {.host = 1, .kind = PLACE_ICON};
static const struct place tile = {.host = 1, .kind = PLACE_STYLE_IMAGE};

static uint32_t be32(const char *p)
{
    const unsigned char *u = (const unsigned char *)p;
    return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

/* A PNG as it was decoded: each row has its filter byte in front. */
struct decoded {
    uint32_t width, height;
    struct buf rows;
};

static void chunk_check(struct str file, size_t at, const char *name, struct str *ret_data)
{
    assert_true(file.n >= at + 12);
    size_t n = be32(file.p + at);
    assert_true(file.n >= at + 12 + n);
    assert_memory_equal(file.p + at + 4, name, 4);
    uint32_t crc = (uint32_t)crc32(0, (const Bytef *)file.p + at + 4, (uInt)(n + 4));
    assert_int_equal(be32(file.p + at + 8 + n), crc);
    *ret_data = str_make(file.p + at + 8, n);
}

static struct decoded png_decode(struct str file)
{
    struct decoded d = {0};
    struct str head, data, end;
    assert_true(str_starts(file, STR("\x89PNG\r\n\x1a\n")));
    chunk_check(file, 8, "IHDR", &head);
    chunk_check(file, 8 + 12 + head.n, "IDAT", &data);
    chunk_check(file, 8 + 24 + head.n + data.n, "IEND", &end);
    assert_int_equal(file.n, 8 + 36 + head.n + data.n + end.n);
    d.width = be32(head.p);
    d.height = be32(head.p + 4);
    assert_str(str_from(head, 8), STR("\x08\x02\x00\x00\x00"));
    uLongf n = (uLongf)d.height * (1 + 3 * (uLongf)d.width), had = n;
    buf_init(&d.rows, n);
    assert_non_null(buf_reserve(&d.rows, n));
    /* zlib checks the adler32 as well. */
    assert_int_equal(uncompress((Bytef *)d.rows.p, &n, (const Bytef *)data.p, data.n), Z_OK);
    assert_int_equal(n, had);
    d.rows.n = n;
    for (uint32_t y = 0; y < d.height; y++)
        assert_int_equal(d.rows.p[(size_t)y * (1 + 3 * (size_t)d.width)], 0);
    return d;
}

static struct buf image_make(const struct world *w, struct place p, uint32_t image_version)
{
    struct buf out;
    buf_init(&out, 1 << 22);
    image_write(w, p, (struct version){.image = image_version}, &out);
    assert_rc(buf_rc(&out), RC_OK);
    return out;
}

static bool is_svg(const struct world *w, struct place p)
{
    return str_eq(str_c(image_type(w, p)), STR("image/svg+xml"));
}

/* Rows of noise, of runs, of what stood above: in any mixture. */
static void rows_fill(struct rng *r, uint32_t *row, const uint32_t *above, uint32_t width)
{
    for (uint32_t x = 0; x < width;) {
        uint32_t n = 1 + (uint32_t)rng_below(r, rng_below(r, 4) ? 9 : 400);
        uint64_t kind = rng_below(r, 3), pixel = rng_next(r) & 0xffffff;
        for (; n && x < width; n--, x++) {
            if (kind == 0)
                row[x] = (uint32_t)(rng_next(r) & 0xffffff);
            else
                row[x] = kind == 1 && above ? above[x] : (uint32_t)pixel;
        }
    }
}

static void a_png_holds_the_pixels_it_was_given(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, test_seed(5));
    for (int round = 0; round < 60; round++) {
        uint32_t width = 2 + (uint32_t)rng_below(&r, round % 2 ? 12 : 900), rows[40][902];
        struct buf out;
        struct png png;
        buf_init(&out, 1 << 22);
        png_begin(&png, width, 40, &out);
        for (int y = 0; y < 40; y++) {
            rows_fill(&r, rows[y], y ? rows[y - 1] : NULL, width);
            png_row(&png, rows[y], y ? rows[y - 1] : NULL);
        }
        png_end(&png);
        assert_rc(buf_rc(&out), RC_OK);
        struct decoded d = png_decode(buf_str(&out));
        assert_int_equal(d.width, width);
        for (int y = 0; y < 40; y++)
            for (uint32_t x = 0; x < width; x++) {
                const char *p = d.rows.p + (size_t)y * (1 + 3 * (size_t)width) + 1 + 3 * (size_t)x;
                assert_int_equal(be32(p - 1) & 0xffffff, rows[y][x]);
            }
        buf_done(&d.rows);
        buf_done(&out);
    }
}

static void svg_check(struct str svg)
{
    assert_true(str_starts(svg, STR("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"")));
    assert_true(str_ends(svg, STR("</svg>\n")));
    assert_int_equal(str_find_str(svg, STR("href")), svg.n);
    size_t quotes = 0, open = 0, close = 0;
    for (size_t i = 0; i < svg.n; i++) {
        quotes += svg.p[i] == '"';
        open += svg.p[i] == '<';
        close += svg.p[i] == '>';
        assert_true((svg.p[i] >= ' ' && svg.p[i] < 127) || svg.p[i] == '\n');
    }
    assert_int_equal(quotes % 2, 0);
    assert_int_equal(open, close);
    assert_true(open > 10);
}

static void image_check(const struct world *w, struct place p)
{
    struct buf out = image_make(w, p, 0);
    struct image_size size = image_size(w, p);
    if (is_svg(w, p)) {
        svg_check(buf_str(&out));
    } else {
        assert_string_equal(image_type(w, p), "image/png");
        struct decoded d = png_decode(buf_str(&out));
        assert_int_equal(d.width, size.width);
        assert_int_equal(d.height, size.height);
        buf_done(&d.rows);
    }
    buf_done(&out);
}

static void every_picture_is_what_its_type_says(void **state)
{
    (void)state;
    static const char *const worlds[] = {"hosts=40 demo=no", "hosts=20 demo=yes suffix=localhost"};
    for (size_t i = 0; i < 2; i++) {
        struct made m = make_world(worlds[i]);
        uint32_t svgs = 0;
        for (uint32_t host = 0; host < 20; host++)
            for (uint32_t nth = 0; nth < 4; nth++) {
                struct place p = {host, PLACE_IMAGE, host % 3, nth};
                image_check(m.world, p);
                svgs += is_svg(m.world, p);
            }
        assert_in_range(svgs, 10, 70);
        unmake_world(&m);
    }
}

static void every_scene_can_be_drawn_within_its_room(void **state)
{
    (void)state;
    static struct draw d;
    for (int t = 0; t < THEME_COUNT_; t++)
        for (uint64_t seed = 0; seed < 40; seed++) {
            draw_init(&d, seed % 2 ? 1000 : 625, test_seed(1) * 1000 + seed);
            scene_draw(&d, (enum theme)t, tones_at((uint32_t)seed));
            assert_in_range(d.shapes, 10, DRAW_MAX_SHAPES - 1);
            assert_in_range(d.points, 1, DRAW_MAX_POINTS - 1);
        }
}

/* How many of 100 bytes differ. */
static size_t difference(const struct buf *a, const struct buf *b)
{
    size_t differ = 0;
    assert_int_equal(a->n, b->n);
    if (a->n == 0)
        return 0;
    for (size_t i = 0; i < a->n; i++)
        differ += a->p[i] != b->p[i];
    return differ * 100 / a->n;
}

static void a_change_of_the_image_can_be_seen(void **state)
{
    (void)state;
    struct made m = make_world("hosts=30");
    uint32_t pngs = 0;
    for (uint32_t host = 0; host < 30; host++) {
        struct place p = {host, PLACE_IMAGE, 1, 0};
        struct buf a = image_make(m.world, p, 0), b = image_make(m.world, p, 1);
        assert_false(str_eq(buf_str(&a), buf_str(&b)));
        if (!is_svg(m.world, p)) {
            struct decoded da = png_decode(buf_str(&a)), db = png_decode(buf_str(&b));
            assert_true(difference(&da.rows, &db.rows) > 20);
            buf_done(&da.rows);
            buf_done(&db.rows);
            pngs++;
        }
        buf_done(&a);
        buf_done(&b);
    }
    assert_true(pngs > 5);
    unmake_world(&m);
}

static void the_same_seed_makes_the_same_pictures(void **state)
{
    (void)state;
    struct made m = make_world("seed=7"), again = make_world("seed=7"),
                other = make_world("seed=8");
    uint32_t differ = 0;
    for (uint32_t page = 0; page < 20; page++) {
        struct place p = {3, PLACE_IMAGE, page, page % 2};
        struct buf a = image_make(m.world, p, 2), b = image_make(again.world, p, 2);
        struct buf c = image_make(other.world, p, 2);
        assert_str(buf_str(&a), buf_str(&b));
        differ += !str_eq(buf_str(&a), buf_str(&c));
        buf_done(&a);
        buf_done(&b);
        buf_done(&c);
    }
    assert_int_equal(differ, 20);
    unmake_world(&m);
    unmake_world(&again);
    unmake_world(&other);
}

static void both_candidates_of_a_srcset_are_one_picture_in_two_sizes(void **state)
{
    (void)state;
    struct made m = make_world("demo=yes suffix=localhost hosts=12");
    for (uint32_t nth = 0; nth < 8; nth += 2) {
        struct place p = {4, PLACE_IMAGE, 2, nth}, q = {4, PLACE_IMAGE, 2, nth + 1};
        struct image_size a = image_size(m.world, p), b = image_size(m.world, q);
        assert_true(b.width > a.width);
        assert_in_range((uint64_t)a.height * b.width / a.width, b.height - 2, b.height + 2);
    }
    unmake_world(&m);
}

static void an_icon_holds_one_picture_of_its_size(void **state)
{
    (void)state;
    struct made m = make_world("");
    struct buf out = image_make(m.world, icon, 0);
    assert_string_equal(image_type(m.world, icon), "image/x-icon");
    assert_str(str_first(buf_str(&out), 8), STR("\0\0\1\0\1\0\x20\x20"));
    assert_int_equal((unsigned char)out.p[18], 22);
    struct str inner = str_from(buf_str(&out), 22);
    assert_int_equal((unsigned char)out.p[14] | (unsigned char)out.p[15] << 8, inner.n);
    struct decoded d = png_decode(inner);
    assert_int_equal(d.width, 32);
    assert_int_equal(d.height, 32);
    buf_done(&d.rows);
    buf_done(&out);
    image_check(m.world, tile);
    unmake_world(&m);
}

static void an_emblem_names_nothing(void **state)
{
    (void)state;
    struct made m = make_world("demo=yes suffix=localhost hosts=16");
    for (uint32_t host = 0; host < 16; host++) {
        struct buf out;
        buf_init(&out, 1 << 16);
        emblem_write(m.world, host, &out);
        assert_rc(buf_rc(&out), RC_OK);
        assert_true(str_starts(buf_str(&out), STR("<svg class=\"emblem\" ")));
        assert_true(str_ends(buf_str(&out), STR("</svg>")));
        assert_int_equal(str_find_str(buf_str(&out), STR("url(")), out.n);
        buf_done(&out);
    }
    unmake_world(&m);
}

static void words_of_a_picture_need_no_escape(void **state)
{
    (void)state;
    struct made m = make_world("hosts=60");
    for (uint32_t host = 0; host < 60; host++)
        for (uint32_t page = 0; page < 10; page++) {
            char room[200];
            struct buf out = buf_on(room, sizeof room);
            image_words(m.world, (struct place){host, PLACE_IMAGE, page, 0}, &out);
            assert_true(out.n > 3);
            for (size_t i = 0; i < out.n; i++)
                assert_true(ascii_is_alnum(out.p[i]) || out.p[i] == ' ');
        }
    unmake_world(&m);
}

static void a_picture_that_has_no_room_says_so(void **state)
{
    (void)state;
    struct made m = make_world("hosts=20");
    for (uint32_t host = 0; host < 20; host++)
        for (size_t max = 0; max < 700; max += 37) {
            struct buf out;
            buf_init(&out, max);
            image_write(m.world, (struct place){host, PLACE_IMAGE, 0, 0}, (struct version){0},
                        &out);
            assert_rc(buf_rc(&out), RC_LIMIT);
            assert_true(out.n <= max);
            buf_done(&out);
        }
    unmake_world(&m);
}

static enum rc write_all(void *ctx)
{
    struct buf out;
    buf_init(&out, 1 << 22);
    for (uint32_t nth = 0; nth < 4; nth++)
        image_write(ctx, (struct place){2, PLACE_IMAGE, 1, nth}, (struct version){0}, &out);
    image_write(ctx, icon, (struct version){0}, &out);
    enum rc rc = buf_rc(&out);
    buf_done(&out);
    return rc;
}

static void pictures_survive_every_failed_allocation(void **state)
{
    (void)state;
    struct made m = make_world("");
    test_each_allocation_fails(write_all, m.world);
    unmake_world(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_png_holds_the_pixels_it_was_given),
        cmocka_unit_test(every_picture_is_what_its_type_says),
        cmocka_unit_test(every_scene_can_be_drawn_within_its_room),
        cmocka_unit_test(a_change_of_the_image_can_be_seen),
        cmocka_unit_test(the_same_seed_makes_the_same_pictures),
        cmocka_unit_test(both_candidates_of_a_srcset_are_one_picture_in_two_sizes),
        cmocka_unit_test(an_icon_holds_one_picture_of_its_size),
        cmocka_unit_test(an_emblem_names_nothing),
        cmocka_unit_test(words_of_a_picture_need_no_escape),
        cmocka_unit_test(a_picture_that_has_no_room_says_so),
        cmocka_unit_test(pictures_survive_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
