/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/page_line.h"

#include "outputs/crawl_dir.h"

#include <jansson.h>

struct walk {
    page_line_each *each;
    void *ctx;
    uint64_t damaged;
};

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

static enum rc take_line(void *ctx, struct str line)
{
    struct walk *w = ctx;
    enum rc rc = RC_OK;
    json_t *root = json_loadb(line.p, line.n, JSON_REJECT_DUPLICATES, NULL);
    uint64_t status = number_of(root, "status");
    struct page_line p = {
        .url = text_of(root, "url"),
        .ts = text_of(root, "ts"),
        .title = text_of(root, "title"),
        .mime = text_of(root, "mime"),
        .status = status <= 999 ? (unsigned)status : 0,
        .seed = json_is_true(json_object_get(root, "seed")),
        .depth = number_of(root, "depth"),
        .json = line,
    };
    if (p.url.n)
        rc = w->each(w->ctx, &p);
    else if (!text_of(root, "format").p)
        w->damaged++;
    json_decref(root);
    return rc;
}

enum rc page_lines(struct disk *crawl, page_line_each *each, void *ctx, uint64_t *ret_damaged)
{
    struct walk w = {.each = each, .ctx = ctx};
    enum rc rc = crawl_dir_each(crawl, "pages/pages.jsonl", take_line, &w);
    rc = rc ? rc : crawl_dir_each(crawl, "pages/extraPages.jsonl", take_line, &w);
    *ret_damaged = w.damaged;
    return rc;
}
