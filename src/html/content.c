/* SPDX-License-Identifier: Apache-2.0 */
/* The states of text that is not markup: RCDATA, RAWTEXT, script data, CDATA sections, PLAINTEXT;
 * and which of them follows a start tag. */
#include "html/entity.h"
#include "html/names_internal.h"
#include "html/tokenizer_internal.h"

static void last_start_set(struct html_tokenizer *t, struct str name)
{
    t->last_start_bytes = name.n <= LAST_START_MAX ? name.n : 0;
    for (size_t i = 0; i < t->last_start_bytes; i++)
        t->last_start[i] = ascii_lower(name.p[i]);
}

static void foreign_push(struct html_tokenizer *t, bool foreign)
{
    if (t->foreign_depth == FOREIGN_MAX)
        return;
    t->foreign_bits = t->foreign_bits << 1 | foreign;
    t->foreign_depth++;
}

static void foreign_pop(struct html_tokenizer *t)
{
    t->foreign_bits >>= 1;
    t->foreign_depth--;
}

/* An end tag inside svg or math: closes the innermost level if that is of its kind. */
static void foreign_end(struct html_tokenizer *t, unsigned traits)
{
    if (traits & ELEMENT_FOREIGN) {
        while (t->foreign_depth && !(t->foreign_bits & 1))
            foreign_pop(t);
        if (t->foreign_depth)
            foreign_pop(t);
    } else if ((traits & ELEMENT_INTEGRATION) && !(t->foreign_bits & 1)) {
        foreign_pop(t);
    }
}

/* A start tag among svg or math elements; true if what follows it is not HTML. */
static bool foreign_start(struct html_tokenizer *t, unsigned traits)
{
    if (traits & ELEMENT_BREAKOUT) {
        while (content_is_foreign(t))
            foreign_pop(t);
        return false;
    }
    if (!t->tag.self_closing && (traits & (ELEMENT_FOREIGN | ELEMENT_INTEGRATION)))
        foreign_push(t, traits & ELEMENT_FOREIGN);
    return true;
}

void content_follow(struct html_tokenizer *t, unsigned traits)
{
    if (t->tag.is_end) {
        if (t->foreign_depth)
            foreign_end(t, traits);
        return;
    }
    if (t->xml && t->tag.self_closing)
        return;
    if (content_is_foreign(t) && foreign_start(t, traits))
        return;
    if (traits & ELEMENT_FOREIGN) {
        if (!t->tag.self_closing)
            foreign_push(t, true);
        return;
    }
    if (traits & ELEMENT_RCDATA)
        t->content = HTML_RCDATA;
    else if (traits & ELEMENT_RAWTEXT)
        t->content = HTML_RAWTEXT;
    else if (traits & ELEMENT_SCRIPT_TEXT)
        t->content = HTML_SCRIPT;
    else if (traits & ELEMENT_PLAIN)
        t->content = HTML_PLAINTEXT;
    t->script = SCRIPT_PLAIN;
    last_start_set(t, t->tag.name);
}

bool tokenizer_tag_is_foreign(const struct html_tokenizer *t)
{
    return content_is_foreign(t) && !(element_trait_bits[t->tag.element] & ELEMENT_BREAKOUT);
}

bool tokenizer_tag_is_empty(const struct html_tokenizer *t)
{
    bool counts = t->xml || (element_trait_bits[t->tag.element] & ELEMENT_FOREIGN);
    return t->tag.self_closing && (counts || tokenizer_tag_is_foreign(t));
}

enum match { MATCH_NO, MATCH_YES, MATCH_OPEN /* the window ended first */ };

/* Whether [p, end) starts with the name, in any case, and then white space, "/" or ">". */
static enum match name_match(const char *p, const char *end, struct str name)
{
    for (size_t i = 0; i < name.n; i++) {
        if (p + i == end)
            return MATCH_OPEN;
        if (ascii_lower(p[i]) != name.p[i])
            return MATCH_NO;
    }
    if (p + name.n == end)
        return MATCH_OPEN;
    char c = p[name.n];
    return c == '/' || c == '>' || ascii_is_space(c) ? MATCH_YES : MATCH_NO;
}

/* Whether the end tag that ends this text stands at `p`, a "<". */
static enum match end_tag_match(const struct html_tokenizer *t, const struct window *w,
                                const char *p)
{
    if (p + 1 == w->end)
        return MATCH_OPEN;
    if (p[1] != '/' || t->last_start_bytes == 0)
        return MATCH_NO;
    return name_match(p + 2, w->end, str_make(t->last_start, t->last_start_bytes));
}

/* The text ends at `p`, where its end tag is read as in the data state. */
static const char *content_end(struct html_tokenizer *t, const char *text, const char *p)
{
    text_emit(t, text, p, false);
    t->content = HTML_DATA;
    t->script = SCRIPT_PLAIN;
    return p;
}

/* The window ends at `p`, where something may begin that more input decides. */
static const char *content_wait(struct html_tokenizer *t, const char *text, const char *p)
{
    text_emit(t, text, p, false);
    return token_wait(t, p);
}

const char *step_raw(struct html_tokenizer *t, const struct window *w, const char *p)
{
    const char *text = p;
    while ((p = memchr(p, '<', (size_t)(w->end - p)))) {
        enum match m = end_tag_match(t, w, p);
        if (m == MATCH_YES)
            return content_end(t, text, p);
        if (m == MATCH_OPEN && !w->final)
            return content_wait(t, text, p);
        p++;
    }
    return text_emit_tail(t, w, text);
}

const char *step_plaintext(struct html_tokenizer *t, const struct window *w, const char *p)
{
    return text_emit_tail(t, w, p);
}

/* Text at the end of the window, but for `last` bytes that may belong to an end mark. */
static const char *content_tail(struct html_tokenizer *t, const struct window *w, const char *p,
                                char mark)
{
    const char *end = w->end;
    while (!w->final && end > p && w->end - end < 2 && end[-1] == mark)
        end--;
    if (end == w->end)
        return text_emit_tail(t, w, p);
    text_emit(t, p, end, false);
    return token_wait(t, end);
}

/* True if the two bytes before `p` are both `mark`. */
static bool behind_two(const struct window *w, const char *p, char mark)
{
    return p - w->base >= 2 && p[-1] == mark && p[-2] == mark;
}

const char *step_cdata(struct html_tokenizer *t, const struct window *w, const char *p)
{
    const char *text = p;
    while ((p = memchr(p, '>', (size_t)(w->end - p)))) {
        if (behind_two(w, p, ']') && p - 2 >= text) {
            text_emit(t, text, p - 2, false);
            t->content = HTML_DATA;
            return p + 1;
        }
        p++;
    }
    return content_tail(t, w, text, ']');
}

/* "<" in script data that is not escaped: only "<!--" matters. */
static enum match script_escape(struct html_tokenizer *t, const struct window *w, const char *p)
{
    static const char open[4] = "<!--";
    for (size_t i = 1; i < sizeof open; i++) {
        if (p + i == w->end)
            return MATCH_OPEN;
        if (p[i] != open[i])
            return MATCH_NO;
    }
    t->script = SCRIPT_ESCAPED;
    return MATCH_YES;
}

/* "<script" in escaped script data, "</script" in doubly escaped: one level in or out. */
static enum match script_nest(struct html_tokenizer *t, const struct window *w, const char *p)
{
    bool out = t->script == SCRIPT_DOUBLE_ESCAPED;
    if (p + 1 == w->end)
        return MATCH_OPEN;
    if (out && p[1] != '/')
        return MATCH_NO;
    enum match m = name_match(p + (out ? 2 : 1), w->end, STR("script"));
    if (m == MATCH_YES)
        t->script = out ? SCRIPT_ESCAPED : SCRIPT_DOUBLE_ESCAPED;
    return m;
}

/* How many bytes at "<" to step over once it is known not to end the script. */
static size_t script_step(const struct html_tokenizer *t, enum script_level before)
{
    if (t->script == before)
        return 1;
    if (before == SCRIPT_PLAIN)
        return 4; /* <!-- */
    return t->script == SCRIPT_DOUBLE_ESCAPED ? sizeof "<script" : sizeof "</script";
}

/* The next "<", or in escaped data also ">", from `p` on, or NULL. */
static const char *script_find(const struct html_tokenizer *t, const char *p, const char *end)
{
    if (t->script == SCRIPT_PLAIN)
        return memchr(p, '<', (size_t)(end - p));
    for (; p < end; p++)
        if (*p == '<' || *p == '>')
            return p;
    return NULL;
}

const char *step_script(struct html_tokenizer *t, const struct window *w, const char *p)
{
    const char *text = p;
    while ((p = script_find(t, p, w->end))) {
        if (*p == '>') {
            if (behind_two(w, p, '-'))
                t->script = SCRIPT_PLAIN;
            p++;
            continue;
        }
        enum match m = t->script == SCRIPT_DOUBLE_ESCAPED ? MATCH_NO : end_tag_match(t, w, p);
        if (m == MATCH_YES)
            return content_end(t, text, p);
        enum script_level before = t->script;
        if (m == MATCH_NO)
            m = before == SCRIPT_PLAIN ? script_escape(t, w, p) : script_nest(t, w, p);
        if (m == MATCH_OPEN && !w->final)
            return content_wait(t, text, p);
        p += script_step(t, before);
    }
    return t->script == SCRIPT_PLAIN ? text_emit_tail(t, w, text) : content_tail(t, w, text, '-');
}
