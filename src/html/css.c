/* SPDX-License-Identifier: Apache-2.0 */
/* Method: one walk over the text that recognises only the tokens which can hide or hold an address
 * (comment, string, name, function, url, at-keyword, parentheses and the three bytes that end a
 * rule); every other byte is stepped over. Each byte is looked at a bounded number of times. */
#include "html/css.h"

#include "base/utf8.h"

enum css_rule {
    RULE_NONE,   /* addresses count */
    RULE_IMPORT, /* the next string or url is what is imported */
    RULE_SKIP,   /* addresses are names, until the prelude ends */
};

enum { WORD_MAX = 24 }; /* longer than any word we look for */

/* A name in lower case with its escapes undone; cut where it is too long to be any of ours. */
struct word {
    char p[WORD_MAX];
    size_t n;
};

static bool is_newline(char c)
{
    return c == '\n' || c == '\r' || c == '\f';
}

static bool is_name(char c)
{
    return ascii_is_alnum(c) || c == '-' || c == '_' || (unsigned char)c >= 0x80 || c == '\0';
}

/* What ends an unquoted url as broken, besides quotes and '('. */
static bool is_unprintable(char c)
{
    unsigned char u = (unsigned char)c;
    return u == 0x0b || u == 0x7f || (u < 0x20 && !ascii_is_space(c) && u != 0);
}

static char peek(const struct css_scan *s, size_t ahead)
{
    return (char)(s->at + ahead < s->css.n ? s->css.p[s->at + ahead] : 0);
}

static bool more(const struct css_scan *s)
{
    return s->at < s->css.n;
}

/* At a backslash: does it begin an escape? Behind it may stand anything but a newline. */
static bool escape_here(const struct css_scan *s)
{
    return s->at + 1 < s->css.n && !is_newline(s->css.p[s->at + 1]);
}

/* The white space that may close a hexadecimal escape; CR LF is one. */
static void escape_end(struct css_scan *s)
{
    if (!more(s) || !ascii_is_space(peek(s, 0)))
        return;
    s->at += peek(s, 0) == '\r' && peek(s, 1) == '\n' ? 2 : 1;
}

/* Reads the escape at the backslash and appends what it stands for to `out`. */
static void escape_take(struct css_scan *s, struct buf *out)
{
    s->at++;
    if (ascii_hex(peek(s, 0)) < 0) {
        char c = s->css.p[s->at++];
        if (c == '\0')
            buf_utf8(out, UTF8_REPLACEMENT);
        else
            buf_byte(out, c);
        return;
    }
    uint32_t code = 0;
    for (int i = 0; i < 6 && more(s) && ascii_hex(peek(s, 0)) >= 0; i++)
        code = code << 4 | (uint32_t)ascii_hex(s->css.p[s->at++]);
    escape_end(s);
    buf_utf8(out, code ? code : UTF8_REPLACEMENT);
}

static void comment_skip(struct css_scan *s)
{
    s->at += 2;
    for (;;) {
        s->at += str_find(str_from(s->css, s->at), '*');
        if (s->at + 1 >= s->css.n)
            break;
        s->at++;
        if (peek(s, 0) == '/') {
            s->at++;
            return;
        }
    }
    s->at = s->css.n;
}

static void space_skip(struct css_scan *s)
{
    while (more(s) && ascii_is_space(peek(s, 0)))
        s->at++;
}

static bool comment_here(const struct css_scan *s)
{
    return peek(s, 0) == '/' && peek(s, 1) == '*';
}

static void word_add(struct word *w, struct str bytes)
{
    for (size_t i = 0; i < bytes.n; i++) {
        if (w->n < WORD_MAX)
            w->p[w->n++] = ascii_lower(bytes.p[i]);
    }
}

/* Reads the name at the current byte; empty if there is none. */
static void word_take(struct css_scan *s, struct word *ret)
{
    ret->n = 0;
    while (more(s)) {
        char c = peek(s, 0);
        if (is_name(c)) {
            word_add(ret, str_make(s->css.p + s->at++, 1));
        } else if (c == '\\' && escape_here(s)) {
            char room[UTF8_MAX_BYTES];
            struct buf one = buf_on(room, sizeof room);
            escape_take(s, &one);
            word_add(ret, buf_str(&one));
        } else {
            break;
        }
    }
}

static bool word_is(const struct word *w, struct str name)
{
    return str_eq(str_make(w->p, w->n), name);
}

static bool word_ends(const struct word *w, struct str name)
{
    return w->n < WORD_MAX && str_ends(str_make(w->p, w->n), name);
}

/* An address being read. While it has no escapes it is a piece of the text; from the first escape
 * on it is copied to the scratch buffer. */
struct piece {
    size_t from; /* start of what is not copied yet */
    bool copied;
};

static void piece_flush(struct css_scan *s, struct piece *p)
{
    if (!p->copied)
        buf_clear(s->scratch);
    p->copied = true;
    buf_add(s->scratch, str_make(s->css.p + p->from, s->at - p->from));
}

static void piece_escape(struct css_scan *s, struct piece *p)
{
    piece_flush(s, p);
    escape_take(s, s->scratch);
    p->from = s->at;
}

static void piece_nul(struct css_scan *s, struct piece *p)
{
    piece_flush(s, p);
    buf_utf8(s->scratch, UTF8_REPLACEMENT);
    p->from = ++s->at;
}

/* Ends the address at the current byte. If the scratch buffer has failed, the scan ends. */
static struct str piece_end(struct css_scan *s, struct piece *p)
{
    if (!p->copied)
        return str_make(s->css.p + p->from, s->at - p->from);
    piece_flush(s, p);
    if (buf_rc(s->scratch) == RC_OK)
        return buf_str(s->scratch);
    s->at = s->css.n;
    return STR_NONE;
}

/* A backslash in a string: an escape, a newline to leave out, or the last byte of all. */
static void string_backslash(struct css_scan *s, struct piece *p)
{
    if (escape_here(s)) {
        piece_escape(s, p);
        return;
    }
    piece_flush(s, p);
    s->at++;
    if (more(s))
        s->at += peek(s, 0) == '\r' && peek(s, 1) == '\n' ? 2 : 1;
    p->from = s->at;
}

/* Reads the string at the quote. Absent if a newline breaks it, which is then the next byte. */
static struct str string_take(struct css_scan *s)
{
    char quote = s->css.p[s->at++];
    struct piece p = {.from = s->at};
    while (more(s)) {
        char c = peek(s, 0);
        if (c == quote) {
            struct str text = piece_end(s, &p);
            if (more(s))
                s->at++;
            return text;
        }
        if (is_newline(c))
            return STR_NONE;
        if (c == '\\')
            string_backslash(s, &p);
        else if (c == '\0')
            piece_nul(s, &p);
        else
            s->at++;
    }
    return piece_end(s, &p);
}

/* Skips the rest of a broken url: up to and including the next ')' that is not escaped. */
static struct str url_broken(struct css_scan *s)
{
    while (more(s)) {
        char c = peek(s, 0);
        s->at += c == '\\' && s->at + 1 < s->css.n ? 2 : 1;
        if (c == ')')
            break;
    }
    return STR_NONE;
}

/* Behind the address only white space may stand before the ')'. */
static struct str url_close(struct css_scan *s, struct str text)
{
    space_skip(s);
    if (!more(s))
        return text;
    if (peek(s, 0) != ')')
        return url_broken(s);
    s->at++;
    return text;
}

/* Reads the unquoted address behind "url(". Absent if it is broken. */
static struct str url_bare(struct css_scan *s)
{
    struct piece p = {.from = s->at};
    while (more(s)) {
        char c = peek(s, 0);
        if (c == ')' || ascii_is_space(c))
            return url_close(s, piece_end(s, &p));
        if (c == '"' || c == '\'' || c == '(' || is_unprintable(c))
            return url_broken(s);
        if (c == '\\' && !escape_here(s))
            return url_broken(s);
        if (c == '\\')
            piece_escape(s, &p);
        else if (c == '\0')
            piece_nul(s, &p);
        else
            s->at++;
    }
    return piece_end(s, &p);
}

/* Behind "url(": an unquoted address, or a function with a string in it. */
static struct str url_take(struct css_scan *s)
{
    space_skip(s);
    if (peek(s, 0) != '"' && peek(s, 0) != '\'')
        return url_bare(s);
    s->depth++;
    return string_take(s);
}

/* Reads a name. If it is url(, returns the address; in image-set( strings are addresses. */
static struct str name_take(struct css_scan *s)
{
    struct word w;
    word_take(s, &w);
    if (peek(s, 0) != '(')
        return STR_NONE;
    s->at++;
    if (word_is(&w, STR("url")))
        return url_take(s);
    s->depth++;
    if (word_is(&w, STR("image-set")) || word_is(&w, STR("-webkit-image-set")))
        s->image_depth = s->depth;
    return STR_NONE;
}

/* An at-keyword decides what the addresses up to the end of its prelude are. */
static void keyword_take(struct css_scan *s)
{
    struct word w;
    s->at++;
    word_take(s, &w);
    if (word_is(&w, STR("import")))
        s->rule = RULE_IMPORT;
    else if (word_is(&w, STR("charset")) || word_is(&w, STR("namespace")) ||
             word_is(&w, STR("document")) || word_ends(&w, STR("-document")))
        s->rule = RULE_SKIP;
    else if (w.n)
        s->rule = RULE_NONE;
}

static void rule_end(struct css_scan *s)
{
    s->rule = RULE_NONE;
    s->depth = 0;
    s->image_depth = 0;
}

static void paren_close(struct css_scan *s)
{
    if (s->image_depth == s->depth)
        s->image_depth = 0;
    if (s->depth)
        s->depth--;
}

/* Reads a token that begins with none of a name, a string or an escape. */
static void other_take(struct css_scan *s)
{
    struct word w;
    char c = s->css.p[s->at];
    if (c == '@') {
        keyword_take(s);
        return;
    }
    s->at++;
    if (c == '#')
        word_take(s, &w);
    else if (c == ';' || c == '{' || c == '}')
        rule_end(s);
    else if (c == '(')
        s->depth++;
    else if (c == ')')
        paren_close(s);
    else if (c == '<' && str_starts(str_from(s->css, s->at), STR("!--")))
        s->at += 3;
}

/* A string or url just read: is it an address, and of which kind? */
static bool address_counts(struct css_scan *s, struct str text, bool is_url, struct css_url *ret)
{
    bool import = s->rule == RULE_IMPORT;
    bool image = s->image_depth && s->image_depth == s->depth;
    if (s->rule == RULE_SKIP || (!is_url && !import && !image))
        return false;
    if (import)
        s->rule = RULE_SKIP;
    *ret = (struct css_url){text, import};
    return text.n > 0;
}

void css_scan_init(struct css_scan *s, struct str css, struct buf *scratch)
{
    *s = (struct css_scan){.css = css, .scratch = scratch};
}

bool css_scan_next(struct css_scan *s, struct css_url *ret)
{
    while (more(s)) {
        char c = peek(s, 0);
        if (c == '"' || c == '\'') {
            if (address_counts(s, string_take(s), false, ret))
                return true;
        } else if (is_name(c) || (c == '\\' && escape_here(s))) {
            struct str text = name_take(s);
            if (text.p && address_counts(s, text, true, ret))
                return true;
            if (s->rule == RULE_IMPORT)
                s->rule = RULE_SKIP; /* it must come first, so nothing is imported here */
        } else if (comment_here(s)) {
            comment_skip(s);
        } else {
            other_take(s);
        }
    }
    return false;
}
