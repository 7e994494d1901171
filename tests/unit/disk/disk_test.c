/* SPDX-License-Identifier: Apache-2.0 */
/* One suite over every disk there is: what disk.h promises of calls, crashes apart. */
#include "disk/disk_crash.h"

#include "lib/test.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct world {
    struct disk *disk;
    char root[64]; /* of the real one */
};

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static int real_setup(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    snprintf(w->root, sizeof w->root, "/tmp/orbweaver-disk-XXXXXX");
    *state = w;
    return !mkdtemp(w->root) || disk_real_open(w->root, &w->disk) != RC_OK;
}

static int crash_setup(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    *state = w;
    return disk_crash_open(&w->disk) != RC_OK;
}

static int teardown(void **state)
{
    struct world *w = *state;
    disk_close(w->disk);
    if (w->root[0])
        nftw(w->root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(w);
    return 0;
}

static struct disk *disk_of(void **state)
{
    return ((struct world *)*state)->disk;
}

static struct disk_file *file_of(struct disk *d, const char *path, enum disk_mode mode)
{
    struct disk_file *f = NULL;
    assert_rc(disk_open(d, path, mode, &f), RC_OK);
    return f;
}

static void put(struct disk *d, const char *path, const char *text)
{
    struct disk_file *f = file_of(d, path, DISK_APPEND);
    struct str s = str_c(text);
    assert_rc(disk_append(f, &s, 1), RC_OK);
    disk_file_close(f);
}

static void assert_holds(struct disk *d, const char *path, const char *text)
{
    struct buf b = {.max = 1 << 20};
    assert_rc(disk_read_whole(d, path, &b), RC_OK);
    assert_str(buf_str(&b), str_c(text));
    buf_done(&b);
}

static void what_is_appended_is_read_back(void **state)
{
    struct disk *d = disk_of(state);
    struct disk_file *f = file_of(d, "log", DISK_CREATE);
    struct str pieces[] = {STR("one "), STR(""), STR_NONE, STR("two "), STR("three")};
    uint64_t size;
    assert_rc(disk_append(f, pieces, 5), RC_OK);
    assert_rc(disk_append(f, pieces, 0), RC_OK);
    assert_rc(disk_size(f, &size), RC_OK);
    assert_int_equal(size, 13);
    disk_file_close(f);
    put(d, "log", " four");
    assert_holds(d, "log", "one two three four");
}

static void many_pieces_go_in_one_call(void **state)
{
    struct disk *d = disk_of(state);
    struct disk_file *f = file_of(d, "log", DISK_APPEND);
    enum { PIECES = 1000 };
    static struct str pieces[PIECES];
    static char text[PIECES][8];
    struct buf all = {.max = 1 << 20}, read = {.max = 1 << 20};
    for (int i = 0; i < PIECES; i++) {
        int n = snprintf(text[i], sizeof text[i], "%d,", i);
        pieces[i] = str_make(text[i], (size_t)n);
        buf_add(&all, pieces[i]);
    }
    assert_rc(disk_append(f, pieces, PIECES), RC_OK);
    disk_file_close(f);
    assert_rc(disk_read_whole(d, "log", &read), RC_OK);
    assert_str(buf_str(&read), buf_str(&all));
    buf_done(&all);
    buf_done(&read);
}

static void reading_stops_at_the_end(void **state)
{
    struct disk *d = disk_of(state);
    put(d, "log", "0123456789");
    struct disk_file *f = file_of(d, "log", DISK_READ);
    char to[20];
    size_t n = 99;
    assert_rc(disk_read(f, 3, to, 4, &n), RC_OK);
    assert_str(str_make(to, n), STR("3456"));
    assert_rc(disk_read(f, 7, to, sizeof to, &n), RC_OK);
    assert_str(str_make(to, n), STR("789"));
    assert_rc(disk_read(f, 10, to, sizeof to, &n), RC_OK);
    assert_int_equal(n, 0);
    assert_rc(disk_read(f, 1000, to, sizeof to, &n), RC_OK);
    assert_int_equal(n, 0);
    assert_rc(disk_read(f, UINT64_MAX, to, sizeof to, &n), RC_INVALID);
    disk_file_close(f);
}

static void a_file_opened_to_read_cannot_be_changed(void **state)
{
    struct disk *d = disk_of(state);
    put(d, "log", "x");
    struct disk_file *f = file_of(d, "log", DISK_READ);
    struct str s = STR("y");
    assert_rc(disk_append(f, &s, 1), RC_INVALID);
    assert_rc(disk_truncate(f, 0), RC_INVALID);
    disk_file_close(f);
    assert_holds(d, "log", "x");
}

static void opening_says_what_is_there(void **state)
{
    struct disk *d = disk_of(state);
    struct disk_file *f = NULL;
    assert_rc(disk_open(d, "none", DISK_READ, &f), RC_NOT_FOUND);
    assert_rc(disk_open(d, "none/none", DISK_APPEND, &f), RC_NOT_FOUND);
    put(d, "log", "x");
    assert_rc(disk_open(d, "log", DISK_CREATE, &f), RC_EXISTS);
    assert_rc(disk_open(d, "log/x", DISK_APPEND, &f), RC_INVALID);
    assert_rc(disk_mkdir(d, "folder"), RC_OK);
    assert_rc(disk_open(d, "folder", DISK_READ, &f), RC_INVALID);
    assert_rc(disk_open(d, "folder", DISK_APPEND, &f), RC_INVALID);
    assert_null(f);
}

static void paths_that_could_leave_the_root_are_refused(void **state)
{
    static const char *const rows[] = {"",       ".",     "..",   "/etc/passwd", "../x",
                                       "a/../x", "a/./x", "a//x", "a/",          "/"};
    struct disk *d = disk_of(state);
    struct disk_file *f = NULL;
    struct disk_lock *l = NULL;
    assert_rc(disk_mkdir(d, "a"), RC_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_rc(disk_open(d, rows[i], DISK_APPEND, &f), RC_INVALID);
        assert_rc(disk_unlink(d, rows[i]), RC_INVALID);
        assert_rc(disk_mkdir(d, rows[i]), RC_INVALID);
        assert_rc(disk_rename(d, "x", rows[i]), RC_INVALID);
        assert_rc(disk_rename(d, rows[i], "x"), RC_INVALID);
        assert_rc(disk_lock(d, rows[i], &l), RC_INVALID);
        if (rows[i][0])
            assert_rc(disk_dirsync(d, rows[i]), RC_INVALID);
    }
    char name[DISK_MAX_NAME_BYTES + 2] = {0};
    memset(name, 'n', sizeof name - 1);
    assert_rc(disk_open(d, name, DISK_APPEND, &f), RC_INVALID);
    name[DISK_MAX_NAME_BYTES] = '\0';
    disk_file_close(file_of(d, name, DISK_APPEND));
}

static void a_file_is_cut_and_grows_again(void **state)
{
    struct disk *d = disk_of(state);
    put(d, "log", "0123456789");
    struct disk_file *f = file_of(d, "log", DISK_APPEND);
    struct str s = STR("abc");
    assert_rc(disk_truncate(f, 11), RC_INVALID);
    assert_rc(disk_truncate(f, 10), RC_OK);
    assert_rc(disk_truncate(f, 4), RC_OK);
    assert_rc(disk_append(f, &s, 1), RC_OK);
    assert_rc(disk_sync(f), RC_OK);
    disk_file_close(f);
    assert_holds(d, "log", "0123abc");
}

static void a_rename_takes_the_place_of_a_file(void **state)
{
    struct disk *d = disk_of(state);
    put(d, "a", "new");
    put(d, "b", "old");
    struct disk_file *old = file_of(d, "b", DISK_READ);
    char to[8];
    size_t n;
    assert_rc(disk_rename(d, "a", "b"), RC_OK);
    assert_holds(d, "b", "new");
    assert_rc(disk_read(old, 0, to, sizeof to, &n), RC_OK);
    assert_str(str_make(to, n), STR("old"));
    disk_file_close(old);
    assert_rc(disk_rename(d, "a", "b"), RC_NOT_FOUND);
    assert_rc(disk_rename(d, "b", "b"), RC_OK);
    assert_holds(d, "b", "new");
}

static void a_rename_is_of_files_within_one_folder(void **state)
{
    struct disk *d = disk_of(state);
    put(d, "a", "x");
    assert_rc(disk_mkdir(d, "folder"), RC_OK);
    assert_rc(disk_rename(d, "a", "folder/a"), RC_UNSUPPORTED);
    assert_rc(disk_rename(d, "a", "folder"), RC_INVALID);
    assert_rc(disk_rename(d, "folder", "other"), RC_INVALID);
    put(d, "folder/a", "y");
    assert_rc(disk_rename(d, "folder/a", "folder/b"), RC_OK);
    assert_holds(d, "folder/b", "y");
}

static void a_removed_file_is_gone_and_stays_readable(void **state)
{
    struct disk *d = disk_of(state);
    put(d, "a", "text");
    struct disk_file *f = file_of(d, "a", DISK_APPEND), *none = NULL;
    char to[8];
    size_t n;
    assert_rc(disk_unlink(d, "a"), RC_OK);
    assert_rc(disk_unlink(d, "a"), RC_NOT_FOUND);
    assert_rc(disk_open(d, "a", DISK_READ, &none), RC_NOT_FOUND);
    assert_rc(disk_read(f, 0, to, sizeof to, &n), RC_OK);
    assert_str(str_make(to, n), STR("text"));
    assert_rc(disk_truncate(f, 0), RC_OK);
    assert_rc(disk_sync(f), RC_OK);
    disk_file_close(f);
    assert_rc(disk_mkdir(d, "folder"), RC_OK);
    assert_rc(disk_unlink(d, "folder"), RC_INVALID);
}

static void folders_are_made_once_and_need_a_parent(void **state)
{
    struct disk *d = disk_of(state);
    assert_rc(disk_mkdir(d, "a/b"), RC_NOT_FOUND);
    assert_rc(disk_mkdir(d, "a"), RC_OK);
    assert_rc(disk_mkdir(d, "a"), RC_EXISTS);
    assert_rc(disk_mkdir(d, "a/b"), RC_OK);
    put(d, "a/b/c", "deep");
    assert_holds(d, "a/b/c", "deep");
    assert_rc(disk_dirsync(d, ""), RC_OK);
    assert_rc(disk_dirsync(d, "a/b"), RC_OK);
    assert_rc(disk_dirsync(d, "none"), RC_NOT_FOUND);
    assert_rc(disk_dirsync(d, "a/b/c"), RC_INVALID);
    assert_rc(disk_dirsync(d, "a"), RC_OK);
    put(d, "file", "");
    assert_rc(disk_mkdir(d, "file"), RC_EXISTS);
    assert_rc(disk_mkdir(d, "file/x"), RC_INVALID);
}

static enum rc note_entry(void *ctx, struct str name, bool is_folder)
{
    buf_printf(ctx, STR_FMT "%s ", STR_ARG(name), is_folder ? "/" : "");
    return str_eq(name, STR("stop")) ? RC_CLOSED : RC_OK;
}

static void a_folder_is_listed_in_order(void **state)
{
    struct disk *d = disk_of(state);
    struct buf seen = {.max = 1000};
    assert_rc(disk_mkdir(d, "m"), RC_OK);
    static const char *const names[] = {"m/z", "m/b", "m/a", "m/B", "m/a.b", "other"};
    for (size_t i = 0; i < 6; i++)
        put(d, names[i], "");
    assert_rc(disk_mkdir(d, "m/a-"), RC_OK);
    put(d, "m/a-/inner", "");
    assert_rc(disk_list(d, "m", note_entry, &seen), RC_OK);
    assert_str(buf_str(&seen), STR("B a a-/ a.b b z "));
    buf_clear(&seen);
    assert_rc(disk_list(d, "", note_entry, &seen), RC_OK);
    assert_str(buf_str(&seen), STR("m/ other "));
    assert_rc(disk_list(d, "none", note_entry, &seen), RC_NOT_FOUND);
    assert_rc(disk_list(d, "other", note_entry, &seen), RC_INVALID);
    put(d, "m/stop", "");
    assert_rc(disk_list(d, "m", note_entry, &seen), RC_CLOSED);
    buf_done(&seen);
}

static void a_lock_is_held_by_one(void **state)
{
    struct disk *d = disk_of(state);
    struct disk_lock *first = NULL, *second = NULL, *other = NULL;
    assert_rc(disk_lock(d, "lock", &first), RC_OK);
    assert_rc(disk_lock(d, "lock", &second), RC_LOCKED);
    assert_null(second);
    assert_rc(disk_lock(d, "lock2", &other), RC_OK);
    disk_unlock(first);
    assert_rc(disk_lock(d, "lock", &second), RC_OK);
    disk_unlock(other);
    disk_unlock(second);
    disk_unlock(NULL);
}

static void replacing_leaves_the_new_bytes_alone(void **state)
{
    struct disk *d = disk_of(state);
    struct buf seen = {.max = 1000};
    put(d, "MANIFEST.new", "left behind by a crash");
    assert_rc(disk_replace(d, "MANIFEST", STR("one")), RC_OK);
    assert_rc(disk_replace(d, "MANIFEST", STR("two")), RC_OK);
    assert_holds(d, "MANIFEST", "two");
    assert_rc(disk_list(d, "", note_entry, &seen), RC_OK);
    assert_str(buf_str(&seen), STR("MANIFEST "));
    assert_rc(disk_replace(d, "none/MANIFEST", STR("x")), RC_NOT_FOUND);
    assert_rc(disk_mkdir(d, "a"), RC_OK);
    assert_rc(disk_replace(d, "a/MANIFEST", STR("in")), RC_OK);
    assert_holds(d, "a/MANIFEST", "in");
    buf_done(&seen);
}

static void a_whole_file_is_read_up_to_the_maximum(void **state)
{
    struct disk *d = disk_of(state);
    put(d, "a", "0123456789");
    struct buf exact = {.max = 10}, less = {.max = 9};
    assert_rc(disk_read_whole(d, "a", &exact), RC_OK);
    assert_int_equal(exact.n, 10);
    assert_rc(disk_read_whole(d, "a", &less), RC_LIMIT);
    assert_rc(disk_read_whole(d, "none", &less), RC_NOT_FOUND);
    buf_done(&exact);
    buf_done(&less);
}

static void a_file_is_measured_without_being_open(void **state)
{
    struct disk *d = disk_of(state);
    uint64_t bytes = 7;
    put(d, "a", "0123456789");
    assert_rc(disk_size_of(d, "none", &bytes), RC_NOT_FOUND);
    assert_int_equal(bytes, 7);
    assert_rc(disk_size_of(d, "a", &bytes), RC_OK);
    assert_int_equal(bytes, 10);
}

static void free_space_is_told(void **state)
{
    uint64_t bytes = 0;
    assert_rc(disk_free_bytes(disk_of(state), &bytes), RC_OK);
    assert_true(bytes > 0);
}

static enum rc use_everything(void *ctx)
{
    struct disk *d = ctx;
    struct disk_file *f = NULL;
    struct disk_lock *l = NULL;
    struct buf seen = {.max = 1 << 16};
    struct str s = STR("text");
    enum rc rc = disk_open(d, "every", DISK_APPEND, &f);
    if (rc == RC_OK)
        rc = disk_append(f, &s, 1);
    if (rc == RC_OK)
        rc = disk_truncate(f, 1);
    if (rc == RC_OK)
        rc = disk_sync(f);
    disk_file_close(f);
    if (rc == RC_OK)
        rc = disk_lock(d, "every", &l);
    if (rc == RC_OK)
        disk_unlock(l);
    if (rc == RC_OK)
        rc = disk_replace(d, "every2", s);
    if (rc == RC_OK)
        rc = disk_list(d, "", note_entry, &seen);
    if (rc == RC_OK)
        rc = disk_read_whole(d, "every2", &seen);
    if (rc == RC_OK)
        rc = disk_unlink(d, "every");
    if (rc == RC_OK)
        rc = disk_dirsync(d, "");
    buf_done(&seen);
    return rc;
}

static enum rc use_a_real_disk(void *ctx)
{
    struct disk *d;
    enum rc rc = disk_real_open(ctx, &d);
    if (rc)
        return rc;
    rc = use_everything(d);
    disk_close(d);
    return rc;
}

static enum rc use_a_crash_disk(void *ctx)
{
    (void)ctx;
    struct disk *d;
    enum rc rc = disk_crash_open(&d);
    if (rc)
        return rc;
    rc = use_everything(d);
    disk_close(d);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    struct world *w = *state;
    if (w->root[0])
        test_each_allocation_fails(use_a_real_disk, w->root);
    else
        test_each_allocation_fails(use_a_crash_disk, NULL);
}

/* What only the kernel's files can be asked. */

static void links_and_devices_are_not_followed(void **state)
{
    struct world *w = *state;
    struct disk_file *f = NULL;
    struct buf seen = {.max = 1000};
    int root = open(w->root, O_RDONLY | O_DIRECTORY);
    assert_int_equal(symlinkat("/etc/passwd", root, "file"), 0);
    assert_int_equal(symlinkat("/etc", root, "folder"), 0);
    assert_int_equal(mkfifoat(root, "fifo", 0600), 0);
    close(root);
    assert_rc(disk_open(w->disk, "file", DISK_READ, &f), RC_INVALID);
    assert_rc(disk_open(w->disk, "file", DISK_APPEND, &f), RC_INVALID);
    assert_rc(disk_open(w->disk, "folder/passwd", DISK_READ, &f), RC_INVALID);
    assert_rc(disk_open(w->disk, "fifo", DISK_READ, &f), RC_INVALID);
    assert_rc(disk_list(w->disk, "folder", note_entry, &seen), RC_INVALID);
    assert_rc(disk_list(w->disk, "", note_entry, &seen), RC_OK);
    assert_int_equal(seen.n, 0);
    buf_done(&seen);
}

/* The limit on a file's size makes the kernel write a part, then refuse. */
static void a_short_write_is_carried_on_until_the_kernel_refuses(void **state)
{
    struct world *w = *state;
    struct rlimit before, low;
    struct disk_file *f = file_of(w->disk, "log", DISK_APPEND);
    static char bytes[3000];
    struct str s = str_make(bytes, sizeof bytes);
    uint64_t size = 0;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    low = (struct rlimit){1000, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    enum rc rc = disk_append(f, &s, 1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_rc(rc, RC_LIMIT);
    assert_rc(disk_size(f, &size), RC_OK);
    assert_int_equal(size, 1000);
    disk_file_close(f);
}

static void a_lock_ends_with_a_process_that_is_killed(void **state)
{
    struct world *w = *state;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        struct disk_lock *l;
        char ok = disk_lock(w->disk, "lock", &l) == RC_OK ? 'y' : 'n';
        if (write(pipes[1], &ok, 1) == 1)
            pause();
        _exit(1);
    }
    char answer = 0;
    struct disk_lock *mine = NULL;
    assert_int_equal(read(pipes[0], &answer, 1), 1);
    assert_int_equal(answer, 'y');
    assert_rc(disk_lock(w->disk, "lock", &mine), RC_LOCKED);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_rc(disk_lock(w->disk, "lock", &mine), RC_OK);
    disk_unlock(mine);
    close(pipes[0]);
    close(pipes[1]);
}

static unsigned mode_of(struct world *w, const char *path)
{
    char whole[128];
    struct stat st = {0};
    snprintf(whole, sizeof whole, "%s/%s", w->root, path);
    assert_int_equal(stat(whole, &st), 0);
    return st.st_mode & 0777;
}

static void set_mode(struct world *w, const char *path, mode_t mode)
{
    char whole[128];
    snprintf(whole, sizeof whole, "%s/%s", w->root, path);
    assert_int_equal(chmod(whole, mode), 0);
}

static void a_private_folder_and_what_is_made_in_it_are_closed_to_others(void **state)
{
    struct world *w = *state;
    mode_t before = umask(022);
    assert_rc(disk_mkdir(w->disk, "open"), RC_OK);
    put(w->disk, "open/file", "x");
    assert_rc(disk_mkdir_private(w->disk, "private"), RC_OK);
    assert_rc(disk_mkdir(w->disk, "private/folder"), RC_OK);
    put(w->disk, "private/file", "x");
    put(w->disk, "private/folder/file", "x");
    umask(before);
    assert_int_equal(mode_of(w, "open"), 0755);
    assert_int_equal(mode_of(w, "open/file"), 0644);
    assert_int_equal(mode_of(w, "private"), 0700);
    assert_int_equal(mode_of(w, "private/file"), 0600);
    assert_int_equal(mode_of(w, "private/folder"), 0700);
    assert_int_equal(mode_of(w, "private/folder/file"), 0600);
}

static void a_folder_that_stood_open_is_closed_and_so_is_a_lock(void **state)
{
    struct world *w = *state;
    struct disk_lock *l = NULL;
    assert_rc(disk_mkdir(w->disk, "state"), RC_OK);
    put(w->disk, "state/LOCK", "");
    set_mode(w, "state", 0755);
    set_mode(w, "state/LOCK", 0644);
    assert_rc(disk_mkdir_private(w->disk, "state"), RC_OK);
    assert_rc(disk_lock(w->disk, "state/LOCK", &l), RC_OK);
    assert_int_equal(mode_of(w, "state"), 0700);
    assert_int_equal(mode_of(w, "state/LOCK"), 0600);
    disk_unlock(l);
}

static void the_holder_of_a_lock_is_named(void **state)
{
    struct world *w = *state;
    struct disk_lock *l = NULL;
    char room[200], expected[200];
    struct buf out = buf_on(room, sizeof room);
    assert_rc(disk_lock(w->disk, "lock", &l), RC_OK);
    disk_lock_print(w->disk, "lock", &out);
    snprintf(expected, sizeof expected, "lock, held by process %ld", (long)getpid());
    assert_string_equal(buf_c(&out), expected);
    disk_unlock(l);
    buf_clear(&out);
    disk_lock_print(w->disk, "lock", &out);
    assert_string_equal(buf_c(&out), "lock");
}

static void the_root_is_made_if_only_it_is_missing(void **state)
{
    struct world *w = *state;
    struct disk *d = NULL;
    char path[128];
    snprintf(path, sizeof path, "%s/new", w->root);
    assert_rc(disk_real_open(path, &d), RC_OK);
    disk_close(d);
    d = NULL;
    snprintf(path, sizeof path, "%s/none/new", w->root);
    assert_rc(disk_real_open(path, &d), RC_NOT_FOUND);
    put(w->disk, "file", "x");
    snprintf(path, sizeof path, "%s/file", w->root);
    assert_rc(disk_real_open(path, &d), RC_INVALID);
    assert_null(d);
    disk_close(NULL);
}

/* Modes do not bind root, so the calls are made as another user. */
static void what_this_user_may_not_is_denied(void **state)
{
    struct world *w = *state;
    struct disk *d = NULL;
    struct disk_file *f = NULL;
    char path[128];
    bool is_root = geteuid() == 0;
    put(w->disk, "file", "x");
    assert_int_equal(chmod(w->root, 0555), 0);
    snprintf(path, sizeof path, "%s/closed", w->root);
    if (is_root)
        assert_int_equal(seteuid(65534), 0);
    enum rc made = disk_mkdir(w->disk, "closed");
    enum rc opened = disk_real_open(path, &d);
    enum rc written = disk_open(w->disk, "new", DISK_CREATE, &f);
    enum rc removed = disk_unlink(w->disk, "file");
    if (is_root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod(w->root, 0700), 0);
    assert_rc(made, RC_DENIED);
    assert_rc(opened, RC_DENIED);
    assert_rc(written, RC_DENIED);
    assert_rc(removed, RC_DENIED);
}

#define ON_BOTH(test)                                      \
    {"real: " #test, test, real_setup, teardown, NULL},    \
    {                                                      \
        "crash: " #test, test, crash_setup, teardown, NULL \
    }
#define ON_REAL(test)                                    \
    {                                                    \
        "real: " #test, test, real_setup, teardown, NULL \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH(what_is_appended_is_read_back),
        ON_BOTH(many_pieces_go_in_one_call),
        ON_BOTH(reading_stops_at_the_end),
        ON_BOTH(a_file_opened_to_read_cannot_be_changed),
        ON_BOTH(opening_says_what_is_there),
        ON_BOTH(paths_that_could_leave_the_root_are_refused),
        ON_BOTH(a_file_is_cut_and_grows_again),
        ON_BOTH(a_rename_takes_the_place_of_a_file),
        ON_BOTH(a_rename_is_of_files_within_one_folder),
        ON_BOTH(a_removed_file_is_gone_and_stays_readable),
        ON_BOTH(folders_are_made_once_and_need_a_parent),
        ON_BOTH(a_folder_is_listed_in_order),
        ON_BOTH(a_lock_is_held_by_one),
        ON_BOTH(replacing_leaves_the_new_bytes_alone),
        ON_BOTH(a_whole_file_is_read_up_to_the_maximum),
        ON_BOTH(a_file_is_measured_without_being_open),
        ON_BOTH(free_space_is_told),
        ON_BOTH(every_allocation_may_fail),
        ON_REAL(links_and_devices_are_not_followed),
        ON_REAL(a_short_write_is_carried_on_until_the_kernel_refuses),
        ON_REAL(a_lock_ends_with_a_process_that_is_killed),
        ON_REAL(a_private_folder_and_what_is_made_in_it_are_closed_to_others),
        ON_REAL(a_folder_that_stood_open_is_closed_and_so_is_a_lock),
        ON_REAL(the_holder_of_a_lock_is_named),
        ON_REAL(the_root_is_made_if_only_it_is_missing),
        ON_REAL(what_this_user_may_not_is_denied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
