/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch/media.h"

#include "fetch/sniff.h"

enum { TYPE_MAX_BYTES = 127 };

const char *media_name(enum media m)
{
    static const char *const names[MEDIA_COUNT_] = {"other",   "html", "xhtml", "css",
                                                    "sitemap", "text", "image"};
    return m < MEDIA_COUNT_ ? names[m] : "?";
}

/* RFC 6838, 4.2. */
static bool is_type_byte(char c)
{
    return ascii_is_alnum(c) || (c && strchr("!#$&-^_.+", c));
}

struct str media_type(struct str content_type)
{
    struct str t = str_first(content_type, str_find(content_type, ';'));
    t = str_trim(str_first(t, str_find(t, ',')));
    size_t slash = str_find(t, '/');
    if (t.n > TYPE_MAX_BYTES || slash == 0 || slash + 1 >= t.n)
        return STR_NONE;
    for (size_t i = 0; i < t.n; i++)
        if (i != slash && !is_type_byte(t.p[i]))
            return STR_NONE;
    return t;
}

struct str media_identify(struct str start)
{
    struct str mark = sniff_mark(start);
    if (mark.p)
        return mark;
    switch (sniff_markup(start)) {
    case SNIFF_HTML_PIECE:
    case SNIFF_HTML_PAGE:
        return STR("text/html");
    case SNIFF_XHTML:
        return STR("application/xhtml+xml");
    case SNIFF_SVG:
        return STR("image/svg+xml");
    case SNIFF_SITEMAP:
    case SNIFF_XML:
        return STR("text/xml");
    case SNIFF_NO_MARKUP:
        break;
    }
    return STR_NONE;
}

/* What a type makes us look for. */
enum family { NO_TYPE, HTML, XHTML, CSS, XML, FEED, PLAIN, TEXT, IMAGE, OTHER };

static bool ends_nocase(struct str s, struct str with)
{
    return s.n >= with.n && str_eq_nocase(str_from(s, s.n - with.n), with);
}

static enum family family_of(struct str type)
{
    static const struct {
        struct str type;
        enum family family;
    } rows[] = {
        {STR("text/html"), HTML},
        {STR("application/xhtml+xml"), XHTML},
        {STR("text/css"), CSS},
        {STR("text/plain"), PLAIN},
        {STR("text/xml"), XML},
        {STR("application/xml"), XML},
        {STR("application/rss+xml"), FEED},
        {STR("application/atom+xml"), FEED},
        {STR("application/rdf+xml"), FEED},
        {STR("application/json"), TEXT},
        {STR("application/javascript"), TEXT},
        {STR("application/x-javascript"), TEXT},
        {STR("application/ecmascript"), TEXT},
        {STR("unknown/unknown"), NO_TYPE},
        {STR("application/unknown"), NO_TYPE},
    };
    if (!type.p)
        return NO_TYPE;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (str_eq_nocase(type, rows[i].type))
            return rows[i].family;
    if (str_starts_nocase(type, STR("image/")))
        return IMAGE;
    if (ends_nocase(type, STR("+xml")))
        return XML;
    return str_starts_nocase(type, STR("text/")) || ends_nocase(type, STR("+json")) ? TEXT : OTHER;
}

/* For a body that the server calls HTML. Real pages have NULs and other control bytes, and UTF-16
 * is full of them: a body is not HTML only if it has no tag either. */
static enum media as_html(struct str start)
{
    bool is_junk = !sniff_has_tag(start) && sniff_is_binary(start) && !sniff_is_utf16(start);
    return is_junk ? MEDIA_OTHER : MEDIA_HTML;
}

static enum media as_xml(enum sniff_markup markup, bool is_feed)
{
    switch (markup) {
    case SNIFF_SITEMAP:
        return MEDIA_SITEMAP;
    case SNIFF_HTML_PAGE:
    case SNIFF_XHTML:
        return MEDIA_XHTML;
    case SNIFF_SVG:
        return MEDIA_IMAGE;
    default:
        return is_feed ? MEDIA_SITEMAP : MEDIA_TEXT;
    }
}

static enum media as_text(struct str start)
{
    return sniff_is_binary(start) && !sniff_is_utf16(start) ? MEDIA_OTHER : MEDIA_TEXT;
}

/* Servers say text/plain of files that they do not know. */
static enum media as_plain(enum sniff_markup markup, struct str start)
{
    return markup == SNIFF_HTML_PAGE || markup == SNIFF_XHTML ? as_html(start)
           : markup == SNIFF_SITEMAP                          ? MEDIA_SITEMAP
                                                              : as_text(start);
}

static enum media as_unknown(enum sniff_markup markup, struct str start)
{
    switch (markup) {
    case SNIFF_HTML_PIECE:
    case SNIFF_HTML_PAGE:
        return MEDIA_HTML;
    case SNIFF_NO_MARKUP:
        return as_text(start);
    default:
        return as_xml(markup, false);
    }
}

enum media media_of(struct str content_type, struct str start)
{
    enum family family = family_of(media_type(content_type));
    struct str mark = sniff_mark(start);
    if (mark.p)
        return str_starts(mark, STR("image/")) ? MEDIA_IMAGE : MEDIA_OTHER;
    enum sniff_markup markup =
        family == HTML || family == CSS || family == OTHER ? SNIFF_NO_MARKUP : sniff_markup(start);
    switch (family) {
    case NO_TYPE:
        return as_unknown(markup, start);
    case HTML:
        return as_html(start);
    case XHTML:
        return as_html(start) == MEDIA_HTML ? MEDIA_XHTML : MEDIA_OTHER;
    case CSS:
        return as_text(start) == MEDIA_TEXT ? MEDIA_CSS : MEDIA_OTHER;
    case XML:
    case FEED:
        return as_text(start) == MEDIA_TEXT ? as_xml(markup, family == FEED) : MEDIA_OTHER;
    case PLAIN:
        return as_plain(markup, start);
    case TEXT:
        return as_text(start);
    case IMAGE:
        return markup == SNIFF_NO_MARKUP || markup == SNIFF_SVG ? MEDIA_IMAGE : MEDIA_OTHER;
    case OTHER:
        break;
    }
    return MEDIA_OTHER;
}
