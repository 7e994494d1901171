/* SPDX-License-Identifier: Apache-2.0 */
#include "report/index_sort.h"

#include "archive/line_sort.h"
#include "report/crawl_dir.h"

const char index_sorted_path[] = "indexes/index.cdxj";

enum rc index_sort(struct disk *crawl, uint64_t *ret_lines)
{
    struct line_sort_input input = {.path = "indexes/parts/index.cdxj"};
    struct crawl_scratch scratch;
    enum rc rc = crawl_scratch_open(crawl, &scratch); /* nobody else sorts the same */
    rc = rc ? rc : crawl_dir_folder(crawl, "indexes");
    rc = rc ? rc : crawl_dir_bytes(crawl, input.path, &input.bytes);
    rc = rc ? rc
            : line_sort(crawl, &input, input.bytes ? 1 : 0, index_sorted_path, CRAWL_DIR_SORT_BYTES,
                        ret_lines);
    crawl_scratch_close(&scratch);
    return rc;
}
