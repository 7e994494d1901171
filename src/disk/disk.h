/* SPDX-License-Identifier: Apache-2.0 */
/* disk: files that must outlive a crash. All durable I/O of our own goes through here, so that a
 * test can stand in for the disk and cut the power at every call.
 *
 *     struct disk *d;
 *     rc = disk_real_open("crawl/state", &d);          or disk_crash_open(&d)
 *     rc = disk_open(d, "journal-000001", DISK_APPEND, &f);
 *     rc = disk_append(f, &batch, 1);                  in the page cache: survives kill -9
 *     rc = disk_sync(f);                               on the disk: survives a power cut
 *     rc = disk_dirsync(d, "");                        and so does its name
 *
 * Paths are relative to the disk's root, with "/" between names; no empty name, "." or "..", so
 * nothing outside the root can be named, and symbolic links are not followed. "" is the root
 * itself, where a folder is asked for.
 *
 * WHAT MAY BE THERE AFTER A CRASH. A writer may rely on this list and on nothing else; it is what
 * ext4 (data=ordered) and XFS keep on disks that do not tear a sector they were not asked to
 * write, and it is everything disk_crash produces:
 *
 *  1. Bytes below the length at the last disk_sync that returned RC_OK are there, unchanged, unless
 *     a later truncation took them away. (A block that is partly synced is rewritten when the file
 *     grows: we rely on that not harming its older bytes.)
 *  2. Bytes appended since then may be there in none, all, or a prefix. The last block of what is
 *     there (512 or 4,096 bytes) may hold zeros or garbage instead, from its start or from the
 *     synced length on: the length reached the disk before the data. A whole earlier block may be
 *     zeros though later ones are right: blocks are written in any order. So a reader checks every
 *     record's checksum, stops at the first bad one, and believes nothing behind it.
 *  3. A truncation since then may have happened or not. Bytes appended after it may be there while
 *     it is not: old bytes then stand behind them. So sync a truncation before appending.
 *  4. Files are independent of each other, whatever the order of the calls: what is written later
 *     to another file may be there while this is not. An order is made by sync alone.
 *  5. A name made, removed or renamed may have happened or not until disk_dirsync of its folder
 *     returns RC_OK. Each name is independent of the others, also in one folder; changes of the
 *     same name keep their order. disk_sync makes bytes durable, not the name: a new file that is
 *     synced may still have no name.
 *  6. A rename is whole: after it, the new name is what it was before or the renamed file, and the
 *     old name is gone exactly if the new one has changed. It says nothing about the file's bytes
 *     (point 2): sync them first. disk_replace() does all of it.
 *  7. A folder that was made and whose parent was not synced may be gone with all that is in it.
 *  8. After a disk_sync that failed, everything since the last good one is as in point 2 for ever:
 * the kernel has dropped the pages and will say RC_OK to the next sync. So the failure
 *     sticks: disk_append, disk_truncate and disk_sync on that file give RC_SYNC from then on, and
 *     the process should end. A failed disk_dirsync sticks likewise to disk_dirsync of the disk.
 *
 * Not in the list: the disk losing or altering what it acknowledged, and bytes of other files
 * showing up. Checksums catch those, recovery is by refetching.
 *
 * A file belongs to one thread at a time; different files of a real disk may be used by different
 * threads, and a file may be synced by a helper while its owner goes on appending: the sync is
 * about what was appended before it began. */
#ifndef DISK_DISK_H
#define DISK_DISK_H

#include "base/buf.h"

enum {
    DISK_MAX_PATH_BYTES = 1024,
    DISK_MAX_NAME_BYTES = 255,
    DISK_MAX_ENTRIES = 1 << 20, /* in one folder, for disk_list */
};

enum disk_mode {
    DISK_READ,   /* must exist */
    DISK_APPEND, /* made if absent; what is appended goes behind what is there */
    DISK_CREATE, /* as DISK_APPEND, but RC_EXISTS if it is there */
};

struct disk_ops;

struct disk {
    const struct disk_ops *ops;
    bool dirsync_failed;
};

struct disk_file {
    struct disk *disk;
    bool can_append;
    _Atomic bool sync_failed; /* a helper may find out while the owner appends */
};

struct disk_lock {
    struct disk *disk;
};

/* The kernel's files below the folder `path`, which is made if only it is missing. */
MUST_CHECK enum rc disk_real_open(const char *path, struct disk **ret_disk);

/* All its files and locks are closed before. Accepts NULL. */
void disk_close(struct disk *d);

/* Every call may give RC_INVALID (a path against the rules, or through something that is not a
 * folder), RC_DENIED, RC_READ_ONLY, RC_IO (the system refused for another reason) and RC_NOMEM;
 * what else, is said. */

/* RC_NOT_FOUND, RC_EXISTS, RC_DISK_FULL, RC_LIMIT (too many open files). */
MUST_CHECK enum rc disk_open(struct disk *d, const char *path, enum disk_mode mode,
                             struct disk_file **ret_file);

/* Does not sync. Accepts NULL. */
void disk_file_close(struct disk_file *f);

/* Appends the pieces, one behind the other. On failure any prefix of them may be there: disk_size
 * tells, and until it is truncated away the tail is to be taken for torn. RC_DISK_FULL, RC_SYNC
 * (a sync has failed before), RC_LIMIT (the file is too large), RC_INVALID (opened to read). */
MUST_CHECK enum rc disk_append(struct disk_file *f, const struct str *pieces, size_t count);

/* Reads at most `bytes` from `offset`; *ret_bytes is less only at the end of the file. */
MUST_CHECK enum rc disk_read(struct disk_file *f, uint64_t offset, void *to, size_t bytes,
                             size_t *ret_bytes);

/* On RC_OK all that was appended or truncated is durable. Otherwise RC_SYNC, now and ever after. */
MUST_CHECK enum rc disk_sync(struct disk_file *f);

/* Cuts the file to `bytes`, at most its size (RC_INVALID). RC_SYNC. */
MUST_CHECK enum rc disk_truncate(struct disk_file *f, uint64_t bytes);
MUST_CHECK enum rc disk_size(struct disk_file *f, uint64_t *ret_bytes);

/* Gives a file another name in the same folder (RC_UNSUPPORTED for another), in place of whatever
 * file has it. Open files stay what they were. RC_NOT_FOUND, RC_DISK_FULL. */
MUST_CHECK enum rc disk_rename(struct disk *d, const char *from, const char *to);

/* Removes a file; one that is open stays readable. RC_NOT_FOUND. */
MUST_CHECK enum rc disk_unlink(struct disk *d, const char *path);

/* RC_EXISTS, RC_NOT_FOUND (its parent), RC_DISK_FULL. */
MUST_CHECK enum rc disk_mkdir(struct disk *d, const char *path);

/* Makes a folder that other users cannot look into (0700), if it is missing; one that is there and
 * belongs to this user is closed to others. What disk_open and disk_mkdir make in such a folder
 * (not the root) is for this user alone, too. RC_NOT_FOUND (its parent), RC_DISK_FULL. */
MUST_CHECK enum rc disk_mkdir_private(struct disk *d, const char *path);

/* On RC_OK the names in that folder are durable; not those below its folders. RC_NOT_FOUND,
 * RC_LIMIT (too many open files), RC_SYNC. */
MUST_CHECK enum rc disk_dirsync(struct disk *d, const char *path);

/* The files and folders in a folder, in byte order of their names; nothing else is listed. Stops
 * when `each` returns other than RC_OK, and returns that. RC_NOT_FOUND, RC_LIMIT. */
typedef enum rc disk_each_entry(void *ctx, struct str name, bool is_folder);
MUST_CHECK enum rc disk_list(struct disk *d, const char *path, disk_each_entry *each, void *ctx);

/* RC_OK: there is such a folder; RC_NOT_FOUND. */
MUST_CHECK enum rc disk_has_folder(struct disk *d, const char *path);

/* An exclusive lock on a file, which is made if absent; RC_LOCKED if a process has it, also this
 * one. It ends with disk_unlock or with the process, kill -9 too. A user who can open the file can
 * hold the lock, so it is 0600. */
MUST_CHECK enum rc disk_lock(struct disk *d, const char *path, struct disk_lock **ret_lock);
void disk_unlock(struct disk_lock *l);

/* Adds the path of a lock, and which process holds it if the system tells: "state/LOCK, held by
 * process 123". */
void disk_lock_print(struct disk *d, const char *path, struct buf *out);

/* Bytes that may still be written by this user. */
MUST_CHECK enum rc disk_free_bytes(struct disk *d, uint64_t *ret_bytes);

/* Made of the calls above. */

/* Puts `bytes` in place of the file: a crash leaves the old bytes or the new, whole; on RC_OK the
 * new, durably. Uses and replaces `path`.new. On failure the file is old or new, and a disk that
 * is full has its room back. */
MUST_CHECK enum rc disk_replace(struct disk *d, const char *path, struct str bytes);

/* The length of a file that is not open. RC_NOT_FOUND. */
MUST_CHECK enum rc disk_size_of(struct disk *d, const char *path, uint64_t *ret_bytes);

/* Adds the whole file to `ret`; RC_LIMIT past its maximum. */
MUST_CHECK enum rc disk_read_whole(struct disk *d, const char *path, struct buf *ret);

/* For implementations of a disk; each is called with arguments already checked (paths keep the
 * rules, the file was opened to append, no sync has failed before). */
struct disk_ops {
    const char *name;
    void (*close)(struct disk *d);
    enum rc (*open)(struct disk *d, const char *path, enum disk_mode mode, struct disk_file **ret);
    void (*file_close)(struct disk_file *f);
    enum rc (*append)(struct disk_file *f, const struct str *pieces, size_t count);
    enum rc (*read)(struct disk_file *f, uint64_t offset, void *to, size_t bytes, size_t *ret);
    enum rc (*sync)(struct disk_file *f);
    enum rc (*truncate)(struct disk_file *f, uint64_t bytes);
    enum rc (*size)(struct disk_file *f, uint64_t *ret);
    enum rc (*rename)(struct disk *d, const char *from, const char *to);
    enum rc (*unlink)(struct disk *d, const char *path);
    enum rc (*mkdir)(struct disk *d, const char *path);
    enum rc (*close_to_others)(struct disk *d, const char *folder); /* may be NULL */
    enum rc (*dirsync)(struct disk *d, const char *path);
    enum rc (*list)(struct disk *d, const char *path, disk_each_entry *each, void *ctx);
    enum rc (*lock)(struct disk *d, const char *path, struct disk_lock **ret);
    void (*unlock)(struct disk_lock *l);
    uint64_t (*lock_holder)(struct disk *d, const char *path); /* 0 or NULL: not known */
    enum rc (*free_bytes)(struct disk *d, uint64_t *ret);
};

/* The folder part of a path, and the last name: "a/b" is "a" and "b"; "b" is "" and "b". */
struct str disk_path_folder(const char *path);
const char *disk_path_name(const char *path);

#endif
