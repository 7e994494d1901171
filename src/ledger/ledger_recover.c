/* SPDX-License-Identifier: Apache-2.0 */
/* What a crash left, made whole. ledger_look.c has read everything and found that only a crash can
 * have left it so; from here on files change:
 *
 *   1. the journal is cut behind its last whole batch
 *   2. if a capture behind the last sync is torn, everything from its outcome on is void; that is
 *      journalled and synced before the archive is cut
 *   3. archives are cut, and sealed
 *   4. the journal is read a second time, on top of the snapshot: everything is done again
 *
 * A crash anywhere in here leaves what the next time reads the same way. */
#include "ledger/host_records.h"
#include "ledger/ledger_look.h"

#include "frontier/redo.h"

enum { HISTORY_WRITE_EVERY = 1000 };

/* 1 to 3 -------------------------------------------------------------------------------------- */

static enum rc ignore(void *ctx, uint64_t position, struct str bytes)
{
    (void)ctx;
    (void)position;
    (void)bytes;
    return RC_OK;
}

static enum rc open_journal(struct recovery *r, uint64_t from, journal_each *each)
{
    struct ledger *l = r->l;
    enum rc rc =
        journal_open(l->disk, LEDGER_JOURNAL, &l->settings.journal, from, each, r, &l->journal);
    if (rc && !r->why->n)
        buf_printf(r->why, LEDGER_JOURNAL ": %s", rc_text(rc));
    return rc;
}

static enum rc journal_void(struct recovery *r, uint64_t from)
{
    char room[16];
    struct buf batch = buf_on(room, sizeof room);
    uint64_t position = 0;
    batch_put_void(&batch, from);
    struct str bytes = buf_str(&batch);
    enum rc rc = journal_add(r->l->journal, &bytes, 1, &position);
    rc = rc ? rc : journal_sync(r->l->journal);
    r->new_void = from;
    return rc ? rc : recovery_add_void(r, from, position);
}

static void say_cut(void *ctx, const char *file, uint64_t bytes, const char *saved)
{
    const struct recovery *r = ctx;
    log_warn(r->l->settings.log, "archive.cut", LOG_C("file", file), LOG_U64("bytes", bytes),
             LOG_C("saved", saved ? saved : "no"));
}

static enum rc mend_archive(struct recovery *r)
{
    struct warc_recovery_report report = {0};
    struct warc_recovery_ends ends = {
        .sealed = r->l->sealed, .aside = LEDGER_CUT, .cut = say_cut, .ctx = r};
    enum rc rc = warc_recovery_finish(r->warc, &ends, &report);
    r->report->cut_bytes += report.cut_bytes;
    if (rc)
        buf_printf(r->why, LEDGER_ARCHIVE ": %s", rc_text(rc));
    return rc;
}

/* The list of sealed files, for writing; files of an earlier version are added to it. */
static enum rc open_sealed(struct recovery *r)
{
    struct ledger *l = r->l;
    enum rc rc = sealed_open(l->disk, LEDGER_ARCHIVE, true, &l->sealed);
    rc = rc ? rc : sealed_adopt(l->sealed);
    if (rc == RC_OK && l->settings.accepts_lost)
        rc = sealed_accept(l->sealed, r->sent);
    if (rc)
        buf_printf(r->why, "state/sealed: %s", rc_text(rc));
    return rc;
}

static enum rc mend(struct recovery *r)
{
    struct ledger *l = r->l;
    enum rc rc = open_journal(r, r->found.end, ignore);
    if (rc == RC_OK && r->broken != UINT64_MAX)
        rc = journal_void(r, r->broken);
    journal_close(l->journal);
    l->journal = NULL;
    rc = rc ? rc : open_sealed(r);
    return rc ? rc : mend_archive(r);
}

/* 4: doing again ------------------------------------------------------------------------------ */

static bool is_void(const void *ctx, uint64_t position)
{
    const struct recovery *r = ctx;
    return stretches_have(&r->l->voids, position);
}

static struct frontier *frontier_of(struct ledger *l, uint64_t host_hash)
{
    return l->shards[frontier_bucket(host_hash) % l->settings.shards].frontier;
}

/* By this process's clock, and never far away: the wall clock may have jumped. */
static uint64_t due_of(const struct recovery *r, uint64_t wall_ms)
{
    if (wall_ms <= r->wall_ms)
        return 0;
    uint64_t wait = wall_ms - r->wall_ms, most = r->l->settings.most_wait_ms;
    return r->now_ms + (wait < most ? wait : most);
}

static enum rc redo_url(struct recovery *r, const struct batch_url *u)
{
    struct frontier *f = frontier_of(r->l, u->host_hash);
    struct redo redo = {.host_hash = u->host_hash,
                        .host = u->host,
                        .path = u->path,
                        .sequence = u->sequence,
                        .port = u->port,
                        .is_https = u->is_https,
                        .class = u->class,
                        .how = u->how,
                        .due_ms = due_of(r, u->due_wall_ms)};
    if (frontier_is_swapped(f, u->host_hash))
        return frontier_redo_later(f, &redo, u->record, u->due_wall_ms);
    struct host *h = frontier_host(f, u->host_hash, u->host);
    if (h && u->record.n) {
        struct host_record *c = host_record_of(h);
        enum rc rc = c ? host_record_read(c, u->record) : RC_NOMEM;
        if (rc)
            return rc;
        frontier_extra_bytes(f, h, host_record_bytes(c));
    }
    frontier_redo(f, &redo);
    return RC_OK;
}

static enum rc redo_links(struct recovery *r, uint64_t position, struct str links)
{
    struct candidate c;
    enum admitted what;
    size_t done;
    bool is_foreign;
    enum rc rc = RC_OK;
    while (rc == RC_OK && batch_next_link(&links, &c, &is_foreign)) {
        if (is_foreign || drops_has(&r->drops, position, c.fingerprint))
            continue;
        rc = frontier_admit(frontier_of(r->l, c.host_hash), &c, 1, r->now_ms, &what, &done);
        ledger_tell_link(r->l, position, &c);
    }
    return rc;
}

static enum rc redo_lines(struct recovery *r, struct str lines)
{
    struct ledger_line line;
    enum rc rc = RC_OK;
    while (rc == RC_OK && batch_next_line(&lines, &line))
        rc = line_file_add(r->l->files[line.file], line.text);
    return rc;
}

static enum rc write_history(struct recovery *r, uint64_t position)
{
    enum rc rc = history_write(r->l->history, r->l->batch, position);
    if (rc && !r->why->n)
        buf_printf(r->why, "state/history: %s", rc_text(rc));
    return rc;
}

static enum rc redo_history(struct recovery *r, const struct batch *b, uint64_t position,
                            uint64_t behind)
{
    if (!r->l->history || !b->has_history || position < r->history_from)
        return RC_OK;
    history_put(r->l->batch, b->fingerprint, &b->history);
    if (++r->history_puts % HISTORY_WRITE_EVERY)
        return RC_OK;
    return write_history(r, behind);
}

static enum rc redo_outcome(struct recovery *r, uint64_t position, const struct batch *b)
{
    r->l->totals = b->totals;
    enum rc rc = b->has_url ? redo_url(r, &b->url) : RC_OK;
    return rc ? rc : redo_links(r, position, b->links);
}

static enum rc redo(void *ctx, uint64_t position, struct str bytes)
{
    struct recovery *r = ctx;
    struct batch b;
    enum rc rc = recovery_read_batch(r, position, bytes, &b);
    if (rc || (b.kind != BATCH_OUTCOME && b.kind != BATCH_NEWS))
        return rc;
    if (stretches_have(&r->l->voids, position)) {
        r->report->dropped += position >= r->new_void;
        return RC_OK;
    }
    r->outcomes++;
    r->report->batches++;
    rc = b.kind == BATCH_NEWS ? news_redo(r->l, position, &b.news, &r->drops)
                              : redo_outcome(r, position, &b);
    for (unsigned i = 0; i < r->l->settings.shards && rc == RC_OK; i++)
        rc = swap_fit(r->l, i);
    if (rc == RC_OK && (!r->commit.n || position >= r->said.position))
        rc = b.kind == BATCH_NEWS ? news_lines(r->l, &b.news) : redo_lines(r, b.lines);
    rc = rc ? rc : redo_history(r, &b, position, position + JOURNAL_HEAD_BYTES + bytes.n);
    if (rc && !r->why->n)
        buf_printf(r->why, LEDGER_JOURNAL ": cannot replay the batch at %llu: %s",
                   (unsigned long long)position, rc_text(rc));
    return rc;
}

struct holding {
    const struct recovery *recovery;
    struct frontier *frontier;
};

/* What was open when the process ended may have been answered a moment ago. Swapped buckets do
 * the same when they are loaded (ledger_snapshot_context). */
static void hold(void *ctx, const struct host *h)
{
    const struct holding *to = ctx;
    const struct ledger_settings *s = &to->recovery->l->settings;
    const struct host_record *c = host_record_if(h);
    uint64_t delay_ms = pace_delay_ms(&s->pace, c ? host_record_delay_ms(c) : 0);
    if (delay_ms > s->pace.delay_ms)
        frontier_hold(to->frontier, frontier_host(to->frontier, host_hash(h), host_name(h)),
                      to->recovery->now_ms + s->restart_wait_ms + delay_ms);
}

static void limit_frontiers(struct recovery *r)
{
    struct ledger *l = r->l;
    for (unsigned i = 0; i < l->settings.shards; i++) {
        frontier_limit(l->shards[i].frontier, &l->settings.frontier);
        frontier_hold_all(l->shards[i].frontier,
                          r->now_ms + l->settings.restart_wait_ms + l->settings.pace.delay_ms);
        struct holding to = {r, l->shards[i].frontier};
        frontier_each_host(to.frontier, hold, &to);
    }
}

static enum rc do_again(struct recovery *r)
{
    struct ledger *l = r->l;
    enum rc rc = swap_cut(l);
    rc = rc ? rc : snapshot_remove_others(l);
    rc = rc ? rc : swap_clean(l);
    rc = rc ? rc : ledger_open_lines(l, r->said.lengths, r->report, r->why);
    if (rc == RC_OK && l->history)
        l->history_from = r->history_from = history_position(l->history);
    l->unsynced_from = r->commit.n ? r->said.position : 0;
    rc = rc ? rc : open_journal(r, l->kept.position, redo);
    if (rc == RC_OK && l->history)
        rc = write_history(r, journal_end(l->journal));
    rc = rc ? rc : outbox_find_voids(l);
    if (rc)
        return rc;
    l->durable = l->agent.for_others = journal_end(l->journal);
    limit_frontiers(r);
    l->is_resumed = true;
    l->elapsed_before_ms = r->said.elapsed_ms;
    r->report->is_new = !r->outcomes && !l->kept.generation;
    return RC_OK;
}

static enum rc recover(struct recovery *r, struct buf *why)
{
    struct ledger *l = r->l;
    enum rc rc = ledger_look(r);
    if (rc)
        return rc;
    rc = ledger_make_folders(l, why);
    rc = rc ? rc : ledger_write_version(l, why);
    rc = rc ? rc : seen_open(l, why);
    rc = rc ? rc : mend(r);
    drops_sort(&r->drops, is_void, r);
    return rc ? rc : do_again(r);
}

enum rc ledger_recover(struct ledger *l, struct ledger_report *report, struct buf *why)
{
    struct recovery r;
    recovery_init(&r, l, report, why);
    enum rc rc = recover(&r, why);
    recovery_done(&r);
    return rc;
}
