/* SPDX-License-Identifier: Apache-2.0 */
/* page_line: a line of pages.jsonl, taken apart. jansson stands behind this header. */
#ifndef OUTPUTS_PAGE_LINE_H
#define OUTPUTS_PAGE_LINE_H

#include "disk/disk.h"

struct page_line {  /* texts are absent where the line has none */
    struct str url; /* never absent */
    struct str ts, title, mime;
    unsigned status; /* 0: none */
    bool seed;
    uint64_t depth;
    struct str json; /* the line itself */
};

/* Calls `each` for every page of pages.jsonl, then of extraPages.jsonl; what a page says is
 * borrowed for the call. The first line of a file and lines that are none of a page are passed
 * over; these are counted in *ret_damaged. */
typedef enum rc page_line_each(void *ctx, const struct page_line *p);
MUST_CHECK enum rc page_lines(struct disk *crawl, page_line_each *each, void *ctx,
                              uint64_t *ret_damaged);

#endif
