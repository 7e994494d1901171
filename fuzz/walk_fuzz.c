/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of a walk over any bytes: records and damage are told in the order of the file,
 * none lies in another, all are inside it, and the file is whole up to the end of the last record
 * where no damage was told. */
#include "archive/walk.h"

#include "disk/disk_crash.h"
#include "fuzz.h"

enum { MAX_INPUT = 1 << 20 };

struct told {
    uint64_t n;        /* bytes of the file */
    uint64_t behind;   /* the record or damage that was told last */
    uint64_t last_end; /* of a record */
    uint64_t records, damaged;
};

static enum rc take_record(void *ctx, const struct walk_record *r)
{
    struct told *t = ctx;
    MUST(r->offset >= t->behind && r->bytes > 0 && r->offset + r->bytes <= t->n);
    MUST(r->head.n <= WALK_HEAD_BYTES && r->head.n <= r->record->block_bytes);
    t->behind = t->last_end = r->offset + r->bytes;
    t->records++;
    return RC_OK;
}

static enum rc take_damage(void *ctx, uint64_t from, uint64_t to, const char *why)
{
    struct told *t = ctx;
    MUST(from >= t->behind && from < to && to <= t->n && why[0]);
    t->behind = to;
    t->damaged++;
    return RC_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct told t = {.n = n};
    struct walk_taker taker = {take_record, take_damage, &t};
    struct walk_end end;
    struct disk *d;
    if (n > MAX_INPUT)
        return 0;
    MUST(disk_crash_open(&d) == RC_OK);
    MUST(disk_replace(d, "file", str_make((const char *)data, n)) == RC_OK);
    MUST(archive_walk(d, "file", &taker, &end) == RC_OK);
    MUST(end.bytes == n && end.records == t.records && end.damaged == t.damaged);
    MUST(end.whole_end == t.last_end);
    disk_close(d);
    return 0;
}
