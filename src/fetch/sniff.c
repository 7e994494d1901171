/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch/sniff.h"

bool sniff_is_utf16(struct str start)
{
    return str_starts(start, STR("\xfe\xff")) || str_starts(start, STR("\xff\xfe")) ||
           str_starts(start, STR("\0<\0")) || str_starts(start, STR("<\0"));
}

bool sniff_is_binary(struct str start)
{
    if (str_starts(start, STR("\xfe\xff")) || str_starts(start, STR("\xff\xfe")))
        return false;
    for (size_t i = 0; i < start.n; i++) {
        unsigned char c = (unsigned char)start.p[i];
        if (c < 0x20 && (c <= 8 || c == 0x0b || (c >= 0x0e && c != 0x1b)))
            return true;
    }
    return false;
}

/* A mark stands at `at`; `also` stands at `also_at` where one mark does not say enough. */
struct mark {
    size_t at;
    struct str bytes;
    size_t also_at;
    struct str also;
    struct str type;
};

#define MARK(literal, name)                    \
    {                                          \
        0, STR(literal), 0, STR(""), STR(name) \
    }

static const struct mark marks[] = {
    MARK("\x89PNG\r\n\x1a\n", "image/png"),
    MARK("GIF87a", "image/gif"),
    MARK("GIF89a", "image/gif"),
    MARK("\xff\xd8\xff", "image/jpeg"),
    {0, STR("RIFF"), 8, STR("WEBPVP"), STR("image/webp")},
    {4, STR("ftyp"), 8, STR("avif"), STR("image/avif")},
    {4, STR("ftyp"), 8, STR("heic"), STR("image/heic")},
    {0, STR("BM"), 6, STR("\0\0\0\0"), STR("image/bmp")},
    MARK("\0\0\1\0", "image/x-icon"),
    MARK("\0\0\2\0", "image/x-icon"),
    MARK("II*\0", "image/tiff"),
    MARK("MM\0*", "image/tiff"),
    MARK("%PDF-", "application/pdf"),
    MARK("%!PS-Adobe-", "application/postscript"),
    MARK("{\\rtf", "application/rtf"),
    MARK("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    MARK("PK\3\4", "application/zip"),
    MARK("PK\5\6", "application/zip"),
    MARK("\x1f\x8b\x08", "application/gzip"),
    MARK("BZh", "application/x-bzip2"),
    MARK("\xfd"
         "7zXZ\0",
         "application/x-xz"),
    MARK("7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    MARK("\x28\xb5\x2f\xfd", "application/zstd"),
    MARK("Rar!\x1a\7", "application/vnd.rar"),
    {257, STR("ustar"), 0, STR(""), STR("application/x-tar")},
    {4, STR("ftyp"), 0, STR(""), STR("video/mp4")},
    MARK("\x1a\x45\xdf\xa3", "video/webm"),
    MARK("\0\0\1\xba", "video/mpeg"),
    MARK("\0\0\1\xb3", "video/mpeg"),
    {0, STR("RIFF"), 8, STR("AVI "), STR("video/x-msvideo")},
    {0, STR("RIFF"), 8, STR("WAVE"), STR("audio/wav")},
    {0, STR("FORM"), 8, STR("AIFF"), STR("audio/aiff")},
    MARK("OggS\0", "application/ogg"),
    MARK("MThd\0\0\0\6", "audio/midi"),
    MARK("ID3", "audio/mpeg"),
    MARK("fLaC", "audio/flac"),
    MARK("wOFF", "font/woff"),
    MARK("wOF2", "font/woff2"),
    MARK("OTTO", "font/otf"),
    MARK("ttcf", "font/collection"),
    MARK("\0\1\0\0", "font/ttf"),
    MARK("\0asm", "application/wasm"),
    MARK("\x7f"
         "ELF",
         "application/x-elf"),
    {0, STR("MZ"), 2, STR("\x90\0"), STR("application/vnd.microsoft.portable-executable")},
    MARK("\xca\xfe\xba\xbe", "application/java-vm"),
    {0, STR("FWS"), 0, STR(""), STR("application/x-shockwave-flash")},
    {0, STR("CWS"), 0, STR(""), STR("application/x-shockwave-flash")},
};

/* Letters alone may begin a text too: such a mark counts only where binary bytes follow. */
static bool is_letters(struct str bytes)
{
    return !sniff_is_binary(bytes) && (unsigned char)bytes.p[0] < 0x80 && bytes.p[0] != '%' &&
           bytes.p[0] != '{' && !str_starts(bytes, STR("GIF8"));
}

struct str sniff_mark(struct str start)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const struct mark *m = &marks[i];
        if (m->at >= start.n || start.p[m->at] != m->bytes.p[0])
            continue; /* nearly all of them, for nearly every page */
        if (str_starts(str_from(start, m->at), m->bytes) &&
            str_starts(str_from(start, m->also_at), m->also) &&
            (!is_letters(m->bytes) || sniff_is_binary(start)))
            return m->type;
    }
    return STR_NONE;
}

static bool is_tag_end(struct str at)
{
    return at.n == 0 || at.p[0] == '>' || at.p[0] == '/' || ascii_is_space(at.p[0]);
}

static bool tag_is(struct str at, struct str tag)
{
    return str_starts_nocase(at, tag) && is_tag_end(str_from(at, tag.n));
}

static void skip_space(struct str *s)
{
    while (s->n && ascii_is_space(s->p[0]))
        *s = str_from(*s, 1);
}

/* Steps behind the next `end`, or to the end of what is there. */
static void skip_behind(struct str *s, struct str end)
{
    *s = str_from(*s, str_find_str(*s, end) + end.n);
}

static enum sniff_markup root_of(struct str at, bool is_xml)
{
    static const struct {
        struct str tag;
        enum sniff_markup markup;
    } roots[] = {
        {STR("<urlset"), SNIFF_SITEMAP},    {STR("<sitemapindex"), SNIFF_SITEMAP},
        {STR("<rss"), SNIFF_SITEMAP},       {STR("<feed"), SNIFF_SITEMAP},
        {STR("<rdf:RDF"), SNIFF_SITEMAP},   {STR("<svg"), SNIFF_SVG},
        {STR("<html"), SNIFF_HTML_PAGE},    {STR("<head"), SNIFF_HTML_PAGE},
        {STR("<title"), SNIFF_HTML_PAGE},   {STR("<body"), SNIFF_HTML_PAGE},
        {STR("<script"), SNIFF_HTML_PIECE}, {STR("<iframe"), SNIFF_HTML_PIECE},
        {STR("<h1"), SNIFF_HTML_PIECE},     {STR("<div"), SNIFF_HTML_PIECE},
        {STR("<font"), SNIFF_HTML_PIECE},   {STR("<table"), SNIFF_HTML_PIECE},
        {STR("<a"), SNIFF_HTML_PIECE},      {STR("<style"), SNIFF_HTML_PIECE},
        {STR("<b"), SNIFF_HTML_PIECE},      {STR("<br"), SNIFF_HTML_PIECE},
        {STR("<p"), SNIFF_HTML_PIECE},      {STR("<meta"), SNIFF_HTML_PAGE},
        {STR("<link"), SNIFF_HTML_PIECE},
    };
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (tag_is(at, roots[i].tag))
            return is_xml && roots[i].markup == SNIFF_HTML_PAGE    ? SNIFF_XHTML
                   : is_xml && roots[i].markup == SNIFF_HTML_PIECE ? SNIFF_XML
                                                                   : roots[i].markup;
    return is_xml ? SNIFF_XML : SNIFF_NO_MARKUP;
}

enum sniff_markup sniff_markup(struct str at)
{
    bool is_xml = false, has_comment = false;
    if (str_starts(at, STR("\xef\xbb\xbf")))
        at = str_from(at, 3);
    for (skip_space(&at); at.n; skip_space(&at)) {
        if (tag_is(at, STR("<?xml"))) {
            is_xml = true;
            skip_behind(&at, STR("?>"));
        } else if (str_starts(at, STR("<?"))) {
            skip_behind(&at, STR("?>"));
        } else if (str_starts(at, STR("<!--"))) {
            has_comment = true;
            skip_behind(&at, STR("-->"));
        } else if (tag_is(at, STR("<!DOCTYPE html"))) {
            return is_xml ? SNIFF_XHTML : SNIFF_HTML_PAGE;
        } else if (str_starts_nocase(at, STR("<!DOCTYPE"))) {
            skip_behind(&at, STR(">"));
        } else {
            break;
        }
    }
    enum sniff_markup found = root_of(at, is_xml);
    return found == SNIFF_NO_MARKUP && has_comment ? SNIFF_HTML_PIECE : found;
}

bool sniff_has_tag(struct str s)
{
    for (size_t at = str_find(s, '<'); at + 1 < s.n; at = str_find(s, '<')) {
        char c = s.p[at + 1];
        if (ascii_is_alpha(c) || c == '!' || c == '/' || c == '?')
            return true;
        s = str_from(s, at + 1);
    }
    return false;
}
