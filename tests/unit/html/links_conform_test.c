/* SPDX-License-Identifier: Apache-2.0 */
/* The links of pages, resolved, against two lists made by others: cases of Heritrix and Scrapy, and
 * the links of two real sites (tools/get-corpus fetches those). */
#include "html/charset.h"
#include "html/page.h"
#include "lib/test.h"
#include "url/encoding.h"
#include "url/idn.h"
#include "url/url.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

/* A page's links as URLs, in the arena. */
struct absolute {
    struct str url; /* absent if it does not parse */
    const struct page_link *link;
};

struct resolver {
    struct page_reader *reader;
    struct arena *arena;
    struct url_idn *idn;
    struct page page;
    struct absolute *links;
    char page_room[URL_ROOM_BYTES], base_room[URL_ROOM_BYTES], room[URL_ROOM_BYTES];
};

static void resolver_open(struct resolver *r)
{
    assert_rc(page_reader_open(&r->reader), RC_OK);
    r->arena = arena_open(1 << 20, (size_t)256 << 20);
    assert_non_null(r->arena);
    assert_rc(url_idn_open(&r->idn), RC_OK);
}

static void resolver_close(struct resolver *r)
{
    page_reader_close(r->reader);
    arena_close(r->arena);
    url_idn_close(r->idn);
}

static void resolve_page(struct resolver *r, struct str html, struct str url, unsigned parts)
{
    struct page_options options = {.parts = parts};
    struct url_parser parser = {.idn = r->idn};
    struct url page_url, base, link;
    arena_clear(r->arena);
    struct charset_guess guess = charset_guess(html, STR("text/html"));
    struct buf utf8;
    buf_init(&utf8, (size_t)256 << 20);
    assert_rc(charset_to_utf8(guess.name, str_from(html, guess.bom_bytes), &utf8), RC_OK);
    assert_rc(page_read(r->reader, &options, buf_str(&utf8), r->arena, &r->page), RC_OK);
    buf_done(&utf8);
    struct url_room room = {r->page_room, sizeof r->page_room};
    assert_rc(url_parse(&parser, url, NULL, room, &page_url), RC_OK);
    base = page_url;
    if (r->page.base.p) {
        room = (struct url_room){r->base_room, sizeof r->base_room};
        if (url_parse(&parser, r->page.base, &page_url, room, &base) != RC_OK)
            base = page_url;
    }
    r->links = arena_zero(r->arena, (r->page.link_count + 1) * sizeof *r->links);
    assert_non_null(r->links);
    room = (struct url_room){r->room, sizeof r->room};
    for (size_t i = 0; i < r->page.link_count; i++) {
        r->links[i].link = &r->page.links[i];
        if (url_parse(&parser, r->page.links[i].url, &base, room, &link) == RC_OK)
            r->links[i].url = arena_dup(r->arena, url_href(&link));
    }
}

static struct str json_str(const json_t *j)
{
    return json_is_string(j) ? str_make(json_string_value(j), json_string_length(j)) : STR_NONE;
}

/* Rows that are not about extraction, or about strings that are no references of the markup. */
static const struct {
    const char *id, *why;
} left_out[] = {
    {"L013", "whether nofollow is obeyed is the crawler's policy"},
    {"L023", "a file name inside the flashvars string of a Flash parameter"},
    {"L024", "a file name inside the flashvars string of a Flash embed"},
    {"L064", "which file extensions are skipped is the crawler's policy"},
};

static bool is_left_out(struct str id)
{
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (str_eq(id, str_c(left_out[i].id)))
            return true;
    return false;
}

/* What counts as found: not the data: URLs, which the cases do not list. */
static bool is_found(const struct absolute *a, bool only_nav)
{
    if (!a->url.p || str_starts(a->url, STR("data:")))
        return false;
    return !only_nav || a->link->kind == PAGE_NAV;
}

static bool has_url(const struct resolver *r, struct str expected, bool only_nav)
{
    bool part = expected.n && expected.p[0] == '~';
    char room[4096];
    struct url url;
    struct url_parser parser = {.idn = r->idn};
    if (!part &&
        url_parse(&parser, expected, NULL, (struct url_room){room, sizeof room}, &url) == RC_OK)
        expected = url_href(&url);
    for (size_t i = 0; i < r->page.link_count; i++) {
        struct str got = r->links[i].url;
        if (!is_found(&r->links[i], only_nav))
            continue;
        if (part ? str_find_str(got, str_from(expected, 1)) < got.n : str_eq(got, expected))
            return true;
    }
    return false;
}

static bool case_passes(const struct resolver *r, const json_t *expected, struct str mode,
                        struct buf *why)
{
    bool only_nav = str_eq(mode, STR("exact-a-area-href"));
    size_t i, j;
    json_t *e;
    json_array_foreach(expected, i, e)
    {
        if (has_url(r, json_str(e), only_nav))
            continue;
        buf_printf(why, "missing %s", json_string_value(e));
        return false;
    }
    if (str_eq(mode, STR("contains")))
        return true;
    for (i = 0; i < r->page.link_count; i++) {
        bool known = !is_found(&r->links[i], only_nav);
        json_array_foreach(expected, j, e)
        {
            char room[4096];
            struct url url;
            struct url_parser parser = {.idn = r->idn};
            struct url_room at = {room, sizeof room};
            if (!known && url_parse(&parser, json_str(e), NULL, at, &url) == RC_OK)
                known = str_eq(url_href(&url), r->links[i].url);
        }
        if (!known)
            buf_printf(why, "extra " STR_FMT, STR_ARG(r->links[i].url));
        if (!known)
            return false;
    }
    return true;
}

static void base64_decode(struct str s, struct buf *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    unsigned have = 0;
    for (size_t i = 0; i < s.n && s.p[i] != '='; i++) {
        const char *at = strchr(digits, s.p[i]);
        assert_non_null(at);
        bits = bits << 6 | (uint32_t)(at - digits);
        have += 6;
        if (have >= 8) {
            have -= 8;
            buf_byte(out, (char)(bits >> have));
        }
    }
}

static void test_cases(void **state)
{
    (void)state;
    static struct resolver r;
    const char *path = test_conformance("html/link_extraction_cases.jsonl");
    if (!path)
        skip();
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    struct score score = {.set = "html/link_extraction_cases.jsonl"};
    struct buf html, why;
    buf_init(&html, 1 << 24);
    buf_init(&why, 1 << 20);
    resolver_open(&r);
    json_t *row;
    size_t excluded = 0;
    while ((row = json_loadf(f, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, NULL))) {
        struct str id = json_str(json_object_get(row, "id"));
        struct str b64 = json_str(json_object_get(row, "html_b64"));
        buf_clear(&html);
        buf_clear(&why);
        if (b64.p)
            base64_decode(b64, &html);
        else
            buf_add(&html, json_str(json_object_get(row, "html")));
        resolve_page(&r, buf_str(&html), json_str(json_object_get(row, "base")),
                     PAGE_LINKS | PAGE_ANCHORS | PAGE_LAZY);
        bool passes = case_passes(&r, json_object_get(row, "expected"),
                                  json_str(json_object_get(row, "mode")), &why);
        if (is_left_out(id))
            excluded++;
        else
            score_row(&score, passes, STR_FMT ": " STR_FMT, STR_ARG(id), STR_ARG(buf_str(&why)));
        json_decref(row);
    }
    (void)fclose(f);
    buf_done(&html);
    buf_done(&why);
    resolver_close(&r);
    assert_int_equal(excluded, sizeof left_out / sizeof *left_out);
    score_end(&score, 43);
}

/* The list of links was made from one version of the package; Debian may offer another. */
struct site {
    const char *package, *version, *docroot, *origin;
    size_t pages, rows;
};

static char corpus_room[4096];

static const char *package_path(const struct site *site, const char *folder, struct str file)
{
    const char *root = getenv("ORBWEAVER_CORPUS");
    if (root && *root)
        (void)snprintf(corpus_room, sizeof corpus_room, "%s/%s/%s" STR_FMT, root, site->package,
                       folder, STR_ARG(file));
    else
        (void)snprintf(corpus_room, sizeof corpus_room, "%s/.cache/corpus/%s/%s" STR_FMT,
                       test_data(".."), site->package, folder, STR_ARG(file));
    return corpus_room;
}

static const char *corpus_path(const struct site *site, struct str page)
{
    return package_path(site, site->docroot, page);
}

/* All pages of the very version must agree. Of another version most pages are still the same. */
static void judge(const struct site *site, const struct score *score)
{
    struct buf version = {.max = 1000};
    bool known = test_slurp(package_path(site, "VERSION", STR("")), &version);
    struct str has = known ? str_trim(buf_str(&version)) : STR("an unknown version");
    bool same = str_eq(has, str_c(site->version));
    if (!same)
        printf("# skipped: corpus/%s in full (the list is of %s, Debian has " STR_FMT
               "; %zu of %zu pages agree)\n",
               site->package, site->version, STR_ARG(has), score->passed, score->total);
    buf_done(&version);
    if (same)
        score_end(score, site->pages);
    else
        assert_true(score->total == site->pages && score->passed * 100 >= score->total * 95);
}

/* The list's word for a kind; NULL for what it leaves out. */
static const char *kind_word(enum page_link_kind kind)
{
    switch (kind) {
    case PAGE_NAV:
    case PAGE_FRAME:
    case PAGE_REFRESH:
        return "nav";
    case PAGE_EMBED:
        return "embed";
    case PAGE_STYLE:
    case PAGE_CANONICAL:
    case PAGE_ALTERNATE:
    case PAGE_LINK:
    case PAGE_MANIFEST:
        return "link";
    default:
        return NULL;
    }
}

/* "kind TAB url" without fragment, as the list has it. */
static struct str row_of(struct resolver *r, const struct absolute *a)
{
    const char *word = a->link->element == ELEMENT_LINK ? "link" : kind_word(a->link->kind);
    if (!word || !a->url.p || !str_starts(a->url, STR("http")))
        return STR_NONE;
    struct str url = str_first(a->url, str_find(a->url, '#'));
    return arena_printf(r->arena, "%s\t" STR_FMT, word, STR_ARG(url));
}

static int by_bytes(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* The rows of the page at hand, sorted. */
static size_t own_rows(struct resolver *r, struct str **ret)
{
    size_t n = 0;
    *ret = arena_alloc(r->arena, (r->page.link_count + 1) * sizeof **ret);
    for (size_t i = 0; i < r->page.link_count; i++) {
        struct str row = row_of(r, &r->links[i]);
        if (row.p)
            (*ret)[n++] = row;
    }
    qsort(*ret, n, sizeof **ret, by_bytes);
    return n;
}

/* Compares one page with its lines of the list. */
static bool page_agrees(struct resolver *r, const struct site *site, struct str page,
                        struct str *expected, size_t expected_n, struct buf *why)
{
    struct buf html;
    buf_init(&html, (size_t)64 << 20);
    if (!test_slurp(corpus_path(site, page), &html)) {
        buf_add(why, STR("no such file"));
        buf_done(&html);
        return false;
    }
    char url[1024];
    (void)snprintf(url, sizeof url, "%s" STR_FMT, site->origin, STR_ARG(page));
    resolve_page(r, buf_str(&html), str_c(url), PAGE_LINKS);
    buf_done(&html);
    struct str *own;
    size_t n = own_rows(r, &own);
    qsort(expected, expected_n, sizeof *expected, by_bytes);
    size_t i = 0;
    while (i < n && i < expected_n && str_eq(own[i], expected[i]))
        i++;
    if (i == n && i == expected_n)
        return true;
    buf_printf(why, "ours " STR_FMT ", theirs " STR_FMT, STR_ARG(i < n ? own[i] : STR("(end)")),
               STR_ARG(i < expected_n ? expected[i] : STR("(end)")));
    return false;
}

static void test_corpus(void **state)
{
    const struct site *site = *state;
    static struct resolver r;
    char name[128], command[4400];
    (void)snprintf(name, sizeof name, "corpus/%s.links.tsv.xz", site->package);
    const char *list = test_conformance(name);
    if (!list)
        skip();
    (void)snprintf(command, sizeof command, "xz -dc '%s'", list);
    FILE *there = fopen(corpus_path(site, STR("/index.html")), "r");
    if (!there) {
        printf("# skipped: corpus/%s (absent: tools/get-corpus)\n", site->package);
        skip();
    }
    (void)fclose(there);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    struct score score = {.set = name};
    struct arena *lines = arena_open(1 << 20, (size_t)256 << 20);
    struct str *rows = calloc(site->rows + 1, sizeof *rows);
    struct buf why;
    buf_init(&why, 1 << 16);
    resolver_open(&r);
    char *line = NULL;
    size_t cap = 0, n = 0, all = 0;
    struct str page = STR_NONE;
    for (bool more = true; more;) {
        ssize_t got = getline(&line, &cap, f);
        more = got > 0;
        struct str s = more ? str_trim(str_make(line, (size_t)got)) : STR("\t");
        struct str its_page = str_take_until(&s, '\t');
        if (page.p && !str_eq(page, its_page)) {
            buf_clear(&why);
            bool same = page_agrees(&r, site, page, rows, n, &why);
            score_row(&score, same, STR_FMT ": " STR_FMT, STR_ARG(page), STR_ARG(buf_str(&why)));
            n = 0;
        }
        if (!page.p || !str_eq(page, its_page))
            page = arena_dup(lines, its_page);
        if (!more)
            break;
        assert_true(all < site->rows);
        all++;
        rows[n++] = arena_dup(lines, s);
    }
    assert_int_equal(pclose(f), 0);
    free(line);
    free(rows);
    arena_close(lines);
    buf_done(&why);
    resolver_close(&r);
    printf("# %zu rows\n", all);
    assert_int_equal(all, site->rows);
    judge(site, &score);
}

int main(void)
{
    static struct site sites[] = {
        {"python3.11-doc", "3.11.2-6+deb12u9", "usr/share/doc/python3.11/html", "http://py.test",
         526, 175692},
        {"postgresql-doc-15", "15.20-0+deb12u1", "usr/share/doc/postgresql-doc-15/html",
         "http://pg.test", 1169, 29804},
    };
    const struct CMUnitTest tests[] = {
        {"what Heritrix and Scrapy find we find", test_cases, NULL, NULL, NULL},
        {"the links of the Python manual", test_corpus, NULL, NULL, &sites[0]},
        {"the links of the PostgreSQL manual", test_corpus, NULL, NULL, &sites[1]},
    };
    return cmocka_run_group_tests_name("html/links", tests, NULL, NULL);
}
