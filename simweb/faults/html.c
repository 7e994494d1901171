/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that are broken, enormous or ambiguous. Each holds links that only the right reading finds
 * and, where a wrong reading is likely, links that only the wrong one finds. */
#include "faults/catalog.h"
#include "faults/tell.h"

enum {
    LINE_BYTES = 10 * 1000 * 1000,
    HUGE_BYTES = 200 * 1000 * 1000,
    MANY_LINKS = 1000 * 1000,
    LEAST_LINKS = 1000, /* whatever --fault-scale says */
    NESTED_TAGS = 100 * 1000,
    MAX_LINKS_BYTES = 64 << 20,
};

static uint64_t scaled(const struct fault_query *q, uint64_t full)
{
    double n = (double)full * q->knobs->scale;
    return n < 1 ? 1 : n > (double)full ? full : (uint64_t)n;
}

/* F70: `bytes` of filler between a link at the start and one at the end, sent without keeping it.
 */
static void send_huge(const struct fault_query *q, struct reply *r, const char *name,
                      struct str filler, uint64_t bytes)
{
    char start[256];
    char end[256];
    struct buf s = buf_on(start, sizeof start);
    struct buf e = buf_on(end, sizeof end);
    buf_printf(&s, "<!DOCTYPE html><title>Large</title><a href=told/%s-start>a</a><p>", name);
    buf_printf(&e, "<a href=told/%s-end>z</a>", name);
    uint64_t times = scaled(q, bytes) / filler.n + 1;
    unsigned long long length = s.n + e.n + times * filler.n;
    reply_sendf(r,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
                "Content-Length: %llu\r\n\r\n",
                length);
    reply_send(r, buf_str(&s));
    reply_repeat(r, filler, times);
    reply_send(r, buf_str(&e));
    r->status = 200;
}

static bool large(const struct fault_query *q, struct reply *r)
{
    char room[4096];
    struct buf filler = buf_on(room, sizeof room);
    while (filler.n + 48 < sizeof room)
        buf_add(&filler, STR("all work and no play makes a page very dull "));
    if (query_path_is(q, "/line")) {
        send_huge(q, r, "line", buf_str(&filler), LINE_BYTES);
    } else if (query_path_is(q, "/huge")) {
        buf_byte(&filler, '\n');
        send_huge(q, r, "huge", buf_str(&filler), HUGE_BYTES);
    } else {
        return false;
    }
    return true;
}

/* F71 */
static bool many_links(const struct fault_query *q, struct reply *r)
{
    if (str_starts(q->path, STR("/m/"))) {
        tell_page(q, r, "One of many", "");
        return true;
    }
    if (!query_path_is(q, "/many"))
        return false;
    struct buf body = {.max = MAX_LINKS_BYTES};
    tell_begin(q, "Links", "", &body);
    uint64_t n = scaled(q, MANY_LINKS);
    for (uint64_t i = 1; i <= n || i <= LEAST_LINKS; i++) {
        buf_add(&body, STR("<a href=m/"));
        buf_u64(&body, i);
        buf_add(&body, STR(">x</a>\n"));
    }
    tell_send(q, r, &body);
    return true;
}

/* F72 */
static bool nested(const struct fault_query *q, struct reply *r)
{
    if (!query_path_is(q, "/nested"))
        return false;
    struct buf body = {.max = 4 << 20};
    tell_begin(q, "Deep", "", &body);
    for (uint64_t i = 0, n = scaled(q, NESTED_TAGS); i < n; i++)
        buf_add(&body, STR("<div>"));
    tell_link("told/nested", "the bottom", &body);
    tell_send(q, r, &body);
    return true;
}

#define UNCLOSED(start) STR("<!DOCTYPE html><title>Unclosed</title><p>" start)
static const struct tell_fixed unclosed_pages[] = {
    {"/comment", NULL, NULL,
     UNCLOSED("<a href=told/before-comment>a</a><!-- <a href=told/in-comment>b</a>")},
    {"/script", NULL, NULL,
     UNCLOSED("<a href=told/before-script>a</a><script>\"<a href=told/in-script>b</a>\";")},
    {"/attribute", NULL, NULL,
     UNCLOSED(
         "<a href=told/before-attribute>a</a><p title=\"open <a href=told/in-attribute>b</a>")},
    {"/cdata", NULL, NULL, UNCLOSED("<![CDATA[ x > <a href=told/after-cdata>a</a>")},
    {0},
};

static bool broken_nesting(const struct fault_query *q, struct reply *r)
{
    return nested(q, r) || tell_fixed_by_path(unclosed_pages, q, r);
}

/* F73: é would be fine; \xff is no UTF-8, and a lone surrogate is no character. */
static const struct tell_fixed byte_pages[] = {
    {"/nul", NULL, NULL,
     STR("<title>N\0UL</title>\0<p>\0\0<a href=told/nul\0>x</a>\0<a href=told/behind-nul>y</a>")},
    {"/utf8", NULL, NULL,
     STR("<title>\xc3\x28 \xe2\x82</title><a href=\"told/byte-\xff\">x</a><a "
         "href=told/behind>y</a>")},
    {"/surrogate", NULL, NULL,
     STR("<title>&#xD800;</title><a href=\"told/surrogate-&#xDC00;\">x</a>"
         "<a href=\"told/raw-\xed\xa0\x80\">y</a>")},
    {"/mixed", NULL, NULL, STR("<title>\xe9t\xe9</title><a href=\"told/mixed-\xc3\xa9\">x</a>")},
    {0},
};

static bool odd_bytes(const struct fault_query *q, struct reply *r)
{
    return tell_fixed_by_path(byte_pages, q, r);
}

/* F74: the link's é tells which encoding was believed. */
#define LATIN_E "\xe9"
#define UTF8_E "\xc3\xa9"
#define WIDE_LE(a, b, c, d) a "\0" b "\0" c "\0" d "\0"
#define WIDE_BE(a, b, c, d) "\0" a "\0" b "\0" c "\0" d
static const struct tell_fixed charset_pages[] = {
    {"/bom16", "text/html", NULL,
     STR("\xff\xfe" WIDE_LE("<", "a", " ", "h") WIDE_LE("r", "e", "f", "=")
             WIDE_LE("t", "o", "l", "d") WIDE_LE("/", "1", "6", ">") WIDE_LE("x", "<", "/", "a")
                 WIDE_LE(">", " ", " ", " "))},
    {"/bom16be", "text/html", NULL,
     STR("\xfe\xff" WIDE_BE("<", "a", " ", "h") WIDE_BE("r", "e", "f", "=")
             WIDE_BE("t", "o", "l", "d") WIDE_BE("/", "b", "e", ">") WIDE_BE("x", "<", "/", "a")
                 WIDE_BE(">", " ", " ", " "))},
    {"/header16", "text/html; charset=utf-16le", NULL,
     STR(WIDE_LE("<", "a", " ", "h") WIDE_LE("r", "e", "f", "=") WIDE_LE("t", "o", "l", "d")
             WIDE_LE("/", "h", "6", ">") WIDE_LE("x", "<", "/", "a") WIDE_LE(">", " ", " ", " "))},
    {"/bom-first", "text/html; charset=iso-8859-1", NULL,
     STR("\xef\xbb\xbf<title>BOM</title><a href=\"told/bom-" UTF8_E "\">x</a>")},
    {"/header-first", "text/html; charset=windows-1252", NULL,
     STR("<meta charset=utf-8><title>Header</title><a href=\"told/header-" LATIN_E "\">x</a>")},
    {"/meta", "text/html", NULL,
     STR("<meta charset=windows-1252><title>Meta</title><a href=\"told/meta-" LATIN_E "\">x</a>"
         "<a href=\"told/query?x=" LATIN_E "\">y</a>")},
    {"/meta16", "text/html", NULL,
     STR("<meta charset=utf-16><title>Meta 16</title><a href=\"told/meta16-" UTF8_E "\">x</a>")},
    {0},
};

static bool charsets(const struct fault_query *q, struct reply *r)
{
    return tell_fixed_by_path(charset_pages, q, r);
}

/* F75 */
static const struct tell_fixed base_pages[] = {
    {"/base/relative", NULL, NULL, STR("<base href=\"../told/relative/\"><a href=good>x</a>")},
    {"/base/two", NULL, NULL,
     STR("<base href=\"../told/first/\"><base href=\"../told/second/\"><a href=good>x</a>")},
    {"/base/data", NULL, NULL,
     STR("<base href=\"data:text/plain,x\"><a href=\"../told/data/good\">x</a>")},
    {"/base/script", NULL, NULL,
     STR("<base href=\"javascript:void(0)\"><a href=\"../told/script/good\">x</a>")},
    {"/base/late", NULL, NULL, STR("<p><a href=good>x</a><p><base href=\"../told/late/\">")},
    {"/base/broken", NULL, NULL,
     STR("<base href=\"http://[broken/\"><a href=\"../told/broken/good\">x</a>")},
    {0},
};

static bool bases(const struct fault_query *q, struct reply *r)
{
    return tell_fixed_by_path(base_pages, q, r);
}

/* F76 */
/* A link to this very server, so that it sees who takes the scheme for http. */
static void scheme_link(const struct fault_query *q, const char *scheme, const char *path,
                        struct buf *out)
{
    char room[512];
    struct buf url = buf_on(room, sizeof room);
    fault_url(q, "", str_c(path), &url);
    struct str behind = str_from(buf_str(&url), str_find(buf_str(&url), ':'));
    buf_printf(out, "<a href=\"%s" STR_FMT "\">x</a>", scheme, STR_ARG(behind));
}

static bool schemes(const struct fault_query *q, struct reply *r)
{
    if (!query_path_is(q, "/schemes"))
        return false;
    struct buf body = {.max = 1 << 16};
    tell_begin(q, "Schemes", "", &body);
    buf_add(&body,
            STR("<a href=\"javascript:alert('hello')\">a</a>"
                "<a href=\" JaVaScript:void(0)\">a</a><a href=\"mailto:a@b.test\">b</a>"
                "<a href=\"tel:+123\">c</a><a href=\"data:text/html,<a href=told/data>\">d</a>"
                "<a href=\"about:blank\">f</a>"
                "<img src=\"data:image/gif;base64,R0lGODlhAQABAAAAACw=\" alt=\"\">"));
    scheme_link(q, "ws", "/told/ws", &body);
    scheme_link(q, "wss", "/told/ws", &body);
    scheme_link(q, "ftp", "/told/ftp", &body);
    scheme_link(q, "blob:http", "/told/blob", &body);
    tell_link("told/good", "a real one", &body);
    tell_send(q, r, &body);
    return true;
}

/* F77 */
static const struct tell_fixed href_pages[] = {
    {"/hrefs", NULL, NULL,
     STR("<title>Hrefs</title><a href=\" \t told/around \n\">a</a><a href=\"told/in side\">b</a>"
         "<a href=\"told/new\nline\">c</a><a href=\"told\\backslash\">d</a>"
         "<a href=\"told/amp?a=1&amp;b=2\">e</a><a href=\"told/bare?a=1&b=2\">f</a>"
         "<a href=\"told/copy?x=1&copy=2\">g</a><a href=\"told/lt?x&lt\">h</a>"
         "<a href=\"told&#47;number\">i</a><a href='told&#x2f;hex'>j</a>"
         "<A HREF=told/upper>k</A><a href=told/quote'd>l</a>")},
    {0},
};

static bool hrefs(const struct fault_query *q, struct reply *r)
{
    return tell_fixed_by_path(href_pages, q, r);
}

/* F78 */
static const struct tell_fixed nofollow_pages[] = {
    {"/rel", NULL, NULL,
     STR("<title>Rel</title><a rel=\"noopener NoFollow\" href=told/rel-no>a</a>"
         "<a href=told/rel-yes>b</a>")},
    {"/meta", NULL, NULL,
     STR("<meta name=ROBOTS content=\"noindex, NOFOLLOW\"><title>Meta</title>"
         "<a href=told/meta-no>a</a>")},
    {"/header", NULL, "X-Robots-Tag: nofollow\r\n",
     STR("<title>Header</title><a href=told/header-no>a</a>")},
    {"/noindex", NULL, NULL,
     STR("<meta name=robots content=noindex><title>Noindex</title><a href=told/noindex>a</a>")},
    {0},
};

static bool nofollow(const struct fault_query *q, struct reply *r)
{
    return tell_fixed_by_path(nofollow_pages, q, r);
}

/* F79 */
static const struct tell_fixed type_pages[] = {
    {"/pdf", "text/html", NULL,
     STR("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Length 32 >>\nstream\n"
         "(<a href=told/in-pdf>x</a>) Tj\nendstream\nendobj\n%%EOF\n")},
    {"/png", "text/html", NULL,
     STR("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0<a href=told/in-png>x</a>")},
    {"/video", "text/html", NULL,
     STR("\0\0\0\x18"
         "ftypmp42\0\0\0\0mp42isom\0\0\0\x22mdat<a href=told/in-video>x</a>")},
    {"/zip", "text/html", NULL, STR("PK\3\4\x14\0\0\0\x08\0<a href=told/in-zip>x</a>\0\0\0\0")},
    {"/plain", "text/plain", NULL, STR("<title>Plain</title><a href=told/in-plain>x</a>")},
    {"/as-image", "image/png", NULL, STR("<title>Image</title><a href=told/in-image>x</a>")},
    {"/untyped", "", NULL,
     STR("<!DOCTYPE html><html><title>Untyped</title><a href=told/untyped>x</a></html>")},
    {0},
};

static bool types(const struct fault_query *q, struct reply *r)
{
    return tell_fixed_by_path(type_pages, q, r);
}

/* Tables ------------------------------------------------------------------------------------ */

static const struct fault_case large_cases[] = {
    {"", "/line", "10 MB in one line"},
    {"", "/huge", "a document of 200 MB"},
    {0},
};
static const struct expect large_expects[] = {
    {EXPECT_FETCHED, "", "/told/line-start", 0, "the link before the long line was not found"},
    {EXPECT_FETCHED, "", "/told/huge-start", 0, "the link at the document's start was not found"},
    {EXPECT_AT_MOST, "", "/told/line-end", 5, "asked for again and again"},
    {EXPECT_AT_MOST, "", "/told/huge-end", 5, "asked for again and again"},
    {EXPECT_AT_MOST, "", "/line", 10, "it asked for the long line again and again"},
    {EXPECT_AT_MOST, "", "/huge", 10, "it asked for the large document again and again"},
    {0},
};

static const struct fault_case many_cases[] = {{"", "/many", "a million links"}, {0}};
static const struct expect many_expects[] = {
    {EXPECT_FETCHED, "", "/many", 0, "the page was not read"},
    {EXPECT_AT_LEAST, "", "/m/*", 50, "nearly all of its links were dropped"},
    {EXPECT_AT_MOST, "", "/m/*", 200000, "one page filled the queue"},
    {0},
};

static const struct fault_case nesting_cases[] = {
    {"", "/nested", "100,000 tags inside each other"},
    {"", "/comment", "a comment without end"},
    {"", "/script", "a script without end"},
    {"", "/attribute", "an attribute without end"},
    {"", "/cdata", "CDATA, which HTML does not have"},
    {0},
};
static const struct expect nesting_expects[] = {
    {EXPECT_FETCHED, "", "/told/nested", 0, "what is deep inside was not read"},
    {EXPECT_FETCHED, "", "/told/before-comment", 0, "a link before the open comment was lost"},
    {EXPECT_FETCHED, "", "/told/before-script", 0, "a link before the open script was lost"},
    {EXPECT_FETCHED, "", "/told/before-attribute", 0, "a link before the open value was lost"},
    {EXPECT_FETCHED, "", "/told/after-cdata", 0, "CDATA hid a link, which in HTML it does not"},
    {EXPECT_NEVER, "", "/told/in-comment", 0, "a comment was read as HTML"},
    {EXPECT_NEVER, "", "/told/in-script", 0, "a script was read as HTML"},
    {EXPECT_NEVER, "", "/told/in-attribute", 0, "an attribute's value was read as HTML"},
    {0},
};

static const struct fault_case byte_cases[] = {
    {"", "/nul", "NUL bytes"},
    {"", "/utf8", "bytes that are no UTF-8"},
    {"", "/surrogate", "half a surrogate pair"},
    {"", "/mixed", "two encodings on one page"},
    {0},
};
static const struct expect byte_expects[] = {
    {EXPECT_FETCHED, "", "/told/behind-nul", 0, "a NUL ended the page"},
    {EXPECT_FETCHED, "", "/told/nul%EF%BF%BD", 0, "a NUL in a value is U+FFFD"},
    {EXPECT_FETCHED, "", "/told/behind", 0, "a bad byte ended the page"},
    {EXPECT_FETCHED, "", "/told/byte-%EF%BF%BD", 0, "a bad byte in a path is U+FFFD"},
    {EXPECT_FETCHED, "", "/told/surrogate-%EF%BF%BD", 0, "half a surrogate pair is U+FFFD"},
    {EXPECT_FETCHED, "", "/told/raw-%EF%BF%BD%EF%BF%BD%EF%BF%BD", 0,
     "the bytes of half a surrogate pair are three times U+FFFD"},
    {EXPECT_FETCHED, "", "/told/mixed-%C3%A9", 0, "a bad byte in the title spoilt the link"},
    {0},
};

static const struct fault_case charset_cases[] = {
    {"", "/bom16", "UTF-16 by its byte order mark"},
    {"", "/bom16be", "the same the other way round"},
    {"", "/header16", "UTF-16 by the header alone"},
    {"", "/bom-first", "a UTF-8 mark against a Latin-1 header"},
    {"", "/header-first", "a windows-1252 header against a UTF-8 meta"},
    {"", "/meta", "windows-1252 by meta alone"},
    {"", "/meta16", "a meta that says UTF-16, which cannot be"},
    {0},
};
static const struct expect charset_expects[] = {
    {EXPECT_FETCHED, "", "/told/16", 0, "the byte order mark of UTF-16 was not heeded"},
    {EXPECT_FETCHED, "", "/told/be", 0, "the byte order mark of UTF-16 was not heeded"},
    {EXPECT_FETCHED, "", "/told/h6", 0, "the header's UTF-16 was not heeded"},
    {EXPECT_FETCHED, "", "/told/bom-%C3%A9", 0, "the mark goes before the header"},
    {EXPECT_FETCHED, "", "/told/header-%C3%A9", 0, "the header goes before meta"},
    {EXPECT_FETCHED, "", "/told/meta-%C3%A9", 0, "the meta's charset was not heeded"},
    {EXPECT_FETCHED, "", "/told/query?x=%E9", 0, "a query is written in the page's encoding"},
    {EXPECT_FETCHED, "", "/told/meta16-%C3%A9", 0, "a meta that says UTF-16 means UTF-8"},
    {EXPECT_NEVER, "", "/told/bom-%C3%83%C2%A9", 0, "the header was believed before the mark"},
    {EXPECT_NEVER, "", "/told/header-%EF%BF%BD", 0, "meta was believed before the header"},
    {0},
};

static const struct fault_case base_cases[] = {
    {"", "/base/relative", "a relative base"},
    {"", "/base/two", "two bases"},
    {"", "/base/data", "a data: base"},
    {"", "/base/script", "a javascript: base"},
    {"", "/base/late", "a base behind links"},
    {"", "/base/broken", "a base that is no URL"},
    {0},
};
static const struct expect base_expects[] = {
    {EXPECT_FETCHED, "", "/told/relative/good", 0, "a relative base was not resolved"},
    {EXPECT_FETCHED, "", "/told/first/good", 0, "the first of two bases counts"},
    {EXPECT_FETCHED, "", "/told/data/good", 0, "a data: base is ignored"},
    {EXPECT_FETCHED, "", "/told/script/good", 0, "a javascript: base is ignored"},
    {EXPECT_FETCHED, "", "/told/late/good", 0, "a base holds for links before it too"},
    {EXPECT_FETCHED, "", "/told/broken/good", 0, "a base that is no URL is ignored"},
    {EXPECT_NEVER, "", "/told/second/good", 0, "the second of two bases was believed"},
    {EXPECT_NEVER, "", "/base/good", 0, "a base was not heeded"},
    {0},
};

static const struct fault_case scheme_cases[] = {
    {"", "/schemes", "javascript:, mailto:, tel:, data:, blob:, about:, ws:, ftp:"},
    {0},
};
static const struct expect scheme_expects[] = {
    {EXPECT_FETCHED, "", "/told/good", 0, "the real link among them was lost"},
    {EXPECT_NEVER, "", "/javascript:*", 0, "a script was taken for a path"},
    {EXPECT_NEVER, "", "/mailto:*", 0, "an address was taken for a path"},
    {EXPECT_NEVER, "", "/tel:*", 0, "a number was taken for a path"},
    {EXPECT_NEVER, "", "/data:*", 0, "a document was taken for a path"},
    {EXPECT_NEVER, "", "/about:*", 0, "about: was taken for a path"},
    {EXPECT_NEVER, "", "/blob:*", 0, "a blob: was taken for a path"},
    {EXPECT_NEVER, "", "/told/data", 0, "a data: document was read"},
    {EXPECT_NEVER, "", "/told/blob", 0, "a blob: was followed"},
    {EXPECT_NEVER, "", "/told/ws", 0, "a ws: URL was fetched as a page"},
    {EXPECT_NEVER, "", "/told/ftp", 0, "an ftp: URL was fetched as a page"},
    {0},
};

static const struct fault_case href_cases[] = {{"", "/hrefs", "a dozen odd hrefs"}, {0}};
static const struct expect href_expects[] = {
    {EXPECT_FETCHED, "", "/told/around", 0, "white space around a URL is dropped"},
    {EXPECT_FETCHED, "", "/told/in%20side", 0, "a space inside becomes %20"},
    {EXPECT_FETCHED, "", "/told/newline", 0, "a line break inside is dropped"},
    {EXPECT_FETCHED, "", "/told/backslash", 0, "a backslash is a slash"},
    {EXPECT_FETCHED, "", "/told/amp?a=1&b=2", 0, "&amp; is &"},
    {EXPECT_FETCHED, "", "/told/bare?a=1&b=2", 0, "a bare & stays"},
    {EXPECT_FETCHED, "", "/told/copy?x=1&copy=2", 0, "&copy= is no entity in a value"},
    {EXPECT_FETCHED, "", "/told/lt?x%3C", 0, "&lt at the end of a value is <"},
    {EXPECT_FETCHED, "", "/told/number", 0, "&#47; is /"},
    {EXPECT_FETCHED, "", "/told/hex", 0, "&#x2f; is /"},
    {EXPECT_FETCHED, "", "/told/upper", 0, "names of tags have no case"},
    {EXPECT_FETCHED, "", "/told/quote'd", 0, "a quote inside an unquoted value stays"},
    {EXPECT_NEVER, "", "/told/amp?a=1&amp;b=2", 0, "&amp; was not decoded"},
    {0},
};

static const struct fault_case nofollow_cases[] = {
    {"", "/rel", "one link with rel=nofollow"},
    {"", "/meta", "meta robots says nofollow"},
    {"", "/header", "X-Robots-Tag says nofollow"},
    {"", "/noindex", "noindex alone"},
    {0},
};
static const struct expect nofollow_expects[] = {
    {EXPECT_FETCHED, "", "/told/rel-yes", 0, "rel=nofollow of one link stopped another"},
    {EXPECT_FETCHED, "", "/told/noindex", 0, "noindex does not forbid to follow"},
    {EXPECT_NEVER, "", "/told/rel-no", 0, "rel=nofollow was not obeyed"},
    {EXPECT_NEVER, "", "/told/meta-no", 0, "meta nofollow was not obeyed"},
    {EXPECT_NEVER, "", "/told/header-no", 0, "X-Robots-Tag: nofollow was not obeyed"},
    {0},
};

static const struct fault_case type_cases[] = {
    {"", "/pdf", "a PDF that says text/html"},    {"", "/png", "a PNG that says text/html"},
    {"", "/video", "an MP4 that says text/html"}, {"", "/zip", "a zip that says text/html"},
    {"", "/plain", "HTML that says text/plain"},  {"", "/as-image", "HTML that says image/png"},
    {"", "/untyped", "HTML that says nothing"},   {0},
};
static const struct expect type_expects[] = {
    {EXPECT_FETCHED, "", "/pdf", 0, "the PDF was not fetched"},
    {EXPECT_FETCHED, "", "/told/untyped", 0, "HTML without a type was not read"},
    {EXPECT_NEVER, "", "/told/in-pdf", 0, "links were taken out of a PDF"},
    {EXPECT_NEVER, "", "/told/in-png", 0, "links were taken out of an image"},
    {EXPECT_NEVER, "", "/told/in-video", 0, "links were taken out of a video"},
    {EXPECT_AT_MOST, "", "/told/in-plain", 5, "asked for again and again"},
    {EXPECT_AT_MOST, "", "/told/in-image", 5, "asked for again and again"},
    {EXPECT_NEVER, "", "/told/in-zip", 0, "links were taken out of an archive"},
    {0},
};

const struct fault faults_html[] = {
    {.id = "F70",
     .group = "html",
     .does = "10 MB in one line; a document of 200 MB",
     .wants = "read in a stream up to the body limit; what stands before it counts",
     .cases = large_cases,
     .expects = large_expects,
     .answer = large,
     .is_path = true},
    {.id = "F71",
     .group = "html",
     .does = "a million links on one page",
     .wants =
         "a maximum of links a page (from 50 to 200,000 are fine), said in the report when it is "
         "reached",
     .cases = many_cases,
     .expects = many_expects,
     .answer = many_links,
     .is_path = true},
    {.id = "F72",
     .group = "html",
     .does = "100,000 nested tags; comments, scripts, values and CDATA that never end",
     .wants = "read as WHATWG's tokenizer does, in linear time, without recursion",
     .cases = nesting_cases,
     .expects = nesting_expects,
     .answer = broken_nesting,
     .is_path = true},
    {.id = "F73",
     .group = "html",
     .does = "NUL bytes, invalid UTF-8, lone surrogates, two encodings on one page",
     .wants = "U+FFFD in their place, and on; in a path it is written %EF%BF%BD",
     .cases = byte_cases,
     .expects = byte_expects,
     .answer = odd_bytes,
     .is_path = true},
    {.id = "F74",
     .group = "html",
     .does = "UTF-16 with and without a mark; header and meta that contradict each other",
     .wants = "byte order mark before header before meta before the default; paths are written in "
              "UTF-8, queries in the page's own encoding",
     .cases = charset_cases,
     .expects = charset_expects,
     .answer = charsets,
     .is_path = true},
    {.id = "F75",
     .group = "html",
     .does = "base elements that are relative, twice there, no http, late or broken",
     .wants = "the first base with an href counts, for the whole page; if that is data:, "
              "javascript: or no URL, the page's own URL does",
     .cases = base_cases,
     .expects = base_expects,
     .answer = bases,
     .is_path = true},
    {.id = "F76",
     .group = "html",
     .does =
         "links of schemes that are no web: javascript, mailto, tel, data, blob, about, ws, ftp",
     .wants = "passed over without a word",
     .cases = scheme_cases,
     .expects = scheme_expects,
     .answer = schemes,
     .is_path = true},
    {.id = "F77",
     .group = "html",
     .does = "hrefs with spaces, line breaks, backslashes and entities of every kind",
     .wants = "WHATWG's rules for attributes and URLs, to the letter",
     .cases = href_cases,
     .expects = href_expects,
     .answer = hrefs,
     .is_path = true},
    {.id = "F78",
     .group = "html",
     .does = "nofollow by rel, by meta, by header; noindex alone",
     .wants =
         "obeyed or not, as the operator says, and recorded. Ours, and judged: obeyed by default, "
         "whichever way it is said; noindex is recorded and does not stop links",
     .cases = nofollow_cases,
     .expects = nofollow_expects,
     .answer = nofollow,
     .is_path = true},
    {.id = "F79",
     .group = "html",
     .does = "binaries that say text/html; HTML that says text/plain, image/png or nothing",
     .wants = "the first bytes decide: no links out of binaries; HTML without a type is read; HTML "
              "under another type may be",
     .cases = type_cases,
     .expects = type_expects,
     .answer = types,
     .is_path = true},
    {0},
};
