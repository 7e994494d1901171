/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/simweb/content/resolve.h"
#include "unit/simweb/world/make.h"

#include "content/href.h"
#include "world/words.h"

#include "base/rng.h"

enum { ROOM = 8192 };

struct texts {
    char url[ROOM], value[ROOM], plain[ROOM], got[ROOM];
};

/* One link of one page, written and read back. */
static void check(const struct world *w, const struct href_page *h, struct str base,
                  const struct link *l)
{
    static struct texts t;
    struct buf url = buf_on(t.url, ROOM), value = buf_on(t.value, ROOM);
    struct buf plain = buf_on(t.plain, ROOM), got = buf_on(t.got, ROOM);
    place_url(w, l->to, &url);
    href_write(h, l, &value);
    buf_byte(&value, '>');
    unescape(attribute_value(buf_str(&value)), &plain);
    resolve(base, buf_str(&plain), &got);
    assert_str(buf_str(&got), buf_str(&url));
    value.n = plain.n = got.n = 0;
    href_write_bare(h, l, &value);
    assert_int_equal(str_find(buf_str(&value), '"'), value.n);
    unescape(buf_str(&value), &plain);
    resolve(base, buf_str(&plain), &got);
    assert_str(buf_str(&got), buf_str(&url));
}

static void every_form_with_every_quirk_leads_to_its_target(void **state)
{
    (void)state;
    struct made m = make_world("hosts=40 pages=60 https=0.3");
    struct rng r;
    rng_init(&r, test_seed(3));
    for (int i = 0; i < 20000; i++) {
        static struct href_page h;
        char room[ROOM];
        struct buf base = buf_on(room, sizeof room);
        struct place from = {(uint32_t)rng_below(&r, 40), PLACE_PAGE, 0, 0};
        from.page = (uint32_t)rng_below(&r, host_pages(m.world, from.host));
        struct place to = {rng_below(&r, 2) ? from.host : (uint32_t)rng_below(&r, 40), PLACE_PAGE,
                           0, 0};
        to.page = (uint32_t)rng_below(&r, host_pages(m.world, to.host));
        bool has_base = rng_below(&r, 4) == 0;
        place_url(m.world, has_base ? (struct place){from.host, PLACE_PAGE, 0, 0} : from, &base);
        href_page_init(&h, m.world, from, has_base, rng_below(&r, 4) == 0,
                       rng_below(&r, 2) ? INK_UTF8 : INK_ASCII);
        struct link l = {to, LINK_A, (enum link_form)rng_below(&r, FORM_COUNT_),
                         (unsigned)rng_below(&r, QUIRK_SRCSET) & (unsigned)rng_next(&r)};
        check(m.world, &h, buf_str(&base), &l);
    }
    unmake_world(&m);
}

static struct str written(const struct href_page *h, struct place to, enum link_form form,
                          unsigned quirks, char *room)
{
    struct buf out = buf_on(room, ROOM);
    href_write(h, &(struct link){to, LINK_A, form, quirks}, &out);
    return buf_str(&out);
}

static void each_quirk_is_seen_in_what_is_written(void **state)
{
    (void)state;
    static struct href_page h;
    static char room[ROOM];
    struct made m = make_world("hosts=2 pages=10");
    struct place home = {0, PLACE_PAGE, 0, 0}, style = {0, PLACE_STYLE, 0, 0};
    href_page_init(&h, m.world, home, false, false, INK_UTF8);
    const struct {
        const char *name;
        enum link_form form;
        unsigned quirks;
        const char *wanted;
    } rows[] = {
        {"a root path", FORM_ROOT, 0, "=\"/assets/site.css\""},
        {"a relative path", FORM_RELATIVE, 0, "=\"assets/site.css\""},
        {"no quotes", FORM_ROOT, QUIRK_UNQUOTED, "=/assets/site.css"},
        {"single quotes", FORM_ROOT, QUIRK_SINGLE, "='/assets/site.css'"},
        {"white space needs quotes", FORM_ROOT, QUIRK_SPACES | QUIRK_UNQUOTED, "=/assets/site.css"},
        {"white space around", FORM_ROOT, QUIRK_SPACES, "=\"  /assets/site.css \""},
        {"a fragment", FORM_ROOT, QUIRK_FRAGMENT, "=\"/assets/site.css#part\""},
        {"a dot", FORM_RELATIVE, QUIRK_DOTS, "=\"./assets/site.css\""},
        {"a detour", FORM_ROOT, QUIRK_DOTS, "=\"/assets/detour/../site.css\""},
        {"entities", FORM_RELATIVE, QUIRK_ENTITIES, "=\"assets&#x2F;site.css\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_str(written(&h, style, rows[i].form, rows[i].quirks, room), str_c(rows[i].wanted));
    struct str absolute = written(&h, style, FORM_ABSOLUTE, 0, room);
    assert_true(str_starts(absolute, STR("=\"http://")));
    struct str protocol = written(&h, style, FORM_PROTOCOL, 0, room);
    assert_true(str_starts(protocol, STR("=\"//")));
    unmake_world(&m);
}

static void a_page_with_copies_has_nothing_relative_to_its_path(void **state)
{
    (void)state;
    static struct href_page h;
    static char room[ROOM];
    struct made m = make_world("hosts=2 pages=10");
    struct place from = {0, PLACE_PAGE, 5, 0}, style = {0, PLACE_STYLE, 0, 0};
    href_page_init(&h, m.world, from, false, true, INK_UTF8);
    assert_str(written(&h, style, FORM_RELATIVE, 0, room), STR("=\"/assets/site.css\""));
    href_page_init(&h, m.world, from, true, true, INK_UTF8);
    assert_str(written(&h, style, FORM_RELATIVE, 0, room), STR("=\"assets/site.css\""));
    unmake_world(&m);
}

/* A page with letters of that tongue in its path, and nothing else that is odd. */
static bool find_letters(const struct world *w, enum tongue tongue, struct place *ret)
{
    for (uint32_t h = 0; h < 200; h++)
        for (uint32_t p = 1; p < host_pages(w, h); p++)
            if (page_words(w, h, p).tongue == tongue) {
                char room[ROOM];
                struct buf path = buf_on(room, sizeof room);
                *ret = (struct place){h, PLACE_PAGE, p, 0};
                place_path(w, *ret, &path);
                if (str_find(buf_str(&path), '?') == path.n)
                    return true;
            }
    return false;
}

static void letters_stand_raw_in_the_ink_of_the_page(void **state)
{
    (void)state;
    static struct href_page h;
    static char room[ROOM];
    struct made m = make_world("hosts=200 pages=20");
    static const struct {
        enum tongue tongue;
        enum ink ink;
    } rows[] = {{TONGUE_LATIN, INK_1252},
                {TONGUE_RUSSIAN, INK_KOI8},
                {TONGUE_JAPANESE, INK_SHIFT_JIS},
                {TONGUE_JAPANESE, INK_UTF8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct place to;
        assert_true(find_letters(m.world, rows[i].tongue, &to));
        href_page_init(&h, m.world, to, false, false, rows[i].ink);
        struct str escaped = written(&h, to, FORM_ROOT, 0, room);
        assert_true(str_find(escaped, '%') < escaped.n);
        struct str raw = written(&h, to, FORM_ROOT, QUIRK_RAW_CHARS, room);
        assert_int_equal(str_find(raw, '%'), raw.n);
        assert_int_equal(str_find(raw, '&'), raw.n);
        h.ink = INK_ASCII;
        raw = written(&h, to, FORM_ROOT, QUIRK_RAW_CHARS, room);
        assert_int_equal(str_find(raw, '%'), raw.n);
        assert_true(str_find_str(raw, STR("&#")) < raw.n);
    }
    unmake_world(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_with_every_quirk_leads_to_its_target),
        cmocka_unit_test(each_quirk_is_seen_in_what_is_written),
        cmocka_unit_test(a_page_with_copies_has_nothing_relative_to_its_path),
        cmocka_unit_test(letters_stand_raw_in_the_ink_of_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
