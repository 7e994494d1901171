/* SPDX-License-Identifier: Apache-2.0 */
/* Style sheets and scripts: what a crawler finds in them, and whether a person can read the page.
 */
#include "content/look.h"
#include "content/looks.h"

#include "unit/simweb/world/make.h"

#include <math.h>

enum { HOSTS = 60 };

static struct buf style_make(const struct world *w, uint32_t host)
{
    struct buf out;
    buf_init(&out, 1 << 16);
    style_write(w, host, &out);
    assert_rc(buf_rc(&out), RC_OK);
    return out;
}

static size_t count_of(struct str s, struct str what)
{
    size_t count = 0;
    for (size_t at = str_find_str(s, what); at < s.n; at = str_find_str(s, what)) {
        count++;
        s = str_from(s, at + what.n);
    }
    return count;
}

/* What stands between the brackets of url(), without quotes. */
static struct str url_of(struct str css)
{
    struct str from = str_from(css, str_find_str(css, STR("url(")) + 4);
    struct str url = str_first(from, str_find(from, ')'));
    if (url.n > 1 && (url.p[0] == '"' || url.p[0] == '\''))
        url = str_first(str_from(url, 1), url.n - 2);
    return url;
}

static void a_style_sheet_names_its_image_and_nothing_else(void **state)
{
    (void)state;
    struct made m = make_world("hosts=60");
    int relative = 0;
    for (uint32_t host = 0; host < HOSTS; host++) {
        struct buf css = style_make(m.world, host);
        char room[200];
        struct buf whole = buf_on(room, sizeof room);
        assert_int_equal(count_of(buf_str(&css), STR("url(")), 1);
        assert_int_equal(count_of(buf_str(&css), STR("@import")), 0);
        assert_int_equal(count_of(buf_str(&css), STR("://")), 0);
        struct str url = url_of(buf_str(&css));
        if (url.p[0] != '/') {
            /* Relative to the folder of the sheet itself. */
            place_path(m.world, (struct place){.host = host, .kind = PLACE_STYLE}, &whole);
            while (whole.n && whole.p[whole.n - 1] != '/')
                whole.n--;
            relative++;
        }
        buf_add(&whole, url);
        struct place p = place_of(m.world, host, buf_str(&whole));
        assert_int_equal(p.kind, PLACE_STYLE_IMAGE);
        buf_done(&css);
    }
    assert_in_range(relative, 10, 50);
    unmake_world(&m);
}

static void a_style_sheet_knows_the_classes_of_a_page(void **state)
{
    (void)state;
    static const char *const names[] = {".top", ".nav",  ".article", ".lead", ".figure",
                                        ".box", ".card", ".foot",    ".tag",  ".cards"};
    struct made m = make_world("hosts=60");
    for (uint32_t host = 0; host < HOSTS; host++) {
        struct buf css = style_make(m.world, host);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            assert_true(count_of(buf_str(&css), str_c(names[i])) > 0);
        assert_int_equal(count_of(buf_str(&css), STR("{")), count_of(buf_str(&css), STR("}")));
        assert_int_equal(count_of(buf_str(&css), STR("(")), count_of(buf_str(&css), STR(")")));
        buf_done(&css);
    }
    unmake_world(&m);
}

/* WCAG 2's relative luminance and contrast. */
static double luminance(uint32_t rgb)
{
    static const double weights[] = {0.0722, 0.7152, 0.2126};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double c = (rgb >> 8 * i & 255) / 255.0;
        sum += weights[i] * (c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(uint32_t a, uint32_t b)
{
    double la = luminance(a) + 0.05, lb = luminance(b) + 0.05;
    return la > lb ? la / lb : lb / la;
}

static void every_look_can_be_read(void **state)
{
    (void)state;
    static const char *const worlds[] = {"hosts=200", "hosts=12 demo=yes suffix=localhost"};
    bool seen[LAYOUT_COUNT_] = {false};
    for (size_t i = 0; i < 2; i++) {
        struct made m = make_world(worlds[i]);
        for (uint32_t host = 0; host < m.settings.hosts; host++) {
            struct look l = look_of(m.world, host);
            seen[l.layout] = true;
            assert_true(contrast(l.text, l.sheet) > 7);
            assert_true(contrast(l.soft, l.sheet) > 4.5);
            assert_true(contrast(l.soft, l.page) > 4.5);
            assert_true(contrast(l.link, l.sheet) > 4.5);
            assert_true(contrast(l.strong, 0xffffff) > 4.5);
        }
        unmake_world(&m);
    }
    for (int i = 0; i < LAYOUT_COUNT_; i++)
        assert_true(seen[i]);
}

static void a_script_names_no_place(void **state)
{
    (void)state;
    struct made m = make_world("");
    struct buf out;
    buf_init(&out, 1 << 16);
    script_write(m.world, 3, &out);
    assert_rc(buf_rc(&out), RC_OK);
    assert_true(count_of(buf_str(&out), STR(".html")) > 2);
    /* What stands in quotes and looks like a path leads nowhere. */
    for (struct str rest = buf_str(&out); rest.p;) {
        struct str word = str_take_until(&rest, '\'');
        if (str_starts(word, STR("/")))
            assert_int_equal(place_of(m.world, 3, word).kind, PLACE_NONE);
    }
    buf_done(&out);
    unmake_world(&m);
}

static enum rc write_both(void *ctx)
{
    struct buf out;
    buf_init(&out, 1 << 16);
    style_write(ctx, 1, &out);
    script_write(ctx, 1, &out);
    enum rc rc = buf_rc(&out);
    buf_done(&out);
    return rc;
}

static void they_survive_every_failed_allocation(void **state)
{
    (void)state;
    struct made m = make_world("");
    test_each_allocation_fails(write_both, m.world);
    unmake_world(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_style_sheet_names_its_image_and_nothing_else),
        cmocka_unit_test(a_style_sheet_knows_the_classes_of_a_page),
        cmocka_unit_test(every_look_can_be_read),
        cmocka_unit_test(a_script_names_no_place),
        cmocka_unit_test(they_survive_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
