/* SPDX-License-Identifier: Apache-2.0 */
#include "store/journal.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "store/journal_replay.h"

#include <pthread.h>

enum { MAX_UNSYNCED = 64 }; /* segments that were filled since the last sync */

struct journal {
    struct journal_settings settings;

    /* Guards the next four: what was added and is not yet written. */
    pthread_mutex_t adding;
    struct buf added;
    uint64_t end;    /* position behind `added` */
    uint64_t synced; /* position */

    /* Guards the rest: the files. Not held while they are synced: `is_syncing` then keeps those
     * there are open. */
    pthread_mutex_t writing;
    struct buf taken; /* the other buffer: what is written next */
    struct segments segments;
    struct disk_file *file; /* the last segment */
    uint64_t written;       /* position */
    struct disk_file *filled[MAX_UNSYNCED];
    size_t filled_count;
    bool names_changed; /* since the last dirsync */
    bool is_syncing;
    enum rc failed; /* sticks */
};

static void journal_free(struct journal *j)
{
    for (size_t i = 0; i < j->filled_count; i++)
        disk_file_close(j->filled[i]);
    disk_file_close(j->file);
    segments_done(&j->segments);
    buf_done(&j->added);
    buf_done(&j->taken);
    (void)pthread_mutex_destroy(&j->adding);
    (void)pthread_mutex_destroy(&j->writing);
    mem_free(j);
}

/* After recovery: goes on in the last segment, or begins one. */
static enum rc open_last(struct journal *j, uint64_t end)
{
    char path[SEGMENTS_PATH_BYTES];
    j->end = j->written = j->synced = end;
    if (j->segments.count) {
        uint64_t start = j->segments.starts[j->segments.count - 1];
        return disk_open(j->segments.disk, segment_path(&j->segments, start, path), DISK_APPEND,
                         &j->file);
    }
    enum rc rc = segments_create(&j->segments, end, &j->file);
    return rc ? rc : segments_sync(&j->segments);
}

static struct journal *journal_make(const struct journal_settings *s)
{
    struct journal *j = mem_zero(1, sizeof *j);
    if (!j)
        return NULL;
    j->settings = *s;
    buf_init(&j->added, SIZE_MAX / 2);
    buf_init(&j->taken, SIZE_MAX / 2);
    (void)pthread_mutex_init(&j->adding, NULL);
    (void)pthread_mutex_init(&j->writing, NULL);
    return j;
}

enum rc journal_begin(struct disk *d, const char *folder, const struct journal_settings *s,
                      uint64_t position, struct journal **ret)
{
    struct journal *j = journal_make(s);
    if (!j)
        return RC_NOMEM;
    enum rc rc = segments_open(&j->segments, d, folder);
    if (rc == RC_OK && j->segments.count)
        rc = RC_EXISTS;
    rc = rc ? rc : open_last(j, position);
    if (rc == RC_OK)
        *ret = j;
    else
        journal_free(j);
    return rc;
}

enum rc journal_open(struct disk *d, const char *folder, const struct journal_settings *s,
                     uint64_t from, journal_each *each, void *ctx, struct journal **ret)
{
    struct journal *j = journal_make(s);
    if (!j)
        return RC_NOMEM;
    uint64_t end = from;
    enum rc rc = segments_open(&j->segments, d, folder);
    if (rc == RC_OK)
        rc = journal_replay(&j->segments, from, each, ctx, &end);
    if (rc == RC_OK)
        rc = open_last(j, end);
    if (rc == RC_OK)
        *ret = j;
    else
        journal_free(j);
    return rc;
}

void journal_close(struct journal *j)
{
    if (j)
        journal_free(j);
}

/* The bytes stand behind the head already. */
static void put_head(char *head, uint64_t position, uint32_t length)
{
    struct str body = str_make(head + JOURNAL_HEAD_BYTES, length);
    put_le64(head, position);
    put_le32(head + 8, length);
    put_le64(head + 12, journal_batch_hash(position, body));
}

/* Under `adding`. The head is filled in when the bytes stand behind it. */
static enum rc add_batch(struct journal *j, const struct str *pieces, size_t count, uint32_t length)
{
    size_t before = j->added.n;
    if (!buf_reserve(&j->added, (size_t)JOURNAL_HEAD_BYTES + length)) {
        enum rc rc = buf_rc(&j->added);
        j->added.rc = RC_OK; /* what was added before is whole; only this batch is refused */
        return rc;
    }
    j->added.n += JOURNAL_HEAD_BYTES;
    for (size_t i = 0; i < count; i++)
        buf_add(&j->added, pieces[i]);
    put_head(j->added.p + before, j->end, length);
    j->end += (uint64_t)JOURNAL_HEAD_BYTES + length;
    return RC_OK;
}

enum rc journal_add(struct journal *j, const struct str *pieces, size_t count,
                    uint64_t *ret_position)
{
    uint64_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += pieces[i].n;
    if (length > JOURNAL_MAX_BATCH_BYTES)
        return RC_LIMIT;
    (void)pthread_mutex_lock(&j->adding);
    uint64_t position = j->end;
    enum rc rc = add_batch(j, pieces, count, (uint32_t)length);
    (void)pthread_mutex_unlock(&j->adding);
    if (rc == RC_OK)
        *ret_position = position;
    return rc;
}

bool journal_is_full(struct journal *j)
{
    (void)pthread_mutex_lock(&j->adding);
    bool full = j->added.n > j->settings.buffer_bytes;
    (void)pthread_mutex_unlock(&j->adding);
    return full;
}

/* Under `writing`. While a sync is under way segments that wait for one stay open; when there is no
 * room for more of them, the last one grows. */
static bool may_begin_segment(const struct journal *j)
{
    return !j->is_syncing || j->filled_count < MAX_UNSYNCED;
}

/* Under `writing`: begins a segment at the position reached. The old one is synced with the next
 * sync; if those have become too many, now. */
static enum rc next_segment(struct journal *j)
{
    struct disk_file *fresh;
    if (j->filled_count == MAX_UNSYNCED) {
        enum rc rc = disk_sync(j->filled[0]);
        if (rc)
            return rc;
        disk_file_close(j->filled[0]);
        j->filled_count--;
        for (size_t i = 0; i < j->filled_count; i++)
            j->filled[i] = j->filled[i + 1];
    }
    enum rc rc = segments_create(&j->segments, j->written, &fresh);
    if (rc)
        return rc;
    j->names_changed = true;
    j->filled[j->filled_count++] = j->file;
    j->file = fresh;
    return RC_OK;
}

/* Under `writing`. Whole batches were swapped in, so a segment always ends behind one. */
static enum rc write_taken(struct journal *j)
{
    uint64_t start = j->segments.starts[j->segments.count - 1];
    enum rc rc = RC_OK;
    if (!j->taken.n)
        return RC_OK;
    if (j->written - start >= j->settings.segment_bytes && may_begin_segment(j))
        rc = next_segment(j);
    struct str bytes = buf_str(&j->taken);
    if (rc == RC_OK)
        rc = disk_append(j->file, &bytes, 1);
    if (rc == RC_OK)
        j->written += bytes.n;
    buf_clear(&j->taken);
    return rc;
}

/* Under `writing`. What was taken before and is not written yet stays in front. */
static void take_added(struct journal *j)
{
    (void)pthread_mutex_lock(&j->adding);
    if (j->taken.n) {
        buf_add(&j->taken, buf_str(&j->added));
        if (buf_rc(&j->taken) == RC_OK)
            buf_clear(&j->added);
        j->taken.rc = RC_OK; /* without memory the next call takes it */
    } else {
        struct buf swap = j->added;
        j->added = j->taken;
        j->taken = swap;
    }
    (void)pthread_mutex_unlock(&j->adding);
}

static enum rc write_added(struct journal *j)
{
    if (!j->failed)
        j->failed = write_taken(j);
    if (j->failed)
        return j->failed;
    take_added(j);
    return j->failed = write_taken(j);
}

void journal_take(struct journal *j)
{
    (void)pthread_mutex_lock(&j->writing);
    take_added(j);
    (void)pthread_mutex_unlock(&j->writing);
}

enum rc journal_write_taken(struct journal *j)
{
    (void)pthread_mutex_lock(&j->writing);
    if (!j->failed)
        j->failed = write_taken(j);
    enum rc rc = j->failed;
    (void)pthread_mutex_unlock(&j->writing);
    return rc;
}

enum rc journal_write(struct journal *j)
{
    if (pthread_mutex_trylock(&j->writing))
        return RC_OK;
    enum rc rc = write_added(j);
    (void)pthread_mutex_unlock(&j->writing);
    return rc;
}

/* What a sync is about, as it was when that began. */
struct to_sync {
    struct disk_file *filled[MAX_UNSYNCED], *file;
    size_t filled_count;
    bool names_changed;
    uint64_t written;
};

/* Under `writing`. */
static void sync_begins(struct journal *j, struct to_sync *s)
{
    memcpy(s->filled, j->filled, j->filled_count * sizeof *j->filled);
    s->filled_count = j->filled_count;
    s->file = j->file;
    s->names_changed = j->names_changed;
    s->written = j->written;
    j->names_changed = false;
    j->is_syncing = true;
}

/* Under `writing`. The files that were filled are at the front of the list still. */
static void sync_ends(struct journal *j, const struct to_sync *s, enum rc rc)
{
    j->is_syncing = false;
    if (rc) {
        j->failed = rc;
        return;
    }
    for (size_t i = 0; i < s->filled_count; i++)
        disk_file_close(s->filled[i]);
    j->filled_count -= s->filled_count;
    memmove(j->filled, j->filled + s->filled_count, j->filled_count * sizeof *j->filled);
}

/* The filled segments, their names, the last one. Writers go on meanwhile. */
static enum rc sync_files(struct journal *j, const struct to_sync *s)
{
    enum rc rc = RC_OK;
    for (size_t i = s->filled_count; i > 0 && rc == RC_OK; i--)
        rc = disk_sync(s->filled[i - 1]);
    if (rc == RC_OK && s->names_changed)
        rc = segments_sync(&j->segments);
    return rc ? rc : disk_sync(s->file);
}

static enum rc sync_it(struct journal *j, bool writes)
{
    struct to_sync s;
    (void)pthread_mutex_lock(&j->writing);
    enum rc rc = writes ? write_added(j) : j->failed;
    if (rc == RC_OK)
        sync_begins(j, &s);
    (void)pthread_mutex_unlock(&j->writing);
    if (rc)
        return rc;
    rc = sync_files(j, &s);
    (void)pthread_mutex_lock(&j->writing);
    sync_ends(j, &s, rc);
    (void)pthread_mutex_unlock(&j->writing);
    if (rc)
        return rc;
    (void)pthread_mutex_lock(&j->adding);
    j->synced = s.written;
    (void)pthread_mutex_unlock(&j->adding);
    return RC_OK;
}

enum rc journal_sync(struct journal *j)
{
    return sync_it(j, true);
}

enum rc journal_sync_written(struct journal *j)
{
    return sync_it(j, false);
}

uint64_t journal_end(struct journal *j)
{
    (void)pthread_mutex_lock(&j->adding);
    uint64_t end = j->end;
    (void)pthread_mutex_unlock(&j->adding);
    return end;
}

uint64_t journal_written(struct journal *j)
{
    (void)pthread_mutex_lock(&j->writing);
    uint64_t written = j->written;
    (void)pthread_mutex_unlock(&j->writing);
    return written;
}

uint64_t journal_synced(struct journal *j)
{
    (void)pthread_mutex_lock(&j->adding);
    uint64_t synced = j->synced;
    (void)pthread_mutex_unlock(&j->adding);
    return synced;
}

enum rc journal_trim(struct journal *j, uint64_t position)
{
    (void)pthread_mutex_lock(&j->writing);
    size_t gone = 0;
    while (gone + 1 < j->segments.count && j->segments.starts[gone + 1] <= position)
        gone++;
    enum rc rc = gone ? segments_remove_first(&j->segments, gone) : RC_OK;
    j->names_changed |= gone > 0;
    (void)pthread_mutex_unlock(&j->writing);
    return rc;
}

/* Reading ------------------------------------------------------------------------------------- */

struct journal_reader {
    struct journal *journal;
    struct journal_reading reading;
    uint64_t segment_end; /* behind the segment that is open; UINT64_MAX: it is the last */
};

struct journal_reader *journal_reader_open(struct journal *j)
{
    struct journal_reader *r = mem_zero(1, sizeof *r);
    if (r)
        r->journal = j;
    return r;
}

void journal_reader_close(struct journal_reader *r)
{
    if (!r)
        return;
    journal_reading_done(&r->reading);
    mem_free(r);
}

/* Makes sure that the segment with `position` is open. The last one may have got a successor. */
static enum rc find_segment(struct journal_reader *r, uint64_t position)
{
    struct journal *j = r->journal;
    enum rc rc = RC_OK;
    (void)pthread_mutex_lock(&j->writing);
    const struct segments *s = &j->segments;
    size_t i = 0;
    while (i + 1 < s->count && s->starts[i + 1] <= position)
        i++;
    r->segment_end = i + 1 < s->count ? s->starts[i + 1] : UINT64_MAX;
    if (position < s->starts[i])
        rc = RC_CORRUPT;
    else if (!r->reading.file || r->reading.start != s->starts[i])
        rc = journal_reading_open(&r->reading, s, s->starts[i]);
    (void)pthread_mutex_unlock(&j->writing);
    return rc;
}

enum rc journal_reader_at(struct journal_reader *r, uint64_t position, struct str *ret,
                          uint64_t *ret_next)
{
    bool is_whole = false;
    enum rc rc = RC_OK;
    if (position >= journal_synced(r->journal))
        return RC_NOT_FOUND;
    if (!r->reading.file || position < r->reading.start || position >= r->segment_end ||
        r->segment_end == UINT64_MAX)
        rc = find_segment(r, position);
    rc = rc ? rc : journal_reading_batch(&r->reading, position, &is_whole, ret);
    if (rc == RC_OK && !is_whole)
        rc = RC_CORRUPT;
    if (rc == RC_OK)
        *ret_next = position + JOURNAL_HEAD_BYTES + ret->n;
    return rc;
}

uint64_t journal_bytes(struct journal *j)
{
    (void)pthread_mutex_lock(&j->writing);
    uint64_t bytes = j->written - j->segments.starts[0];
    (void)pthread_mutex_unlock(&j->writing);
    return bytes;
}
