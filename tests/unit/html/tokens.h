/* SPDX-License-Identifier: Apache-2.0 */
/* tokens: writes what a tokenizer emits as lines of text, decoded and with adjacent text joined, so
 * that two ways of feeding the same input can be compared byte by byte. */
#ifndef TESTS_HTML_TOKENS_H
#define TESTS_HTML_TOKENS_H

#include "base/buf.h"
#include "html/tokenizer.h"

struct tokens {
    struct buf out;     /* the lines */
    struct buf scratch; /* one decoded string */
    bool in_text;
};

static inline void tokens_field(struct tokens *k, struct str s)
{
    buf_byte(&k->out, s.p ? '"' : '-');
    buf_add(&k->out, s);
    buf_byte(&k->out, '\x01');
}

static inline void tokens_kind(struct tokens *k, const char *kind)
{
    buf_add(&k->out, str_c(k->in_text ? "\x02" : ""));
    k->in_text = false;
    buf_add(&k->out, str_c(kind));
}

static inline enum rc tokens_rc(struct tokens *k)
{
    return buf_rc(&k->out) != RC_OK ? buf_rc(&k->out) : buf_rc(&k->scratch);
}

/* Attributes keep their order. End tags lose theirs. */
static inline enum rc tokens_start(void *ctx, const struct html_tag *tag)
{
    struct tokens *k = ctx;
    tokens_kind(k, tag->cut ? "start, cut " : "start ");
    tokens_field(k, html_name(tag->name, &k->scratch));
    for (size_t i = 0; i < tag->attr_count; i++) {
        tokens_field(k, html_name(tag->attrs[i].name, &k->scratch));
        tokens_field(k, html_value(&tag->attrs[i], &k->scratch));
    }
    buf_add(&k->out, str_c(tag->self_closing ? "/\x02" : "\x02"));
    return tokens_rc(k);
}

static inline enum rc tokens_end(void *ctx, const struct html_tag *tag)
{
    struct tokens *k = ctx;
    tokens_kind(k, "end ");
    tokens_field(k, html_name(tag->name, &k->scratch));
    buf_byte(&k->out, '\x02');
    return tokens_rc(k);
}

static inline void tokens_add_text(struct tokens *k, struct str s)
{
    if (!k->in_text)
        tokens_kind(k, "text ");
    k->in_text = true;
    buf_add(&k->out, s);
}

static inline enum rc tokens_text(void *ctx, const struct html_text *text)
{
    struct tokens *k = ctx;
    tokens_add_text(k, html_text(text, &k->scratch));
    return tokens_rc(k);
}

static inline enum rc tokens_comment(void *ctx, const struct html_comment *comment)
{
    struct tokens *k = ctx;
    tokens_kind(k, comment->cut ? "comment, cut " : "comment ");
    tokens_field(k, html_comment_text(comment, &k->scratch));
    buf_byte(&k->out, '\x02');
    return tokens_rc(k);
}

static inline enum rc tokens_doctype(void *ctx, const struct html_doctype *d)
{
    struct tokens *k = ctx;
    tokens_kind(k, d->cut ? "doctype, cut " : "doctype ");
    tokens_field(k, d->name);
    tokens_field(k, d->public_id);
    tokens_field(k, d->system_id);
    buf_add(&k->out, str_c(d->force_quirks ? "quirks\x02" : "\x02"));
    return tokens_rc(k);
}

static const struct html_handler tokens_handler = {
    .start_tag = tokens_start,
    .end_tag = tokens_end,
    .text = tokens_text,
    .comment = tokens_comment,
    .doctype = tokens_doctype,
};

static inline void tokens_init(struct tokens *k)
{
    *k = (struct tokens){0};
    buf_init(&k->out, (size_t)1 << 30);
    buf_init(&k->scratch, (size_t)1 << 30);
}

static inline void tokens_clear(struct tokens *k)
{
    buf_clear(&k->out);
    buf_clear(&k->scratch);
    k->in_text = false;
}

static inline void tokens_done(struct tokens *k)
{
    buf_done(&k->out);
    buf_done(&k->scratch);
}

/* How the input is cut: 0 whole, 1 byte by byte, else pieces of lengths drawn from the seed. */
static inline size_t tokens_piece(uint64_t *seed)
{
    if (*seed <= 1)
        return *seed ? 1 : (size_t)-1;
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return 1 + (size_t)(*seed >> 33) % 17;
}

/* The rest of the input; what was emitted before stays in k->out. */
static inline enum rc tokens_go_on(struct tokens *k, struct html_tokenizer *t, struct str input,
                                   uint64_t seed)
{
    enum rc rc = RC_OK;
    while (input.n && rc == RC_OK) {
        size_t n = tokens_piece(&seed);
        rc = tokenizer_feed(t, str_first(input, n));
        input = str_from(input, n);
    }
    if (rc == RC_OK)
        rc = tokenizer_finish(t);
    buf_add(&k->out, str_c(k->in_text ? "\x02" : ""));
    return rc == RC_OK ? tokens_rc(k) : rc;
}

/* The tokens of `input` in k->out. */
static inline enum rc tokens_run(struct tokens *k, struct html_tokenizer *t, struct str input,
                                 uint64_t seed)
{
    tokens_clear(k);
    return tokens_go_on(k, t, input, seed);
}

#endif
