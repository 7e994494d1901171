/* SPDX-License-Identifier: Apache-2.0 */
#include "reading/peek.h"

#include "fetch/media.h"
#include "reading/html_text.h"

enum {
    RATIO = 1000,         /* a start that grows more is a bomb: the rest is not unpacked */
    SNIFFED_BYTES = 1445, /* media_of() looks at no more */
};

/* The start without its codings; a coding that ends too soon gives what came before. RC_INVALID: it
 * is no HTML. */
static enum rc html_of(struct reading_tools *t, const struct peek_start *start, bool *ret_is_xml,
                       struct str *ret)
{
    struct decode_report report;
    struct html_text html;
    struct str text;
    struct decode_input in = {.body = start->body,
                              .is_chunked = start->is_chunked,
                              .content_encoding = start->encoding,
                              .max_bytes = t->body.max,
                              .max_ratio = RATIO};
    enum rc rc = decoder_run(t->decoder, &in, &t->body, &text, &report);
    if (rc)
        return rc;
    enum media media =
        report.is_unknown ? MEDIA_OTHER : media_of(start->type, str_first(text, SNIFFED_BYTES));
    *ret_is_xml = media == MEDIA_XHTML;
    if (media != MEDIA_HTML && media != MEDIA_XHTML)
        return RC_INVALID;
    rc = html_text_of(text, start->type, &t->utf8, &html);
    if (rc == RC_OK)
        *ret = html.text;
    return rc;
}

double peek_score(struct reading_tools *t, struct topic *topic, const struct peek_start *start,
                  struct arena *arena)
{
    struct page_options o = {.parts = PAGE_HEAD | PAGE_TEXT};
    struct page page;
    struct str text;
    enum rc rc = html_of(t, start, &o.xml, &text);
    rc = rc ? rc : page_read(t->reader, &o, text, arena, &page);
    if (rc || !str_trim(page.text).n)
        return -1;
    return topic_page_score(topic, page.title, page.text);
}
