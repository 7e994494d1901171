/* SPDX-License-Identifier: Apache-2.0 */
#include "damage_base.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "cluster/wire/records.h"
#include "ledger/batch.h"
#include "ledger/manifest.h"
#include "lib/test.h"
#include "store/journal_reading.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 300, MOST_STEPS = 5000 };

static const struct {
    const char *name;
    unsigned shards;
    bool is_tight, has_news;
    unsigned old_at, end_at; /* pages asked, for the older copy and for the end */
} kinds[BASES] = {
    [BASE_EARLY] = {"early", 1, false, false, 7, 16},
    [BASE_LATE] = {"late", 2, false, false, 12, 27},
    [BASE_SWAPPED] = {"swapped", 2, true, false, 12, 27},
    [BASE_DONE] = {"done", 1, false, false, 14, UINT32_MAX},
    [BASE_RECRAWL] = {"recrawl", 1, false, false, 9, 16},
    [BASE_AGENT] = {"agent", 2, false, true, 9, 24},
};

/* The ledger names its records by random numbers. Here they are always the same, so that a case can
 * be had again. */
ssize_t getrandom(void *to, size_t bytes, unsigned flags)
{
    static atomic_uint calls;
    (void)flags;
    memset(to, (int)(atomic_fetch_add(&calls, 1) & 0xff), bytes);
    return (ssize_t)bytes;
}

/* A crawl in a directory of the file system, in the child process. */
struct making {
    char now[PATH_BYTES], old[PATH_BYTES], history[PATH_BYTES + 20], written[PATH_BYTES + 20];
    enum base_kind kind;
    struct small_truth truth;
    struct small_crawl crawl;
    struct disk *disk;
};

static enum rc copy_now(struct making *m)
{
    struct tree t;
    bool good = tree_read(m->now, &t) && tree_write(&t, m->old);
    tree_done(&t);
    return good ? RC_OK : RC_IO;
}

/* A page that another agent has archived: a line of state/elsewhere. */
static enum rc tell_elsewhere(struct making *m)
{
    static char room[500];
    struct buf mine = buf_on(room, sizeof room);
    struct candidate c = small_candidate(SMALL_URLS - 1);
    struct record r = {.kind = RECORD_DONE,
                       .host_hash = c.host_hash,
                       .host = c.host,
                       .fingerprint = c.fingerprint,
                       .path = c.path,
                       .seed_path = c.seed_path,
                       .time_ms = 7,
                       .status = 200,
                       .where = STR("bee"),
                       .where_inc = 3};
    unsigned epoch, shard = frontier_bucket(c.host_hash) % m->crawl.shards;
    uint64_t batch;
    size_t fresh;
    record_batch_begin(&mine, &(struct record_batch){.is = BATCH_IS_RECORDS, .src = STR("t")});
    record_put(&mine, &r);
    struct ledger_news n = {.kept = LEDGER_NOT_SAID, .mine = buf_str(&mine)};
    enum rc rc = ledger_note_agent(m->crawl.ledger, STR("ant"), 1);
    rc = rc ? rc : ledger_tell(m->crawl.ledger, &n, &epoch, &batch);
    return rc ? rc : ledger_merge(m->crawl.ledger, shard, epoch, &r, 1, &fresh);
}

/* Until so many pages were asked, or nothing is left. Without images there are commits only. */
static enum rc go_on(struct making *m, unsigned pages, bool has_snapshot)
{
    bool more = true;
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < MOST_STEPS && more && m->crawl.pages < pages && rc == RC_OK; i++) {
        unsigned before = m->crawl.pages;
        rc = small_step(&m->crawl, has_snapshot, &more);
        if (rc == RC_OK && !has_snapshot && m->crawl.pages / 4 != before / 4)
            rc = ledger_sync(m->crawl.ledger);
    }
    return rc;
}

/* Some outcomes more that no commit vouches for. */
static enum rc go_on_unsynced(struct making *m)
{
    bool more = true;
    unsigned until = m->crawl.pages + 4;
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < MOST_STEPS && more && m->crawl.pages < until && rc == RC_OK; i++)
        rc = small_step(&m->crawl, false, &more);
    return rc;
}

static enum rc begin_anew(struct making *m)
{
    unsigned pages = m->crawl.pages;
    enum rc rc = ledger_sync(m->crawl.ledger);
    small_close(&m->crawl);
    rc = rc ? rc : small_open_anew(&m->crawl, m->disk, kinds[m->kind].shards, &m->truth);
    return rc ? rc : go_on(m, pages, true);
}

static enum rc crawl(struct making *m)
{
    bool has_snapshot = m->kind != BASE_EARLY;
    enum rc rc = disk_real_open(m->now, &m->disk);
    rc = rc ? rc : small_open(&m->crawl, m->disk, kinds[m->kind].shards, &m->truth);
    rc = rc ? rc : go_on(m, kinds[m->kind].old_at, has_snapshot);
    rc = rc ? rc : copy_now(m);
    if (rc == RC_OK && m->kind == BASE_AGENT)
        rc = tell_elsewhere(m);
    if (rc == RC_OK && m->kind == BASE_DONE)
        return small_finish(&m->crawl);
    rc = rc ? rc : go_on(m, kinds[m->kind].end_at, has_snapshot);
    if (rc == RC_OK && m->kind == BASE_RECRAWL)
        rc = begin_anew(m);
    return rc ? rc : go_on_unsynced(m);
}

/* The child's: it ends as it is to end. */
static void run(struct making *m)
{
    enum rc rc = crawl(m);
    if (rc) {
        (void)printf("# base %s: %s %s\n", kinds[m->kind].name, rc_text(rc), m->crawl.why);
        (void)fflush(stdout);
        _exit(1);
    }
    if (m->kind != BASE_DONE)
        (void)raise(SIGKILL);
    small_close(&m->crawl);
    _exit(0);
}

static bool run_child(struct making *m)
{
    int status = 0;
    (void)fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        run(m);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return false;
    return m->kind == BASE_DONE ? WIFEXITED(status) && WEXITSTATUS(status) == 0
                                : WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/* What the journal says ------------------------------------------------------------------------ */

static uint64_t start_of(const char *path)
{
    uint64_t start = 0;
    for (const char *p = strrchr(path, '/') + 1; *p; p++)
        start = start << 4 | (uint64_t)(ascii_hex(*p) & 15);
    return start;
}

static void read_segment(struct base *b, const struct tree_entry *e)
{
    struct str rest = buf_str(&e->bytes);
    uint64_t start = start_of(e->path), at = 0;
    while (rest.n >= JOURNAL_HEAD_BYTES && b->batch_count < BASE_MAX_BATCHES) {
        uint64_t position = get_le64(rest.p);
        struct str body = str_first(str_from(rest, JOURNAL_HEAD_BYTES), get_le32(rest.p + 8));
        if (position != start + at || journal_batch_hash(position, body) != get_le64(rest.p + 12))
            return;
        struct base_batch *batch = &b->batches[b->batch_count++];
        *batch = (struct base_batch){
            .offset = at, .bytes = JOURNAL_HEAD_BYTES + body.n, .position = position, .body = body};
        (void)snprintf(batch->file, sizeof batch->file, "%s", e->path);
        at += batch->bytes;
        rest = str_from(rest, batch->bytes);
    }
}

bool base_commit(const struct base *b, struct batch *ret)
{
    const char *why;
    return b->commit < b->batch_count && batch_read(b->batches[b->commit].body, ret, &why) == RC_OK;
}

static void read_commits(struct base *b)
{
    struct batch read;
    struct manifest m;
    struct str commit;
    const char *why;
    const struct tree_entry *e = tree_find(&b->now, "state/MANIFEST");
    b->commit = b->batch_count;
    if (e && manifest_read(buf_str(&e->bytes), &m, &commit) == RC_OK &&
        batch_read(commit, &read, &why) == RC_OK)
        b->durable = read.commit.position;
    for (size_t i = 0; i < b->batch_count; i++)
        if (batch_read(b->batches[i].body, &read, &why) == RC_OK && read.kind == BATCH_COMMIT &&
            read.commit.position >= b->durable) {
            b->commit = i;
            b->durable = read.commit.position;
        }
}

static void read_journal(struct base *b)
{
    for (size_t i = 0; i < b->now.count; i++)
        if (strncmp(b->now.entries[i].path, "state/journal/", 14) == 0)
            read_segment(b, &b->now.entries[i]);
    read_commits(b);
}

bool base_make(struct base *b, enum base_kind kind, const char *folder)
{
    static struct making m;
    memset(b, 0, sizeof *b);
    memset(&m, 0, sizeof m);
    b->kind = m.kind = kind;
    b->name = kinds[kind].name;
    b->shards = kinds[kind].shards;
    (void)snprintf(m.now, sizeof m.now, "%s/%s", folder, b->name);
    (void)snprintf(m.old, sizeof m.old, "%s/%s-old", folder, b->name);
    (void)snprintf(m.history, sizeof m.history, "%s/state/history", m.now);
    (void)snprintf(m.written, sizeof m.written, "%s/state/WRITTEN", m.now);
    m.truth = (struct small_truth){.is_tight = kinds[kind].is_tight,
                                   .has_news = kinds[kind].has_news,
                                   .boot = BASE_BOOT,
                                   .written_path = m.written,
                                   .history_path = m.history};
    if (!run_child(&m) || !tree_read(m.now, &b->now) || !tree_read(m.old, &b->old))
        return false;
    read_journal(b);
    tree_remove(m.now);
    tree_remove(m.old);
    return true;
}

void base_done(struct base *b)
{
    tree_done(&b->now);
    tree_done(&b->old);
}
