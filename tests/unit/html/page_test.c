/* SPDX-License-Identifier: Apache-2.0 */
#include "html/page.h"
#include "html/tokenizer.h"
#include "lib/test.h"

#include <stdio.h>

/* A page read whole and in pieces; the two must agree in what `print` makes of them. */
struct fixture {
    struct page_reader *reader;
    struct arena *arena;
    struct buf whole, pieces;
};

static void fixture_open(struct fixture *f)
{
    assert_rc(page_reader_open(&f->reader), RC_OK);
    f->arena = arena_open(1 << 16, 1 << 28);
    assert_non_null(f->arena);
    buf_init(&f->whole, 1 << 24);
    buf_init(&f->pieces, 1 << 24);
}

static void fixture_close(struct fixture *f)
{
    page_reader_close(f->reader);
    arena_close(f->arena);
    buf_done(&f->whole);
    buf_done(&f->pieces);
}

typedef void print_page(struct buf *out, const struct page *page);

static struct str read_both(struct fixture *f, struct str html, const struct page_options *options,
                            print_page *print)
{
    struct page page;
    arena_clear(f->arena);
    assert_rc(page_read(f->reader, options, html, f->arena, &page), RC_OK);
    buf_clear(&f->whole);
    print(&f->whole, &page);
    for (size_t step = 1; step < 8; step += 3) {
        page_begin(f->reader, options, f->arena);
        for (struct str rest = html; rest.n; rest = str_from(rest, step))
            assert_rc(page_feed(f->reader, str_first(rest, step)), RC_OK);
        assert_rc(page_end(f->reader, &page), RC_OK);
        buf_clear(&f->pieces);
        print(&f->pieces, &page);
        assert_str(buf_str(&f->pieces), buf_str(&f->whole));
    }
    return buf_str(&f->whole);
}

/* kind:element@attribute:url[rel](text) */
static void print_links(struct buf *out, const struct page *page)
{
    for (size_t i = 0; i < page->link_count; i++) {
        const struct page_link *l = &page->links[i];
        buf_printf(out, "%s%s:" STR_FMT "@" STR_FMT ":" STR_FMT, i ? " " : "",
                   page_link_kind_name(l->kind), STR_ARG(l->element_name),
                   STR_ARG(attribute_name(l->attribute)), STR_ARG(l->url));
        if (l->rel.p)
            buf_printf(out, "[" STR_FMT "]", STR_ARG(l->rel));
        if (l->hreflang.p)
            buf_printf(out, "{" STR_FMT "}", STR_ARG(l->hreflang));
        if (l->text.p)
            buf_printf(out, "(" STR_FMT ")", STR_ARG(l->text));
        if (l->nofollow)
            buf_byte(out, '!');
        if (l->is_feed)
            buf_byte(out, '~');
    }
    if (page->base.p)
        buf_printf(out, " base:" STR_FMT, STR_ARG(page->base));
    if (page->links_cut)
        buf_add(out, STR(" cut"));
}

struct row {
    const char *name, *html, *expected;
};

static void check_rows(const struct row *rows, size_t n, const struct page_options *options,
                       print_page *print)
{
    struct fixture f;
    fixture_open(&f);
    for (size_t i = 0; i < n; i++) {
        struct str got = read_both(&f, str_c(rows[i].html), options, print);
        if (!str_eq(got, str_c(rows[i].expected)))
            print_error("%s\n", rows[i].name);
        assert_str(got, str_c(rows[i].expected));
    }
    fixture_close(&f);
}

#define CHECK_ROWS(rows, options, print) \
    check_rows(rows, sizeof(rows) / sizeof *(rows), options, print)

static void test_links(void **state)
{
    (void)state;
    static const struct page_options options = {.parts = PAGE_LINKS | PAGE_ANCHORS};
    static const struct row rows[] = {
        {"an anchor has its text", "<a href=x>one <b>two</b>\n three</a>four",
         "nav:a@href:x(one two three)"},
        {"an anchor without href is no link", "<a name=x>y</a>", ""},
        {"the cell it is in ends an open one",
         "<table><td><a href=x>1<td>2<td><a href=y>3<table><td>4</table>5</a>6</table>",
         "nav:a@href:x(1) nav:a@href:y(3 4 5)"},
        {"a cell without a table ends nothing", "<a href=x>1<td>2", "nav:a@href:x(1 2)"},
        {"the next anchor ends an open one", "<a href=x>1<a href=y>2",
         "nav:a@href:x(1) nav:a@href:y(2)"},
        {"references are decoded", "<a href='?a=1&amp;b=2&copy=3'></a>",
         "nav:a@href:?a=1&b=2&copy=3()"},
        {"an area has its alternative", "<area href=x alt=' a  b '>", "nav:area@href:x(a b)"},
        {"rel and nofollow", "<a rel='UGC NoFollow' href=x></a><a href=y rel=nofollows></a>",
         "nav:a@href:x[UGC NoFollow]()! nav:a@href:y[nofollows]()"},
        {"link by rel",
         "<link rel=stylesheet href=a><link rel='shortcut icon' href=b><link rel=canonical href=c>"
         "<link rel=alternate hreflang=de href=d><link rel=next href=e><link href=f>"
         "<link rel=preconnect href=g><link rel=manifest href=h>",
         "style:link@href:a[stylesheet] embed:link@href:b[shortcut icon] "
         "canonical:link@href:c[canonical] alternate:link@href:d[alternate]{de} "
         "link:link@href:e[next] link:link@href:f hint:link@href:g[preconnect] "
         "manifest:link@href:h[manifest]"},
        {"an alternate of a feed's type is a feed, another rel or type is not",
         "<link rel=alternate type=' Application/RSS+xml;x' href=a>"
         "<link rel=alternate type=application/atom+xml href=b>"
         "<link rel=next type=application/atom+xml href=c>"
         "<link rel=alternate type=text/html href=d>",
         "alternate:link@href:a[alternate]~ alternate:link@href:b[alternate]~ "
         "link:link@href:c[next] alternate:link@href:d[alternate]"},
        {"an image and its set", "<img src=a srcset='b 1x, c 2x' alt=z>",
         "embed:img@src:a(z) embed:img@srcset:b(z) embed:img@srcset:c(z)"},
        {"imagesrcset of a link", "<link rel=preload as=image imagesrcset='a 1x, b 2x'>",
         "embed:link@imagesrcset:a[preload] embed:link@imagesrcset:b[preload]"},
        {"frames", "<iframe src=a></iframe><frame src=b longdesc=c>",
         "frame:iframe@src:a frame:frame@src:b cite:frame@longdesc:c"},
        {"media",
         "<video src=a poster=b><source src=c srcset=d><track src=e></video><audio src=f></audio>"
         "<embed src=g><object data=h></object><script src=i></script>",
         "embed:video@src:a embed:video@poster:b embed:source@src:c embed:source@srcset:d "
         "embed:track@src:e embed:audio@src:f embed:embed@src:g embed:object@data:h "
         "embed:script@src:i"},
        {"forms by GET only",
         "<form action=a><form action=b method=GET><form method=POST action=c>"
         "<form action=d method=dialog>",
         "form:form@action:a form:form@action:b"},
        {"an input's src only if it is an image", "<input src=a><input type=Image src=b>",
         "embed:input@src:b"},
        {"old backgrounds",
         "<body background=a><table background=b><td background=c><div background=d>",
         "embed:body@background:a embed:table@background:b embed:td@background:c"},
        {"cited sources", "<blockquote cite=a><q cite=b><ins cite=c><del cite=d>",
         "cite:blockquote@cite:a cite:q@cite:b cite:ins@cite:c cite:del@cite:d"},
        {"the application cache", "<html manifest=a>", "manifest:html@manifest:a"},
        {"meta refresh",
         "<meta http-equiv=Refresh content='3; URL=\"a b\"'>"
         "<meta http-equiv=refresh content=5>",
         "refresh:meta@content:a b"},
        {"social URLs, but not their sizes",
         "<meta property=og:image content=a><meta name=twitter:image content=b>"
         "<meta property=og:image:width content=9><meta property=og:title content=c>",
         "social:meta@content:a social:meta@content:b"},
        {"a style element", "<style>@import 'a'; b { c: url(d) } /* url(e) */</style>",
         "style:style@:a css:style@:d"},
        {"a style element that never ends", "<style>b { c: url(d) }", "css:style@:d"},
        {"a style attribute on any element", "<x-y style=\"a:url('b&quot;')\">",
         "css:x-y@style:b\""},
        {"the first base counts", "<base target=x><base href=a><base href=b>", " base:a"},
        {"comments hide links, conditional ones too",
         "<!-- <a href=x> --><!--[if IE]><a href=y><![endif]-->", ""},
        {"noscript and template do not", "<noscript><img src=a></noscript><template><a href=b>",
         "embed:img@src:a nav:a@href:b()"},
        {"strings in scripts are no links", "<script>x='<a href=y>'</script>", ""},
        {"nor is markup in titles and text areas", "<title><a href=x></title><textarea><a href=y>",
         ""},
        {"javascript and data come as they are", "<a href='javascript:x()'></a><img src=data:,y>",
         "nav:a@href:javascript:x()() embed:img@src:data:,y"},
        {"what counts only in svg does not count outside",
         "<script href=a></script><image href=b src=c><use href=d><a xlink:href=e>"
         "<svg><script href=f /><use href=g />",
         "embed:image@src:c embed:script@href:f embed:use@href:g"},
        {"svg links", "<svg><a xlink:href=a><image href=b xlink:href=c /><use xlink:href='#d'/>",
         "nav:a@xlink:href:a() embed:image@href:b embed:use@xlink:href:#d"},
        {"names and attributes in any case", "<A HREF=x>y</A>", "nav:a@href:x(y)"},
        {"scripts' own attributes only when asked", "<img data-src=a>", ""},
        {"text that is not visible is not in an anchor", "<a href=x>y<script>z</script></a>",
         "nav:a@href:x(y)"},
    };
    CHECK_ROWS(rows, &options, print_links);
}

static void test_limits(void **state)
{
    (void)state;
    static const struct page_options options = {
        .parts = PAGE_LINKS | PAGE_ANCHORS | PAGE_LAZY, .max_links = 2, .max_anchor_bytes = 5};
    static const struct row rows[] = {
        {"links past the maximum are dropped and it shows", "<img src=a><img src=b><img src=c>",
         "embed:img@src:a embed:img@src:b cut"},
        {"anchor text is cut at a code point", "<a href=x>abcd\xc3\xa9</a>", "nav:a@href:x(abcd)"},
        {"an anchor past the maximum has no place for its text",
         "<img src=a><img src=b><a href=x>y</a>", "embed:img@src:a embed:img@src:b cut"},
        {"what scripts load later, when asked", "<img data-src=a data-srcset='b 1x'>",
         "later:img@data-src:a later:img@data-srcset:b"},
    };
    CHECK_ROWS(rows, &options, print_links);
}

static void print_head(struct buf *out, const struct page *page)
{
    buf_printf(out, STR_FMT "|" STR_FMT "|" STR_FMT "|" STR_FMT "|%u", STR_ARG(page->title),
               STR_ARG(page->description), STR_ARG(page->language), STR_ARG(page->canonical),
               page->robots);
}

static void test_head(void **state)
{
    (void)state;
    static const struct page_options options = {.parts = PAGE_HEAD, .agent = {"Orbweaver", 9}};
    static const struct row rows[] = {
        {"all of it",
         "<html lang=de-AT><title> a &amp;\n b </title><meta name=Description content=' c  d '>"
         "<link rel=canonical href=e><meta name=robots content='NoIndex, follow'>",
         "a & b|c d|de-AT|e|1"},
        {"the first title counts, not that of a drawing",
         "<svg><title>x</title></svg><title>a</title><title>b</title>", "a||||0"},
        {"none is both", "<meta name=robots content=none>", "||||3"},
        {"ours counts, another's does not",
         "<meta name=ORBWEAVER content=nofollow><meta name=googlebot content=noindex>", "||||2"},
        {"content-language if html has no lang",
         "<html><meta http-equiv=content-language content='fr, en'>", "||fr||0"},
        {"a title that never ends", "<title>a", "a||||0"},
    };
    CHECK_ROWS(rows, &options, print_head);
}

static void print_text(struct buf *out, const struct page *page)
{
    buf_add(out, page->text);
    if (page->text_cut)
        buf_add(out, STR("|cut"));
}

static void test_text(void **state)
{
    (void)state;
    static const struct page_options options = {.parts = PAGE_TEXT, .max_text_bytes = 40};
    static const struct row rows[] = {
        {"white space is made single",
         " a \t\n b\xc2\xa0"
         "c ",
         "a b\xc2\xa0"
         "c"},
        {"inline elements do not separate", "a<b>b</b>c <i>d</i>", "abc d"},
        {"blocks do", "a<p>b</p>c<br>d<td>e", "a\nb\nc\nd\ne"},
        {"what is not visible",
         "<title>t</title>a<script>b</script><style>c</style>"
         "<template>d</template><noscript>e</noscript><iframe>f</iframe>g",
         "ag"},
        {"a slash at its end does not empty an element of HTML",
         "<script/>a</script>b<style/>c</style>d<iframe/>e", "bd"},
        {"but one of svg", "<svg><style/>a<title/>b</svg>c", "a\nbc"},
        {"references", "&lt;b&gt; &eacute;", "<b> \xc3\xa9"},
        {"a text area is visible", "<textarea> <b> </textarea>", "<b>"},
        {"long text is cut", "0123456789 0123456789 0123456789 0123456789 0123456789",
         "0123456789 0123456789 0123456789 0123456|cut"},
        {"a body shows again what an open head element hid", "<noscript>a<body>b", "b"},
    };
    CHECK_ROWS(rows, &options, print_text);
}

static void print_tags(struct buf *out, const struct page *page)
{
    static const char *const marks[] = {"", "/", "~"};
    for (size_t i = 0; i < page->tag_count; i++)
        buf_printf(out, "%s" STR_FMT "%s", i ? " " : "", STR_ARG(page->tags[i].name),
                   marks[page->tags[i].kind]);
    if (page->tags_cut)
        buf_add(out, STR(" cut"));
}

static void test_tags(void **state)
{
    (void)state;
    static const struct page_options options = {.parts = PAGE_TAGS, .max_tags = 10};
    static const struct row rows[] = {
        {"P10: the tags in order, as letters are made of them",
         "<html><head><title>x</title><body><h1><p><P><p>", "html head title title~ body h1 p p p"},
        {"void elements and unknown names", "<X-Y><br><path/></x-y>", "x-y br/ path/ x-y~"},
        {"tags past the maximum", "<a><a><a><a><a><a><a><a><a><a><a>", "a a a a a a a a a a cut"},
    };
    CHECK_ROWS(rows, &options, print_tags);
}

static void test_robots(void **state)
{
    (void)state;
    assert_int_equal(page_robots_read(STR("noindex,nofollow,noarchive")), 7);
    assert_int_equal(page_robots_read(STR("NONE")), 3);
    assert_int_equal(page_robots_read(STR("all, index follow")), 0);
    assert_int_equal(page_robots_read(STR("noindexed")), 0);
    assert_int_equal(page_robots_read(STR("")), 0);
}

static enum rc read_one(void *ctx)
{
    struct page_options options = {.parts = PAGE_ALL};
    struct page page;
    struct page_reader *r = NULL;
    struct arena *a = arena_open(256, 1 << 20);
    enum rc rc = a ? page_reader_open(&r) : RC_NOMEM;
    if (rc == RC_OK) {
        page_begin(r, &options, a);
        struct str html = *(struct str *)ctx;
        for (; html.n && rc == RC_OK; html = str_from(html, 9))
            rc = page_feed(r, str_first(html, 9));
    }
    if (rc == RC_OK)
        rc = page_end(r, &page);
    page_reader_close(r);
    arena_close(a);
    return rc;
}

static void test_no_memory(void **state)
{
    (void)state;
    struct str html = STR(
        "<html lang=en><title>a &amp; b</title><base href='/&amp;'><meta name=description "
        "content='x&amp;y'><link rel=canonical href=c><style>@import '\\41'; a{b:url(\\42)}</style>"
        "<a href='x&lt;' rel=nofollow>te&lt;xt <b>u</b></a><img src=a srcset='b 1x, c 2x' alt='&'>"
        "<x-y style='a:url(b)'>");
    test_each_allocation_fails(read_one, &html);
}

/* A style element is read up to its limit and no further, whole or in pieces. */
static void test_long_style(void **state)
{
    (void)state;
    static const struct page_options options = {.parts = PAGE_LINKS};
    struct fixture f;
    struct buf html;
    fixture_open(&f);
    buf_init(&html, 4 << 20);
    buf_add(&html, STR("<style>a{b:url(c)}"));
    buf_fill(&html, ' ', PAGE_MAX_STYLE_BYTES);
    buf_add(&html, STR("a{b:url(d)}</style><img src=e>"));
    struct str got = read_both(&f, buf_str(&html), &options, print_links);
    assert_str(got, STR("css:style@:c embed:img@src:e cut"));
    buf_done(&html);
    fixture_close(&f);
}

static void test_xml(void **state)
{
    (void)state;
    static const struct page_options options = {.parts = PAGE_ALL, .xml = true};
    static const struct row rows[] = {
        {"an element that closes itself has no content",
         "<script src='a'/><title/><style/><textarea/><iframe src='b'/><a href='c'/>d<a "
         "href='e'>f</a>",
         "embed:script@src:a frame:iframe@src:b nav:a@href:c() nav:a@href:e(f)"},
        {"one that does not still has its text", "<script>'<a href=\"x\"/>'</script><a href='y'/>",
         "nav:a@href:y()"},
        {"a CDATA section is text", "<p><![CDATA[<a href='x'>]]></p><a href='y'>z</a>",
         "nav:a@href:y(z)"},
    };
    CHECK_ROWS(rows, &options, print_links);
    static const struct row tags[] = {{"and no end tag follows", "<p/><b>x</b>", "p/ b b~"}};
    CHECK_ROWS(tags, &options, print_tags);
}

/* A tag of `before`, `n` times `fill` and `after`; gives what print_links makes of it. */
static void check_long(const char *before, const char *fill, size_t n, const char *after,
                       const char *expected)
{
    static const struct page_options options = {.parts = PAGE_LINKS, .max_data_url_bytes = 9};
    struct fixture f;
    struct buf html;
    fixture_open(&f);
    buf_init(&html, 4 << 20);
    buf_add(&html, str_c(before));
    for (size_t i = 0; i < n; i++)
        buf_add(&html, str_c(fill));
    buf_add(&html, str_c(after));
    struct str got = read_both(&f, buf_str(&html), &options, print_links);
    assert_str(got, str_c(expected));
    buf_done(&html);
    fixture_close(&f);
}

/* What is too long for the tokenizer gives no false address, and it shows. */
static void test_long_values(void **state)
{
    (void)state;
    const size_t max = HTML_MAX_VALUE_BYTES;
    check_long("<a href='", "x", max + 1, "'><a href=y>", "nav:a@href:y cut");
    check_long("<img srcset='a 1x,b", "b", max, "'><a href=y>",
               "embed:img@srcset:a nav:a@href:y cut");
    check_long("<p style='a:url(b);c:url(", "d", max, ")'>", "css:p@style:b cut");
    check_long("<a ", "a='' ", 1, "href=x>", "nav:a@href:x");
    check_long("<img src='data:,xyz", "x", max, "'><a href=y>",
               "embed:img@src:data:,xyz nav:a@href:y");
    check_long("<a title='", "x", max + 1, "' href=y>", "nav:a@href:y");
}

/* An address may be among the attributes that are dropped. */
static void test_many_attributes(void **state)
{
    (void)state;
    static const struct page_options options = {.parts = PAGE_LINKS};
    struct fixture f;
    struct buf html;
    fixture_open(&f);
    buf_init(&html, 1 << 20);
    buf_add(&html, STR("<a"));
    for (int i = 0; i < HTML_MAX_ATTRS; i++)
        buf_printf(&html, " a%d", i);
    buf_add(&html, STR(" href=x><a href=y>"));
    struct str got = read_both(&f, buf_str(&html), &options, print_links);
    assert_str(got, STR("nav:a@href:y cut"));
    buf_done(&html);
    fixture_close(&f);
}

/* A full arena is said, not hidden. */
static void test_full_arena(void **state)
{
    (void)state;
    struct page_options options = {.parts = PAGE_ALL};
    struct page page;
    struct page_reader *r;
    struct arena *a = arena_open(256, 1024);
    assert_rc(page_reader_open(&r), RC_OK);
    struct buf html;
    buf_init(&html, 1 << 16);
    for (int i = 0; i < 100; i++)
        buf_add(&html, STR("<a href=0123456789012345678901234567890123456789>"));
    assert_rc(page_read(r, &options, buf_str(&html), a, &page), RC_NOMEM);
    arena_clear(a);
    assert_rc(page_read(r, &options, STR("<a href=x>"), a, &page), RC_OK);
    assert_int_equal(page.link_count, 1);
    buf_done(&html);
    page_reader_close(r);
    arena_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links),       cmocka_unit_test(test_limits),
        cmocka_unit_test(test_head),        cmocka_unit_test(test_text),
        cmocka_unit_test(test_tags),        cmocka_unit_test(test_robots),
        cmocka_unit_test(test_no_memory),   cmocka_unit_test(test_long_style),
        cmocka_unit_test(test_full_arena),  cmocka_unit_test(test_xml),
        cmocka_unit_test(test_long_values), cmocka_unit_test(test_many_attributes),
    };
    return cmocka_run_group_tests_name("html/page", tests, NULL, NULL);
}
