/* SPDX-License-Identifier: Apache-2.0 */
/* tokenizer: HTML as tags, text, comments and doctypes, after the states of the WHATWG standard.
 *
 * Input is UTF-8 in pieces of any size; each piece is walked once and tokens are handed to the
 * functions of a `struct html_handler`. What is not wanted (a NULL function) costs only the walk.
 *
 *     static enum rc on_start(void *ctx, const struct html_tag *tag) { ... return RC_OK; }
 *     static const struct html_handler handler = {.start_tag = on_start};
 *     struct html_options options = {.follow_content = true};
 *     rc = tokenizer_open(&handler, ctx, &options, &t);
 *     rc = tokenizer_feed(t, piece); ...; rc = tokenizer_finish(t);
 *     tokenizer_close(t);
 *
 * Tokens are raw: spans of the input, or of the tokenizer's own buffer when a token lies across
 * pieces, valid until the handler returns. References (&amp;), CR and NUL are still in them; a span
 * that has none is marked `plain` and is already the final text, the others are decoded on request
 * by html_value(), html_text() and html_name(). So a link extractor pays for the values it reads.
 *
 * Text comes in as many tokens as it likes; a reference is never torn, a code point may be.
 *
 * Limits, which hold however the input is cut into pieces (memory stays under about 600 KiB):
 *   tag name            1 KiB            the rest is cut off; such a name matches nothing
 *   attributes of a tag 256              further ones are dropped
 *   attribute name      1 KiB            the rest is cut off
 *   attribute value     64 KiB raw       the rest is cut off, perhaps within a reference
 *   a tag altogether    256 KiB raw      values are cut to what is left, then dropped
 *   comment             64 KiB raw       the rest is cut off
 *   doctype             4 KiB raw        read as if it ended there
 * tag->cut, and `cut` of a comment or doctype, say that this happened. Time is linear.
 *
 * Differences from a browser come from there being no tree: see html_options. */
#ifndef HTML_TOKENIZER_H
#define HTML_TOKENIZER_H

#include "base/buf.h"
#include "html/names.h"

enum {
    HTML_MAX_ATTRS = 256,
    HTML_MAX_NAME_BYTES = 1 << 10,
    HTML_MAX_VALUE_BYTES = 64 << 10,
    HTML_MAX_TAG_BYTES = 256 << 10,
    HTML_MAX_COMMENT_BYTES = 64 << 10,
    HTML_MAX_DOCTYPE_BYTES = 4 << 10,
};

/* The standard's content states; also what kind of text a text token is. */
enum html_state {
    HTML_DATA,      /* references count, NUL stays */
    HTML_RCDATA,    /* references count, NUL becomes U+FFFD; likewise below */
    HTML_RAWTEXT,   /* no references; likewise below */
    HTML_SCRIPT,    /* */
    HTML_PLAINTEXT, /* */
    HTML_CDATA,     /* no references, NUL stays */
};

struct html_attr {
    struct str name;  /* raw: perhaps in upper case */
    struct str value; /* raw; empty if there was none */
    bool plain;       /* `value` is already decoded */
};

struct html_tag {
    enum element element;
    struct str name; /* raw: perhaps in upper case */
    bool is_end;
    bool self_closing;
    bool cut;
    uint64_t attr_bits; /* html_attr_bit() of every attribute */
    const struct html_attr *attrs;
    size_t attr_count; /* duplicates are not in it; end tags have theirs too, which mean nothing */
};

struct html_text {
    struct str raw;
    enum html_state kind;
    bool plain; /* `raw` is already decoded */
};

struct html_comment {
    struct str raw;
    bool plain;
    bool cut;
};

/* Absent strings are {NULL, 0}. Already decoded. */
struct html_doctype {
    struct str name, public_id, system_id;
    bool force_quirks;
    bool cut;
};

/* Any function may be NULL. What is not RC_OK ends the feed, which returns it. */
struct html_handler {
    enum rc (*start_tag)(void *ctx, const struct html_tag *tag);
    enum rc (*end_tag)(void *ctx, const struct html_tag *tag);
    enum rc (*text)(void *ctx, const struct html_text *text);
    enum rc (*comment)(void *ctx, const struct html_comment *comment);
    enum rc (*doctype)(void *ctx, const struct html_doctype *doctype);
};

struct html_options {
    /* Do what the tree builder would tell the tokenizer: behind <title> RCDATA, behind <style>
     * RAWTEXT, and so on (noscript as without scripting: markup). Inside svg and math neither
     * applies and CDATA sections are text; they end at their end tag or at an HTML element that
     * cannot stand in them; foreignObject, desc, title, mtext and the like are HTML again. Nesting
     * past 64 levels counts as HTML. Off: stays in `state`, CDATA sections are comments. */
    bool follow_content;
    /* XHTML: "/>" ends an element (<script src=x/>, <title/>) and CDATA sections are text anywhere.
     * The rest is read as HTML, so what is not well-formed still gives what can be had of it. */
    bool xml;
    enum html_state state;     /* to start in */
    struct str last_start_tag; /* whose end tag ends the first RCDATA, RAWTEXT or script text */
};

struct html_tokenizer;

/* `handler` and `options` (which may be NULL) are borrowed: the first for as long as the tokenizer
 * lives, the second for the call. */
MUST_CHECK enum rc tokenizer_open(const struct html_handler *handler, void *ctx,
                                  const struct html_options *options, struct html_tokenizer **ret);
void tokenizer_close(struct html_tokenizer *t);

/* Ready for another document, with what it was opened with but these options. */
void tokenizer_reset(struct html_tokenizer *t, const struct html_options *options);

/* Leaves out text or end tags from here on, or gives them again: for a handler that needs them only
 * now and then, which is faster than being called. May be called from a handler. */
void tokenizer_mute(struct html_tokenizer *t, bool text, bool end_tags);

/* For a handler, of the start tag it was just given (with follow_content): whether it stands among
 * svg or math elements; whether its "/>" counts, as it does there and in XML, so that no content
 * and no end tag follow. */
bool tokenizer_tag_is_foreign(const struct html_tokenizer *t);
bool tokenizer_tag_is_empty(const struct html_tokenizer *t);

/* The next piece, then the end of the input. A failure (RC_NOMEM, or a handler's) sticks. Must not
 * be called from a handler. */
MUST_CHECK enum rc tokenizer_feed(struct html_tokenizer *t, struct str piece);
MUST_CHECK enum rc tokenizer_finish(struct html_tokenizer *t);

/* The value as a browser sees it: `raw` itself when it is plain, else decoded into `scratch`, which
 * is cleared first; ask buf_rc(scratch) for failure. */
struct str html_value(const struct html_attr *attr, struct buf *scratch);
struct str html_text(const struct html_text *text, struct buf *scratch);
struct str html_comment_text(const struct html_comment *comment, struct buf *scratch);

/* A tag's or an attribute's name in lower case; as above. */
struct str html_name(struct str raw, struct buf *scratch);

/* Appends text of any kind, decoded. */
void html_decode(struct str raw, enum html_state kind, bool in_attribute, struct buf *out);

/* The first attribute of that name (in lower case), or NULL. */
const struct html_attr *html_find_attr(const struct html_tag *tag, struct str name);

/* A small filter: when (tag->attr_bits & html_attr_bit(name)) is 0 the tag has no such attribute.
 */
static inline uint64_t html_attr_bit(struct str name)
{
    return (uint64_t)1 << (((unsigned)(name.p[0] | 32) + (unsigned)name.n * 11) & 63);
}

#endif
