/* SPDX-License-Identifier: Apache-2.0 */
/* tokenizer_internal: the inside of the tokenizer, shared by its source files only.
 *
 * Every step works on a window: contiguous bytes, either a piece of the caller's or the hold, which
 * keeps the beginning of the one token that did not end in the last piece. A step starts at a
 * token's first byte and either consumes whole tokens or sets need_more and returns that byte; the
 * feed then moves the token into the hold and goes on where the step stopped (`scanned`), so no
 * byte is looked at twice except a handful of look-ahead. At the end of the input (`final`) every
 * step consumes. */
#ifndef HTML_TOKENIZER_INTERNAL_H
#define HTML_TOKENIZER_INTERNAL_H

#include "html/scan.h"
#include "html/tokenizer.h"

struct window {
    const char *base, *end;
    bool final;
};

enum token_where { IN_CONTENT, IN_TAG, IN_COMMENT, IN_BOGUS, IN_DOCTYPE };

enum tag_step {
    TAG_NAME,
    TAG_BEFORE_ATTR,
    TAG_ATTR_NAME,
    TAG_AFTER_ATTR,
    TAG_BEFORE_VALUE,
    TAG_VALUE_DQ,
    TAG_VALUE_SQ,
    TAG_VALUE_UNQUOTED,
    TAG_SELF_CLOSING,
};

enum script_level { SCRIPT_PLAIN, SCRIPT_ESCAPED, SCRIPT_DOUBLE_ESCAPED };

enum { LAST_START_MAX = 32, FOREIGN_MAX = 64 };

struct html_tokenizer {
    struct html_handler handler; /* the functions that are called now */
    struct html_handler wanted;  /* the caller's, also those that tokenizer_mute() silences */
    scan_classifier *classify;
    void *ctx;
    enum rc rc;
    bool follow_content, xml;
    bool need_more;
    enum html_state content;
    enum token_where where; /* inside which token the window ended */
    enum script_level script;

    /* The token at hand; pointers lead into the window. */
    struct html_tag tag;
    enum tag_step step;
    const char *part;     /* start of the name or value being read */
    struct str attr_name; /* read, its value not yet */
    size_t room;          /* what is left of HTML_MAX_TAG_BYTES */
    size_t scanned;       /* of the token, when it goes on in the hold */
    bool cut;             /* bytes of it were dropped */

    /* A bit per open svg, math (1) or HTML island in them (0), the innermost lowest. */
    uint64_t foreign_bits;
    unsigned foreign_depth;

    char last_start[LAST_START_MAX]; /* lower case; whose end tag ends RCDATA and the like */
    size_t last_start_bytes;

    struct buf hold;
    struct buf scratch; /* a decoded doctype */
    struct html_attr attrs[HTML_MAX_ATTRS];
    uint32_t attr_hash[HTML_MAX_ATTRS]; /* of the first attr_hashed names */
    size_t attr_hashed;
};

/* need_more: the token at `p` cannot be decided in this window. */
static inline const char *token_wait(struct html_tokenizer *t, const char *p)
{
    t->need_more = true;
    return p;
}

static inline void text_emit(struct html_tokenizer *t, const char *p, const char *end, bool plain)
{
    if (p == end || !t->handler.text)
        return;
    struct html_text text = {{p, (size_t)(end - p)}, t->content, plain};
    t->rc = t->handler.text(t->ctx, &text);
}

/* Text that reached the end of the window: emits it but for a tail that more input may change. */
const char *text_emit_tail(struct html_tokenizer *t, const struct window *w, const char *p);

/* The steps. Each returns where the next token starts. */
const char *step_data(struct html_tokenizer *t, const struct window *w, const char *p,
                      const char *stop);
const char *step_tag(struct html_tokenizer *t, const struct window *w, const char *p);
const char *step_raw(struct html_tokenizer *t, const struct window *w, const char *p);
const char *step_script(struct html_tokenizer *t, const struct window *w, const char *p);
const char *step_cdata(struct html_tokenizer *t, const struct window *w, const char *p);
const char *step_plaintext(struct html_tokenizer *t, const struct window *w, const char *p);
const char *step_comment(struct html_tokenizer *t, const struct window *w, const char *p);
const char *step_bogus(struct html_tokenizer *t, const struct window *w, const char *p);
const char *step_doctype(struct html_tokenizer *t, const struct window *w, const char *p);

/* "<!" and "<?" and "</" with no letter behind: decides what begins at `p`. */
const char *markup_open(struct html_tokenizer *t, const struct window *w, const char *p);

/* A start tag with the traits that change what follows, or any tag while inside svg or math. */
void content_follow(struct html_tokenizer *t, unsigned traits);

static inline bool content_is_foreign(const struct html_tokenizer *t)
{
    return t->foreign_depth && (t->foreign_bits & 1);
}

/* Where the content of a bogus comment begins: behind "<!" or "</", at the "?" of "<?". */
static inline size_t bogus_start(const char *p)
{
    return p[1] == '?' ? 1 : 2;
}

#endif
