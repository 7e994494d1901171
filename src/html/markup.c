/* SPDX-License-Identifier: Apache-2.0 */
/* Comments, bogus comments and doctypes: all of them end at a ">" that can be searched for, and
 * what is between is read once it is whole. */
#include "html/tokenizer_internal.h"

enum { COMMENT_START = 4 /* behind <!-- */ };

/* Whether [p, end) starts with `word` in any case: no, yes, or the window ends first. */
enum word { WORD_NO, WORD_YES, WORD_OPEN };

static enum word word_match(const char *p, const char *end, struct str word)
{
    size_t have = (size_t)(end - p);
    if (!str_starts_nocase(word, str_make(p, have < word.n ? have : word.n)))
        return WORD_NO;
    return have < word.n ? WORD_OPEN : WORD_YES;
}

static const char *token_begin(struct html_tokenizer *t, enum token_where where, const char *p,
                               size_t scanned)
{
    t->where = where;
    t->scanned = scanned;
    t->cut = false;
    return p;
}

static const char *declaration_open(struct html_tokenizer *t, const struct window *w, const char *p)
{
    enum word comment = word_match(p + 2, w->end, STR("--"));
    enum word doctype = word_match(p + 2, w->end, STR("doctype"));
    enum word cdata = word_match(p + 2, w->end, STR("[CDATA["));
    if (!w->final && (comment == WORD_OPEN || doctype == WORD_OPEN || cdata == WORD_OPEN))
        return token_wait(t, p);
    if (comment == WORD_YES)
        return token_begin(t, IN_COMMENT, p, COMMENT_START);
    if (doctype == WORD_YES)
        return token_begin(t, IN_DOCTYPE, p, 9);
    if (cdata == WORD_YES && memcmp(p + 2, "[CDATA[", 7) == 0 &&
        (t->xml || content_is_foreign(t))) {
        t->content = HTML_CDATA;
        return p + 9;
    }
    return token_begin(t, IN_BOGUS, p, 2);
}

const char *markup_open(struct html_tokenizer *t, const struct window *w, const char *p)
{
    if (p[1] == '!')
        return declaration_open(t, w, p);
    if (p[1] == '?')
        return token_begin(t, IN_BOGUS, p, 1);
    if (w->end - p == 2) { /* </ */
        if (!w->final)
            return token_wait(t, p);
        text_emit(t, p, w->end, true);
        return w->end;
    }
    if (p[2] == '>')
        return p + 3;
    return token_begin(t, IN_BOGUS, p, 2);
}

static void comment_emit(struct html_tokenizer *t, struct str raw)
{
    t->where = IN_CONTENT;
    if (!t->handler.comment)
        return;
    bool cut = raw.n > HTML_MAX_COMMENT_BYTES;
    struct html_comment comment = {str_first(raw, HTML_MAX_COMMENT_BYTES), false, cut};
    t->rc = t->handler.comment(t->ctx, &comment);
}

/* How many bytes before the ">" at `q` belong to the end mark (-- or --!); 0: the ">" ends no
 * comment. No byte before `floor` is looked at, since bytes there may not be adjacent in the
 * page. */
static size_t comment_mark(const char *floor, const char *q)
{
    size_t n = (size_t)(q - floor);
    if (n >= 2 && q[-1] == '-' && q[-2] == '-')
        return 2;
    if (n >= 3 && q[-1] == '!' && q[-2] == '-' && q[-3] == '-')
        return 3;
    return 0;
}

/* <!--> and <!---> are whole comments. */
static bool comment_is_abrupt(const char *from, const char *q)
{
    return q == from || (q == from + 1 && *from == '-');
}

static const char *comment_find_end(const struct html_tokenizer *t, const struct window *w,
                                    const char *p, size_t *ret_mark)
{
    const char *from = p + COMMENT_START, *q = p + t->scanned;
    const char *floor = from;
    if (t->cut)
        floor += 1 + (t->handler.comment ? HTML_MAX_COMMENT_BYTES : 0);
    for (; (q = memchr(q, '>', (size_t)(w->end - q))); q++) {
        *ret_mark = comment_mark(floor, q);
        if (*ret_mark)
            return q;
        if (!t->cut && comment_is_abrupt(from, q)) {
            *ret_mark = (size_t)(q - from);
            return q;
        }
    }
    return NULL;
}

/* At the end of the input what could have been the beginning of the mark does not count. */
static size_t comment_open_mark(struct str raw)
{
    if (str_ends(raw, STR("--!")))
        return 3;
    if (str_ends(raw, STR("--")))
        return 2;
    return str_ends(raw, STR("-"));
}

const char *step_comment(struct html_tokenizer *t, const struct window *w, const char *p)
{
    size_t mark;
    const char *from = p + COMMENT_START, *q = comment_find_end(t, w, p, &mark);
    if (q) {
        comment_emit(t, str_make(from, (size_t)(q - from) - mark));
        return q + 1;
    }
    if (!w->final)
        return token_wait(t, p);
    struct str raw = str_make(from, (size_t)(w->end - from));
    raw.n -= comment_open_mark(raw);
    comment_emit(t, raw);
    return w->end;
}

const char *step_bogus(struct html_tokenizer *t, const struct window *w, const char *p)
{
    const char *from = p + bogus_start(p), *q = p + t->scanned;
    q = memchr(q, '>', (size_t)(w->end - q));
    if (!q && !w->final)
        return token_wait(t, p);
    comment_emit(t, str_make(from, (size_t)((q ? q : w->end) - from)));
    return q ? q + 1 : w->end;
}

/* A doctype between "<!doctype" and its ">" or the end of the input. */
struct doctype_reader {
    const char *p, *end;
    struct buf *out; /* has room for all, so that strings in it stay where they are */
    bool at_eof;     /* no ">" behind it */
    struct html_doctype d;
};

static void doctype_skip_space(struct doctype_reader *r)
{
    while (r->p < r->end && ascii_is_space(*r->p))
        r->p++;
}

static struct str doctype_keep(struct doctype_reader *r, struct str raw, bool fold)
{
    size_t from = r->out->n;
    html_decode(raw, HTML_RAWTEXT, false, r->out);
    struct str s = str_make(r->out->p + from, r->out->n - from);
    for (size_t i = from; fold && i < r->out->n; i++)
        r->out->p[i] = ascii_lower(r->out->p[i]);
    return s;
}

/* Reads a quoted identifier; false if there is none or it does not end in its quote. */
static bool doctype_quoted(struct doctype_reader *r, struct str *ret)
{
    doctype_skip_space(r);
    if (r->p == r->end || (*r->p != '"' && *r->p != '\''))
        return false;
    const char *from = r->p + 1;
    const char *close = memchr(from, *r->p, (size_t)(r->end - from));
    *ret = doctype_keep(r, str_make(from, (size_t)((close ? close : r->end) - from)), false);
    r->p = close ? close + 1 : r->end;
    return close != NULL;
}

static void doctype_read_name(struct doctype_reader *r)
{
    doctype_skip_space(r);
    const char *from = r->p;
    while (r->p < r->end && !ascii_is_space(*r->p))
        r->p++;
    if (r->p > from)
        r->d.name = doctype_keep(r, str_make(from, (size_t)(r->p - from)), true);
}

/* Behind the name: PUBLIC "x" "y", SYSTEM "y", or nothing. False when that is broken. */
static bool doctype_read_ids(struct doctype_reader *r)
{
    doctype_skip_space(r);
    struct str rest = str_make(r->p, (size_t)(r->end - r->p));
    if (rest.n == 0)
        return true;
    bool is_public = str_starts_nocase(rest, STR("public"));
    if (!is_public && !str_starts_nocase(rest, STR("system")))
        return false;
    r->p += 6;
    if (!is_public)
        return doctype_quoted(r, &r->d.system_id);
    if (!doctype_quoted(r, &r->d.public_id))
        return false;
    doctype_skip_space(r);
    return r->p == r->end || doctype_quoted(r, &r->d.system_id);
}

static void doctype_emit(struct html_tokenizer *t, struct str raw, bool at_eof)
{
    t->where = IN_CONTENT;
    if (!t->handler.doctype)
        return;
    bool cut = raw.n > HTML_MAX_DOCTYPE_BYTES;
    raw = str_first(raw, HTML_MAX_DOCTYPE_BYTES);
    buf_clear(&t->scratch);
    if (!buf_reserve(&t->scratch, raw.n * 3 + 1)) {
        t->rc = buf_rc(&t->scratch);
        return;
    }
    struct doctype_reader r = {raw.p, raw.p + raw.n, &t->scratch, at_eof || cut, {.cut = cut}};
    doctype_read_name(&r);
    bool good = r.d.name.p && doctype_read_ids(&r);
    doctype_skip_space(&r);
    bool bogus = r.p < r.end; /* an input that ends in ignored bytes is no fault */
    r.d.force_quirks = !good || (r.at_eof && !bogus);
    t->rc = t->handler.doctype(t->ctx, &r.d);
}

const char *step_doctype(struct html_tokenizer *t, const struct window *w, const char *p)
{
    const char *from = p + 9, *q = p + t->scanned;
    q = memchr(q, '>', (size_t)(w->end - q));
    if (!q && !w->final)
        return token_wait(t, p);
    doctype_emit(t, str_make(from, (size_t)((q ? q : w->end) - from)), !q);
    return q ? q + 1 : w->end;
}
