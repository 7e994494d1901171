/* SPDX-License-Identifier: Apache-2.0 */
/* Files as they should not be: broken by mistake, or made to attack. */
#include "kit.h"

static void mistakes_lose_as_little_as_possible(void **state)
{
    (void)state;
    static const struct kit_row rows[] = {
        {"junk before the prolog, in text and in HTML",
         STR("Warning: x in /y\n<br /><b>Notice</b> 1 < 2\n<?xml version='1.0'?><urlset><url>"
             "<loc>http://e.org/</loc></url></urlset>"),
         STR("page 1 http://e.org/\n")},
        {"a prolog without its last question mark",
         STR("<?xml version='1.0'><urlset><url><loc>http://e.org/</loc></url></urlset>"),
         STR("page 1 http://e.org/\n")},
        {"nothing is closed",
         STR("<urlset><url><loc>http://e.org/1<lastmod>2005<url><loc>http://e.org/2<url><loc>"
             "http://e.org/3</loc>"),
         STR("page 1 http://e.org/1 lastmod=2005 ms=1104537600000\npage 2 http://e.org/2\n"
             "page 3 http://e.org/3\n")},
        {"an end tag with a slip of the pen",
         STR("<urlset><url><loc>http://e.org/1</lco><lastmod>2005</lastmod></url></urlset>"),
         STR("page 1 http://e.org/1 lastmod=2005 ms=1104537600000\n")},
        {"a tag that ends where the next begins",
         STR("<urlset><url><loc>http://e.org/1</loc</url><url "
             "a=\"b<loc>http://e.org/2</loc></url>"),
         STR("page 1 http://e.org/1\npage 2 http://e.org/2\n")},
        {"<loc> without <url>, several in one <url>",
         STR("<urlset><loc>http://e.org/1</loc><url><loc>http://e.org/2</loc><lastmod>2005</"
             "lastmod>"
             "<loc>http://e.org/3</loc></url></urlset>"),
         STR("page 1 http://e.org/1\npage 2 http://e.org/2 lastmod=2005 ms=1104537600000\n"
             "page 3 http://e.org/3\n")},
        {"a URL without <loc>",
         STR("<urlset><url> http://e.org/1 <lastmod>2005</lastmod></url><url>x</url></urlset>"),
         STR("page 1 http://e.org/1 lastmod=2005 ms=1104537600000\n")},
        {"<url> within <loc> keeps what follows it",
         STR("<urlset><url><loc> "
             "<url>http://e.org/1</url></loc><lastmod>2005</lastmod></url></urlset>"),
         STR("page 1 http://e.org/1 lastmod=2005 ms=1104537600000\n")},
        {"markup within <loc> is as if it were not there",
         STR("<urlset><url><loc><b>http://</b>e.org/<br/>1</loc></url></urlset>"),
         STR("page 1 http://e.org/1\n")},
        {"ampersands that begin no reference",
         STR("<urlset><url><loc>http://e.org/?a=1&b=2&c;&&;&#;&#x;&#1x;&amp</loc></url></urlset>"),
         STR("page 1 http://e.org/?a=1&b=2&&;&#;&#x;&#1x;&amp\n")},
        {"numbers that are no characters",
         STR("<urlset><url><loc>http://e.org/&#0;&#xd800;&#99999999999999999999;</loc></url></"
             "urlset>"),
         STR("page 1 http://e.org/\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\n")},
        {"white space of Unicode around a URL",
         STR("<urlset><url><loc>\xe2\x80\x8b\xc2\xa0http://e.org/\xe3\x80\x80\xef\xbb\xbf</loc></"
             "url>"),
         STR("page 1 http://e.org/\n")},
        {"upper-case names and attributes without quotes",
         STR("<URLSET><URL><LOC>http://e.org/</LOC><LINK REL=alternate "
             "HREF=http://e.org/de></URL>"),
         STR("alternate 1 http://e.org/de\npage 1 http://e.org/\n")},
        {"of several ids the first that is a URL",
         STR("<feed><entry><id>urn:1</id><id>http://e.org/1</id><id>urn:22222222222</id></entry></"
             "feed>"),
         STR("page 1 http://e.org/1\n")},
        {"two files in one",
         STR("<urlset><url><loc>http://e.org/1</loc></url></urlset>\n<?xml "
             "version='1.0'?><urlset><url>"
             "<loc>http://e.org/2</loc></url></urlset>"),
         STR("page 1 http://e.org/1\npage 2 http://e.org/2\n")},
        {"an index with a page and a sitemap with an index",
         STR("<sitemapindex><url><loc>http://e.org/1</loc></url><sitemap><loc>/2</loc></sitemap>"),
         STR("page 1 http://e.org/1\nsitemap 2 /2\n")},
    };
    kit_rows(rows, sizeof rows / sizeof *rows);
}

static void no_half_url_is_emitted_where_a_file_ends(void **state)
{
    (void)state;
    static const struct kit_row rows[] = {
        {"in the text of <loc>", STR("<urlset><url><loc>http://e.org/ab"), STR("")},
        {"in a reference", STR("<urlset><url><loc>http://e.org/a&am"), STR("")},
        {"in CDATA", STR("<urlset><url><loc><![CDATA[http://e.org/a]]"), STR("")},
        {"before CDATA could be told", STR("<urlset><url><loc>http://e.org/<![CDA"), STR("")},
        {"in a comment", STR("<urlset><url><loc>http://e.org/<!-- "), STR("")},
        {"behind the <", STR("<urlset><url><loc>http://e.org/?a&amp;b<"),
         STR("page 1 http://e.org/?a&b\n")},
        {"in the end tag", STR("<urlset><url><loc>http://e.org/</lo"),
         STR("page 1 http://e.org/\n")},
        {"in the date, which is then absent",
         STR("<urlset><url><loc>http://e.org/</loc><lastmod>200"), STR("page 1 http://e.org/\n")},
        {"in the second date, which writes over the first",
         STR("<feed><entry><link href='http://e.org/'/><published>2004</published><updated>1"),
         STR("page 1 http://e.org/\n")},
        {"in the URL that has no <loc>", STR("<urlset><url>http://e.org/a"), STR("")},
    };
    kit_rows(rows, sizeof rows / sizeof *rows);
}

static void a_list_that_was_cut_loses_its_last_line(void **state)
{
    (void)state;
    struct buf dump;
    buf_init(&dump, 1 << 10);
    (void)kit_read(STR("http://e.org/1\nhttp://e.org/2"), (struct sitemap_options){0}, 3, false,
                   &dump);
    assert_str(buf_str(&dump), STR("page 1 http://e.org/1\n"));
    buf_done(&dump);
}

#define LAUGHS                                                           \
    "<?xml version=\"1.0\"?>\n<!DOCTYPE urlset [\n<!ENTITY a \"lol\">\n" \
    "<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">\n<!ENTITY c "        \
    "\"&b;&b;&b;&b;&b;&b;&b;&b;\">\n]>\n"

static void no_entity_is_expanded_and_nothing_is_included(void **state)
{
    (void)state;
    static const struct kit_row rows[] = {
        {"an external entity",
         STR("<!DOCTYPE foo [ <!ELEMENT foo ANY > <!ENTITY x SYSTEM \"file:///etc/passwd\" > "
             "]><urlset>"
             "<url><loc>http://e.org/&x;</loc></url><url><loc>&x;</loc></url></urlset>"),
         STR("page 1 http://e.org/\n")},
        {"a billion laughs", STR(LAUGHS "<urlset><url><loc>http://e.org/&c;</loc></url></urlset>"),
         STR("page 1 http://e.org/\n")},
        {"a parameter entity, and markup in a value",
         STR("<!DOCTYPE urlset [<!ENTITY % d SYSTEM 'http://x.org/d'> %d; <!ENTITY u '<url><loc>"
             "http://x.org/]></loc></url>'> <!-- don't ]> --> <?p ' ]> ?> ]><urlset>&u;<url><loc>"
             "http://e.org/</loc></url></urlset>"),
         STR("page 1 http://e.org/\n")},
        {"an include",
         STR("<urlset xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='http://x.org/x' "
             "parse='text'/><url><loc><xi:include "
             "href='http://x.org/y'/>http://e.org/</loc></url>"),
         STR("page 1 http://e.org/\n")},
        {"entities in attributes",
         STR("<!DOCTYPE f [<!ENTITY x 'http://x.org/'>]><urlset><url><loc>http://e.org/</loc>"
             "<link rel='alternate' href='&x;'/><link rel='alternate' "
             "href='/a&x;'/></url></urlset>"),
         STR("alternate 1 /a\npage 1 http://e.org/\n")},
    };
    kit_rows(rows, sizeof rows / sizeof *rows);
    struct sitemap_summary s =
        kit_expect(STR(LAUGHS "<urlset><url><loc>http://e.org/&c;&c;</loc></url></urlset>"),
                   (struct sitemap_options){0}, STR("page 1 http://e.org/\n"));
    assert_true(s.doctype);
    assert_int_equal(s.refs_dropped, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_lose_as_little_as_possible),
        cmocka_unit_test(no_half_url_is_emitted_where_a_file_ends),
        cmocka_unit_test(a_list_that_was_cut_loses_its_last_line),
        cmocka_unit_test(no_entity_is_expanded_and_nothing_is_included),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
