/* SPDX-License-Identifier: Apache-2.0 */
#include "store/journal_reading.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "store/journal.h"

enum { READ_BYTES = 1 << 16 };

uint64_t journal_batch_hash(uint64_t position, struct str bytes)
{
    return hash64_seeded(bytes, hash64_mix(position ^ ((uint64_t)bytes.n << 40)));
}

enum rc journal_reading_open(struct journal_reading *r, const struct segments *s, uint64_t start)
{
    char path[SEGMENTS_PATH_BYTES];
    journal_reading_done(r);
    buf_init(&r->window, (size_t)JOURNAL_MAX_BATCH_BYTES + READ_BYTES + READ_BYTES);
    r->start = r->window_at = start;
    return disk_open(s->disk, segment_path(s, start, path), DISK_READ, &r->file);
}

void journal_reading_done(struct journal_reading *r)
{
    disk_file_close(r->file);
    buf_done(&r->window);
    *r = (struct journal_reading){0};
}

/* Makes the window hold `bytes` from `position` on; false if the file has no such bytes. */
static enum rc need(struct journal_reading *r, uint64_t position, size_t bytes, bool *ret_there)
{
    if (position < r->window_at) { /* back */
        r->window.n = 0;
        r->window_at = position;
    }
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

static const char *at(const struct journal_reading *r, uint64_t position)
{
    return r->window.p + (position - r->window_at);
}

enum rc journal_reading_batch(struct journal_reading *r, uint64_t position, bool *ret_whole,
                              struct str *ret)
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
