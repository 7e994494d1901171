/* SPDX-License-Identifier: Apache-2.0 */
/* page_line: a line of pages.jsonl and extraPages.jsonl, the lists of pages of a crawl and of a
 * WACZ file, written and read. jansson stands behind this header. */
#ifndef OUTPUTS_PAGE_LINE_H
#define OUTPUTS_PAGE_LINE_H

#include "disk/disk.h"

/* Writing -------------------------------------------------------------------------------------- */

struct page_entry {
    struct str id;    /* any name that is unique in the file */
    struct str url;   /* required */
    int64_t date_ms;  /* written as "ts" */
    struct str title; /* absent: left out */
    struct str mime;  /* absent: left out */
    unsigned status;  /* 0: left out */
    bool seed;        /* written only when true */
    uint64_t depth;   /* links from a seed */
};

/* The first line of a file: `id` is "pages" or "extraPages". */
void page_line_print_first(struct buf *out, const char *id, struct str title);

/* Appends a line with its LF. RC_INVALID (no URL, no id, an impossible date) leaves `out` as it
 * was. Text that is not UTF-8 is written with U+FFFD. */
MUST_CHECK enum rc page_line_print(struct buf *out, const struct page_entry *e);

/* Reading -------------------------------------------------------------------------------------- */

struct page_line {  /* texts are absent where the line has none */
    struct str url; /* absent in the first line of a file, and only there */
    struct str id, ts, title, mime;
    unsigned status; /* 0: none */
    bool seed;
    uint64_t depth;
    struct str json; /* the line itself */
    void *root;      /* private: owns the texts */
};

/* Reads a line without its LF; the caller ends with page_line_done(). RC_INVALID: the line is
 * neither that of a page nor the first of a file; then there is nothing to end. */
MUST_CHECK enum rc page_line_parse(struct str line, struct page_line *ret);
void page_line_done(struct page_line *p);

/* Calls `each` for every page of pages.jsonl, then of extraPages.jsonl. The page is borrowed for
 * the call. Lines that cannot be read are counted in *ret_damaged. */
typedef enum rc page_line_each(void *ctx, const struct page_line *p);
MUST_CHECK enum rc page_lines(struct disk *crawl, page_line_each *each, void *ctx,
                              uint64_t *ret_damaged);

#endif
