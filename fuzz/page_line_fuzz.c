/* SPDX-License-Identifier: Apache-2.0 */
/* A line of pages.jsonl that is read can be written, and is then read as the same page. */
#include "outputs/page_line.h"

#include "fuzz.h"
#include "warc/date.h"

static struct page_entry entry_of(const struct page_line *p)
{
    struct page_entry e = {
        .id = p->id.n ? p->id : STR("-"),
        .url = p->url,
        .title = p->title,
        .mime = p->mime,
        .status = p->status,
        .seed = p->seed,
        .depth = p->depth <= INT64_MAX ? p->depth : INT64_MAX, /* JSON's integers end there */
    };
    if (warc_date_parse(p->ts, &e.date_ms) != RC_OK)
        e.date_ms = 0;
    return e;
}

static void check_same(const struct page_entry *e, const struct page_line *p)
{
    MUST(str_eq(e->id, p->id) && str_eq(e->url, p->url));
    MUST(str_eq(e->title, p->title) && str_eq(e->mime, p->mime));
    MUST(e->status == p->status && e->seed == p->seed && e->depth == p->depth);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct page_line first, second;
    struct buf line = {.max = 64 << 20}, again = {.max = 64 << 20};
    if (page_line_parse(str_make((const char *)data, n), &first) != RC_OK)
        return 0;
    if (first.url.n) {
        struct page_entry e = entry_of(&first);
        MUST(page_line_print(&line, &e) == RC_OK);
        MUST(page_line_parse(str_first(buf_str(&line), line.n - 1), &second) == RC_OK);
        check_same(&e, &second);
        struct page_entry twice = entry_of(&second);
        MUST(page_line_print(&again, &twice) == RC_OK);
        MUST(str_eq(buf_str(&line), buf_str(&again)));
        page_line_done(&second);
    }
    page_line_done(&first);
    buf_done(&line);
    buf_done(&again);
    return 0;
}
