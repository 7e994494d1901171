/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/digest_refill.h"

#include "archive/line_file.h"
#include "archive/line_source.h"
#include "warc/cdxj.h"

enum { STEP_BYTES = 1 << 20 };

struct refill {
    struct digest_table *table;
    const struct sealed *lost;
    struct buf room, uri; /* of a line's texts; of a look */
};

static void refill_line(struct refill *r, struct str line)
{
    struct cdxj_entry e;
    struct digest d = {.kind = DIGEST_SHA1};
    struct digest_ref ref = {0};
    if (cdxj_parse(line, &r->room, &e) != RC_OK || !e.digest.p ||
        base32_decode(e.digest, d.bytes, DIGEST_SHA1_BYTES) != RC_OK)
        return;
    if (r->lost && sealed_is_lost(r->lost, e.filename))
        return;
    ref.date_ms = e.date_ms;
    ref.uri = e.url;
    if (str_eq(e.mime, STR("warc/revisit")))
        (void)digest_table_get(r->table, &d, &r->uri, &ref);
    else
        digest_table_put(r->table, &d, &ref);
}

/* Where it is to begin within a line, the rest of that is no line and is passed over. */
static enum rc refill_tail(struct refill *r, struct line_source *s, uint64_t max_bytes)
{
    uint64_t size;
    enum rc rc = disk_size(s->file, &size);
    if (rc == RC_OK && size > max_bytes)
        s->at = size - max_bytes;
    while (rc == RC_OK && (rc = line_source_next(s)) == RC_OK && s->line.p)
        refill_line(r, s->line);
    return rc == RC_NOMEM || rc == RC_IO ? rc : RC_OK;
}

enum rc digest_refill(struct digest_table *t, struct disk *d, const char *path, uint64_t max_bytes,
                      const struct sealed *lost)
{
    struct refill r = {.table = t,
                       .lost = lost,
                       .room = {.max = CDXJ_MAX_LINE},
                       .uri = {.max = DIGEST_TABLE_MAX_URI}};
    struct line_source s;
    enum rc rc = line_source_open(&s, d, path, UINT64_MAX, STEP_BYTES, LINE_FILE_MAX_LINE);
    rc = rc ? rc : refill_tail(&r, &s, max_bytes);
    line_source_done(&s);
    buf_done(&r.room);
    buf_done(&r.uri);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}
