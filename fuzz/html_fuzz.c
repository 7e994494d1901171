/* SPDX-License-Identifier: Apache-2.0 */
/* html: what holds for any bytes, read as HTML.
 *
 * The first byte chooses the state to start in and the option; the second seeds the pieces.
 *     the tokens of the whole are the tokens of its pieces, of single bytes and of random ones;
 *     a plain span is its own decoding;
 *     a page read in pieces is the page read whole, and never more than its limits allow;
 *     text has no white space twice, in front or behind;
 *     the tokenizer holds no more memory than its limits say. */
#include "base/mem.h"
#include "html/page.h"
#include "html/tokenizer.h"

#include "../tests/unit/html/tokens.h"
#include "fuzz.h"

enum { MAX_LINKS = 20, MAX_TAGS = 30, MAX_TEXT = 200 };

static enum rc plain_tag(void *ctx, const struct html_tag *tag)
{
    struct tokens *k = ctx;
    MUST(tag->attr_count <= HTML_MAX_ATTRS && tag->name.n <= HTML_MAX_NAME_BYTES);
    for (size_t i = 0; i < tag->attr_count; i++) {
        const struct html_attr *a = &tag->attrs[i];
        MUST(a->value.n <= HTML_MAX_VALUE_BYTES && a->name.n > 0);
        buf_clear(&k->scratch);
        html_decode(a->value, HTML_DATA, true, &k->scratch);
        MUST(!a->plain || str_eq(buf_str(&k->scratch), a->value));
    }
    return tokens_start(ctx, tag);
}

static enum rc plain_text(void *ctx, const struct html_text *text)
{
    struct tokens *k = ctx;
    buf_clear(&k->scratch);
    html_decode(text->raw, text->kind, false, &k->scratch);
    MUST(!text->plain || str_eq(buf_str(&k->scratch), text->raw));
    return tokens_text(ctx, text);
}

static void check_tokens(struct str input, const struct html_options *options, uint64_t seed)
{
    const struct html_handler handler = {plain_tag, tokens_end, plain_text, tokens_comment,
                                         tokens_doctype};
    struct tokens whole, pieces;
    struct html_tokenizer *t, *u;
    tokens_init(&whole);
    tokens_init(&pieces);
    MUST(tokenizer_open(&handler, &whole, options, &t) == RC_OK);
    MUST(tokenizer_open(&handler, &pieces, options, &u) == RC_OK);
    MUST(tokens_run(&whole, t, input, 0) == RC_OK);
    for (uint64_t feed = 1; feed <= 2; feed++) {
        tokenizer_reset(u, options);
        MUST(tokens_run(&pieces, u, input, feed == 1 ? 1 : seed + 2) == RC_OK);
        MUST(str_eq(buf_str(&whole.out), buf_str(&pieces.out)));
    }
    tokenizer_close(t);
    tokenizer_close(u);
    tokens_done(&whole);
    tokens_done(&pieces);
}

static void check_squeezed(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        bool blank = (unsigned char)s.p[i] <= ' ';
        MUST(!blank || (i > 0 && i + 1 < s.n && (unsigned char)s.p[i + 1] > ' '));
    }
}

static void same_page(const struct page *a, const struct page *b)
{
    MUST(a->link_count == b->link_count && a->tag_count == b->tag_count);
    for (size_t i = 0; i < a->link_count; i++)
        MUST(str_eq(a->links[i].url, b->links[i].url) &&
             str_eq(a->links[i].text, b->links[i].text) &&
             str_eq(a->links[i].rel, b->links[i].rel) && a->links[i].kind == b->links[i].kind);
    for (size_t i = 0; i < a->tag_count; i++)
        MUST(str_eq(a->tags[i].name, b->tags[i].name) && a->tags[i].kind == b->tags[i].kind);
    MUST(str_eq(a->title, b->title) && str_eq(a->base, b->base) && a->robots == b->robots);
    MUST(str_eq(a->description, b->description) && str_eq(a->language, b->language));
}

static void check_page(struct str input, uint64_t seed)
{
    struct page_options options = {.parts = PAGE_ALL,
                                   .xml = seed & 1,
                                   .max_links = MAX_LINKS,
                                   .max_tags = MAX_TAGS,
                                   .max_text_bytes = MAX_TEXT,
                                   .max_anchor_bytes = 20};
    struct page whole, pieces;
    struct page_reader *r = NULL;
    struct arena *a = arena_open(1 << 16, 1 << 26);
    MUST(a != NULL);
    MUST(page_reader_open(&r) == RC_OK);
    MUST(page_read(r, &options, input, a, &whole) == RC_OK);
    page_begin(r, &options, a);
    for (seed += 2; input.n;) {
        size_t n = tokens_piece(&seed);
        MUST(page_feed(r, str_first(input, n)) == RC_OK);
        input = str_from(input, n);
    }
    MUST(page_end(r, &pieces) == RC_OK);
    MUST(whole.link_count <= MAX_LINKS && whole.tag_count <= MAX_TAGS);
    MUST(whole.text.n <= MAX_TEXT);
    check_squeezed(whole.text);
    check_squeezed(whole.title);
    MUST(str_eq(whole.text, pieces.text));
    same_page(&whole, &pieces);
    page_reader_close(r);
    arena_close(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 2)
        return 0;
    static const char *const last[] = {"", "title", "script", "xmp"};
    struct str input = str_make((const char *)data + 2, n - 2);
    struct html_options options = {.follow_content = data[0] & 8,
                                   .state = (enum html_state)((data[0] & 7) % 6),
                                   .last_start_tag = str_c(last[data[0] >> 4 & 3])};
    int64_t live = mem_live();
    check_tokens(input, &options, data[1]);
    check_page(input, data[1]);
    MUST(mem_live() == live);
    return 0;
}
