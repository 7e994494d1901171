/* SPDX-License-Identifier: Apache-2.0 */
#include "report/index_sort.h"

#include "archive/line_sort.h"
#include "report/index_merge.h"

#define ALL "scratch/all.cdxj"

const char index_sorted_path[] = "indexes/index.cdxj";

static enum rc sort_lines(struct disk *crawl, uint64_t *ret_lines)
{
    struct index_merge_part part = {crawl, ""};
    struct line_sort_input input = {.path = ALL};
    enum rc rc = crawl_dir_folder(crawl, "indexes");
    rc = rc ? rc : index_gather(&part, 1, crawl, ALL, &input.bytes);
    return rc ? rc
              : line_sort(crawl, &input, input.bytes ? 1 : 0, index_sorted_path,
                          CRAWL_DIR_SORT_BYTES, ret_lines);
}

enum rc index_sort(struct disk *crawl, uint64_t *ret_lines)
{
    struct crawl_scratch scratch = {0};
    enum rc rc = crawl_scratch_open(crawl, &scratch); /* no other process sorts the same index */
    if (rc == RC_OK)
        rc = scratch.own ? RC_UNSUPPORTED : sort_lines(crawl, ret_lines);
    crawl_scratch_close(&scratch);
    return rc;
}
