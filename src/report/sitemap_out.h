/* SPDX-License-Identifier: Apache-2.0 */
/* sitemap_out: a crawl's pages as a sitemap (sitemaps.org, 0.9): HTML, answered 200, each URL once,
 * with the date of its last capture, in the order of bytes.
 *
 * A sitemap holds at most SITEMAP_OUT_MAX_URLS URLs and SITEMAP_OUT_MAX_BYTES bytes. When there are
 * more, the pages stand in NAME-1.xml, NAME-2.xml, ... and NAME.xml is an index of these. */
#ifndef REPORT_SITEMAP_OUT_H
#define REPORT_SITEMAP_OUT_H

#include "outputs/crawl_dir.h"

enum { SITEMAP_OUT_MAX_URLS = 50000, SITEMAP_OUT_MAX_BYTES = 50 << 20 };

struct sitemap_out {
    struct str base;   /* URL of the folder that the files will stand in, ending in "/", for the
                          index; absent: the files' names alone */
    uint64_t max_urls; /* at most SITEMAP_OUT_MAX_URLS */
    /* Called with every piece of every file: part 0 is the file itself, 1 and up the parts. */
    enum rc (*write)(void *ctx, uint64_t part, struct str bytes);
    /* The name of a part, for the index. */
    void (*name)(void *ctx, uint64_t part, struct buf *out);
    void *ctx;
};

struct sitemap_out_counts {
    uint64_t urls, parts; /* parts 0: one file */
    uint64_t damaged;
};

/* Sorts in the scratch folder of the first directory. */
MUST_CHECK enum rc sitemap_out(struct crawl_set crawls, const struct sitemap_out *o,
                               struct sitemap_out_counts *ret);

#endif
