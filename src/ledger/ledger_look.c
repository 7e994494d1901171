/* SPDX-License-Identifier: Apache-2.0 */
/* In this order, each reading only:
 *
 *   1. what earlier processes claim (claims.h), and the MANIFEST: where the journal is read from
 *   2. the journal: the last commit, what is void, and the captures named behind the commit
 *   3. the archive: sealed files have their length, files that were left open have what the commit
 *      says, and the captures behind that are read
 *   4. the files of lines are as long as the commit says
 *   5. the history reaches as far as the snapshot; the snapshot itself, into the frontiers; a
 *      database of known URLs has what the snapshot relies on */
#include "ledger/ledger_look.h"

#include "base/mem.h"

enum rc recovery_read_batch(struct recovery *r, uint64_t position, struct str bytes,
                            struct batch *ret)
{
    const char *what;
    enum rc rc = batch_read(bytes, ret, &what);
    if (rc)
        buf_printf(r->why, LEDGER_JOURNAL ": the batch at %llu cannot be read: %s",
                   (unsigned long long)position, what);
    return rc;
}

/* 1 and 2: the MANIFEST and the journal
 * ---------------------------------------------------------------------------- */

static enum rc keep_commit(struct recovery *r, struct str bytes, const struct batch_commit *c)
{
    if (r->commit.n && c->position < r->said.position)
        return RC_OK;
    buf_clear(&r->commit);
    buf_add(&r->commit, bytes);
    r->said = *c;
    size_t kept = 0;
    for (size_t i = 0; i < r->named_count; i++)
        if (r->named[i].position >= c->position)
            r->named[kept++] = r->named[i];
    r->named_count = kept;
    return buf_rc(&r->commit);
}

/* A snapshot of the frontier counts once the MANIFEST names it, so a later one can only be missing.
 */
static enum rc compare_manifest(struct recovery *r, bool is_there)
{
    if (r->l->kept.generation >= r->claims.generation)
        return RC_OK;
    buf_printf(r->why, LEDGER_MANIFEST ": %s",
               is_there ? "it is older than the rest of the crawl" : "it is missing");
    return RC_CORRUPT;
}

static enum rc read_manifest(struct recovery *r)
{
    struct buf bytes = {.max = MANIFEST_MAX_BYTES};
    struct str commit;
    struct batch b;
    const char *what = NULL;
    enum rc rc = disk_read_whole(r->l->disk, LEDGER_MANIFEST, &bytes);
    bool there = rc != RC_NOT_FOUND;
    rc = rc ? rc : manifest_read(buf_str(&bytes), &r->l->kept, &commit);
    rc = rc ? rc : batch_read(commit, &b, &what);
    if (rc == RC_OK && b.kind != BATCH_COMMIT)
        rc = RC_CORRUPT;
    if (rc == RC_OK) {
        r->l->totals = b.commit.totals;
        rc = keep_commit(r, commit, &b.commit);
    }
    buf_done(&bytes);
    if (rc && there) {
        buf_printf(r->why, LEDGER_MANIFEST ": %s", rc_text(rc));
        return rc;
    }
    return compare_manifest(r, there);
}

enum rc recovery_add_void(struct recovery *r, uint64_t from, uint64_t to)
{
    while (r->named_count && r->named[r->named_count - 1].position >= from)
        r->named_count--;
    return stretches_add(&r->l->voids, from, to);
}

static enum rc add_named(struct recovery *r, uint64_t position, const struct batch_location *p)
{
    struct named_capture *list = mem_grow(r->named, r->named_count, &r->named_room, sizeof *list);
    if (!list)
        return RC_NOMEM;
    r->named = list;
    struct named_capture *n = &list[r->named_count++];
    n->position = position;
    n->offset = p->offset;
    n->bytes = p->bytes;
    n->file_bytes = (uint8_t)p->file.n;
    memcpy(n->file, p->file.p, p->file.n);
    return RC_OK;
}

static enum rc note(void *ctx, uint64_t position, struct str bytes)
{
    struct recovery *r = ctx;
    struct batch b;
    enum rc rc = recovery_read_batch(r, position, bytes, &b);
    if (rc)
        return rc;
    if (b.kind == BATCH_COMMIT)
        return keep_commit(r, bytes, &b.commit);
    if (b.kind == BATCH_VOID)
        return recovery_add_void(r, b.void_from, position);
    if (b.kind == BATCH_DROP)
        return drops_add(&r->drops, position, &b);
    bool behind = !r->commit.n || position >= r->said.position;
    return b.has_location && behind ? add_named(r, position, &b.location) : RC_OK;
}

/* A commit behind a gap says that what stood in the gap was durable. */
static enum rc note_behind(void *ctx, uint64_t position, struct str bytes)
{
    struct recovery *r = ctx;
    struct batch b;
    const char *what;
    (void)position;
    if (batch_read(bytes, &b, &what) == RC_OK && b.kind == BATCH_COMMIT &&
        b.commit.position > r->commit_behind)
        r->commit_behind = b.commit.position;
    return RC_OK;
}

/* Up to where nothing can be torn. What is in the kernel survives kill -9, so in the same boot
 * nothing is; and the version before this one made no claims. */
static bool may_be_torn(const struct recovery *r, uint64_t position)
{
    return r->claims.is_there && !r->claims.is_same_boot && position >= r->claims.position;
}

/* An unreadable last batch with nothing behind it is a torn tail. Of what the kernel had, only that
 * batch may be missing. Its head says how long it is. */
static bool reaches_written(const struct recovery *r)
{
    const struct journal_found *f = &r->found;
    uint64_t end = f->torn_end > f->end ? f->torn_end : f->end;
    return f->end >= r->claims.position && end >= r->claims.written;
}

static enum rc judge_journal(struct recovery *r)
{
    uint64_t end = r->found.end;
    bool has_more = r->found.behind && (!may_be_torn(r, end) || r->commit_behind > end);
    if (has_more)
        buf_printf(r->why,
                   LEDGER_JOURNAL ": the batch at %llu cannot be read, but %llu whole ones stand "
                                  "behind it",
                   (unsigned long long)end, (unsigned long long)r->found.behind);
    else if (!reaches_written(r))
        buf_printf(r->why, LEDGER_JOURNAL ": it ends at %llu, but was written up to %llu",
                   (unsigned long long)end, (unsigned long long)r->claims.written);
    return r->why->n ? RC_CORRUPT : RC_OK;
}

static enum rc look_at_journal(struct recovery *r)
{
    struct ledger *l = r->l;
    enum rc rc =
        journal_look(l->disk, LEDGER_JOURNAL, l->kept.position, note, note_behind, r, &r->found);
    if (rc && !r->why->n)
        buf_printf(r->why, LEDGER_JOURNAL ": %s",
                   rc == RC_CORRUPT ? "a part of it is missing" : rc_text(rc));
    return rc ? rc : judge_journal(r);
}

/* Whether this is a crawl at all -------------------------------------------------------------- */

/* A crawl that has begun has a version, and its journal a file. */
static enum rc find_remains(struct recovery *r, bool has_version)
{
    bool has_archive = false;
    enum rc rc = ledger_has_archive(r->l, &has_archive);
    if (rc)
        return rc;
    bool has_journal = r->found.segments > 0;
    bool has_begun = has_archive || r->claims.is_there || r->l->kept.generation;
    if (!has_journal && has_begun)
        buf_printf(r->why, LEDGER_JOURNAL ": it is missing, though the crawl has begun%s",
                   has_archive ? ": there are archive files" : "");
    else if (!has_version && (has_begun || has_journal))
        buf_add(r->why, STR("state/VERSION: it is missing, though the crawl has begun"));
    return r->why->n ? RC_CORRUPT : RC_OK;
}

/* `repair` was cut off: what it had made so far looks whole, and is not. */
static enum rc find_unfinished(struct recovery *r)
{
    struct disk_file *f = NULL;
    enum rc rc = disk_open(r->l->disk, LEDGER_REBUILDING, DISK_READ, &f);
    disk_file_close(f);
    if (rc == RC_OK)
        buf_add(r->why, STR(LEDGER_REBUILDING ": a repair of this directory was not finished"));
    return rc == RC_OK ? RC_CORRUPT : rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* 3: the archive ------------------------------------------------------------------------------ */

static enum rc trust_committed(struct recovery *r)
{
    struct batch b;
    const char *what;
    struct str name;
    uint64_t bytes;
    if (!r->commit.n)
        return RC_OK;
    enum rc rc = batch_read(buf_str(&r->commit), &b, &what);
    while (rc == RC_OK && batch_next_file(&b.files, &name, &bytes)) {
        rc = warc_recovery_trust(r->warc, name, bytes);
        if (rc == RC_CORRUPT)
            buf_printf(r->why,
                       LEDGER_ARCHIVE "/" STR_FMT ": it is missing, or shorter than the %llu bytes "
                                      "that were synced",
                       STR_ARG(name), (unsigned long long)bytes);
    }
    return rc;
}

static enum rc hold(struct recovery *r, const struct named_capture *n, bool *ret)
{
    return warc_recovery_name(r->warc, str_make(n->file, n->file_bytes), n->offset, n->bytes, ret);
}

/* Whether the capture's file is torn at its end, and the journal has no whole capture behind it:
 * then the file has lost these captures and no more. */
static enum rc is_torn_off(struct recovery *r, size_t from, bool *ret)
{
    enum rc rc = RC_OK;
    *ret = r->named[from].position >= r->claims.position;
    for (size_t i = from; i < r->named_count && rc == RC_OK && *ret; i++) {
        const struct named_capture *n = &r->named[i];
        rc = warc_recovery_is_short(r->warc, str_make(n->file, n->file_bytes), n->offset + n->bytes,
                                    ret);
    }
    return rc;
}

/* The first outcome behind the commit whose capture is not whole, if a crash can have torn it. */
static enum rc find_broken(struct recovery *r)
{
    enum rc rc = RC_OK;
    bool holds = true, is_torn = false;
    size_t i = 0;
    for (; i < r->named_count && rc == RC_OK && holds; i++)
        rc = hold(r, &r->named[i], &holds);
    if (rc || holds)
        return rc;
    const struct named_capture *n = &r->named[i - 1];
    r->broken = n->position;
    rc = is_torn_off(r, i - 1, &is_torn);
    if (rc || is_torn || may_be_torn(r, n->position) || !r->claims.is_there)
        return rc;
    buf_printf(r->why,
               LEDGER_ARCHIVE "/%.*s: the capture at %llu cannot be read, though it was written",
               (int)n->file_bytes, n->file, (unsigned long long)n->offset);
    return RC_CORRUPT;
}

struct comparing {
    struct buf *why;
    uint64_t files;
};

static enum rc tell_changed(void *ctx, struct str name, uint64_t bytes, uint64_t there)
{
    struct comparing *c = ctx;
    if (c->files++ == 0 && there)
        buf_printf(c->why, LEDGER_ARCHIVE "/" STR_FMT ": it has %llu bytes instead of %llu",
                   STR_ARG(name), (unsigned long long)there, (unsigned long long)bytes);
    else if (c->files == 1)
        buf_printf(c->why, LEDGER_ARCHIVE "/" STR_FMT ": it is missing (%llu bytes)", STR_ARG(name),
                   (unsigned long long)bytes);
    return RC_OK;
}

/* A line is durable before its file gets its last name, so the list can only be older. */
static enum rc tell_unknown(void *ctx, struct str name, uint64_t bytes, uint64_t there)
{
    struct comparing *c = ctx;
    (void)bytes;
    (void)there;
    if (c->files++ == 0)
        buf_printf(c->why,
                   "state/sealed: it does not have " LEDGER_ARCHIVE "/" STR_FMT
                   ": state/ is older than the archive",
                   STR_ARG(name));
    return RC_OK;
}

static enum rc compare_sealed(struct recovery *r)
{
    struct sealed *s = NULL;
    struct comparing c = {.why = r->why};
    enum rc rc = sealed_open(r->l->disk, LEDGER_ARCHIVE, false, &s);
    if (rc == RC_OK && !r->l->settings.accepts_lost)
        rc = sealed_compare(s, r->sent, tell_changed, &c);
    if (rc == RC_OK && r->claims.is_there && !c.files)
        rc = sealed_find_unknown(s, tell_unknown, &c);
    sealed_close(s);
    if (c.files > 1)
        buf_printf(r->why, ", and %llu more archive files", (unsigned long long)c.files - 1);
    return rc ? rc : c.files ? RC_CORRUPT : RC_OK;
}

static enum rc look_at_archive(struct recovery *r)
{
    enum rc rc = sent_open(r->l->disk, false, &r->sent);
    rc = rc ? rc : warc_recovery_open(r->l->disk, LEDGER_ARCHIVE, r->sent, &r->warc);
    rc = rc ? rc : compare_sealed(r);
    rc = rc ? rc : trust_committed(r);
    rc = rc ? rc : find_broken(r);
    if (rc && !r->why->n)
        buf_printf(r->why, LEDGER_ARCHIVE ": %s", rc_text(rc));
    return rc;
}

/* 5: the history, and the snapshot ---------------------------------------------------------------
 */

/* What the journal no longer has is in the history; and that never knows more than the journal. */
static enum rc judge_history(struct recovery *r, bool is_there, uint64_t position)
{
    if (!r->claims.has_history)
        return RC_OK;
    if (!is_there)
        buf_add(r->why, STR("state/history: it is missing"));
    else if (position < r->l->kept.position)
        buf_add(r->why, STR("state/history: it is older than the rest of the crawl"));
    else if (position > r->found.end)
        buf_printf(r->why, LEDGER_JOURNAL ": it ends at %llu, but state/history knows %llu",
                   (unsigned long long)r->found.end, (unsigned long long)position);
    return r->why->n ? RC_CORRUPT : RC_OK;
}

static enum rc look_at_history(struct recovery *r)
{
    uint64_t position = 0;
    const char *path = r->l->settings.history_path;
    enum rc rc = path ? history_look(path, &position, r->why) : RC_NOT_FOUND;
    if (rc == RC_NOT_FOUND)
        buf_clear(r->why);
    if (!path || (rc && rc != RC_NOT_FOUND))
        return path ? rc : RC_OK;
    return judge_history(r, rc == RC_OK, position);
}

/* Without limits: what was once admitted must be admitted again, in whatever order. Only memory has
 * its budget. */
static enum rc open_frontiers(struct ledger *l)
{
    struct frontier_settings none = l->settings.frontier;
    none.max_hosts = none.max_host_queue = UINT32_MAX;
    none.max_host_queue_bytes = 0;
    none.replays = true;
    for (unsigned i = 0; i < l->settings.shards; i++) {
        l->shards[i].frontier = frontier_open(&none, i, l->settings.shards);
        if (!l->shards[i].frontier)
            return RC_NOMEM;
    }
    return RC_OK;
}

static enum rc pass_over(void *ctx, uint64_t position, struct str bytes)
{
    (void)ctx;
    (void)position;
    (void)bytes;
    return RC_OK;
}

/* What other agents still have to hear stands before the snapshot's position. */
static enum rc look_at_outbox(struct recovery *r)
{
    struct ledger *l = r->l;
    struct journal_found found = {0};
    if (l->agent.outbox_kept >= l->kept.position)
        return RC_OK;
    enum rc rc =
        journal_look(l->disk, LEDGER_JOURNAL, l->agent.outbox_kept, pass_over, NULL, r, &found);
    if (rc == RC_OK && found.end < r->found.end)
        rc = RC_CORRUPT;
    if (rc)
        buf_printf(r->why, LEDGER_JOURNAL ": the batch at %llu cannot be read: %s",
                   (unsigned long long)found.end, rc_text(rc));
    return rc;
}

static enum rc look_at_snapshot(struct recovery *r)
{
    struct ledger *l = r->l;
    enum rc rc = open_frontiers(l);
    rc = rc ? rc : swap_begin(l);
    rc = rc ? rc : snapshot_load(l, r->why);
    return rc ? rc : look_at_outbox(r);
}

/* All of it ------------------------------------------------------------------------------------ */

/* Nothing is known of what there is: it is taken as it is. */
static enum rc look_to_rebuild(struct recovery *r)
{
    struct ledger *l = r->l;
    enum rc rc = sent_open(l->disk, false, &r->sent);
    rc = rc ? rc : warc_recovery_open(l->disk, LEDGER_ARCHIVE, r->sent, &r->warc);
    rc = rc ? rc : ledger_measure_lines(l, r->said.lengths, r->why);
    rc = rc ? rc : seen_look(l, false, r->why);
    rc = rc ? rc : open_frontiers(l);
    rc = rc ? rc : swap_begin(l);
    return rc ? rc : ledger_open_history(l, r->why);
}

static enum rc look_at_all(struct recovery *r)
{
    struct ledger *l = r->l;
    bool has_version = false;
    enum rc rc = ledger_check_version(l, &has_version, r->why);
    rc = rc ? rc : find_unfinished(r);
    rc = rc ? rc : claims_read(l->disk, l->settings.written_path, l->settings.boot, &r->claims);
    rc = rc ? rc : read_manifest(r);
    rc = rc ? rc : ledger_check_mark(l, r->claims.recrawl, r->why);
    rc = rc ? rc : look_at_journal(r);
    rc = rc ? rc : find_remains(r, has_version);
    rc = rc ? rc : look_at_archive(r);
    rc = rc ? rc : ledger_check_lines(l, r->said.lengths, r->why);
    rc = rc ? rc : look_at_history(r);
    rc = rc ? rc : seen_look(l, l->kept.generation || r->found.segments, r->why);
    rc = rc ? rc : look_at_snapshot(r);
    return rc ? rc : seen_check(l, r->why);
}

enum rc ledger_look(struct recovery *r)
{
    if (r->l->settings.rebuilds)
        return look_to_rebuild(r);
    enum rc rc = look_at_all(r);
    return rc || r->only_looks ? rc : ledger_open_history(r->l, r->why);
}

void recovery_init(struct recovery *r, struct ledger *l, struct ledger_report *report,
                   struct buf *why)
{
    *r = (struct recovery){.l = l,
                           .report = report,
                           .why = why,
                           .broken = UINT64_MAX,
                           .new_void = UINT64_MAX,
                           .now_ms = clock_now_ms(l->settings.clock),
                           .wall_ms = clock_wall_ms(l->settings.clock)};
    buf_init(&r->commit, MANIFEST_MAX_BYTES);
}

void recovery_done(struct recovery *r)
{
    warc_recovery_close(r->warc);
    sent_close(r->sent);
    buf_done(&r->commit);
    drops_done(&r->drops);
    mem_free(r->named);
}
