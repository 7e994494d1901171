/* SPDX-License-Identifier: Apache-2.0 */
#include "control/url_captures.h"

#include "control/answer_json.h"

#include "base/jsonw.h"
#include "base/log.h"
#include "outputs/crawl_dir.h"
#include "report/log_reasons.h"
#include "warc/cdxj.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static void add_capture(json_t *list, const struct cdxj_entry *e)
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
    (void)json_array_append_new(list, one);
    buf_done(&date);
}

/* Compares the "url" of each line, because the key of a line may be an earlier version's. */
static void add_captures_in(const char *path, struct str url, json_t *list)
{
    FILE *f = fopen(path, "re");
    struct buf scratch = {.max = CDXJ_MAX_LINE}, field = {.max = CDXJ_MAX_LINE};
    struct cdxj_entry e;
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    buf_add(&field, STR("\"url\":\""));
    buf_json_escaped(&field, url);
    while (f && !buf_rc(&field) && (n = getline(&line, &room, f)) > 0) {
        struct str text = str_make(line, (size_t)n);
        if (str_find_str(text, buf_str(&field)) < text.n &&
            cdxj_parse(text, &scratch, &e) == RC_OK && str_eq(e.url, url))
            add_capture(list, &e);
    }
    free(line);
    if (f)
        (void)fclose(f);
    buf_done(&scratch);
    buf_done(&field);
}

static bool path_in(char *room, const char *dir, const char *name)
{
    return snprintf(room, PATH_BYTES, "%s/%s", dir, name) < PATH_BYTES;
}

void url_captures_add(const char *dir, json_t *answer)
{
    char path[PATH_BYTES];
    json_t *list = json_array();
    /* The crawl writes the parts; index.cdxj is made of them, and may outlive them. */
    bool has_parts = path_in(path, dir, "indexes/parts/index.cdxj") && access(path, R_OK) == 0;
    if (has_parts || path_in(path, dir, "indexes/index.cdxj"))
        add_captures_in(path, str_c(json_text(answer, "url")), list);
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
