/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "html/entity.h"
#include "html/tokenizer_internal.h"

enum {
    HOLD_MAX_BYTES = 1 << 20,   /* never reached: the limits of tokenizer.h end it earlier */
    HOLD_STEP_BYTES = 16 << 10, /* of a piece are added to the hold at a time, at most */
    COMMENT_OPEN_BYTES = 4,     /* <!-- */
    DOCTYPE_OPEN_BYTES = 9,     /* <!doctype */
    COMMENT_TAIL_BYTES = 3,     /* what may turn out to belong to --!> */
    NUMBER_MAX_DIGITS = 16,     /* of a reference, enough to be past U+10FFFF */
};

void tokenizer_reset(struct html_tokenizer *t, const struct html_options *options)
{
    static const struct html_options none = {0};
    if (!options)
        options = &none;
    t->rc = RC_OK;
    t->handler = t->wanted;
    t->follow_content = options->follow_content;
    t->xml = options->xml;
    t->content = options->state;
    t->where = IN_CONTENT;
    t->script = SCRIPT_PLAIN;
    t->foreign_bits = 0;
    t->foreign_depth = 0;
    t->need_more = false;
    t->last_start_bytes = 0;
    if (options->last_start_tag.n <= LAST_START_MAX) {
        t->last_start_bytes = options->last_start_tag.n;
        for (size_t i = 0; i < t->last_start_bytes; i++)
            t->last_start[i] = ascii_lower(options->last_start_tag.p[i]);
    }
    buf_clear(&t->hold);
}

enum rc tokenizer_open(const struct html_handler *handler, void *ctx,
                       const struct html_options *options, struct html_tokenizer **ret)
{
    struct html_tokenizer *t = mem_zero(1, sizeof *t);
    if (!t)
        return RC_NOMEM;
    t->wanted = *handler;
    t->classify = scan_classifier_best();
    t->ctx = ctx;
    t->tag.attrs = t->attrs;
    buf_init(&t->hold, HOLD_MAX_BYTES);
    buf_init(&t->scratch, (size_t)HTML_MAX_DOCTYPE_BYTES * 4);
    tokenizer_reset(t, options);
    *ret = t;
    return RC_OK;
}

void tokenizer_close(struct html_tokenizer *t)
{
    if (!t)
        return;
    buf_done(&t->hold);
    buf_done(&t->scratch);
    mem_free(t);
}

void tokenizer_mute(struct html_tokenizer *t, bool text, bool end_tags)
{
    t->handler.text = text ? NULL : t->wanted.text;
    t->handler.end_tag = end_tags ? NULL : t->wanted.end_tag;
}

static const char *step_content(struct html_tokenizer *t, const struct window *w, const char *p,
                                const char *stop)
{
    switch (t->content) {
    case HTML_DATA:
        return step_data(t, w, p, stop);
    case HTML_RCDATA:
    case HTML_RAWTEXT:
        return step_raw(t, w, p);
    case HTML_SCRIPT:
        return step_script(t, w, p);
    case HTML_PLAINTEXT:
        return step_plaintext(t, w, p);
    case HTML_CDATA:
        return step_cdata(t, w, p);
    }
    return w->end;
}

/* Consumes tokens that start before `stop`; returns where it ended. */
static const char *run_tokens(struct html_tokenizer *t, const struct window *w, const char *p,
                              const char *stop)
{
    t->need_more = false;
    while (p < stop && !t->need_more && t->rc == RC_OK) {
        switch (t->where) {
        case IN_CONTENT:
            p = step_content(t, w, p, stop);
            break;
        case IN_TAG:
            p = step_tag(t, w, p);
            break;
        case IN_COMMENT:
            p = step_comment(t, w, p);
            break;
        case IN_BOGUS:
            p = step_bogus(t, w, p);
            break;
        case IN_DOCTYPE:
            p = step_doctype(t, w, p);
            break;
        }
    }
    return p;
}

/* How much of an unfinished token must be kept: its first and its last bytes. One byte more than
 * the limit is kept, so that a token over the limit is still noticed. */
struct keep {
    size_t head, tail;
};

static struct keep keep_head(size_t have, size_t max)
{
    return (struct keep){have < max ? have : max, 0};
}

static struct keep keep_of(const struct html_tokenizer *t, const char *p, size_t n)
{
    size_t max_comment = t->handler.comment ? HTML_MAX_COMMENT_BYTES : 0;
    switch (t->where) {
    case IN_CONTENT:
    case IN_TAG:
        break;
    case IN_COMMENT:
        max_comment += COMMENT_OPEN_BYTES + 1;
        if (n > max_comment + COMMENT_TAIL_BYTES)
            return (struct keep){max_comment, COMMENT_TAIL_BYTES};
        break;
    case IN_BOGUS:
        return keep_head(n, bogus_start(p) + max_comment + 1);
    case IN_DOCTYPE:
        return keep_head(n, DOCTYPE_OPEN_BYTES + HTML_MAX_DOCTYPE_BYTES + 1);
    }
    return (struct keep){n, 0};
}

static void move_span(const char **p, const char *from, const char *to)
{
    if (*p)
        *p = to + (*p - from);
}

/* Moves the spans of the token's parts, after its bytes have moved from `from` to `to`. */
static void tag_move(struct html_tokenizer *t, const char *from, const char *to)
{
    if (t->where != IN_TAG || from == to)
        return;
    move_span(&t->tag.name.p, from, to);
    move_span(&t->part, from, to);
    move_span(&t->attr_name.p, from, to);
    for (size_t i = 0; i < t->tag.attr_count; i++) {
        move_span(&t->attrs[i].name.p, from, to);
        move_span(&t->attrs[i].value.p, from, to);
    }
}

/* Makes room in the hold for a token that starts at `p`, unless it is there already. */
static bool hold_take(struct html_tokenizer *t, const char *p, size_t bytes)
{
    if (t->hold.p && p >= t->hold.p && p <= t->hold.p + t->hold.n)
        return true;
    t->hold.n = 0;
    if (buf_reserve(&t->hold, bytes))
        return true;
    t->rc = buf_rc(&t->hold);
    return false;
}

/* How much of the name or value being read is kept. */
static size_t part_keep_bytes(const struct html_tokenizer *t, const char *end)
{
    size_t n = (size_t)(end - t->part), max = 0;
    if (t->step == TAG_NAME || t->step == TAG_ATTR_NAME)
        max = HTML_MAX_NAME_BYTES + 1;
    else if (t->step == TAG_VALUE_DQ || t->step == TAG_VALUE_SQ || t->step == TAG_VALUE_UNQUOTED)
        max = HTML_MAX_VALUE_BYTES + 1;
    return n < max ? n : max;
}

/* Of a tag its beginning up to the last attribute that counts is kept, the name of the one being
 * read and what there is of its value; white space and dropped attributes between are not. */
static void hold_keep_tag(struct html_tokenizer *t, const char *p, const char *end)
{
    const struct html_attr *last = t->tag.attr_count ? &t->attrs[t->tag.attr_count - 1] : NULL;
    const char *head_end = last ? last->value.p + last->value.n : t->tag.name.p + t->tag.name.n;
    const char *name = t->attr_name.p, *part = t->part;
    size_t head = (size_t)(head_end - p), name_bytes = name ? t->attr_name.n : 0;
    size_t part_bytes = part_keep_bytes(t, end);
    if (!hold_take(t, p, head + name_bytes + part_bytes))
        return;
    tag_move(t, p, t->hold.p);
    memmove(t->hold.p, p, head);
    if (name) {
        t->attr_name.p = t->hold.p + head;
        memmove(t->hold.p + head, name, name_bytes);
    }
    t->part = t->hold.p + head + name_bytes;
    memmove(t->hold.p + head + name_bytes, part, part_bytes);
    t->hold.n = t->scanned = head + name_bytes + part_bytes;
}

/* A reference by number may have any number of digits: those that change nothing are not kept. */
static void hold_keep_number(struct html_tokenizer *t, struct str number)
{
    size_t from = number.n > 2 && (number.p[2] | 32) == 'x' ? 3 : 2, at = from;
    while (at + 1 < number.n && number.p[at] == '0')
        at++;
    struct str digits = str_first(str_from(number, at), NUMBER_MAX_DIGITS);
    if (!hold_take(t, number.p, from + digits.n))
        return;
    memmove(t->hold.p, number.p, from);
    memmove(t->hold.p + from, digits.p, digits.n);
    t->hold.n = from + digits.n;
}

/* Keeps [p, end), where an unfinished token starts, for the next piece; p may lie in the hold. */
static void hold_keep(struct html_tokenizer *t, const char *p, const char *end)
{
    if (t->where == IN_TAG) {
        hold_keep_tag(t, p, end);
        return;
    }
    size_t n = (size_t)(end - p);
    if (t->where == IN_CONTENT && n > 2 && p[0] == '&' && p[1] == '#') {
        hold_keep_number(t, str_make(p, n));
        return;
    }
    struct keep keep = keep_of(t, p, n);
    if (!hold_take(t, p, keep.head + keep.tail))
        return;
    t->cut = (t->where != IN_CONTENT && t->cut) || keep.head + keep.tail < n;
    memmove(t->hold.p, p, keep.head);
    memmove(t->hold.p + keep.head, end - keep.tail, keep.tail);
    t->hold.n = t->scanned = keep.head + keep.tail;
}

/* Room for `more` bytes behind the held ones, whose parts move with them. */
static void hold_grow(struct html_tokenizer *t, size_t more)
{
    if (t->hold.cap - t->hold.n >= more)
        return;
    struct buf bigger;
    buf_init(&bigger, HOLD_MAX_BYTES);
    if (buf_reserve(&bigger, t->hold.n + more)) {
        buf_add(&bigger, buf_str(&t->hold));
        tag_move(t, t->hold.p, bigger.p);
        buf_done(&t->hold);
        t->hold = bigger;
    }
    t->rc = buf_rc(&bigger);
}

/* Adds the next bytes of a piece to the hold; returns how many. */
static size_t hold_add(struct html_tokenizer *t, struct str piece)
{
    size_t n = t->hold.n < 64 ? 64 : t->hold.n;
    struct str more = str_first(piece, n < HOLD_STEP_BYTES ? n : HOLD_STEP_BYTES);
    hold_grow(t, more.n);
    if (t->rc == RC_OK)
        buf_add(&t->hold, more);
    return more.n;
}

/* Finishes the token in the hold with bytes of `piece`; returns how many of them were used. */
static size_t run_hold(struct html_tokenizer *t, struct str piece)
{
    size_t used = 0;
    while (t->hold.n && used < piece.n && t->rc == RC_OK) {
        size_t was = t->hold.n;
        used += hold_add(t, str_from(piece, used));
        if (t->rc != RC_OK)
            break;
        struct window w = {t->hold.p, t->hold.p + t->hold.n, false};
        const char *p = run_tokens(t, &w, w.base, w.base + was);
        if (p < w.base + was) {
            hold_keep(t, p, w.end);
        } else {
            used -= (size_t)(w.end - p);
            t->hold.n = 0;
            t->where = IN_CONTENT;
        }
    }
    return used;
}

enum rc tokenizer_feed(struct html_tokenizer *t, struct str piece)
{
    if (t->rc != RC_OK || piece.n == 0)
        return t->rc;
    piece = str_from(piece, run_hold(t, piece));
    if (piece.n == 0 || t->rc != RC_OK)
        return t->rc;
    struct window w = {piece.p, piece.p + piece.n, false};
    const char *p = run_tokens(t, &w, w.base, w.end);
    if (p < w.end && t->rc == RC_OK)
        hold_keep(t, p, w.end);
    return t->rc;
}

enum rc tokenizer_finish(struct html_tokenizer *t)
{
    if (t->rc != RC_OK || t->hold.n == 0)
        return t->rc;
    struct window w = {t->hold.p, t->hold.p + t->hold.n, true};
    (void)run_tokens(t, &w, w.base, w.end);
    t->hold.n = 0;
    t->where = IN_CONTENT;
    return t->rc;
}
