/* SPDX-License-Identifier: Apache-2.0 */
/* pages: lines of pages.jsonl and extraPages.jsonl, the lists of pages in a WACZ file. */
#ifndef WARC_PAGES_H
#define WARC_PAGES_H

#include "base/buf.h"

struct page_entry {
    struct str id;    /* any name that is unique in the file */
    struct str url;   /* required */
    int64_t date_ms;  /* written as "ts" */
    struct str title; /* absent: left out */
    struct str mime;  /* absent: left out */
    unsigned status;  /* 0: left out */
    bool seed;        /* written only when true */
    uint64_t depth;   /* hops from a seed */
};

/* The first line of a file: `id` is "pages" or "extraPages". */
void pages_print_first(struct buf *out, const char *id, struct str title);

/* Appends a line with its LF. RC_INVALID (no URL, no id, an impossible date) leaves `out` as it
 * was. Text that is not UTF-8 is written with U+FFFD. */
MUST_CHECK enum rc pages_print(struct buf *out, const struct page_entry *e);

#endif
