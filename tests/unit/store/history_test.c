/* SPDX-License-Identifier: Apache-2.0 */
/* The history on a real RocksDB in a folder of its own: what was flushed is there whatever happens
 * to the process, and its position never claims what is not. */
#include "store/history.h"

#include "lib/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A folder for one test --------------------------------------------------------------------- */

struct place {
    char root[64];
    char path[80];
};

static void place_make(struct place *p)
{
    (void)snprintf(p->root, sizeof p->root, "/tmp/history_test.XXXXXX");
    assert_non_null(mkdtemp(p->root));
    (void)snprintf(p->path, sizeof p->path, "%s/history", p->root);
}

/* Calls `each` with every file of the history, and its name. */
static void each_file(const char *folder, void (*each)(const char *path, const char *name))
{
    DIR *d = opendir(folder);
    const struct dirent *e;
    while (d && (e = readdir(d))) {
        char path[400];
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            each(path, e->d_name);
    }
    if (d)
        (void)closedir(d);
}

static void remove_file(const char *path, const char *name)
{
    (void)name;
    (void)unlink(path);
}

static void place_remove(struct place *p)
{
    each_file(p->path, remove_file);
    (void)rmdir(p->path);
    assert_int_equal(rmdir(p->root), 0);
}

/* Entry number i, always the same ------------------------------------------------------------ */

static uint64_t key_of(uint64_t i)
{
    return i * UINT64_C(0x9e3779b97f4a7c15);
}

static struct history_entry history_of(uint64_t i, char url[80])
{
    int n = snprintf(url, 80, "http://www.example.org/page/%llu", (unsigned long long)i);
    return (struct history_entry){
        .url = str_make(url, (size_t)n),
        .seed_path = STR("LL"),
        .code = 200,
        .bytes = i,
        .has_digest = true,
        .digest = {.kind = DIGEST_SHA1, .bytes = {(uint8_t)i}},
        .fetches = 1,
    };
}

static void put(struct history_batch *b, uint64_t i)
{
    char url[80];
    struct history_entry p = history_of(i, url);
    history_put(b, key_of(i), &p);
}

static bool is_there(struct history *h, uint64_t i)
{
    char url[80];
    struct history_entry expected = history_of(i, url), got;
    struct arena *arena = arena_open(4096, 1 << 20);
    enum rc rc = history_get(h, key_of(i), arena, &got);
    bool same = rc == RC_OK && str_eq(got.url, expected.url) && got.bytes == i;
    arena_close(arena);
    assert_true(same || rc == RC_NOT_FOUND);
    return same;
}

static struct history *open_it(const struct place *p)
{
    struct history *h = NULL;
    struct buf why = {.max = 4096};
    enum rc rc = history_open(p->path, HISTORY_USUAL_BYTES, &h, &why);
    if (rc)
        fail_msg("%s: %.*s", rc_text(rc), (int)why.n, why.p);
    buf_done(&why);
    return h;
}

/* Entries first..end-1, in batches of ten; the position is the number of entries. */
static void write_some(struct history *h, uint64_t first, uint64_t end)
{
    struct history_batch *b = history_batch_open();
    for (uint64_t i = first; i < end; i++) {
        put(b, i);
        if (i % 10 == 9 || i + 1 == end)
            assert_rc(history_write(h, b, i + 1), RC_OK);
    }
    history_batch_close(b);
}

/* Plain use ---------------------------------------------------------------------------------- */

static void a_new_one_is_empty(void **state)
{
    (void)state;
    struct place p;
    place_make(&p);
    struct history *h = open_it(&p);
    assert_int_equal(history_position(h), 0);
    assert_false(is_there(h, 1));
    history_close(h);
    place_remove(&p);
}

static void what_is_written_is_there_at_once_and_after_reopening(void **state)
{
    (void)state;
    struct place p;
    place_make(&p);
    struct history *h = open_it(&p);
    write_some(h, 0, 1000);
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(is_there(h, i));
    assert_false(is_there(h, 1000));
    assert_rc(history_flush(h), RC_OK);
    assert_true(history_bytes(h) > 1000);
    history_close(h);
    h = open_it(&p);
    assert_int_equal(history_position(h), 1000);
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(is_there(h, i));
    history_close(h);
    place_remove(&p);
}

static void a_cursor_comes_to_each_once(void **state)
{
    (void)state;
    struct place p;
    bool seen[1000] = {0};
    uint64_t key = 0, before = 0, count = 0;
    struct history_entry history;
    struct arena *arena = arena_open(4096, 1 << 20);
    place_make(&p);
    struct history *h = open_it(&p);
    struct history_cursor *c = history_cursor_open(h);
    assert_rc(history_cursor_next(c, arena, &key, &history), RC_NOT_FOUND);
    history_cursor_close(c);
    write_some(h, 0, 1000);
    c = history_cursor_open(h);
    write_some(h, 1000, 1100); /* too late for it */
    while (history_cursor_next(c, arena, &key, &history) == RC_OK) {
        assert_true(history.bytes < 1000 && !seen[history.bytes] && key == key_of(history.bytes));
        assert_true(!count || key > before);
        seen[history.bytes] = true;
        before = key;
        count++;
        arena_clear(arena);
    }
    assert_int_equal(count, 1000);
    assert_rc(history_cursor_next(c, arena, &key, &history), RC_NOT_FOUND);
    history_cursor_close(c);
    history_close(h);
    arena_close(arena);
    place_remove(&p);
}

static void the_last_put_of_a_url_counts(void **state)
{
    (void)state;
    struct place p;
    place_make(&p);
    struct history *h = open_it(&p);
    struct history_batch *b = history_batch_open();
    struct arena *arena = arena_open(4096, 1 << 20);
    struct history_entry got;
    for (uint32_t fetches = 1; fetches <= 3; fetches++) {
        history_put(b, 5, &(struct history_entry){.url = STR("http://a/"), .fetches = fetches});
        if (fetches != 2)
            assert_rc(history_write(h, b, fetches), RC_OK);
    }
    assert_rc(history_get(h, 5, arena, &got), RC_OK);
    assert_int_equal(got.fetches, 3);
    arena_close(arena);
    history_batch_close(b);
    history_close(h);
    place_remove(&p);
}

static void a_position_may_go_back_when_the_journal_was_cut(void **state)
{
    (void)state;
    struct place p;
    place_make(&p);
    struct history *h = open_it(&p);
    struct history_batch *b = history_batch_open();
    assert_rc(history_write(h, b, 500), RC_OK);
    assert_rc(history_write(h, b, 400), RC_OK);
    assert_int_equal(history_position(h), 400);
    history_close(h);
    h = open_it(&p);
    assert_int_equal(history_position(h), 400);
    history_batch_close(b);
    history_close(h);
    place_remove(&p);
}

static void a_past_that_is_too_long_fails_the_write_and_leaves_the_batch_empty(void **state)
{
    (void)state;
    struct place p;
    place_make(&p);
    struct history *h = open_it(&p);
    struct history_batch *b = history_batch_open();
    struct buf url = {.max = 4 << 20};
    buf_fill(&url, 'u', 3 << 20);
    put(b, 1);
    history_put(b, 7, &(struct history_entry){.url = buf_str(&url)});
    put(b, 2);
    assert_rc(history_write(h, b, 10), RC_LIMIT);
    assert_int_equal(history_position(h), 0);
    assert_false(is_there(h, 1));
    put(b, 3);
    assert_rc(history_write(h, b, 11), RC_OK);
    assert_true(is_there(h, 3));
    assert_false(is_there(h, 2));
    buf_done(&url);
    history_batch_close(b);
    history_close(h);
    place_remove(&p);
}

static void it_is_opened_once_only(void **state)
{
    (void)state;
    struct place p;
    place_make(&p);
    struct history *h = open_it(&p), *second = NULL;
    struct buf why = {.max = 4096};
    assert_rc(history_open(p.path, HISTORY_USUAL_BYTES, &second, &why), RC_LOCKED);
    assert_true(why.n > 0);
    buf_done(&why);
    history_close(h);
    place_remove(&p);
}

static void opened_to_read_it_tells_and_takes_nothing(void **state)
{
    (void)state;
    struct place p;
    place_make(&p);
    struct history *h = open_it(&p);
    write_some(h, 0, 50);
    history_close(h);
    struct buf why = {.max = 4096};
    struct history_batch *b = history_batch_open();
    assert_rc(history_open_read(p.path, &h, &why), RC_OK);
    assert_int_equal(history_position(h), 50);
    assert_true(is_there(h, 49));
    put(b, 60);
    assert_rc(history_write(h, b, 60), RC_UNSUPPORTED);
    assert_rc(history_flush(h), RC_UNSUPPORTED);
    history_close(h);
    history_batch_close(b);
    assert_rc(history_open_read("/tmp/there/is/no/such", &h, &why), RC_NOT_FOUND);
    assert_true(why.n > 0);
    buf_done(&why);
    place_remove(&p);
}

/* What the process left behind --------------------------------------------------------------- */

/* RocksDB's threads do not survive a fork, so the child is this program anew: it writes until it is
 * killed, flushing every 1,000 entries and saying so. */
static int be_the_child(const char *path)
{
    struct history *h;
    struct buf why = {.max = 4096};
    if (history_open(path, HISTORY_USUAL_BYTES, &h, &why))
        return 1;
    for (uint64_t i = 0;; i += 1000) {
        write_some(h, i, i + 1000);
        if (history_flush(h))
            return 1;
        uint64_t flushed = i + 1000;
        if (write(STDOUT_FILENO, &flushed, sizeof flushed) != sizeof flushed)
            return 1;
    }
}

/* How many entries the child had flushed for sure when it was killed. */
static uint64_t run_until_killed(const char *path, int rounds)
{
    int ends[2];
    uint64_t flushed = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)close(ends[0]);
        (void)execl("/proc/self/exe", "history_test", "child", path, (char *)NULL);
        _exit(1);
    }
    (void)close(ends[1]);
    for (int i = 0; i < rounds; i++)
        assert_int_equal(read(ends[0], &flushed, sizeof flushed), sizeof flushed);
    (void)usleep(2000); /* into the middle of the next round, or not: both are right */
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
    (void)close(ends[0]);
    return flushed;
}

static void whatever_kills_the_process_what_was_flushed_is_there(void **state)
{
    (void)state;
    if (TEST_IS_EMULATED)
        skip(); /* the kernel starts the program again without qemu */
    for (int rounds = 1; rounds <= 4; rounds++) {
        struct place p;
        place_make(&p);
        uint64_t flushed = run_until_killed(p.path, rounds);
        struct history *h = open_it(&p);
        uint64_t position = history_position(h);
        assert_true(position >= flushed);
        for (uint64_t i = 0; i < position; i++)
            assert_true(is_there(h, i));
        write_some(h, position, position + 10);
        assert_true(is_there(h, position + 9));
        history_close(h);
        place_remove(&p);
    }
}

/* Damage ------------------------------------------------------------------------------------- */

static void spoil(const char *path)
{
    char bytes[4096];
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    ssize_t n = pread(fd, bytes, sizeof bytes, 0);
    assert_true(n > 0);
    for (ssize_t i = 0; i < n; i++)
        bytes[i] = (char)(bytes[i] ^ 0x55);
    assert_int_equal(pwrite(fd, bytes, (size_t)n, 0), n);
    (void)close(fd);
}

static void spoil_manifest(const char *path, const char *name)
{
    if (strncmp(name, "MANIFEST", 8) == 0)
        spoil(path);
}

static void spoil_tables(const char *path, const char *name)
{
    if (strstr(name, ".sst"))
        spoil(path);
}

static void cut_tables(const char *path, const char *name)
{
    if (strstr(name, ".sst"))
        assert_int_equal(truncate(path, 100), 0);
}

static void remove_tables(const char *path, const char *name)
{
    if (strstr(name, ".sst"))
        assert_int_equal(unlink(path), 0);
}

static void remove_manifest(const char *path, const char *name)
{
    if (strncmp(name, "MANIFEST", 8) == 0)
        assert_int_equal(unlink(path), 0);
}

static void cut_manifest(const char *path, const char *name)
{
    if (strncmp(name, "MANIFEST", 8) == 0)
        assert_int_equal(truncate(path, 0), 0);
}

static void rename_current(const char *path, const char *name)
{
    int fd = strcmp(name, "CURRENT") == 0 ? open(path, O_WRONLY) : -1;
    if (fd < 0)
        return;
    assert_int_equal(pwrite(fd, "MANIFEST-900000\n", 16, 0), 16);
    (void)close(fd);
}

static void remove_current(const char *path, const char *name)
{
    if (strcmp(name, "CURRENT") == 0)
        assert_int_equal(unlink(path), 0);
}

/* Either it is not opened, or what is asked for is said to be damaged; nothing wrong is read. */
static enum rc open_and_read(const char *path, bool to_read)
{
    struct history *h = NULL;
    struct buf why = {.max = 4096};
    struct history_entry got;
    enum rc rc = to_read ? history_open_read(path, &h, &why)
                         : history_open(path, HISTORY_USUAL_BYTES, &h, &why);
    if (rc)
        assert_true(strstr(buf_c(&why), path));
    struct arena *arena = arena_open(4096, 1 << 20);
    for (uint64_t i = 0; i < 2000 && rc == RC_OK; i++)
        rc = history_get(h, key_of(i), arena, &got);
    arena_close(arena);
    history_close(h);
    buf_done(&why);
    return rc;
}

static void damaged_files_are_said_to_be_damaged(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*harm)(const char *path, const char *name);
    } rows[] = {
        {"a manifest of other bytes", spoil_manifest},
        {"tables of other bytes", spoil_tables},
        {"tables cut short", cut_tables},
        {"tables removed", remove_tables},
        {"CURRENT removed", remove_current},
        {"the manifest removed", remove_manifest},
        {"a manifest of 0 bytes", cut_manifest},
        {"CURRENT that names another manifest", rename_current},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct place p;
        place_make(&p);
        struct history *h = open_it(&p);
        write_some(h, 0, 2000);
        history_close(h);
        each_file(p.path, rows[i].harm);
        for (int to_read = 1; to_read >= 0; to_read--) {
            enum rc rc = open_and_read(p.path, to_read);
            if (rc != RC_CORRUPT)
                fail_msg("%s: %s", rows[i].name, rc_text(rc));
        }
        place_remove(&p);
    }
}

static void a_folder_that_cannot_be_made_is_a_failure_with_words(void **state)
{
    (void)state;
    struct history *h = NULL;
    struct buf why = {.max = 4096};
    enum rc rc = history_open("/dev/null/history", HISTORY_USUAL_BYTES, &h, &why);
    assert_true(rc == RC_IO || rc == RC_NOT_FOUND || rc == RC_INVALID);
    assert_true(why.n > 0);
    buf_done(&why);
}

/* Memory and threads ------------------------------------------------------------------------- */

static enum rc every_step(void *ctx)
{
    const struct place *p = ctx;
    struct history *h = NULL;
    struct buf why = {.max = 4096};
    struct history_entry got;
    enum rc rc = history_open(p->path, HISTORY_USUAL_BYTES, &h, &why);
    struct history_batch *b = rc ? NULL : history_batch_open();
    struct arena *arena = arena_open(256, 1 << 20);
    if (rc == RC_OK && (!b || !arena))
        rc = RC_NOMEM;
    if (rc == RC_OK) {
        put(b, 1);
        rc = history_write(h, b, 1);
    }
    rc = rc ? rc : history_get(h, key_of(1), arena, &got);
    arena_close(arena);
    history_batch_close(b);
    history_close(h);
    buf_done(&why);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct place p;
    place_make(&p);
    test_each_allocation_fails(every_step, &p);
    place_remove(&p);
}

struct reader {
    struct history *history;
    uint64_t seen;
};

/* Position first: whatever it claims must then be there. */
static void *read_many(void *arg)
{
    struct reader *r = arg;
    struct arena *arena = arena_open(4096, 1 << 20);
    struct history_entry got;
    while (r->seen < 20000) {
        uint64_t position = history_position(r->history);
        if (position && history_get(r->history, key_of(position - 1), arena, &got) != RC_OK)
            break;
        arena_clear(arena);
        r->seen = position;
    }
    arena_close(arena);
    return NULL;
}

static void others_read_while_one_writes(void **state)
{
    (void)state;
    struct place p;
    place_make(&p);
    struct history *h = open_it(&p);
    pthread_t threads[2];
    struct reader readers[2] = {{.history = h}, {.history = h}};
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_many, &readers[i]), 0);
    for (uint64_t i = 0; i < 20000; i += 1000) {
        write_some(h, i, i + 1000);
        if (i % 5000 == 0)
            assert_rc(history_flush(h), RC_OK);
    }
    for (int i = 0; i < 2; i++) {
        (void)pthread_join(threads[i], NULL);
        assert_int_equal(readers[i].seen, 20000);
    }
    history_close(h);
    place_remove(&p);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "child") == 0)
        return be_the_child(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_one_is_empty),
        cmocka_unit_test(what_is_written_is_there_at_once_and_after_reopening),
        cmocka_unit_test(a_cursor_comes_to_each_once),
        cmocka_unit_test(the_last_put_of_a_url_counts),
        cmocka_unit_test(a_position_may_go_back_when_the_journal_was_cut),
        cmocka_unit_test(a_past_that_is_too_long_fails_the_write_and_leaves_the_batch_empty),
        cmocka_unit_test(it_is_opened_once_only),
        cmocka_unit_test(opened_to_read_it_tells_and_takes_nothing),
        cmocka_unit_test(whatever_kills_the_process_what_was_flushed_is_there),
        cmocka_unit_test(damaged_files_are_said_to_be_damaged),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_a_failure_with_words),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(others_read_while_one_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
