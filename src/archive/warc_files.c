/* SPDX-License-Identifier: Apache-2.0 */
/* Memory is a buffer of bytes at positions [taken by `written`, `end`); which file a position
 * belongs to follows from the list of files. So the two buffers are swapped as in the journal and
 * nothing else has to be. */
#include "archive/warc_files.h"

#include "archive/warc_name.h"
#include "base/mem.h"
#include "base/rng.h"

#include <pthread.h>

struct warc_file {
    char name[WARC_FILES_NAME_BYTES]; /* never changes */
    uint64_t start;                   /* position; never changes */
    struct warc_id info;              /* never changes */

    /* Guarded by `adding`. */
    struct warc_file *next;
    uint64_t end; /* position; UINT64_MAX while it is the one appended to */

    /* Guarded by `writing`. */
    struct disk_file *file; /* NULL before it is made and after it was synced for the last time */
    bool synced;            /* for the last time */
    bool was_full;          /* when the sync began that is under way */
};

struct warc_files {
    struct warc_files_settings settings;
    struct disk *disk;

    /* The owner's. */
    struct warc_writer *writer;
    struct rng ids;
    uint64_t next_serial;

    /* Guards the next five. Held by the owner from begin to end. */
    pthread_mutex_t adding;
    struct buf added;
    uint64_t end;    /* position behind `added` */
    uint64_t synced; /* position */
    struct warc_file *first, *last;

    /* Guards the rest: the files. Not held while they are synced: `is_syncing` then keeps those
     * there are open. It is taken before `adding`, never behind it. */
    pthread_mutex_t writing;
    struct buf taken;     /* the other buffer, empty between calls */
    struct warc_file *at; /* written last; NULL: none, so the first comes next */
    uint64_t written;     /* position */
    unsigned unsynced;    /* files made and not closed */
    bool names_changed;   /* since the last dirsync */
    bool is_syncing;
    enum rc failed; /* sticks */
};

static bool settings_ok(const struct warc_files_settings *s)
{
    char room[WARC_PATH_BYTES], name[WARC_FILES_NAME_BYTES];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    return warc_name_part_ok(s->prefix, WARC_FILES_MAX_PREFIX, '_') &&
           warc_name_part_ok(s->host, WARC_FILES_MAX_HOST, '-') && s->serial_step > 0 &&
           s->serial_first < s->serial_step && warc_path(room, s->folder, name, true);
}

static enum rc note_serial(void *ctx, struct str name, bool is_folder)
{
    uint64_t *behind = ctx, serial;
    if (!is_folder && warc_name_serial(name, &serial) == RC_OK && serial >= *behind &&
        serial <= WARC_FILES_MAX_SERIAL)
        *behind = serial + 1;
    return RC_OK;
}

/* The first serial of this shard behind all that are there. */
static enum rc find_serial(struct warc_files *w)
{
    uint64_t behind = 0, step = w->settings.serial_step;
    enum rc rc = disk_mkdir(w->disk, w->settings.folder);
    if (rc && rc != RC_EXISTS)
        return rc;
    rc = disk_list(w->disk, w->settings.folder, note_serial, &behind);
    w->next_serial = (behind + step - 1) / step * step + w->settings.serial_first;
    return rc;
}

/* The folder must survive a power cut as well, also one that an interrupted run has made and not
 * synced. */
static enum rc keep_folder(struct warc_files *w)
{
    char parent[DISK_MAX_PATH_BYTES + 1];
    struct str s = disk_path_folder(w->settings.folder);
    memcpy(parent, s.p, s.n);
    parent[s.n] = 0;
    return disk_dirsync(w->disk, parent);
}

enum rc warc_files_open(struct disk *d, const struct warc_files_settings *s,
                        struct warc_files **ret)
{
    if (!settings_ok(s))
        return RC_INVALID;
    struct warc_files *w = mem_zero(1, sizeof *w);
    if (!w)
        return RC_NOMEM;
    w->settings = *s;
    w->disk = d;
    rng_init(&w->ids, s->id_seed);
    buf_init(&w->added, SIZE_MAX / 2);
    buf_init(&w->taken, SIZE_MAX / 2);
    (void)pthread_mutex_init(&w->adding, NULL);
    (void)pthread_mutex_init(&w->writing, NULL);
    w->writer = warc_writer_open(&s->coding);
    enum rc rc = w->writer ? find_serial(w) : RC_NOMEM;
    rc = rc ? rc : keep_folder(w);
    if (rc == RC_OK)
        *ret = w;
    else
        warc_files_close(w);
    return rc;
}

void warc_files_close(struct warc_files *w)
{
    if (!w)
        return;
    while (w->first) {
        struct warc_file *next = w->first->next;
        disk_file_close(w->first->file);
        mem_free(w->first);
        w->first = next;
    }
    warc_writer_close(w->writer);
    buf_done(&w->added);
    buf_done(&w->taken);
    (void)pthread_mutex_destroy(&w->adding);
    (void)pthread_mutex_destroy(&w->writing);
    mem_free(w);
}

struct warc_id warc_files_new_id(struct warc_files *w)
{
    struct warc_id id;
    for (size_t i = 0; i < sizeof id.bytes; i += 8) {
        uint64_t word = rng_next(&w->ids);
        memcpy(id.bytes + i, &word, 8);
    }
    return id;
}

/* Appending: under `adding` ------------------------------------------------------------------- */

static void take_back(struct warc_files *w, size_t before)
{
    w->added.n = before;
    w->added.rc = RC_OK; /* what was appended before is whole */
}

static enum rc put_warcinfo(struct warc_files *w, const struct warc_file *f, int64_t now_ms)
{
    struct warc_warcinfo info = w->settings.info;
    size_t before = w->added.n;
    info.head = (struct warc_head){.id = f->info, .date_ms = now_ms};
    info.filename = str_c(f->name);
    enum rc rc = warc_put_warcinfo(w->writer, &info, &w->added);
    if (rc)
        take_back(w, before);
    else
        w->end += w->added.n - before;
    return rc;
}

static enum rc begin_file(struct warc_files *w, int64_t now_ms)
{
    if (w->next_serial > WARC_FILES_MAX_SERIAL)
        return RC_LIMIT;
    struct warc_file *f = mem_zero(1, sizeof *f);
    if (!f)
        return RC_NOMEM;
    struct buf name = buf_on(f->name, sizeof f->name - 1);
    warc_name_print(&name, w->settings.prefix, now_ms, w->next_serial, w->settings.host);
    f->start = w->end;
    f->end = UINT64_MAX;
    f->info = warc_files_new_id(w);
    enum rc rc = buf_rc(&name) ? buf_rc(&name) : put_warcinfo(w, f, now_ms);
    if (rc) {
        mem_free(f);
        return rc;
    }
    w->next_serial += w->settings.serial_step;
    if (w->last)
        w->last->next = f;
    else
        w->first = f;
    w->last = f;
    return RC_OK;
}

static void end_file(struct warc_files *w)
{
    if (w->last && w->last->end == UINT64_MAX)
        w->last->end = w->end;
}

enum rc warc_files_begin(struct warc_files *w, int64_t now_ms, struct warc_spot *ret)
{
    enum rc rc = RC_OK;
    (void)pthread_mutex_lock(&w->adding);
    if (w->last && w->end - w->last->start >= w->settings.roll_bytes)
        end_file(w);
    if (!w->last || w->last->end != UINT64_MAX)
        rc = begin_file(w, now_ms);
    if (rc) {
        (void)pthread_mutex_unlock(&w->adding);
        return rc;
    }
    *ret = (struct warc_spot){.out = &w->added,
                              .writer = w->writer,
                              .info = &w->last->info,
                              .file = w->last->name,
                              .offset = w->end - w->last->start,
                              .position = w->end,
                              .out_before = w->added.n};
    return RC_OK;
}

enum rc warc_files_end(struct warc_files *w, struct warc_spot *spot, bool keep)
{
    enum rc rc = buf_rc(&w->added);
    if (rc || !keep)
        take_back(w, spot->out_before);
    w->end += w->added.n - spot->out_before;
    (void)pthread_mutex_unlock(&w->adding);
    return rc;
}

void warc_files_roll(struct warc_files *w)
{
    (void)pthread_mutex_lock(&w->adding);
    end_file(w);
    (void)pthread_mutex_unlock(&w->adding);
}

bool warc_files_is_full(struct warc_files *w)
{
    (void)pthread_mutex_lock(&w->adding);
    bool full = w->added.n > w->settings.buffer_bytes;
    (void)pthread_mutex_unlock(&w->adding);
    return full;
}

uint64_t warc_files_position(struct warc_files *w)
{
    (void)pthread_mutex_lock(&w->adding);
    uint64_t end = w->end;
    (void)pthread_mutex_unlock(&w->adding);
    return end;
}

uint64_t warc_files_synced(struct warc_files *w)
{
    (void)pthread_mutex_lock(&w->adding);
    uint64_t synced = w->synced;
    (void)pthread_mutex_unlock(&w->adding);
    return synced;
}

enum rc warc_files_list(struct warc_files *w, uint64_t position, warc_files_each *each, void *ctx)
{
    enum rc rc = RC_OK;
    (void)pthread_mutex_lock(&w->adding);
    for (struct warc_file *f = w->first; f && f->start < position && rc == RC_OK; f = f->next)
        rc = each(ctx, f->name, (f->end < position ? f->end : position) - f->start);
    (void)pthread_mutex_unlock(&w->adding);
    return rc;
}

/* Writing: under `writing` -------------------------------------------------------------------- */

static struct warc_file *file_next(struct warc_files *w, const struct warc_file *f)
{
    (void)pthread_mutex_lock(&w->adding);
    struct warc_file *next = f ? f->next : w->first;
    (void)pthread_mutex_unlock(&w->adding);
    return next;
}

static uint64_t file_end(struct warc_files *w, const struct warc_file *f)
{
    (void)pthread_mutex_lock(&w->adding);
    uint64_t end = f->end;
    (void)pthread_mutex_unlock(&w->adding);
    return end;
}

static void file_is_synced(struct warc_files *w, struct warc_file *f)
{
    disk_file_close(f->file);
    f->file = NULL;
    f->synced = true;
    w->unsynced--;
}

/* Makes the file that comes behind the one written last, which is full. */
static enum rc make_next(struct warc_files *w)
{
    char path[WARC_PATH_BYTES];
    struct warc_file *f = file_next(w, w->at);
    enum rc rc = RC_OK;
    if (w->unsynced >= WARC_FILES_MAX_UNSYNCED && !w->is_syncing) {
        rc = disk_sync(w->at->file);
        if (rc == RC_OK)
            file_is_synced(w, w->at);
    }
    if (rc == RC_OK)
        rc = disk_open(w->disk, warc_path(path, w->settings.folder, f->name, true), DISK_CREATE,
                       &f->file);
    if (rc)
        return rc;
    w->at = f;
    w->unsynced++;
    w->names_changed = true;
    return RC_OK;
}

static enum rc write_taken(struct warc_files *w)
{
    struct str rest = buf_str(&w->taken);
    enum rc rc = RC_OK;
    while (rest.n && rc == RC_OK) {
        uint64_t room = w->at ? file_end(w, w->at) - w->written : 0;
        if (room == 0) {
            rc = make_next(w);
            continue;
        }
        struct str piece = str_first(rest, room < rest.n ? (size_t)room : rest.n);
        rc = disk_append(w->at->file, &piece, 1);
        if (rc == RC_OK)
            w->written += piece.n;
        rest = str_from(rest, piece.n);
    }
    buf_clear(&w->taken);
    return rc;
}

static enum rc write_added(struct warc_files *w)
{
    if (w->failed)
        return w->failed;
    (void)pthread_mutex_lock(&w->adding);
    struct buf swap = w->added;
    w->added = w->taken;
    w->taken = swap;
    (void)pthread_mutex_unlock(&w->adding);
    return w->failed = write_taken(w);
}

enum rc warc_files_write(struct warc_files *w)
{
    (void)pthread_mutex_lock(&w->writing);
    bool waits = !w->failed && w->is_syncing && w->unsynced >= WARC_FILES_MAX_UNSYNCED;
    enum rc rc = waits ? RC_AGAIN : write_added(w);
    (void)pthread_mutex_unlock(&w->writing);
    return rc;
}

/* Syncing ------------------------------------------------------------------------------------- */

/* Under `writing`. False: the names have not changed. */
static bool sync_begins(struct warc_files *w)
{
    bool names_changed = w->names_changed;
    for (struct warc_file *f = file_next(w, NULL); f; f = file_next(w, f))
        f->was_full = f->file && file_end(w, f) <= w->written;
    w->names_changed = false;
    w->is_syncing = true;
    return names_changed;
}

/* Under `writing`: those that were full are closed. */
static void sync_ends(struct warc_files *w, enum rc rc)
{
    for (struct warc_file *f = file_next(w, NULL); f && !rc; f = file_next(w, f)) {
        if (f->was_full)
            file_is_synced(w, f);
        f->was_full = false;
    }
    w->is_syncing = false;
    if (rc)
        w->failed = rc;
}

/* The file of one that was there when the sync began: it stays, for only its end closes it. */
static struct disk_file *file_of(struct warc_files *w, const struct warc_file *f)
{
    (void)pthread_mutex_lock(&w->writing);
    struct disk_file *file = f->file;
    (void)pthread_mutex_unlock(&w->writing);
    return file;
}

/* Writers go on meanwhile. */
static enum rc sync_files(struct warc_files *w, bool names_changed)
{
    enum rc rc = RC_OK;
    for (struct warc_file *f = file_next(w, NULL); f && rc == RC_OK; f = file_next(w, f)) {
        struct disk_file *file = file_of(w, f);
        rc = file ? disk_sync(file) : RC_OK;
    }
    return rc == RC_OK && names_changed ? disk_dirsync(w->disk, w->settings.folder) : rc;
}

enum rc warc_files_sync(struct warc_files *w)
{
    (void)pthread_mutex_lock(&w->writing);
    enum rc rc = write_added(w);
    uint64_t written = w->written;
    bool names_changed = rc == RC_OK && sync_begins(w);
    (void)pthread_mutex_unlock(&w->writing);
    if (rc)
        return rc;
    rc = sync_files(w, names_changed);
    (void)pthread_mutex_lock(&w->writing);
    sync_ends(w, rc);
    (void)pthread_mutex_unlock(&w->writing);
    if (rc)
        return rc;
    (void)pthread_mutex_lock(&w->adding);
    w->synced = written;
    (void)pthread_mutex_unlock(&w->adding);
    return RC_OK;
}

/* Sealing ------------------------------------------------------------------------------------- */

/* Under `writing`. Renames full files from the front; *ret_behind is the first that was not. */
static enum rc rename_full(struct warc_files *w, uint64_t position, struct warc_file **ret_behind)
{
    char from[WARC_PATH_BYTES], to[WARC_PATH_BYTES];
    struct warc_file *f = file_next(w, NULL);
    enum rc rc = RC_OK;
    while (f && f->synced && file_end(w, f) <= position && rc == RC_OK) {
        rc = disk_rename(w->disk, warc_path(from, w->settings.folder, f->name, true),
                         warc_path(to, w->settings.folder, f->name, false));
        f = file_next(w, f);
    }
    *ret_behind = f;
    return rc;
}

enum rc warc_files_full(struct warc_files *w, uint64_t position, warc_files_each *each, void *ctx)
{
    enum rc rc = RC_OK;
    (void)pthread_mutex_lock(&w->writing);
    struct warc_file *f = file_next(w, NULL);
    for (; f && f->synced && file_end(w, f) <= position && rc == RC_OK; f = file_next(w, f))
        rc = each(ctx, f->name, file_end(w, f) - f->start);
    (void)pthread_mutex_unlock(&w->writing);
    return rc;
}

/* Under `writing`. */
static void forget_until(struct warc_files *w, const struct warc_file *behind)
{
    (void)pthread_mutex_lock(&w->adding);
    while (w->first != behind) {
        struct warc_file *gone = w->first;
        w->first = gone->next;
        if (w->last == gone)
            w->last = NULL;
        if (w->at == gone)
            w->at = NULL;
        mem_free(gone);
    }
    (void)pthread_mutex_unlock(&w->adding);
}

/* Full files get no bytes any more, so writers need not wait until the names last. */
enum rc warc_files_seal(struct warc_files *w, uint64_t position)
{
    struct warc_file *behind = NULL;
    (void)pthread_mutex_lock(&w->writing);
    enum rc rc = w->failed;
    if (rc == RC_OK)
        rc = w->failed = rename_full(w, position, &behind);
    bool is_none = behind == file_next(w, NULL);
    (void)pthread_mutex_unlock(&w->writing);
    if (rc || is_none)
        return rc;
    rc = disk_dirsync(w->disk, w->settings.folder);
    (void)pthread_mutex_lock(&w->writing);
    if (rc == RC_OK)
        forget_until(w, behind);
    else
        w->failed = rc;
    (void)pthread_mutex_unlock(&w->writing);
    return rc;
}
