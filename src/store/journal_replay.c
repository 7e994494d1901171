/* SPDX-License-Identifier: Apache-2.0 */
#include "store/journal_replay.h"

#include "base/bytes.h"
#include "base/hash.h"

enum { READ_BYTES = 1 << 16 };

uint64_t journal_batch_hash(uint64_t position, struct str bytes)
{
    return hash64_seeded(bytes, hash64_mix(position ^ ((uint64_t)bytes.n << 40)));
}

/* One segment while it is read: a window on the file that slides from batch to batch. */
struct reading {
    struct disk_file *file;
    uint64_t start;     /* position of the file's first byte */
    struct buf window;  /* bytes of the file from `window_at` on */
    uint64_t window_at; /* position */
};

/* Makes the window hold `bytes` from `position` on; false if the file has no such bytes. */
static enum rc need(struct reading *r, uint64_t position, size_t bytes, bool *ret_there)
{
    size_t passed = (size_t)(position - r->window_at);
    *ret_there = false;
    if (r->window.n < passed + bytes) {
        size_t left = r->window.n > passed ? r->window.n - passed : 0;
        if (left)
            memmove(r->window.p, r->window.p + passed, left);
        r->window.n = left;
        r->window_at = position;
        size_t got = 0, want = bytes - left > READ_BYTES ? bytes - left : READ_BYTES;
        char *to = buf_reserve(&r->window, want);
        if (!to)
            return buf_rc(&r->window);
        enum rc rc = disk_read(r->file, position - r->start + left, to, want, &got);
        if (rc)
            return rc;
        r->window.n += got;
        passed = 0;
    }
    *ret_there = r->window.n >= passed + bytes;
    return RC_OK;
}

static const char *at(const struct reading *r, uint64_t position)
{
    return r->window.p + (position - r->window_at);
}

/* The batch at `position`: *ret_whole, and then its bytes. */
static enum rc read_batch(struct reading *r, uint64_t position, bool *ret_whole, struct str *ret)
{
    enum rc rc = need(r, position, JOURNAL_HEAD_BYTES, ret_whole);
    if (rc || !*ret_whole)
        return rc;
    uint32_t length = get_le32(at(r, position) + 8);
    *ret_whole = get_le64(at(r, position)) == position && length <= JOURNAL_MAX_BATCH_BYTES;
    if (!*ret_whole)
        return RC_OK;
    rc = need(r, position, (size_t)JOURNAL_HEAD_BYTES + length, ret_whole);
    if (rc || !*ret_whole)
        return rc;
    *ret = str_make(at(r, position) + JOURNAL_HEAD_BYTES, length);
    *ret_whole = journal_batch_hash(position, *ret) == get_le64(at(r, position) + 12);
    return RC_OK;
}

/* Reads the batches of one segment, those from `from` on to `each`; *ret_end is behind the last
 * whole one. */
static enum rc read_segment(struct segments *s, uint64_t start, uint64_t from, journal_each *each,
                            void *ctx, uint64_t *ret_end)
{
    char path[SEGMENTS_PATH_BYTES];
    struct reading r = {.start = start, .window_at = start};
    buf_init(&r.window, (size_t)JOURNAL_MAX_BATCH_BYTES + READ_BYTES + READ_BYTES);
    enum rc rc = disk_open(s->disk, segment_path(s, start, path), DISK_READ, &r.file);
    uint64_t position = start;
    bool whole = rc == RC_OK;
    while (whole && rc == RC_OK) {
        struct str batch;
        rc = read_batch(&r, position, &whole, &batch);
        if (rc || !whole)
            break;
        if (position >= from)
            rc = each(ctx, position, batch);
        position += (uint64_t)JOURNAL_HEAD_BYTES + batch.n;
    }
    *ret_end = position;
    disk_file_close(r.file);
    buf_done(&r.window);
    return rc;
}

/* Who was killed may have left whole segments that were never synced. What was read of them will be
 * built on, so it must last. */
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

/* The last segment that begins at or before `from`. */
static size_t first_needed(const struct segments *s, uint64_t from)
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
    size_t first = first_needed(s, from), i = first;
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
