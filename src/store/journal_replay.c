/* SPDX-License-Identifier: Apache-2.0 */
#include "store/journal_replay.h"

enum rc journal_read_run(struct journal_reading *r, uint64_t position, uint64_t from,
                         journal_each *each, void *ctx, uint64_t *ret_end)
{
    enum rc rc = RC_OK;
    bool whole = true;
    while (whole && rc == RC_OK) {
        struct str batch;
        rc = journal_reading_batch(r, position, &whole, &batch);
        if (rc || !whole)
            break;
        if (position >= from)
            rc = each(ctx, position, batch);
        position += (uint64_t)JOURNAL_HEAD_BYTES + batch.n;
    }
    *ret_end = position;
    return rc;
}

/* Reads the batches of one segment, those from `from` on to `each`; *ret_end is behind the last
 * whole one. */
static enum rc read_segment(struct segments *s, uint64_t start, uint64_t from, journal_each *each,
                            void *ctx, uint64_t *ret_end)
{
    struct journal_reading r = {0};
    enum rc rc = journal_reading_open(&r, s, start);
    *ret_end = start;
    rc = rc ? rc : journal_read_run(&r, start, from, each, ctx, ret_end);
    journal_reading_done(&r);
    return rc;
}

/* A process that was killed may have left whole segments that were never synced. What was read of
 * them will be built on, so it must last. */
static enum rc sync_earlier(struct segments *s, size_t first, size_t last)
{
    char path[SEGMENTS_PATH_BYTES];
    enum rc rc = RC_OK;
    for (size_t i = first; i < last && rc == RC_OK; i++) {
        struct disk_file *f = NULL;
        rc = disk_open(s->disk, segment_path(s, s->starts[i], path), DISK_APPEND, &f);
        rc = rc ? rc : disk_sync(f);
        disk_file_close(f);
    }
    return rc;
}

/* Cuts the segment at place `last` to `end` and removes those behind it. The names go first, and
 * durably: bytes that are appended later must never lead on to an old segment. */
static enum rc cut(struct segments *s, size_t last, uint64_t end)
{
    char path[SEGMENTS_PATH_BYTES];
    struct disk_file *f = NULL;
    uint64_t size = 0, start = s->starts[last];
    enum rc rc = segments_remove_from(s, last + 1);
    if (rc == RC_OK)
        rc = segments_sync(s);
    if (rc == RC_OK)
        rc = disk_open(s->disk, segment_path(s, start, path), DISK_APPEND, &f);
    if (rc == RC_OK)
        rc = disk_size(f, &size);
    if (rc == RC_OK && size > end - start)
        rc = disk_truncate(f, end - start);
    if (rc == RC_OK)
        rc = disk_sync(f);
    disk_file_close(f);
    return rc;
}

size_t journal_first_needed(const struct segments *s, uint64_t from)
{
    size_t i = 0;
    while (i + 1 < s->count && s->starts[i + 1] <= from)
        i++;
    return i;
}

enum rc journal_replay(struct segments *s, uint64_t from, journal_each *each, void *ctx,
                       uint64_t *ret_end)
{
    *ret_end = from;
    if (!s->count)
        return from ? RC_CORRUPT : RC_OK;
    size_t first = journal_first_needed(s, from), i = first;
    if (s->starts[i] > from)
        return RC_CORRUPT;
    uint64_t end = s->starts[i];
    for (;; i++) {
        enum rc rc = read_segment(s, s->starts[i], from, each, ctx, &end);
        if (rc)
            return rc;
        if (i + 1 == s->count || s->starts[i + 1] != end)
            break;
    }
    if (end < from)
        return RC_CORRUPT;
    *ret_end = end;
    enum rc rc = sync_earlier(s, first, i);
    return rc ? rc : cut(s, i, end);
}
