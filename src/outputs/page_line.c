/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/page_line.h"

#include "base/jsonw.h"
#include "outputs/crawl_dir.h"
#include "warc/date.h"

#include <jansson.h>

/* Writing -------------------------------------------------------------------------------------- */

void page_line_print_first(struct buf *out, const char *id, struct str title)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_text_field(&j, "format", STR("json-pages-1.0"));
    jsonw_text_field(&j, "id", str_c(id));
    jsonw_text_field(&j, "title", title);
    jsonw_end(&j);
    buf_byte(out, '\n');
}

static void print_object(struct buf *out, const struct page_entry *e)
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

enum rc page_line_print(struct buf *out, const struct page_entry *e)
{
    if (!e->url.n || !e->id.n || !warc_date_fits(e->date_ms))
        return RC_INVALID;
    size_t before = out->n;
    print_object(out, e);
    buf_byte(out, '\n');
    if (buf_rc(out))
        out->n = before;
    return buf_rc(out);
}

/* Reading -------------------------------------------------------------------------------------- */

static struct str text_of(const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);
    return json_is_string(v) ? str_make(json_string_value(v), json_string_length(v)) : STR_NONE;
}

static uint64_t number_of(const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);
    uint64_t n = 0;
    if (json_is_integer(v) && json_integer_value(v) > 0)
        return (uint64_t)json_integer_value(v);
    return json_is_string(v) && str_to_u64(text_of(object, key), &n) == RC_OK ? n : 0;
}

enum rc page_line_parse(struct str line, struct page_line *ret)
{
    json_t *root = json_loadb(line.p, line.n, JSON_REJECT_DUPLICATES, NULL);
    uint64_t status = number_of(root, "status");
    struct page_line p = {
        .url = text_of(root, "url"),
        .id = text_of(root, "id"),
        .ts = text_of(root, "ts"),
        .title = text_of(root, "title"),
        .mime = text_of(root, "mime"),
        .status = status <= 999 ? (unsigned)status : 0,
        .seed = json_is_true(json_object_get(root, "seed")),
        .depth = number_of(root, "depth"),
        .json = line,
        .root = root,
    };
    if (!p.url.n)
        p.url = STR_NONE;
    if (!p.url.n && !text_of(root, "format").p) {
        json_decref(root);
        return RC_INVALID;
    }
    *ret = p;
    return RC_OK;
}

void page_line_done(struct page_line *p)
{
    json_decref(p->root);
    *p = (struct page_line){0};
}

struct walk {
    page_line_each *each;
    void *ctx;
    uint64_t damaged;
};

static enum rc read_line(void *ctx, struct str line)
{
    struct walk *w = ctx;
    struct page_line p;
    if (page_line_parse(line, &p) != RC_OK) {
        w->damaged++;
        return RC_OK;
    }
    enum rc rc = p.url.n ? w->each(w->ctx, &p) : RC_OK;
    page_line_done(&p);
    return rc;
}

enum rc page_lines(struct disk *crawl, page_line_each *each, void *ctx, uint64_t *ret_damaged)
{
    struct walk w = {.each = each, .ctx = ctx};
    enum rc rc = crawl_dir_each(crawl, "pages/pages.jsonl", read_line, &w);
    rc = rc ? rc : crawl_dir_each(crawl, "pages/extraPages.jsonl", read_line, &w);
    *ret_damaged = w.damaged;
    return rc;
}
