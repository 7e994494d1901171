/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/recover.h"

#include "archive/warc_files.h"
#include "archive/warc_name.h"
#include "base/mem.h"
#include "warc/reader.h"

#include <stdlib.h>

enum { PIECE_BYTES = 64 << 10 };

/* A file that was left open. */
struct left {
    char name[DISK_MAX_NAME_BYTES + 1]; /* without ".open" */
    uint64_t keep;                      /* trusted, or found whole */
};

struct warc_recovery {
    struct disk *disk;
    const char *folder;
    const struct sent *sent; /* NULL: none */
    struct left *left;       /* by name */
    size_t count, room;
    struct warc_reader *reader;
    char *piece;
    bool broken; /* something named was not whole: nothing behind it is */
};

static enum rc add_left(void *ctx, struct str name, bool is_folder)
{
    struct warc_recovery *r = ctx;
    struct str last;
    if (is_folder || !warc_name_is_open(name, &last))
        return RC_OK;
    if (r->count == r->room) {
        size_t room = r->room ? r->room * 2 : 16;
        struct left *more = mem_resize(r->left, room * sizeof *more);
        if (!more)
            return RC_NOMEM;
        r->left = more;
        r->room = room;
    }
    struct left *l = &r->left[r->count++];
    memset(l, 0, sizeof *l);
    memcpy(l->name, last.p, last.n);
    return RC_OK;
}

/* The listing's order is that of names with ".open" behind them: '.' comes behind '-' and nothing
 * else differs, but sorting again costs little and needs no proof. */
static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct left *)a)->name, ((const struct left *)b)->name);
}

static enum rc list_left(struct warc_recovery *r)
{
    enum rc rc = disk_list(r->disk, r->folder, add_left, r);
    if (r->count)
        qsort(r->left, r->count, sizeof *r->left, by_name);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc warc_recovery_open(struct disk *d, const char *folder, const struct sent *sent,
                           struct warc_recovery **ret)
{
    struct warc_recovery *r = mem_zero(1, sizeof *r);
    if (!r)
        return RC_NOMEM;
    r->disk = d;
    r->folder = folder;
    r->sent = sent;
    r->reader = warc_reader_open(NULL);
    r->piece = mem_alloc(PIECE_BYTES);
    enum rc rc = r->reader && r->piece ? list_left(r) : RC_NOMEM;
    if (rc == RC_OK)
        *ret = r;
    else
        warc_recovery_close(r);
    return rc;
}

void warc_recovery_close(struct warc_recovery *r)
{
    if (!r)
        return;
    warc_reader_close(r->reader);
    mem_free(r->piece);
    mem_free(r->left);
    mem_free(r);
}

static struct left *find_left(struct warc_recovery *r, struct str file)
{
    struct left key;
    if (file.n >= sizeof key.name || !r->count)
        return NULL;
    memcpy(key.name, file.p, file.n);
    key.name[file.n] = 0;
    return bsearch(&key, r->left, r->count, sizeof key, by_name);
}

/* Opens the file under the name it has now and says how long it is. */
static enum rc open_sized(struct warc_recovery *r, struct str file, bool open, enum disk_mode mode,
                          struct disk_file **ret, uint64_t *ret_bytes)
{
    char path[WARC_PATH_BYTES], name[DISK_MAX_NAME_BYTES + 1];
    if (file.n >= sizeof name)
        return RC_NOT_FOUND;
    memcpy(name, file.p, file.n);
    name[file.n] = 0;
    if (strlen(name) != file.n || !warc_path(path, r->folder, name, open))
        return RC_NOT_FOUND;
    struct disk_file *f;
    enum rc rc = disk_open(r->disk, path, mode, &f);
    if (rc)
        return rc;
    rc = disk_size(f, ret_bytes);
    if (rc)
        disk_file_close(f);
    else
        *ret = f;
    return rc;
}

/* Length of the file; 0 if it is not there, and was not removed as one that was sent. */
static enum rc file_bytes(struct warc_recovery *r, struct str file, bool open, uint64_t *ret)
{
    struct disk_file *f = NULL;
    enum rc rc = open_sized(r, file, open, DISK_READ, &f, ret);
    disk_file_close(f);
    if (rc == RC_NOT_FOUND || rc == RC_INVALID)
        *ret = 0;
    if (rc == RC_NOT_FOUND && r->sent)
        (void)sent_has(r->sent, file, ret);
    return rc == RC_NOT_FOUND || rc == RC_INVALID ? RC_OK : rc;
}

enum rc warc_recovery_trust(struct warc_recovery *r, struct str file, uint64_t bytes)
{
    struct left *l = find_left(r, file);
    uint64_t there;
    enum rc rc = file_bytes(r, file, l, &there);
    if (rc == RC_OK && there < bytes)
        rc = RC_CORRUPT;
    if (rc == RC_OK && l && bytes > l->keep)
        l->keep = bytes;
    return rc;
}

/* Gives the reader the bytes up to `to`, piece by piece, until it has an opinion. */
static enum rc read_members(struct warc_recovery *r, struct disk_file *f, uint64_t from,
                            uint64_t to, bool *ret_whole)
{
    enum warc_event event;
    struct str unused;
    warc_reader_reset(r->reader);
    while ((event = warc_reader_next(r->reader, &unused)) != WARC_END && event != WARC_BROKEN) {
        if (event != WARC_MORE)
            continue;
        size_t want = to - from < PIECE_BYTES ? (size_t)(to - from) : PIECE_BYTES, got = 0;
        enum rc rc = want ? disk_read(f, from, r->piece, want, &got) : RC_OK;
        if (rc)
            return rc;
        from += got;
        if (got)
            warc_reader_feed(r->reader, str_make(r->piece, got));
        else
            warc_reader_finish(r->reader);
    }
    if (event == WARC_BROKEN && warc_reader_problem(r->reader)->rc == RC_NOMEM)
        return RC_NOMEM;
    *ret_whole = event == WARC_END && from == to;
    return RC_OK;
}

static enum rc left_holds(struct warc_recovery *r, struct left *l, uint64_t end, bool *ret)
{
    struct disk_file *f = NULL;
    uint64_t there;
    *ret = end <= l->keep;
    if (*ret)
        return RC_OK;
    enum rc rc = open_sized(r, str_c(l->name), true, DISK_READ, &f, &there);
    if (rc == RC_OK && there >= end)
        rc = read_members(r, f, l->keep, end, ret);
    disk_file_close(f);
    if (rc == RC_OK && *ret)
        l->keep = end;
    return rc;
}

enum rc warc_recovery_name(struct warc_recovery *r, struct str file, uint64_t offset,
                           uint64_t bytes, bool *ret_holds)
{
    struct left *l = find_left(r, file);
    bool holds = false;
    enum rc rc = RC_OK;
    if (!r->broken && bytes <= UINT64_MAX - offset) {
        uint64_t end = offset + bytes, there = 0;
        rc = l ? left_holds(r, l, end, &holds) : file_bytes(r, file, false, &there);
        holds = l ? holds : there >= end && there > 0;
    }
    if (rc)
        return rc;
    r->broken |= !holds;
    *ret_holds = holds;
    return RC_OK;
}

/* Changing the disk --------------------------------------------------------------------------- */

static enum rc left_remove(struct warc_recovery *r, const struct left *l,
                           struct warc_recovery_report *report)
{
    char path[WARC_PATH_BYTES];
    uint64_t there;
    enum rc rc = file_bytes(r, str_c(l->name), true, &there);
    rc = rc ? rc : disk_unlink(r->disk, warc_path(path, r->folder, l->name, true));
    report->removed_files++;
    report->cut_bytes += rc ? 0 : there;
    return rc;
}

static enum rc left_keep(struct warc_recovery *r, const struct left *l,
                         struct warc_recovery_report *report)
{
    char from[WARC_PATH_BYTES], to[WARC_PATH_BYTES];
    struct disk_file *f = NULL;
    uint64_t there = 0;
    enum rc rc = open_sized(r, str_c(l->name), true, DISK_APPEND, &f, &there);
    if (rc == RC_OK && there > l->keep)
        rc = disk_truncate(f, l->keep);
    rc = rc ? rc : disk_sync(f);
    disk_file_close(f);
    if (rc)
        return rc;
    report->kept_files++;
    report->cut_bytes += there - l->keep;
    return disk_rename(r->disk, warc_path(from, r->folder, l->name, true),
                       warc_path(to, r->folder, l->name, false));
}

enum rc warc_recovery_finish(struct warc_recovery *r, struct warc_recovery_report *ret)
{
    struct warc_recovery_report report = {0};
    enum rc rc = RC_OK;
    for (size_t i = 0; i < r->count && rc == RC_OK; i++)
        rc = r->left[i].keep ? left_keep(r, &r->left[i], &report)
                             : left_remove(r, &r->left[i], &report);
    if (rc == RC_OK) {
        rc = disk_dirsync(r->disk, r->folder);
        rc = rc == RC_NOT_FOUND ? RC_OK : rc;
    }
    if (rc == RC_OK && ret)
        *ret = report;
    return rc;
}
