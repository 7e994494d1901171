/* SPDX-License-Identifier: Apache-2.0 */
/* xml: tags and text out of something like XML, in pieces of any size. UTF-8 in, UTF-8 out.
 *
 * It is no XML parser: nothing is checked against anything. Comments, processing instructions,
 * declarations and the document type are skipped; only their end matters. What looks broken is
 * mended in the way that loses least:
 *
 *   a tag in which a < comes, quoted or not    ends there
 *   a < before a blank, a digit, ...           is text
 *   a processing instruction                   ends at its first >, since <?xml ...> is often seen
 *   a tag over SITEMAP_TAG_MAX_BYTES           is passed over */
#ifndef SITEMAP_XML_H
#define SITEMAP_XML_H

#include "sitemap/sitemap.h"

/* Borrowed for the call. */
struct xml_tag {
    struct str local; /* the name behind the last colon; may be empty */
    struct str attrs; /* for xml_attr_next */
    bool is_end;
    bool is_empty; /* <a/> */
};

/* The calls that the reader makes. */
struct xml_sink {
    void (*tag)(void *ctx, const struct xml_tag *tag);
    /* A piece of text while want_text is set. */
    void (*text)(void *ctx, struct str piece);
    /* The text until now is a whole run; references count in it unless it was CDATA. Called before
     * the tag, comment or section that follows. */
    void (*text_end)(void *ctx, bool is_cdata);
    /* <!DOCTYPE html */
    void (*html)(void *ctx);
    void *ctx;
};

enum xml_mode {
    XML_TEXT,
    XML_LESS, /* behind < */
    XML_TAG,
    XML_BANG, /* behind <! and perhaps some of what tells which */
    XML_COMMENT,
    XML_CDATA,
    XML_INSTRUCTION,
    XML_DECLARATION,
    XML_DOCTYPE,
    XML_DEAD, /* behind a document type without end */
};

struct xml_doctype {
    uint32_t bytes;
    uint32_t last; /* its last four bytes, so that <!-- and --> can be seen */
    uint8_t html;  /* letters of "html" seen at its front */
    char inside;   /* a quote; '-' in a comment, '?' in an instruction; 0 */
    bool subset;   /* between [ and ] */
};

struct xml {
    struct xml_sink sink;
    enum xml_mode mode;
    bool want_text; /* the sink's to set */
    char quote;     /* open in a tag; 0 */
    uint8_t marks;  /* ']' or '-' at the end so far: 0 to 2 */
    uint8_t bang_n; /* bytes of `bang` seen */
    const char *bang;
    struct xml_doctype doctype;
    struct sitemap_summary *summary;
    size_t tag_n;
    char tag[SITEMAP_TAG_MAX_BYTES];
};

/* All but `tag` is set. */
void xml_init(struct xml *x, const struct xml_sink *sink, struct sitemap_summary *summary);
void xml_add(struct xml *x, struct str piece);

/* The end of the input. True if the text before it is known to be whole, because a tag had begun.
 */
bool xml_finish(struct xml *x);

/* Takes the next attribute of a tag: its local name and its value as written. False at the end. */
bool xml_attr_next(struct str *attrs, struct str *ret_local, struct str *ret_value);

#endif
