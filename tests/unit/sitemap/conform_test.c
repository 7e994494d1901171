/* SPDX-License-Identifier: Apache-2.0 */
/* The sets of sitemaps and feeds. What the set leaves open is decided here, by name:
 *   the two lists of two URLs    expected.tsv gives no number for them
 *   do-not-visit.txt             a list of one; only a file that names it as an entity must not
 *                                read it, which the reader cannot do: it opens nothing
 *   testSitemapParserBrokenXml   a strict parser refuses it; we find its one URL
 *   testLenientParser            0 is the answer of the rule that a sitemap speaks only for the
 *                                folder it lies in; the reader is not told where the file was and
 *                                finds 1 */
#include "kit.h"
#include "warc/inflate.h"

#include <jansson.h>

enum { FILE_ROWS = 11, EXTENSION_ROWS = 9, INLINE_ROWS = 20, FILE_MAX_BYTES = 4 << 20 };

struct open_row {
    const char *name;
    size_t count;
};

static const struct open_row open_rows[] = {
    {"sitemaps/sitemap.txt", 2},      {"sitemaps/sitemap-with-bom.txt", 2},
    {"sitemaps/do-not-visit.txt", 1}, {"testSitemapParserBrokenXml", 1},
    {"testLenientParser", 1},
};

static size_t decided(struct str name, size_t otherwise)
{
    for (size_t i = 0; i < sizeof open_rows / sizeof *open_rows; i++)
        if (str_eq(name, str_c(open_rows[i].name)))
            return open_rows[i].count;
    return otherwise;
}

/* gzip is known by its first bytes, whatever the name says. */
static void gunzip(struct buf *file)
{
    struct buf plain;
    buf_init(&plain, FILE_MAX_BYTES);
    struct str in = buf_str(file);
    struct inflater *f = inflater_open();
    assert_non_null(f);
    enum inflate_state state = INFLATE_MORE;
    while (state == INFLATE_MORE && in.n) {
        size_t bytes;
        char *to = buf_reserve(&plain, 4096);
        assert_non_null(to);
        state = inflater_run(f, &in, to, 4096, &bytes);
        plain.n += bytes;
    }
    assert_int_equal(state, INFLATE_END);
    inflater_close(f);
    buf_done(file);
    *file = plain;
}

static bool slurp(struct str name, struct buf *ret)
{
    char file[128];
    (void)snprintf(file, sizeof file, "sitemaps/" STR_FMT, STR_ARG(name));
    const char *path = test_conformance(file);
    if (!path || !test_slurp(path, ret))
        return false;
    if (str_starts(buf_str(ret), STR("\x1f\x8b")))
        gunzip(ret);
    return true;
}

/* Reads whole and byte by byte; false if they differ. */
static bool read_twice(struct str file, struct buf *dump, struct sitemap_summary *ret)
{
    struct buf again;
    buf_init(&again, FILE_MAX_BYTES);
    buf_init(dump, FILE_MAX_BYTES);
    *ret = kit_read(file, (struct sitemap_options){0}, 0, true, dump);
    (void)kit_read(file, (struct sitemap_options){0}, 1, true, &again);
    bool same = str_eq(buf_str(&again), buf_str(dump));
    buf_done(&again);
    return same;
}

static size_t count_kind(struct str dump, const char *kind)
{
    size_t count = 0;
    while (dump.p) {
        struct str line = str_take_until(&dump, '\n');
        count += str_eq(str_first(line, str_find(line, ' ')), str_c(kind));
    }
    return count;
}

/* The files */

static bool type_is(struct str type, enum sitemap_format format)
{
    return str_eq(type, STR("-")) || str_eq(type, str_c(sitemap_format_name(format))) ||
           (str_eq(type, STR("text")) && format == SITEMAP_LIST);
}

static void check_file(struct score *score, struct str line)
{
    struct str name = str_take_until(&line, '\t'), type = str_take_until(&line, '\t');
    uint64_t expected;
    if (str_to_u64(str_take_until(&line, '\t'), &expected) != RC_OK)
        expected = decided(name, SIZE_MAX);
    struct buf file = {0}, dump;
    struct sitemap_summary s;
    assert_true(slurp(name, &file));
    bool good = read_twice(buf_str(&file), &dump, &s) && type_is(type, s.format);
    size_t count = count_kind(buf_str(&dump), str_eq(type, STR("index")) ? "sitemap" : "page");
    score_row(score, good && count == expected && s.entries == expected,
              STR_FMT ": %s with %zu of %u", STR_ARG(name), sitemap_format_name(s.format), count,
              s.entries);
    buf_done(&file);
    buf_done(&dump);
}

static void each_file_gives_the_urls_expected_of_it(void **state)
{
    (void)state;
    struct buf table = {0};
    if (!slurp(STR("expected.tsv"), &table))
        skip();
    struct score score = {.set = "sitemaps/expected.tsv"};
    struct str rest = buf_str(&table);
    while (rest.p) {
        struct str line = str_take_until(&rest, '\n');
        if (line.n && *line.p != '#')
            check_file(&score, line);
    }
    buf_done(&table);
    score_end(&score, FILE_ROWS);
}

/* The extensions, of which the set gives no numbers: those of another XML parser. */

struct extension_row {
    const char *file;
    size_t pages, alternates, images, media;
};

static const struct extension_row extension_rows[EXTENSION_ROWS] = {
    {"hebdenbridgetimes-articles-sitemap.xml", 74, 0, 100, 6},
    {"pagemaps-sitemap.xml", 2, 0, 0, 0},
    {"shinpaideshou-news-sitemap.xml", 3, 0, 0, 0},
    {"sitemap-images.xml", 1, 0, 2, 0},
    {"sitemap-links.xml", 3, 9, 0, 0},
    {"sitemap-mobile.xml", 3, 0, 0, 0},
    {"sitemap-news.xml", 2, 0, 0, 0},
    {"sitemap-videos-tvshow.xml", 1, 0, 1, 2},
    {"sitemap-videos.xml", 3, 0, 3, 4},
};

static void extensions_are_told_from_pages(void **state)
{
    (void)state;
    struct score score = {.set = "sitemaps/sitemaps/extension"};
    for (size_t i = 0; i < EXTENSION_ROWS; i++) {
        const struct extension_row *row = &extension_rows[i];
        char name[128];
        struct buf file = {0}, dump;
        struct sitemap_summary s;
        (void)snprintf(name, sizeof name, "sitemaps/extension/%s", row->file);
        if (!slurp(str_c(name), &file))
            skip();
        bool same = read_twice(buf_str(&file), &dump, &s);
        struct str d = buf_str(&dump);
        score_row(&score,
                  same && s.format == SITEMAP_URLSET && count_kind(d, "page") == row->pages &&
                      count_kind(d, "alternate") == row->alternates &&
                      count_kind(d, "image") == row->images && count_kind(d, "media") == row->media,
                  "%s: %u entries, %u extras\n" STR_FMT, row->file, s.entries, s.extras,
                  STR_ARG(d));
        buf_done(&file);
        buf_done(&dump);
    }
    score_end(&score, EXTENSION_ROWS);
}

/* The inline rows */

static struct str json_str(const json_t *row, const char *key)
{
    const json_t *v = json_object_get(row, key);
    return str_make(json_string_value(v), json_string_length(v));
}

/* Entries as they should be, in the words of the kit's dump but for the milliseconds. */
static void expected_put(const json_t *entry, size_t number, const char *kind, struct buf *out)
{
    const json_t *alternates = json_object_get(entry, "alternate");
    struct str lastmod = json_str(entry, "lastmod"), freq = json_str(entry, "changefreq");
    struct str priority = json_str(entry, "priority");
    for (size_t i = 0; i < json_array_size(alternates); i++)
        buf_printf(out, "alternate %zu %s\n", number,
                   json_string_value(json_array_get(alternates, i)));
    buf_printf(out, "%s %zu " STR_FMT, kind, number, STR_ARG(json_str(entry, "loc")));
    if (lastmod.p)
        buf_printf(out, " lastmod=" STR_FMT, STR_ARG(lastmod));
    if (freq.p)
        buf_printf(out, " freq=" STR_FMT, STR_ARG(freq));
    if (priority.p)
        buf_printf(out, " priority=%d", (int)(strtod(priority.p, NULL) * 1000 + 0.5));
    buf_byte(out, '\n');
}

/* The dump without " ms=..." and " lang=...", which the rows do not tell. */
static void dump_strip(struct str dump, struct buf *out)
{
    while (dump.n) {
        struct str line = str_take_until(&dump, '\n');
        size_t ms = str_find_str(line, STR(" ms="));
        buf_add(out, str_first(str_first(line, ms), str_find_str(line, STR(" lang="))));
        struct str rest = str_from(line, ms + 4);
        buf_add(out, str_from(rest, str_find(rest, ' ')));
        buf_byte(out, '\n');
    }
}

static bool entries_are(const json_t *row, struct str dump, struct buf *wanted)
{
    const json_t *entries = json_object_get(row, "entries");
    const char *kind = str_eq(json_str(row, "type"), STR("sitemapindex")) ? "sitemap" : "page";
    struct buf got;
    buf_init(&got, FILE_MAX_BYTES);
    for (size_t i = 0; i < json_array_size(entries); i++)
        expected_put(json_array_get(entries, i), i + 1, kind, wanted);
    dump_strip(dump, &got);
    bool same = !entries || str_eq(buf_str(&got), buf_str(wanted));
    buf_done(&got);
    return same;
}

static void check_inline(struct score *score, struct str line)
{
    json_t *row = json_loadb(line.p, line.n, 0, NULL);
    assert_non_null(row);
    struct str name = json_str(row, "test");
    const json_t *count = json_object_get(row, "expected_urls");
    size_t expected =
        decided(name, json_is_integer(count) ? (size_t)json_integer_value(count) : SIZE_MAX);
    struct buf dump, wanted;
    struct sitemap_summary s;
    buf_init(&wanted, FILE_MAX_BYTES);
    bool good = read_twice(json_str(row, "xml"), &dump, &s);
    good &= entries_are(row, buf_str(&dump), &wanted);
    score_row(score, good && s.entries == expected, STR_FMT ": %u\n" STR_FMT "expected\n" STR_FMT,
              STR_ARG(name), s.entries, STR_ARG(buf_str(&dump)), STR_ARG(buf_str(&wanted)));
    buf_done(&dump);
    buf_done(&wanted);
    json_decref(row);
}

static void each_inline_case_gives_the_entries_expected_of_it(void **state)
{
    (void)state;
    struct buf table = {0};
    if (!slurp(STR("inline_cases.jsonl"), &table))
        skip();
    struct score score = {.set = "sitemaps/inline_cases.jsonl"};
    struct str rest = buf_str(&table);
    while (rest.p) {
        struct str line = str_take_until(&rest, '\n');
        if (line.n)
            check_inline(&score, line);
    }
    buf_done(&table);
    score_end(&score, INLINE_ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_file_gives_the_urls_expected_of_it),
        cmocka_unit_test(extensions_are_told_from_pages),
        cmocka_unit_test(each_inline_case_gives_the_entries_expected_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
