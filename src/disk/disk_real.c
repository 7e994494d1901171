/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's files. Paths are walked name by name from the root's descriptor, so that no symbolic
 * link, wherever it is, leads out of it. */
#include "disk/disk.h"

#include "base/mem.h"
#include "disk/lock_holder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    PIECES_A_CALL = 64,
    FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
    OTHERS = 077, /* all rights of the group and of other users */
};

struct real {
    struct disk disk;
    int root;
};

struct real_file {
    struct disk_file file;
    int fd;
};

struct real_lock {
    struct disk_lock lock;
    int fd;
};

static enum rc last_error(void)
{
    return errno == EWOULDBLOCK ? RC_LOCKED : rc_of_errno(errno);
}

static void close_fd(int fd)
{
    if (fd >= 0)
        (void)close(fd); /* what must not be lost was synced */
}

/* openat that goes on after a signal. */
static int open_at(int folder, const char *name, int flags, mode_t mode)
{
    int fd;
    do
        fd = openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* Takes other users' rights away from what is this user's. */
static enum rc close_fd_to_others(int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return last_error();
    bool is_open = st.st_uid == geteuid() && st.st_mode & OTHERS;
    return is_open && fchmod(fd, st.st_mode & 0700) != 0 ? last_error() : RC_OK;
}

/* The descriptor of the folder at `path` (of n bytes; none: the root), to be closed by the
 * caller. */
static enum rc open_folder(struct disk *d, struct str path, int *ret_fd)
{
    int fd = open_at(((struct real *)d)->root, ".", FOLDER_FLAGS, 0);
    while (fd >= 0 && path.n > 0) {
        char name[DISK_MAX_NAME_BYTES + 1];
        struct str part = str_take_until(&path, '/');
        memcpy(name, part.p, part.n);
        name[part.n] = '\0';
        int next = open_at(fd, name, FOLDER_FLAGS, 0);
        int error = errno;
        close_fd(fd);
        errno = error;
        fd = next;
    }
    if (fd < 0)
        return last_error();
    *ret_fd = fd;
    return RC_OK;
}

static enum rc open_parent(struct disk *d, const char *path, int *ret_fd)
{
    return open_folder(d, disk_path_folder(path), ret_fd);
}

/* What is made at `path` in a folder that is closed to others is closed to them, too. The root is
 * the operator's: its mode says nothing about what is in it. */
static mode_t mode_within(int folder, const char *path, mode_t mode)
{
    struct stat st;
    bool is_private = disk_path_folder(path).n && !fstat(folder, &st) && !(st.st_mode & OTHERS);
    return is_private ? mode & ~(mode_t)OTHERS : mode;
}

/* Only plain files: a fifo would block, a device would do anything. */
static enum rc open_plain(struct disk *d, const char *path, int flags, int *ret_fd)
{
    int folder = -1;
    struct stat st = {0};
    enum rc rc = open_parent(d, path, &folder);
    if (rc)
        return rc;
    mode_t mode = flags & O_CREAT ? mode_within(folder, path, 0666) : 0;
    int fd = open_at(folder, disk_path_name(path), flags | O_NONBLOCK, mode);
    rc = fd < 0 ? last_error() : fstat(fd, &st) != 0 ? last_error() : RC_OK;
    if (rc == RC_OK && !S_ISREG(st.st_mode))
        rc = RC_INVALID;
    close_fd(folder);
    if (rc)
        close_fd(fd);
    else
        *ret_fd = fd;
    return rc;
}

static enum rc real_file_open(struct disk *d, const char *path, enum disk_mode mode,
                              struct disk_file **ret)
{
    int flags = mode == DISK_READ ? O_RDONLY : O_RDWR | O_APPEND | O_CREAT;
    struct real_file *f = mem_zero(1, sizeof *f);
    if (!f)
        return RC_NOMEM;
    enum rc rc = open_plain(d, path, mode == DISK_CREATE ? flags | O_EXCL : flags, &f->fd);
    if (rc)
        mem_free(f);
    else
        *ret = &f->file;
    return rc;
}

static int fd_of(struct disk_file *f)
{
    return ((struct real_file *)f)->fd;
}

static void real_file_close(struct disk_file *f)
{
    close_fd(fd_of(f));
    mem_free(f);
}

/* Up to PIECES_A_CALL of the pieces, without the first `skip` bytes. */
static int fill_vector(struct iovec *v, const struct str *pieces, size_t count, size_t skip)
{
    int n = 0;
    for (size_t i = 0; i < count && n < PIECES_A_CALL; i++) {
        struct str rest = str_from(pieces[i], skip);
        skip -= pieces[i].n - rest.n;
        if (rest.n > 0)
            v[n++] = (struct iovec){(void *)(uintptr_t)rest.p, rest.n};
    }
    return n;
}

static enum rc real_append(struct disk_file *f, const struct str *pieces, size_t count)
{
    size_t skip = 0;
    for (;;) {
        struct iovec v[PIECES_A_CALL];
        while (count > 0 && skip >= pieces->n) {
            skip -= pieces->n;
            pieces++;
            count--;
        }
        int n = fill_vector(v, pieces, count, skip);
        if (n == 0)
            return RC_OK;
        ssize_t written = writev(fd_of(f), v, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? last_error() : RC_IO;
        skip += (size_t)written;
    }
}

static enum rc real_read(struct disk_file *f, uint64_t offset, void *to, size_t bytes, size_t *ret)
{
    size_t done = 0;
    if (offset > INT64_MAX - bytes)
        return RC_INVALID;
    while (done < bytes) {
        ssize_t n = pread(fd_of(f), (char *)to + done, bytes - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return last_error();
        if (n == 0)
            break;
        done += (size_t)n;
    }
    *ret = done;
    return RC_OK;
}

/* EINTR alone is asked again: no failure was reported, so none has been forgotten. fdatasync writes
 * the length too, which is all the metadata that reading back needs. */
static enum rc sync_fd(int fd, int (*how)(int))
{
    int result;
    do
        result = how(fd);
    while (result != 0 && errno == EINTR);
    return result == 0 ? RC_OK : RC_SYNC;
}

static enum rc real_sync(struct disk_file *f)
{
    return sync_fd(fd_of(f), fdatasync);
}

static enum rc real_truncate(struct disk_file *f, uint64_t bytes)
{
    int result;
    do
        result = ftruncate(fd_of(f), (off_t)bytes);
    while (result != 0 && errno == EINTR);
    return result == 0 ? RC_OK : last_error();
}

static enum rc real_size(struct disk_file *f, uint64_t *ret)
{
    struct stat st;
    if (fstat(fd_of(f), &st) != 0)
        return last_error();
    *ret = (uint64_t)st.st_size;
    return RC_OK;
}

static bool is_folder(int folder, const char *name)
{
    struct stat st;
    return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static enum rc real_rename(struct disk *d, const char *from, const char *to)
{
    int folder = -1;
    enum rc rc = open_parent(d, from, &folder);
    if (rc)
        return rc;
    const char *old = disk_path_name(from), *new = disk_path_name(to);
    if (is_folder(folder, old) || is_folder(folder, new))
        rc = RC_INVALID;
    else if (renameat(folder, old, folder, new) != 0)
        rc = last_error();
    close_fd(folder);
    return rc;
}

static enum rc real_unlink(struct disk *d, const char *path)
{
    int folder = -1;
    enum rc rc = open_parent(d, path, &folder);
    if (rc)
        return rc;
    if (is_folder(folder, disk_path_name(path)))
        rc = RC_INVALID;
    else if (unlinkat(folder, disk_path_name(path), 0) != 0)
        rc = last_error();
    close_fd(folder);
    return rc;
}

static enum rc real_mkdir(struct disk *d, const char *path)
{
    int folder = -1;
    enum rc rc = open_parent(d, path, &folder);
    if (rc)
        return rc;
    if (mkdirat(folder, disk_path_name(path), mode_within(folder, path, 0777)) != 0)
        rc = last_error();
    close_fd(folder);
    return rc;
}

static enum rc real_close_to_others(struct disk *d, const char *path)
{
    int folder = -1;
    enum rc rc = open_folder(d, str_c(path), &folder);
    if (rc)
        return rc;
    rc = close_fd_to_others(folder);
    close_fd(folder);
    return rc;
}

static enum rc real_dirsync(struct disk *d, const char *path)
{
    int folder = -1;
    enum rc rc = open_folder(d, str_c(path), &folder);
    if (rc)
        return rc;
    rc = sync_fd(folder, fsync);
    close_fd(folder);
    return rc;
}

struct entry {
    char *name;
    bool is_folder;
};

struct entries {
    struct entry *rows;
    size_t count, cap;
};

static enum rc entries_add(struct entries *e, const char *name, bool folder)
{
    size_t n = strlen(name) + 1;
    if (e->count == DISK_MAX_ENTRIES)
        return RC_LIMIT;
    struct entry *rows = mem_grow(e->rows, e->count, &e->cap, sizeof *rows);
    if (!rows)
        return RC_NOMEM;
    e->rows = rows;
    char *copy = mem_alloc(n);
    if (!copy)
        return RC_NOMEM;
    memcpy(copy, name, n);
    e->rows[e->count++] = (struct entry){copy, folder};
    return RC_OK;
}

static void entries_done(struct entries *e)
{
    for (size_t i = 0; i < e->count; i++)
        mem_free(e->rows[i].name);
    mem_free(e->rows);
}

static int compare_entries(const void *a, const void *b)
{
    return str_cmp(str_c(((const struct entry *)a)->name), str_c(((const struct entry *)b)->name));
}

static enum rc read_entries(DIR *dir, struct entries *e)
{
    struct dirent *entry;
    enum rc rc = RC_OK;
    while (rc == RC_OK && (errno = 0, entry = readdir(dir))) {
        struct stat st;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue; /* removed meanwhile */
        if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
            rc = entries_add(e, entry->d_name, S_ISDIR(st.st_mode));
    }
    return rc == RC_OK && errno ? last_error() : rc;
}

static enum rc real_list(struct disk *d, const char *path, disk_each_entry *each, void *ctx)
{
    int folder = -1;
    struct entries e = {0};
    enum rc rc = open_folder(d, str_c(path), &folder);
    if (rc)
        return rc;
    DIR *dir = fdopendir(folder);
    if (!dir) {
        rc = last_error();
        close_fd(folder);
        return rc;
    }
    rc = read_entries(dir, &e);
    (void)closedir(dir);
    if (e.count > 1)
        qsort(e.rows, e.count, sizeof *e.rows, compare_entries);
    for (size_t i = 0; rc == RC_OK && i < e.count; i++)
        rc = each(ctx, str_c(e.rows[i].name), e.rows[i].is_folder);
    entries_done(&e);
    return rc;
}

static enum rc real_lock(struct disk *d, const char *path, struct disk_lock **ret)
{
    struct real_lock *l = mem_zero(1, sizeof *l);
    if (!l)
        return RC_NOMEM;
    l->fd = -1;
    enum rc rc = open_plain(d, path, O_RDWR | O_CREAT, &l->fd);
    rc = rc ? rc : close_fd_to_others(l->fd);
    if (rc == RC_OK && flock(l->fd, LOCK_EX | LOCK_NB) != 0)
        rc = last_error();
    if (rc) {
        close_fd(l->fd);
        mem_free(l);
    } else {
        *ret = &l->lock;
    }
    return rc;
}

static void real_unlock(struct disk_lock *l)
{
    close_fd(((struct real_lock *)l)->fd);
    mem_free(l);
}

static uint64_t real_lock_holder(struct disk *d, const char *path)
{
    int fd = -1;
    if (open_plain(d, path, O_RDONLY, &fd))
        return 0;
    uint64_t holder = lock_holder_of(fd);
    close_fd(fd);
    return holder;
}

static enum rc real_free_bytes(struct disk *d, uint64_t *ret)
{
    struct statvfs st;
    if (fstatvfs(((struct real *)d)->root, &st) != 0)
        return last_error();
    *ret = (uint64_t)st.f_bavail * st.f_frsize;
    return RC_OK;
}

static void real_close(struct disk *d)
{
    close_fd(((struct real *)d)->root);
    mem_free(d);
}

static const struct disk_ops real_ops = {
    .name = "real",
    .close = real_close,
    .open = real_file_open,
    .file_close = real_file_close,
    .append = real_append,
    .read = real_read,
    .sync = real_sync,
    .truncate = real_truncate,
    .size = real_size,
    .rename = real_rename,
    .unlink = real_unlink,
    .mkdir = real_mkdir,
    .close_to_others = real_close_to_others,
    .dirsync = real_dirsync,
    .list = real_list,
    .lock = real_lock,
    .unlock = real_unlock,
    .lock_holder = real_lock_holder,
    .free_bytes = real_free_bytes,
};

/* The root may itself be reached through links: the operator named it. A root just made is synced
 * into its parent. */
static enum rc open_root(const char *path, int *ret_fd)
{
    bool made = mkdir(path, 0777) == 0;
    int error = made ? 0 : errno;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && error != EEXIST)
        errno = error; /* the reason says more than that it is not there */
    if (fd < 0)
        return last_error();
    enum rc rc = RC_OK;
    if (made) {
        int parent = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        rc = parent < 0 ? last_error() : sync_fd(parent, fsync);
        close_fd(parent);
    }
    if (rc)
        close_fd(fd);
    else
        *ret_fd = fd;
    return rc;
}

enum rc disk_real_open(const char *path, struct disk **ret_disk)
{
    struct real *d = mem_zero(1, sizeof *d);
    if (!d)
        return RC_NOMEM;
    enum rc rc = open_root(path, &d->root);
    if (rc) {
        mem_free(d);
        return rc;
    }
    d->disk.ops = &real_ops;
    *ret_disk = &d->disk;
    return RC_OK;
}
