/* SPDX-License-Identifier: Apache-2.0 */
#include "report/log_reasons.h"

#include "outputs/crawl_dir.h"
#include "outputs/crawl_log.h"

struct row {
    struct str url;
    int32_t code;      /* of its last line; 0: there is none */
    struct str reason; /* absent: none */
};

enum rc log_reasons_init(struct log_reasons *r)
{
    return tally_init(&r->urls, sizeof(struct row), LOG_REASONS_MAX_URLS);
}

void log_reasons_done(struct log_reasons *r)
{
    tally_done(&r->urls);
}

enum rc log_reasons_want(struct log_reasons *r, struct str url)
{
    return tally_row(&r->urls, url) ? RC_OK : RC_NOMEM;
}

/* The words as they were before the log made blanks underscores; in the table's arena. */
static enum rc keep_words(struct log_reasons *r, struct row *row, struct str words)
{
    char *text = arena_alloc(r->urls.arena, words.n + 1);
    if (!text)
        return RC_NOMEM;
    for (size_t i = 0; i < words.n; i++)
        text[i] = (char)(words.p[i] == '_' ? ' ' : words.p[i]);
    row->reason = str_make(text, words.n);
    return RC_OK;
}

static enum rc take_line(void *ctx, struct str text)
{
    struct log_reasons *r = ctx;
    struct crawl_log_line l;
    if (crawl_log_parse(text, &l) != RC_OK)
        return RC_OK;
    struct row *row = tally_find(&r->urls, l.url);
    if (!row || crawl_log_is_robots(&l))
        return RC_OK;
    struct str words = l.status < 0 ? crawl_log_reason(&l) : STR_NONE;
    row->code = l.status;
    row->reason = STR_NONE;
    return words.n ? keep_words(r, row, words) : RC_OK;
}

enum rc log_reasons_read(struct log_reasons *r, struct disk *crawl)
{
    return tally_count(&r->urls) ? crawl_dir_each(crawl, "logs/crawl.log", take_line, r) : RC_OK;
}

struct str log_reasons_of(const struct log_reasons *r, struct str url, int code)
{
    const struct row *row = tally_find(&r->urls, url);
    return row && row->code == code ? row->reason : STR_NONE;
}
