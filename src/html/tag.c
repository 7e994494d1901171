/* SPDX-License-Identifier: Apache-2.0 */
/* The data state and the states of tags: where nearly all of the time goes. tag_scan() is compiled
 * into the data loop for tags that begin there, and once more to resume one from the hold. */
#include "html/entity.h"
#include "html/names_internal.h"
#include "html/scan.h"
#include "html/tokenizer_internal.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static uint32_t attr_name_hash(struct str name)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < name.n; i++)
        hash = (hash ^ (unsigned char)ascii_lower(name.p[i])) * 16777619u;
    return hash;
}

/* Names are hashed when first compared, each once, so that a tag of many long names that differ
 * late costs no more than its length. */
static __attribute__((noinline)) bool attr_is_repeated(struct html_tokenizer *t, struct str name)
{
    uint32_t hash = attr_name_hash(name);
    for (; t->attr_hashed < t->tag.attr_count; t->attr_hashed++)
        t->attr_hash[t->attr_hashed] = attr_name_hash(t->attrs[t->attr_hashed].name);
    for (size_t i = 0; i < t->tag.attr_count; i++)
        if (t->attr_hash[i] == hash && str_eq_nocase(t->attrs[i].name, name))
            return true;
    return false;
}

/* Cuts the value to the limits. False: there is no room, and the attribute is dropped. */
static __attribute__((noinline)) bool attr_fit(struct html_tokenizer *t, struct str *name,
                                               struct str *value)
{
    if (t->tag.attr_count == HTML_MAX_ATTRS || name->n > t->room) {
        t->tag.cut = true;
        return false;
    }
    size_t max = t->room - name->n;
    if (max > HTML_MAX_VALUE_BYTES)
        max = HTML_MAX_VALUE_BYTES;
    if (value->n > max) {
        value->n = max;
        t->tag.cut = true;
    }
    return true;
}

/* Fields one by one, from registers: a struct built in memory and copied by vectors would have to
 * wait for its own stores. */
SCAN_INLINE void attr_put(struct html_tokenizer *t, struct str name, struct str value, bool plain)
{
    struct html_attr *to = &t->attrs[t->tag.attr_count++];
    to->name.p = name.p;
    to->name.n = name.n;
    to->value.p = value.p;
    to->value.n = value.n;
    to->plain = plain;
    t->room -= name.n + value.n;
    t->tag.attr_bits |= html_attr_bit(name);
}

static __attribute__((noinline)) void attr_add_rare(struct html_tokenizer *t, struct str name,
                                                    struct str value, bool plain)
{
    if (!attr_is_repeated(t, name) && attr_fit(t, &name, &value))
        attr_put(t, name, value, plain);
}

SCAN_INLINE void attr_add(struct html_tokenizer *t, struct str name, struct str value, bool plain)
{
    if (UNLIKELY((t->tag.attr_bits & html_attr_bit(name)) || t->tag.attr_count == HTML_MAX_ATTRS ||
                 value.n > HTML_MAX_VALUE_BYTES || name.n + value.n > t->room))
        attr_add_rare(t, name, value, plain);
    else
        attr_put(t, name, value, plain);
}

/* A name is kept up to its limit. */
SCAN_INLINE struct str name_make(struct html_tokenizer *t, const char *p, const char *end)
{
    size_t n = (size_t)(end - p);
    if (UNLIKELY(n > HTML_MAX_NAME_BYTES)) {
        n = HTML_MAX_NAME_BYTES;
        t->tag.cut = true;
    }
    return str_make(p, n);
}

/* The first white space, / or > from `p` on, or one of these or "=" if `or_equals`, or end. The
 * mask also has the control characters, which belong to names. */
SCAN_INLINE const char *name_end(struct scan *s, const char *p, bool or_equals)
{
    uint64_t ignored = 0;
    for (;; p++) {
        p = scan_find(s, p, SCAN_DELIM, &ignored);
        if (p == s->end)
            return p;
        char c = *p;
        if (LIKELY(c == '>' || c == ' ' || c == '/' || (or_equals && c == '=')) ||
            ascii_is_space(c))
            return p;
    }
}

SCAN_INLINE const char *unquoted_end(struct scan *s, const char *p, uint64_t *special)
{
    for (;; p++) {
        p = scan_find(s, p, SCAN_DELIM, special);
        if (p == s->end || *p == '>' || ascii_is_space(*p))
            return p;
        if (*p == '\0') /* it is in both masks, and the search stops in front of it */
            *special = 1;
    }
}

SCAN_INLINE const char *space_skip(const char *p, const char *end)
{
    while (p < end && ascii_is_space(*p))
        p++;
    return p;
}

/* The window ended inside the tag, in `step`. */
SCAN_INLINE const char *tag_pause(struct html_tokenizer *t, enum tag_step step, const char *part)
{
    t->step = step;
    t->part = part;
    if (step == TAG_NAME)
        t->tag.name = str_make(part, 0);
    if (step != TAG_AFTER_ATTR && step != TAG_BEFORE_VALUE && step != TAG_VALUE_DQ &&
        step != TAG_VALUE_SQ && step != TAG_VALUE_UNQUOTED)
        t->attr_name = STR_NONE; /* the old name pointed into another window */
    return NULL;
}

/* Reads on from `p` in `step` to behind the ">", or NULL if the window ends first. `part` is the
 * start of the name or value being read, `special` whether that has something to decode. */
SCAN_INLINE const char *tag_scan(struct html_tokenizer *t, struct scan *s, const char *p,
                                 enum tag_step step, const char *part, uint64_t special)
{
    const char *end = s->end, *q;
    struct str name = t->attr_name;
    switch (step) {
    case TAG_NAME:
        break;
    case TAG_BEFORE_ATTR:
        goto before_attr;
    case TAG_ATTR_NAME:
        goto attr_name;
    case TAG_AFTER_ATTR:
        goto after_attr;
    case TAG_BEFORE_VALUE:
        goto before_value;
    case TAG_VALUE_DQ:
        goto value_dq;
    case TAG_VALUE_SQ:
        goto value_sq;
    case TAG_VALUE_UNQUOTED:
        goto value_unquoted;
    case TAG_SELF_CLOSING:
        goto self_closing;
    }

    q = name_end(s, p, false);
    if (UNLIKELY(q == end))
        return tag_pause(t, TAG_NAME, part);
    t->tag.name = name_make(t, part, q);
    if (LIKELY(*q == '>'))
        return q + 1;
    p = q;

before_attr:
    p = space_skip(p, end);
    if (UNLIKELY(p == end))
        return tag_pause(t, TAG_BEFORE_ATTR, p);
    if (*p == '>')
        return p + 1;
    if (UNLIKELY(*p == '/')) {
        p++;
        goto self_closing;
    }
    part = p++; /* whatever it is, even "=" */

attr_name:
    q = name_end(s, p, true);
    if (UNLIKELY(q == end))
        return tag_pause(t, TAG_ATTR_NAME, part);
    name = name_make(t, part, q);
    p = q;
    if (UNLIKELY(*p != '='))
        goto after_attr;
    p++;

before_value:
    p = space_skip(p, end);
    special = 0;
    if (UNLIKELY(p == end)) {
        t->attr_name = name;
        return tag_pause(t, TAG_BEFORE_VALUE, p);
    }
    part = p + 1;
    if (LIKELY(*p == '"')) {
        p++;
        goto value_dq;
    }
    if (*p == '\'') {
        p++;
        goto value_sq;
    }
    part = p;
    if (*p != '>')
        goto value_unquoted;
    attr_add(t, name, str_make(p, 0), true);
    return p + 1;

value_dq:
    q = scan_find(s, p, SCAN_DQ, &special);
    if (UNLIKELY(q == end)) {
        t->attr_name = name;
        return tag_pause(t, TAG_VALUE_DQ, part);
    }
    attr_add(t, name, str_make(part, (size_t)(q - part)), !special);
    p = q + 1;
    if (LIKELY(p < end && *p == '>'))
        return p + 1;
    goto before_attr;

value_sq:
    q = scan_find(s, p, SCAN_SQ, &special);
    if (UNLIKELY(q == end)) {
        t->attr_name = name;
        return tag_pause(t, TAG_VALUE_SQ, part);
    }
    attr_add(t, name, str_make(part, (size_t)(q - part)), !special);
    p = q + 1;
    goto before_attr;

value_unquoted:
    q = unquoted_end(s, p, &special);
    if (UNLIKELY(q == end)) {
        t->attr_name = name;
        return tag_pause(t, TAG_VALUE_UNQUOTED, part);
    }
    attr_add(t, name, str_make(part, (size_t)(q - part)), !special);
    p = q;
    goto before_attr;

after_attr:
    p = space_skip(p, end);
    if (UNLIKELY(p == end)) {
        t->attr_name = name;
        return tag_pause(t, TAG_AFTER_ATTR, p);
    }
    if (*p == '=') {
        p++;
        goto before_value;
    }
    attr_add(t, name, str_make(name.p + name.n, 0), true);
    goto before_attr;

self_closing:
    if (UNLIKELY(p == end))
        return tag_pause(t, TAG_SELF_CLOSING, p);
    if (*p == '>') {
        t->tag.self_closing = true;
        return p + 1;
    }
    goto before_attr;
}

enum {
    TRAITS_TO_FOLLOW =
        ELEMENT_RCDATA | ELEMENT_RAWTEXT | ELEMENT_SCRIPT_TEXT | ELEMENT_PLAIN | ELEMENT_FOREIGN,
};

SCAN_INLINE void tag_emit(struct html_tokenizer *t, const char *end, bool is_end)
{
    if (is_end && !t->handler.end_tag && !t->foreign_depth)
        return; /* no handler asks which element it was */
    t->tag.element = element_find_fast(t->tag.name, end - t->tag.name.p >= 8);
    enum rc (*handle)(void *, const struct html_tag *) =
        is_end ? t->handler.end_tag : t->handler.start_tag;
    if (handle)
        t->rc = handle(t->ctx, &t->tag);
    if (!t->follow_content)
        return;
    unsigned traits = element_trait_bits[t->tag.element];
    if (UNLIKELY((traits & TRAITS_TO_FOLLOW) || t->foreign_depth))
        content_follow(t, traits);
}

SCAN_INLINE void tag_begin(struct html_tokenizer *t, bool is_end)
{
    t->tag.is_end = is_end;
    t->tag.self_closing = false;
    t->tag.cut = false;
    t->tag.attr_bits = 0;
    t->tag.attr_count = 0;
    t->attr_hashed = 0;
    t->room = HTML_MAX_TAG_BYTES;
}

/* The tag at `p` ("<x" or "</x"): emitted if it ends here, else left in IN_TAG. */
SCAN_INLINE const char *tag_read(struct html_tokenizer *t, struct scan *s, const char *p,
                                 bool is_end)
{
    tag_begin(t, is_end);
    const char *name = p + (is_end ? 2 : 1);
    const char *q = tag_scan(t, s, name, TAG_NAME, name, 0);
    if (LIKELY(q != NULL)) {
        tag_emit(t, s->end, is_end);
        return q;
    }
    t->where = IN_TAG;
    return p;
}

/* A tag that the input ends in is dropped, as the standard has it. */
static const char *tag_wait(struct html_tokenizer *t, const struct window *w, const char *p)
{
    return w->final ? w->end : token_wait(t, p);
}

const char *step_tag(struct html_tokenizer *t, const struct window *w, const char *p)
{
    struct scan s;
    const char *from = p + t->scanned;
    if (from == w->end)
        return tag_wait(t, w, p);
    scan_init(&s, t->classify, from, w->end);
    const char *q = tag_scan(t, &s, from, t->step, t->part, 1);
    if (!q)
        return tag_wait(t, w, p);
    t->where = IN_CONTENT;
    tag_emit(t, w->end, t->tag.is_end);
    return q;
}

const char *text_emit_tail(struct html_tokenizer *t, const struct window *w, const char *p)
{
    const char *end = w->end;
    bool references = t->content == HTML_DATA || t->content == HTML_RCDATA;
    const char *amp = references ? memrchr(p, '&', (size_t)(end - p)) : NULL;
    if (!w->final) {
        if (amp && entity_may_go_on(str_make(amp, (size_t)(end - amp))))
            end = amp;
        else if (end > p && end[-1] == '\r')
            end--;
    }
    text_emit(t, p, end, false);
    return end < w->end ? token_wait(t, end) : end;
}

/* True at what begins a token: a letter, "/", "!" or "?" behind "<". */
SCAN_INLINE bool opens_markup(char c)
{
    return ascii_is_alpha(c) || c == '/' || c == '!' || c == '?';
}

/* The "<" from `p` on that begins a token, or the end of the window; a "<" that is its last byte
 * may begin one. `special` is NULL where no handler reads the text. */
SCAN_INLINE const char *text_end(struct scan *s, const char *p, bool final, uint64_t *special)
{
    for (;; p++) {
        p = special ? scan_find(s, p, SCAN_LT, special) : scan_skip(s, p);
        if (UNLIKELY(p >= s->end - 1))
            return final ? s->end : p;
        if (LIKELY(opens_markup(p[1])))
            return p;
    }
}

const char *step_data(struct html_tokenizer *t, const struct window *w, const char *p,
                      const char *stop)
{
    struct scan s;
    scan_init(&s, t->classify, p, w->end);
    while (p < stop && t->rc == RC_OK && !t->need_more) {
        uint64_t special = 0;
        const char *q =
            t->handler.text ? text_end(&s, p, w->final, &special) : text_end(&s, p, w->final, NULL);
        if (UNLIKELY(q == w->end))
            return text_emit_tail(t, w, p);
        if (q > p)
            text_emit(t, p, q, !special);
        p = q;
        if (UNLIKELY(t->rc != RC_OK))
            return p;
        if (UNLIKELY(p + 1 == w->end))
            return token_wait(t, p);
        if (LIKELY(ascii_is_alpha(p[1])))
            p = tag_read(t, &s, p, false);
        else if (LIKELY(p[1] == '/' && w->end - p > 2 && ascii_is_alpha(p[2])))
            p = tag_read(t, &s, p, true);
        else
            return markup_open(t, w, p);
        if (UNLIKELY(t->where == IN_TAG))
            return tag_wait(t, w, p);
        if (UNLIKELY(t->content != HTML_DATA))
            return p;
    }
    return p;
}
