/* SPDX-License-Identifier: Apache-2.0 */
#include "sink/store.h"

#include "archive/warc_files.h"
#include "archive/warc_name.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdio.h>

#define LOCK_PATH "sink/LOCK"
#define EMPTY_INDEX "indexes/parts/index.cdxj"
#define INDEX_TAIL ".cdxj"

enum {
    READ_BYTES = 256 << 10,
    PROGRESS_BYTES = 32 << 20, /* hashed between two calls of sink_progress */
    NAME_BYTES = WARC_FILES_NAME_BYTES + 8,
    PATH_BYTES = NAME_BYTES + 32,
};

struct sink_store {
    struct disk *disk;
    struct disk_lock *dir_lock;
    struct sink_store_settings settings;
    pthread_mutex_t lock; /* guards the rest */
    bool has_failed;
    char busy[SINK_STORE_MAX_PUTS][NAME_BYTES]; /* "": free */
};

struct sink_put {
    struct sink_store *store;
    struct disk_file *file;
    struct digester *digester;
    size_t slot; /* in busy */
    uint64_t bytes, have, unsynced;
    struct digest wanted;
    const char *folder;
    char path[PATH_BYTES], part[PATH_BYTES];
};

static const char *folder_of(enum sink_what what)
{
    return what == SINK_WARC ? "archive" : "indexes/parts";
}

bool sink_name_is_good(enum sink_what what, struct str name)
{
    uint64_t serial;
    struct str tail = STR(INDEX_TAIL);
    if (what == SINK_INDEX) {
        if (!str_ends(name, tail))
            return false;
        name = str_first(name, name.n - tail.n);
    }
    struct str open;
    return warc_name_part_ok(name, WARC_FILES_NAME_BYTES - 1, '-') && name.p[0] != '.' &&
           !warc_name_is_open(name, &open) && warc_name_serial(name, &serial) == RC_OK;
}

/* Opening ------------------------------------------------------------------------------------- */

static enum rc make_folders(struct disk *d)
{
    static const char *const folders[] = {"archive", "indexes", "indexes/parts"};
    enum rc rc = disk_mkdir_private(d, "sink"); /* for secrets, and the lock */
    for (size_t i = 0; i < sizeof folders / sizeof *folders && rc == RC_OK; i++) {
        rc = disk_mkdir(d, folders[i]);
        rc = rc == RC_EXISTS ? RC_OK : rc;
    }
    rc = rc ? rc : disk_dirsync(d, "");
    return rc ? rc : disk_dirsync(d, "indexes");
}

static enum rc make_index(struct disk *d)
{
    struct disk_file *f = NULL;
    enum rc rc = disk_open(d, EMPTY_INDEX, DISK_APPEND, &f);
    disk_file_close(f);
    return rc ? rc : disk_dirsync(d, "indexes/parts");
}

enum rc sink_store_open(struct disk *d, const struct sink_store_settings *settings,
                        struct sink_store **ret)
{
    struct sink_store *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    s->disk = d;
    s->settings = *settings;
    (void)pthread_mutex_init(&s->lock, NULL);
    enum rc rc = make_folders(d);
    rc = rc ? rc : disk_lock(d, LOCK_PATH, &s->dir_lock);
    rc = rc ? rc : make_index(d);
    if (rc)
        sink_store_close(s);
    else
        *ret = s;
    return rc;
}

void sink_store_close(struct sink_store *s)
{
    if (!s)
        return;
    disk_unlock(s->dir_lock);
    (void)pthread_mutex_destroy(&s->lock);
    mem_free(s);
}

bool sink_store_has_failed(struct sink_store *s)
{
    (void)pthread_mutex_lock(&s->lock);
    bool has = s->has_failed;
    (void)pthread_mutex_unlock(&s->lock);
    return has;
}

/* Names that are arriving --------------------------------------------------------------------- */

/* A WARC file and its index lines have different names. False: another connection has the name, or
 * no slot is free. */
static bool take_name(struct sink_store *s, struct str name, size_t *ret_slot)
{
    size_t at = SINK_STORE_MAX_PUTS;
    bool is_taken = false;
    (void)pthread_mutex_lock(&s->lock);
    for (size_t i = SINK_STORE_MAX_PUTS; i-- > 0;) {
        if (!s->busy[i][0])
            at = i;
        else
            is_taken = is_taken || str_eq(str_c(s->busy[i]), name);
    }
    bool good = !is_taken && at < SINK_STORE_MAX_PUTS && name.n < NAME_BYTES;
    if (good) {
        memcpy(s->busy[at], name.p, name.n);
        s->busy[at][name.n] = '\0';
        *ret_slot = at;
    }
    (void)pthread_mutex_unlock(&s->lock);
    return good;
}

static void give_name(struct sink_store *s, size_t slot)
{
    (void)pthread_mutex_lock(&s->lock);
    s->busy[slot][0] = '\0';
    (void)pthread_mutex_unlock(&s->lock);
}

/* Answers ------------------------------------------------------------------------------------- */

static struct sink_verdict refuse(enum sink_code code)
{
    return (struct sink_verdict){.kind = SINK_REFUSED, .code = code};
}

static struct sink_verdict ask_for_more(uint64_t offset)
{
    return (struct sink_verdict){.kind = SINK_MORE, .offset = offset};
}

/* The refusal that tells the agent of a failure of the disk. */
static struct sink_verdict refuse_for(struct sink_store *s, enum rc rc)
{
    if (rc == RC_SYNC) {
        (void)pthread_mutex_lock(&s->lock);
        s->has_failed = true;
        (void)pthread_mutex_unlock(&s->lock);
    }
    return refuse(rc == RC_DISK_FULL                 ? SINK_FULL
                  : rc == RC_NOMEM || rc == RC_LIMIT ? SINK_BUSY
                                                     : SINK_TROUBLE);
}

/* Hashing ------------------------------------------------------------------------------------- */

static enum rc hash_file(struct disk_file *f, uint64_t bytes, struct digester *to,
                         struct sink_progress progress)
{
    char *room = mem_alloc(READ_BYTES);
    enum rc rc = room ? RC_OK : RC_NOMEM;
    uint64_t at = 0, said = 0;
    while (rc == RC_OK && at < bytes) {
        size_t want = bytes - at < READ_BYTES ? (size_t)(bytes - at) : READ_BYTES, got = 0;
        rc = disk_read(f, at, room, want, &got);
        if (rc == RC_OK && got == 0)
            rc = RC_IO;
        digester_add(to, str_make(room, got));
        at += got;
        if (progress.call && at - said >= PROGRESS_BYTES) {
            progress.call(progress.ctx);
            said = at;
        }
    }
    mem_free(room);
    return rc;
}

/* Beginning ----------------------------------------------------------------------------------- */

/* RC_OK: the file is there (*ret_is_same: with these bytes); RC_NOT_FOUND. */
static enum rc look_for_whole(struct sink_put *p, struct sink_progress progress, bool *ret_is_same)
{
    struct disk_file *f = NULL;
    uint64_t bytes = 0;
    struct digest got;
    *ret_is_same = false;
    enum rc rc = disk_open(p->store->disk, p->path, DISK_READ, &f);
    rc = rc ? rc : disk_size(f, &bytes);
    if (rc == RC_OK && bytes == p->bytes) {
        rc = hash_file(f, bytes, p->digester, progress);
        rc = rc ? rc : digester_finish(p->digester, &got);
        *ret_is_same = rc == RC_OK && digest_eq(&got, &p->wanted);
        rc = rc ? rc : digester_restart(p->digester);
    }
    disk_file_close(f);
    return rc;
}

/* Takes up what has arrived before, whatever it is: the SHA-256 will show. */
static enum rc open_part(struct sink_put *p, struct sink_progress progress)
{
    enum rc rc = disk_open(p->store->disk, p->part, DISK_APPEND, &p->file);
    rc = rc ? rc : disk_size(p->file, &p->have);
    if (rc == RC_OK && p->have > p->bytes) { /* it belongs to another offer */
        rc = disk_truncate(p->file, 0);
        rc = rc ? rc : disk_sync(p->file);
        p->have = 0;
    }
    return rc ? rc : hash_file(p->file, p->have, p->digester, progress);
}

static enum rc has_room(struct sink_put *p)
{
    uint64_t free_bytes = 0, reserve = p->store->settings.reserve_bytes;
    enum rc rc = disk_free_bytes(p->store->disk, &free_bytes);
    bool fits = free_bytes >= reserve && free_bytes - reserve >= p->bytes - p->have;
    return rc || fits ? rc : RC_DISK_FULL;
}

/* All bytes are there: the file gets its name if its SHA-256 is the one offered. */
static struct sink_verdict finish_put(struct sink_put *p)
{
    struct disk *d = p->store->disk;
    struct digest got;
    enum rc rc = digester_finish(p->digester, &got);
    if (rc)
        return refuse_for(p->store, rc);
    if (!digest_eq(&got, &p->wanted)) {
        rc = disk_unlink(d, p->part);
        return rc ? refuse_for(p->store, rc) : refuse(SINK_MISMATCH);
    }
    rc = disk_sync(p->file);
    rc = rc ? rc : disk_rename(d, p->part, p->path);
    rc = rc ? rc : disk_dirsync(d, p->folder);
    return rc ? refuse_for(p->store, rc) : (struct sink_verdict){.kind = SINK_STORED};
}

static struct sink_verdict begin_put(struct sink_put *p, struct sink_progress progress)
{
    bool is_same;
    enum rc rc = look_for_whole(p, progress, &is_same);
    if (rc == RC_OK && !is_same)
        return refuse(SINK_CONFLICT);
    if (rc == RC_OK) { /* a crash may have come between the name and this answer */
        rc = disk_dirsync(p->store->disk, p->folder);
        return rc ? refuse_for(p->store, rc) : (struct sink_verdict){.kind = SINK_STORED};
    }
    if (rc != RC_NOT_FOUND)
        return refuse_for(p->store, rc);
    rc = open_part(p, progress);
    if (rc == RC_OK && p->have == p->bytes)
        return finish_put(p);
    rc = rc ? rc : has_room(p);
    return rc ? refuse_for(p->store, rc) : ask_for_more(p->have);
}

static bool put_names(struct sink_put *p, const struct sink_frame *f)
{
    p->folder = folder_of(f->what);
    int n = snprintf(p->path, sizeof p->path, "%s/" STR_FMT, p->folder, STR_ARG(f->name));
    int m = snprintf(p->part, sizeof p->part, "%s.part", p->path);
    return n > 0 && n < (int)sizeof p->path && m > 0 && m < (int)sizeof p->part;
}

struct sink_verdict sink_put_open(struct sink_store *s, const struct sink_frame *f,
                                  struct sink_progress progress, struct sink_put **ret)
{
    if (!sink_name_is_good(f->what, f->name))
        return refuse(SINK_BAD);
    if (f->bytes > s->settings.max_file_bytes)
        return refuse(SINK_TOO_LARGE);
    if (sink_store_has_failed(s))
        return refuse(SINK_TROUBLE);
    struct sink_put *p = mem_zero(1, sizeof *p);
    if (!p || !take_name(s, f->name, &p->slot)) {
        mem_free(p);
        return refuse(SINK_BUSY);
    }
    p->store = s;
    p->bytes = f->bytes;
    p->wanted.kind = DIGEST_SHA256;
    memcpy(p->wanted.bytes, f->sha256, sizeof f->sha256);
    p->digester = digester_open(DIGEST_SHA256);
    struct sink_verdict v =
        p->digester && put_names(p, f) ? begin_put(p, progress) : refuse(SINK_BUSY);
    if (v.kind == SINK_MORE)
        *ret = p;
    else
        sink_put_close(p);
    return v;
}

/* Pieces -------------------------------------------------------------------------------------- */

struct sink_verdict sink_put_add(struct sink_put *p, struct str piece)
{
    if (piece.n == 0 || piece.n > p->bytes - p->have)
        return refuse(SINK_BAD);
    enum rc rc = disk_append(p->file, &piece, 1);
    if (rc)
        return refuse_for(p->store, rc);
    digester_add(p->digester, piece);
    p->have += piece.n;
    p->unsynced += piece.n;
    if (p->have == p->bytes)
        return finish_put(p);
    if (p->unsynced >= SINK_STORE_SYNC_BYTES) {
        rc = disk_sync(p->file);
        p->unsynced = 0;
    }
    return rc ? refuse_for(p->store, rc) : ask_for_more(p->have);
}

void sink_put_close(struct sink_put *p)
{
    if (!p)
        return;
    disk_file_close(p->file);
    digester_close(p->digester);
    give_name(p->store, p->slot);
    mem_free(p);
}
