/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/simweb/content/resolve.h"
#include "unit/simweb/world/make.h"

#include "base/mem.h"
#include "content/content.h"
#include "content/ink.h"

#include <stdio.h>
#include <zlib.h>

enum { MOST_BYTES = 64 << 20 };

struct web {
    struct made m;
    struct content *c;
    struct buf one, two;
};

static struct web web_open(const char *words)
{
    struct web w = {.m = make_world(words), .one = {.max = MOST_BYTES}, .two = {.max = MOST_BYTES}};
    w.c = content_open(w.m.world);
    assert_non_null(w.c);
    return w;
}

static void web_close(struct web *w)
{
    buf_done(&w->one);
    buf_done(&w->two);
    content_close(w->c);
    unmake_world(&w->m);
}

static struct str page_body(struct web *w, uint32_t host, uint32_t page, struct version v,
                            struct buf *out)
{
    buf_clear(out);
    content_body(w->c, (struct place){host, PLACE_PAGE, page, 0}, v, CODING_IDENTITY, out);
    assert_rc(buf_rc(out), RC_OK);
    return buf_str(out);
}

static struct page page_at(struct web *w, uint32_t host, uint32_t page)
{
    return page_of(w->m.world, host, page);
}

/* The names of all tags in a page, one after another. */
static void tags_of(struct str html, struct buf *out)
{
    buf_clear(out);
    for (size_t i = 0; i + 1 < html.n; i++)
        if (html.p[i] == '<' && (html.p[i + 1] == '/' || ascii_is_alpha(html.p[i + 1]))) {
            buf_byte(out, '<');
            for (i++; i < html.n && (html.p[i] == '/' || ascii_is_alnum(html.p[i])); i++)
                buf_byte(out, html.p[i]);
        }
}

static bool has(struct str body, const char *what)
{
    return str_find_str(body, str_c(what)) < body.n;
}

static uint32_t count_of(struct str body, struct str what)
{
    uint32_t count = 0;
    for (size_t at; (at = str_find_str(body, what)) < body.n; count++)
        body = str_from(body, at + what.n);
    return count;
}

static void a_duplicate_has_the_bytes_of_its_original(void **state)
{
    (void)state;
    struct web w = web_open("hosts=30 pages=80 duplicates=0.2 near-duplicates=0.1");
    uint32_t seen = 0;
    for (uint32_t h = 0; h < 30; h++)
        for (uint32_t p = 0; p < host_pages(w.m.world, h); p++) {
            struct page page = page_at(&w, h, p);
            if (page.role != PAGE_DUPLICATE)
                continue;
            struct version v = {.text = p % 3, .structure = p % 2};
            assert_str(page_body(&w, h, p, v, &w.one), page_body(&w, h, page.same_as, v, &w.two));
            seen++;
        }
    assert_true(seen > 200);
    web_close(&w);
}

static size_t same_at_both_ends(struct str a, struct str b)
{
    size_t least = a.n < b.n ? a.n : b.n, front = 0, back = 0;
    while (front < least && a.p[front] == b.p[front])
        front++;
    while (back < least - front && a.p[a.n - 1 - back] == b.p[b.n - 1 - back])
        back++;
    return front + back;
}

static void a_near_duplicate_differs_in_a_sentence(void **state)
{
    (void)state;
    struct web w = web_open("hosts=20 pages=80 duplicates=0.1 near-duplicates=0.2");
    uint32_t seen = 0;
    for (uint32_t h = 0; h < 20; h++)
        for (uint32_t p = 0; p < host_pages(w.m.world, h); p++) {
            struct page page = page_at(&w, h, p);
            if (page.role != PAGE_NEAR_DUPLICATE)
                continue;
            struct str near = page_body(&w, h, p, (struct version){0}, &w.one);
            struct str far = page_body(&w, h, page.same_as, (struct version){0}, &w.two);
            size_t same = same_at_both_ends(near, far), wide = page.charset == CHARSET_UTF16LE;
            assert_false(str_eq(near, far));
            assert_true(near.n - same < 400u << wide && far.n - same < 400u << wide);
            seen++;
        }
    assert_true(seen > 100);
    web_close(&w);
}

static void two_contents_write_the_same_bytes_in_any_order(void **state)
{
    (void)state;
    struct web w = web_open("hosts=10 pages=20 redirects=0"), x = web_open("hosts=10 pages=20 "
                                                                           "redirects=0");
    for (uint32_t h = 0; h < 10; h++)
        for (uint32_t p = 20; p-- > 0;) {
            struct version v = {.text = h};
            page_body(&x, 9 - h, p, v, &x.one);
            struct str there = page_body(&x, h, p, v, &x.two);
            assert_str(page_body(&w, h, p, v, &w.one), there);
        }
    web_close(&w);
    web_close(&x);
}

static void another_seed_is_another_web(void **state)
{
    (void)state;
    struct web w = web_open("hosts=2 pages=9"), x = web_open("hosts=2 pages=9 seed=2");
    assert_false(str_eq(page_body(&w, 0, 0, (struct version){0}, &w.one),
                        page_body(&x, 0, 0, (struct version){0}, &x.one)));
    web_close(&w);
    web_close(&x);
}

/* Pages in UTF-16 hide their tags from tags_of. */
static void a_change_of_text_leaves_the_tags_and_one_of_structure_does_not(void **state)
{
    (void)state;
    struct web w = web_open("hosts=6 pages=30 redirects=0 duplicates=0 near-duplicates=0");
    struct buf tags = {.max = MOST_BYTES}, more = {.max = MOST_BYTES};
    for (uint32_t h = 0; h < 6; h++)
        for (uint32_t p = 0; p < host_pages(w.m.world, h); p++) {
            struct version v = {.text = p * 7, .structure = p, .image = 3};
            struct version text = {.text = v.text + 1, .structure = p, .image = 3};
            struct version structure = {.text = v.text, .structure = p + 1, .image = 3};
            struct version image = {.text = v.text, .structure = p, .image = 4};
            if (page_at(&w, h, p).charset == CHARSET_UTF16LE)
                continue;
            struct str before = page_body(&w, h, p, v, &w.one);
            tags_of(before, &tags);
            assert_str(page_body(&w, h, p, image, &w.two), before);
            assert_false(str_eq(page_body(&w, h, p, text, &w.two), before));
            tags_of(buf_str(&w.two), &more);
            assert_str(buf_str(&more), buf_str(&tags));
            page_body(&w, h, p, structure, &w.two);
            tags_of(buf_str(&w.two), &more);
            assert_false(str_eq(buf_str(&more), buf_str(&tags)));
        }
    buf_done(&tags);
    buf_done(&more);
    web_close(&w);
}

static void pages_are_about_as_long_as_the_world_says(void **state)
{
    (void)state;
    struct web w = web_open("hosts=10 pages=30 page-bytes=28k page-spread=0.3 redirects=0");
    double wanted = 0, got = 0;
    for (uint32_t h = 0; h < 10; h++)
        for (uint32_t p = 0; p < host_pages(w.m.world, h); p++) {
            struct page page = page_at(&w, h, p);
            if (page.charset == CHARSET_UTF16LE)
                continue;
            size_t n = page_body(&w, h, p, (struct version){0}, &w.one).n;
            assert_in_range(n, page.bytes * 3 / 4, page.bytes * 2);
            wanted += page.bytes;
            got += (double)n;
        }
    assert_true(got > wanted * 0.95 && got < wanted * 1.2);
    web_close(&w);
}

static size_t gzip_bytes(struct str text, struct buf *room)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)text.p, .avail_in = (uInt)text.n};
    buf_clear(room);
    size_t most = text.n + 1000;
    z.next_out = (Bytef *)buf_reserve(room, most);
    z.avail_out = (uInt)most;
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return most - z.avail_out;
}

static void pages_compress_like_the_real_web(void **state)
{
    (void)state;
    struct web w = web_open("hosts=20 pages=10 redirects=0");
    double plain = 0, coded = 0;
    for (uint32_t h = 0; h < 20; h++)
        for (uint32_t p = 0; p < 10; p++) {
            struct str body = page_body(&w, h, p, (struct version){0}, &w.one);
            plain += (double)body.n;
            coded += (double)gzip_bytes(body, &w.two);
        }
    printf("# 200 pages, %.0f bytes each, gzip -6: %.2f times smaller\n", plain / 200,
           plain / coded);
    assert_true(plain / coded > 3.8 && plain / coded < 5.2);
    web_close(&w);
}

/* Every character set a page may come in. */
static void a_page_says_its_charset_where_the_world_wants_it(void **state)
{
    (void)state;
    struct web w = web_open("hosts=60 pages=40 redirects=0");
    uint32_t seen[CHARSET_COUNT_][CHARSET_UNSAID + 1] = {{0}};
    for (uint32_t h = 0; h < 60; h++)
        for (uint32_t p = 0; p < host_pages(w.m.world, h); p++) {
            struct page page = page_at(&w, h, p);
            struct place place = {h, PLACE_PAGE, p, 0};
            struct str body = page_body(&w, h, p, (struct version){0}, &w.one);
            const char *label = charset_label(page.charset);
            bool meta = has(str_first(body, 400), label), mark = str_starts(body, STR("\xff\xfe"));
            struct content_facts f = content_facts(w.c, place, (struct version){0});
            assert_int_equal(meta, page.charset_said == CHARSET_IN_META ||
                                       page.charset_said == CHARSET_IN_BOTH);
            assert_int_equal(has(str_c(f.type), label), page.charset_said == CHARSET_IN_HEADER ||
                                                            page.charset_said == CHARSET_IN_BOTH);
            assert_true(str_starts(str_c(f.type), STR("text/html")));
            assert_int_equal(mark, page.charset == CHARSET_UTF16LE);
            seen[page.charset][page.charset_said]++;
        }
    for (unsigned k = 0; k < CHARSET_COUNT_; k++)
        assert_true(seen[k][CHARSET_IN_HEADER] > 0);
    assert_true(seen[CHARSET_UTF8][CHARSET_UNSAID] > 0);
    web_close(&w);
}

static void a_page_that_never_says_utf8_is_ascii_or_has_a_mark(void **state)
{
    (void)state;
    struct web w = web_open("hosts=20 pages=40 redirects=0");
    uint32_t marked = 0, plain = 0;
    for (uint32_t h = 0; h < 20; h++)
        for (uint32_t p = 0; p < host_pages(w.m.world, h); p++) {
            struct page page = page_at(&w, h, p);
            if (page.charset != CHARSET_UTF8 || page.charset_said != CHARSET_UNSAID)
                continue;
            struct str body = page_body(&w, h, p, (struct version){0}, &w.one);
            bool mark = str_starts(body, STR("\xef\xbb\xbf"));
            for (size_t i = 0; i < body.n && !mark; i++)
                assert_false(body.p[i] & 0x80);
            marked += mark;
            plain += !mark;
        }
    assert_true(marked > 10 && plain > 10);
    web_close(&w);
}

static void nofollow_is_said_by_meta_or_by_header(void **state)
{
    (void)state;
    struct web w = web_open("hosts=10 pages=60 nofollow=0.3");
    uint32_t by_meta = 0, by_header = 0;
    for (uint32_t h = 0; h < 10; h++)
        for (uint32_t p = 0; p < host_pages(w.m.world, h); p++) {
            struct page page = page_at(&w, h, p);
            struct place place = {h, PLACE_PAGE, p, 0};
            if (page.role == PAGE_REDIRECT || page.charset == CHARSET_UTF16LE)
                continue;
            struct str body = page_body(&w, h, p, (struct version){0}, &w.one);
            struct content_facts f = content_facts(w.c, place, (struct version){0});
            bool meta = has(body, "content=\"nofollow\"") || has(body, "\"index, NoFollow\"");
            bool wanted = page.role == PAGE_NOFOLLOW;
            assert_int_equal(meta, wanted && !page.nofollow_header);
            assert_int_equal(f.robots_tag != NULL, wanted && page.nofollow_header);
            by_meta += meta;
            by_header += f.robots_tag != NULL;
        }
    assert_true(by_meta > 10 && by_header > 10);
    web_close(&w);
}

/* How many there are of each kind; where they lead is for href_test and a real HTML parser. */
static void every_link_stands_on_the_page(void **state)
{
    (void)state;
    struct web w = web_open("hosts=10 pages=30 redirects=0 images=6");
    struct links *links = mem_alloc(sizeof *links);
    for (uint32_t h = 0; h < 10; h++)
        for (uint32_t p = 0; p < host_pages(w.m.world, h); p++) {
            if (page_at(&w, h, p).charset == CHARSET_UTF16LE)
                continue;
            struct str body = page_body(&w, h, p, (struct version){0}, &w.one);
            uint32_t kinds[LINK_LOCATION + 1] = {0};
            links_of(w.m.world, (struct place){h, PLACE_PAGE, p, 0}, links);
            for (uint32_t i = 0; i < links->count; i++)
                kinds[links->list[i].kind]++;
            assert_int_equal(count_of(body, STR("<area ")) + count_of(body, STR("<AREA ")),
                             kinds[LINK_AREA]);
            assert_int_equal(count_of(body, STR("</iframe>")) + count_of(body, STR("</IFRAME>")),
                             kinds[LINK_IFRAME]);
            assert_int_equal(count_of(body, STR("rel=\"nofollow\"")) +
                                 count_of(body, STR("REL=nofollow")),
                             kinds[LINK_A_NOFOLLOW]);
            assert_int_equal(count_of(body, STR("http-equiv=\"refresh\"")), kinds[LINK_REFRESH]);
        }
    mem_free(links);
    web_close(&w);
}

static void the_demo_has_an_index_and_titles(void **state)
{
    (void)state;
    struct web w = web_open("hosts=12 pages=20 demo=yes suffix=localhost redirects=0");
    struct buf title = {.max = 1000};
    for (uint32_t h = 0; h < 12; h++)
        for (uint32_t p = 0; p < 5; p++) {
            struct str body = page_body(&w, h, p, (struct version){0}, &w.one);
            buf_clear(&title);
            content_title(w.c, h, p, &title);
            assert_true(title.n > 5);
            bool is_wide = page_of(w.m.world, h, p).charset == CHARSET_UTF16LE;
            assert_true(is_wide || has(body, "<h1"));
        }
    buf_done(&title);
    web_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_duplicate_has_the_bytes_of_its_original),
        cmocka_unit_test(a_near_duplicate_differs_in_a_sentence),
        cmocka_unit_test(two_contents_write_the_same_bytes_in_any_order),
        cmocka_unit_test(another_seed_is_another_web),
        cmocka_unit_test(a_change_of_text_leaves_the_tags_and_one_of_structure_does_not),
        cmocka_unit_test(pages_are_about_as_long_as_the_world_says),
        cmocka_unit_test(pages_compress_like_the_real_web),
        cmocka_unit_test(a_page_says_its_charset_where_the_world_wants_it),
        cmocka_unit_test(a_page_that_never_says_utf8_is_ascii_or_has_a_mark),
        cmocka_unit_test(nofollow_is_said_by_meta_or_by_header),
        cmocka_unit_test(every_link_stands_on_the_page),
        cmocka_unit_test(the_demo_has_an_index_and_titles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
