/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/reader.h"

enum rc warc_recover(struct str archive, uint64_t *ret_whole_bytes,
                     struct warc_problem *ret_problem)
{
    struct warc_reader *r = warc_reader_open(NULL);
    if (!r)
        return RC_NOMEM;
    warc_reader_feed(r, archive);
    warc_reader_finish(r);
    enum warc_event event;
    struct str piece;
    do {
        event = warc_reader_next(r, &piece);
    } while (event != WARC_END && event != WARC_BROKEN);
    enum rc rc = event == WARC_END ? RC_OK : warc_reader_problem(r)->rc;
    if (rc != RC_NOMEM)
        *ret_whole_bytes = warc_reader_whole_bytes(r);
    if (rc && ret_problem)
        *ret_problem = *warc_reader_problem(r);
    warc_reader_close(r);
    return rc;
}
