/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/line_file.h"

#include "base/mem.h"

#include <pthread.h>

enum { TAIL_BYTES = 4096 };

struct line_file {
    /* Guards the next three. */
    pthread_mutex_t adding;
    struct buf added;
    uint64_t end;    /* length with `added` */
    uint64_t synced; /* length */

    /* Guards the rest, but for a sync, which needs only the file, and that never changes. Taken
     * before `adding`. */
    pthread_mutex_t writing;
    struct buf taken; /* the other buffer, empty between calls */
    struct disk_file *file;
    uint64_t written; /* length */
    enum rc failed;   /* sticks */
};

/* The name must last as well, also of a file that was there already. */
static enum rc keep_name(struct disk *d, const char *path)
{
    char folder[DISK_MAX_PATH_BYTES + 1];
    struct str s = disk_path_folder(path);
    memcpy(folder, s.p, s.n); /* disk_open has refused a longer path */
    folder[s.n] = 0;
    return disk_dirsync(d, folder);
}

static enum rc cut_to(struct disk_file *f, uint64_t bytes)
{
    uint64_t there;
    enum rc rc = disk_size(f, &there);
    if (rc == RC_OK && there < bytes)
        rc = RC_CORRUPT;
    if (rc == RC_OK && there > bytes)
        rc = disk_truncate(f, bytes);
    return rc ? rc : disk_sync(f);
}

enum rc line_file_open(struct disk *d, const char *path, uint64_t bytes, struct line_file **ret)
{
    struct line_file *f = mem_zero(1, sizeof *f);
    if (!f)
        return RC_NOMEM;
    buf_init(&f->added, SIZE_MAX / 2);
    buf_init(&f->taken, SIZE_MAX / 2);
    (void)pthread_mutex_init(&f->adding, NULL);
    (void)pthread_mutex_init(&f->writing, NULL);
    f->end = f->synced = f->written = bytes;
    enum rc rc = disk_open(d, path, DISK_APPEND, &f->file);
    rc = rc ? rc : cut_to(f->file, bytes);
    rc = rc ? rc : keep_name(d, path);
    if (rc == RC_OK)
        *ret = f;
    else
        line_file_close(f);
    return rc;
}

void line_file_close(struct line_file *f)
{
    if (!f)
        return;
    disk_file_close(f->file);
    buf_done(&f->added);
    buf_done(&f->taken);
    (void)pthread_mutex_destroy(&f->adding);
    (void)pthread_mutex_destroy(&f->writing);
    mem_free(f);
}

enum rc line_file_add(struct line_file *f, struct str lines)
{
    if (lines.n > LINE_FILE_MAX_ADD)
        return RC_LIMIT;
    if (lines.n && lines.p[lines.n - 1] != '\n')
        return RC_INVALID;
    (void)pthread_mutex_lock(&f->adding);
    buf_add(&f->added, lines);
    enum rc rc = buf_rc(&f->added);
    if (rc)
        f->added.rc = RC_OK; /* what was added before is whole */
    else
        f->end += lines.n;
    (void)pthread_mutex_unlock(&f->adding);
    return rc;
}

/* Under `writing`. */
static enum rc write_added(struct line_file *f)
{
    if (f->failed)
        return f->failed;
    (void)pthread_mutex_lock(&f->adding);
    struct buf swap = f->added;
    f->added = f->taken;
    f->taken = swap;
    (void)pthread_mutex_unlock(&f->adding);
    struct str bytes = buf_str(&f->taken);
    if (bytes.n)
        f->failed = disk_append(f->file, &bytes, 1);
    if (!f->failed)
        f->written += bytes.n;
    buf_clear(&f->taken);
    return f->failed;
}

enum rc line_file_write(struct line_file *f)
{
    if (pthread_mutex_trylock(&f->writing))
        return RC_OK;
    enum rc rc = write_added(f);
    (void)pthread_mutex_unlock(&f->writing);
    return rc;
}

static enum rc stick(struct line_file *f, enum rc rc)
{
    (void)pthread_mutex_lock(&f->writing);
    f->failed = rc;
    (void)pthread_mutex_unlock(&f->writing);
    return rc;
}

enum rc line_file_sync(struct line_file *f)
{
    (void)pthread_mutex_lock(&f->writing);
    enum rc rc = write_added(f);
    uint64_t written = f->written;
    (void)pthread_mutex_unlock(&f->writing);
    if (rc)
        return rc;
    rc = disk_sync(f->file);
    if (rc)
        return stick(f, rc);
    (void)pthread_mutex_lock(&f->adding);
    f->synced = written;
    (void)pthread_mutex_unlock(&f->adding);
    return RC_OK;
}

uint64_t line_file_bytes(struct line_file *f)
{
    (void)pthread_mutex_lock(&f->adding);
    uint64_t end = f->end;
    (void)pthread_mutex_unlock(&f->adding);
    return end;
}

uint64_t line_file_synced(struct line_file *f)
{
    (void)pthread_mutex_lock(&f->adding);
    uint64_t synced = f->synced;
    (void)pthread_mutex_unlock(&f->adding);
    return synced;
}

/* From the end backwards, piece by piece, to an LF. */
static enum rc last_line_end(struct disk_file *f, uint64_t size, uint64_t *ret)
{
    char piece[TAIL_BYTES];
    while (size) {
        size_t n = size < sizeof piece ? (size_t)size : sizeof piece, got;
        enum rc rc = disk_read(f, size - n, piece, n, &got);
        if (rc || got != n)
            return rc ? rc : RC_IO;
        for (size_t i = n; i-- > 0;) {
            if (piece[i] == '\n') {
                *ret = size - n + i + 1;
                return RC_OK;
            }
        }
        size -= n;
    }
    *ret = 0;
    return RC_OK;
}

enum rc line_file_whole(struct disk *d, const char *path, uint64_t *ret)
{
    struct disk_file *f = NULL;
    uint64_t size = 0;
    *ret = 0;
    enum rc rc = disk_open(d, path, DISK_READ, &f);
    if (rc == RC_NOT_FOUND)
        return RC_OK;
    rc = rc ? rc : disk_size(f, &size);
    rc = rc ? rc : last_line_end(f, size, ret);
    disk_file_close(f);
    return rc;
}
