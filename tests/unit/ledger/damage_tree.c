/* SPDX-License-Identifier: Apache-2.0 */
#include "damage_tree.h"

#include "base/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ABSOLUTE_BYTES = 600, READ_BYTES = 64 << 10 };

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct tree_entry *)a)->path, ((const struct tree_entry *)b)->path);
}

static bool absolute(char room[ABSOLUTE_BYTES], const char *root, const char *path)
{
    int n = snprintf(room, ABSOLUTE_BYTES, "%s%s%s", root, *path ? "/" : "", path);
    return n > 0 && n < ABSOLUTE_BYTES;
}

static struct tree_entry *new_entry(struct tree *t, const char *path, bool is_folder)
{
    if (t->count == TREE_MAX_ENTRIES || strlen(path) >= TREE_MAX_PATH)
        return NULL;
    struct tree_entry *e = &t->entries[t->count++];
    memset(e, 0, sizeof *e);
    (void)snprintf(e->path, sizeof e->path, "%s", path);
    e->is_folder = is_folder;
    buf_init(&e->bytes, TREE_MAX_FILE_BYTES);
    return e;
}

static bool begin(struct tree *t)
{
    t->entries = calloc(TREE_MAX_ENTRIES, sizeof *t->entries);
    t->count = 0;
    return t->entries != NULL;
}

static bool read_bytes(const char *path, struct buf *to)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? 1 : errno == ENOENT ? 0 : -1;
    while (n > 0) {
        char *room = buf_reserve(to, READ_BYTES);
        n = room ? read(fd, room, READ_BYTES) : -1;
        to->n += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        (void)close(fd);
    return n == 0;
}

static bool read_folder(struct tree *t, const char *root, const char *folder);

static bool read_one(struct tree *t, const char *root, const char *path)
{
    char full[ABSOLUTE_BYTES];
    struct stat s;
    if (!absolute(full, root, path))
        return false;
    if (lstat(full, &s) != 0)
        return errno == ENOENT; /* RocksDB has removed it meanwhile */
    struct tree_entry *e = new_entry(t, path, S_ISDIR(s.st_mode));
    if (!e)
        return false;
    return e->is_folder ? read_folder(t, root, path) : read_bytes(full, &e->bytes);
}

static bool read_folder(struct tree *t, const char *root, const char *folder)
{
    char full[ABSOLUTE_BYTES], path[ABSOLUTE_BYTES];
    DIR *d = absolute(full, root, folder) ? opendir(full) : NULL;
    const struct dirent *e;
    bool good = d != NULL;
    while (good && (e = readdir(d))) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        good = *folder ? absolute(path, folder, e->d_name) && read_one(t, root, path)
                       : read_one(t, root, e->d_name);
    }
    if (d)
        (void)closedir(d);
    return good;
}

bool tree_read(const char *root, struct tree *ret)
{
    bool good = begin(ret) && read_folder(ret, root, "");
    if (ret->count)
        qsort(ret->entries, ret->count, sizeof *ret->entries, by_path);
    return good;
}

static bool write_bytes(const char *path, struct str bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    bool good = fd >= 0 && fd_write_all(fd, bytes);
    if (fd >= 0)
        (void)close(fd);
    return good;
}

bool tree_write(const struct tree *t, const char *root)
{
    char full[ABSOLUTE_BYTES];
    bool good = mkdir(root, 0755) == 0;
    for (size_t i = 0; i < t->count && good; i++) {
        const struct tree_entry *e = &t->entries[i];
        good = absolute(full, root, e->path);
        if (good)
            good = e->is_folder ? mkdir(full, 0755) == 0 : write_bytes(full, buf_str(&e->bytes));
    }
    return good;
}

bool tree_add(struct tree *t, const struct tree_entry *e)
{
    struct tree_entry *mine = new_entry(t, e->path, e->is_folder);
    if (!mine)
        return false;
    buf_add(&mine->bytes, buf_str(&e->bytes));
    bool good = buf_rc(&mine->bytes) == RC_OK;
    qsort(t->entries, t->count, sizeof *t->entries, by_path);
    return good;
}

bool tree_copy(const struct tree *from, struct tree *ret)
{
    bool good = begin(ret);
    for (size_t i = 0; i < from->count && good; i++) {
        const struct tree_entry *e = &from->entries[i];
        struct tree_entry *mine = new_entry(ret, e->path, e->is_folder);
        buf_add(&mine->bytes, buf_str(&e->bytes));
        good = buf_rc(&mine->bytes) == RC_OK;
    }
    return good;
}

void tree_done(struct tree *t)
{
    for (size_t i = 0; i < t->count; i++)
        buf_done(&t->entries[i].bytes);
    free(t->entries);
    t->entries = NULL;
    t->count = 0;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

void tree_remove(const char *root)
{
    (void)nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

struct tree_entry *tree_find(const struct tree *t, const char *path)
{
    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->entries[i].path, path) == 0)
            return &t->entries[i];
    return NULL;
}

static bool is_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && (path[n] == 0 || path[n] == '/');
}

void tree_drop(struct tree *t, const char *path)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++)
        if (is_below(t->entries[i].path, path))
            buf_done(&t->entries[i].bytes);
        else
            t->entries[kept++] = t->entries[i];
    t->count = kept;
}

static bool is_equal(const struct tree_entry *a, const struct tree_entry *b)
{
    return a && b && a->is_folder == b->is_folder && str_eq(buf_str(&a->bytes), buf_str(&b->bytes));
}

const char *tree_difference(const struct tree *a, const struct tree *b,
                            bool (*is_exempt)(const char *path))
{
    for (size_t i = 0; i < a->count; i++)
        if (!is_exempt(a->entries[i].path) &&
            !is_equal(&a->entries[i], tree_find(b, a->entries[i].path)))
            return a->entries[i].path;
    for (size_t i = 0; i < b->count; i++)
        if (!is_exempt(b->entries[i].path) && !tree_find(a, b->entries[i].path))
            return b->entries[i].path;
    return NULL;
}
