/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/url_captures.h"

#include "cli/control_client.h"
#include "cli/stopped_crawl.h"

#include "base/log.h"
#include "warc/cdxj.h"

static void add_capture(void *ctx, const struct cdxj_entry *e)
{
    struct buf date = {.max = 64};
    buf_time_iso(&date, (uint64_t)e->date_ms);
    json_t *one = json_object();
    (void)json_object_set_new(one, "file", json_stringn(e->filename.p, e->filename.n));
    (void)json_object_set_new(one, "offset", json_integer((json_int_t)e->offset));
    (void)json_object_set_new(one, "length", json_integer((json_int_t)e->length));
    (void)json_object_set_new(one, "date", json_stringn(date.p, date.n));
    (void)json_object_set_new(one, "status", json_integer((json_int_t)e->status));
    if (e->mime.p)
        (void)json_object_set_new(one, "mime", json_stringn(e->mime.p, e->mime.n));
    (void)json_array_append_new(ctx, one);
    buf_done(&date);
}

void url_captures_add(const char *dir, json_t *answer)
{
    json_t *list = json_array();
    stopped_crawl_captures(dir, str_c(json_text(answer, "url")), add_capture, list);
    (void)json_object_set_new(answer, "captures", list);
}
