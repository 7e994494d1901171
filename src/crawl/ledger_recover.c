/* SPDX-License-Identifier: Apache-2.0 */
/* What a crash left, made whole:
 *
 *   1. the MANIFEST: where the journal is read from, and a commit
 *   2. the journal a first time: the last commit, what is void, and the captures named behind it
 *   3. the archive: the first capture that is not whole makes everything from its outcome on void;
 *      that is journalled and synced before the archive is cut
 *   4. the image, and the journal a second time: everything is done again
 *
 * A crash anywhere in here leaves what the next time reads the same way. */
#include "crawl/ledger_inside.h"

#include "archive/recover.h"
#include "base/mem.h"
#include "frontier/redo.h"

enum { HISTORY_WRITE_EVERY = 1000 };

struct named { /* a capture behind the last commit */
    uint64_t position;
    uint64_t offset, bytes;
    uint8_t file_bytes;
    char file[UINT8_MAX];
};

struct recovery {
    struct ledger *l;
    struct ledger_report *report;
    struct buf *why;
    struct buf commit; /* bytes of the last one; empty: there is none */
    struct batch_commit said;
    struct named *named;
    size_t named_count, named_room;
    struct drops drops;
    uint64_t new_void; /* where this recovery's own begins; UINT64_MAX: there is none */
    uint64_t outcomes; /* that hold */
    uint64_t history_from, history_puts;
    uint64_t now_ms, wall_ms;
};

/* Room for one more in a list; NULL without memory. */
static void *grow(void *list, size_t count, size_t *room, size_t each)
{
    if (count < *room)
        return list;
    size_t more = *room ? *room * 2 : 16;
    void *bigger = mem_resize(list, more * each);
    if (bigger)
        *room = more;
    return bigger;
}

static enum rc read_batch(struct recovery *r, uint64_t position, struct str bytes,
                          struct batch *ret)
{
    const char *what;
    enum rc rc = batch_read(bytes, ret, &what);
    if (rc)
        buf_printf(r->why, LEDGER_JOURNAL ": the batch at %llu cannot be read: %s",
                   (unsigned long long)position, what);
    return rc;
}

/* 1 and 2: looking ---------------------------------------------------------------------------- */

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
    if (rc && there)
        buf_printf(r->why, LEDGER_MANIFEST ": %s", rc_text(rc));
    return there ? rc : RC_OK;
}

static enum rc add_void(struct recovery *r, uint64_t from, uint64_t to)
{
    while (r->named_count && r->named[r->named_count - 1].position >= from)
        r->named_count--;
    return stretches_add(&r->l->voids, from, to);
}

static enum rc add_named(struct recovery *r, uint64_t position, const struct batch_place *p)
{
    struct named *list = grow(r->named, r->named_count, &r->named_room, sizeof *list);
    if (!list)
        return RC_NOMEM;
    r->named = list;
    struct named *n = &list[r->named_count++];
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
    enum rc rc = read_batch(r, position, bytes, &b);
    if (rc)
        return rc;
    if (b.kind == BATCH_COMMIT)
        return keep_commit(r, bytes, &b.commit);
    if (b.kind == BATCH_VOID)
        return add_void(r, b.void_from, position);
    if (b.kind == BATCH_DROP)
        return drops_add(&r->drops, position, &b);
    bool behind = !r->commit.n || position >= r->said.position;
    return b.has_place && behind ? add_named(r, position, &b.place) : RC_OK;
}

static enum rc open_journal(struct recovery *r, journal_each *each)
{
    struct ledger *l = r->l;
    enum rc rc = journal_open(l->disk, LEDGER_JOURNAL, &l->settings.journal, l->kept.position, each,
                              r, &l->journal);
    if (rc && !r->why->n)
        buf_printf(r->why, LEDGER_JOURNAL ": %s", rc_text(rc));
    return rc;
}

/* 3: the archive ------------------------------------------------------------------------------ */

static enum rc trust_committed(struct recovery *r, struct warc_recovery *w)
{
    struct batch b;
    const char *what;
    struct str name;
    uint64_t bytes;
    if (!r->commit.n)
        return RC_OK;
    enum rc rc = batch_read(buf_str(&r->commit), &b, &what);
    while (rc == RC_OK && batch_next_file(&b.files, &name, &bytes)) {
        rc = warc_recovery_trust(w, name, bytes);
        if (rc == RC_CORRUPT)
            buf_printf(r->why, LEDGER_ARCHIVE "/" STR_FMT ": it is shorter than the journal says",
                       STR_ARG(name));
    }
    return rc;
}

/* The position of the first outcome whose records are not whole, or UINT64_MAX. */
static enum rc find_broken(struct recovery *r, struct warc_recovery *w, uint64_t *ret)
{
    enum rc rc = RC_OK;
    bool holds = true;
    *ret = UINT64_MAX;
    for (size_t i = 0; i < r->named_count && rc == RC_OK && holds; i++) {
        const struct named *n = &r->named[i];
        rc = warc_recovery_name(w, str_make(n->file, n->file_bytes), n->offset, n->bytes, &holds);
        if (rc == RC_OK && !holds)
            *ret = n->position;
    }
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
    return rc ? rc : add_void(r, from, position);
}

static enum rc mend_archive(struct recovery *r)
{
    struct warc_recovery *w = NULL;
    struct warc_recovery_report report = {0};
    struct sent *sent = NULL;
    uint64_t broken = UINT64_MAX;
    enum rc rc = sent_open(r->l->disk, false, &sent);
    rc = rc ? rc : warc_recovery_open(r->l->disk, LEDGER_ARCHIVE, sent, &w);
    rc = rc ? rc : trust_committed(r, w);
    rc = rc ? rc : find_broken(r, w, &broken);
    if (rc == RC_OK && broken != UINT64_MAX)
        rc = journal_void(r, broken);
    rc = rc ? rc : warc_recovery_finish(w, &report);
    warc_recovery_close(w);
    sent_close(sent);
    r->report->cut_bytes += report.cut_bytes;
    if (rc && !r->why->n)
        buf_printf(r->why, LEDGER_ARCHIVE ": %s", rc_text(rc));
    return rc;
}

/* 4: doing again ------------------------------------------------------------------------------ */

static bool is_void(const void *ctx, uint64_t position)
{
    const struct recovery *r = ctx;
    return stretches_have(&r->l->voids, position);
}

static struct frontier *frontier_of(struct ledger *l, uint64_t position)
{
    return l->shards[frontier_bucket(position) % l->settings.shards].frontier;
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
    struct frontier *f = frontier_of(r->l, u->position);
    struct redo redo = {.position = u->position,
                        .host = u->host,
                        .path = u->path,
                        .sequence = u->sequence,
                        .port = u->port,
                        .is_https = u->is_https,
                        .class = u->class,
                        .how = u->how,
                        .due_ms = due_of(r, u->due_wall_ms)};
    if (frontier_rests(f, u->position))
        return frontier_redo_later(f, &redo, u->card, u->due_wall_ms);
    struct host *h = frontier_host(f, u->position, u->host);
    if (h && u->card.n) {
        struct card *c = card_of(h);
        enum rc rc = c ? card_read(c, u->card) : RC_NOMEM;
        if (rc)
            return rc;
        frontier_extra_bytes(f, h, card_bytes(c));
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
        rc = frontier_admit(frontier_of(r->l, c.position), &c, 1, r->now_ms, &what, &done);
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

static enum rc redo_past(struct recovery *r, const struct batch *b, uint64_t position,
                         uint64_t behind)
{
    if (!r->l->history || !b->has_past || position < r->history_from)
        return RC_OK;
    history_put(r->l->past, b->fingerprint, &b->past);
    if (++r->history_puts % HISTORY_WRITE_EVERY)
        return RC_OK;
    return history_write(r->l->history, r->l->past, behind);
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
    enum rc rc = read_batch(r, position, bytes, &b);
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
        rc = rest_fit(r->l, i);
    if (rc == RC_OK && (!r->commit.n || position >= r->said.position))
        rc = b.kind == BATCH_NEWS ? news_lines(r->l, &b.news) : redo_lines(r, b.lines);
    rc = rc ? rc : redo_past(r, &b, position, position + JOURNAL_HEAD_BYTES + bytes.n);
    if (rc && !r->why->n)
        buf_printf(r->why, LEDGER_JOURNAL ": the batch at %llu cannot be done again: %s",
                   (unsigned long long)position, rc_text(rc));
    return rc;
}

/* Without limits: what was once admitted must be admitted again, in whatever order. Only memory has
 * its budget. */
static enum rc open_frontiers(struct ledger *l)
{
    struct frontier_settings none = l->settings.frontier;
    none.max_hosts = none.max_host_queue = UINT32_MAX;
    none.replays = true;
    for (unsigned i = 0; i < l->settings.shards; i++) {
        l->shards[i].frontier = frontier_open(&none, i, l->settings.shards);
        if (!l->shards[i].frontier)
            return RC_NOMEM;
    }
    return RC_OK;
}

struct holding {
    const struct recovery *recovery;
    struct frontier *frontier;
};

/* What was open when the process ended may have been answered a moment ago. Buckets that rest do
 * the same when they are loaded (ledger_image_context). */
static void hold(void *ctx, const struct host *h)
{
    const struct holding *to = ctx;
    const struct ledger_settings *s = &to->recovery->l->settings;
    uint64_t delay_ms = card_if(h) ? card_delay_ms(card_if(h)) : 0;
    if (delay_ms > s->delay_most_ms)
        delay_ms = s->delay_most_ms;
    if (delay_ms > s->delay_ms)
        frontier_hold(to->frontier, frontier_host(to->frontier, host_position(h), host_name(h)),
                      to->recovery->now_ms + delay_ms);
}

static void limit_frontiers(struct recovery *r)
{
    struct ledger *l = r->l;
    for (unsigned i = 0; i < l->settings.shards; i++) {
        frontier_limit(l->shards[i].frontier, &l->settings.frontier);
        frontier_hold_all(l->shards[i].frontier, r->now_ms + l->settings.delay_ms);
        struct holding to = {r, l->shards[i].frontier};
        frontier_each_host(to.frontier, hold, &to);
    }
}

static enum rc do_again(struct recovery *r)
{
    struct ledger *l = r->l;
    enum rc rc = open_frontiers(l);
    rc = rc ? rc : rest_begin(l);
    rc = rc ? rc : image_load(l, r->why);
    rc = rc ? rc : image_remove_others(l);
    rc = rc ? rc : rest_clean(l);
    rc = rc ? rc : ledger_open_lines(l, r->said.lengths, r->report, r->why);
    if (rc == RC_OK && l->history)
        l->history_from = r->history_from = history_position(l->history);
    l->unsynced_from = r->commit.n ? r->said.position : 0;
    rc = rc ? rc : open_journal(r, redo);
    if (rc == RC_OK && l->history)
        rc = history_write(l->history, l->past, journal_end(l->journal));
    rc = rc ? rc : outbox_find_voids(l);
    if (rc)
        return rc;
    l->durable = l->for_others = journal_end(l->journal);
    limit_frontiers(r);
    l->is_resumed = true;
    l->elapsed_before_ms = r->said.elapsed_ms;
    r->report->is_new = !r->outcomes && !l->kept.generation;
    return RC_OK;
}

enum rc ledger_recover(struct ledger *l, struct ledger_report *report, struct buf *why)
{
    struct recovery r = {.l = l,
                         .report = report,
                         .why = why,
                         .new_void = UINT64_MAX,
                         .now_ms = clock_now_ms(l->settings.clock),
                         .wall_ms = clock_wall_ms(l->settings.clock)};
    buf_init(&r.commit, MANIFEST_MAX_BYTES);
    enum rc rc = read_manifest(&r);
    rc = rc ? rc : open_journal(&r, note);
    rc = rc ? rc : mend_archive(&r);
    journal_close(l->journal);
    l->journal = NULL;
    drops_sort(&r.drops, is_void, &r);
    rc = rc ? rc : do_again(&r);
    buf_done(&r.commit);
    drops_done(&r.drops);
    mem_free(r.named);
    return rc;
}
