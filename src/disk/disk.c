/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for every disk: the rules for paths, and failures of sync that stick. */
#include "disk/disk.h"

#include "base/mem.h"

enum { READ_CHUNK = 64 << 10 };

struct str disk_path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return str_make(path, slash ? (size_t)(slash - path) : 0);
}

const char *disk_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool name_ok(struct str name)
{
    return name.n > 0 && name.n <= DISK_MAX_NAME_BYTES && !str_eq(name, STR(".")) &&
           !str_eq(name, STR(".."));
}

/* A file or folder below the root. */
static bool path_ok(const char *path)
{
    struct str rest = str_c(path);
    if (rest.n == 0 || rest.n > DISK_MAX_PATH_BYTES)
        return false;
    while (rest.p)
        if (!name_ok(str_take_until(&rest, '/')))
            return false;
    return true;
}

static bool folder_ok(const char *path)
{
    return path[0] == '\0' || path_ok(path);
}

void disk_close(struct disk *d)
{
    if (d)
        d->ops->close(d);
}

enum rc disk_open(struct disk *d, const char *path, enum disk_mode mode,
                  struct disk_file **ret_file)
{
    if (!path_ok(path))
        return RC_INVALID;
    struct disk_file *f;
    enum rc rc = d->ops->open(d, path, mode, &f);
    if (rc)
        return rc;
    *f = (struct disk_file){.disk = d, .can_append = mode != DISK_READ};
    *ret_file = f;
    return RC_OK;
}

void disk_file_close(struct disk_file *f)
{
    if (f)
        f->disk->ops->file_close(f);
}

static enum rc may_change(const struct disk_file *f)
{
    return f->sync_failed ? RC_SYNC : f->can_append ? RC_OK : RC_INVALID;
}

enum rc disk_append(struct disk_file *f, const struct str *pieces, size_t count)
{
    enum rc rc = may_change(f);
    return rc ? rc : f->disk->ops->append(f, pieces, count);
}

enum rc disk_read(struct disk_file *f, uint64_t offset, void *to, size_t bytes, size_t *ret_bytes)
{
    return f->disk->ops->read(f, offset, to, bytes, ret_bytes);
}

enum rc disk_sync(struct disk_file *f)
{
    if (!f->sync_failed && f->disk->ops->sync(f) != RC_OK)
        f->sync_failed = true;
    return f->sync_failed ? RC_SYNC : RC_OK;
}

enum rc disk_truncate(struct disk_file *f, uint64_t bytes)
{
    uint64_t size;
    enum rc rc = may_change(f);
    if (rc == RC_OK)
        rc = disk_size(f, &size);
    if (rc)
        return rc;
    return bytes > size ? RC_INVALID : f->disk->ops->truncate(f, bytes);
}

enum rc disk_size(struct disk_file *f, uint64_t *ret_bytes)
{
    return f->disk->ops->size(f, ret_bytes);
}

enum rc disk_rename(struct disk *d, const char *from, const char *to)
{
    if (!path_ok(from) || !path_ok(to))
        return RC_INVALID;
    if (!str_eq(disk_path_folder(from), disk_path_folder(to)))
        return RC_UNSUPPORTED;
    return d->ops->rename(d, from, to);
}

enum rc disk_unlink(struct disk *d, const char *path)
{
    return path_ok(path) ? d->ops->unlink(d, path) : RC_INVALID;
}

enum rc disk_mkdir(struct disk *d, const char *path)
{
    return path_ok(path) ? d->ops->mkdir(d, path) : RC_INVALID;
}

enum rc disk_mkdir_private(struct disk *d, const char *path)
{
    enum rc rc = disk_mkdir(d, path);
    if ((rc && rc != RC_EXISTS) || !d->ops->close_to_others)
        return rc == RC_EXISTS ? RC_OK : rc;
    return d->ops->close_to_others(d, path);
}

/* A folder that could not be opened has not failed to sync. */
enum rc disk_dirsync(struct disk *d, const char *path)
{
    if (!folder_ok(path))
        return RC_INVALID;
    if (d->dirsync_failed)
        return RC_SYNC;
    enum rc rc = d->ops->dirsync(d, path);
    if (rc == RC_OK || rc == RC_NOT_FOUND || rc == RC_INVALID || rc == RC_NOMEM || rc == RC_LIMIT ||
        rc == RC_DENIED)
        return rc;
    d->dirsync_failed = true;
    return RC_SYNC;
}

enum rc disk_list(struct disk *d, const char *path, disk_each_entry *each, void *ctx)
{
    return folder_ok(path) ? d->ops->list(d, path, each, ctx) : RC_INVALID;
}

enum rc disk_lock(struct disk *d, const char *path, struct disk_lock **ret_lock)
{
    struct disk_lock *l;
    enum rc rc = path_ok(path) ? d->ops->lock(d, path, &l) : RC_INVALID;
    if (rc)
        return rc;
    l->disk = d;
    *ret_lock = l;
    return RC_OK;
}

void disk_unlock(struct disk_lock *l)
{
    if (l)
        l->disk->ops->unlock(l);
}

void disk_lock_print(struct disk *d, const char *path, struct buf *out)
{
    bool can_tell = d->ops->lock_holder && path_ok(path);
    uint64_t holder = can_tell ? d->ops->lock_holder(d, path) : 0;
    buf_printf(out, "%s", path);
    if (holder) {
        buf_add(out, STR(", held by process "));
        buf_u64(out, holder);
    }
}

enum rc disk_free_bytes(struct disk *d, uint64_t *ret_bytes)
{
    return d->ops->free_bytes(d, ret_bytes);
}

static enum rc write_new(struct disk *d, const char *path, struct str bytes)
{
    struct disk_file *f;
    enum rc rc = disk_unlink(d, path); /* left behind by a crash */
    if (rc && rc != RC_NOT_FOUND)
        return rc;
    rc = disk_open(d, path, DISK_CREATE, &f);
    if (rc)
        return rc;
    rc = disk_append(f, &bytes, 1);
    if (rc == RC_OK)
        rc = disk_sync(f);
    disk_file_close(f);
    if (rc) {
        enum rc removed = disk_unlink(d, path);
        (void)removed; /* what is left takes up room until the next replacement */
    }
    return rc;
}

enum rc disk_replace(struct disk *d, const char *path, struct str bytes)
{
    char temporary[DISK_MAX_PATH_BYTES + 8], folder[DISK_MAX_PATH_BYTES + 1];
    struct buf name = buf_on(temporary, sizeof temporary);
    struct buf parent = buf_on(folder, sizeof folder);
    if (!path_ok(path))
        return RC_INVALID;
    buf_printf(&name, "%s.new", path);
    buf_add(&parent, disk_path_folder(path));
    const char *from = buf_c(&name), *in = buf_c(&parent);
    if (!from || !in)
        return RC_INVALID;
    enum rc rc = write_new(d, from, bytes);
    if (rc == RC_OK)
        rc = disk_rename(d, from, path);
    if (rc == RC_OK)
        rc = disk_dirsync(d, in);
    return rc;
}

enum rc disk_size_of(struct disk *d, const char *path, uint64_t *ret_bytes)
{
    struct disk_file *f = NULL;
    enum rc rc = disk_open(d, path, DISK_READ, &f);
    rc = rc ? rc : disk_size(f, ret_bytes);
    disk_file_close(f);
    return rc;
}

enum rc disk_read_whole(struct disk *d, const char *path, struct buf *ret)
{
    struct disk_file *f;
    size_t n = 1;
    uint64_t at = 0;
    enum rc rc = disk_open(d, path, DISK_READ, &f);
    if (rc)
        return rc;
    while (rc == RC_OK && n > 0) {
        size_t room = ret->max - ret->n < READ_CHUNK ? ret->max - ret->n : READ_CHUNK;
        char byte; /* a full buf asks for one more, to know whether there is one */
        char *to = room ? buf_reserve(ret, room) : &byte;
        rc = to ? disk_read(f, at, to, room ? room : 1, &n) : buf_rc(ret);
        if (rc == RC_OK && room == 0 && n > 0)
            rc = RC_LIMIT;
        if (rc == RC_OK && room > 0)
            ret->n += n;
        at += n;
    }
    disk_file_close(f);
    return rc;
}

static enum rc pass_over(void *ctx, struct str name, bool is_folder)
{
    (void)ctx;
    (void)name;
    (void)is_folder;
    return RC_OK;
}

enum rc disk_has_folder(struct disk *d, const char *path)
{
    return disk_list(d, path, pass_over, NULL);
}
