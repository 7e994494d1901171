/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of disk.h on memory. Each one first passes begin_call(), which counts it, shows it to
 * the hook, and makes it fail if it is the one. A call allocates what it needs before it changes
 * anything, so that a sync needs nothing. */
#include "disk/crash_state.h"

#include "base/mem.h"

struct crash_file {
    struct disk_file file;
    struct node *node;
};

struct crash_lock {
    struct disk_lock lock;
    struct node *node;
    struct crash_lock *next;
};

static struct crash *crash_of(struct disk *d)
{
    return (struct crash *)d;
}

/* `changes` names the call for the hook; NULL for one that changes nothing. */
static enum rc begin_call(struct disk *d, const char *changes)
{
    struct crash *c = crash_of(d);
    if (changes && c->hook)
        c->hook(c->hook_ctx, d, changes);
    if (++c->calls != c->fail_at)
        return RC_OK;
    c->failed = true;
    return c->fail_rc;
}

/* RC_NOT_FOUND and RC_INVALID as the kernel gives them: every folder on the way must be one. */
static enum rc check_folder(const struct crash *c, struct str path)
{
    for (size_t n = 0; n < path.n; n++) {
        n += str_find(str_from(path, n), '/');
        const struct node *folder = names_get(&c->now, str_first(path, n));
        if (!folder)
            return RC_NOT_FOUND;
        if (!folder->is_folder)
            return RC_INVALID;
    }
    return RC_OK;
}

static char *copy_of(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = mem_alloc(n);
    return copy ? memcpy(copy, text, n) : NULL;
}

static void move_done(struct move *m)
{
    mem_free(m->path);
    mem_free(m->to);
}

static enum rc move_room(struct crash *c)
{
    struct move *moves = mem_grow(c->moves, c->move_count, &c->move_cap, sizeof *moves);
    if (!moves)
        return RC_NOMEM;
    c->moves = moves;
    return RC_OK;
}

/* Does it now and remembers it for dirsync. */
static enum rc move(struct crash *c, enum move_kind kind, const char *path, const char *to,
                    struct node *node)
{
    struct move m = {kind, copy_of(path), to ? copy_of(to) : NULL, node};
    enum rc rc = m.path && (m.to || !to) ? move_room(c) : RC_NOMEM;
    if (rc == RC_OK)
        rc = names_move(&c->now, &m);
    if (rc)
        move_done(&m);
    else
        c->moves[c->move_count++] = m;
    return rc;
}

static enum rc make(struct crash *c, const char *path, bool is_folder, struct node **ret_node)
{
    struct node *n = crash_node(c, is_folder); /* stays with the disk, named or not */
    enum rc rc = n ? move(c, MOVE_MAKE, path, NULL, n) : RC_NOMEM;
    if (rc == RC_OK)
        *ret_node = n;
    return rc;
}

static enum rc open_node(struct crash *c, const char *path, enum disk_mode mode,
                         struct node **ret_node)
{
    enum rc rc = check_folder(c, disk_path_folder(path));
    struct node *n = rc ? NULL : names_get(&c->now, str_c(path));
    bool makes = rc == RC_OK && !n && mode != DISK_READ;
    enum rc injected = begin_call(&c->disk, makes ? "open" : NULL);
    if (injected || rc)
        return injected ? injected : rc;
    if (makes)
        return make(c, path, false, ret_node);
    if (!n)
        return RC_NOT_FOUND;
    if (mode == DISK_CREATE)
        return RC_EXISTS;
    *ret_node = n;
    return n->is_folder ? RC_INVALID : RC_OK;
}

static enum rc crash_file_open(struct disk *d, const char *path, enum disk_mode mode,
                               struct disk_file **ret)
{
    struct crash_file *f = mem_zero(1, sizeof *f);
    if (!f)
        return RC_NOMEM;
    enum rc rc = open_node(crash_of(d), path, mode, &f->node);
    if (rc)
        mem_free(f);
    else
        *ret = &f->file;
    return rc;
}

static void crash_file_close(struct disk_file *f)
{
    mem_free(f);
}

static struct node *node_of(struct disk_file *f)
{
    return ((struct crash_file *)f)->node;
}

static enum rc add_change(struct node *n, struct change change)
{
    struct change *changes = mem_grow(n->changes, n->change_count, &n->change_cap, sizeof *changes);
    if (!changes)
        return RC_NOMEM;
    n->changes = changes;
    n->changes[n->change_count++] = change;
    return RC_OK;
}

/* Room in `durable` too, for the sync to come: all that will ever be between two syncs. */
static enum rc reserve(struct node *n, size_t bytes)
{
    size_t wanted = n->now.n + bytes;
    if (wanted > n->now.max)
        return RC_LIMIT;
    if (!buf_reserve(&n->now, bytes)) {
        n->now.rc = RC_OK;
        return RC_NOMEM;
    }
    if (wanted > n->durable.n && !buf_reserve(&n->durable, wanted - n->durable.n)) {
        n->durable.rc = RC_OK;
        return RC_NOMEM;
    }
    return RC_OK;
}

static struct str joined(const struct str *pieces, size_t count, size_t bytes)
{
    char *copy = mem_alloc(bytes);
    size_t at = 0;
    for (size_t i = 0; copy && i < count && at < bytes; i++) {
        struct str piece = str_first(pieces[i], bytes - at);
        if (piece.n)
            memcpy(copy + at, piece.p, piece.n);
        at += piece.n;
    }
    return str_make(copy, bytes);
}

static enum rc append_bytes(struct node *n, const struct str *pieces, size_t count, size_t bytes)
{
    if (bytes == 0)
        return RC_OK;
    enum rc rc = reserve(n, bytes);
    struct str copy = rc ? STR_NONE : joined(pieces, count, bytes);
    if (rc == RC_OK)
        rc = copy.p ? add_change(n, (struct change){.bytes = copy}) : RC_NOMEM;
    if (rc) {
        mem_free((void *)(uintptr_t)copy.p);
        return rc;
    }
    buf_add(&n->now, copy);
    return RC_OK;
}

static uint64_t room_left(const struct crash *c)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < c->now.count; i++)
        used += c->now.rows[i].node->now.n;
    return used < c->quota_bytes ? c->quota_bytes - used : 0;
}

static enum rc crash_append(struct disk_file *f, const struct str *pieces, size_t count)
{
    struct crash *c = crash_of(f->disk);
    size_t bytes = 0, whole;
    for (size_t i = 0; i < count; i++)
        bytes += pieces[i].n;
    whole = bytes;
    enum rc failure = begin_call(f->disk, "append");
    if (failure && bytes)
        bytes = c->fail_part < bytes ? c->fail_part : bytes - 1;
    uint64_t room = room_left(c);
    if (bytes > room) {
        bytes = (size_t)room;
        failure = failure ? failure : RC_DISK_FULL;
    }
    enum rc rc = whole ? append_bytes(node_of(f), pieces, count, bytes) : RC_OK;
    return failure ? failure : rc;
}

static enum rc crash_read(struct disk_file *f, uint64_t offset, void *to, size_t bytes, size_t *ret)
{
    enum rc rc = begin_call(f->disk, NULL);
    if (rc)
        return rc;
    if (offset > INT64_MAX - bytes)
        return RC_INVALID;
    struct str all = buf_str(&node_of(f)->now);
    struct str part = str_first(str_from(all, offset < all.n ? (size_t)offset : all.n), bytes);
    if (part.n)
        memcpy(to, part.p, part.n);
    *ret = part.n;
    return RC_OK;
}

static void forget_changes(struct node *n)
{
    for (uint32_t i = 0; i < n->change_count; i++)
        mem_free((void *)(uintptr_t)n->changes[i].bytes.p);
    n->change_count = 0;
}

static enum rc crash_sync(struct disk_file *f)
{
    struct node *n = node_of(f);
    enum rc rc = begin_call(f->disk, "sync");
    if (rc) {
        n->poisoned = true;
        return rc;
    }
    if (n->poisoned)
        return RC_OK; /* as the kernel does, and nothing is durable */
    for (uint32_t i = 0; i < n->change_count; i++)
        change_apply(&n->durable, &n->changes[i]); /* into room that append made */
    forget_changes(n);
    return RC_OK;
}

static enum rc crash_truncate(struct disk_file *f, uint64_t bytes)
{
    struct node *n = node_of(f);
    enum rc rc = begin_call(f->disk, "truncate");
    if (rc == RC_OK && bytes < n->now.n)
        rc = add_change(n, (struct change){.is_truncation = true, .length = bytes});
    if (rc || bytes >= n->now.n)
        return rc;
    n->now.n = (size_t)bytes;
    return RC_OK;
}

static enum rc crash_size(struct disk_file *f, uint64_t *ret)
{
    enum rc rc = begin_call(f->disk, NULL);
    if (rc == RC_OK)
        *ret = node_of(f)->now.n;
    return rc;
}

static enum rc crash_rename(struct disk *d, const char *from, const char *to)
{
    struct crash *c = crash_of(d);
    enum rc rc = begin_call(d, "rename");
    if (rc == RC_OK)
        rc = check_folder(c, disk_path_folder(from));
    if (rc)
        return rc;
    struct node *n = names_get(&c->now, str_c(from)), *there = names_get(&c->now, str_c(to));
    if (!n)
        return RC_NOT_FOUND;
    if (n->is_folder || (there && there->is_folder))
        return RC_INVALID;
    if (n == there)
        return RC_OK;
    return move(c, MOVE_RENAME, from, to, n);
}

static enum rc crash_unlink(struct disk *d, const char *path)
{
    struct crash *c = crash_of(d);
    enum rc rc = begin_call(d, "unlink");
    if (rc == RC_OK)
        rc = check_folder(c, disk_path_folder(path));
    if (rc)
        return rc;
    struct node *n = names_get(&c->now, str_c(path));
    if (!n || n->is_folder)
        return n ? RC_INVALID : RC_NOT_FOUND;
    return move(c, MOVE_REMOVE, path, NULL, n);
}

static enum rc crash_mkdir(struct disk *d, const char *path)
{
    struct crash *c = crash_of(d);
    struct node *made;
    enum rc rc = begin_call(d, "mkdir");
    if (rc == RC_OK)
        rc = check_folder(c, disk_path_folder(path));
    if (rc == RC_OK && names_get(&c->now, str_c(path)))
        rc = RC_EXISTS;
    return rc ? rc : make(c, path, true, &made);
}

/* Moves of that folder become durable in their order; without memory none is forgotten, and doing
 * the first of them again later is harmless. */
static enum rc crash_dirsync(struct disk *d, const char *path)
{
    struct crash *c = crash_of(d);
    enum rc rc = begin_call(d, "dirsync");
    if (rc == RC_OK)
        rc = check_folder(c, str_c(path));
    for (uint32_t i = 0; rc == RC_OK && i < c->move_count; i++)
        if (str_eq(disk_path_folder(c->moves[i].path), str_c(path)))
            rc = names_move(&c->durable, &c->moves[i]);
    if (rc)
        return rc;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->move_count; i++) {
        if (str_eq(disk_path_folder(c->moves[i].path), str_c(path)))
            move_done(&c->moves[i]);
        else
            c->moves[kept++] = c->moves[i];
    }
    c->move_count = kept;
    return RC_OK;
}

static enum rc crash_list(struct disk *d, const char *path, disk_each_entry *each, void *ctx)
{
    struct crash *c = crash_of(d);
    enum rc rc = begin_call(d, NULL);
    if (rc == RC_OK)
        rc = check_folder(c, str_c(path));
    for (uint32_t i = 0; rc == RC_OK && i < c->now.count; i++) {
        const struct name *row = &c->now.rows[i];
        if (str_eq(disk_path_folder(row->path), str_c(path)))
            rc = each(ctx, str_c(disk_path_name(row->path)), row->node->is_folder);
    }
    return rc;
}

static enum rc lock_node(struct crash *c, struct crash_lock *l)
{
    for (const struct crash_lock *other = c->locks; other; other = other->next)
        if (other->node == l->node)
            return RC_LOCKED;
    l->next = c->locks;
    c->locks = l;
    return RC_OK;
}

static enum rc crash_lock(struct disk *d, const char *path, struct disk_lock **ret)
{
    struct crash_lock *l = mem_zero(1, sizeof *l);
    if (!l)
        return RC_NOMEM;
    enum rc rc = open_node(crash_of(d), path, DISK_APPEND, &l->node);
    if (rc == RC_OK)
        rc = lock_node(crash_of(d), l);
    if (rc)
        mem_free(l);
    else
        *ret = &l->lock;
    return rc;
}

static void crash_unlock(struct disk_lock *lock)
{
    struct crash_lock **at = &crash_of(lock->disk)->locks;
    while (*at != (struct crash_lock *)lock)
        at = &(*at)->next;
    *at = (*at)->next;
    mem_free(lock);
}

static enum rc crash_free_bytes(struct disk *d, uint64_t *ret)
{
    enum rc rc = begin_call(d, NULL);
    if (rc == RC_OK)
        *ret = room_left(crash_of(d));
    return rc;
}

static void crash_close(struct disk *d)
{
    struct crash *c = crash_of(d);
    while (c->nodes) {
        struct node *n = c->nodes;
        c->nodes = n->next;
        forget_changes(n);
        mem_free(n->changes);
        buf_done(&n->now);
        buf_done(&n->durable);
        mem_free(n);
    }
    for (uint32_t i = 0; i < c->move_count; i++)
        move_done(&c->moves[i]);
    mem_free(c->moves);
    names_done(&c->now);
    names_done(&c->durable);
    mem_free(c);
}

static const struct disk_ops crash_ops = {
    .name = "crash",
    .close = crash_close,
    .open = crash_file_open,
    .file_close = crash_file_close,
    .append = crash_append,
    .read = crash_read,
    .sync = crash_sync,
    .truncate = crash_truncate,
    .size = crash_size,
    .rename = crash_rename,
    .unlink = crash_unlink,
    .mkdir = crash_mkdir,
    .dirsync = crash_dirsync,
    .list = crash_list,
    .lock = crash_lock,
    .unlock = crash_unlock,
    .free_bytes = crash_free_bytes,
};

enum rc disk_crash_open(struct disk **ret_disk)
{
    struct crash *c = mem_zero(1, sizeof *c);
    if (!c)
        return RC_NOMEM;
    c->disk.ops = &crash_ops;
    c->quota_bytes = UINT64_MAX;
    *ret_disk = &c->disk;
    return RC_OK;
}

void disk_crash_before_each(struct disk *d,
                            void (*hook)(void *ctx, struct disk *d, const char *call), void *ctx)
{
    crash_of(d)->hook = hook;
    crash_of(d)->hook_ctx = ctx;
}

void disk_crash_fail_at(struct disk *d, uint64_t call, enum rc rc, size_t part_bytes)
{
    struct crash *c = crash_of(d);
    c->fail_at = call ? c->calls + call : 0;
    c->fail_rc = rc;
    c->fail_part = part_bytes;
    c->failed = false;
}

bool disk_crash_has_failed(const struct disk *d)
{
    return ((const struct crash *)d)->failed;
}

uint64_t disk_crash_calls(const struct disk *d)
{
    return ((const struct crash *)d)->calls;
}

void disk_crash_quota(struct disk *d, uint64_t bytes)
{
    crash_of(d)->quota_bytes = bytes;
}
