/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#include "base/rng.h"

static void entries_past_the_limit_are_counted(void **state)
{
    (void)state;
    struct str file = STR("<urlset><url><loc>a</loc><link href='x'/></url><url><loc>b</loc></url>"
                          "<url><loc>c</loc><link href='y'/></url></urlset>");
    struct sitemap_summary s = kit_expect(file, (struct sitemap_options){.max_entries = 2},
                                          STR("alternate 1 x\npage 1 a\npage 2 b\n"));
    assert_int_equal(s.entries, 2);
    assert_int_equal(s.entries_cut, 1);
    assert_int_equal(s.extras_cut, 1);
    s = kit_expect(file, (struct sitemap_options){.max_extras = 1},
                   STR("alternate 1 x\npage 1 a\npage 2 b\npage 3 c\n"));
    assert_int_equal(s.extras_cut, 1);
}

static void fifty_thousand_is_the_usual_limit(void **state)
{
    (void)state;
    struct buf file, dump;
    buf_init(&file, 8 << 20);
    buf_init(&dump, 8 << 20);
    buf_add(&file, STR("<urlset>"));
    for (int i = 0; i < 60000; i++)
        buf_printf(&file, "<url><loc>http://e.org/%d</loc></url>", i);
    struct sitemap_summary s =
        kit_read(buf_str(&file), (struct sitemap_options){0}, 0, true, &dump);
    assert_int_equal(s.entries, 50000);
    assert_int_equal(s.entries_cut, 10000);
    buf_done(&file);
    buf_done(&dump);
}

static enum rc count(void *ctx, const struct sitemap_entry *e)
{
    (void)e;
    *(int *)ctx += 1;
    return *(int *)ctx == 2 ? RC_DISK_FULL : RC_OK;
}

static enum rc ignore(void *ctx, const struct sitemap_entry *e)
{
    (void)ctx;
    (void)e;
    return RC_OK;
}

static void add_says_when_no_more_will_come(void **state)
{
    (void)state;
    struct sitemap_reader *r;
    struct sitemap_options o = {.max_entries = 1, .emit = ignore};
    assert_rc(sitemap_open(&o, &r), RC_OK);
    struct str head = STR("<urlset><!--");
    char room[600];
    memset(room, ' ', sizeof room);
    assert_rc(sitemap_add(r, head), RC_OK);
    assert_rc(sitemap_add(r, str_make(room, sizeof room)), RC_OK);
    assert_rc(sitemap_add(r, STR("--><url><loc>a</loc></url>")), RC_LIMIT);
    assert_rc(sitemap_add(r, STR("<url><loc>b</loc></url>")), RC_LIMIT);
    assert_rc(sitemap_finish(r, true), RC_OK);
    assert_int_equal(sitemap_summary(r)->entries_cut, 1);
    sitemap_close(r);
}

static void what_emit_returns_ends_the_reading(void **state)
{
    (void)state;
    struct sitemap_reader *r;
    int calls = 0;
    struct sitemap_options o = {.emit = count, .ctx = &calls};
    assert_rc(sitemap_open(&o, &r), RC_OK);
    assert_rc(sitemap_add(r, STR("http://a/\nhttp://b/\nhttp://c/\n")), RC_OK);
    assert_rc(sitemap_finish(r, true), RC_DISK_FULL);
    assert_int_equal(calls, 2);
    sitemap_close(r);
}

static void bytes_past_the_limit_are_counted_and_cut_no_url(void **state)
{
    (void)state;
    struct str file = STR("http://e.org/1\nhttp://e.org/2\nhttp://e.org/3\n");
    struct sitemap_options o = {.max_bytes = 40};
    struct sitemap_summary s =
        kit_expect(file, o, STR("page 1 http://e.org/1\npage 2 http://e.org/2\n"));
    assert_int_equal(s.bytes, 40);
    assert_int_equal(s.bytes_cut, 5);
    file = STR("<urlset><url><loc>http://e.org/1</loc></url>");
    (void)kit_expect(file, (struct sitemap_options){.max_bytes = 30}, STR(""));
}

/* `n` bytes of URL in the form that `before` and `after` make. */
static struct sitemap_summary read_long(struct str before, size_t n, struct str after)
{
    struct buf file, dump;
    buf_init(&file, 1 << 20);
    buf_init(&dump, 1 << 20);
    struct sitemap_summary s = {0}, whole = {0};
    static const size_t pieces[] = {0, 1, 1000};
    buf_add(&file, before);
    buf_add(&file, STR("http://"));
    buf_fill(&file, 'a', n - 7);
    buf_add(&file, after);
    for (size_t i = 0; i < 3; i++) {
        buf_clear(&dump);
        s = kit_read(buf_str(&file), (struct sitemap_options){0}, pieces[i], true, &dump);
        if (i > 0)
            assert_true(kit_same(&s, &whole));
        whole = s;
    }
    buf_done(&file);
    buf_done(&dump);
    return s;
}

static void urls_over_the_limit_are_dropped_whole(void **state)
{
    (void)state;
    static const struct {
        struct str before, after;
        uint32_t extras;
    } rows[] = {
        {STR("http://x/\n"), STR("\n"), 0},
        {STR("<urlset><url><loc>http://x/</loc></url><url><loc>"), STR("</loc></url></urlset>"), 0},
        {STR("<urlset><url><loc>http://x/</loc><xhtml:link href='"), STR("'/></url></urlset>"), 1},
        {STR("<rss><item><link>http://x/</link></item><item><link>"), STR("</link></item></rss>"),
         0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sitemap_summary s = read_long(rows[i].before, SITEMAP_LOC_MAX_BYTES, rows[i].after);
        assert_int_equal(s.entries + s.extras, 2);
        assert_int_equal(s.too_long, 0);
        s = read_long(rows[i].before, SITEMAP_LOC_MAX_BYTES + 1, rows[i].after);
        assert_int_equal(s.entries + s.extras, 1);
        assert_int_equal(s.too_long, 1);
    }
}

static void tags_over_the_limit_are_passed_over(void **state)
{
    (void)state;
    struct sitemap_summary s =
        read_long(STR("<urlset><url><loc>http://x/</loc><link href='"), SITEMAP_TAG_MAX_BYTES,
                  STR("'/></url><url><loc>http://y/</loc></url>"));
    assert_int_equal(s.entries, 2);
    assert_int_equal(s.too_long, 1);
}

static void a_document_type_without_end_ends_the_reading(void **state)
{
    (void)state;
    struct sitemap_summary s =
        read_long(STR("<!DOCTYPE urlset [ <!ENTITY x '"), SITEMAP_DOCTYPE_MAX_BYTES,
                  STR("'>]><urlset><url><loc>http://x/</loc></url></urlset>"));
    assert_int_equal(s.entries, 0);
    assert_true(s.doctype_cut);
    s = read_long(STR("<!DOCTYPE urlset [ <!ENTITY x '"), SITEMAP_DOCTYPE_MAX_BYTES / 2,
                  STR("'>]><urlset><url><loc>http://x/</loc></url></urlset>"));
    assert_int_equal(s.entries, 1);
    assert_false(s.doctype_cut);
}

static void a_million_open_tags_need_no_memory(void **state)
{
    (void)state;
    struct buf file, dump;
    buf_init(&file, 64 << 20);
    buf_init(&dump, 1 << 20);
    buf_add(&file, STR("<urlset><url><loc>"));
    for (int i = 0; i < 1000000; i++)
        buf_add(&file, i % 2 ? STR("<url>") : STR("<x>"));
    buf_add(&file, STR("http://e.org/</loc>"));
    struct sitemap_summary s =
        kit_read(buf_str(&file), (struct sitemap_options){0}, 0, true, &dump);
    assert_int_equal(s.entries, 1);
    buf_done(&file);
    buf_done(&dump);
}

static enum rc open_read_close(void *ctx)
{
    (void)ctx;
    struct sitemap_reader *r;
    struct sitemap_options o = {.emit = ignore};
    enum rc rc = sitemap_open(&o, &r);
    if (rc)
        return rc;
    rc = sitemap_add(r, STR("<urlset><url><loc>http://e.org/</loc></url></urlset>"));
    if (rc == RC_OK)
        rc = sitemap_finish(r, true);
    sitemap_close(r);
    return rc;
}

static void memory_may_run_out_when_it_opens(void **state)
{
    (void)state;
    test_each_allocation_fails(open_read_close, NULL);
    sitemap_close(NULL);
}

/* Made of pieces that mean something, so that most of the machine is reached. */
static void put_random_file(struct rng *rng, struct buf *out)
{
    static const char *const parts[] = {
        "<urlset>",
        "<url>",
        "</url>",
        "<loc>",
        "</loc>",
        "http://e.org/",
        "&amp;",
        "&x;",
        "&",
        "<![CDATA[",
        "]]>",
        "]",
        "<!--",
        "-->",
        "-",
        "<",
        ">",
        "\"",
        "'",
        "<lastmod>",
        "2005",
        "<?xml",
        "?>",
        "<!DOCTYPE",
        "[",
        "<image:image>",
        "</image:image>",
        "<rss>",
        "<item>",
        "</item>",
        "<link>",
        "</link>",
        "<link href='a'/>",
        "\n",
        "\xc2\xa0",
        "\xe9",
        "<feed>",
        "<entry>",
        "<sitemap>",
        "</",
    };
    buf_clear(out);
    for (uint64_t n = rng_below(rng, 60); n > 0; n--)
        buf_add(out, str_c(parts[rng_below(rng, sizeof parts / sizeof *parts)]));
}

static void how_a_file_is_cut_changes_nothing(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, test_seed(4));
    struct buf file, whole, cut;
    buf_init(&file, 1 << 16);
    buf_init(&whole, 1 << 20);
    buf_init(&cut, 1 << 20);
    for (int i = 0; i < 20000; i++) {
        put_random_file(&rng, &file);
        buf_clear(&whole);
        buf_clear(&cut);
        struct sitemap_summary a =
            kit_read(buf_str(&file), (struct sitemap_options){0}, 0, true, &whole);
        struct sitemap_summary b = kit_read(buf_str(&file), (struct sitemap_options){0},
                                            1 + (size_t)rng_below(&rng, 9), true, &cut);
        assert_str(buf_str(&cut), buf_str(&whole));
        assert_true(kit_same(&a, &b));
    }
    buf_done(&file);
    buf_done(&whole);
    buf_done(&cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_past_the_limit_are_counted),
        cmocka_unit_test(fifty_thousand_is_the_usual_limit),
        cmocka_unit_test(add_says_when_no_more_will_come),
        cmocka_unit_test(what_emit_returns_ends_the_reading),
        cmocka_unit_test(bytes_past_the_limit_are_counted_and_cut_no_url),
        cmocka_unit_test(urls_over_the_limit_are_dropped_whole),
        cmocka_unit_test(tags_over_the_limit_are_passed_over),
        cmocka_unit_test(a_document_type_without_end_ends_the_reading),
        cmocka_unit_test(a_million_open_tags_need_no_memory),
        cmocka_unit_test(memory_may_run_out_when_it_opens),
        cmocka_unit_test(how_a_file_is_cut_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
