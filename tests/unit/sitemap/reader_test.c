/* SPDX-License-Identifier: Apache-2.0 */
/* Files as they should be, in each format and encoding. */
#include "kit.h"

#define URLSET "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"

static void sitemaps_and_indexes(void **state)
{
    (void)state;
    static const struct kit_row rows[] = {
        {"an entry has what its <url> has",
         STR("<?xml version=\"1.0\"?>\n" URLSET
             "\n <url>\n  <loc>http://e.org/a?b=1&amp;c=2</loc>\n"
             "<lastmod>2005-01-01</lastmod><changefreq>Daily</changefreq><priority>0.8</priority>"
             "</url>\n<url><loc>http://e.org/b</loc></url></urlset>\n"),
         STR("page 1 http://e.org/a?b=1&c=2 lastmod=2005-01-01 ms=1104537600000 freq=daily "
             "priority=800\npage 2 http://e.org/b\n")},
        {"the order of the fields does not matter",
         STR(URLSET "<url><priority>1.0</priority><lastmod>2005</lastmod><loc>http://e.org/</loc>"
                    "</url></urlset>"),
         STR("page 1 http://e.org/ lastmod=2005 ms=1104537600000 priority=1000\n")},
        {"an index lists sitemaps",
         STR("<sitemapindex><sitemap><loc>http://e.org/s.xml.gz</loc><lastmod>x</lastmod></sitemap>"
             "</sitemapindex>"),
         STR("sitemap 1 http://e.org/s.xml.gz lastmod=x\n")},
        {"hints that are no hints are as if they were absent",
         STR(URLSET
             "<url><loc>http://e.org/</loc><priority>1.5</priority><changefreq>now</changefreq>"
             "</url><url><loc>http://e.org/b</loc><priority>high</priority></url>"
             "<url><loc>http://e.org/c</loc><priority>.5</priority></url></urlset>"),
         STR("page 1 http://e.org/\npage 2 http://e.org/b\npage 3 http://e.org/c priority=500\n")},
        {"CDATA, numbers and the five names are decoded, CDATA only once",
         STR(URLSET "<url><loc>http://e.org/<![CDATA[?a&amp;b]]]]><![CDATA[>]]>&#38;&#x26;&lt;&gt;"
                    "&quot;&apos;&#xe9;</loc></url></urlset>"),
         STR("page 1 http://e.org/?a&amp;b]]>&&<>\"'\xc3\xa9\n")},
        {"what was decoded is not decoded again",
         STR(URLSET "<url><loc>http://e.org/?a&amp;amp;b&#38;lt;</loc></url></urlset>"),
         STR("page 1 http://e.org/?a&amp;b&lt;\n")},
        {"comments and instructions are not there",
         STR("<?xml version='1.0'?><?xml-stylesheet href='x'?><!-- <url> -- > -->" URLSET
             "<url><loc>http://<!-- - -- -->e.org/<?php ?></loc></url></urlset>"),
         STR("page 1 http://e.org/\n")},
        {"alternates, images and videos are of their own kind and come before their page",
         STR(URLSET
             "<url><loc>http://e.org/</loc>"
             "<xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"http://e.org/?l=de&amp;x\"/>"
             "<xhtml:link rel='canonical' href='http://e.org/c'/>"
             "<image:image><image:loc>/i.png</image:loc><image:title>t</image:title>"
             "</image:image><video:video><video:thumbnail_loc>/t.png</video:thumbnail_loc>"
             "<video:content_loc>/v.mp4</video:content_loc><video:player_loc>/p"
             "</video:player_loc></video:video><lastmod>2005</lastmod></url></urlset>"),
         STR("alternate 1 http://e.org/?l=de&x lang=de\nimage 1 /i.png\nimage 1 /t.png\n"
             "media 1 /v.mp4\nmedia 1 /p\npage 1 http://e.org/ lastmod=2005 ms=1104537600000\n")},
    };
    kit_rows(rows, sizeof rows / sizeof *rows);
}

static void feeds(void **state)
{
    (void)state;
    static const struct kit_row rows[] = {
        {"RSS: items, not the channel; a guid that is a URL where there is no link",
         STR("<rss "
             "version='2.0'><channel><link>http://e.org/</link><image><url>http://e.org/i</url>"
             "<link>http://e.org/</link></image><item><guid>http://e.org/guid</guid>"
             "<link>http://e.org/1</link><pubDate>Thu, 05 Jan 2017 13:34:51 +0100</pubDate></item>"
             "<item><guid isPermaLink='false'>http://e.org/2</guid></item>"
             "<item><guid>1234</guid></item></channel></rss>"),
         STR("page 1 http://e.org/1 lastmod=Thu, 05 Jan 2017 13:34:51 +0100 ms=1483619691000\n"
             "page 2 http://e.org/2\n")},
        {"RSS: enclosures, media and Atom's link; what another feed is the source of stays out",
         STR("<rss><channel><item><source url='http://x.org/f'>x</source>"
             "<enclosure url='http://e.org/a.mp3' length='1' type='audio/mpeg'/>"
             "<media:content url='http://e.org/i.jpg' medium='image'/>"
             "<media:thumbnail url='http://e.org/t.jpg'/>"
             "<atom:link href='http://e.org/1'/><dc:date>2005</dc:date></item></channel></rss>"),
         STR("media 1 http://e.org/a.mp3\nimage 1 http://e.org/i.jpg\nimage 1 http://e.org/t.jpg\n"
             "page 1 http://e.org/1 lastmod=2005 ms=1104537600000\n")},
        {"RSS 1.0: rdf:about stands in for a missing link",
         STR("<rdf:RDF><channel rdf:about='http://e.org/'><link>http://e.org/</link></channel>"
             "<item rdf:about='http://e.org/1'><title>t</title></item>"
             "<item rdf:about='http://e.org/x'><link>http://e.org/2</link></item></rdf:RDF>"),
         STR("page 1 http://e.org/1\npage 2 http://e.org/2\n")},
        {"Atom: the first alternate is the page, the id where there is none",
         STR("<feed xmlns='http://www.w3.org/2005/Atom'><link href='http://e.org/'/>"
             "<updated>2001</updated><entry><link rel='edit' href='http://e.org/e'/>"
             "<link href='http://e.org/1'/><link rel='alternate' href='http://e.org/1.html'/>"
             "<link rel='enclosure' type='image/png' href='http://e.org/1.png'/>"
             "<published>2004</published><updated>2005</updated><id>urn:1</id>"
             "<source><id>http://x.org/</id><updated>1999</updated></source></entry>"
             "<entry><id>http://e.org/2</id><published>2005</published></entry></feed>"),
         STR("alternate 1 http://e.org/1.html\nimage 1 http://e.org/1.png\n"
             "page 1 http://e.org/1 lastmod=2005 ms=1104537600000\n"
             "page 2 http://e.org/2 lastmod=2005 ms=1104537600000\n")},
        {"Atom: XHTML within an entry is not the entry",
         STR("<feed><entry><content type='xhtml'><div><link "
             "href='http://x.org/'/><id>http://x.org/i"
             "</id></div></content><link href='http://e.org/'/></entry></feed>"),
         STR("page 1 http://e.org/\n")},
    };
    kit_rows(rows, sizeof rows / sizeof *rows);
}

static void lists(void **state)
{
    (void)state;
    static const struct kit_row rows[] = {
        {"a line is a URL, the last one without its end too",
         STR("http://e.org/1\r\nHTTPS://e.org/2\n\n  http://e.org/3 \rhttp://e.org/4"),
         STR("page 1 http://e.org/1\npage 3 HTTPS://e.org/2\npage 5 http://e.org/3\n"
             "page 6 http://e.org/4\n")},
        {"what is no URL is passed over", STR("# list\nhttp://e.org/1\n/2\nftp://e.org/\n"),
         STR("page 1 http://e.org/1\n")},
        {"behind the first URL a < makes no XML",
         STR("http://e.org/1\n<urlset><url><loc>http://x/</loc>\n"),
         STR("page 1 http://e.org/1\n")},
        {"references mean nothing in a list", STR("http://e.org/?a&amp;b\n"),
         STR("page 1 http://e.org/?a&amp;b\n")},
        {"text without any URL is nothing", STR("hello\nworld\n"), STR("")},
        {"an empty file is nothing", STR(""), STR("")},
    };
    kit_rows(rows, sizeof rows / sizeof *rows);
}

static void encodings(void **state)
{
    (void)state;
    static const struct kit_row rows[] = {
        {"UTF-8 with its mark", STR("\xef\xbb\xbfhttp://e.org/\xc3\xa9\n"),
         STR("page 1 http://e.org/\xc3\xa9\n")},
        {"UTF-16, little end first", STR("\xff\xfeh\0t\0t\0p\0:\0/\0/\0\xe9\0=\xd8\0\xde"),
         STR("page 1 http://\xc3\xa9\xf0\x9f\x98\x80\n")},
        {"UTF-16, big end first, a surrogate alone", STR("\xfe\xff\0h\0t\0t\0p\0:\0/\0/\xd8=\0a"),
         STR("page 1 http://\xef\xbf\xbd"
             "a\n")},
        {"UTF-16 without a mark",
         STR("<\0u\0r\0l\0>\0<\0l\0o\0c\0>\0h\0t\0t\0p\0:\0/\0/\0a\0<\0/\0l\0o\0c\0>\0"),
         STR("page 1 http://a\n")},
        {"Latin-1 as declared, which is windows-1252",
         STR("<?xml version='1.0' "
             "encoding='ISO-8859-1'?><url><loc>http://e.org/\xe9\x80</loc></url>"),
         STR("page 1 http://e.org/\xc3\xa9\xe2\x82\xac\n")},
        {"a declaration behind an empty line counts",
         STR("\n<?xml version='1.0' encoding = \"latin1\" "
             "?><url><loc>http://e.org/\xe9</loc></url>"),
         STR("page 1 http://e.org/\xc3\xa9\n")},
        {"UTF-16 that is none is UTF-8",
         STR("<?xml version='1.0' encoding='UTF-16'?><url><loc>http://e.org/\xc3\xa9</loc></url>"),
         STR("page 1 http://e.org/\xc3\xa9\n")},
        {"what is not UTF-8 becomes U+FFFD", STR("<url><loc>http://e.org/\xe9\xff/</loc></url>"),
         STR("page 1 http://e.org/\xef\xbf\xbd\xef\xbf\xbd/\n")},
    };
    kit_rows(rows, sizeof rows / sizeof *rows);
}

static void the_callers_charset_goes_before_the_declaration(void **state)
{
    (void)state;
    struct str file =
        STR("<?xml version='1.0' encoding='utf-8'?><url><loc>http://e.org/\xe9</loc></url>");
    struct sitemap_options o = {.charset = STR("Windows-1252")};
    (void)kit_expect(file, o, STR("page 1 http://e.org/\xc3\xa9\n"));
    file = STR("\xef\xbb\xbf<url><loc>http://e.org/\xc3\xa9</loc></url>");
    (void)kit_expect(file, o, STR("page 1 http://e.org/\xc3\xa9\n"));
}

static void a_charset_that_is_not_known_is_said(void **state)
{
    (void)state;
    struct str file =
        STR("<?xml version='1.0' encoding='Shift_JIS'?><url><loc>http://e.org/a</loc></url>");
    struct sitemap_summary s =
        kit_expect(file, (struct sitemap_options){0}, STR("page 1 http://e.org/a\n"));
    assert_true(s.charset_unread);
    s = kit_expect(file, (struct sitemap_options){.charset = STR("utf-8")},
                   STR("page 1 http://e.org/a\n"));
    assert_false(s.charset_unread);
}

static void formats_are_told_by_content(void **state)
{
    (void)state;
    static const struct {
        struct str file;
        enum sitemap_format format;
    } rows[] = {
        {STR("<urlset/>"), SITEMAP_URLSET},
        {STR("<SitemapIndex>"), SITEMAP_INDEX},
        {STR("<x:rss>"), SITEMAP_RSS},
        {STR("<rdf:RDF>"), SITEMAP_RSS},
        {STR("<feed>"), SITEMAP_ATOM},
        {STR("http://e.org/"), SITEMAP_LIST},
        {STR("<!doctype HTML><urlset>"), SITEMAP_HTML},
        {STR("<!DOCTYPE htmlx><urlset>"), SITEMAP_URLSET},
        {STR("\n<html lang=en><body><a href=x>http://e.org/</a>"), SITEMAP_HTML},
        {STR("<opml><head/></opml>"), SITEMAP_NONE},
        {STR("{\"a\": 1}"), SITEMAP_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf dump;
        buf_init(&dump, 1 << 10);
        struct sitemap_summary s =
            kit_read(rows[i].file, (struct sitemap_options){0}, 1, true, &dump);
        assert_string_equal(sitemap_format_name(s.format), sitemap_format_name(rows[i].format));
        buf_done(&dump);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sitemaps_and_indexes),
        cmocka_unit_test(feeds),
        cmocka_unit_test(lists),
        cmocka_unit_test(encodings),
        cmocka_unit_test(the_callers_charset_goes_before_the_declaration),
        cmocka_unit_test(a_charset_that_is_not_known_is_said),
        cmocka_unit_test(formats_are_told_by_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
