/* SPDX-License-Identifier: Apache-2.0 */
/* From the raw spans of tokens to the text that the standard's states would have emitted. */
#include "html/entity.h"
#include "html/tokenizer.h"

/* The next byte from `at` on that does not stand for itself. */
static size_t find_special(struct str raw, size_t at, bool references)
{
    for (; at < raw.n; at++) {
        char c = raw.p[at];
        if (c == '\r' || c == '\0' || (c == '&' && references))
            break;
    }
    return at;
}

/* Writes the decoded form of the bytes at `at` and returns how many bytes of `raw` it has used. */
static size_t decode_one(struct str raw, size_t at, bool in_attribute, bool keep_nul,
                         struct buf *out)
{
    struct entity e;
    if (raw.p[at] == '\r') {
        buf_byte(out, '\n');
        return at + 1 < raw.n && raw.p[at + 1] == '\n' ? 2 : 1;
    }
    if (raw.p[at] == '\0') {
        buf_add(out, keep_nul ? str_make("", 1) : STR("\xef\xbf\xbd"));
        return 1;
    }
    if (!entity_read(str_from(raw, at), in_attribute, &e)) {
        buf_byte(out, '&');
        return 1;
    }
    buf_add(out, str_make(e.text, e.text_bytes));
    return e.raw_bytes;
}

void html_decode(struct str raw, enum html_state kind, bool in_attribute, struct buf *out)
{
    bool references = kind == HTML_DATA || kind == HTML_RCDATA;
    bool keep_nul = !in_attribute && (kind == HTML_DATA || kind == HTML_CDATA);
    for (size_t at = 0; at < raw.n;) {
        size_t to = find_special(raw, at, references);
        buf_add(out, str_make(raw.p + at, to - at));
        at = to;
        if (at < raw.n)
            at += decode_one(raw, at, in_attribute, keep_nul, out);
    }
}

static struct str decoded(struct str raw, enum html_state kind, bool in_attribute,
                          struct buf *scratch)
{
    buf_clear(scratch);
    html_decode(raw, kind, in_attribute, scratch);
    return buf_str(scratch);
}

struct str html_value(const struct html_attr *attr, struct buf *scratch)
{
    return attr->plain ? attr->value : decoded(attr->value, HTML_DATA, true, scratch);
}

struct str html_text(const struct html_text *text, struct buf *scratch)
{
    return text->plain ? text->raw : decoded(text->raw, text->kind, false, scratch);
}

struct str html_comment_text(const struct html_comment *comment, struct buf *scratch)
{
    return comment->plain ? comment->raw : decoded(comment->raw, HTML_RAWTEXT, false, scratch);
}

struct str html_name(struct str raw, struct buf *scratch)
{
    struct str name = decoded(raw, HTML_RAWTEXT, false, scratch);
    for (size_t i = 0; i < scratch->n; i++)
        scratch->p[i] = ascii_lower(scratch->p[i]);
    return name;
}

const struct html_attr *html_find_attr(const struct html_tag *tag, struct str name)
{
    if (!(tag->attr_bits & html_attr_bit(name)))
        return NULL;
    for (size_t i = 0; i < tag->attr_count; i++)
        if (str_eq_nocase(tag->attrs[i].name, name))
            return &tag->attrs[i];
    return NULL;
}
