/* SPDX-License-Identifier: Apache-2.0 */
#include "reading/body.h"

enum {
    DECODED_RATIO = 1000, /* a body that grows more is a bomb: the rest is not unpacked */
    SNIFFED_BYTES = 1445, /* media_of() looks at no more */
};

static void identify(const struct decode_report *report, struct str type, struct visit_parsed *p)
{
    struct str start = str_first(p->text, SNIFFED_BYTES);
    p->media = report->is_unknown ? MEDIA_OTHER : media_of(type, start);
    p->identified = media_identify(start);
    p->note = report->why;
}

enum rc body_read(struct reading_tools *t, const struct reading_settings *s, struct visit *v)
{
    const struct http_answer *a = v->answer.http;
    struct decode_report report;
    struct decode_input in = {
        .body = a->body,
        .is_chunked = a->is_chunked && !a->is_not_chunked,
        .content_encoding = v->answer.heads.encoding,
        .max_bytes = s->text_bytes,
        .max_ratio = DECODED_RATIO,
    };
    enum rc rc = decoder_run(t->decoder, &in, &t->body, &v->parsed.text, &report);
    if (rc == RC_OK)
        identify(&report, v->answer.heads.type, &v->parsed);
    return rc;
}
