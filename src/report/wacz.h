/* SPDX-License-Identifier: Apache-2.0 */
/* wacz: a crawl as one file that replay tools open (WACZ 1.1.1).
 *
 *     archive/NAME.warc.gz              stored as they are, so that a reader can seek in them
 *     indexes/index.cdx.gz, index.idx   index_blocks.h
 *     pages/pages.jsonl, pages/extraPages.jsonl
 *     logs/crawl.log
 *     datapackage.json                  every file above with its size and SHA-256
 *     datapackage-digest.json           the SHA-256 of that
 *
 * An archive that a running crawl still writes goes in up to the last capture that the index
 * knows. */
#ifndef REPORT_WACZ_H
#define REPORT_WACZ_H

#include "disk/disk.h"

/* One of the directories that make up the crawl. */
struct wacz_part {
    struct disk *crawl;
    const char *root;  /* where it is in the file system, for libzip */
    const char *label; /* goes before the names of its archives, which are its own; "": nothing */
};

struct wacz_options {
    const struct wacz_part *parts;
    size_t part_count;  /* at least 1 */
    const char *result; /* where the file goes */
    struct str title;   /* absent: none */
    struct str software;
    int64_t now_ms;
};

struct wacz_counts {
    uint64_t archives, captures, bytes; /* bytes of all, before they were packed */
};

/* Nothing is written into the directories but the first one's scratch folder, if it can be written.
 * The lists of pages and the logs of several directories are concatenated, their indexes merged.
 * Failures come with `why`. */
MUST_CHECK enum rc wacz_export(const struct wacz_options *o, struct wacz_counts *ret,
                               struct buf *why);

#endif
