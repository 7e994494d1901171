/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/reindex.h"

#include "archive/capture.h"
#include "warc/date.h"

#include <stdio.h>

/* The header of an HTTP message with its empty line; all of it if that is missing. */
static struct str head_of(struct str block)
{
    size_t end = str_find_str(block, STR("\r\n\r\n"));
    return end < block.n ? str_first(block, end + 4) : block;
}

enum rc reindex_print(struct buf *out, const char *file, const struct walk_record *r)
{
    struct capture capture = {.target_uri = warc_record_target(r->record),
                              .head = head_of(r->head)};
    struct warc_location location = {.offset = r->offset,
                                     .record_bytes = r->bytes,
                                     .is_revisit = r->record->type == WARC_REVISIT};
    struct str digest = warc_record_get(r->record, STR("WARC-Payload-Digest"));
    if (r->record->type != WARC_RESPONSE && r->record->type != WARC_REVISIT)
        return RC_NOT_FOUND;
    int n = snprintf(location.file, sizeof location.file, "%s", file);
    if (n < 0 || (size_t)n >= sizeof location.file || !capture.target_uri.n)
        return RC_INVALID;
    enum rc rc = warc_date_parse(warc_record_get(r->record, STR("WARC-Date")), &capture.date_ms);
    if (rc == RC_OK && digest.n && warc_digest_parse(digest, &location.digest))
        memset(&location.digest, 0,
               sizeof location.digest); /* a digest of another kind: the line gets none */
    return rc ? RC_INVALID : capture_print_cdxj(out, &capture, &location);
}
