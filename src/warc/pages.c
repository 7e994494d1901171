/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/pages.h"

#include "base/jsonw.h"
#include "warc/date.h"

void pages_print_first(struct buf *out, const char *id, struct str title)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_text_field(&j, "format", STR("json-pages-1.0"));
    jsonw_text_field(&j, "id", str_c(id));
    jsonw_text_field(&j, "title", title);
    jsonw_end(&j);
    buf_byte(out, '\n');
}

static void json_out(struct buf *out, const struct page_entry *e)
{
    char date[32];
    struct buf ts = buf_on(date, sizeof date);
    warc_date_print(&ts, e->date_ms);
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_text_field(&j, "id", e->id);
    jsonw_text_field(&j, "url", e->url);
    jsonw_text_field(&j, "ts", buf_str(&ts));
    if (e->title.p)
        jsonw_text_field(&j, "title", e->title);
    if (e->mime.p)
        jsonw_text_field(&j, "mime", e->mime);
    if (e->status)
        jsonw_u64_field(&j, "status", e->status);
    if (e->seed)
        jsonw_bool_field(&j, "seed", true);
    jsonw_u64_field(&j, "depth", e->depth);
    jsonw_end(&j);
}

enum rc pages_print(struct buf *out, const struct page_entry *e)
{
    if (!e->url.n || !e->id.n || !warc_date_fits(e->date_ms))
        return RC_INVALID;
    size_t before = out->n;
    json_out(out, e);
    buf_byte(out, '\n');
    if (buf_rc(out))
        out->n = before;
    return buf_rc(out);
}
