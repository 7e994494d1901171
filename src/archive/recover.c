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
    bool broken; /* a named capture was not whole: no later one counts */
};

static enum rc add_left(void *ctx, struct str name, bool is_folder)
{
    struct warc_recovery *r = ctx;
    struct str last;
    if (is_folder || !warc_name_is_open(name, &last))
        return RC_OK;
    struct left *more = mem_grow(r->left, r->count, &r->room, sizeof *more);
    if (!more)
        return RC_NOMEM;
    r->left = more;
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

/* Gives the reader the next piece of the bytes up to `to`. */
static enum rc feed(struct warc_recovery *r, struct disk_file *f, uint64_t *from, uint64_t to)
{
    size_t want = to - *from < PIECE_BYTES ? (size_t)(to - *from) : PIECE_BYTES, got = 0;
    enum rc rc = want ? disk_read(f, *from, r->piece, want, &got) : RC_OK;
    if (rc)
        return rc;
    *from += got;
    if (got)
        warc_reader_feed(r->reader, str_make(r->piece, got));
    else
        warc_reader_finish(r->reader);
    return RC_OK;
}

/* Reads the records in [*from, to), to their end or (`only_one`) to the end of the first. */
static enum rc read_records(struct warc_recovery *r, struct disk_file *f, uint64_t *from,
                            uint64_t to, bool only_one, enum warc_event *ret)
{
    struct str unused;
    enum rc rc = RC_OK;
    bool is_over = false;
    warc_reader_reset(r->reader);
    while (rc == RC_OK && !is_over) {
        *ret = warc_reader_next(r->reader, &unused);
        rc = *ret == WARC_MORE ? feed(r, f, from, to) : RC_OK;
        is_over = *ret == WARC_END || *ret == WARC_BROKEN || (only_one && *ret == WARC_RECORD_END);
    }
    bool has_failed = *ret == WARC_BROKEN && warc_reader_problem(r->reader)->rc == RC_NOMEM;
    return rc ? rc : has_failed ? RC_NOMEM : RC_OK;
}

static enum rc read_members(struct warc_recovery *r, struct disk_file *f, uint64_t from,
                            uint64_t to, bool *ret_whole)
{
    enum warc_event event = WARC_MORE;
    enum rc rc = read_records(r, f, &from, to, false, &event);
    *ret_whole = rc == RC_OK && event == WARC_END && from == to;
    return rc;
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

enum rc warc_recovery_is_short(struct warc_recovery *r, struct str file, uint64_t end, bool *ret)
{
    uint64_t there = 0;
    enum rc rc = file_bytes(r, file, find_left(r, file) != NULL, &there);
    *ret = rc == RC_OK && there < end;
    return rc;
}

/* Changing the disk --------------------------------------------------------------------------- */

struct finishing {
    struct warc_recovery *r;
    struct warc_recovery_ends ends;
    struct warc_recovery_report report;
};

/* Whether a whole record stands first in [from, to). */
static enum rc has_record(struct warc_recovery *r, struct disk_file *f, uint64_t from, uint64_t to,
                          bool *ret)
{
    enum warc_event event = WARC_MORE;
    enum rc rc = read_records(r, f, &from, to, true, &event);
    *ret = rc == RC_OK && event == WARC_RECORD_END;
    return rc;
}

static enum rc copy_bytes(struct warc_recovery *r, struct disk_file *from, uint64_t at,
                          struct disk_file *to)
{
    size_t got = 1;
    enum rc rc = RC_OK;
    while (rc == RC_OK && got) {
        rc = disk_read(from, at, r->piece, PIECE_BYTES, &got);
        struct str piece = str_make(r->piece, got);
        if (rc == RC_OK && got)
            rc = disk_append(to, &piece, 1);
        at += got;
    }
    return rc ? rc : disk_sync(to);
}

/* An earlier recovery may have been cut off while it copied: its copy is made again. */
static enum rc make_copy(struct finishing *g, struct disk_file *f, uint64_t at, const char *path)
{
    struct disk *d = g->r->disk;
    struct disk_file *to = NULL;
    enum rc rc = disk_mkdir(d, g->ends.aside);
    rc = rc == RC_EXISTS ? RC_OK : rc;
    rc = rc ? rc : disk_dirsync(d, "state");
    if (rc == RC_OK) {
        rc = disk_unlink(d, path);
        rc = rc == RC_NOT_FOUND ? RC_OK : rc;
    }
    rc = rc ? rc : disk_open(d, path, DISK_CREATE, &to);
    rc = rc ? rc : copy_bytes(g->r, f, at, to);
    disk_file_close(to);
    return rc ? rc : disk_dirsync(d, g->ends.aside);
}

/* Before the file is cut at `keep`, or removed. */
static enum rc save_tail(struct finishing *g, const struct left *l, struct disk_file *f,
                         uint64_t there)
{
    char room[WARC_PATH_BYTES];
    struct buf path = buf_on(room, sizeof room);
    bool may = there > l->keep && g->ends.aside, has = may && g->ends.saves_all;
    enum rc rc = may && !has ? has_record(g->r, f, l->keep, there, &has) : RC_OK;
    if (rc == RC_OK && has) {
        buf_printf(&path, "%s/%s.%llu", g->ends.aside, l->name, (unsigned long long)l->keep);
        rc = buf_c(&path) ? make_copy(g, f, l->keep, room) : RC_LIMIT;
    }
    if (rc == RC_OK && there > l->keep && g->ends.cut)
        g->ends.cut(g->ends.ctx, l->name, there - l->keep, has ? room : NULL);
    return rc;
}

static enum rc left_remove(struct finishing *g, const struct left *l)
{
    char path[WARC_PATH_BYTES];
    struct warc_recovery *r = g->r;
    struct disk_file *f = NULL;
    uint64_t there = 0;
    enum rc rc = open_sized(r, str_c(l->name), true, DISK_READ, &f, &there);
    rc = rc ? rc : save_tail(g, l, f, there);
    disk_file_close(f);
    rc = rc ? rc : disk_unlink(r->disk, warc_path(path, r->folder, l->name, true));
    g->report.removed_files++;
    g->report.cut_bytes += rc ? 0 : there;
    return rc;
}

/* The list has it before it gets its last name. */
static enum rc note_sealed(struct finishing *g, const struct left *l)
{
    struct sealed *s = g->ends.sealed;
    enum rc rc = s ? sealed_add(s, str_c(l->name), l->keep) : RC_OK;
    return rc || !s ? rc : sealed_sync(s);
}

static enum rc left_keep(struct finishing *g, const struct left *l)
{
    char from[WARC_PATH_BYTES], to[WARC_PATH_BYTES];
    struct warc_recovery *r = g->r;
    struct disk_file *f = NULL;
    uint64_t there = 0;
    enum rc rc = open_sized(r, str_c(l->name), true, DISK_APPEND, &f, &there);
    rc = rc ? rc : save_tail(g, l, f, there);
    if (rc == RC_OK && there > l->keep)
        rc = disk_truncate(f, l->keep);
    rc = rc ? rc : disk_sync(f);
    disk_file_close(f);
    rc = rc ? rc : note_sealed(g, l);
    if (rc)
        return rc;
    g->report.kept_files++;
    g->report.cut_bytes += there - l->keep;
    return disk_rename(r->disk, warc_path(from, r->folder, l->name, true),
                       warc_path(to, r->folder, l->name, false));
}

enum rc warc_recovery_finish(struct warc_recovery *r, const struct warc_recovery_ends *ends,
                             struct warc_recovery_report *ret)
{
    struct finishing g = {.r = r};
    enum rc rc = RC_OK;
    if (ends)
        g.ends = *ends;
    for (size_t i = 0; i < r->count && rc == RC_OK; i++)
        rc = r->left[i].keep ? left_keep(&g, &r->left[i]) : left_remove(&g, &r->left[i]);
    if (rc == RC_OK) {
        rc = disk_dirsync(r->disk, r->folder);
        rc = rc == RC_NOT_FOUND ? RC_OK : rc;
    }
    if (rc == RC_OK && ret)
        *ret = g.report;
    return rc;
}
