/* SPDX-License-Identifier: Apache-2.0 */
#include "sitemap/xml.h"

#include "base/bytes.h"

void xml_init(struct xml *x, const struct xml_sink *sink, struct sitemap_summary *summary)
{
    x->sink = *sink;
    x->mode = XML_TEXT;
    x->want_text = false;
    x->quote = 0;
    x->marks = 0;
    x->bang_n = 0;
    x->bang = NULL;
    x->doctype = (struct xml_doctype){0};
    x->summary = summary;
    x->tag_n = 0;
}

static void give_text(struct xml *x, const char *p, const char *end)
{
    if (x->want_text && p < end)
        x->sink.text(x->sink.ctx, str_make(p, (size_t)(end - p)));
}

static void end_text(struct xml *x, bool is_cdata)
{
    if (x->want_text)
        x->sink.text_end(x->sink.ctx, is_cdata);
}

static const char *step_text(struct xml *x, const char *p, const char *end)
{
    const char *less = memchr(p, '<', (size_t)(end - p));
    give_text(x, p, less ? less : end);
    if (!less)
        return end;
    x->mode = XML_LESS;
    return less + 1;
}

static const char *step_less(struct xml *x, const char *p)
{
    static const char less = '<';
    char c = *p;
    if (c == '/' || ascii_is_alpha(c) || c == '_' || c == ':' || (uint8_t)c >= 0x80) {
        x->mode = XML_TAG;
        x->tag_n = 0;
        x->quote = 0;
    } else if (c == '!') {
        x->mode = XML_BANG;
        x->bang = NULL;
        x->bang_n = 0;
    } else if (c == '?') {
        x->mode = XML_INSTRUCTION;
    } else {
        give_text(x, &less, &less + 1);
        x->mode = c == '<' ? XML_LESS : XML_TEXT;
        return c == '<' ? p + 1 : p;
    }
    end_text(x, false);
    return c == '!' || c == '?' ? p + 1 : p;
}

/* Tags */

static bool is_name_end(char c)
{
    return c == '/' || (uint8_t)c <= ' ';
}

static void give_tag(struct xml *x, struct str text)
{
    struct xml_tag tag = {.is_end = text.n && *text.p == '/'};
    tag.is_empty = !tag.is_end && text.n && text.p[text.n - 1] == '/';
    text = str_from(text, tag.is_end ? 1 : 0);
    text.n -= tag.is_empty ? 1 : 0;
    size_t n = 0, local = 0;
    for (; n < text.n && !is_name_end(text.p[n]); n++)
        if (text.p[n] == ':')
            local = n + 1;
    tag.local = str_make(text.p + local, n - local);
    tag.attrs = str_from(text, n);
    x->sink.tag(x->sink.ctx, &tag);
}

/* Whether one of the eight bytes of `v` is `byte`. */
static bool has_byte(uint64_t v, char byte)
{
    uint64_t ones = UINT64_C(0x0101010101010101), x = v ^ ones * (uint8_t)byte;
    return ((x - ones) & ~x & ones << 7) != 0;
}

/* Within quotes: the closing one, a <, or the end. URLs are long, so by eights. */
static const char *quoted_end(const char *p, const char *end, char quote)
{
    while (end - p >= 8) {
        uint64_t v = get_le64(p);
        if (has_byte(v, quote) || has_byte(v, '<'))
            break;
        p += 8;
    }
    while (p < end && *p != quote && *p != '<')
        p++;
    return p;
}

static const char *tag_end(struct xml *x, const char *p, const char *end)
{
    for (; p < end; p++) {
        if (x->quote) {
            p = quoted_end(p, end, x->quote);
            if (p == end || *p == '<')
                break;
            x->quote = 0;
        } else if (*p == '<' || *p == '>') {
            break;
        } else if (*p == '"' || *p == '\'') {
            x->quote = *p;
        }
    }
    return p;
}

/* A tag of nothing but its name, as nearly all are, that is here whole: what is behind it, or NULL
 * after doing nothing. */
static const char *plain_tag(struct xml *x, const char *p, const char *end)
{
    struct xml_tag tag = {.is_end = *p == '/'};
    const char *local = p + tag.is_end, *q = local;
    for (; q < end && (*q > '>' || *q == ':'); q++)
        if (*q == ':')
            local = q + 1;
    if (q == end || *q != '>' || q - p > (ptrdiff_t)sizeof x->tag)
        return NULL;
    tag.local = str_make(local, (size_t)(q - local));
    x->mode = XML_TEXT;
    x->sink.tag(x->sink.ctx, &tag);
    return q + 1;
}

/* What was found of a tag so far goes behind what earlier pieces had; tag_n counts all of it, also
 * what has no room. */
static void keep_tag(struct xml *x, const char *p, size_t n)
{
    if (x->tag_n < sizeof x->tag) {
        size_t room = sizeof x->tag - x->tag_n;
        memcpy(x->tag + x->tag_n, p, n < room ? n : room);
    }
    x->tag_n += n;
}

static const char *step_tag(struct xml *x, const char *p, const char *end)
{
    const char *q = x->tag_n ? NULL : plain_tag(x, p, end);
    if (q)
        return q;
    q = tag_end(x, p, end);
    size_t n = (size_t)(q - p);
    if (q == end || x->tag_n)
        keep_tag(x, p, n);
    if (q == end)
        return end;
    x->mode = XML_TEXT;
    struct str text = x->tag_n ? str_make(x->tag, x->tag_n) : str_make(p, n);
    if (text.n > sizeof x->tag)
        x->summary->too_long++;
    else
        give_tag(x, text);
    return *q == '>' ? q + 1 : q;
}

/* <!-- -->, <![CDATA[ ]]>, <!DOCTYPE >, <!anything > */

static enum xml_mode bang_mode(const char *bang)
{
    return *bang == '-' ? XML_COMMENT : *bang == '[' ? XML_CDATA : XML_DOCTYPE;
}

static const char *step_bang(struct xml *x, const char *p)
{
    char c = ascii_upper(*p);
    if (x->bang_n == 0)
        x->bang = c == '-' ? "--" : c == '[' ? "[CDATA[" : c == 'D' ? "DOCTYPE" : "";
    if (c == 0 || x->bang[x->bang_n] != c) {
        x->mode = XML_DECLARATION;
        return p;
    }
    x->bang_n++;
    if (x->bang[x->bang_n] == 0) {
        x->mode = bang_mode(x->bang);
        x->marks = 0;
        x->doctype = (struct xml_doctype){0};
        x->summary->doctype |= x->mode == XML_DOCTYPE;
    }
    return p + 1;
}

/* Behind up to two `mark`s that may begin the end of a comment or section. */
static const char *step_marks(struct xml *x, char mark, const char *p)
{
    static const char brackets[] = "]]";
    bool is_cdata = x->mode == XML_CDATA;
    if (*p == '>' && x->marks == 2) {
        if (is_cdata)
            end_text(x, true);
        x->mode = XML_TEXT;
        return p + 1;
    }
    if (*p == mark) {
        if (x->marks == 2 && is_cdata)
            give_text(x, brackets, brackets + 1);
        x->marks = 2;
        return p + 1;
    }
    if (is_cdata)
        give_text(x, brackets, brackets + x->marks);
    x->marks = 0;
    return p;
}

static const char *step_section(struct xml *x, const char *p, const char *end)
{
    char mark = x->mode == XML_CDATA ? ']' : '-';
    if (x->marks)
        return step_marks(x, mark, p);
    const char *at = memchr(p, mark, (size_t)(end - p));
    if (x->mode == XML_CDATA)
        give_text(x, p, at ? at : end);
    if (!at)
        return end;
    x->marks = 1;
    return at + 1;
}

static const char *step_until_greater(struct xml *x, const char *p, const char *end)
{
    const char *at = memchr(p, '>', (size_t)(end - p));
    if (!at)
        return end;
    x->mode = XML_TEXT;
    return at + 1;
}

/* The document type */

/* Follows the name: blanks, then "html" and something that ends it. */
static void doctype_name(struct xml *x, char c)
{
    enum { NOT_HTML = 5 };
    struct xml_doctype *d = &x->doctype;
    if (d->html == 4 && (is_name_end(c) || c == '>' || c == '['))
        x->sink.html(x->sink.ctx);
    if (d->html == 0 && is_name_end(c))
        return;
    d->html = d->html < 4 && ascii_lower(c) == "html"[d->html] ? (uint8_t)(d->html + 1) : NOT_HTML;
}

/* Within a comment, an instruction or quotes: whether this is where they end. */
static bool doctype_inside_ends(const struct xml_doctype *d, char c)
{
    if (d->inside == '-')
        return (d->last & 0xffffff) == 0x2d2d3e; /* --> */
    if (d->inside == '?')
        return (d->last & 0xffff) == 0x3f3e; /* ?> */
    return c == d->inside;
}

static void doctype_enter(struct xml_doctype *d, char inside)
{
    d->inside = inside;
    d->last = 0; /* so that <!--> ends nothing */
}

/* True at its last byte. */
static bool doctype_ends(struct xml_doctype *d, char c)
{
    d->last = d->last << 8 | (uint8_t)c;
    if (d->inside) {
        if (doctype_inside_ends(d, c))
            d->inside = 0;
        return false;
    }
    if (d->last == 0x3c212d2d) /* <!-- */
        doctype_enter(d, '-');
    else if ((d->last & 0xffff) == 0x3c3f) /* <? */
        doctype_enter(d, '?');
    else if (c == '"' || c == '\'')
        doctype_enter(d, c);
    else if (c == '[' || c == ']')
        d->subset = c == '[';
    return c == '>' && !d->subset;
}

static const char *step_doctype(struct xml *x, const char *p, const char *end)
{
    for (; p < end; p++) {
        doctype_name(x, *p);
        if (doctype_ends(&x->doctype, *p)) {
            x->mode = XML_TEXT;
            return p + 1;
        }
        if (++x->doctype.bytes == SITEMAP_DOCTYPE_MAX_BYTES) {
            x->summary->doctype_cut = true;
            x->mode = XML_DEAD;
            return end;
        }
    }
    return end;
}

static const char *step_mode(struct xml *x, const char *p, const char *end)
{
    switch (x->mode) {
    case XML_TEXT:
        return step_text(x, p, end);
    case XML_LESS:
        return step_less(x, p);
    case XML_TAG:
        return step_tag(x, p, end);
    case XML_BANG:
        return step_bang(x, p);
    case XML_COMMENT:
    case XML_CDATA:
        return step_section(x, p, end);
    case XML_INSTRUCTION:
    case XML_DECLARATION:
        return step_until_greater(x, p, end);
    case XML_DOCTYPE:
        return step_doctype(x, p, end);
    case XML_DEAD:
        break;
    }
    return end;
}

void xml_add(struct xml *x, struct str piece)
{
    const char *p = piece.p, *end = p + piece.n;
    while (p < end)
        p = step_mode(x, p, end);
}

bool xml_finish(struct xml *x)
{
    if (x->mode == XML_LESS)
        end_text(x, false);
    return x->mode == XML_LESS || x->mode == XML_TAG;
}

/* Attributes */

static struct str take_value(struct str *s)
{
    struct str value = str_trim(*s);
    if (value.n && (*value.p == '"' || *value.p == '\'')) {
        char quote = *value.p;
        value = str_from(value, 1);
        *s = value;
        return str_take_until(s, quote);
    }
    size_t n = 0;
    while (n < value.n && (uint8_t)value.p[n] > ' ')
        n++;
    *s = str_from(value, n);
    return str_first(value, n);
}

bool xml_attr_next(struct str *attrs, struct str *ret_local, struct str *ret_value)
{
    struct str s = *attrs;
    while (s.n && is_name_end(*s.p))
        s = str_from(s, 1);
    if (s.n == 0)
        return false;
    size_t n = 0, local = 0;
    for (; n < s.n && s.p[n] != '=' && !is_name_end(s.p[n]); n++)
        if (s.p[n] == ':')
            local = n + 1;
    *ret_local = str_make(s.p + local, n - local);
    s = str_from(s, n);
    while (s.n && (uint8_t)*s.p <= ' ')
        s = str_from(s, 1);
    *ret_value = STR_NONE;
    if (s.n && *s.p == '=') {
        s = str_from(s, 1);
        *ret_value = take_value(&s);
    }
    *attrs = s;
    return true;
}
