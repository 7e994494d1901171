/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch/media.h"

#include "lib/test.h"

enum {
    OTHER = MEDIA_OTHER,
    HTML = MEDIA_HTML,
    XHTML = MEDIA_XHTML,
    CSS = MEDIA_CSS,
    SITEMAP = MEDIA_SITEMAP,
    TEXT = MEDIA_TEXT,
    IMAGE = MEDIA_IMAGE
};

#define PAGE "<!DOCTYPE html><title>x</title><a href=y>z</a>"
#define PNG "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"

static const struct {
    const char *name, *type;
    struct str start;
    int media;
    const char *seen;
} rows[] = {
    {"a page", "text/html; charset=utf-8", STR(PAGE), HTML, "text/html"},
    {"a page in capitals", "TEXT/HTML", STR("<HTML><P>"), HTML, "text/html"},
    {"HTML that begins with words", "text/html", STR("Hello <b>x</b>"), HTML, NULL},
    {"an empty page", "text/html", STR(""), HTML, NULL},
    {"F73: NUL bytes in a page", "text/html", STR("<p>a\0b"), HTML, "text/html"},
    {"F74: UTF-16 with a mark", "text/html", STR("\xff\xfe<\0h\0t\0m\0l\0"), HTML, NULL},
    {"F74: UTF-16 without a mark", "text/html", STR("<\0h\0t\0m\0l\0>\0"), HTML, NULL},
    {"F79: a PDF that says it is HTML", "text/html", STR("%PDF-1.4\n<a href=x>"), OTHER,
     "application/pdf"},
    {"F79: an image that says it is HTML", "text/html", STR(PNG "<a href=x>"), IMAGE, "image/png"},
    {"F79: a film that says it is HTML", "text/html",
     STR("\0\0\0\x18"
         "ftypmp42\0\0\0\0<a href=x>"),
     OTHER, "video/mp4"},
    {"F79: an archive that says it is HTML", "text/html", STR("PK\3\4\x14\0\0\0<a href=x>"), OTHER,
     "application/zip"},
    {"bytes without any tag that say they are HTML", "text/html", STR("\1\2\3\4abc"), OTHER, NULL},
    {"F79: a page that says it is text", "text/plain", STR("<title>Plain</title><a href=x>y</a>"),
     HTML, "text/html"},
    {"text about HTML stays text", "text/plain", STR("<a href=x> is how a link begins"), TEXT,
     "text/html"},
    {"F79: a page that says it is an image", "image/png", STR(PAGE), OTHER, "text/html"},
    {"F79: a page without a type", "", STR(PAGE), HTML, "text/html"},
    {"no header at all", NULL, STR(" \r\n<!-- x --><p>"), HTML, "text/html"},
    {"a comment and nothing else", NULL, STR("<!-- x -->"), HTML, "text/html"},
    {"a byte order mark before the page", NULL, STR("\xef\xbb\xbf" PAGE), HTML, "text/html"},
    {"a type that is none", "html", STR(PAGE), HTML, "text/html"},
    {"unknown/unknown is no type", "unknown/unknown", STR(PAGE), HTML, "text/html"},
    {"words without a type", NULL, STR("just words"), TEXT, NULL},
    {"bytes without a type", NULL, STR("\0\1\2\3"), OTHER, NULL},
    {"a download is left alone", "application/octet-stream", STR(PAGE), OTHER, "text/html"},
    {"a download that is an image", "application/octet-stream", STR("GIF89a\1\0"), IMAGE,
     "image/gif"},
    {"plain text", "text/plain", STR("words\twith\x1b[1m colours"), TEXT, NULL},
    {"binary that says it is text", "text/plain", STR("a\0b"), OTHER, NULL},
    {"text in UTF-16", "text/plain", STR("\xfe\xff\0a"), TEXT, NULL},
    {"a style sheet", "text/css", STR("a{b:url(c)}"), CSS, NULL},
    {"a style sheet that looks like a page", "text/css", STR(PAGE), CSS, "text/html"},
    {"an image that says it is a style sheet", "text/css", STR(PNG), IMAGE, "image/png"},
    {"bytes that say they are a style sheet", "text/css", STR("\1\2"), OTHER, NULL},
    {"XHTML", "application/xhtml+xml", STR("<?xml version='1.0'?><html>"), XHTML,
     "application/xhtml+xml"},
    {"XHTML as XML", "text/xml", STR("<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC ''><html>"),
     XHTML, "application/xhtml+xml"},
    {"XHTML as HTML", "text/html", STR("<?xml version='1.0'?><html>"), HTML,
     "application/xhtml+xml"},
    {"a sitemap", "application/xml", STR("<?xml version='1.0'?>\n<!-- x --><urlset xmlns=''>"),
     SITEMAP, "text/xml"},
    {"a sitemap's index", "text/xml", STR("<sitemapindex>"), SITEMAP, "text/xml"},
    {"a sitemap as text", "text/plain", STR("<?xml version='1.0'?><urlset>"), SITEMAP, "text/xml"},
    {"a sitemap without a type", NULL, STR("<?xml version='1.0'?><urlset>"), SITEMAP, "text/xml"},
    {"a feed by its root", "text/xml", STR("<rss version='2.0'>"), SITEMAP, "text/xml"},
    {"a feed by its type", "application/atom+xml", STR("<x:feed>"), SITEMAP, NULL},
    {"RDF", "application/rdf+xml", STR("<?xml version='1.0'?><rdf:RDF>"), SITEMAP, "text/xml"},
    {"a style instruction before the root", "text/xml",
     STR("<?xml version='1.0'?><?xml-stylesheet href='a'?><feed>"), SITEMAP, "text/xml"},
    {"other XML", "application/xml", STR("<?xml version='1.0'?><note>"), TEXT, "text/xml"},
    {"a drawing", "image/svg+xml", STR("<svg xmlns=''>"), IMAGE, "image/svg+xml"},
    {"a drawing as XML", "text/xml", STR("<?xml version='1.0'?><svg>"), IMAGE, "image/svg+xml"},
    {"JSON", "application/json", STR("{\"a\":1}"), TEXT, NULL},
    {"JSON of some kind", "application/ld+json", STR("{}"), TEXT, NULL},
    {"a script", "text/javascript", STR("var a = '<html>'"), TEXT, NULL},
    {"an image of a kind unknown here", "image/jxl", STR("\xff\x0a\0"), IMAGE, NULL},
    {"a PDF", "application/pdf", STR("%PDF-1.7"), OTHER, "application/pdf"},
    {"gzip without a type", NULL, STR("\x1f\x8b\x08\0"), OTHER, "application/gzip"},
    {"words that begin like a film", "text/html", STR("RIFFRAFF <p>"), HTML, NULL},
    {"words that begin like a sound", "text/plain", STR("ID3 is a format"), TEXT, NULL},
    {"a tag that begins like another", NULL, STR("<abbr>"), TEXT, NULL},
};

static void the_first_bytes_and_the_type_decide(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum media m = media_of(str_c(rows[i].type), rows[i].start);
        struct str seen = media_identify(rows[i].start);
        if (m != (enum media)rows[i].media || !str_eq(seen, str_c(rows[i].seen)))
            fail_msg("%s: %s, seen \"" STR_FMT "\"", rows[i].name, media_name(m), STR_ARG(seen));
    }
}

static const struct {
    const char *value, *type;
} types[] = {
    {"text/html", "text/html"},
    {" Text/HTML ; charset=x", "Text/HTML"},
    {"text/html;charset=x", "text/html"},
    {"text/html, text/html", "text/html"},
    {"application/vnd.ms-excel.sheet+x", "application/vnd.ms-excel.sheet+x"},
    {"text", NULL},
    {"/html", NULL},
    {"text/", NULL},
    {"text/a/b", NULL},
    {"text /html", NULL},
    {"te\x01xt/html", NULL},
    {"", NULL},
    {NULL, NULL},
    {";", NULL},
};

static void a_type_is_taken_out_of_its_header(void **state)
{
    (void)state;
    char longest[128] = "a/";
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct str t = media_type(str_c(types[i].value));
        assert_str(t, str_c(types[i].type));
        assert_true((t.p == NULL) == (types[i].type == NULL));
    }
    memset(longest + 2, 'x', 126);
    assert_int_equal(media_type(str_make(longest, 127)).n, 127);
    assert_null(media_type(str_make(longest, 128)).p);
}

static void every_media_has_a_name(void **state)
{
    (void)state;
    for (int m = 0; m < MEDIA_COUNT_; m++)
        assert_true(strlen(media_name((enum media)m)) > 1);
    assert_string_equal(media_name(MEDIA_HTML), "html");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_bytes_and_the_type_decide),
        cmocka_unit_test(a_type_is_taken_out_of_its_header),
        cmocka_unit_test(every_media_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
