/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/url_captures.h"

#include "cli/control_client.h"
#include "cli/stopped_crawl.h"

#include "base/log.h"
#include "outputs/crawl_dir.h"
#include "report/log_reasons.h"
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

void url_reason_add(const char *dir, json_t *answer)
{
    json_t *last = json_object_get(answer, "last");
    struct str url = str_c(json_text(answer, "url")), reason = STR_NONE;
    int code = (int)json_integer_value(json_object_get(last, "code"));
    struct log_reasons reasons = {0};
    struct buf why = {.max = 8192};
    struct disk *d = NULL;
    if (code >= 0)
        return;
    if (!log_reasons_init(&reasons) && !log_reasons_want(&reasons, url) &&
        !crawl_dir_open(dir, &d, &why) && !log_reasons_read(&reasons, d))
        reason = log_reasons_of(&reasons, url, code);
    buf_clear(&why);
    buf_printf(&why, "%s: " STR_FMT, json_text(answer, "why"), STR_ARG(reason));
    if (reason.n) {
        (void)json_object_set_new(last, "reason", json_stringn(reason.p, reason.n));
        (void)json_object_set_new(answer, "why", json_stringn(why.p, why.n));
    }
    disk_close(d);
    log_reasons_done(&reasons);
    buf_done(&why);
}
